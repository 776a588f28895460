/* The stages "zingers" and "rings"; the latter begins with beam hardening. */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/stages/stages.h"
#include "gpu/stages/wavelet.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

G_STATIC_ASSERT (TL_CUDA_TAPS == TL_WAVELET_TAPS);

/* The least number of projections, and of columns: gpu/backend/backend.h. */
#define N_NEAR 5

static gboolean
remove_zingers (TlCuda *cuda, const TlZingersArgs *args, GError **error)
{
  TlCudaZingersArgs zingers = {
    .n_projections = cuda->n_projections,
    .n_rows = args->all_rows ? cuda->n_block_rows : cuda->n_rows,
    .n_cols = cuda->n_cols,
    .is_transmission = args->before_phase,
    .limit = (float)(args->before_phase ? args->excess : log (args->excess)),
    .min_transmission = TL_MIN_TRANSMISSION,
    .from = cuda->corrected.dev,
  };
  const size_t n = zingers.n_projections * zingers.n_rows * zingers.n_cols;

  if (!tl_cuda_buffer_reserve (cuda->pool, &cuda->zingerless,
                               n * sizeof (float),
                               _ ("the projections without zingers"), error))
    return FALSE;
  zingers.to = cuda->zingerless.dev;
  cuda->for_tilt = cuda->for_phase = cuda->for_rings = zingers.to;
  return tl_cuda_check (tl_cuda_remove_zingers (&zingers, cuda->stream),
                        _ ("removal of zingers"), error);
}

gboolean
tl_cuda_zingers (gpointer impl, const TlZingersArgs *args, GError **error)
{
  TlCuda *cuda = impl;
  const gboolean stay = args->excess == 0.0 || cuda->n_projections < N_NEAR
                        || cuda->n_cols < N_NEAR;

  cuda->for_tilt = cuda->for_phase = cuda->for_rings = cuda->corrected.dev;
  if (stay)
    tl_cuda_buffer_give_back (cuda->pool, &cuda->zingerless);
  return tl_cuda_begin_stage (cuda, TL_STAGE_ZINGERS, error)
         && (stay || remove_zingers (cuda, args, error))
         && tl_cuda_end_stage (cuda, TL_STAGE_ZINGERS, error);
}

/* --- rings --- */

static gboolean
sort_rings (TlCuda *cuda, const TlParams *params, GCancellable *cancellable,
            GError **error)
{
  const size_t n = cuda->n_projections * cuda->n_cols;
  TlCudaSortingArgs sorting = {
    .n_projections = cuda->n_projections,
    .n_rows = cuda->n_rows,
    .n_cols = cuda->n_cols,
    .half = MIN (params->ring_size / 2, cuda->n_cols),
    .from = cuda->attenuation,
    .to = cuda->ringless.dev,
  };

  if (!tl_cuda_buffer_reserve (cuda->pool, &cuda->scratch,
                               3 * n * sizeof (unsigned),
                               _ ("the sorted projections"), error))
    return FALSE;
  sorting.keys = cuda->scratch.dev;
  sorting.sorted = sorting.keys + n;
  sorting.order = sorting.sorted + n;
  for (; sorting.row < cuda->n_rows; sorting.row++)
    if (g_cancellable_set_error_if_cancelled (cancellable, error)
        || !tl_cuda_check (tl_cuda_sort_rings (&sorting, cuda->stream),
                           _ ("removal of rings"), error))
      return FALSE;
  return TRUE;
}

/* Uploads the damping of a level, followed by the turns. The stream keeps the
 * order, so that the work of the level before has read its own tables. */
static gboolean
upload_tables (TlCuda *cuda, TlCudaWaveletArgs *level, double sigma,
               GError **error)
{
  const size_t n = level->coarse_angles;
  g_autofree float *damping =
      tl_wavelet_damping (sigma, n, &level->n_frequencies);
  g_autofree float *turns = tl_wavelet_turns (n);
  const size_t n_floats = level->n_frequencies + 2 * n;
  g_autofree float *tables = g_new (float, n_floats);

  memcpy (tables, damping, level->n_frequencies * sizeof (float));
  memcpy (tables + level->n_frequencies, turns, 2 * n * sizeof (float));
  if (!tl_cuda_buffer_upload (cuda->pool, &cuda->wavelet_tables, tables,
                              n_floats * sizeof (float),
                              _ ("the tables of the wavelets"), error))
    return FALSE;
  level->damping = cuda->wavelet_tables.dev;
  level->turns = level->damping + level->n_frequencies;
  return TRUE;
}

/* @spectrum_dev: large enough for the largest spectrum of all levels */
static TlCudaWaveletArgs
make_level (const TlCuda *cuda, const TlWaveletLevel *plan,
            const TlWavelet *wavelet, float *memory_dev, float *spectrum_dev)
{
  TlCudaWaveletArgs level = {
    .n_rows = cuda->n_rows,
    .n_angles = plan->n_angles,
    .n_cols = plan->n_cols,
    .coarse_angles = plan->coarse_angles,
    .coarse_cols = plan->coarse_cols,
    .low = memory_dev + plan->low,
    .coarse = memory_dev + plan->coarse,
    .band = memory_dev + plan->band,
    .spectrum = spectrum_dev,
  };

  memcpy (level.low_taps, wavelet->low, sizeof level.low_taps);
  memcpy (level.high_taps, wavelet->high, sizeof level.high_taps);
  return level;
}

static gboolean
run_levels (TlCuda *cuda, TlCudaWaveletArgs *levels, guint n_levels,
            double sigma, GCancellable *cancellable, GError **error)
{
  const char *step = _ ("removal of rings");

  for (guint l = 0; l < n_levels; l++)
    {
      TlCudaWaveletArgs *level = &levels[l];

      level->image = l > 0 ? levels[l - 1].coarse : cuda->attenuation;
      level->lost = l > 0 ? levels[l - 1].coarse : cuda->ringless.dev;
      level->is_first = l == 0;
      level->is_last = l + 1 == n_levels;
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !upload_tables (cuda, level, sigma, error)
          || !tl_cuda_check (tl_cuda_take_apart (level, cuda->stream), step,
                             error))
        return FALSE;
    }
  for (guint l = n_levels; l-- > 0;)
    if (!tl_cuda_check (tl_cuda_put_together (&levels[l], cuda->stream), step,
                        error))
      return FALSE;
  return TRUE;
}

static gboolean
damp_rings (TlCuda *cuda, const TlParams *params, GCancellable *cancellable,
            GError **error)
{
  const guint n_levels = params->ring_levels;
  g_autofree TlWaveletLevel *plan = g_new (TlWaveletLevel, n_levels);
  g_autofree TlCudaWaveletArgs *levels = g_new (TlCudaWaveletArgs, n_levels);
  const size_t n_floats = tl_wavelet_plan (cuda->n_projections, cuda->n_rows,
                                           cuda->n_cols, n_levels, plan);
  size_t n_spectrum = 0;
  TlWavelet wavelet;

  for (guint l = 0; l < n_levels; l++)
    {
      const size_t n_frequencies = tl_wavelet_count_frequencies (
          params->ring_sigma, plan[l].coarse_angles);

      n_spectrum = MAX (n_spectrum,
                        2 * n_frequencies * cuda->n_rows * plan[l].coarse_cols);
    }
  if (!tl_cuda_buffer_reserve (cuda->pool, &cuda->scratch,
                               (n_floats + n_spectrum) * sizeof (float),
                               _ ("the wavelets of the projections"), error))
    return FALSE;
  tl_wavelet_init (&wavelet);
  for (guint l = 0; l < n_levels; l++)
    levels[l] = make_level (cuda, &plan[l], &wavelet, cuda->scratch.dev,
                            (float *)cuda->scratch.dev + n_floats);
  return run_levels (cuda, levels, n_levels, params->ring_sigma, cancellable,
                     error);
}

/* Beam hardening and rings; both write to the same memory, one after the other.
 */
static gboolean
correct_attenuation (TlCuda *cuda, const TlParams *params,
                     GCancellable *cancellable, GError **error)
{
  const size_t n = cuda->n_projections * cuda->n_rows * cuda->n_cols;

  if (!tl_cuda_buffer_reserve (cuda->pool, &cuda->ringless, n * sizeof (float),
                               _ ("the corrected projections"), error))
    return FALSE;
  if (params->beam_hardening != 0.0)
    {
      const float *from = cuda->attenuation;

      cuda->attenuation = cuda->ringless.dev;
      if (!tl_cuda_check (
              tl_cuda_correct_hardening (n, (float)params->beam_hardening, from,
                                         cuda->ringless.dev, cuda->stream),
              _ ("correction of beam hardening"), error))
        return FALSE;
    }
  if (!(params->rings == TL_RINGS_OFF ? TRUE
        : params->rings == TL_RINGS_SORTING
            ? sort_rings (cuda, params, cancellable, error)
            : damp_rings (cuda, params, cancellable, error)))
    return FALSE;
  cuda->attenuation = cuda->ringless.dev;
  return TRUE;
}

gboolean
tl_cuda_rings (gpointer impl, const TlParams *params, GCancellable *cancellable,
               GError **error)
{
  TlCuda *cuda = impl;
  const gboolean stay =
      params->rings == TL_RINGS_OFF && params->beam_hardening == 0.0;

  cuda->attenuation = cuda->for_rings;
  if (params->rings == TL_RINGS_OFF)
    {
      tl_cuda_buffer_give_back (cuda->pool, &cuda->scratch);
      tl_cuda_buffer_give_back (cuda->pool, &cuda->wavelet_tables);
    }
  if (stay)
    tl_cuda_buffer_give_back (cuda->pool, &cuda->ringless);
  return tl_cuda_begin_stage (cuda, TL_STAGE_RINGS, error)
         && (stay || correct_attenuation (cuda, params, cancellable, error))
         && tl_cuda_end_stage (cuda, TL_STAGE_RINGS, error);
}
