#include "gpu/centre/figures.h"
#include "gpu/centre/centre-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Columns and projections are averaged down to at most these numbers. */
#define FINE_COLS 512
#define FINE_PROJECTIONS 768
#define COARSE_COLS 128
#define COARSE_PROJECTIONS 192

#define N_FIGURES TL_N_SHARPNESSES
#define N_QUARTERS TL_N_QUARTERS

/* The last sweep has FINE_STEPS steps of FINE_STEP columns to either side. A
 * parabola is fitted to FIT_REACH points to either side of the best one. If the
 * best point lies closer than that to an end, the sweep is repeated around it,
 * up to MAX_PASSES in all. */
#define FINE_STEP 0.25
#define FINE_STEPS 8
#define FIT_REACH 4
#define MAX_PASSES 4
/* The number of passes without a guess. The coarse search over the whole range
 * ends close to the optimum, and without an optimum more passes would not help.
 */
#define MAX_ALONE 2
/* From this many standard deviations on, the correlation of neighbouring
 * projections is not noise. */
#define MIN_DEVIATIONS 6.0
/* CAUTION widens the uncertainty, because four quarters are few. The limits of
 * the uncertainty are in averaged columns. */
#define CAUTION 1.2
#define MIN_UNCERTAINTY 0.03
#define MAX_UNCERTAINTY 1.0

/* The averaged data, and the current sweep of the centre over them. */
typedef struct
{
  TlEngine *engine;
  GCancellable *cancellable; /* (nullable), lent */
  size_t n_projections, n_cols;
  double bin;  /* columns of the data per averaged column */
  float *rows; /* [n_projections][n_cols] */
  double *angles_rad;
  TlCentreRays rays;
  TlParams params;
  float low, high; /* of the histogram; equal before the first slice */

  double first_col, step; /* of the sweep, in averaged columns */
  size_t n;
  TlSharpness *sharpness; /* [n] */
} Averaged;

static void
averaged_clear (Averaged *averaged)
{
  g_clear_pointer (&averaged->rows, g_free);
  g_clear_pointer (&averaged->angles_rad, g_free);
  g_clear_pointer (&averaged->sharpness, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Averaged, averaged_clear)

/* Averages neighbouring columns, and projections in the order of their angles.
 */
static gboolean
averaged_init (Averaged *averaged, const TlCentreData *data,
               size_t max_projections, size_t max_cols, GError **error)
{
  const size_t by_cols = (data->n_cols + max_cols - 1) / max_cols;
  const size_t by_rows =
      (data->n_projections + max_projections - 1) / max_projections;
  const float part = 1.0f / (float)(by_cols * by_rows);
  g_autofree size_t *order = tl_centre_order_angles (data);
  averaged->n_cols = data->n_cols / by_cols;
  averaged->n_projections = data->n_projections / by_rows;
  averaged->bin = (double)by_cols;
  averaged->cancellable = data->cancellable;
  averaged->rows = g_try_malloc0_n (averaged->n_projections * averaged->n_cols,
                                    sizeof (float));
  averaged->angles_rad = g_new0 (double, averaged->n_projections);
  if (averaged->rows == NULL)
    return tl_fail (error, TL_ERROR_MEMORY,
                    _ ("not enough memory to look for the sharpest slice"));
  for (size_t p = 0; p < averaged->n_projections; p++)
    for (size_t i = 0; i < by_rows; i++)
      {
        const size_t number = order[p * by_rows + i];
        const float *from = data->rows + number * data->n_cols;
        averaged->angles_rad[p] += data->angles_rad[number] / (double)by_rows;
        for (size_t k = 0; k < averaged->n_cols; k++)
          for (size_t j = 0; j < by_cols; j++)
            averaged->rows[p * averaged->n_cols + k] +=
                from[k * by_cols + j] * part;
      }
  averaged->rays = tl_centre_sees_twice (data->angles_rad, data->n_projections)
                       ? TL_CENTRE_RAYS_TWICE
                       : TL_CENTRE_RAYS_ONCE;
  tl_params_init (&averaged->params, averaged->n_cols);
  averaged->params.flat_field = averaged->params.minus_log = FALSE;
  averaged->params.filter = TL_FILTER_HANN;
  /* All slices are compared, so none may be made in another way where memory is
   * refused. */
  averaged->params.method = TL_METHOD_BACKPROJECTION;
  return TRUE;
}

static gboolean
averaged_load (const Averaged *averaged, GError **error)
{
  const TlBlock block = {
    .n_projections = averaged->n_projections,
    .n_rows = 1,
    .n_cols = averaged->n_cols,
    .type = TL_SAMPLE_F32,
    .samples = averaged->rows,
    .angles_rad = averaged->angles_rad,
  };
  return tl_engine_load (averaged->engine, &block, error);
}

/* Returns: whether neighbouring projections correlate after the means of
 * columns and rows are subtracted. For pure noise the tested quantity is a
 * normal deviate. */
static gboolean
holds_object (const Averaged *averaged)
{
  const size_t n = averaged->n_projections, n_cols = averaged->n_cols;
  g_autofree double *means = g_new0 (double, n_cols);
  g_autofree double *row = g_new (double, n_cols);
  g_autofree double *before = g_new0 (double, n_cols);
  double sum = 0, square = 0;
  for (size_t p = 0; p < n; p++)
    for (size_t k = 0; k < n_cols; k++)
      means[k] += (double)averaged->rows[p * n_cols + k] / (double)n;
  for (size_t p = 0; p < n; p++)
    {
      double mean = 0;
      for (size_t k = 0; k < n_cols; k++)
        {
          row[k] = (double)averaged->rows[p * n_cols + k] - means[k];
          mean += row[k] / (double)n_cols;
        }
      for (size_t k = 0; k < n_cols; k++)
        {
          const double product = (row[k] - mean) * before[k];
          sum += product;
          square += product * product;
          before[k] = row[k] - mean;
        }
    }
  return sum > MIN_DEVIATIONS * sqrt (square) && square > 0;
}

/* Converts columns of the data to averaged columns; from_averaged() does the
 * reverse. */
static double
to_averaged (const Averaged *averaged, double col)
{
  return (col - (averaged->bin - 1) / 2) / averaged->bin;
}

static double
from_averaged (const Averaged *averaged, double col)
{
  return col * averaged->bin + (averaged->bin - 1) / 2;
}

/* Computes the part of the range that lies on the detector, in averaged
 * columns. */
static void
get_ends (const Averaged *averaged, const TlCentreData *data, double *first_col,
          double *last_col)
{
  const double last = (double)averaged->n_cols - 1;
  *first_col = CLAMP (to_averaged (averaged, data->first_col), 0, last);
  *last_col = CLAMP (to_averaged (averaged, data->last_col), 0, last);
}

/* Reconstructs and measures a slice for each of @n centres from @first_col on.
 * Centres beyond the detector are left out; at least one must remain. */
static gboolean
sweep (Averaged *averaged, double first_col, double step, size_t n,
       GError **error)
{
  const double last = (double)averaged->n_cols - 1;
  const double before = ceil (MAX (-first_col / step, 0));
  const double behind =
      ceil (MAX ((first_col + step * (double)(n - 1) - last) / step, 0));
  n -= (size_t)(before + behind);
  averaged->first_col = first_col + step * before;
  averaged->step = step;
  averaged->n = n;
  g_free (averaged->sharpness);
  averaged->sharpness = g_new0 (TlSharpness, n);
  const double middle = averaged->first_col + step * (double)(n - 1) / 2;
  const double radius =
      MAX (MIN (middle, last - middle), (double)averaged->n_cols / 8) * 0.9;
  const size_t size = MIN (2 * (size_t)ceil (radius) + 3, averaged->n_cols);
  averaged->params.grid = tl_grid_full (size);
  for (size_t k = 0; k < n; k++)
    {
      averaged->params.centre_col = averaged->first_col + step * (double)k;
      g_autoptr (TlFrame) frame = tl_engine_reconstruct (
          averaged->engine, &averaged->params, averaged->cancellable, error);
      if (frame == NULL
          || !tl_centre_find_range (averaged->engine, frame, &averaged->low,
                                    &averaged->high, error)
          || !tl_engine_measure_sharpness (averaged->engine, frame, 0, radius,
                                           averaged->low, averaged->high,
                                           &averaged->sharpness[k], error))
        return FALSE;
    }
  return TRUE;
}

/* --- the centre by the figures --- */

/* Returns: the sum of one figure over the quarters of slice @k. @left_out: the
 * quarter to leave out; N_QUARTERS: none */
static double
get_figure (const Averaged *averaged, size_t k, guint figure, guint left_out)
{
  const double *values = averaged->sharpness[k].figures[figure];
  double sum = 0;
  for (guint quarter = 0; quarter < N_QUARTERS; quarter++)
    if (quarter != left_out)
      sum += values[quarter];
  return sum;
}

/* Fits a parabola to the points around @best by least squares. @slope, @bend:
 * (out): its first and second derivative at @best, per step */
static void
fit_parabola (const Averaged *averaged, size_t best, guint figure,
              guint left_out, double *slope, double *bend)
{
  const double n = 2 * (double)FIT_REACH + 1;
  double s2 = 0, s4 = 0, sy = 0, sxy = 0, sxxy = 0;
  for (size_t k = best - FIT_REACH; k <= best + FIT_REACH; k++)
    {
      const double x = (double)k - (double)best;
      const double y = get_figure (averaged, k, figure, left_out)
                       - get_figure (averaged, best, figure, left_out);
      s2 += x * x;
      s4 += x * x * x * x;
      sy += y;
      sxy += x * y;
      sxxy += x * x * y;
    }
  *slope = sxy / s2;
  *bend = 2 * (n * sxxy - s2 * sy) / (n * s4 - s2 * s2);
}

/* Returns: the maximum of the parabola, averaged columns; NaN if it has none
 * between its points */
static double
find_vertex (const Averaged *averaged, size_t best, guint figure,
             guint left_out)
{
  double slope, bend;
  fit_parabola (averaged, best, figure, left_out, &slope, &bend);
  const double vertex = -slope / bend;
  return bend < 0 && fabs (vertex) <= FIT_REACH
             ? averaged->first_col + averaged->step * ((double)best + vertex)
             : NAN;
}

/* Returns: whether at least all but one of the quarters have a maximum near
 * @best. */
static gboolean
is_common (const Averaged *averaged, size_t best, guint figure)
{
  double slope, all;
  guint n_common = 0;
  fit_parabola (averaged, best, figure, N_QUARTERS, &slope, &all);
  for (guint quarter = 0; quarter < N_QUARTERS; quarter++)
    {
      double others;
      fit_parabola (averaged, best, figure, quarter, &slope, &others);
      n_common += all - others < 0;
    }
  return n_common >= N_QUARTERS - 1;
}

static gboolean
is_telling (const Averaged *averaged, guint figure)
{
  return tl_centre_figure_tells (figure, averaged->rays);
}

/* Combines the figures that depend on the centre. @values: (out): [n] */
static void
combine (const Averaged *averaged, double *values)
{
  g_autofree double *sums = g_new (double, averaged->n *N_FIGURES);
  for (size_t k = 0; k < averaged->n; k++)
    for (guint figure = 0; figure < N_FIGURES; figure++)
      sums[k * N_FIGURES + figure] =
          get_figure (averaged, k, figure, N_QUARTERS);
  tl_centre_combine (sums, averaged->n, averaged->rays, values);
}

/* Returns: the best centre of the sweep by the combined figures, in columns of
 * the data */
static double
find_best_col (const Averaged *averaged)
{
  g_autofree double *values = g_new (double, averaged->n);
  size_t best = 0;
  combine (averaged, values);
  for (size_t k = 1; k < averaged->n; k++)
    if (values[k] > values[best])
      best = k;
  return from_averaged (averaged,
                        averaged->first_col + averaged->step * (double)best);
}

/* Searches the whole range on coarsely averaged data. @guess_col, @reach_col:
 * (out): where to search finely */
static gboolean
search (TlEngine *engine, const TlCentreData *data, double *guess_col,
        double *reach_col, GError **error)
{
  g_auto (Averaged) averaged = { .engine = engine };
  if (!averaged_init (&averaged, data, COARSE_PROJECTIONS, COARSE_COLS, error)
      || !averaged_load (&averaged, error))
    return FALSE;
  double first, last;
  get_ends (&averaged, data, &first, &last);
  if (!sweep (&averaged, first, 1, (size_t)(last - first) + 1, error))
    return FALSE;
  *guess_col = find_best_col (&averaged);
  *reach_col = 2 * averaged.bin;
  return TRUE;
}

/* Sweeps around @guess_col, first in steps of an averaged column, then in finer
 * steps. */
static gboolean
approach (Averaged *averaged, const TlCentreData *data, double guess_col,
          double reach_col, guint max_passes, GError **error)
{
  const double reach = ceil (reach_col / averaged->bin);
  double first, last;
  get_ends (averaged, data, &first, &last);
  double middle = CLAMP (to_averaged (averaged, guess_col), first, last);
  if (reach > 1)
    {
      if (!sweep (averaged, middle - reach, 1, 2 * (size_t)reach + 1, error))
        return FALSE;
      middle = to_averaged (averaged, find_best_col (averaged));
    }
  for (guint pass = 0; pass < max_passes; pass++)
    {
      middle = CLAMP (middle, first, last);
      if (!sweep (averaged, middle - FINE_STEPS * FINE_STEP, FINE_STEP,
                  2 * FINE_STEPS + 1, error))
        return FALSE;
      const double best = to_averaged (averaged, find_best_col (averaged));
      if (fabs (best - middle) <= FINE_STEP * (FINE_STEPS - FIT_REACH))
        break;
      middle = best;
    }
  return TRUE;
}

/* Returns: %FALSE if the figure has no optimum, or if the quarters of the slice
 * have no common optimum */
static gboolean
find_optimum (const Averaged *averaged, guint figure, double *centre_col,
              double *uncertainty_col)
{
  size_t best = 0;
  double sum = 0;
  for (size_t k = 1; k < averaged->n; k++)
    if (get_figure (averaged, k, figure, N_QUARTERS)
        > get_figure (averaged, best, figure, N_QUARTERS))
      best = k;
  if (best < FIT_REACH || best + FIT_REACH >= averaged->n
      || !is_common (averaged, best, figure))
    return FALSE;
  const double all = find_vertex (averaged, best, figure, N_QUARTERS);
  for (guint quarter = 0; quarter < N_QUARTERS; quarter++)
    {
      const double away = find_vertex (averaged, best, figure, quarter) - all;
      sum += away * away * (N_QUARTERS - 1) / N_QUARTERS;
    }
  *centre_col = from_averaged (averaged, all);
  *uncertainty_col =
      CAUTION * averaged->bin * sqrt (sum) + MIN_UNCERTAINTY * averaged->bin;
  return *uncertainty_col < MAX_UNCERTAINTY * averaged->bin;
}

/* [rays are measured twice][one figure alone found an optimum]
 */
static const char *const reasons[2][2] = {
  { N_ ("entropy and negativity of slices of %zu columns"),
    N_ ("one of entropy and negativity of slices of %zu columns") },
  { N_ ("squared gradient and standard deviation of slices of %zu columns"),
    N_ ("one of squared gradient and standard deviation of slices of %zu "
        "columns") }
};

/* Sets @estimate to the mean of the figures' optima, weighted by their
 * uncertainties. */
static gboolean
conclude (const Averaged *averaged, const TlCentreData *data,
          TlCentreEstimate *estimate)
{
  double centres[N_FIGURES], weights[N_FIGURES];
  double total = 0, mean = 0, square = 0;
  guint n_found = 0, n_asked = 0;
  for (guint figure = 0; figure < N_FIGURES; figure++)
    {
      double uncertainty_col;
      weights[figure] = 0;
      n_asked += is_telling (averaged, figure);
      if (!is_telling (averaged, figure)
          || !find_optimum (averaged, figure, &centres[figure],
                            &uncertainty_col))
        continue;
      weights[figure] = 1 / (uncertainty_col * uncertainty_col);
      total += weights[figure];
      n_found++;
    }
  if (n_found == 0)
    return tl_centre_cannot_tell (
        estimate, _ ("no slice is sharper than its neighbours"));
  for (guint figure = 0; figure < N_FIGURES; figure++)
    mean += weights[figure] > 0 ? weights[figure] / total * centres[figure] : 0;
  if (mean < data->first_col + averaged->bin
      || mean > data->last_col - averaged->bin)
    return tl_centre_cannot_tell (
        estimate, _ ("the sharpest slice is at the end of the range"));
  for (guint figure = 0; figure < N_FIGURES; figure++)
    if (weights[figure] > 0)
      square += weights[figure] / total * (centres[figure] - mean)
                * (centres[figure] - mean);
  estimate->is_found = TRUE;
  estimate->centre_col = mean;
  /* Figures of the same slice are not independent, so the mean is no more
   * certain than one of them. */
  estimate->uncertainty_col = sqrt (square + 1 / total * n_found);
  estimate->reason = g_strdup_printf (
      _ (reasons[averaged->rays == TL_CENTRE_RAYS_TWICE][n_found < n_asked]),
      averaged->n_cols);
  return TRUE;
}

static void
keep_curve (const Averaged *averaged, TlCentreEstimate *estimate)
{
  estimate->n_points = averaged->n;
  estimate->positions = g_new (double, averaged->n);
  estimate->values = g_new (double, averaged->n);
  combine (averaged, estimate->values);
  for (size_t k = 0; k < averaged->n; k++)
    estimate->positions[k] = from_averaged (
        averaged, averaged->first_col + averaged->step * (double)k);
}

gboolean
tl_centre_by_sharpness (TlEngine *engine, const TlCentreData *data,
                        double guess_col, double reach_col,
                        TlCentreEstimate *estimate, GError **error)
{
  g_auto (Averaged) averaged = { .engine = engine };
  *estimate = (TlCentreEstimate){ .method = TL_CENTRE_SHARPNESS,
                                  .centre_col = NAN,
                                  .uncertainty_col = NAN };
  if (!averaged_init (&averaged, data, FINE_PROJECTIONS, FINE_COLS, error))
    return FALSE;
  if (!holds_object (&averaged))
    return tl_centre_cannot_tell (
        estimate, _ ("neighbouring projections have nothing in common"));
  const guint max_passes = isnan (guess_col) ? MAX_ALONE : MAX_PASSES;
  if (isnan (guess_col)
      && !search (engine, data, &guess_col, &reach_col, error))
    return FALSE;
  if (!averaged_load (&averaged, error)
      || !approach (&averaged, data, guess_col, reach_col, max_passes, error))
    return FALSE;
  keep_curve (&averaged, estimate);
  return conclude (&averaged, data, estimate);
}
