/* The histogram of a slice in device memory. */
#include "gpu/cuda/figures/figures.h"
#include "gpu/cuda/figures/launchers.h"
#include "gpu/cuda/memory/frame.h"

#include <glib/gi18n.h>
#include <string.h>

G_STATIC_ASSERT (TL_CUDA_BINS == TL_HISTOGRAM_BINS);

gboolean
tl_cuda_frame_measure (gpointer impl, TlFrame *frame, size_t slice,
                       TlStats *stats, GError **error)
{
  static const char step[] = "histogram";
  TlCuda *cuda = impl;
  TlCudaFrame *self = tl_cuda_frame_from (frame);
  const TlCudaFigures *figures = cuda->figures_pinned;

  g_return_val_if_fail (self != NULL, FALSE);

  if (!tl_cuda_pool_use (cuda->pool, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->figures,
                                  tl_cuda_measure_n_figures ()
                                      * sizeof (TlCudaFigures),
                                  _ ("the histogram"), error))
    return FALSE;
  const TlCudaMeasureArgs args = {
    .pixels = tl_cuda_frame_get_slice (self, slice),
    .n = frame->n_rows * frame->n_cols,
    .figures = cuda->figures.dev,
  };
  if (!tl_cuda_frame_wait_in (self, cuda->stream, step, error)
      || !tl_cuda_check (tl_cuda_measure (&args, cuda->stream), step, error)
      || !tl_cuda_pool_download (cuda->pool, cuda->figures_pinned,
                                 cuda->figures.dev, sizeof *figures, step,
                                 error))
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
