/* A projection in small, by which a scan is known again. */
#pragma once

#include "data/read/reader.h"

/**
 * tl_small_projection_read:
 * @size: of the longer side, in pixels; a smaller projection stays as it is
 * @n_rows, @n_cols: (out): of the picture
 *
 * Reads the middle projection, and of a scan of a single row its sinogram, as
 * they are in the file. A pixel is the mean of the samples that it covers. Any
 * thread.
 *
 * Returns: (transfer full): [@n_rows][@n_cols]: %NULL with TL_ERROR_UNSUPPORTED
 *   for more than 100 million samples, with TL_ERROR_MEMORY, or with an error
 * of the reader
 */
float *tl_small_projection_read (TlReader *reader, size_t size, size_t *n_rows,
                                 size_t *n_cols, GError **error);
