#include "gpu/host/centre-private.h"

#include "gpu/centre-private.h"
#include "gpu/host/plan-private.h"

#include "data/array.h"
#include "data/error.h"

#include <math.h>
#include <string.h>

/* What is wider than this part of a row is of the beam, or of no use. */
#define SMOOTH_PART 8
/* Zingers are so many times as far from a median as samples are on average, and
 * at least by so much of the standard deviation of all: grains are not. */
#define CUT 8.0
#define CUT_DEVIATION 0.8
/* Columns of the median that a ring stands out from, to either side. */
#define RING_REACH 5
/* How far it stands out, of what columns do. */
#define RING_EXCESS 6.0
/* The part of a row, at either end, that runs out. */
#define TAPER_PART 32
/* The same, of the columns that opposite projections share. */
#define SHARED_TAPER_PART 24
/* How far beyond the last projection, in steps, it is extrapolated. */
#define MAX_STEPS_BEYOND 1.5
#define SAME_ANGLE_RAD 1e-6

/* Copies the rows in the order of their angles, of those at the same angle the
 * first one. */
static void
sort_rows (TlCentreRows *rows, const TlCentreData *data)
{
  const size_t n = rows->n_projections;
  g_autofree size_t *order = tl_centre_order_angles (data);
  const double first_rad = data->angles_rad[order[0]];
  g_autofree double *steps = g_new0 (double, n);
  size_t n_kept = 0;
  for (size_t p = 0; p < n; p++)
    {
      const double angle = data->angles_rad[order[p]] - first_rad;
      if (n_kept > 0 && angle - rows->angles_rad[n_kept - 1] < SAME_ANGLE_RAD)
        continue;
      rows->angles_rad[n_kept] = angle;
      memcpy (rows->rows + n_kept * rows->n_cols,
              data->rows + order[p] * rows->n_cols,
              rows->n_cols * sizeof (float));
      if (n_kept > 0)
        steps[n_kept - 1] = angle - rows->angles_rad[n_kept - 1];
      n_kept++;
    }
  tl_sort_doubles (steps, n_kept - 1);
  rows->n_projections = n_kept;
  rows->step_rad = steps[(n_kept - 1) / 2];
  rows->range_rad = rows->angles_rad[n_kept - 1];
}

static size_t
get_smooth_reach (size_t n_cols)
{
  return MAX (n_cols / SMOOTH_PART / 2, 2);
}

double
tl_centre_rows_get_passed (const TlCentreRows *rows, size_t k)
{
  const double n = 2 * (double)get_smooth_reach (rows->n_cols) + 1;
  const double turn = G_PI * (double)k / (double)rows->length;
  const double mean = k > 0 ? sin (n * turn) / (n * sin (turn)) : 1;
  return (1 - mean) * (1 - mean);
}

/* Takes off the mean of the @reach columns to either side, the row's ends
 * repeated. @sums: room for n_cols + 1 */
static void
take_mean_off (float *row, size_t n_cols, size_t reach, double *sums)
{
  const double n = 2.0 * (double)reach + 1.0;
  const double first = row[0], last = row[n_cols - 1];
  sums[0] = 0;
  for (size_t k = 0; k < n_cols; k++)
    sums[k + 1] = sums[k] + row[k];
  for (size_t k = 0; k < n_cols; k++)
    {
      const size_t from = k > reach ? k - reach : 0;
      const size_t to = MIN (k + reach + 1, n_cols);
      const double before = (double)(k < reach ? reach - k : 0);
      const double behind =
          (double)(k + reach + 1 > n_cols ? k + reach + 1 - n_cols : 0);
      row[k] -=
          (float)((sums[to] - sums[from] + before * first + behind * last) / n);
    }
}

static float
median_of_5 (const float *v)
{
  float sorted[5];
  for (guint k = 0; k < 5; k++)
    {
      guint at = k;
      for (; at > 0 && sorted[at - 1] > v[k]; at--)
        sorted[at] = sorted[at - 1];
      sorted[at] = v[k];
    }
  return sorted[2];
}

/* A sample that is far from the median of its column's neighbours in angle and
 * from that of its row becomes the former. */
static gboolean
mend_zingers (TlCentreRows *rows, GError **error)
{
  const size_t n = rows->n_projections, n_cols = rows->n_cols;
  if (n < 5 || n_cols < 5)
    return TRUE;
  g_autofree float *medians = tl_try_alloc (n, n_cols, 1, sizeof (float),
                                            "the medians of a sinogram", error);
  if (medians == NULL)
    return FALSE;
  const double n_all = (double)(n * n_cols);
  double away = 0, sum = 0, square = 0;
  for (size_t p = 0; p < n; p++)
    for (size_t k = 0; k < n_cols; k++)
      {
        const size_t first = MIN (MAX (p, 2) - 2, n - 5);
        float window[5];
        for (size_t j = 0; j < 5; j++)
          window[j] = rows->rows[(first + j) * n_cols + k];
        medians[p * n_cols + k] = median_of_5 (window);
        const double median = medians[p * n_cols + k];
        away += fabs ((double)rows->rows[p * n_cols + k] - median);
        sum += median;
        square += median * median;
      }
  const double variance = MAX (square / n_all - sum / n_all * (sum / n_all), 0);
  const float limit =
      (float)MAX (CUT * away / n_all, CUT_DEVIATION * sqrt (variance));
  for (size_t p = 0; p < n; p++)
    for (size_t k = 0; k < n_cols; k++)
      {
        float *row = rows->rows + p * n_cols;
        const float *first = row + MIN (MAX (k, 2) - 2, n_cols - 5);
        const float median = medians[p * n_cols + k];
        if (fabsf (row[k] - median) > limit
            && fabsf (row[k] - median_of_5 (first)) > limit)
          row[k] = median;
      }
  return TRUE;
}

/* Mean of each column, and how far it stands out from those around it.
 * @excesses: (out): [n_cols], as @means */
static void
measure_columns (const TlCentreRows *rows, double *means, double *excesses)
{
  const size_t n_cols = rows->n_cols;
  for (size_t p = 0; p < rows->n_projections; p++)
    for (size_t k = 0; k < n_cols; k++)
      means[k] +=
          (double)rows->rows[p * n_cols + k] / (double)rows->n_projections;
  for (size_t k = 0; k < n_cols; k++)
    {
      double window[2 * RING_REACH + 1];
      const size_t from = k > RING_REACH ? k - RING_REACH : 0;
      const size_t to = MIN (k + RING_REACH + 1, n_cols);
      memcpy (window, means + from, (to - from) * sizeof *window);
      tl_sort_doubles (window, to - from);
      excesses[k] = means[k] - window[(to - from) / 2];
    }
}

/* Over a full turn all that the mean of a column holds beside the detector is
 * symmetric about the axis, and not needed. Over less it is not, and only what
 * stands out far is removed: some of the object stands out too. */
static void
remove_rings (TlCentreRows *rows)
{
  const size_t n_cols = rows->n_cols;
  const gboolean is_full = tl_centre_rows_is_full_turn (rows);
  g_autofree double *means = g_new0 (double, n_cols);
  g_autofree double *excesses = g_new (double, n_cols);
  g_autofree double *sizes = g_new (double, n_cols);
  measure_columns (rows, means, excesses);
  for (size_t k = 0; k < n_cols; k++)
    sizes[k] = fabs (excesses[k]);
  tl_sort_doubles (sizes, n_cols);
  const double limit = RING_EXCESS * sizes[n_cols / 2];
  for (size_t k = 0; k < n_cols; k++)
    {
      const double ring = is_full                      ? means[k]
                          : fabs (excesses[k]) > limit ? excesses[k]
                                                       : 0;
      for (size_t p = 0; p < rows->n_projections; p++)
        rows->rows[p * n_cols + k] -= (float)ring;
    }
}

static void
run_out (TlCentreRows *rows)
{
  const size_t n_cols = rows->n_cols, n = n_cols / TAPER_PART + 1;
  for (size_t k = 0; k < n; k++)
    {
      const float weight =
          (float)(0.5 - 0.5 * cos (G_PI * ((double)k + 0.5) / (double)n));
      for (size_t p = 0; p < rows->n_projections; p++)
        {
          rows->rows[p * n_cols + k] *= weight;
          rows->rows[p * n_cols + n_cols - 1 - k] *= weight;
        }
    }
}

gboolean
tl_centre_rows_transform (TlCentreRows *rows, GError **error)
{
  TlHostPlan *plan = NULL;
  TlHostPool *pool = tl_host_pool_new (1, error);
  if (pool == NULL)
    return FALSE;
  const gboolean good = tl_host_plan_prepare (&plan, pool, rows->length, error);
  for (size_t p = 0; good && p < rows->n_projections; p++)
    {
      float *row = tl_host_plan_get_row (plan, 0);
      memcpy (row, rows->rows + p * rows->n_cols,
              rows->n_cols * sizeof (float));
      memset (row + rows->n_cols, 0,
              (rows->length - rows->n_cols) * sizeof (float));
      fftwf_execute_dft_r2c (plan->forward, row,
                             rows->spectra + p * rows->stride);
    }
  g_clear_pointer (&plan, tl_host_plan_free);
  tl_host_pool_free (pool);
  return good;
}

TlCentreRows *
tl_centre_rows_new (const TlCentreData *data, TlCentreTreatment treatment,
                    GError **error)
{
  const size_t n_cols = data->n_cols, n = data->n_projections;
  g_autoptr (TlCentreRows) rows = g_new0 (TlCentreRows, 1);
  g_autofree double *sums = g_new (double, n_cols + 1);
  rows->n_projections = n;
  rows->n_cols = n_cols;
  rows->length = 16;
  while (rows->length < 2 * n_cols)
    rows->length *= 2;
  rows->n_frequencies = rows->length / 2 + 1;
  rows->stride = tl_host_round_up (rows->n_frequencies, 8);
  rows->angles_rad = g_new (double, n);
  rows->rows = tl_try_alloc (n, n_cols, 1, sizeof (float), "a sinogram", error);
  if (rows->rows == NULL
      || (treatment != TL_CENTRE_MENDED
          && !tl_host_buffer_resize (&rows->buffer, n, rows->stride, 1,
                                     sizeof (fftwf_complex),
                                     "the spectra of a sinogram", error)))
    return NULL;
  rows->spectra = rows->buffer.data;
  sort_rows (rows, data);
  if (!mend_zingers (rows, error))
    return NULL;
  if (treatment == TL_CENTRE_MENDED)
    return g_steal_pointer (&rows);
  for (size_t p = 0; p < rows->n_projections; p++)
    take_mean_off (rows->rows + p * n_cols, n_cols, get_smooth_reach (n_cols),
                   sums);
  if (treatment == TL_CENTRE_ALONE)
    remove_rings (rows);
  run_out (rows);
  if (!tl_centre_rows_transform (rows, error))
    return NULL;
  return g_steal_pointer (&rows);
}

void
tl_centre_rows_free (TlCentreRows *rows)
{
  if (rows == NULL)
    return;
  g_free (rows->angles_rad);
  g_free (rows->rows);
  tl_host_buffer_clear (&rows->buffer);
  g_free (rows);
}

gboolean
tl_centre_rows_is_full_turn (const TlCentreRows *rows)
{
  return rows->range_rad > 2 * G_PI - MAX_STEPS_BEYOND * rows->step_rad;
}

gboolean
tl_centre_rows_keep_shared (TlCentreRows *rows, double centre, GError **error)
{
  const double last = (double)rows->n_cols - 1;
  const double low = MAX (0, 2 * centre - last);
  const double high = MIN (last, 2 * centre);
  const double reach = (high - low) / SHARED_TAPER_PART + 1;
  for (size_t k = 0; k < rows->n_cols; k++)
    {
      const double inside = MIN ((double)k - low, high - (double)k) + 0.5;
      const double part = CLAMP (inside / reach, 0, 1);
      const float weight = (float)(0.5 - 0.5 * cos (G_PI * part));
      if (weight < 1)
        for (size_t p = 0; p < rows->n_projections; p++)
          rows->rows[p * rows->n_cols + k] *= weight;
    }
  return tl_centre_rows_transform (rows, error);
}

/* Lagrange's polynomial through four projections, two at the ends. */
void
tl_centre_rows_interpolate (const TlCentreRows *rows, double angle_rad,
                            fftwf_complex *spectrum)
{
  const size_t n = rows->n_projections;
  const double *angles = rows->angles_rad;
  size_t low = 0, high = n - 1;
  while (high - low > 1)
    {
      const size_t middle = (low + high) / 2;
      if (angles[middle] <= angle_rad)
        low = middle;
      else
        high = middle;
    }
  const gboolean is_inner = low > 0 && high < n - 1;
  const size_t first = is_inner ? low - 1 : low;
  const size_t last = is_inner ? high + 1 : high;
  memset (spectrum, 0, rows->n_frequencies * sizeof *spectrum);
  for (size_t p = first; p <= last; p++)
    {
      double weight = 1;
      for (size_t other = first; other <= last; other++)
        if (other != p)
          weight *= (angle_rad - angles[other]) / (angles[p] - angles[other]);
      if (fabs (weight) < 1e-9)
        continue;
      const fftwf_complex *from = rows->spectra + p * rows->stride;
      for (size_t k = 0; k < rows->n_frequencies; k++)
        spectrum[k] += (float)weight * from[k];
    }
}
