/* Frames in device memory. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/cuda/memory/buffer.h"

typedef struct
{
  TlFrame frame;
  TlCudaPool *pool;
  TlCudaSlot *slot;
} TlCudaFrame;

/** tl_cuda_frame_new: Makes a frame whose pixels are undefined until work in
 * the engine's stream writes them. Owner thread. Returns: (transfer full):
 * %NULL with TL_ERROR_MEMORY or TL_ERROR_DEVICE */
TlCudaFrame *tl_cuda_frame_new (TlCudaPool *pool, size_t n_slices,
                                size_t n_rows, size_t n_cols, GError **error);

/** tl_cuda_frame_finish: Marks the frame as complete; call it once after all
 * work that writes the pixels is queued. Owner thread. */
gboolean tl_cuda_frame_finish (TlCudaFrame *frame, GError **error);

/** tl_cuda_frame_wait_in: Lets what is queued in @stream from now on wait until
 * the frame is complete. Any thread. Returns: %FALSE with TL_ERROR_DEVICE,
 * which names @step */
gboolean tl_cuda_frame_wait_in (TlCudaFrame *frame, struct CUstream_st *stream,
                                const char *step, GError **error);

/** tl_cuda_frame_from: Returns: (transfer none) (nullable): @frame as a frame
 * of this backend; %NULL if it belongs to another one. */
TlCudaFrame *tl_cuda_frame_from (TlFrame *frame);

/** tl_cuda_frame_get_slice: Returns: (transfer none): slice @slice in device
 * memory, [n_rows][n_cols]. */
float *tl_cuda_frame_get_slice (TlCudaFrame *frame, size_t slice);

/* For the frame's table of functions; gpu/backend/interop.h has the rules. */
gpointer tl_cuda_interop_new (TlFrame *frame, guint texture, gboolean is_volume,
                              GError **error);
gboolean tl_cuda_interop_show (gpointer interop, TlFrame *frame, size_t slice,
                               GError **error);
void tl_cuda_interop_free (gpointer interop);
