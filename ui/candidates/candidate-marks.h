/* Draws caption, bar and frames around the picture of a candidate: they mark
 * the sharpest candidate and the present axis. Main thread. */
#pragma once

#include "ui/candidates/candidate-text.h"
#include "ui/candidates/tile-layout.h"

#include <gtk/gtk.h>

typedef struct
{
  GtkWidget *widget; /* gives font and colours */
  TlCandidates *candidates;
  const TlTileLayout *layout;
  guint pointed; /* tile under the pointer; the number of tiles for none */
  guint focused; /* tile with a visible focus; the number of tiles for none */
} TlCandidateMarks;

/** tl_candidate_marks_measure: Returns: the height of a caption,
 * widget units. */
double tl_candidate_marks_measure (GtkWidget *widget);

/** tl_candidate_marks_draw: Draws over and around the picture of tile
 * @index. */
void tl_candidate_marks_draw (const TlCandidateMarks *marks, guint index,
                              GtkSnapshot *snapshot);
