/* Searches the mirror image in binned pictures: all shifts and a few tilts, by
 * correlation. */
#include "app/axis/overlay/registration-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>

/* Least common part of the columns and rows. */
#define MIN_SHARED 0.125
/* Half width in pixels of the local means that are subtracted, degrees between
 * tilts, and the largest shift as a part of the rows. */
#define NEARBY 6
#define TILT_STEP 3.0
#define N_TILTS 2 /* to either side */
#define MAX_ROWS_PART 0.0625

/* Returns: (transfer full): the pixels minus their local means */
static float *
take_off_means (const float *pixels, const TlLevel *level, GError **error)
{
  const size_t n_rows = level->n_rows, n_cols = level->n_cols;
  float *rest = tl_try_alloc (n_rows, n_cols, 1, sizeof (float),
                              _ ("the projections"), error);
  for (size_t row = 0; rest != NULL && row < n_rows; row++)
    for (size_t col = 0; col < n_cols; col++)
      {
        const size_t top = row > NEARBY ? row - NEARBY : 0;
        const size_t left = col > NEARBY ? col - NEARBY : 0;
        const size_t bottom = MIN (row + NEARBY, n_rows - 1);
        const size_t right = MIN (col + NEARBY, n_cols - 1);
        double sum = 0;
        for (size_t j = top; j <= bottom; j++)
          for (size_t i = left; i <= right; i++)
            sum += pixels[j * n_cols + i];
        rest[row * n_cols + col] =
            pixels[row * n_cols + col]
            - (float)(sum / (double)((bottom - top + 1) * (right - left + 1)));
      }
  return rest;
}

/* Returns: the correlation, reduced if the common area is small; -1 if it is
 * too small */
static double
judge (const TlLevel *level, const float *a, const float *b, size_t n_rows,
       const TlMirror *mirror)
{
  const double twice_rad = mirror->tilt_deg * G_PI / 90;
  const double cosine = cos (twice_rad), sine = sin (twice_rad);
  const double ratio = (double)level->col_pitch / (double)level->row_pitch;
  double n = 0, aa = 0, bb = 0, ab = 0, sum_a = 0, sum_b = 0;
  for (size_t row = 0; row < level->n_rows; row++)
    {
      double col_there, row_there;
      tl_mirror_place (mirror, n_rows,
                       tl_level_to_detector (0, level->col_pitch),
                       tl_level_to_detector ((double)row, level->row_pitch),
                       &col_there, &row_there);
      col_there = tl_level_from_detector (col_there, level->col_pitch) + 0.5;
      row_there = tl_level_from_detector (row_there, level->row_pitch) + 0.5;
      for (size_t col = 0; col < level->n_cols; col++)
        {
          const double c = col_there - (double)col * cosine;
          const double r = row_there + (double)col * sine * ratio;
          if (!(c >= 0 && c < (double)level->n_cols && r >= 0
                && r < (double)level->n_rows))
            continue;
          const double p = a[row * level->n_cols + col];
          const double q = b[(size_t)r * level->n_cols + (size_t)c];
          n++;
          sum_a += p;
          sum_b += q;
          aa += p * p;
          bb += q * q;
          ab += p * q;
        }
    }
  const double part = n / (double)(level->n_rows * level->n_cols);
  const double variance = (aa - sum_a * sum_a / n) * (bb - sum_b * sum_b / n);
  return part >= MIN_SHARED && variance > 0
             ? (ab - sum_a * sum_b / n) / sqrt (variance) * sqrt (sqrt (part))
             : -1;
}

/* Tries all shifts of rows with one centre and one tilt. */
static void
search_rows (const TlLevel *level, const float *a, const float *b,
             size_t n_rows, const TlMirror *first, int max_rows, TlFit *fit)
{
  TlMirror mirror = *first;
  for (int rows = -max_rows; rows <= max_rows; rows++)
    {
      mirror.rows = (double)rows * (double)level->row_pitch;
      const double value = judge (level, a, b, n_rows, &mirror);
      if (value > fit->likeness)
        *fit = (TlFit){ .mirror = mirror, .likeness = value };
    }
}

gboolean
tl_fit_search (const TlLevel *level, size_t n_rows, gboolean has_roll,
               GCancellable *cancellable, TlFit *fit, GError **error)
{
  const int n_tilts = has_roll ? N_TILTS : 0;
  const int max_rows =
      has_roll ? 1 + (int)(MAX_ROWS_PART * (double)level->n_rows) : 0;
  g_autofree float *a = take_off_means (level->a, level, error);
  g_autofree float *b =
      a != NULL ? take_off_means (level->b, level, error) : NULL;
  if (b == NULL)
    return FALSE;
  *fit = (TlFit){
    .mirror = { tl_level_to_detector (((double)level->n_cols - 1) / 2,
                                      level->col_pitch) },
    .likeness = -1,
  };
  for (int tilt = -n_tilts; tilt <= n_tilts; tilt++)
    for (size_t sum = 0; sum <= 2 * (level->n_cols - 1); sum++)
      {
        const TlMirror first = { tl_level_to_detector ((double)sum / 2,
                                                       level->col_pitch),
                                 tilt * TILT_STEP, 0 };
        if (g_cancellable_set_error_if_cancelled (cancellable, error))
          return FALSE;
        search_rows (level, a, b, n_rows, &first, max_rows, fit);
      }
  return TRUE;
}
