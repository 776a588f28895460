/* Renders a window into a PNG file. Main thread. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_screenshot_save:
 * @widget: a mapped window
 * @path: PNG file, replaced if it exists
 *
 * Returns: %FALSE with %G_IO_ERROR_BUSY if the window has a redraw queued: try
 *   again after it; or with %G_IO_ERROR_FAILED
 */
gboolean tl_screenshot_save (GtkWidget *widget, const char *path,
                             GError **error);
