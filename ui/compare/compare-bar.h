/* Bar for comparing the slice held as A with B: modes and differing parameters.
 * Main thread. */
#pragma once

#include "ui/compare/compare.h"

#include <gtk/gtk.h>

#define TL_TYPE_COMPARE_BAR (tl_compare_bar_get_type ())
G_DECLARE_FINAL_TYPE (TlCompareBar, tl_compare_bar, TL, COMPARE_BAR, GtkBox)

/** tl_compare_bar_bind: Call once. The bar is visible while A is held and a
 * slice or planes are shown. */
void tl_compare_bar_bind (TlCompareBar *self, TlCompare *compare);
