/* Turns the candidates' pictures into textures, with the window and the colour
 * map of the view. Main thread. */
#pragma once

#include "app/axis/candidates/candidates.h"
#include "render/camera.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

typedef struct TlCandidateTiles TlCandidateTiles;

/**
 * tl_candidate_tiles_new:
 * @widget: not owned; is redrawn when textures change, and must free the tiles
 *   in its dispose
 *
 * The textures follow the candidates, the window and the colour map while
 * @widget is mapped. Each frame of the screen updates as many as it has time
 * for. A tile keeps its old texture until the new one is ready, except when
 * another scan was opened.
 */
TlCandidateTiles *tl_candidate_tiles_new (GtkWidget *widget, TlView *view);
void tl_candidate_tiles_free (TlCandidateTiles *tiles);

/** tl_candidate_tiles_draw: Draws tile @index, if it has a picture.
 * @camera: of the slice in the tile; @x, @y: upper left corner of the tile */
void tl_candidate_tiles_draw (TlCandidateTiles *tiles, guint index,
                              GtkSnapshot *snapshot, const TlCamera *camera,
                              double x, double y);

/** tl_candidate_tiles_are_new: Returns: whether no texture waits for an
 * update. */
gboolean tl_candidate_tiles_are_new (TlCandidateTiles *tiles);
