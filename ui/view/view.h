/* How the picture is displayed: window of grey values, colour map, and the path
 * of the pixels to the screen. It computes no slice. Main thread. */
#pragma once

#include "app/session/session.h"
#include "render/look/colormap.h"

#define TL_TYPE_VIEW (tl_view_get_type ())
G_DECLARE_FINAL_TYPE (TlView, tl_view, TL, VIEW, GObject)

/* Properties, all with explicit notify:
 *   "low", "high"  double: the window
 *   "auto-window"  boolean: each new picture sets the window
 *   "dark-percent", "bright-percent"  double, writable: part of the pixels that
 *                the automatic window cuts off; setting it sets the window
 *   "log-counts"   boolean, writable: the histogram's scale is logarithmic
 *   "colormap"     uint: TlColormap
 *   "path"         string, nullable: how the last picture came to the screen
 *   "interop"      boolean: it came without a copy through host memory
 *   "renderer"     string, nullable: GL_RENDERER
 *   "problem"      string, nullable: why something is not shown, one sentence
 */

/** tl_view_new: Slices, sinograms and projections have a window each, which the
 * first picture of a scan sets, and, unless the user has set it, the first one
 * made from other files, other angles or without other projections. Each kind
 * of difference has a window, too, centred at 0: it follows each difference of
 * precisions; it follows B minus A until the user sets it; for opposite
 * projections the first difference sets it, so that the user sees later ones
 * become smaller. */
TlView *tl_view_new (TlSession *session);

TlSession *tl_view_get_session (TlView *view);

/* Ends of the window are from minus this to this: pixels are floats. */
#define TL_VIEW_MAX 1e30

double tl_view_get_low (TlView *view);
double tl_view_get_high (TlView *view);
/** tl_view_get_slice_window: Gets the window of slices, whatever is shown; from
 * 0 to 0 if no slice was shown yet. */
void tl_view_get_slice_window (TlView *view, double *low, double *high);
/** tl_view_set_window: Also turns the automatic window off. An empty window is
 * widened. */
void tl_view_set_window (TlView *view, double low, double high);
/** tl_view_set_percentiles: Sets the window from the newest picture: it cuts
 * off the darkest @f_low and the brightest 1 - @f_high of the pixels. */
void tl_view_set_percentiles (TlView *view, double f_low, double f_high);
/** tl_view_set_auto_percentiles: As tl_view_set_percentiles(), with
 * "dark-percent" and "bright-percent". */
void tl_view_set_auto_percentiles (TlView *view);
/** tl_view_reset_window: Resets "dark-percent" and "bright-percent" to their
 * defaults, and sets the window from them. */
void tl_view_reset_window (TlView *view);
gboolean tl_view_get_auto_window (TlView *view);
void tl_view_set_auto_window (TlView *view, gboolean auto_window);
gboolean tl_view_get_log_counts (TlView *view);
TlColormap tl_view_get_colormap (TlView *view);
void tl_view_set_colormap (TlView *view, TlColormap colormap);

const char *tl_view_get_path (TlView *view);
gboolean tl_view_get_interop (TlView *view);
/** tl_view_set_path: Also tells the session whether to fetch the pixels. */
void tl_view_set_path (TlView *view, const char *path, gboolean interop);
/** tl_view_set_wants_pixels: Makes the session fetch the pixels of the next
 * pictures to host memory, for tl_display_get_pixels(). */
void tl_view_set_wants_pixels (TlView *view, gboolean wants_pixels);
const char *tl_view_get_renderer (TlView *view);
void tl_view_set_renderer (TlView *view, const char *renderer);
const char *tl_view_get_problem (TlView *view);
void tl_view_set_problem (TlView *view, const char *problem);
