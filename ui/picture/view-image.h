/* Renders the view into an image, for a file or the clipboard. Main thread. */
#pragma once

#include "ui/picture/slice-view.h"

/**
 * tl_view_image_new:
 * @view: must be realized
 *
 * Renders the picture and everything drawn over it in pixels of the screen.
 *
 * Returns: (transfer full) (nullable): %NULL if nothing is drawn yet
 */
GdkTexture *tl_view_image_new (TlSliceView *view);

/**
 * tl_view_image_save:
 * @path: PNG, replaced if there
 * @callback: calls tl_view_image_save_finish()
 *
 * Renders the view now, and writes the file in a thread.
 */
void tl_view_image_save (TlSliceView *view, const char *path,
                         GAsyncReadyCallback callback, gpointer user_data);

/** tl_view_image_save_finish: Returns: %FALSE with an error whose message is
 * one sentence; the file is unchanged then. */
gboolean tl_view_image_save_finish (GAsyncResult *result, GError **error);
