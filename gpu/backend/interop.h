/* CUDA-OpenGL interop: a GL texture that an engine fills without a copy through
 * host memory. The renderer owns the texture, the engine's module owns the
 * registration. Every function needs the GL context, or one that shares with
 * it, to be current on the calling thread. */
#pragma once

#include "gpu/backend/frame.h"

typedef struct TlInterop TlInterop;

/**
 * tl_interop_new:
 * @frame: a frame of the engine that will fill the texture
 * @texture: name of a GL_TEXTURE_2D, GL_R32F; its storage must not change while
 *   registered
 *
 * Returns: (transfer full): %NULL with TL_ERROR_UNSUPPORTED, the reason in
 *   words for the badge ("the window's OpenGL is not on the CUDA device")
 */
TlInterop *tl_interop_new (TlFrame *frame, guint texture, GError **error);

/** tl_interop_show: Copies slice @slice of @frame into the texture on the
 * device. GL commands issued afterwards in this context see the copy. Does not
 * block. Returns: %FALSE with TL_ERROR_DEVICE or TL_ERROR_UNSUPPORTED; show the
 * frame through host memory then */
gboolean tl_interop_show (TlInterop *interop, TlFrame *frame, size_t slice,
                          GError **error);

/** tl_interop_free: Call it before the texture or its context is destroyed. */
void tl_interop_free (TlInterop *interop);
