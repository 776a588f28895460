/* The stage "phase", some projections at a time. */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/stages/fft.h"
#include "gpu/cuda/stages/stages.h"

#include <glib/gi18n.h>

/* Floats of the lines of one batch: 16 MB, so that they are still in the cache
 * of a large device when the slices are summed. */
#define BATCH_FLOATS ((size_t)1 << 22)

/* The largest number of blocks along y. */
#define MAX_PROJECTIONS ((size_t)65535)

/* Returns: how many projections a batch has; the last batch may have fewer. */
static size_t
count_batch_projections (const TlCuda *cuda, const TlCudaPhaseArgs *args)
{
  const size_t fit = BATCH_FLOATS / args->row_floats / args->n_lines;
  const size_t max = CLAMP (fit, 1, MAX_PROJECTIONS);
  const size_t n_batches = (cuda->n_projections + max - 1) / max;

  return (cuda->n_projections + n_batches - 1) / n_batches;
}

static TlCudaPhaseArgs
make_args (const TlCuda *cuda, const TlPhaseArgs *args)
{
  const size_t reach = args->n_taps - 1;
  const size_t end =
      MIN (cuda->n_above + cuda->n_rows + reach, cuda->n_block_rows);
  TlCudaPhaseArgs made = {
    .n_cols = cuda->n_cols,
    .n_block_rows = cuda->n_block_rows,
    .first_row = cuda->n_above - MIN (reach, cuda->n_above),
    .n_rows = cuda->n_rows,
    .length = args->length,
    .row_floats = tl_cuda_fft_row_floats (TL_TRANSFORM_REAL, args->length),
    .n_taps = args->n_taps,
    .min_transmission = TL_MIN_TRANSMISSION,
  };

  made.n_lines = end - made.first_row;
  made.first_slice = cuda->n_above - made.first_row;
  return made;
}

/* Sets the arrays that all batches share. */
static gboolean
reserve (TlCuda *cuda, const TlPhaseArgs *args, size_t n_projections,
         TlCudaPhaseArgs *made, GError **error)
{
  const size_t line_bytes = made->row_floats * sizeof (float);

  if (!tl_cuda_buffer_reserve (
          cuda->pool, &cuda->phase_lines,
          n_projections * made->n_lines * line_bytes,
          _ ("the spectra of some projections for phase retrieval"), error)
      || !tl_cuda_buffer_reserve (
          cuda->pool, &cuda->phase_sums,
          n_projections * made->n_rows * line_bytes,
          _ ("the sums of some projections for phase retrieval"), error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->retrieved,
                                  cuda->n_projections * made->n_rows
                                      * made->n_cols * sizeof (float),
                                  _ ("the retrieved projections"), error)
      || !tl_cuda_upload_cache_upload (
          cuda->pool, &cuda->phase_weights, args->weights,
          args->n_taps * (args->length / 2 + 1) * sizeof (float),
          _ ("the filter of the phase retrieval"), error))
    return FALSE;
  made->weights = cuda->phase_weights.buffer.dev;
  made->lines = cuda->phase_lines.dev;
  made->sums = cuda->phase_sums.dev;
  return TRUE;
}

static gboolean
retrieve_batch (TlCuda *cuda, const TlCudaPhaseArgs *args, GError **error)
{
  const char *step = _ ("phase retrieval");
  const size_t n = args->n_projections;

  return tl_cuda_check (tl_cuda_phase_pad (args, cuda->stream), step, error)
         && tl_cuda_fft_run (cuda->fft, TL_TRANSFORM_REAL, args->lines,
                             args->length, n * args->n_lines, TRUE, error)
         && tl_cuda_check (tl_cuda_phase_sum (args, cuda->stream), step, error)
         && tl_cuda_fft_run (cuda->fft, TL_TRANSFORM_REAL, args->sums,
                             args->length, n * args->n_rows, FALSE, error)
         && tl_cuda_check (tl_cuda_phase_log (args, cuda->stream), step, error);
}

gboolean
tl_cuda_phase (gpointer impl, const TlPhaseArgs *args,
               GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;
  TlCudaPhaseArgs made = make_args (cuda, args);
  const size_t max = count_batch_projections (cuda, &made);

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_PHASE, error)
      || !reserve (cuda, args, max, &made, error))
    return FALSE;
  for (size_t p = 0; p < cuda->n_projections; p += made.n_projections)
    {
      made.n_projections = MIN (max, cuda->n_projections - p);
      made.transmissions =
          cuda->for_phase + p * made.n_block_rows * made.n_cols;
      made.retrieved =
          (float *)cuda->retrieved.dev + p * made.n_rows * made.n_cols;
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !retrieve_batch (cuda, &made, error))
        return FALSE;
    }
  cuda->for_rings = cuda->retrieved.dev;
  return tl_cuda_end_stage (cuda, TL_STAGE_PHASE, error);
}
