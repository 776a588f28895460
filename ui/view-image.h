/* What the picture looks like, to a file or to the clipboard. */
#pragma once

#include "ui/slice-view.h"

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
 *
 * Returns: %FALSE with one sentence; then @path is as it was
 */
gboolean tl_view_image_save (TlSliceView *view, const char *path,
                             GError **error);

G_END_DECLS
