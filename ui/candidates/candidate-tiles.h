/* The pictures of the candidates as textures, in the colours of the view. */
#pragma once

#include "app/axis/candidates/candidates.h"
#include "render/camera.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct TlCandidateTiles TlCandidateTiles;

/**
 * tl_candidate_tiles_new:
 * @widget: not owned: it is drawn anew when there is something new, and frees
 *   the tiles before it goes
 *
 * They follow the candidates, the window and the colour map while @widget is
 * mapped: for each frame of the screen as many as there is time for. Until a
 * new picture has come, or is in colours, the old one stays, but for that of
 * another scan.
 */
TlCandidateTiles *tl_candidate_tiles_new (GtkWidget *widget, TlView *view);
void tl_candidate_tiles_free (TlCandidateTiles *tiles);

/** tl_candidate_tiles_draw: Nothing, where no picture has come.
 * @camera: where the slice would be; @x and @y: of its upper left corner */
void tl_candidate_tiles_draw (TlCandidateTiles *tiles, guint index,
                              GtkSnapshot *snapshot, const TlCamera *camera,
                              double x, double y);

/** tl_candidate_tiles_are_new: Returns: all that came is in its colours. */
gboolean tl_candidate_tiles_are_new (TlCandidateTiles *tiles);

G_END_DECLS
