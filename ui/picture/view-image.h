/* What the picture looks like, to a file or to the clipboard. */
#pragma once

#include "ui/picture/slice-view.h"

G_BEGIN_DECLS

/**
 * tl_view_image_new:
 * @view: on the screen
 *
 * What is seen with all that is drawn over it, in pixels of the screen.
 *
 * Returns: (transfer full) (nullable): %NULL where nothing is drawn yet
 */
GdkTexture *tl_view_image_new (TlSliceView *view);

/**
 * tl_view_image_save:
 * @path: PNG, replaced if there
 * @callback: tells what came of it by tl_view_image_save_finish()
 *
 * As it is seen now; written in a thread of its own.
 */
void tl_view_image_save (TlSliceView *view, const char *path,
                         GAsyncReadyCallback callback, gpointer user_data);

/** tl_view_image_save_finish: Returns: %FALSE with one sentence; then the file
 * is as it was. */
gboolean tl_view_image_save_finish (GAsyncResult *result, GError **error);

G_END_DECLS
