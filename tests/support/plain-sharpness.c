#include "tests/support/plain-sharpness.h"

#include <math.h>

/* Returns: the quarter of the pixel at row @i and column @j; doubled indices
 * avoid fractions. */
static guint
find_quarter (size_t i, size_t j, size_t n_rows, size_t n_cols)
{
  return (2 * i + 1 < n_rows ? 0 : 2) + (2 * j + 1 < n_cols ? 0 : 1);
}

static gboolean
is_judged (const float *pixels, size_t i, size_t j, size_t n_rows,
           size_t n_cols, double radius)
{
  const double y = (double)i - ((double)n_rows - 1) / 2;
  const double x = (double)j - ((double)n_cols - 1) / 2;
  const float *pixel = pixels + i * n_cols + j;

  return i + 1 < n_rows && j + 1 < n_cols && hypot (x, y) < radius
         && isfinite (pixel[0]) && isfinite (pixel[1])
         && isfinite (pixel[n_cols]);
}

/* Returns: the entropy times the number of pixels, from the places of the
 * pixels in the histogram. */
static double
sum_entropy (const double *places, size_t n)
{
  double sum = 0;

  for (size_t bin = 0; bin < TL_SHARPNESS_BINS; bin++)
    {
      double height = 0;

      for (size_t k = 0; k < n; k++)
        height += fmax (1 - fabs (places[k] - (double)bin), 0);
      if (height > 0)
        sum -= height * log (height / (double)n);
    }
  return sum;
}

static void
judge_quarter (const float *pixels, size_t n_rows, size_t n_cols, double radius,
               float low, float high, guint quarter, TlSharpness *sharpness)
{
  const double width = (double)high - low;
  g_autofree double *places = g_new (double, n_rows *n_cols);
  double sum = 0, negative = 0, gradient = 0, deviation = 0;
  size_t n = 0;

  for (size_t i = 0; i < n_rows; i++)
    for (size_t j = 0; j < n_cols; j++)
      {
        const float *pixel = pixels + i * n_cols + j;

        if (find_quarter (i, j, n_rows, n_cols) != quarter
            || !is_judged (pixels, i, j, n_rows, n_cols, radius))
          continue;
        const double v = pixel[0];
        const double part = width > 0 ? (v - low) / width : 0;

        places[n++] = fmin (fmax (part, 0), 1) * (TL_SHARPNESS_BINS - 1.001);
        sum += v;
        negative += v < 0 ? v : 0;
        gradient += pow (pixel[1] - v, 2) + pow (pixel[n_cols] - v, 2);
      }
  for (size_t i = 0; i < n_rows; i++)
    for (size_t j = 0; j < n_cols; j++)
      if (find_quarter (i, j, n_rows, n_cols) == quarter
          && is_judged (pixels, i, j, n_rows, n_cols, radius))
        deviation += pow (pixels[i * n_cols + j] - sum / (double)n, 2);
  sharpness->n_pixels[quarter] = n;
  sharpness->figures[TL_SHARPNESS_ENTROPY][quarter] = -sum_entropy (places, n);
  sharpness->figures[TL_SHARPNESS_NEGATIVITY][quarter] = negative;
  sharpness->figures[TL_SHARPNESS_GRADIENT][quarter] = gradient;
  sharpness->figures[TL_SHARPNESS_DEVIATION][quarter] = deviation;
}

void
tl_plain_sharpness (const float *pixels, size_t n_rows, size_t n_cols,
                    double radius, float low, float high,
                    TlSharpness *sharpness)
{
  for (guint quarter = 0; quarter < TL_N_QUARTERS; quarter++)
    judge_quarter (pixels, n_rows, n_cols, radius, low, high, quarter,
                   sharpness);
}
