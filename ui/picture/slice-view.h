/* Widget for the session's picture (slice, sinogram, projection or overlay):
 * zoom, pan, read-out of the pixel under the pointer, lines to drag. It owns
 * the camera and handles the input; TlPictureArea draws. Main thread. */
#pragma once

#include "render/camera.h"
#include "ui/compare/compare.h"
#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_SLICE_VIEW (tl_slice_view_get_type ())
G_DECLARE_FINAL_TYPE (TlSliceView, tl_slice_view, TL, SLICE_VIEW, GtkWidget)

/* Wheel, touchpad, touch screen: ui/picture/gestures.h. A drag that
 * begins on a line moves it (activates "app.slice" or "app.centre"), with Shift
 * a tenth as far; other drags pan. Ctrl and drag activates "app.centre", a
 * tenth of a column for each widget unit. Double click: fit. Both halves of
 * mode side by side behave alike. Drags that ui/compare/compare-overlay.h or
 * ui/picture/picture-tools.h claim do not come here; the middle button always
 * pans. Each picture keeps its own zoom and place. */

/** tl_slice_view_bind: Once, before it is shown. */
void tl_slice_view_bind (TlSliceView *self, TlMeasure *measure,
                         TlCompare *compare);

/** tl_slice_view_draw: Draws what the widget shows, without the read-out, into
 * @snapshot, in widget units. */
void tl_slice_view_draw (TlSliceView *self, GtkSnapshot *snapshot);

/**
 * tl_slice_view_move:
 * @x: centre of the zoom, widget units, as @y
 * @dx: widget units, as @dy
 *
 * Moves the picture by @dx and @dy, then enlarges it by @factor.
 */
void tl_slice_view_move (TlSliceView *self, double factor, double x, double y,
                         double dx, double dy);

/** tl_slice_view_zoom: Zooms about the pointer, or about the middle if the
 * pointer is elsewhere. */
void tl_slice_view_zoom (TlSliceView *self, double factor);
void tl_slice_view_fit (TlSliceView *self);

/** tl_slice_view_get_camera: Returns: (transfer none): of the picture shown. */
const TlCamera *tl_slice_view_get_camera (TlSliceView *self);
/** tl_slice_view_look_at: Shows the part of the picture that @camera sees. */
void tl_slice_view_look_at (TlSliceView *self, const TlCamera *camera);

/** tl_slice_view_is_drawn: Returns: whether the newest frame is drawn. */
gboolean tl_slice_view_is_drawn (TlSliceView *self);
