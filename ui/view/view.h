/* How the picture is shown, apart from what is computed: window, colour map,
 * and how the pixels reach the screen. */
#pragma once

#include "app/session/session.h"
#include "render/colormap.h"

G_BEGIN_DECLS

#define TL_TYPE_VIEW (tl_view_get_type ())
G_DECLARE_FINAL_TYPE (TlView, tl_view, TL, VIEW, GObject)

/* Properties, all with explicit notify:
 *   "low", "high"  double: the window
 *   "auto-window"  boolean: each new picture sets the window
 *   "dark-percent", "bright-percent"  double, writable: of the pixels, what the
 *                automatic window cuts off; setting one sets the window
 *   "log-counts"   boolean, writable: the histogram's scale is logarithmic
 *   "colormap"     uint: TlColormap
 *   "path"         string, nullable: how the last picture came to the screen
 *   "interop"      boolean: it came without a copy through host memory
 *   "renderer"     string, nullable: who draws, OpenGL's own words
 *   "problem"      string, nullable: what cannot be shown or set, one sentence
 */

/** tl_view_new: Slices, sinograms and projections have a window each, which the
 * first picture of a scan sets; differences have one of their own, about 0.
 * That of what a precision costs goes with it; that of B less A is automatic
 * until it is set; that of opposite projections is what their first difference
 * asks for, so that one sees it become less. */
TlView *tl_view_new (TlSession *session);

TlSession *tl_view_get_session (TlView *view);

double tl_view_get_low (TlView *view);
double tl_view_get_high (TlView *view);
/** tl_view_set_window: Ends the automatic window. An empty one is widened. */
void tl_view_set_window (TlView *view, double low, double high);
/** tl_view_set_percentiles: The window from the newest picture; the darkest
 * @f_low and the brightest 1 - @f_high of its pixels are cut off. */
void tl_view_set_percentiles (TlView *view, double f_low, double f_high);
/** tl_view_set_auto_percentiles: The same with "dark-percent" and
 * "bright-percent". */
void tl_view_set_auto_percentiles (TlView *view);
/** tl_view_reset_window: The same with the usual fractions, from now on. */
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
/** tl_view_set_wants_pixels: Somebody looks into them; the next pictures have
 * tl_session_get_pixels(). */
void tl_view_set_wants_pixels (TlView *view, gboolean wants_pixels);
const char *tl_view_get_renderer (TlView *view);
void tl_view_set_renderer (TlView *view, const char *renderer);
const char *tl_view_get_problem (TlView *view);
void tl_view_set_problem (TlView *view, const char *problem);

G_END_DECLS
