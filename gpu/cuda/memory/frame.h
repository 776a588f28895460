/* Frames in device memory. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/cuda/memory/buffer.h"

G_BEGIN_DECLS

typedef struct
{
  TlFrame frame;
  TlCudaPool *pool;
  TlCudaSlot *slot;
} TlCudaFrame;

/**
 * tl_cuda_frame_new:
 *
 * Pixels are undefined; the engine's stream writes them. Owner thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
TlCudaFrame *tl_cuda_frame_new (TlCudaPool *pool, size_t n_slices,
                                size_t n_rows, size_t n_cols, GError **error);

/**
 * tl_cuda_frame_finish:
 *
 * To be called once all that writes the pixels is queued. Owner thread.
 */
gboolean tl_cuda_frame_finish (TlCudaFrame *frame, GError **error);

/** tl_cuda_frame_from: Returns: (nullable): %NULL: another backend's. */
TlCudaFrame *tl_cuda_frame_from (TlFrame *frame);

/** tl_cuda_frame_get_slice: Returns: device memory, [n_rows][n_cols]. */
float *tl_cuda_frame_get_slice (TlCudaFrame *frame, size_t slice);

/* For the frame's table of functions; gpu/backend/interop.h has the rules. */
gpointer tl_cuda_interop_new (TlFrame *frame, guint texture, GError **error);
gboolean tl_cuda_interop_show (gpointer interop, TlFrame *frame, size_t slice,
                               GError **error);
void tl_cuda_interop_free (gpointer interop);

G_END_DECLS
