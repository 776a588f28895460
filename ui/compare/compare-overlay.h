/* Lies over the picture while A and B are compared: says which is where, and
 * has the handle between them. */
#pragma once

#include "ui/compare/compare.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_COMPARE_OVERLAY (tl_compare_overlay_get_type ())
G_DECLARE_FINAL_TYPE (TlCompareOverlay, tl_compare_overlay, TL, COMPARE_OVERLAY,
                      GtkWidget)

/* In mode SWIPE: drag the handle, or with its focus the left and right arrows,
 * with Shift ten times as far; Home and End. It activates "app.swipe". All else
 * goes on to the widget that it is a child of. */
GtkWidget *tl_compare_overlay_new (void);

/** tl_compare_overlay_set_compare: Once, before it is shown. */
void tl_compare_overlay_set_compare (TlCompareOverlay *overlay,
                                     TlCompare *compare);

/** tl_compare_overlay_draw: Into a snapshot of somebody else's. */
void tl_compare_overlay_draw (TlCompareOverlay *overlay, GtkSnapshot *snapshot);

G_END_DECLS
