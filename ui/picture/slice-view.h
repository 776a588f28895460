/* The picture, a slice, a sinogram or a projection as the session says: OpenGL,
 * zoom about the pointer, pan, the value under it, lines to drag over it. */
#pragma once

#include "render/camera.h"
#include "ui/compare/compare.h"
#include "ui/measure/measure.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_SLICE_VIEW (tl_slice_view_get_type ())
G_DECLARE_FINAL_TYPE (TlSliceView, tl_slice_view, TL, SLICE_VIEW, GtkWidget)

/* Wheel, touchpad, touch screen: ui/picture/gestures.h. Drag: pan, or where it
 * begins on a line, the line: activates "app.slice" or "app.centre"; with Shift
 * at a tenth of the way. Ctrl and drag: activates "app.centre", a tenth of a
 * column for each pixel. Double click: fit. Side by side, all of it holds for
 * either half. A drag that ui/compare/compare-overlay.h or
 * ui/picture/picture-tools.h takes is none of these; the middle button pans
 * always. Each picture keeps its own zoom and place.
 *
 * Property "readout", string, nullable: position and value under the pointer */

/** tl_slice_view_set_view: Once, before it is shown. */
void tl_slice_view_set_view (TlSliceView *self, TlView *view);

/** tl_slice_view_set_measure: Once, before it is shown. */
void tl_slice_view_set_measure (TlSliceView *self, TlMeasure *measure);

/** tl_slice_view_set_compare: Once, before it is shown, after the view. */
void tl_slice_view_set_compare (TlSliceView *self, TlCompare *compare);

/** tl_slice_view_draw: What is seen, but for the read-out, into a snapshot of
 * the size of the widget. */
void tl_slice_view_draw (TlSliceView *self, GtkSnapshot *snapshot);

/**
 * tl_slice_view_move:
 * @x: widget position of what the zoom is about
 * @dx: widget units
 *
 * The picture follows by @dx and @dy, and then is enlarged by @factor.
 */
void tl_slice_view_move (TlSliceView *self, double factor, double x, double y,
                         double dx, double dy);

/** tl_slice_view_zoom: About the pointer, or the middle without one. */
void tl_slice_view_zoom (TlSliceView *self, double factor);
void tl_slice_view_fit (TlSliceView *self);

/** tl_slice_view_get_camera: Returns: (transfer none): of the picture shown. */
const TlCamera *tl_slice_view_get_camera (TlSliceView *self);
/** tl_slice_view_look_at: What @camera sees of the same picture. */
void tl_slice_view_look_at (TlSliceView *self, const TlCamera *camera);

/** tl_slice_view_get_scale: Returns: widget units for one picture pixel. */
double tl_slice_view_get_scale (TlSliceView *self);
/** tl_slice_view_get_middle: Which place of the picture is in the middle. */
void tl_slice_view_get_middle (TlSliceView *self, double *col, double *row);
/** tl_slice_view_is_drawn: Returns: the newest frame has been drawn. */
gboolean tl_slice_view_is_drawn (TlSliceView *self);

G_END_DECLS
