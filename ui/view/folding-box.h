/* Shows its first child, or in a narrow window its second one: a row of buttons
 * becomes a menu. An only child, a GtkBox, becomes a column in a narrow window.
 * They are children in the template. Main thread.
 *
 * Property "narrow-width": windows that are not as wide are narrow; 1000 units
 * by default, a little less than the screen of a laptop. A window must need
 * less with the first children, in any language. */
#pragma once

#include <gtk/gtk.h>

#define TL_TYPE_FOLDING_BOX (tl_folding_box_get_type ())
G_DECLARE_FINAL_TYPE (TlFoldingBox, tl_folding_box, TL, FOLDING_BOX, GtkWidget)
