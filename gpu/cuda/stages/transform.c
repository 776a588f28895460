/* The stages "transform" and "filter", some projections at a time. */
#include "gpu/cuda/stages/fft.h"
#include "gpu/cuda/stages/stages.h"
#include "gpu/cuda/stages/launchers.h"
#include "gpu/cuda/backproject/variants.h"

#include "data/array.h"
#include "gpu/stages/fourier.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>
#include <math.h>

/* Floats of one batch: 16 MB, so that what one step writes is still in the
 * cache of a large device (50 MB, of which half is near a multiprocessor) when
 * the next step reads it. That is enough rows to fill any device. */
#define BATCH_FLOATS ((size_t)1 << 22)

/* Some projections. Their number of lines is even, except in the last batch. */
typedef struct
{
  size_t first_projection, n_projections;
  size_t first_row, n_rows; /* of fft.h */
} Batch;

/* Returns: how many projections a batch has; the last batch may have fewer. The
 * number is even, so that two batches never share a row. */
static size_t
count_batch_projections (const TlCuda *cuda, size_t length)
{
  const size_t max = MAX (BATCH_FLOATS / length / cuda->n_rows, 2);
  const size_t n_batches = (cuda->n_projections + max - 1) / max;
  const size_t n = (cuda->n_projections + n_batches - 1) / n_batches;

  return MIN (n + n % 2, cuda->n_projections);
}

/* Returns: how many rows @n_lines lines fill; fft.h explains rows and lines. */
static size_t
count_rows (size_t n_lines, TlTransform transform)
{
  const size_t row_lines = tl_cuda_fft_row_lines (transform);

  return (n_lines + row_lines - 1) / row_lines;
}

/* Returns: how many frequencies a row has */
static size_t
count_frequencies (TlTransform transform, size_t length)
{
  return transform == TL_TRANSFORM_PAIRS ? length : length / 2 + 1;
}

static Batch
get_batch (const TlCuda *cuda, size_t length, size_t first_projection)
{
  const size_t n = MIN (count_batch_projections (cuda, length),
                        cuda->n_projections - first_projection);

  return (Batch){
    .first_projection = first_projection,
    .n_projections = n,
    .first_row = count_rows (first_projection * cuda->n_rows, cuda->transform),
    .n_rows = count_rows (n * cuda->n_rows, cuda->transform),
  };
}

static size_t
count_row_bytes (size_t row_floats, gboolean in_halves)
{
  return row_floats * (in_halves ? sizeof (guint16) : sizeof (float));
}

/* Returns: device, the spectra of a batch, floats or halves */
static void *
find_spectrum (const TlCuda *cuda, size_t row_floats, const Batch *batch)
{
  return (char *)cuda->spectrum.dev
         + batch->first_row * count_row_bytes (row_floats, cuda->in_halves);
}

/* Returns: (nullable): device, the units of its rows; %NULL for floats */
static float *
find_units (const TlCuda *cuda, const Batch *batch)
{
  return cuda->in_halves ? (float *)cuda->units.dev + batch->first_row : NULL;
}

/* --- transform --- */

/* Halves are made of a batch of floats. */
static gboolean
reserve_halves (TlCuda *cuda, const TlTransformArgs *args, size_t n_rows,
                GError **error)
{
  return tl_cuda_buffer_reserve (cuda->pool, &cuda->units,
                                 n_rows * sizeof (float),
                                 _ ("the spectra of the projections"), error)
         && tl_cuda_buffer_reserve (
             cuda->pool, &cuda->batch,
             get_batch (cuda, args->length, 0).n_rows
                 * tl_cuda_fft_row_floats (args->transform, args->length)
                 * sizeof (float),
             _ ("the spectra of the projections"), error);
}

/* Frees the buffer of floats before it allocates the smaller one of halves. */
static gboolean
reserve_spectrum (TlCuda *cuda, const TlTransformArgs *args, GError **error)
{
  const size_t n_rows =
      count_rows (cuda->n_projections * cuda->n_rows, args->transform);
  const size_t bytes =
      n_rows
      * count_row_bytes (tl_cuda_fft_row_floats (args->transform, args->length),
                         args->in_halves);

  if (args->in_halves && !cuda->in_halves && cuda->spectrum.bytes > bytes)
    tl_cuda_buffer_give_back (cuda->pool, &cuda->spectrum);
  cuda->transform = args->transform;
  cuda->in_halves = args->in_halves;
  return tl_cuda_upload_cache_upload (cuda->pool, &cuda->weights, args->weights,
                                      cuda->n_projections * sizeof (float),
                                      _ ("the angular weights"), error)
         && tl_cuda_buffer_reserve (cuda->pool, &cuda->spectrum, bytes,
                                    _ ("the spectra of the projections"), error)
         && (!args->in_halves || reserve_halves (cuda, args, n_rows, error));
}

/* Uploads the weights in single precision, if there are any. */
static gboolean
upload_col_weights (TlCuda *cuda, const TlTransformArgs *args, GError **error)
{
  const size_t n = cuda->n_rows * cuda->n_cols;
  g_autofree float *weights = NULL;

  if (args->col_weights == NULL)
    return TRUE;
  weights = tl_try_alloc (1, cuda->n_rows, cuda->n_cols, sizeof (float),
                          _ ("the weights of the columns"), error);
  if (weights == NULL)
    return FALSE;
  for (size_t i = 0; i < n; i++)
    weights[i] = (float)args->col_weights[i];
  return tl_cuda_upload_cache_upload (cuda->pool, &cuda->col_weights, weights,
                                      n * sizeof (float),
                                      _ ("the weights of the columns"), error);
}

/* @rows: device, the spectra of the batch */
static gboolean
halve_batch (TlCuda *cuda, const TlTransformArgs *args, const Batch *batch,
             const float *rows, GError **error)
{
  const size_t row_floats =
      tl_cuda_fft_row_floats (args->transform, args->length);
  const TlCudaHalveArgs halve = {
    .n_rows = batch->n_rows,
    .n_frequencies = count_frequencies (args->transform, args->length),
    .row_floats = row_floats,
    .from = rows,
    .to = find_spectrum (cuda, row_floats, batch),
    .units = find_units (cuda, batch),
  };

  return tl_cuda_check (tl_cuda_halve (&halve, cuda->stream),
                        _ ("storing of the spectra"), error);
}

static gboolean
transform_batch (TlCuda *cuda, const TlTransformArgs *args, const Batch *batch,
                 GError **error)
{
  const size_t row_floats =
      tl_cuda_fft_row_floats (args->transform, args->length);
  float *rows = cuda->in_halves ? cuda->batch.dev
                                : find_spectrum (cuda, row_floats, batch);
  const TlCudaPadArgs pad = {
    .n_projections = batch->n_projections,
    .n_rows = cuda->n_rows,
    .n_cols = cuda->n_cols,
    .first_col = args->span.first_col,
    .line_cols = args->span.n_cols,
    .length = args->length,
    .repeats_edge = args->padding == TL_PADDING_EDGE,
    .corrected = cuda->attenuation
                 + batch->first_projection * cuda->n_rows * cuda->n_cols,
    .weights =
        (const float *)cuda->weights.buffer.dev + batch->first_projection,
    .col_weights =
        args->col_weights != NULL ? cuda->col_weights.buffer.dev : NULL,
    .pairs = args->transform == TL_TRANSFORM_PAIRS,
    .row_floats = row_floats,
    .rows = rows,
    .peak = cuda->peak.dev,
  };

  return tl_cuda_check (tl_cuda_pad (&pad, cuda->stream),
                        _ ("padding of the projections"), error)
         && tl_cuda_fft_run (cuda->fft, args->transform, rows, args->length,
                             batch->n_rows, TRUE, error)
         && (!cuda->in_halves || halve_batch (cuda, args, batch, rows, error));
}

gboolean
tl_cuda_transform (gpointer impl, const TlTransformArgs *args,
                   GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;
  Batch batch;

  /* The peak is that of these rows alone: other weights of the columns, as of a
   * moved axis, must not leave theirs. */
  if (!tl_cuda_begin_stage (cuda, TL_STAGE_TRANSFORM, error)
      || !tl_cuda_check (
          cudaMemsetAsync (cuda->peak.dev, 0, sizeof (unsigned), cuda->stream),
          _ ("padding of the projections"), error)
      || !reserve_spectrum (cuda, args, error)
      || !upload_col_weights (cuda, args, error))
    return FALSE;
  cuda->row_cols = args->span.n_cols;
  for (size_t p = 0; p < cuda->n_projections; p += batch.n_projections)
    {
      batch = get_batch (cuda, args->length, p);
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !transform_batch (cuda, args, &batch, error))
        return FALSE;
    }
  return tl_cuda_end_stage (cuda, TL_STAGE_TRANSFORM, error);
}

/* --- filter --- */

static TlCudaPackArgs
make_pack_args (const TlCuda *cuda, const TlFilterArgs *args,
                const float *lines, size_t first_ray, size_t n_rays)
{
  const TlFold *fold = args->fold;

  return (TlCudaPackArgs){
    .n_rows = cuda->n_rows,
    .n_cols = cuda->row_cols,
    .first_ray = first_ray,
    .n_rays = n_rays,
    .n_groups = 1,
    .group_rows = fold != NULL ? 1 : args->variant->n_slices,
    .lines = lines,
    .line_stride = tl_cuda_fft_row_floats (cuda->transform, args->length),
    .interleaved = cuda->transform == TL_TRANSFORM_PAIRS,
    .peak = cuda->peak.dev,
    .n_folded = fold != NULL ? (int)fold->n_pixels : 0,
    .sources = cuda->fold_sources.dev,
    .mirror_col = (int)lround (2.0 * args->axis_col),
    .first_col =
        fold != NULL
            ? (int)tl_fold_span (args->axis_col, cuda->row_cols).first_col
            : 0,
  };
}

/* Packs @n_rays from @first_ray on, whose lines begin at @lines: into the array
 * of each group, and into the cells of all groups by one launch. */
static gboolean
pack_rays (TlCuda *cuda, const TlFilterArgs *args, const float *lines,
           size_t first_ray, size_t n_rays, GError **error)
{
  const TlCudaSinogram *sinogram = &cuda->sinogram;
  const char *step = _ ("storing of filtered rows");
  TlCudaPackArgs pack = make_pack_args (cuda, args, lines, first_ray, n_rays);

  pack.layout = sinogram->layout;
  pack.n_texels = tl_cuda_count_texels (pack.layout, sinogram->n_cols);
  for (size_t i = 0;
       pack.layout != TL_CUDA_LAYOUT_NONE && i < sinogram->n_groups; i++)
    {
      pack.first_row = i * pack.group_rows;
      pack.surface = sinogram->groups[i].surface;
      if (!tl_cuda_check (tl_cuda_pack (&pack, cuda->stream), step, error))
        return FALSE;
    }
  if (sinogram->cells == TL_CUDA_LAYOUT_NONE)
    return TRUE;

  pack.layout = sinogram->cells;
  pack.n_texels = tl_cuda_count_texels (pack.layout, sinogram->n_cols);
  pack.first_row = 0;
  pack.n_groups = sinogram->n_groups;
  pack.group_bytes = sinogram->group_bytes;
  pack.cells = tl_cuda_find_cells (sinogram, 0);
  pack.cell_stride = tl_cuda_cell_stride (pack.layout, sinogram->n_cols);
  return tl_cuda_check (tl_cuda_pack (&pack, cuda->stream), step, error);
}

/* @to: device, the rows of the batch */
static gboolean
filter_batch (TlCuda *cuda, const TlFilterArgs *args, const Batch *batch,
              float *to, GError **error)
{
  const size_t row_floats =
      tl_cuda_fft_row_floats (cuda->transform, args->length);
  const TlCudaMultiplyArgs multiply = {
    .n_rows = batch->n_rows,
    .n_frequencies = count_frequencies (cuda->transform, args->length),
    .length = args->length,
    .row_floats = row_floats,
    .shift_cols = args->shift_cols[0],
    .shifts = args->n_shifts > 1 ? cuda->shifts.buffer.dev : NULL,
    .n_shifts = args->n_shifts,
    .response = cuda->response.buffer.dev,
    .from = find_spectrum (cuda, row_floats, batch),
    .units = find_units (cuda, batch),
    .to = to,
  };

  return tl_cuda_check (tl_cuda_multiply (&multiply, cuda->stream),
                        _ ("filter"), error)
         && tl_cuda_fft_run (cuda->fft, cuda->transform, to, args->length,
                             batch->n_rows, FALSE, error);
}

/* Uploads the filter, and keeps what the Fourier method needs of it. */
static gboolean
upload_filter (TlCuda *cuda, const TlFilterArgs *args, GError **error)
{
  cuda->length = args->length;
  cuda->last_frequency = tl_fourier_find_last (args->response, args->length);
  cuda->n_shifts = args->n_shifts;
  return tl_cuda_upload_cache_upload (
             cuda->pool, &cuda->response, args->response,
             (args->length / 2 + 1) * sizeof (float), _ ("the filter"), error)
         && ((args->n_shifts == 1 && !args->variant->is_fourier)
             || tl_cuda_upload_cache_upload (
                 cuda->pool, &cuda->shifts, args->shift_cols,
                 args->n_shifts * sizeof (double), _ ("the shifts of the rows"),
                 error));
}

/* Reserves memory for all results of the stage and for the tables of the
 * kernel, so that another variant is taken if there is none. A ray of a fold
 * may need any projection, so all lines are kept. */
static gboolean
reserve_for_filter (TlCuda *cuda, const TlFilterArgs *args, GError **error)
{
  const TlCudaKernel *kernel = tl_cuda_find_kernel (args->variant);
  const TlFold *fold = args->fold;
  const guint n_slices = args->variant->n_slices;
  const size_t n_rows =
      fold != NULL
          ? count_rows (cuda->n_projections * cuda->n_rows, cuda->transform)
          : get_batch (cuda, args->length, 0).n_rows;

  return tl_cuda_sinogram_reserve (
             cuda->pool, &cuda->sinogram, kernel,
             fold != NULL ? fold->n_rays : cuda->n_projections,
             fold != NULL ? tl_fold_span (args->axis_col, cuda->row_cols).n_cols
                          : cuda->row_cols,
             fold != NULL ? cuda->n_rows
                          : (cuda->n_rows + n_slices - 1) / n_slices,
             error)
         && tl_cuda_buffer_reserve (
             cuda->pool, &cuda->batch,
             n_rows * tl_cuda_fft_row_floats (cuda->transform, args->length)
                 * sizeof (float),
             _ ("the filtered projections"), error)
         && (kernel->tables == NULL
             || tl_cuda_buffer_reserve (
                 cuda->pool, &cuda->tables,
                 kernel->tables->count_bytes (cuda->n_projections),
                 _ ("the tables of the kernel"), error))
         && (fold == NULL || tl_cuda_upload_fold (cuda, fold, error));
}

static gboolean
filter_rows (TlCuda *cuda, const TlFilterArgs *args, GCancellable *cancellable,
             GError **error)
{
  Batch batch;

  tl_cuda_fourier_clear (cuda);
  if (!reserve_for_filter (cuda, args, error))
    return FALSE;
  for (size_t p = 0; p < cuda->n_projections; p += batch.n_projections)
    {
      float *lines = cuda->batch.dev;

      batch = get_batch (cuda, args->length, p);
      if (args->fold != NULL)
        lines += batch.first_row
                 * tl_cuda_fft_row_floats (cuda->transform, args->length);
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !filter_batch (cuda, args, &batch, lines, error)
          || (args->fold == NULL
              && !pack_rays (cuda, args, lines, p, batch.n_projections, error)))
        return FALSE;
    }
  return args->fold == NULL
         || pack_rays (cuda, args, cuda->batch.dev, 0, args->fold->n_rays,
                       error);
}

/* The Fourier method needs no rows: it multiplies by the filter itself. */
gboolean
tl_cuda_filter (gpointer impl, const TlFilterArgs *args,
                GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_FILTER, error)
      || !upload_filter (cuda, args, error)
      || !(args->variant->is_fourier
               ? tl_cuda_sinogram_give_back (cuda->pool, &cuda->sinogram, error)
               : filter_rows (cuda, args, cancellable, error)))
    return FALSE;
  return tl_cuda_end_stage (cuda, TL_STAGE_FILTER, error);
}
