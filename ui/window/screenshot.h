/* A picture of a window, as GTK draws it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_screenshot_save:
 * @widget: a window that is on the screen
 * @path: PNG, replaced if there
 *
 * Wants a moment when nothing waits to be drawn.
 *
 * Returns: %FALSE with %G_IO_ERROR_BUSY when the window is about to be drawn:
 *   try again after that; or with %G_IO_ERROR_FAILED
 */
gboolean tl_screenshot_save (GtkWidget *widget, const char *path,
                             GError **error);

G_END_DECLS
