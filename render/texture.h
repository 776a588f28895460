/* A texture that shows a frame: without a copy through host memory where
 * OpenGL and the engine share the device, else with one. */
#pragma once

#include "gpu/backend/frame.h"

G_BEGIN_DECLS

typedef struct TlTexture TlTexture;

/** tl_texture_new: In the current GL context, as all that follows; any context
 * that shares with it will do. */
TlTexture *tl_texture_new (void);

/** tl_texture_free: While a context that shares with its own is current. */
void tl_texture_free (TlTexture *texture);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTexture, tl_texture_free)

/**
 * tl_texture_show:
 * @slice: of the frame
 *
 * Makes the texture hold slice @slice of @frame; the frame may go afterwards.
 * Where it is copied and nobody has fetched it, tl_frame_fetch() waits here.
 * A frame on the device is taken over by interop. Where that is refused, this
 * texture copies from then on; the first time this may have to wait for the
 * device.
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED (larger than OpenGL allows),
 *   TL_ERROR_DEVICE or TL_ERROR_MEMORY; what it held before is undefined then
 */
gboolean tl_texture_show (TlTexture *texture, TlFrame *frame, size_t slice,
                          GError **error);

/** tl_texture_get_name: Returns: of the GL_TEXTURE_2D, GL_R32F. */
guint tl_texture_get_name (const TlTexture *texture);

/** tl_texture_is_interop: Returns: how the last frame came. */
gboolean tl_texture_is_interop (const TlTexture *texture);

/**
 * tl_texture_get_path:
 *
 * Returns: (transfer none) (nullable): "interop", or "copy: " and why; lent
 *   until the next frame; %NULL before the first
 */
const char *tl_texture_get_path (const TlTexture *texture);

G_END_DECLS
