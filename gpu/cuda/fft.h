/* Batched complex transforms, cuFFT's, with their plans kept and one work area
 * for all of them. Owner thread. */
#pragma once

#include "gpu/cuda/buffer.h"

G_BEGIN_DECLS

typedef struct TlCudaFft TlCudaFft;

/** tl_cuda_fft_new: Returns: (transfer full): no plan yet, cannot fail. */
TlCudaFft *tl_cuda_fft_new (TlCudaPool *pool);
void tl_cuda_fft_free (TlCudaFft *fft);

/**
 * tl_cuda_fft_run:
 * @rows_dev: device memory, [@n_rows][@length] complex, in place
 *
 * Queues the transforms, without a factor, in the engine's stream.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
gboolean tl_cuda_fft_run (TlCudaFft *fft, void *rows_dev, size_t length,
                          size_t n_rows, gboolean forward, GError **error);

G_END_DECLS
