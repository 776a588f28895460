/* Rings by wavelets and Fourier; gpu/stages/wavelet.h has the formulas. Images
 * are [angle][row][col]. Transforms along the angle process whole planes of
 * rows and columns at once, in pieces that stay in the cache. */
#include "gpu/host/host-private.h"
#include "gpu/stages/mirror.h"
#include "gpu/stages/wavelet.h"

#include <glib/gi18n.h>

#define COLS_PER_PIECE 256
#define COLS_PER_SPECTRUM 32

/* One level: from one image to the next coarser image, and back. */
typedef struct
{
  const TlWavelet *wavelet;
  GCancellable *cancellable;
  size_t n_rows;
  size_t n_angles, n_cols; /* of the image */
  size_t coarse_angles, coarse_cols;
  const float *image;
  float *lost;   /* (out): what the image loses, at the first level the image
                    without it; may be the image itself */
  float *low;    /* [coarse_angles][n_rows][n_cols]: scratch */
  float *coarse; /* [coarse_angles][n_rows][coarse_cols]: the next image, then
                    what that loses; unused at the last level */
  float *band;   /* likewise: V, then what V loses */
  gboolean is_first, is_last;

  /* the frequencies of V that are damped */
  size_t n_frequencies;
  float *damping; /* [n_frequencies] */
  float *turns;   /* [2][coarse_angles] */
} Level;

/* --- decomposition --- */

static void
low_of_angles (size_t item, guint worker, gpointer data)
{
  const Level *level = data;
  const size_t plane = level->n_rows * level->n_cols;

  if (g_cancellable_is_cancelled (level->cancellable))
    return;
  for (size_t first = 0; first < plane; first += COLS_PER_PIECE)
    {
      const size_t n = MIN (COLS_PER_PIECE, plane - first);
      float sums[COLS_PER_PIECE] = { 0 };

      for (int j = 0; j < TL_WAVELET_TAPS; j++)
        {
          const float tap = level->wavelet->low[j];
          const size_t angle =
              tl_mirror (2 * (ptrdiff_t)item + 1 - j, level->n_angles);
          const float *from = level->image + angle * plane + first;

          for (size_t i = 0; i < n; i++)
            sums[i] += tap * from[i];
        }
      for (size_t i = 0; i < n; i++)
        level->low[item * plane + first + i] = sums[i];
    }
}

static void
split_cols (size_t item, guint worker, gpointer data)
{
  const Level *level = data;
  const TlWavelet *wavelet = level->wavelet;

  for (size_t line = item * level->n_rows; line < (item + 1) * level->n_rows;
       line++)
    {
      const float *from = level->low + line * level->n_cols;

      for (size_t k = 0; k < level->coarse_cols; k++)
        {
          float low = 0.0f, high = 0.0f;

          for (int j = 0; j < TL_WAVELET_TAPS; j++)
            {
              const ptrdiff_t col = 2 * (ptrdiff_t)k + 1 - j;
              const float value = from[tl_mirror (col, level->n_cols)];

              low += wavelet->low[j] * value;
              high += wavelet->high[j] * value;
            }
          level->band[line * level->coarse_cols + k] = high;
          if (!level->is_last)
            level->coarse[line * level->coarse_cols + k] = low;
        }
    }
}

/* --- the frequencies that V loses --- */

/* @spectrum: (out): [n_frequencies][2][COLS_PER_SPECTRUM] */
static void
transform_band (const Level *level, size_t first, size_t n, float *spectrum)
{
  const size_t plane = level->n_rows * level->coarse_cols;
  const size_t n_angles = level->coarse_angles;

  for (size_t k = 0; k < level->n_frequencies; k++)
    {
      float *real = spectrum + 2 * k * COLS_PER_SPECTRUM;
      float *imaginary = real + COLS_PER_SPECTRUM;

      for (size_t i = 0; i < 2 * COLS_PER_SPECTRUM; i++)
        real[i] = 0.0f;
      for (size_t a = 0; a < n_angles; a++)
        {
          const float *from = level->band + a * plane + first;
          const float cosine = level->turns[a * k % n_angles];
          const float sine = level->turns[n_angles + a * k % n_angles];

          for (size_t i = 0; i < n; i++)
            {
              real[i] += cosine * from[i];
              imaginary[i] += sine * from[i];
            }
        }
    }
}

static void
damp_band (size_t item, guint worker, gpointer data)
{
  const Level *level = data;
  const size_t plane = level->n_rows * level->coarse_cols;
  const size_t n_angles = level->coarse_angles;
  const size_t first = item * COLS_PER_SPECTRUM;
  const size_t n = MIN (COLS_PER_SPECTRUM, plane - first);
  g_autofree float *spectrum =
      g_new (float, 2 * level->n_frequencies * COLS_PER_SPECTRUM);

  if (g_cancellable_is_cancelled (level->cancellable))
    return;
  transform_band (level, first, n, spectrum);
  for (size_t a = 0; a < n_angles; a++)
    {
      float sums[COLS_PER_SPECTRUM] = { 0 };

      for (size_t k = 0; k < level->n_frequencies; k++)
        {
          const float *real = spectrum + 2 * k * COLS_PER_SPECTRUM;
          const float *imaginary = real + COLS_PER_SPECTRUM;
          const size_t turn = a * k % n_angles;
          const float cosine = level->damping[k] * level->turns[turn];
          const float sine = level->damping[k] * level->turns[n_angles + turn];

          for (size_t i = 0; i < n; i++)
            sums[i] += cosine * real[i] + sine * imaginary[i];
        }
      for (size_t i = 0; i < n; i++)
        level->band[a * plane + first + i] = sums[i];
    }
}

/* --- synthesis --- */

static void
join_cols (size_t item, guint worker, gpointer data)
{
  const Level *level = data;
  const TlWavelet *wavelet = level->wavelet;

  for (size_t line = item * level->n_rows; line < (item + 1) * level->n_rows;
       line++)
    {
      const float *high = level->band + line * level->coarse_cols;
      const float *low = level->coarse + line * level->coarse_cols;

      for (size_t col = 0; col < level->n_cols; col++)
        {
          float sum = 0.0f;

          for (size_t m = 0; m < TL_WAVELET_TAPS / 2; m++)
            {
              const size_t k = col / 2 + m, tap = 2 * k + 1 - col;

              sum += wavelet->high[tap] * high[k];
              if (!level->is_last)
                sum += wavelet->low[tap] * low[k];
            }
          level->low[line * level->n_cols + col] = sum;
        }
    }
}

static void
join_angles (size_t item, guint worker, gpointer data)
{
  const Level *level = data;
  const size_t plane = level->n_rows * level->n_cols;

  if (g_cancellable_is_cancelled (level->cancellable))
    return;
  for (size_t first = 0; first < plane; first += COLS_PER_PIECE)
    {
      const size_t n = MIN (COLS_PER_PIECE, plane - first);
      const float *image = level->image + item * plane + first;
      float *lost = level->lost + item * plane + first;
      float sums[COLS_PER_PIECE] = { 0 };

      for (size_t m = 0; m < TL_WAVELET_TAPS / 2; m++)
        {
          const size_t k = item / 2 + m;
          const float tap = level->wavelet->low[2 * k + 1 - item];
          const float *from = level->low + k * plane + first;

          for (size_t i = 0; i < n; i++)
            sums[i] += tap * from[i];
        }
      for (size_t i = 0; i < n; i++)
        lost[i] = level->is_first ? image[i] - sums[i] : sums[i];
    }
}

/* --- all levels --- */

static void
take_apart (TlHostPool *pool, Level *level)
{
  const size_t plane = level->n_rows * level->coarse_cols;

  tl_host_pool_run (pool, level->coarse_angles, low_of_angles, level);
  tl_host_pool_run (pool, level->coarse_angles, split_cols, level);
  tl_host_pool_run (pool, (plane + COLS_PER_SPECTRUM - 1) / COLS_PER_SPECTRUM,
                    damp_band, level);
}

static void
put_together (TlHostPool *pool, Level *level)
{
  tl_host_pool_run (pool, level->coarse_angles, join_cols, level);
  tl_host_pool_run (pool, level->n_angles, join_angles, level);
}

/* Returns: the level that @plan describes, with its images in @memory and the
 * damping for @sigma. The caller frees damping and turns. */
static Level
make_level (const TlWaveletLevel *plan, float *memory, double sigma)
{
  Level level = {
    .n_angles = plan->n_angles,
    .n_cols = plan->n_cols,
    .coarse_angles = plan->coarse_angles,
    .coarse_cols = plan->coarse_cols,
    .low = memory + plan->low,
    .coarse = memory + plan->coarse,
    .band = memory + plan->band,
    .turns = tl_wavelet_turns (plan->coarse_angles),
  };

  level.damping =
      tl_wavelet_damping (sigma, plan->coarse_angles, &level.n_frequencies);
  return level;
}

gboolean
tl_host_damp_rings (TlHost *host, const TlParams *params,
                    GCancellable *cancellable, GError **error)
{
  const guint n_levels = params->ring_levels;
  g_autofree TlWaveletLevel *plan = g_new (TlWaveletLevel, n_levels);
  g_autofree Level *levels = g_new (Level, n_levels);
  const size_t n_floats = tl_wavelet_plan (host->n_projections, host->n_rows,
                                           host->n_cols, n_levels, plan);
  g_auto (TlHostBuffer) memory = { 0 };
  TlWavelet wavelet;

  if (!tl_host_buffer_resize (&memory, n_floats, 1, 1, sizeof (float),
                              _ ("the wavelets of the projections"), error))
    return FALSE;
  tl_wavelet_init (&wavelet);
  for (guint l = 0; l < n_levels; l++)
    {
      Level *level = &levels[l];

      *level = make_level (&plan[l], memory.data, params->ring_sigma);
      level->wavelet = &wavelet;
      level->cancellable = cancellable;
      level->n_rows = host->n_rows;
      level->image = l > 0 ? levels[l - 1].coarse : host->attenuation;
      level->lost = l > 0 ? levels[l - 1].coarse : host->ringless.data;
      level->is_first = l == 0;
      level->is_last = l + 1 == n_levels;
      take_apart (host->pool, level);
    }
  for (guint l = n_levels; l-- > 0;)
    {
      put_together (host->pool, &levels[l]);
      g_free (levels[l].damping);
      g_free (levels[l].turns);
    }
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
