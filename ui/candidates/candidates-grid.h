/* Widget with a grid of the candidates for the axis. All pictures have the same
 * zoom and place. Main thread. */
#pragma once

#include "app/axis/candidates/candidates.h"
#include "render/camera.h"
#include "ui/candidates/tile-layout.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

#define TL_TYPE_CANDIDATES_GRID (tl_candidates_grid_get_type ())
G_DECLARE_FINAL_TYPE (TlCandidatesGrid, tl_candidates_grid, TL, CANDIDATES_GRID,
                      GtkWidget)

/* Wheel, touchpad, touch screen: ui/picture/gestures.h. Drag: pan. Double
 * click: fit. Click: activates "app.adopt". Arrow keys, Home and End move the
 * focus between tiles; Enter and the space bar activate "app.adopt"; comma and
 * period activate "app.finer" and "app.coarser". */

/** tl_candidates_grid_set_view: Once, before it is shown. */
void tl_candidates_grid_set_view (TlCandidatesGrid *self, TlView *view);

/**
 * tl_candidates_grid_look_at:
 * @camera: of a view of the slice
 *
 * Makes each tile show the part of the slice that @camera sees.
 */
void tl_candidates_grid_look_at (TlCandidatesGrid *self,
                                 const TlCamera *camera);

/** tl_candidates_grid_get_camera: Returns: (transfer none): the camera
 * of every tile. */
const TlCamera *tl_candidates_grid_get_camera (TlCandidatesGrid *self);
/** tl_candidates_grid_get_layout: Returns: (transfer none) */
const TlTileLayout *tl_candidates_grid_get_layout (TlCandidatesGrid *self);

/** tl_candidates_grid_zoom: Zooms about the pointer, or about the middle if the
 * pointer is elsewhere. */
void tl_candidates_grid_zoom (TlCandidatesGrid *self, double factor);
void tl_candidates_grid_fit (TlCandidatesGrid *self);

/** tl_candidates_grid_get_focus: Returns: the tile with the keyboard
 * focus. */
guint tl_candidates_grid_get_focus (TlCandidatesGrid *self);

/** tl_candidates_grid_get_focused: Returns: the tile with the keyboard focus,
 * if the user has moved the focus since the centres changed, else -1. It is the
 * parameter of "app.finer" and "app.coarser". */
int tl_candidates_grid_get_focused (TlCandidatesGrid *self);

/** tl_candidates_grid_is_drawn: Returns: whether all pictures have come and
 * are drawn. */
gboolean tl_candidates_grid_is_drawn (TlCandidatesGrid *self);
