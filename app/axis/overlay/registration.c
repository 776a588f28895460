#include "app/axis/overlay/registration.h"

#include "app/axis/overlay/registration-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Columns of the smallest and the largest pictures compared, and the least
 * number of rows for a tilt. */
#define MIN_WIDTH 48
#define MAX_WIDTH 1024
#define MIN_ROWS 16
/* Least correlation that is not attributed to noise: this many deviations, and
 * at least this value. */
#define MIN_DEVIATIONS 7.0
#define MIN_LIKENESS 0.3
/* Least correlation if there are only a few rows: objects that extend beyond
 * the picture resemble themselves at wrong shifts too. */
#define MIN_LIKENESS_OF_ROW 0.9
/* Pixels that smoothing makes equivalent to one independent pixel: 4 pi sigma^2
 * with sigma = 1, and within one row. */
#define PIXELS_IN_ONE 12.6
#define PIXELS_IN_ONE_OF_ROW 3.5

void
tl_registration_clear (TlRegistration *registration)
{
  g_clear_pointer (&registration->sentence, g_free);
}

void
tl_mirror_place (const TlMirror *mirror, size_t n_rows, double col, double row,
                 double *mirrored_col, double *mirrored_row)
{
  const double twice_rad = mirror->tilt_deg * G_PI / 90;
  const double middle_row = ((double)n_rows - 1) / 2;
  const double x = col - mirror->centre_col, y = row - middle_row;
  *mirrored_col =
      mirror->centre_col - x * cos (twice_rad) + y * sin (twice_rad);
  *mirrored_row =
      middle_row + x * sin (twice_rad) + y * cos (twice_rad) + mirror->rows;
}

/* Weights of samples -1 … 2 for a position at @part of the way from sample 0 to
 * 1, and their derivatives. */
static inline void
get_weights (double part, double weights[4], double slopes[4])
{
  const double f = part;
  weights[0] = ((-0.5 * f + 1) * f - 0.5) * f;
  weights[1] = (1.5 * f - 2.5) * f * f + 1;
  weights[2] = ((-1.5 * f + 2) * f + 0.5) * f;
  weights[3] = (0.5 * f - 0.5) * f * f;
  slopes[0] = (-1.5 * f + 2) * f - 0.5;
  slopes[1] = (4.5 * f - 5) * f;
  slopes[2] = (-4.5 * f + 4) * f + 0.5;
  slopes[3] = (1.5 * f - 1) * f;
}

/* Positions outside get the outermost sample. */
static inline size_t
clamp_place (double place, size_t n)
{
  return place <= 0 ? 0 : MIN ((size_t)place, n - 1);
}

double
tl_cubic_read (const float *pixels, size_t n_rows, size_t n_cols, double col,
               double row, double *slope)
{
  const double first_col = floor (col), first_row = floor (row);
  double across[4], down[4], across_slopes[4], down_slopes[4];
  double sum = 0, col_slope = 0, row_slope = 0;
  size_t cols[4];
  if (!(col >= -0.5 && col <= (double)n_cols - 0.5 && row >= -0.5
        && row <= (double)n_rows - 0.5))
    return NAN;
  get_weights (col - first_col, across, across_slopes);
  get_weights (row - first_row, down, down_slopes);
  for (int k = 0; k < 4; k++)
    cols[k] = clamp_place (first_col + k - 1, n_cols);
  for (int k = 0; k < 4; k++)
    {
      const float *line =
          pixels + clamp_place (first_row + k - 1, n_rows) * n_cols;
      double here = 0, here_slope = 0;
      for (int i = 0; i < 4; i++)
        {
          here += across[i] * line[cols[i]];
          here_slope += across_slopes[i] * line[cols[i]];
        }
      sum += down[k] * here;
      row_slope += down_slopes[k] * here;
      col_slope += down[k] * here_slope;
    }
  if (slope != NULL)
    {
      slope[0] = col_slope;
      slope[1] = row_slope;
    }
  return sum;
}

gboolean
tl_mirror_image (const TlMirror *mirror, const float *pixels, size_t n_rows,
                 size_t n_cols, float *dest, GCancellable *cancellable,
                 GError **error)
{
  const double twice_rad = mirror->tilt_deg * G_PI / 90;
  const double cosine = cos (twice_rad), sine = sin (twice_rad);
  for (size_t row = 0; row < n_rows; row++)
    {
      double col_there, row_there;
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      tl_mirror_place (mirror, n_rows, 0, (double)row, &col_there, &row_there);
      for (size_t col = 0; col < n_cols; col++)
        dest[row * n_cols + col] = (float)tl_cubic_read (
            pixels, n_rows, n_cols, col_there - (double)col * cosine,
            row_there + (double)col * sine, NULL);
    }
  return TRUE;
}

/* --- pictures in fewer pixels --- */

static void
clear_level (TlLevel *level)
{
  g_clear_pointer (&level->a, g_free);
  g_clear_pointer (&level->b, g_free);
}

/* Returns: (transfer full): @pixels binned from level @from to @to */
static float *
reduce (const float *pixels, const TlLevel *from, const TlLevel *to,
        GError **error)
{
  const size_t down = to->row_pitch / from->row_pitch;
  const size_t across = to->col_pitch / from->col_pitch;
  float *reduced = tl_try_alloc (to->n_rows, to->n_cols, 1, sizeof (float),
                                 _ ("the projections"), error);
  if (reduced == NULL)
    return NULL;
  for (size_t row = 0; row < to->n_rows; row++)
    for (size_t col = 0; col < to->n_cols; col++)
      {
        double sum = 0;
        for (size_t j = 0; j < down; j++)
          for (size_t i = 0; i < across; i++)
            sum += pixels[(row * down + j) * from->n_cols + col * across + i];
        reduced[row * to->n_cols + col] =
            (float)(sum / (double)(down * across));
      }
  return reduced;
}

/* Makes the next level, with half of the columns, and half of the rows if there
 * are enough. */
static gboolean
make_next (const TlLevel *from, TlLevel *to, GError **error)
{
  const size_t down = from->n_rows >= 2 * MIN_ROWS ? 2 : 1;
  *to = (TlLevel){ .n_rows = from->n_rows / down,
                   .n_cols = from->n_cols / 2,
                   .row_pitch = from->row_pitch * down,
                   .col_pitch = from->col_pitch * 2 };
  to->a = reduce (from->a, from, to, error);
  if (to->a != NULL)
    to->b = reduce (from->b, from, to, error);
  return to->b != NULL;
}

/* Smooths @n lines of @length samples with weights 1 4 6 4 1, to remove noise
 * and details too fine for the interpolation. */
static void
smooth_lines (float *pixels, size_t n, size_t line_pitch, size_t length,
              size_t pitch)
{
  for (size_t line = 0; line < n && length >= 5; line++)
    {
      float *p = pixels + line * line_pitch;
      float before[2] = { p[0], p[0] };
      for (size_t k = 0; k < length; k++)
        {
          const float here = p[k * pitch];
          const float next = p[MIN (k + 1, length - 1) * pitch];
          const float second = p[MIN (k + 2, length - 1) * pitch];
          p[k * pitch] =
              (before[0] + 4 * before[1] + 6 * here + 4 * next + second) / 16;
          before[0] = before[1];
          before[1] = here;
        }
    }
}

static void
smooth (float *pixels, const TlLevel *level)
{
  smooth_lines (pixels, level->n_rows, level->n_cols, level->n_cols, 1);
  smooth_lines (pixels, level->n_cols, 1, level->n_rows, level->n_cols);
}

/* --- the whole registration --- */

typedef struct
{
  TlLevel levels[TL_N_LEVELS]; /* [n], the coarsest last */
  size_t n;
} Pyramid;

static void
pyramid_clear (Pyramid *pyramid)
{
  for (size_t k = 0; k < TL_N_LEVELS; k++)
    clear_level (&pyramid->levels[k]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pyramid, pyramid_clear)

static gboolean
build (const float *pixels, const float *opposite, size_t n_rows, size_t n_cols,
       Pyramid *pyramid, GError **error)
{
  TlLevel whole = {
    .n_rows = n_rows, .n_cols = n_cols, .row_pitch = 1, .col_pitch = 1
  };
  const size_t n_bytes = n_rows * n_cols * sizeof (float);
  whole.a = tl_try_alloc (n_rows, n_cols, 1, sizeof (float),
                          _ ("the projections"), error);
  if (whole.a != NULL)
    whole.b = tl_try_alloc (n_rows, n_cols, 1, sizeof (float),
                            _ ("the projections"), error);
  if (whole.b == NULL)
    {
      clear_level (&whole);
      return FALSE;
    }
  memcpy (whole.a, pixels, n_bytes);
  memcpy (whole.b, opposite, n_bytes);
  while (whole.n_cols > MAX_WIDTH)
    {
      TlLevel next;
      const gboolean good = make_next (&whole, &next, error);
      clear_level (&whole);
      whole = next;
      if (good)
        continue;
      clear_level (&whole);
      return FALSE;
    }
  pyramid->levels[0] = whole;
  pyramid->n = 1;
  while (pyramid->n < TL_N_LEVELS
         && pyramid->levels[pyramid->n - 1].n_cols >= 2 * MIN_WIDTH)
    {
      if (!make_next (&pyramid->levels[pyramid->n - 1],
                      &pyramid->levels[pyramid->n], error))
        return FALSE;
      pyramid->n++;
    }
  for (size_t k = 0; k < pyramid->n; k++)
    {
      smooth (pyramid->levels[k].a, &pyramid->levels[k]);
      smooth (pyramid->levels[k].b, &pyramid->levels[k]);
    }
  return TRUE;
}

static gboolean
is_alike (const TlFit *fit, gboolean has_roll)
{
  const double in_one = has_roll ? PIXELS_IN_ONE : PIXELS_IN_ONE_OF_ROW;
  const double n = fit->n_pixels / in_one;
  return fit->likeness > MIN_LIKENESS && n > 4
         && atanh (MIN (fit->likeness, 0.999999)) * sqrt (n - 3)
                > MIN_DEVIATIONS;
}

static void
take_fit (const TlFit *fit, gboolean has_roll, TlRegistration *registration)
{
  registration->is_found = TRUE;
  registration->has_roll = has_roll;
  registration->mirror = fit->mirror;
  registration->uncertainty = fit->uncertainty;
  registration->likeness = fit->likeness;
  if (has_roll)
    return;
  registration->mirror.tilt_deg = registration->mirror.rows = NAN;
  registration->uncertainty.tilt_deg = registration->uncertainty.rows = NAN;
}

gboolean
tl_register (const float *pixels, const float *opposite, size_t n_rows,
             size_t n_cols, GCancellable *cancellable,
             TlRegistration *registration, GError **error)
{
  g_return_val_if_fail (pixels != NULL && opposite != NULL, FALSE);
  g_auto (Pyramid) pyramid = { 0 };
  const gboolean has_roll = n_rows >= MIN_ROWS;
  TlFit fit = { 0 }, best = { 0 };
  *registration = (TlRegistration){
    .mirror = { NAN, NAN, NAN },
    .uncertainty = { NAN, NAN, NAN },
    .likeness = NAN,
  };
  if (!build (pixels, opposite, n_rows, n_cols, &pyramid, error)
      || !tl_fit_search (&pyramid.levels[pyramid.n - 1], n_rows, has_roll,
                         cancellable, &fit, error))
    return FALSE;
  const gboolean is_likely = has_roll || fit.likeness > MIN_LIKENESS_OF_ROW;
  for (size_t k = pyramid.n; is_likely && k-- > 0;)
    {
      if (!tl_fit_refine (&pyramid.levels[k], n_rows, has_roll, cancellable,
                          &fit, error))
        return FALSE;
      g_debug ("%zu columns: centre %.3f +- %.3f, tilt %.3f, rows %.3f, "
               "alike %.3f",
               pyramid.levels[k].n_cols, fit.mirror.centre_col,
               fit.uncertainty.centre_col, fit.mirror.tilt_deg, fit.mirror.rows,
               fit.likeness);
      if (is_alike (&fit, has_roll)
          && (!registration->is_found
              || fit.uncertainty.centre_col < best.uncertainty.centre_col))
        {
          best = fit;
          take_fit (&best, has_roll, registration);
        }
    }
  registration->sentence = g_strdup (
      registration->is_found
          ? _ ("from the gradients of both, in tiles")
          : _ ("the two do not resemble each other, mirrored about any axis"));
  return TRUE;
}
