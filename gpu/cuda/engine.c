/* The CUDA backend: one stream in which the stages are queued, buffers that
 * stay, an event at both ends of each stage. */
#include "data/error.h"
#include "gpu/cuda/cuda-private.h"
#include "gpu/cuda/frame.h"
#include "gpu/cuda/probe.h"
#include "gpu/cuda/variants.h"

#include <cuda_runtime_api.h>
#include <gmodule.h>
#include <string.h>

G_STATIC_ASSERT (TL_CUDA_BINS == TL_HISTOGRAM_BINS);

/* --- opening and closing --- */

static void
cuda_close (gpointer impl)
{
  TlCuda *cuda = impl;
  TlCudaBuffer *const buffers[] = {
    &cuda->samples,   &cuda->dark,      &cuda->flat_first, &cuda->flat_last,
    &cuda->left_col,  &cuda->right_col, &cuda->mix,        &cuda->rays,
    &cuda->corrected, &cuda->weights,   &cuda->spectrum,   &cuda->peak,
    &cuda->response,  &cuda->factors,   &cuda->batch,      &cuda->figures,
    &cuda->n_busy,
  };

  if (cuda->pool != NULL)
    {
      /* a lost device makes all of this fail, and nothing can be done about
       * it */
      cudaStreamSynchronize (cuda->stream);
      for (size_t i = 0; i < G_N_ELEMENTS (buffers); i++)
        tl_cuda_buffer_clear (cuda->pool, buffers[i]);
      tl_cuda_sinogram_clear (cuda->pool, &cuda->sinogram);
      g_clear_pointer (&cuda->fft, tl_cuda_fft_free);
      if (cuda->figures_pinned != NULL)
        cudaFreeHost (cuda->figures_pinned);
      for (guint i = 0; i < TL_N_STAGES; i++)
        {
          if (cuda->start[i] != NULL)
            cudaEventDestroy (cuda->start[i]);
          if (cuda->stop[i] != NULL)
            cudaEventDestroy (cuda->stop[i]);
        }
      cudaGetLastError ();
      tl_cuda_pool_unref (cuda->pool);
    }
  g_free (cuda);
}

static gboolean
make_counters (TlCuda *cuda, GError **error)
{
  static const char step[] = "start";
  int n = 0;

  if (!tl_cuda_check (
          cudaDeviceGetAttribute (&n, cudaDevAttrMultiProcessorCount,
                                  tl_cuda_pool_get_device (cuda->pool)),
          step, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->n_busy,
                                  (size_t)n * sizeof (unsigned),
                                  "the counters of blocks", error))
    return FALSE;
  cuda->n_counters = (unsigned)n;
  return tl_cuda_check (cudaMemsetAsync (cuda->n_busy.dev, 0,
                                         (size_t)n * sizeof (unsigned),
                                         cuda->stream),
                        step, error);
}

static gboolean
init (TlCuda *cuda, GError **error)
{
  static const char step[] = "start";

  cuda->pool = tl_cuda_pool_new (TL_CUDA_DEVICE, error);
  if (cuda->pool == NULL)
    return FALSE;
  cuda->stream = tl_cuda_pool_get_stream (cuda->pool);
  cuda->fft = tl_cuda_fft_new (cuda->pool);
  cuda->figures_pinned = tl_cuda_pinned_alloc (sizeof *cuda->figures_pinned,
                                               "the histogram", error);
  if (cuda->figures_pinned == NULL)
    return FALSE;
  for (guint i = 0; i < TL_N_STAGES; i++)
    {
      if (!tl_cuda_check (cudaEventCreate (&cuda->start[i]), step, error)
          || !tl_cuda_check (cudaEventCreate (&cuda->stop[i]), step, error))
        return FALSE;
    }
  return make_counters (cuda, error);
}

static gpointer
cuda_open (GError **error)
{
  TlCuda *cuda = g_new0 (TlCuda, 1);

  if (!init (cuda, error))
    g_clear_pointer (&cuda, cuda_close);
  return cuda;
}

/* --- times --- */

gboolean
tl_cuda_begin_stage (TlCuda *cuda, TlStage stage, GError **error)
{
  cuda->is_timed[stage] = FALSE;
  return tl_cuda_pool_use (cuda->pool, error)
         && tl_cuda_check (cudaEventRecord (cuda->start[stage], cuda->stream),
                           "measurement of time", error);
}

gboolean
tl_cuda_end_stage (TlCuda *cuda, TlStage stage, GError **error)
{
  cuda->is_timed[stage] =
      tl_cuda_check (cudaEventRecord (cuda->stop[stage], cuda->stream),
                     "measurement of time", error);
  return cuda->is_timed[stage];
}

static gboolean
get_times (gpointer impl, double ms[TL_N_STAGES], GError **error)
{
  static const char step[] = "work before the question for times";
  TlCuda *cuda = impl;

  for (guint i = 0; i < TL_N_STAGES; i++)
    {
      float elapsed_ms = 0.0f;

      if (cuda->is_timed[i]
          && (!tl_cuda_check (cudaEventSynchronize (cuda->stop[i]), step, error)
              || !tl_cuda_check (cudaEventElapsedTime (&elapsed_ms,
                                                       cuda->start[i],
                                                       cuda->stop[i]),
                                 step, error)))
        return FALSE;
      ms[i] = elapsed_ms;
    }
  return TRUE;
}

/* --- asking --- */

static gboolean
measure (gpointer impl, TlFrame *frame, size_t slice, TlStats *stats,
         GError **error)
{
  static const char step[] = "histogram";
  TlCuda *cuda = impl;
  TlCudaFrame *self = tl_cuda_frame_from (frame);
  const TlCudaFigures *figures = cuda->figures_pinned;
  TlCudaMeasureArgs args;

  g_return_val_if_fail (self != NULL, FALSE);

  if (!tl_cuda_pool_use (cuda->pool, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->figures,
                                  tl_cuda_measure_n_figures ()
                                      * sizeof (TlCudaFigures),
                                  "the histogram", error))
    return FALSE;
  args = (TlCudaMeasureArgs){
    .pixels = tl_cuda_frame_get_slice (self, slice),
    .n = frame->n_rows * frame->n_cols,
    .figures = cuda->figures.dev,
  };
  if (!tl_cuda_check (cudaStreamWaitEvent (cuda->stream, self->slot->ready, 0),
                      step, error)
      || !tl_cuda_check (tl_cuda_measure (&args, cuda->stream), step, error)
      || !tl_cuda_check (cudaMemcpyAsync (cuda->figures_pinned,
                                          cuda->figures.dev, sizeof *figures,
                                          cudaMemcpyDeviceToHost, cuda->stream),
                         step, error)
      || !tl_cuda_check (cudaStreamSynchronize (cuda->stream), step, error))
    return FALSE;

  *stats = (TlStats){ 0 };
  if (figures->n == 0)
    return TRUE;
  stats->min = figures->min;
  stats->max = figures->max;
  stats->mean = figures->sum / (double)figures->n;
  memcpy (stats->histogram, figures->histogram, sizeof stats->histogram);
  return TRUE;
}

static gboolean
read_corrected (gpointer impl, float *dest, GError **error)
{
  static const char step[] = "transfer of the corrected projections";
  TlCuda *cuda = impl;
  const size_t n = cuda->n_projections * cuda->n_rows * cuda->n_cols;

  return tl_cuda_pool_use (cuda->pool, error)
         && tl_cuda_check (
             cudaMemcpyAsync (dest, cuda->corrected.dev, n * sizeof (float),
                              cudaMemcpyDeviceToHost, cuda->stream),
             step, error)
         && tl_cuda_check (cudaStreamSynchronize (cuda->stream), step, error);
}

static size_t
get_memory (gpointer impl)
{
  TlCuda *cuda = impl;

  return tl_cuda_pool_get_bytes (cuda->pool);
}

static const TlBackend backend = {
  .name = "cuda",
  .probe = tl_cuda_probe,
  .open = cuda_open,
  .close = cuda_close,
  .list_variants = tl_cuda_list_variants,
  .upload = tl_cuda_upload,
  .correct = tl_cuda_correct,
  .transform = tl_cuda_transform,
  .filter = tl_cuda_filter,
  .backproject = tl_cuda_backproject,
  .measure = measure,
  .read_corrected = read_corrected,
  .get_times = get_times,
  .get_memory = get_memory,
};

G_MODULE_EXPORT const TlBackend *tl_cuda_get_backend (guint version);

const TlBackend *
tl_cuda_get_backend (guint version)
{
  return version == TL_BACKEND_VERSION ? &backend : NULL;
}
