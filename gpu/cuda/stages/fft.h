/* Batched transforms of padded lines by cuFFT. Plans are kept and share one
 * work area. Owner thread.
 *
 * Lines are stored in rows, tl_cuda_fft_row_floats() apart, and are transformed
 * in place:
 *
 *   pairs  lines 2m and 2m + 1 are the real and the imaginary part of row m,
 *          [length] complex before and after; for a filter with a real impulse
 *          response they stay apart
 *   real   line m is row m, [length] real, then [length / 2 + 1] complex
 */
#pragma once

#include "gpu/cuda/memory/buffer.h"
#include "gpu/backend/variant.h"

typedef struct TlCudaFft TlCudaFft;

/** tl_cuda_fft_new: Returns: (transfer full): without any plan yet; never
 * %NULL. */
TlCudaFft *tl_cuda_fft_new (TlCudaPool *pool);
void tl_cuda_fft_free (TlCudaFft *fft);

/** tl_cuda_fft_row_lines: Returns: the number of lines in a row: 2 for pairs,
 * else 1. */
size_t tl_cuda_fft_row_lines (TlTransform transform);

/** tl_cuda_fft_row_floats: Returns: the distance from one row to the next,
 * floats; a multiple of 4, so that kernels can access rows 16 bytes at a time
 */
size_t tl_cuda_fft_row_floats (TlTransform transform, size_t length);

/**
 * tl_cuda_fft_run:
 * @rows_dev: device memory, @n_rows rows of lines padded to @length
 *
 * Queues the unscaled transforms in the engine's stream.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
gboolean tl_cuda_fft_run (TlCudaFft *fft, TlTransform transform, void *rows_dev,
                          size_t length, size_t n_rows, gboolean forward,
                          GError **error);
