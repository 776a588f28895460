/* A grid of the candidates for the axis: their pictures, with one zoom and
 * place for all. */
#pragma once

#include "app/axis/candidates/candidates.h"
#include "render/camera.h"
#include "ui/candidates/tile-layout.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_CANDIDATES_GRID (tl_candidates_grid_get_type ())
G_DECLARE_FINAL_TYPE (TlCandidatesGrid, tl_candidates_grid, TL, CANDIDATES_GRID,
                      GtkWidget)

/* Wheel, touchpad, touch screen: ui/picture/gestures.h. Drag: pan. Double
 * click: fit. Click: activates "app.adopt". Arrow keys, Home and End: the focus
 * goes from one to another; Enter and the space bar: "app.adopt"; comma and
 * point: "app.finer" and "app.coarser". */

/** tl_candidates_grid_set_view: Once, before it is shown. */
void tl_candidates_grid_set_view (TlCandidatesGrid *self, TlView *view);

/**
 * tl_candidates_grid_look_at:
 * @camera: of the slice: each tile shows the same part of it, as large as it
 *   goes
 */
void tl_candidates_grid_look_at (TlCandidatesGrid *self,
                                 const TlCamera *camera);

/** tl_candidates_grid_get_camera: Returns: (transfer none): of each tile. */
const TlCamera *tl_candidates_grid_get_camera (TlCandidatesGrid *self);
/** tl_candidates_grid_get_layout: Returns: (transfer none) */
const TlTileLayout *tl_candidates_grid_get_layout (TlCandidatesGrid *self);

/** tl_candidates_grid_zoom: About the pointer, or the middle without one. */
void tl_candidates_grid_zoom (TlCandidatesGrid *self, double factor);
/** tl_candidates_grid_move: As tl_slice_view_move(), in the tile at @x, @y. */
void tl_candidates_grid_move (TlCandidatesGrid *self, double factor, double x,
                              double y, double dx, double dy);
void tl_candidates_grid_fit (TlCandidatesGrid *self);

/** tl_candidates_grid_get_focus: Returns: the tile that the keys are at. */
guint tl_candidates_grid_get_focus (TlCandidatesGrid *self);
/** tl_candidates_grid_set_focus: By hand; @by_key: that is seen. */
void tl_candidates_grid_set_focus (TlCandidatesGrid *self, guint index,
                                   gboolean by_key);

/** tl_candidates_grid_get_focused: Returns: that tile, where it was put there
 * by hand since the centres changed; -1 else: for "app.finer" and "app.coarser"
 */
int tl_candidates_grid_get_focused (TlCandidatesGrid *self);

/** tl_candidates_grid_is_drawn: Returns: all pictures have come and are drawn.
 */
gboolean tl_candidates_grid_is_drawn (TlCandidatesGrid *self);

G_END_DECLS
