#include "gpu/centre/rows-private.h"
#include "gpu/centre/centre-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Variations wider than this fraction of a row come from the beam or do not
 * help to find the axis. */
#define SMOOTH_PART 8
/* The same where some degrees are missing and only low frequencies are left. */
#define SHORT_SMOOTH_PART 4
/* A ring stands out from the median of this many columns to either side. */
#define RING_REACH 5
/* A column is a ring if its excess is this many times the median excess. */
#define RING_EXCESS 6.0
/* The fraction of a row, at either end, that fades out. */
#define TAPER_PART 32
/* The same fraction for the columns that opposite projections share. */
#define SHARED_TAPER_PART 24
#define SAME_ANGLE_RAD 1e-6
/* Angles closer than this fraction of a step count as equal. */
#define TINY_STEP 1e-3
/* Where degrees are missing, measured errors grow beyond the uncertainty: they
 * are twice as large where so many are missing. */
#define CAUTION_DEG 5.0
/* There, only frequencies are used at which the edge of a
 * row moves by less than this part of a period in it. */
#define MAX_MOVED 0.5
/* The widest gap between two angles across which four projections are
 * interpolated, in steps. */
#define MAX_GAP_STEPS 5

/* Copies the rows in the order of their angles; of rows at the same angle, only
 * the first. */
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

double
tl_centre_rows_get_missing (const TlCentreRows *rows)
{
  const double missing = G_PI - rows->range_rad;
  return missing > TL_CENTRE_MAX_STEPS_BEYOND * rows->step_rad ? missing : 0;
}

double
tl_centre_rows_get_caution (const TlCentreRows *rows)
{
  const double part =
      tl_centre_rows_get_missing (rows) * 180 / G_PI / CAUTION_DEG;
  return 1 + part * part;
}

size_t
tl_centre_rows_count_frequencies (const TlCentreRows *rows)
{
  const double moved =
      tl_centre_rows_get_missing (rows) * (double)rows->n_cols / 2;
  const double most = MAX_MOVED * (double)rows->length;
  return most < moved * (double)rows->n_frequencies ? (size_t)(most / moved)
                                                    : rows->n_frequencies;
}

static size_t
get_smooth_reach (const TlCentreRows *rows)
{
  const size_t part =
      tl_centre_rows_get_missing (rows) > 0 ? SHORT_SMOOTH_PART : SMOOTH_PART;
  return MAX (rows->n_cols / part / 2, 2);
}

double
tl_centre_rows_get_passed (const TlCentreRows *rows, size_t k)
{
  const double n = 2 * (double)get_smooth_reach (rows) + 1;
  const double turn = G_PI * (double)k / (double)rows->length;
  const double mean = k > 0 ? sin (n * turn) / (n * sin (turn)) : 1;
  return (1 - mean) * (1 - mean);
}

/* Subtracts from row @p the running mean of the columns to either side; the
 * ends of the row are repeated. */
static void
take_mean_off (size_t p, guint worker, gpointer data)
{
  const TlCentreRows *rows = data;
  const size_t n_cols = rows->n_cols, reach = get_smooth_reach (rows);
  float *row = rows->rows + p * n_cols;
  g_autofree double *sums = g_new (double, n_cols + 1);
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

/* Computes the mean of each column and its excess over the median of the
 * columns around it.
 * @excesses: (out): [n_cols], as @means */
static void
measure_columns (const TlCentreRows *rows, double *means, double *excesses)
{
  const size_t n_cols = rows->n_cols;
  const double n = (double)rows->n_projections;
  for (size_t p = 0; p < rows->n_projections; p++)
    for (size_t k = 0; k < n_cols; k++)
      means[k] += (double)rows->rows[p * n_cols + k] / n;
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

/* Removes the traces of single columns. Over a full turn, the mean of a column
 * holds the pattern of the detector and a part of the object that is symmetric
 * about the axis. That part is not needed, so the whole mean is subtracted.
 * Over less than a full turn it is needed, so only the excess of columns that
 * stand out far is removed; the object may stand out a little too. */
static void
remove_rings (TlCentreRows *rows)
{
  const size_t n_cols = rows->n_cols;
  const gboolean is_full =
      rows->n_projections > 1 && tl_centre_rows_is_full_turn (rows);
  g_autofree double *means = g_new0 (double, n_cols);
  g_autofree double *excesses = g_new (double, n_cols);
  g_autofree double *sizes = g_new (double, n_cols);
  measure_columns (rows, means, excesses);
  for (size_t k = 0; k < n_cols; k++)
    sizes[k] = fabs (excesses[k]);
  tl_sort_doubles (sizes, n_cols);
  const double limit = RING_EXCESS * sizes[n_cols / 2];
  g_autofree float *rings = g_new0 (float, n_cols);
  for (size_t k = 0; k < n_cols; k++)
    if (is_full || fabs (excesses[k]) > limit)
      rings[k] = (float)(is_full ? means[k] : excesses[k]);
  for (size_t p = 0; p < rows->n_projections; p++)
    for (size_t k = 0; k < n_cols; k++)
      rows->rows[p * n_cols + k] -= rings[k];
}

/* Returns: the weight of a column at a distance of @inside columns from an end
 * that fades out over @reach columns */
static double
taper (double inside, double reach)
{
  return 0.5 - 0.5 * cos (G_PI * CLAMP ((inside + 0.5) / reach, 0, 1));
}

/* Returns: the weight of column @col by its distance from the ends of the
 * detector */
static double
taper_of_row (const TlCentreRows *rows, double col)
{
  const size_t reach = rows->n_cols / TAPER_PART + 1;
  return taper (MIN (col, (double)rows->n_cols - 1 - col), (double)reach);
}

static void
weigh (TlCentreRows *rows, const float *weights)
{
  for (size_t p = 0; p < rows->n_projections; p++)
    for (size_t k = 0; k < rows->n_cols; k++)
      rows->rows[p * rows->n_cols + k] *= weights[k];
}

static void
run_out (TlCentreRows *rows)
{
  g_autofree float *weights = g_new (float, rows->n_cols);
  for (size_t k = 0; k < rows->n_cols; k++)
    weights[k] = (float)taper_of_row (rows, (double)k);
  weigh (rows, weights);
}

static void
transform_row (size_t p, guint worker, gpointer data)
{
  const TlCentreRows *rows = data;
  float *row = tl_host_plan_get_row (rows->plan, worker);
  memcpy (row, rows->rows + p * rows->n_cols, rows->n_cols * sizeof (float));
  memset (row + rows->n_cols, 0,
          (rows->length - rows->n_cols) * sizeof (float));
  fftwf_execute_dft_r2c (rows->plan->forward, row,
                         rows->spectra + p * rows->stride);
}

static gboolean
transform (TlCentreRows *rows, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (rows->cancellable, error)
      || !tl_host_plan_prepare (&rows->plan, rows->pool, rows->length, error))
    return FALSE;
  tl_host_pool_run (rows->pool, rows->n_projections, transform_row, rows);
  return TRUE;
}

gboolean
tl_centre_rows_lack_angles (const TlCentreRows *rows, const char *because,
                            TlCentreEstimate *estimate)
{
  return tl_centre_cannot_tell (estimate,
                                _ ("%s; the scan covers %.4g degrees"), because,
                                rows->range_rad * 180 / G_PI);
}

gboolean
tl_centre_rows_blame_missing (const TlCentreRows *rows,
                              TlCentreEstimate *estimate)
{
  g_autofree char *because = g_strdup (estimate->reason);
  return tl_centre_rows_get_missing (rows) > 0
             ? tl_centre_rows_lack_angles (rows, because, estimate)
             : TRUE;
}

void
tl_centre_rows_free (TlCentreRows *rows)
{
  if (rows == NULL)
    return;
  g_free (rows->angles_rad);
  g_free (rows->rows);
  tl_host_buffer_clear (&rows->buffer);
  g_clear_pointer (&rows->plan, tl_host_plan_free);
  g_free (rows);
}

/* Returns: how far beyond an end the scan may be continued */
static double
get_beyond (const TlCentreRows *rows)
{
  return MAX (TL_CENTRE_MAX_STEPS_BEYOND * rows->step_rad,
              TL_CENTRE_MAX_MISSING_DEG * G_PI / 180
                  + (1 + TINY_STEP) * rows->step_rad);
}

gboolean
tl_centre_rows_is_full_turn (const TlCentreRows *rows)
{
  return rows->range_rad > 2 * G_PI - get_beyond (rows);
}

gboolean
tl_centre_rows_is_half_turn (const TlCentreRows *rows)
{
  return rows->range_rad >= G_PI - get_beyond (rows);
}

gboolean
tl_centre_rows_keep_shared (TlCentreRows *rows, double centre, GError **error)
{
  const double last = (double)rows->n_cols - 1;
  const double low = MAX (0, 2 * centre - last);
  const double high = MIN (last, 2 * centre);
  const double reach = (high - low) / SHARED_TAPER_PART + 1;
  g_autofree float *weights = g_new (float, rows->n_cols);
  for (size_t k = 0; k < rows->n_cols; k++)
    {
      const double inside = MIN ((double)k - low, high - (double)k);
      /* The mirror image must fade out like the row itself; otherwise the
       * fading would shift the centre. */
      weights[k] = (float)(taper (inside, reach)
                           * taper_of_row (rows, 2 * centre - (double)k));
    }
  weigh (rows, weights);
  return transform (rows, error);
}

/* Returns: the projection at @angle_rad or the last before it, but not the last
 * of all */
static size_t
find_interval (const TlCentreRows *rows, double angle_rad)
{
  size_t low = 0, high = rows->n_projections - 1;
  while (high - low > 1)
    {
      const size_t middle = (low + high) / 2;
      if (rows->angles_rad[middle] <= angle_rad)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static gboolean
is_wide_gap (const TlCentreRows *rows, size_t before)
{
  return rows->angles_rad[before + 1] - rows->angles_rad[before]
         > MAX_GAP_STEPS * rows->step_rad;
}

/* Returns: whether @angle_rad lies between two projections that are too far
 * apart to stand for one at that angle */
static gboolean
is_in_wide_gap (const TlCentreRows *rows, double angle_rad)
{
  const double tiny = TINY_STEP * rows->step_rad;
  const size_t before = find_interval (rows, angle_rad);
  return is_wide_gap (rows, before)
         && angle_rad > rows->angles_rad[before] + tiny
         && angle_rad < rows->angles_rad[before + 1] - tiny;
}

gboolean
tl_centre_rows_is_outside (const TlCentreRows *rows, double angle_rad)
{
  const double tiny = TINY_STEP * rows->step_rad;
  return angle_rad < -tiny || angle_rad > rows->range_rad + tiny;
}

gboolean
tl_centre_rows_find_opposite (const TlCentreRows *rows, size_t p,
                              double *opposite_rad)
{
  const double beyond = get_beyond (rows);
  const double tiny = TINY_STEP * rows->step_rad;
  const double up = rows->angles_rad[p] + G_PI;
  const double down = rows->angles_rad[p] - G_PI;
  const double above = p == 0 ? beyond : tiny;
  const double below = p == rows->n_projections - 1 ? -beyond : -tiny;
  const gboolean is_up = up <= rows->range_rad + above;
  *opposite_rad = is_up ? up : down;
  return (is_up || down >= below) && !is_in_wide_gap (rows, *opposite_rad);
}

/* Projections whose weighted sum stands for one at another angle. */
typedef struct
{
  size_t n;
  size_t numbers[4];
  double weights[4];
} Mix;

/* Chooses the projections from which one at @angle_rad is interpolated: four,
 * or two at the ends of the scan and across a wide gap. Beyond an end, the
 * second one is as far from the end as @angle_rad, because nearer ones would
 * multiply the noise. */
static void
choose_projections (const TlCentreRows *rows, double angle_rad, Mix *mix)
{
  const double tiny = TINY_STEP * rows->step_rad;
  const size_t n = rows->n_projections, low = find_interval (rows, angle_rad);
  size_t *numbers = mix->numbers;
  *mix = (Mix){ .n = 2, .numbers = { low, low + 1 } };
  if (angle_rad < 0)
    while (numbers[1] < n - 1
           && rows->angles_rad[numbers[1]] < -angle_rad - tiny)
      numbers[1]++;
  else if (angle_rad > rows->range_rad)
    while (numbers[0] > 0
           && rows->range_rad - rows->angles_rad[numbers[0]]
                  < angle_rad - rows->range_rad - tiny)
      numbers[0]--;
  else if (low > 0 && low + 2 < n && !is_wide_gap (rows, low))
    *mix = (Mix){ .n = 4, .numbers = { low - 1, low, low + 1, low + 2 } };
}

/* Computes the weights of Lagrange's polynomial. */
static Mix
mix_projections (const TlCentreRows *rows, double angle_rad)
{
  const double *angles = rows->angles_rad;
  Mix mix;
  choose_projections (rows, angle_rad, &mix);
  for (size_t i = 0; i < mix.n; i++)
    {
      mix.weights[i] = 1;
      for (size_t j = 0; j < mix.n; j++)
        if (j != i)
          mix.weights[i] *= (angle_rad - angles[mix.numbers[j]])
                            / (angles[mix.numbers[i]] - angles[mix.numbers[j]]);
    }
  return mix;
}

void
tl_centre_rows_interpolate (const TlCentreRows *rows, double angle_rad,
                            fftwf_complex *spectrum)
{
  const Mix mix = mix_projections (rows, angle_rad);
  memset (spectrum, 0, rows->n_frequencies * sizeof *spectrum);
  for (size_t i = 0; i < mix.n; i++)
    {
      if (fabs (mix.weights[i]) < 1e-9)
        continue;
      const fftwf_complex *from = rows->spectra + mix.numbers[i] * rows->stride;
      for (size_t k = 0; k < rows->n_frequencies; k++)
        spectrum[k] += (float)mix.weights[i] * from[k];
    }
}

/* Replaces the first row by the mean of all projections that have an opposite
 * one, and of these opposite projections. */
static void
sum_rows (TlCentreRows *rows)
{
  const size_t n = rows->n_projections, n_cols = rows->n_cols;
  g_autofree double *parts = g_new0 (double, n);
  g_autofree double *sum = g_new0 (double, n_cols);
  double total = 0, opposite_rad;
  for (size_t p = 0; p < n; p++)
    {
      if (!tl_centre_rows_find_opposite (rows, p, &opposite_rad))
        continue;
      const Mix mix = mix_projections (rows, opposite_rad);
      for (size_t i = 0; i < mix.n; i++)
        parts[mix.numbers[i]] += mix.weights[i];
      parts[p] += 1;
      total += 2;
      rows->n_summed += opposite_rad > rows->angles_rad[p];
    }
  for (size_t p = 0; p < n; p++)
    for (size_t k = 0; fabs (parts[p]) > 0 && k < n_cols; k++)
      sum[k] += parts[p] / total * (double)rows->rows[p * n_cols + k];
  for (size_t k = 0; k < n_cols; k++)
    rows->rows[k] = (float)sum[k];
  rows->n_projections = 1;
}

/* Several estimators run at once, each in a thread of its own. They share the
 * threads of one pool, which lives as long as the program: otherwise each would
 * start as many as there are processors. Returns: (transfer none) */
static TlHostPool *
get_pool (GError **error)
{
  static GMutex lock;
  static TlHostPool *pool;

  g_mutex_lock (&lock);
  if (pool == NULL)
    pool = tl_host_pool_new (g_get_num_processors (), error);
  g_mutex_unlock (&lock);
  return pool;
}

TlCentreRows *
tl_centre_rows_new (const TlCentreData *data, TlCentreTreatment treatment,
                    GError **error)
{
  const size_t n_cols = data->n_cols, n = data->n_projections;
  g_autoptr (TlCentreRows) rows = g_new0 (TlCentreRows, 1);
  rows->n_projections = n;
  rows->n_cols = n_cols;
  rows->length = 16;
  while (rows->length < 2 * n_cols)
    rows->length *= 2;
  rows->n_frequencies = rows->length / 2 + 1;
  rows->stride = tl_host_round_up (rows->n_frequencies, 8);
  rows->angles_rad = g_new (double, n);
  rows->cancellable = data->cancellable;
  rows->pool = get_pool (error);
  if (rows->pool == NULL)
    return NULL;
  rows->rows =
      tl_try_alloc (n, n_cols, 1, sizeof (float), _ ("a sinogram"), error);
  if (rows->rows == NULL
      || (treatment != TL_CENTRE_MENDED
          && !tl_host_buffer_resize (&rows->buffer, n, rows->stride, 1,
                                     sizeof (fftwf_complex),
                                     _ ("the spectra of a sinogram"), error)))
    return NULL;
  rows->spectra = rows->buffer.data;
  sort_rows (rows, data);
  if (!tl_centre_cut_zingers (rows->pool, rows->rows, rows->n_projections,
                              n_cols, error)
      || g_cancellable_set_error_if_cancelled (rows->cancellable, error))
    return NULL;
  if (treatment == TL_CENTRE_MENDED)
    return g_steal_pointer (&rows);
  if (treatment == TL_CENTRE_SUMMED)
    {
      sum_rows (rows);
      /* Rings are removed first, because they stand out clearly in a smooth
       * sum. */
      remove_rings (rows);
    }
  tl_host_pool_run (rows->pool, rows->n_projections, take_mean_off, rows);
  if (treatment == TL_CENTRE_ALONE)
    remove_rings (rows);
  run_out (rows);
  if (!transform (rows, error))
    return NULL;
  return g_steal_pointer (&rows);
}

TlCentreRows *
tl_centre_rows_begin (const TlCentreData *data, TlCentreMethod method,
                      TlCentreTreatment treatment, TlCentreEstimate *estimate,
                      GError **error)
{
  *estimate = (TlCentreEstimate){ .method = method,
                                  .centre_col = NAN,
                                  .uncertainty_col = NAN };
  return tl_centre_rows_new (data, treatment, error);
}
