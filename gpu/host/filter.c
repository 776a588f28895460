/* The stages "transform" and "filter": real transforms of whole rows by FFTW. A
 * work item has a few rows, so that a row stays in the cache from padding to
 * spectrum and from multiplying to cropping.
 *
 * Not the padded row x is transformed but its differences around the circle,
 * d[n] = x[n] - x[n - 1]. Their spectrum is (1 - exp (-2 pi i f)) times the
 * spectrum of x, and the stage "filter" divides by this factor. The reason is
 * rounding. A single-precision transform has the same rounding error at all
 * frequencies; the ramp amplifies it at high frequencies, where a row has
 * little energy. Where the row is smooth, its differences and their rounding
 * errors are small, and the quotient of ramp and factor is nearly flat.
 * Differences lose frequency 0, the sum of the row, so the sum is stored in its
 * place. */
#include "gpu/host/host-private.h"

#include "gpu/stages/fourier.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define ROWS_PER_ITEM 16

/* --- transform --- */

typedef struct
{
  TlHost *host;
  const TlTransformArgs *args;
  GCancellable *cancellable;
} TransformWork;

/* @values: [n]
 * @row: (out): [length]: the differences of the values times @weight, after the
 * values were placed in the wider row and padded
 *
 * Returns: the sum of the padded row */
static float
difference_row (const double *values, size_t n, float weight,
                const TlTransformArgs *args, float *row)
{
  const size_t length = args->length, n_cols = args->span.n_cols;
  const size_t begin = args->span.first_col, end = begin + n;
  const size_t half = (length - n_cols) / 2;
  const gboolean edge = args->padding == TL_PADDING_EDGE;
  /* The values before and after @values in the wider row; the padding repeats
   * them. */
  const double first = edge && begin == 0 ? values[0] : 0.0;
  const double last = edge && end == n_cols ? values[n - 1] : 0.0;
  double sum = 0.0;

  memset (row, 0, length * sizeof (float));
  row[begin] = (float)(weight * (values[0] - first));
  for (size_t i = 1; i < n; i++)
    row[begin + i] = (float)(weight * (values[i] - values[i - 1]));
  row[end] = (float)(weight * (last - values[n - 1]));
  row[n_cols + half] += (float)(weight * (first - last));
  for (size_t i = 0; i < n; i++)
    sum += values[i];
  sum += last * (double)half + first * (double)(length - n_cols - half);
  return (float)(weight * sum);
}

/* @weights: (nullable): [n]
 * @values: (out): [n] */
static void
weigh_row (const float *from, const double *weights, size_t n, double *values)
{
  for (size_t i = 0; i < n; i++)
    values[i] = from[i];
  for (size_t i = 0; weights != NULL && i < n; i++)
    values[i] *= weights[i];
}

/* A line is one row of one projection; lines are numbered
 * [n_rows][n_projections]. */
static void
transform_lines (size_t item, guint worker, gpointer data)
{
  const TransformWork *work = data;
  TlHost *host = work->host;
  const size_t n_lines = host->n_rows * host->n_projections;
  const size_t end = MIN ((item + 1) * ROWS_PER_ITEM, n_lines);
  const size_t n = host->n_cols;
  float *row = tl_host_plan_get_row (host->plan, worker);
  double *values = (double *)host->weighted.data + worker * n;

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  for (size_t line = item * ROWS_PER_ITEM; line < end; line++)
    {
      const size_t r = line / host->n_projections;
      const size_t p = line % host->n_projections;
      const double *col_weights = work->args->col_weights;
      fftwf_complex *spectrum =
          (fftwf_complex *)host->spectrum.data + line * host->spectrum_stride;

      weigh_row (host->attenuation + (p * host->n_rows + r) * n,
                 col_weights != NULL ? col_weights + r * n : NULL, n, values);
      float sum =
          difference_row (values, n, work->args->weights[p], work->args, row);
      fftwf_execute_dft_r2c (host->plan->forward, row, spectrum);
      spectrum[0] = sum;
    }
}

gboolean
tl_host_transform (gpointer impl, const TlTransformArgs *args,
                   GCancellable *cancellable, GError **error)
{
  g_auto (TlHostTimer) timer = tl_host_timer_start (impl, TL_STAGE_TRANSFORM);
  TlHost *host = impl;
  TransformWork work = { .host = host,
                         .args = args,
                         .cancellable = cancellable };
  const size_t n_lines = host->n_rows * host->n_projections;

  if (!tl_host_plan_prepare (&host->plan, host->pool, args->length, error)
      || !tl_host_buffer_resize (
          &host->weighted, 1, tl_host_pool_get_n_workers (host->pool),
          host->n_cols, sizeof (double), _ ("a row for each thread"), error))
    return FALSE;
  host->row_cols = args->span.n_cols;
  /* A stride of whole cache lines, because FFTW's plans need every row aligned
   * like the first one. */
  host->spectrum_stride = tl_host_round_up (args->length / 2 + 1, 8);
  if (!tl_host_buffer_resize (&host->spectrum, host->n_rows,
                              host->n_projections, host->spectrum_stride,
                              sizeof (fftwf_complex),
                              _ ("the spectra of the projections"), error))
    return FALSE;
  tl_host_pool_run (host->pool, (n_lines + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM,
                    transform_lines, &work);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/* --- filter --- */

typedef struct
{
  TlHost *host;
  size_t length;
  GCancellable *cancellable;
} FilterWork;

static void
filter_lines (size_t item, guint worker, gpointer data)
{
  const FilterWork *work = data;
  TlHost *host = work->host;
  const size_t n_lines = host->n_rows * host->n_projections;
  const size_t end = MIN ((item + 1) * ROWS_PER_ITEM, n_lines);
  const size_t n_frequencies = work->length / 2 + 1;
  float *row = tl_host_plan_get_row (host->plan, worker);
  float *product = (float *)tl_host_plan_get_spectrum (host->plan, worker);

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  for (size_t line = item * ROWS_PER_ITEM; line < end; line++)
    {
      const float *spectrum =
          (const float *)((fftwf_complex *)host->spectrum.data
                          + line * host->spectrum_stride);
      const float *factors =
          (const float *)((fftwf_complex *)host->factors.data
                          + line / host->n_projections % host->n_shifts
                                * n_frequencies);
      float *filtered =
          (float *)host->filtered.data + line * host->filtered_stride;

      for (size_t k = 0; k < 2 * n_frequencies; k += 2)
        {
          product[k] =
              spectrum[k] * factors[k] - spectrum[k + 1] * factors[k + 1];
          product[k + 1] =
              spectrum[k] * factors[k + 1] + spectrum[k + 1] * factors[k];
        }
      fftwf_execute_dft_c2r (host->plan->inverse, (fftwf_complex *)product,
                             row);
      memset (filtered, 0, TL_HOST_MARGIN * sizeof (float));
      memcpy (filtered + TL_HOST_MARGIN, row, host->row_cols * sizeof (float));
      memset (filtered + TL_HOST_MARGIN + host->row_cols, 0,
              (host->filtered_stride - TL_HOST_MARGIN - host->row_cols)
                  * sizeof (float));
    }
}

/* Combines in one factor per frequency: response, shift, the inverse of the
 * difference factor, and the 1 / length that FFTW leaves out. */
static void
fill_factors (const TlFilterArgs *args, double shift_cols,
              fftwf_complex *factors)
{
  const size_t half = args->length / 2;

  factors[0] = args->response[0] / (float)args->length;
  for (size_t k = 1; k <= half; k++)
    {
      const double turn = 2.0 * G_PI * (double)k / (double)args->length;
      const double size = (double)args->response[k] / (double)args->length;
      double complex shift = cexp (-I * turn * shift_cols);

      if (k == half)
        shift = creal (shift);
      factors[k] = (float complex) (size * shift / (1.0 - cexp (-I * turn)));
    }
}

gboolean
tl_host_filter (gpointer impl, const TlFilterArgs *args,
                GCancellable *cancellable, GError **error)
{
  g_auto (TlHostTimer) timer = tl_host_timer_start (impl, TL_STAGE_FILTER);
  TlHost *host = impl;
  const size_t n_lines = host->n_rows * host->n_projections;
  const size_t n_frequencies = args->length / 2 + 1;

  host->n_shifts = args->n_shifts;
  host->last_frequency = tl_fourier_find_last (args->response, args->length);
  if (!tl_host_buffer_resize (&host->factors, 1, args->n_shifts, n_frequencies,
                              sizeof (fftwf_complex), _ ("the filter"), error))
    return FALSE;
  for (size_t i = 0; i < args->n_shifts; i++)
    fill_factors (args, args->shift_cols[i],
                  (fftwf_complex *)host->factors.data + i * n_frequencies);
  /* The Fourier method needs no rows: it multiplies by the factors itself. */
  if (args->variant->is_fourier)
    return TRUE;

  host->filtered_stride =
      tl_host_round_up (host->row_cols + 2 * TL_HOST_MARGIN, 16);
  if (!tl_host_buffer_resize (&host->filtered, host->n_rows,
                              host->n_projections, host->filtered_stride,
                              sizeof (float), _ ("the filtered projections"),
                              error))
    return FALSE;
  FilterWork work = (FilterWork){ .host = host,
                                  .length = args->length,
                                  .cancellable = cancellable };
  tl_host_pool_run (host->pool, (n_lines + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM,
                    filter_lines, &work);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
