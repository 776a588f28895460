/* Shows its first child, or in a narrow window its second one: a row of buttons
 * becomes a menu. An only child, a GtkBox, becomes a column in a narrow window.
 * They are children in the template. Main thread. */
#pragma once

#include <gtk/gtk.h>

/* Windows that are not as wide are narrow: less than the screen of a laptop. A
 * window has to be able to become narrow, so it must need less with the first
 * children, in any language. */
#define TL_FOLDING_WIDTH 1100

#define TL_TYPE_FOLDING_BOX (tl_folding_box_get_type ())
G_DECLARE_FINAL_TYPE (TlFoldingBox, tl_folding_box, TL, FOLDING_BOX, GtkWidget)
