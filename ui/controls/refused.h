/* Marks a field whose text was refused. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_refused_mark:
 * @reason: (nullable): stands as the tooltip; %NULL: it is refused no more, and
 *   its own tooltip comes back
 *
 * Does nothing where that is so already.
 */
void tl_refused_mark (GtkWidget *field, const char *reason);
gboolean tl_refused_is_marked (GtkWidget *field);
