/* Renders what a page shows into an image, for a file or the clipboard. Main
 * thread. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_view_image_new:
 * @widget: the slice view, or what a page shows in its place; realized
 * @caption: (nullable): a line below it
 *
 * Renders it with everything drawn over it, in pixels of the screen.
 *
 * Returns: (transfer full) (nullable): %NULL if nothing is drawn yet
 */
GdkTexture *tl_view_image_new (GtkWidget *widget, const char *caption);

/**
 * tl_view_image_save:
 * @widget, @caption: as of tl_view_image_new()
 * @path: replaced if there; SVG if it ends in ".svg", with letters and lines as
 *   such, else PNG
 * @callback: calls tl_view_image_save_finish()
 *
 * Renders the image now, and writes the file in a thread.
 */
void tl_view_image_save (GtkWidget *widget, const char *caption,
                         const char *path, GAsyncReadyCallback callback,
                         gpointer user_data);

/** tl_view_image_save_finish: Returns: %FALSE with an error whose message is
 * one sentence; the file is unchanged then. */
gboolean tl_view_image_save_finish (GAsyncResult *result, GError **error);
