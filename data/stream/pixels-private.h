/* The pixels of a message, as they are in a scan. */
#pragma once

#include "data/stream/message-private.h"

/**
 * tl_pixels_check:
 * @part: the pixels of @message, whose shape and type are known
 *
 * Sets what @message says of its pixels.
 *
 * Returns: %FALSE with TL_ERROR_SHAPE if they have another size, or
 *   TL_ERROR_FORMAT if they are packed and damaged
 */
gboolean tl_pixels_check (const TlMessagePart *part, TlMessage *message,
                          GError **error);

/** tl_pixels_find_ready: Returns: (nullable): the pixels, valid until the
 * stream is polled again, if they are in a scan as they are in @message; %NULL:
 * they have to be copied */
const void *tl_pixels_find_ready (const TlMessage *message);

/**
 * tl_pixels_copy:
 * @dest: (out caller-allocates): [n_rows][n_cols] of @message, in native byte
 *   order
 *
 * Returns: %FALSE with TL_ERROR_FORMAT if they are damaged, or TL_ERROR_MEMORY
 */
gboolean tl_pixels_copy (const TlMessage *message, void *dest, GError **error);

/** tl_pixels_can_unpack: Returns: whether this program was built with the
 * library that unpacks Blosc */
gboolean tl_pixels_can_unpack (void);
