/* Widget over the picture while A and B are compared: labels them, and has the
 * handle of the line between them. Main thread. */
#pragma once

#include "ui/compare/compare.h"

#include <gtk/gtk.h>

#define TL_TYPE_COMPARE_OVERLAY (tl_compare_overlay_get_type ())
G_DECLARE_FINAL_TYPE (TlCompareOverlay, tl_compare_overlay, TL, COMPARE_OVERLAY,
                      GtkWidget)

/* In mode SWIPE a drag of the handle moves the line. With the focus, so do the
 * left and right arrow keys (with Shift ten times as far), Home and End. Each
 * activates "app.swipe". All other events bubble to the parent. */
GtkWidget *tl_compare_overlay_new (void);

/** tl_compare_overlay_set_compare: Once, before it is shown. */
void tl_compare_overlay_set_compare (TlCompareOverlay *overlay,
                                     TlCompare *compare);

/** tl_compare_overlay_set_top: @top: where the labels begin, below what the
 * parent writes there; widget units, 0 at first */
void tl_compare_overlay_set_top (TlCompareOverlay *overlay, double top);

/** tl_compare_overlay_draw: Draws into @snapshot, for the image of the view. */
void tl_compare_overlay_draw (TlCompareOverlay *overlay, GtkSnapshot *snapshot);
