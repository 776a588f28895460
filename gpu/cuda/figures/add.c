/* The weighted sum of two frames in device memory. */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/figures.h"
#include "gpu/cuda/memory/frame.h"

#include <glib/gi18n.h>

/* Queues the kernel once both frames are written. */
static gboolean
run_kernel (TlCuda *cuda, TlCudaFrame *frame, TlCudaFrame *more,
            const TlCudaAddArgs *args, GError **error)
{
  const char *step = _ ("sum of slices");

  return tl_cuda_frame_wait_in (frame, cuda->stream, step, error)
         && tl_cuda_frame_wait_in (more, cuda->stream, step, error)
         && tl_cuda_check (tl_cuda_add (args, cuda->stream), step, error);
}

TlFrame *
tl_cuda_add_frames (gpointer impl, TlFrame *frame, float factor, TlFrame *more,
                    GError **error)
{
  TlCuda *cuda = impl;
  TlCudaFrame *a = tl_cuda_frame_from (frame);
  TlCudaFrame *b = tl_cuda_frame_from (more);

  g_return_val_if_fail (a != NULL && b != NULL, NULL);

  if (!tl_cuda_pool_use (cuda->pool, error))
    return NULL;
  TlCudaFrame *self = tl_cuda_frame_new (cuda->pool, frame->n_slices,
                                         frame->n_rows, frame->n_cols, error);
  if (self == NULL)
    return NULL;
  g_autoptr (TlFrame) result = &self->frame;
  const TlCudaAddArgs args = {
    .pixels = tl_cuda_frame_get_slice (a, 0),
    .more = tl_cuda_frame_get_slice (b, 0),
    .factor = factor,
    .n = frame->n_slices * frame->n_rows * frame->n_cols,
    .sum = tl_cuda_frame_get_slice (self, 0),
  };
  if (!run_kernel (cuda, a, b, &args, error)
      || !tl_cuda_frame_finish (self, error))
    return NULL;
  return g_steal_pointer (&result);
}
