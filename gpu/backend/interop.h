/* CUDA-OpenGL interop: a GL texture that an engine fills without a copy through
 * host memory. The renderer owns the texture, the engine's module owns the
 * registration. Every function needs the GL context, or one that shares with
 * it, to be current on the calling thread. */
#pragma once

#include "gpu/backend/frame.h"

typedef struct TlInterop TlInterop;

/**
 * tl_interop_new:
 * @texture: name of a GL_TEXTURE_2D, GL_R32F, which takes one slice, or with
 *   @is_volume of a GL_TEXTURE_3D, GL_R32F, which takes all slices of a frame.
 *   Its storage must not change between tl_interop_show() and
 *   tl_interop_release()
 *
 * Returns: (transfer full): for tl_interop_show(), which registers the texture
 */
TlInterop *tl_interop_new (guint texture, gboolean is_volume);

/** tl_interop_free: Call it before the texture or its context is destroyed. */
void tl_interop_free (TlInterop *interop);

/**
 * tl_interop_show:
 * @slice: that is shown; 0 for all of a volume
 *
 * Copies the pixels into the texture on the device. GL commands issued
 * afterwards in this context see the copy. Does not block. Interop that an
 * engine has refused is not tried again.
 *
 * Returns: %FALSE if the frame has to be shown through host memory, for the
 *   reason that tl_interop_get_path() names
 */
gboolean tl_interop_show (TlInterop *interop, TlFrame *frame, size_t slice);

/** tl_interop_release: Call it before the storage of the texture changes: the
 * next tl_interop_show() registers the texture again. */
void tl_interop_release (TlInterop *interop);

/** tl_interop_get_path: Returns: (transfer none) (nullable): how the last frame
 * came, for the badge: "interop", or "copy: " and the reason ("the window's
 * OpenGL is not on the CUDA device"); valid until the next frame; %NULL before
 * the first */
const char *tl_interop_get_path (const TlInterop *interop);

/** tl_interop_is_used: Returns: what the last tl_interop_show() did */
gboolean tl_interop_is_used (const TlInterop *interop);
