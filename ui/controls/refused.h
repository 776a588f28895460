/* Marks a field whose text was refused. Main thread. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_refused_mark:
 * @reason: (nullable): becomes the tooltip; %NULL removes the mark and brings
 *   the tooltip of the field back
 *
 * Does nothing if @field is marked, or not marked, already.
 */
void tl_refused_mark (GtkWidget *field, const char *reason);
gboolean tl_refused_is_marked (GtkWidget *field);
