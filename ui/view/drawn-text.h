/* Text that a widget draws itself, in its font. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_words_new:
 * @width, @height: (out): size of the text, widget units
 *
 * Main thread.
 *
 * Returns: (transfer full): @words in the font of @widget
 */
PangoLayout *tl_words_new (GtkWidget *widget, const char *words, double *width,
                           double *height);
