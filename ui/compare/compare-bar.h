/* Bar for comparing the slice held as A with B: modes and differing parameters.
 * Main thread. */
#pragma once

#include "ui/compare/compare.h"

#include <gtk/gtk.h>

#define TL_TYPE_COMPARE_BAR (tl_compare_bar_get_type ())
G_DECLARE_FINAL_TYPE (TlCompareBar, tl_compare_bar, TL, COMPARE_BAR, GtkWidget)

/** tl_compare_bar_bind: Call once. The bar is visible while a slice is held and
 * a slice is shown; it activates the actions of ui/actions/compare-actions.h.
 */
void tl_compare_bar_bind (TlCompareBar *self, TlCompare *compare);

/** tl_compare_bar_get_words: Returns: (transfer none): the parameters
 * that differ. */
const char *tl_compare_bar_get_words (TlCompareBar *self);
