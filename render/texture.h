/* A texture that shows a frame. There is no copy through host memory if
 * OpenGL and the engine share the device. */
#pragma once

#include "gpu/backend/frame.h"

typedef struct TlTexture TlTexture;

/** tl_texture_new: Creates a texture in the current GL context. All functions
 * below need this context or one that shares with it to be current. */
TlTexture *tl_texture_new (void);

/** tl_texture_free: Call while its context, or one that shares with it, is
 * current. */
void tl_texture_free (TlTexture *texture);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTexture, tl_texture_free)

/**
 * tl_texture_show:
 * @slice: index of the slice in @frame
 *
 * Puts slice @slice of @frame into the texture; @frame may be freed
 * afterwards. A frame on the device is shown by interop. If interop is
 * refused, this texture copies from then on; the first copy may wait for the
 * device. A copy calls tl_frame_fetch(), and waits, if the frame has not been
 * fetched.
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED (larger than OpenGL allows),
 *   TL_ERROR_DEVICE or TL_ERROR_MEMORY; the content of the texture is then
 *   undefined
 */
gboolean tl_texture_show (TlTexture *texture, TlFrame *frame, size_t slice,
                          GError **error);

/** tl_texture_get_name: Returns: GL name of the GL_TEXTURE_2D, GL_R32F */
guint tl_texture_get_name (const TlTexture *texture);

/** tl_texture_is_interop: Returns: whether the last frame was shown by
 * interop */
gboolean tl_texture_is_interop (const TlTexture *texture);

/** tl_texture_get_path: Returns: (transfer none) (nullable): "interop", or
 * "copy: " and the reason; valid until the next frame; %NULL before the first
 */
const char *tl_texture_get_path (const TlTexture *texture);
