#include "tests/support/plain-corrections.h"

#include "gpu/stages/wavelet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
compare_values (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Returns: the median of @values, which are sorted in place. @n: odd */
static double
find_median (double *values, size_t n)
{
  qsort (values, n, sizeof *values, compare_values);
  return values[n / 2];
}

/* Returns: the position of @i in a row of @n values that is mirrored about both
 * ends. */
static size_t
mirror (long i, size_t n)
{
  while (i < 0 || i >= (long)n)
    i = i < 0 ? -1 - i : 2 * (long)n - 1 - i;
  return (size_t)i;
}

/* --- zingers --- */

/* Returns: the median of the five values nearest to @place among @n values,
 * @step apart. */
static double
find_near_median (const double *values, size_t n, size_t step, size_t place)
{
  const size_t first = place < 2 ? 0 : MIN (place - 2, n - 5);
  double near[5];

  for (size_t i = 0; i < 5; i++)
    near[i] = values[(first + i) * step];
  return find_median (near, 5);
}

static gboolean
exceeds (double value, double median, double threshold,
         gboolean is_transmission)
{
  return is_transmission ? value > (1.0 + threshold) * median
                         : exp (-value) > (1.0 + threshold) * exp (-median);
}

void
tl_plain_remove_zingers (double *rows, size_t n_projections, size_t n_rows,
                         size_t n_cols, double threshold,
                         gboolean is_transmission)
{
  const size_t plane = n_rows * n_cols;
  g_autofree double *mended = g_new (double, n_projections *plane);

  if (n_projections < 5 || n_cols < 5)
    return;
  for (size_t p = 0; p < n_projections; p++)
    for (size_t i = 0; i < plane; i++)
      {
        const size_t col = i % n_cols;
        const double *row = rows + p * plane + i - col;
        const double along =
            find_near_median (rows + i, n_projections, plane, p);
        const double across = find_near_median (row, n_cols, 1, col);
        const gboolean is_zinger =
            exceeds (row[col], along, threshold, is_transmission)
            && exceeds (row[col], across, threshold, is_transmission);

        mended[p * plane + i] = is_zinger ? along : row[col];
      }
  memcpy (rows, mended, n_projections * plane * sizeof *rows);
}

/* --- rings by sorting; a sinogram is [n][n_cols] --- */

typedef struct
{
  double value;
  size_t place;
} Sample;

static int
compare_samples (const void *a, const void *b)
{
  const Sample *x = a, *y = b;

  if (x->value != y->value)
    return x->value < y->value ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

static void
sort_rings (double *sinogram, size_t n, size_t n_cols, size_t size)
{
  const size_t half = MIN (size / 2, n_cols);
  g_autofree Sample *samples = g_new (Sample, n * n_cols); /* [col][rank] */
  g_autofree double *window = g_new (double, 2 * half + 1);

  for (size_t col = 0; col < n_cols; col++)
    {
      for (size_t p = 0; p < n; p++)
        samples[col * n + p] = (Sample){ sinogram[p * n_cols + col], p };
      qsort (samples + col * n, n, sizeof *samples, compare_samples);
    }
  for (size_t col = 0; col < n_cols; col++)
    for (size_t rank = 0; rank < n; rank++)
      {
        for (size_t i = 0; i < 2 * half + 1; i++)
          window[i] =
              samples[mirror ((long)(col + i) - (long)half, n_cols) * n + rank]
                  .value;
        sinogram[samples[col * n + rank].place * n_cols + col] =
            find_median (window, 2 * half + 1);
      }
}

/* --- rings by wavelets: all four bands, forward and inverse --- */

static double
get_tap (gboolean is_high, long j)
{
  TlWavelet wavelet;

  tl_wavelet_init (&wavelet);
  return is_high ? wavelet.high[j] : wavelet.low[j];
}

/* Computes one band of a line whose values are @step apart. */
static void
analyse (const double *from, size_t n, size_t step, gboolean is_high,
         double *to)
{
  for (size_t k = 0; k < (n + TL_WAVELET_TAPS - 1) / 2; k++)
    {
      to[k * step] = 0.0;
      for (long j = 0; j < TL_WAVELET_TAPS; j++)
        to[k * step] +=
            get_tap (is_high, j) * from[mirror (2 * (long)k + 1 - j, n) * step];
    }
}

/* Adds the contribution of one band to @to. */
static void
synthesise (const double *from, size_t n, size_t step, gboolean is_high,
            double *to)
{
  for (long i = 0; i < (long)n; i++)
    for (long k = 0; k < (long)(n + TL_WAVELET_TAPS - 1) / 2; k++)
      {
        const long j = 2 * k + 1 - i;

        if (j >= 0 && j < TL_WAVELET_TAPS)
          to[i * (long)step] += get_tap (is_high, j) * from[k * (long)step];
      }
}

/* Damps the low frequencies of every column of @band, [n][n_cols], by its
 * Fourier series. */
static void
damp (double *band, size_t n, size_t n_cols, double sigma)
{
  g_autofree double *real = g_new (double, n);
  g_autofree double *imaginary = g_new (double, n);

  for (size_t col = 0; col < n_cols; col++)
    {
      for (size_t k = 0; k < n; k++)
        {
          const double f = (double)MIN (k, n - k);
          const double factor = 1.0 - exp (-f * f / (2.0 * sigma * sigma));

          real[k] = imaginary[k] = 0.0;
          for (size_t p = 0; p < n; p++)
            {
              const double turn = 2.0 * G_PI * (double)(k * p % n) / (double)n;

              real[k] += factor * cos (turn) * band[p * n_cols + col];
              imaginary[k] -= factor * sin (turn) * band[p * n_cols + col];
            }
        }
      for (size_t p = 0; p < n; p++)
        {
          double sum = 0.0;

          for (size_t k = 0; k < n; k++)
            {
              const double turn = 2.0 * G_PI * (double)(k * p % n) / (double)n;

              sum += real[k] * cos (turn) - imaginary[k] * sin (turn);
            }
          band[p * n_cols + col] = sum / (double)n;
        }
    }
}

static void
damp_rings (double *sinogram, size_t n, size_t n_cols, guint n_levels,
            double sigma)
{
  const size_t half = (n + TL_WAVELET_TAPS - 1) / 2;
  const size_t half_cols = (n_cols + TL_WAVELET_TAPS - 1) / 2;
  g_autofree double *parts = g_new (double, 2 * half * n_cols);
  g_autofree double *band = g_new (double, half *half_cols);
  g_autofree double *whole = g_new0 (double, n *n_cols);

  if (n_levels == 0)
    return;
  for (int high = 0; high < 2; high++)
    for (size_t col = 0; col < n_cols; col++)
      analyse (sinogram + col, n, n_cols, high,
               parts + (size_t)high * half * n_cols + col);
  for (int high = 0; high < 2; high++)
    {
      g_autofree double *joined = g_new0 (double, half *n_cols);

      for (int across = 0; across < 2; across++)
        {
          for (size_t p = 0; p < half; p++)
            analyse (parts + ((size_t)high * half + p) * n_cols, n_cols, 1,
                     across, band + p * half_cols);
          if (!high && !across)
            damp_rings (band, half, half_cols, n_levels - 1, sigma);
          if (!high && across)
            damp (band, half, half_cols, sigma);
          for (size_t p = 0; p < half; p++)
            synthesise (band + p * half_cols, n_cols, 1, across,
                        joined + p * n_cols);
        }
      for (size_t col = 0; col < n_cols; col++)
        synthesise (joined + col, n, n_cols, high, whole + col);
    }
  memcpy (sinogram, whole, n * n_cols * sizeof *whole);
}

void
tl_plain_remove_rings (double *rows, size_t n_projections, size_t n_rows,
                       size_t n_cols, const TlParams *params)
{
  const size_t plane = n_rows * n_cols;
  g_autofree double *sinogram = g_new (double, n_projections *n_cols);

  for (size_t row = 0; row < n_rows; row++)
    {
      for (size_t i = 0; i < n_projections * n_cols; i++)
        {
          const double p = rows[i / n_cols * plane + row * n_cols + i % n_cols];

          sinogram[i] = p + params->beam_hardening * p * p;
        }
      if (params->rings == TL_RINGS_SORTING)
        sort_rings (sinogram, n_projections, n_cols, params->ring_size);
      if (params->rings == TL_RINGS_WAVELET)
        damp_rings (sinogram, n_projections, n_cols, params->ring_levels,
                    params->ring_sigma);
      for (size_t i = 0; i < n_projections * n_cols; i++)
        rows[i / n_cols * plane + row * n_cols + i % n_cols] = sinogram[i];
    }
}
