/* How sharp a frame in device memory is. */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/figures.h"
#include "gpu/cuda/memory/frame.h"
#include "gpu/backend/sharpness.h"

#include <glib/gi18n.h>

G_STATIC_ASSERT (TL_CUDA_QUARTERS == TL_N_QUARTERS);
G_STATIC_ASSERT (TL_CUDA_SHARPNESS_BINS == TL_SHARPNESS_BINS);

static void
convert (const TlCudaSharpness *results, TlSharpnessSums *sums)
{
  *sums = (TlSharpnessSums){
    .n = results->sums.n,
    .sum = results->sums.sum,
    .square = results->sums.square,
    .negative = results->sums.negative,
    .gradient = results->sums.gradient,
  };
  for (size_t bin = 0; bin < TL_SHARPNESS_BINS; bin++)
    sums->histogram[bin] =
        (double)results->histogram[bin] / TL_CUDA_SHARPNESS_UNIT;
}

gboolean
tl_cuda_frame_measure_sharpness (gpointer impl, TlFrame *frame, size_t slice,
                                 const TlSharpnessArgs *args,
                                 TlSharpnessSums *sums, GError **error)
{
  const char *step = _ ("figures of merit of a slice");
  TlCuda *cuda = impl;
  TlCudaFrame *self = tl_cuda_frame_from (frame);
  TlCudaSharpness results[TL_CUDA_QUARTERS];

  g_return_val_if_fail (self != NULL, FALSE);

  TlCudaSharpnessArgs a = {
    .pixels = tl_cuda_frame_get_slice (self, slice),
    .n_rows = frame->n_rows,
    .n_cols = frame->n_cols,
    .radius = args->radius,
    .low = args->low,
    .bins_per_unit = args->bins_per_unit,
    .last_place = TL_SHARPNESS_LAST_PLACE,
  };
  for (guint k = 0; k < TL_N_QUARTERS; k++)
    {
      const TlQuarter q = tl_quarter_get (frame->n_rows, frame->n_cols, k);

      a.quarters[k] =
          (TlCudaQuarter){ q.first_row, q.n_rows, q.first_col, q.n_cols };
    }
  if (!tl_cuda_pool_use (cuda->pool, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->figures,
                                  sizeof results
                                      + tl_cuda_sharpness_n_partials (&a)
                                            * sizeof (TlCudaSharpnessSums),
                                  _ ("the sums for the figures of merit"),
                                  error))
    return FALSE;
  a.results = cuda->figures.dev;
  a.partials = (TlCudaSharpnessSums *)(a.results + TL_CUDA_QUARTERS);
  if (!tl_cuda_frame_wait_in (self, cuda->stream, step, error)
      || !tl_cuda_check (tl_cuda_measure_sharpness (&a, cuda->stream), step,
                         error)
      || !tl_cuda_pool_download (cuda->pool, results, a.results, sizeof results,
                                 step, error))
    return FALSE;
  for (guint k = 0; k < TL_N_QUARTERS; k++)
    convert (&results[k], &sums[k]);
  return TRUE;
}
