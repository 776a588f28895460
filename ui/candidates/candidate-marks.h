/* What is drawn around the picture of a candidate: caption, bar, and what marks
 * the sharpest and the present one. */
#pragma once

#include "ui/candidates/candidate-text.h"
#include "ui/candidates/tile-layout.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  GtkWidget *widget; /* whose style it has */
  TlCandidates *candidates;
  const TlTileLayout *layout;
  guint pointed; /* at, by the pointer; the number of tiles for none */
  guint focused; /* by the keys, likewise */
} TlCandidateMarks;

/** tl_candidate_marks_measure: Returns: the height of a caption. */
double tl_candidate_marks_measure (GtkWidget *widget);

/** tl_candidate_marks_draw: Over the picture of tile @index. */
void tl_candidate_marks_draw (const TlCandidateMarks *marks, guint index,
                              GtkSnapshot *snapshot);

G_END_DECLS
