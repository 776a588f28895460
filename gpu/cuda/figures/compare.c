/* The difference of two frames in device memory. */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/figures.h"
#include "gpu/cuda/memory/frame.h"

#include <glib/gi18n.h>

/* Queues the kernels once both frames are written, and waits for the sums. */
static gboolean
run_kernels (TlCuda *cuda, TlCudaFrame *frame, TlCudaFrame *reference,
             const TlCudaCompareArgs *args, TlCudaSums *sums, GError **error)
{
  const char *step = _ ("comparison of slices");

  return tl_cuda_frame_wait_in (frame, cuda->stream, step, error)
         && tl_cuda_frame_wait_in (reference, cuda->stream, step, error)
         && tl_cuda_check (tl_cuda_compare (args, cuda->stream), step, error)
         && tl_cuda_pool_download (cuda->pool, sums, args->sums, sizeof *sums,
                                   step, error);
}

TlFrame *
tl_cuda_compare_frames (gpointer impl, TlFrame *frame, TlFrame *reference,
                        TlDifferences *sums, GError **error)
{
  TlCuda *cuda = impl;
  TlCudaFrame *a = tl_cuda_frame_from (frame);
  TlCudaFrame *b = tl_cuda_frame_from (reference);
  TlCudaSums of_device;

  g_return_val_if_fail (a != NULL && b != NULL, NULL);

  if (!tl_cuda_pool_use (cuda->pool, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->figures,
                                  tl_cuda_compare_n_sums ()
                                      * sizeof (TlCudaSums),
                                  _ ("the sums of a comparison"), error))
    return NULL;
  TlCudaFrame *self = tl_cuda_frame_new (cuda->pool, frame->n_slices,
                                         frame->n_rows, frame->n_cols, error);
  if (self == NULL)
    return NULL;
  g_autoptr (TlFrame) result = &self->frame;
  const TlCudaCompareArgs args = {
    .pixels = tl_cuda_frame_get_slice (a, 0),
    .reference = tl_cuda_frame_get_slice (b, 0),
    .n = frame->n_slices * frame->n_rows * frame->n_cols,
    .differences = tl_cuda_frame_get_slice (self, 0),
    .sums = cuda->figures.dev,
  };
  if (!run_kernels (cuda, a, b, &args, &of_device, error)
      || !tl_cuda_frame_finish (self, error))
    return NULL;
  *sums = (TlDifferences){
    .n = of_device.n,
    .sum = of_device.sum,
    .sum_2 = of_device.sum_2,
    .difference_2 = of_device.difference_2,
    .max = of_device.max,
    .index = of_device.index,
  };
  return g_steal_pointer (&result);
}
