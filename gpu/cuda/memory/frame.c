#include "gpu/cuda/memory/frame.h"

#include "data/error.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

static size_t
count_bytes (const TlFrame *frame)
{
  return frame->n_slices * frame->n_rows * frame->n_cols * sizeof (float);
}

/* Any thread. The slot goes back to the pool, which lives while it has frames.
 */
static void
frame_free (TlFrame *frame)
{
  TlCudaFrame *self = (TlCudaFrame *)frame;

  tl_cuda_pool_give_slot (self->pool, self->slot);
  tl_cuda_pool_unref (self->pool);
  g_free (self);
}

static gboolean
frame_wait (TlFrame *frame, GError **error)
{
  TlCudaFrame *self = (TlCudaFrame *)frame;

  return tl_cuda_pool_use (self->pool, error)
         && tl_cuda_check (cudaEventSynchronize (self->slot->ready),
                           _ ("reconstruction"), error);
}

gboolean
tl_cuda_frame_wait_in (TlCudaFrame *frame, cudaStream_t stream,
                       const char *step, GError **error)
{
  return tl_cuda_check (cudaStreamWaitEvent (stream, frame->slot->ready, 0),
                        step, error);
}

/* Copies @n_runs runs of @bytes, whose starts in the slot are @stride bytes
 * apart, in the copy stream, after the slot is written, and waits. */
static gboolean
copy_to_host (TlCudaFrame *self, float *to, const float *from_dev, size_t bytes,
              size_t n_runs, size_t stride, GError **error)
{
  const char *step = _ ("transfer from the device");
  cudaStream_t stream = tl_cuda_pool_get_streams (self->pool)->copy;

  /* one run may be longer than the pitch that CUDA allows */
  return tl_cuda_frame_wait_in (self, stream, step, error)
         && (n_runs == 1
                 ? tl_cuda_pool_copy (self->pool, to, from_dev, bytes, stream,
                                      step, error)
                 : tl_cuda_check (
                     cudaMemcpy2DAsync (to, bytes, from_dev, stride, bytes,
                                        n_runs, cudaMemcpyDeviceToHost, stream),
                     step, error))
         && tl_cuda_check (cudaStreamSynchronize (stream), step, error);
}

static gboolean
frame_fetch (TlFrame *frame, GError **error)
{
  TlCudaFrame *self = (TlCudaFrame *)frame;
  const size_t bytes = count_bytes (frame);

  if (!tl_cuda_pool_use (self->pool, error)
      || !tl_cuda_slot_reserve_host (self->slot, bytes, error)
      || !copy_to_host (self, self->slot->pixels, self->slot->pixels_dev, bytes,
                        1, bytes, error))
    return FALSE;
  g_atomic_pointer_set (&frame->pixels, self->slot->pixels);
  return TRUE;
}

static gboolean
frame_read (TlFrame *frame, size_t first, size_t n, size_t n_runs,
            size_t stride, float *values, GError **error)
{
  TlCudaFrame *self = (TlCudaFrame *)frame;

  return tl_cuda_pool_use (self->pool, error)
         && copy_to_host (self, values, self->slot->pixels_dev + first,
                          n * sizeof *values, n_runs, stride * sizeof *values,
                          error);
}

static const TlFrameClass frame_class = {
  .free = frame_free,
  .wait = frame_wait,
  .fetch = frame_fetch,
  .read = frame_read,
#ifdef TL_CUDA_INTEROP
  .interop_new = tl_cuda_interop_new,
  .interop_show = tl_cuda_interop_show,
  .interop_free = tl_cuda_interop_free,
#endif
};

TlCudaFrame *
tl_cuda_frame_new (TlCudaPool *pool, size_t n_slices, size_t n_rows,
                   size_t n_cols, GError **error)
{
  gsize bytes;

  if (!g_size_checked_mul (&bytes, n_slices, n_rows)
      || !g_size_checked_mul (&bytes, bytes, n_cols)
      || !g_size_checked_mul (&bytes, bytes, sizeof (float)))
    return tl_fail_null (
        error, TL_ERROR_MEMORY,
        _ ("%zu slices of %zu x %zu pixels do not fit in any memory"), n_slices,
        n_rows, n_cols);
  TlCudaSlot *slot = tl_cuda_pool_take_slot (pool, bytes, error);
  if (slot == NULL)
    return NULL;

  TlCudaFrame *self = g_new (TlCudaFrame, 1);
  *self = (TlCudaFrame){
    .frame = {
      .klass = &frame_class,
      .ref_count = 1,
      .n_slices = n_slices,
      .n_rows = n_rows,
      .n_cols = n_cols,
    },
    .pool = tl_cuda_pool_ref (pool),
    .slot = slot,
  };
  return self;
}

gboolean
tl_cuda_frame_finish (TlCudaFrame *frame, GError **error)
{
  return tl_cuda_check (
      cudaEventRecord (frame->slot->ready,
                       tl_cuda_pool_get_streams (frame->pool)->engine),
      _ ("back-projection"), error);
}

TlCudaFrame *
tl_cuda_frame_from (TlFrame *frame)
{
  return frame->klass == &frame_class ? (TlCudaFrame *)frame : NULL;
}

float *
tl_cuda_frame_get_slice (TlCudaFrame *frame, size_t slice)
{
  return frame->slot->pixels_dev
         + slice * frame->frame.n_rows * frame->frame.n_cols;
}
