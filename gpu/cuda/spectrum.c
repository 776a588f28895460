/* The stages "transform" and "filter", some projections at a time. */
#include "gpu/cuda/cuda-private.h"
#include "gpu/cuda/filter.h"
#include "gpu/cuda/pack.h"
#include "gpu/cuda/variants.h"

#include <cuda_runtime_api.h>

/* Complex values that are transformed, and filtered, in one go: 128 MB bound
 * the memory for what is between two steps, and fill any device. */
#define BATCH_VALUES ((size_t)1 << 24)

/* Some projections, an even number of lines unless the last. */
typedef struct
{
  size_t first_projection, n_projections;
  size_t first_line, n_lines;
  size_t n_complex_rows;
} Batch;

/* How many projections of a batch: an even number, so that no complex row is
 * shared by two batches. */
static size_t
count_batch_projections (const TlCuda *cuda, size_t length)
{
  const size_t n_lines = 2 * MAX (BATCH_VALUES / length, 1);

  return MIN (MAX (n_lines / cuda->n_rows / 2 * 2, 2), cuda->n_projections);
}

static Batch
get_batch (const TlCuda *cuda, size_t length, size_t first_projection)
{
  const size_t n = MIN (count_batch_projections (cuda, length),
                        cuda->n_projections - first_projection);

  return (Batch){
    .first_projection = first_projection,
    .n_projections = n,
    .first_line = first_projection * cuda->n_rows,
    .n_lines = n * cuda->n_rows,
    .n_complex_rows = (n * cuda->n_rows + 1) / 2,
  };
}

static size_t
complex_bytes (size_t n_rows, size_t length)
{
  return n_rows * length * 2 * sizeof (float);
}

/* The complex row in which @batch begins. */
static float *
get_spectrum (const TlCuda *cuda, const Batch *batch, size_t length)
{
  return (float *)cuda->spectrum.dev + batch->first_line * length;
}

static unsigned
log2_of (size_t length)
{
  return (unsigned)g_bit_nth_lsf (length, -1);
}

static gboolean
reserve_spectrum (TlCuda *cuda, const TlTransformArgs *args, GError **error)
{
  const size_t n_lines = cuda->n_projections * cuda->n_rows;

  return tl_cuda_buffer_upload (cuda->pool, &cuda->weights, args->weights,
                                cuda->n_projections * sizeof (float),
                                "the angular weights", error)
         && tl_cuda_buffer_reserve (
             cuda->pool, &cuda->spectrum,
             complex_bytes ((n_lines + 1) / 2, args->length),
             "the spectra of the projections", error)
         && tl_cuda_buffer_reserve (cuda->pool, &cuda->peak, sizeof (unsigned),
                                    "the largest value", error);
}

static gboolean
transform_batch (TlCuda *cuda, const TlTransformArgs *args, const Batch *batch,
                 GError **error)
{
  float *rows = get_spectrum (cuda, batch, args->length);
  const TlCudaPadArgs pad = {
    .n_rows = cuda->n_rows,
    .n_cols = cuda->n_cols,
    .first_line = batch->first_line,
    .n_lines = batch->n_lines,
    .length_log2 = log2_of (args->length),
    .repeats_edge = args->padding == TL_PADDING_EDGE,
    .corrected = cuda->corrected.dev,
    .weights = cuda->weights.dev,
    .rows = rows,
    .peak = cuda->peak.dev,
  };

  return tl_cuda_check (tl_cuda_pad (&pad, cuda->stream),
                        "padding of the projections", error)
         && tl_cuda_fft_run (cuda->fft, rows, args->length,
                             batch->n_complex_rows, TRUE, error);
}

gboolean
tl_cuda_transform (gpointer impl, const TlTransformArgs *args,
                   GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;
  Batch batch;

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_TRANSFORM, error)
      || !reserve_spectrum (cuda, args, error)
      || !tl_cuda_check (
          cudaMemsetAsync (cuda->peak.dev, 0, sizeof (unsigned), cuda->stream),
          "padding of the projections", error))
    return FALSE;
  for (size_t p = 0; p < cuda->n_projections; p += batch.n_projections)
    {
      batch = get_batch (cuda, args->length, p);
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !transform_batch (cuda, args, &batch, error))
        return FALSE;
    }
  return tl_cuda_end_stage (cuda, TL_STAGE_TRANSFORM, error);
}

/* Response and shift, on the device. */
static gboolean
make_factors (TlCuda *cuda, const TlFilterArgs *args, GError **error)
{
  const size_t n = args->length / 2 + 1;
  TlCudaFactorsArgs factors;

  if (!tl_cuda_buffer_upload (cuda->pool, &cuda->response, args->response,
                              n * sizeof (float), "the filter", error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->factors,
                                  n * 2 * sizeof (float), "the filter", error))
    return FALSE;
  factors = (TlCudaFactorsArgs){
    .length_log2 = log2_of (args->length),
    .shift_cols = args->shift_cols,
    .response = cuda->response.dev,
    .factors = cuda->factors.dev,
  };
  return tl_cuda_check (tl_cuda_factors (&factors, cuda->stream),
                        "preparation of the filter", error);
}

static gboolean
pack_batch (TlCuda *cuda, const TlFilterArgs *args, const Batch *batch,
            GError **error)
{
  const TlCudaLayout layouts[] = { cuda->sinogram.layout,
                                   cuda->sinogram.cells };

  for (size_t i = 0; i < cuda->sinogram.n_groups * 2; i++)
    {
      const TlCudaSinogramGroup *group = &cuda->sinogram.groups[i / 2];
      const TlCudaPackArgs pack = {
        .layout = layouts[i % 2],
        .n_rows = cuda->n_rows,
        .n_cols = cuda->n_cols,
        .first_projection = batch->first_projection,
        .n_projections = batch->n_projections,
        .first_row = i / 2 * args->variant->n_slices,
        .length_log2 = log2_of (args->length),
        .lines = cuda->batch.dev,
        .peak = cuda->peak.dev,
        .cells = i % 2 == 0 ? NULL : group->cells.dev,
        .surface = group->surface,
      };

      if (pack.layout != TL_CUDA_LAYOUT_NONE
          && !tl_cuda_check (tl_cuda_pack (&pack, cuda->stream),
                             "storing of filtered rows", error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
filter_batch (TlCuda *cuda, const TlFilterArgs *args, const Batch *batch,
              GError **error)
{
  const TlCudaMultiplyArgs multiply = {
    .n_rows = batch->n_complex_rows,
    .length_log2 = log2_of (args->length),
    .factors = cuda->factors.dev,
    .from = get_spectrum (cuda, batch, args->length),
    .to = cuda->batch.dev,
  };

  return tl_cuda_check (tl_cuda_multiply (&multiply, cuda->stream), "filter",
                        error)
         && tl_cuda_fft_run (cuda->fft, cuda->batch.dev, args->length,
                             batch->n_complex_rows, FALSE, error)
         && pack_batch (cuda, args, batch, error);
}

gboolean
tl_cuda_filter (gpointer impl, const TlFilterArgs *args,
                GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;
  const TlCudaKernel *kernel = tl_cuda_find_kernel (args->variant);
  const guint n_slices = args->variant->n_slices;
  Batch batch = get_batch (cuda, args->length, 0);

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_FILTER, error)
      || !tl_cuda_sinogram_reserve (
          cuda->pool, &cuda->sinogram, kernel, cuda->n_projections,
          cuda->n_cols, (cuda->n_rows + n_slices - 1) / n_slices, error)
      || !tl_cuda_buffer_reserve (
          cuda->pool, &cuda->batch,
          complex_bytes (batch.n_complex_rows, args->length),
          "the filtered projections", error)
      || !make_factors (cuda, args, error))
    return FALSE;
  for (size_t p = 0; p < cuda->n_projections; p += batch.n_projections)
    {
      batch = get_batch (cuda, args->length, p);
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !filter_batch (cuda, args, &batch, error))
        return FALSE;
    }
  return tl_cuda_end_stage (cuda, TL_STAGE_FILTER, error);
}
