/* Widget for one of the panes of TL_PICTURE_PLANES: draws its plane by OpenGL,
 * and handles the input. Main thread. */
#pragma once

#include "app/planes/planes.h"
#include "ui/compare/compare.h"
#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_PLANE_PANE (tl_plane_pane_get_type ())
G_DECLARE_FINAL_TYPE (TlPlanePane, tl_plane_pane, TL, PLANE_PANE, GtkGLArea)

/* Click and drag: the cross follows the pointer; a drag of a handle turns or
 * moves the oblique plane; with Ctrl it activates "app.centre", as in the slice
 * view. The middle button pans, two fingers zoom and pan, a double click fits.
 * Scrolling goes through the stack, with Ctrl it zooms. Keys: up and down go
 * through the stack (Shift: ten times as far), Ctrl and arrows move the cross,
 * R turns the oblique plane by a degree (Shift: back). While measuring is
 * active, a drag with the first button draws the line (TlPictureTools), except
 * from a handle of the oblique plane. Side by side,
 * both halves of the pane are handled alike.
 *
 * Signal "pointed": another pixel is under the pointer: its place and value in
 * words, nullable. */

/** tl_plane_pane_new: Returns: (transfer floating) */
GtkWidget *tl_plane_pane_new (void);

/** tl_plane_pane_bind: Once, before it is shown. @has_bars: whether it shows
 * scale bar and colour bar */
void tl_plane_pane_bind (TlPlanePane *self, TlMeasure *measure,
                         TlCompare *compare, TlPane pane, gboolean has_bars);

/** tl_plane_pane_zoom: Zooms about the pointer, or about the middle if it is
 * elsewhere. */
void tl_plane_pane_zoom (TlPlanePane *self, double factor);

/** tl_plane_pane_has_pointer: Returns: whether the pointer is over it */
gboolean tl_plane_pane_has_pointer (TlPlanePane *self);

/** tl_plane_pane_is_drawn: Returns: whether its newest plane is drawn, if it
 * has any */
gboolean tl_plane_pane_is_drawn (TlPlanePane *self);
