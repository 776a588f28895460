/* Bar of the overlay of opposite projections: mode, projection, the axis
 * measured from them, and how to move the stage. Main thread. */
#pragma once

#include "ui/compare/compare.h"

#include <gtk/gtk.h>

#define TL_TYPE_OVERLAY_BAR (tl_overlay_bar_get_type ())
G_DECLARE_FINAL_TYPE (TlOverlayBar, tl_overlay_bar, TL, OVERLAY_BAR, GtkBox)

/** tl_overlay_bar_bind: Call once. The bar is visible while the picture is
 * TL_PICTURE_OVERLAY. */
void tl_overlay_bar_bind (TlOverlayBar *self, TlCompare *compare);
