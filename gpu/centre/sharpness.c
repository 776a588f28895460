#include "gpu/centre/figures.h"
#include "gpu/centre/centre-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Columns and projections are averaged until there are no more than so many. */
#define FINE_COLS 512
#define FINE_PROJECTIONS 768
#define COARSE_COLS 128
#define COARSE_PROJECTIONS 192

#define N_FIGURES TL_N_SHARPNESSES
#define N_QUARTERS TL_N_QUARTERS

/* The last sweep: steps of so much of a column, so many to either side, again
 * where the best lies within FIT_REACH of an end, for which a parabola is laid
 * through so many points to either side. */
#define FINE_STEP 0.25
#define FINE_STEPS 8
#define FIT_REACH 4
#define MAX_PASSES 4
/* As many where nobody else says where to look: what the search over all of the
 * range finds is no farther away, and where there is nothing it soon ends. */
#define MAX_ALONE 2
/* What neighbouring projections have in common is no noise from here on. */
#define MIN_DEVIATIONS 6.0
/* The estimate from quarters is made of few; columns of what is looked at. */
#define CAUTION 1.2
#define MIN_UNCERTAINTY 0.03
#define MAX_UNCERTAINTY 1.0

/* One look at the data: binned, and the sweeps over it. */
typedef struct
{
  TlEngine *engine;
  GCancellable *cancellable; /* (nullable), lent */
  size_t n_projections, n_cols;
  double bin;  /* columns in one */
  float *rows; /* [n_projections][n_cols] */
  double *angles_rad;
  TlCentreRays rays;
  TlParams params;
  float low, high; /* of the histogram; equal before the first slice */

  double first_col, step; /* of the sweep, in columns of this look */
  size_t n;
  TlSharpness *sharpness; /* [n] */
} Look;

static void
look_clear (Look *look)
{
  g_clear_pointer (&look->rows, g_free);
  g_clear_pointer (&look->angles_rad, g_free);
  g_clear_pointer (&look->sharpness, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Look, look_clear)

/* Mean values of neighbouring columns, and of projections in the order of their
 * angles. */
static gboolean
look_init (Look *look, const TlCentreData *data, size_t max_projections,
           size_t max_cols, GError **error)
{
  const size_t by_cols = (data->n_cols + max_cols - 1) / max_cols;
  const size_t by_rows =
      (data->n_projections + max_projections - 1) / max_projections;
  const float part = 1.0f / (float)(by_cols * by_rows);
  g_autofree size_t *order = tl_centre_order_angles (data);
  look->n_cols = data->n_cols / by_cols;
  look->n_projections = data->n_projections / by_rows;
  look->bin = (double)by_cols;
  look->cancellable = data->cancellable;
  look->rows =
      g_try_malloc0_n (look->n_projections * look->n_cols, sizeof (float));
  look->angles_rad = g_new0 (double, look->n_projections);
  if (look->rows == NULL)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_MEMORY,
                   _ ("not enough memory to look for the sharpest slice"));
      return FALSE;
    }
  for (size_t p = 0; p < look->n_projections; p++)
    for (size_t i = 0; i < by_rows; i++)
      {
        const size_t number = order[p * by_rows + i];
        const float *from = data->rows + number * data->n_cols;
        look->angles_rad[p] += data->angles_rad[number] / (double)by_rows;
        for (size_t k = 0; k < look->n_cols; k++)
          for (size_t j = 0; j < by_cols; j++)
            look->rows[p * look->n_cols + k] += from[k * by_cols + j] * part;
      }
  look->rays = tl_centre_sees_twice (data->angles_rad, data->n_projections)
                   ? TL_CENTRE_RAYS_TWICE
                   : TL_CENTRE_RAYS_ONCE;
  tl_params_init (&look->params, look->n_cols);
  look->params.flat_field = look->params.minus_log = FALSE;
  look->params.filter = TL_FILTER_HANN;
  return TRUE;
}

static gboolean
look_load (const Look *look, GError **error)
{
  const TlBlock block = {
    .n_projections = look->n_projections,
    .n_rows = 1,
    .n_cols = look->n_cols,
    .type = TL_SAMPLE_F32,
    .samples = look->rows,
    .angles_rad = look->angles_rad,
  };
  return tl_engine_load (look->engine, &block, error);
}

/* Whether neighbouring projections have anything in common beside what columns
 * and rows have in the mean: of noise this is a normal deviate. */
static gboolean
holds_object (const Look *look)
{
  const size_t n = look->n_projections, n_cols = look->n_cols;
  g_autofree double *means = g_new0 (double, n_cols);
  g_autofree double *row = g_new (double, n_cols);
  g_autofree double *before = g_new0 (double, n_cols);
  double sum = 0, square = 0;
  for (size_t p = 0; p < n; p++)
    for (size_t k = 0; k < n_cols; k++)
      means[k] += (double)look->rows[p * n_cols + k] / (double)n;
  for (size_t p = 0; p < n; p++)
    {
      double mean = 0;
      for (size_t k = 0; k < n_cols; k++)
        {
          row[k] = (double)look->rows[p * n_cols + k] - means[k];
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

/* Columns of the data to those of the look, and back. */
static double
to_look (const Look *look, double col)
{
  return (col - (look->bin - 1) / 2) / look->bin;
}

static double
from_look (const Look *look, double col)
{
  return col * look->bin + (look->bin - 1) / 2;
}

/* Of the range, in columns of the look, what is on the detector. */
static void
get_ends (const Look *look, const TlCentreData *data, double *first_col,
          double *last_col)
{
  const double last = (double)look->n_cols - 1;
  *first_col = CLAMP (to_look (look, data->first_col), 0, last);
  *last_col = CLAMP (to_look (look, data->last_col), 0, last);
}

/* Of @n places those that are on the detector, one at least. */
static gboolean
sweep (Look *look, double first_col, double step, size_t n, GError **error)
{
  const double last = (double)look->n_cols - 1;
  const double before = ceil (MAX (-first_col / step, 0));
  const double behind =
      ceil (MAX ((first_col + step * (double)(n - 1) - last) / step, 0));
  n -= (size_t)(before + behind);
  look->first_col = first_col + step * before;
  look->step = step;
  look->n = n;
  g_free (look->sharpness);
  look->sharpness = g_new0 (TlSharpness, n);
  const double middle = look->first_col + step * (double)(n - 1) / 2;
  const double radius =
      MAX (MIN (middle, last - middle), (double)look->n_cols / 8) * 0.9;
  const size_t size = MIN (2 * (size_t)ceil (radius) + 3, look->n_cols);
  look->params.grid = tl_grid_full (size);
  for (size_t k = 0; k < n; k++)
    {
      look->params.centre_col = look->first_col + step * (double)k;
      g_autoptr (TlFrame) frame = tl_engine_reconstruct (
          look->engine, &look->params, look->cancellable, error);
      if (frame == NULL
          || !tl_centre_find_range (look->engine, frame, &look->low,
                                    &look->high, error)
          || !tl_engine_measure_sharpness (look->engine, frame, 0, radius,
                                           look->low, look->high,
                                           &look->sharpness[k], error))
        return FALSE;
    }
  return TRUE;
}

/* --- from figures to a centre --- */

/* One figure of all quarters but one (N_QUARTERS: of all), at point @k. */
static double
get_figure (const Look *look, size_t k, guint figure, guint left_out)
{
  const double *values = look->sharpness[k].figures[figure];
  double sum = 0;
  for (guint quarter = 0; quarter < N_QUARTERS; quarter++)
    if (quarter != left_out)
      sum += values[quarter];
  return sum;
}

/* Derivatives at the point @best of the parabola through the points around it,
 * by least squares; per step. */
static void
fit_parabola (const Look *look, size_t best, guint figure, guint left_out,
              double *slope, double *bend)
{
  const double n = 2 * (double)FIT_REACH + 1;
  double s2 = 0, s4 = 0, sy = 0, sxy = 0, sxxy = 0;
  for (size_t k = best - FIT_REACH; k <= best + FIT_REACH; k++)
    {
      const double x = (double)k - (double)best;
      const double y = get_figure (look, k, figure, left_out)
                       - get_figure (look, best, figure, left_out);
      s2 += x * x;
      s4 += x * x * x * x;
      sy += y;
      sxy += x * y;
      sxxy += x * x * y;
    }
  *slope = sxy / s2;
  *bend = 2 * (n * sxxy - s2 * sy) / (n * s4 - s2 * s2);
}

/* Returns: the top of the parabola; NaN where there is none among its points */
static double
find_vertex (const Look *look, size_t best, guint figure, guint left_out)
{
  double slope, bend;
  fit_parabola (look, best, figure, left_out, &slope, &bend);
  const double vertex = -slope / bend;
  return bend < 0 && fabs (vertex) <= FIT_REACH
             ? look->first_col + look->step * ((double)best + vertex)
             : NAN;
}

/* Whether all quarters of the slice but one are worse to either side. */
static gboolean
is_common (const Look *look, size_t best, guint figure)
{
  double slope, all;
  guint n_common = 0;
  fit_parabola (look, best, figure, N_QUARTERS, &slope, &all);
  for (guint quarter = 0; quarter < N_QUARTERS; quarter++)
    {
      double others;
      fit_parabola (look, best, figure, quarter, &slope, &others);
      n_common += all - others < 0;
    }
  return n_common >= N_QUARTERS - 1;
}

static gboolean
is_telling (const Look *look, guint figure)
{
  return tl_centre_figure_tells (figure, look->rays);
}

/* The telling figures together. */
static void
combine (const Look *look, double *values)
{
  g_autofree double *sums = g_new (double, look->n *N_FIGURES);
  for (size_t k = 0; k < look->n; k++)
    for (guint figure = 0; figure < N_FIGURES; figure++)
      sums[k * N_FIGURES + figure] = get_figure (look, k, figure, N_QUARTERS);
  tl_centre_combine (sums, look->n, look->rays, values);
}

/* Returns: the best place of a sweep, by all telling figures, as a column of
 * the data */
static double
find_best_col (const Look *look)
{
  g_autofree double *values = g_new (double, look->n);
  size_t best = 0;
  combine (look, values);
  for (size_t k = 1; k < look->n; k++)
    if (values[k] > values[best])
      best = k;
  return from_look (look, look->first_col + look->step * (double)best);
}

/* Everywhere in the range, in few pixels. */
static gboolean
search (TlEngine *engine, const TlCentreData *data, double *guess_col,
        double *reach_col, GError **error)
{
  g_auto (Look) look = { .engine = engine };
  if (!look_init (&look, data, COARSE_PROJECTIONS, COARSE_COLS, error)
      || !look_load (&look, error))
    return FALSE;
  double first, last;
  get_ends (&look, data, &first, &last);
  if (!sweep (&look, first, 1, (size_t)(last - first) + 1, error))
    return FALSE;
  *guess_col = find_best_col (&look);
  *reach_col = 2 * look.bin;
  return TRUE;
}

/* Around @guess_col, first in steps of a column and then finer. */
static gboolean
approach (Look *look, const TlCentreData *data, double guess_col,
          double reach_col, guint max_passes, GError **error)
{
  const double reach = ceil (reach_col / look->bin);
  double first, last;
  get_ends (look, data, &first, &last);
  double middle = CLAMP (to_look (look, guess_col), first, last);
  if (reach > 1)
    {
      if (!sweep (look, middle - reach, 1, 2 * (size_t)reach + 1, error))
        return FALSE;
      middle = to_look (look, find_best_col (look));
    }
  for (guint pass = 0; pass < max_passes; pass++)
    {
      middle = CLAMP (middle, first, last);
      if (!sweep (look, middle - FINE_STEPS * FINE_STEP, FINE_STEP,
                  2 * FINE_STEPS + 1, error))
        return FALSE;
      const double best = to_look (look, find_best_col (look));
      if (fabs (best - middle) <= FINE_STEP * (FINE_STEPS - FIT_REACH))
        break;
      middle = best;
    }
  return TRUE;
}

/* Returns: %FALSE where a figure has no optimum, or quarters of the slice have
 * none in common */
static gboolean
find_optimum (const Look *look, guint figure, double *centre_col,
              double *uncertainty_col)
{
  size_t best = 0;
  double sum = 0;
  for (size_t k = 1; k < look->n; k++)
    if (get_figure (look, k, figure, N_QUARTERS)
        > get_figure (look, best, figure, N_QUARTERS))
      best = k;
  if (best < FIT_REACH || best + FIT_REACH >= look->n
      || !is_common (look, best, figure))
    return FALSE;
  const double all = find_vertex (look, best, figure, N_QUARTERS);
  for (guint quarter = 0; quarter < N_QUARTERS; quarter++)
    {
      const double away = find_vertex (look, best, figure, quarter) - all;
      sum += away * away * (N_QUARTERS - 1) / N_QUARTERS;
    }
  *centre_col = from_look (look, all);
  *uncertainty_col =
      CAUTION * look->bin * sqrt (sum) + MIN_UNCERTAINTY * look->bin;
  return *uncertainty_col < MAX_UNCERTAINTY * look->bin;
}

/* By whether rays are there twice, and whether one figure alone has found it.
 */
static const char *const reasons[2][2] = {
  { N_ ("entropy and negativity of slices of %zu columns"),
    N_ ("one of entropy and negativity of slices of %zu columns") },
  { N_ ("squared gradient and standard deviation of slices of %zu columns"),
    N_ ("one of squared gradient and standard deviation of slices of %zu "
        "columns") }
};

/* The mean of the telling figures, each as it is certain. */
static void
conclude (const Look *look, const TlCentreData *data,
          TlCentreEstimate *estimate)
{
  double centres[N_FIGURES], weights[N_FIGURES];
  double total = 0, mean = 0, square = 0;
  guint n_found = 0, n_asked = 0;
  for (guint figure = 0; figure < N_FIGURES; figure++)
    {
      double uncertainty_col;
      weights[figure] = 0;
      n_asked += is_telling (look, figure);
      if (!is_telling (look, figure)
          || !find_optimum (look, figure, &centres[figure], &uncertainty_col))
        continue;
      weights[figure] = 1 / (uncertainty_col * uncertainty_col);
      total += weights[figure];
      n_found++;
    }
  if (n_found == 0)
    {
      estimate->reason =
          g_strdup (_ ("no slice is sharper than its neighbours"));
      return;
    }
  for (guint figure = 0; figure < N_FIGURES; figure++)
    mean += weights[figure] > 0 ? weights[figure] / total * centres[figure] : 0;
  if (mean < data->first_col + look->bin || mean > data->last_col - look->bin)
    {
      estimate->reason =
          g_strdup (_ ("slices get sharper as far as the range goes"));
      return;
    }
  for (guint figure = 0; figure < N_FIGURES; figure++)
    if (weights[figure] > 0)
      square += weights[figure] / total * (centres[figure] - mean)
                * (centres[figure] - mean);
  estimate->is_found = TRUE;
  estimate->centre_col = mean;
  /* figures of the same slice are no independent witnesses */
  estimate->uncertainty_col = sqrt (square + 1 / total * n_found);
  estimate->reason = g_strdup_printf (
      _ (reasons[look->rays == TL_CENTRE_RAYS_TWICE][n_found < n_asked]),
      look->n_cols);
}

static void
keep_curve (const Look *look, TlCentreEstimate *estimate)
{
  estimate->n_points = look->n;
  estimate->positions = g_new (double, look->n);
  estimate->values = g_new (double, look->n);
  combine (look, estimate->values);
  for (size_t k = 0; k < look->n; k++)
    estimate->positions[k] =
        from_look (look, look->first_col + look->step * (double)k);
}

gboolean
tl_centre_by_sharpness (TlEngine *engine, const TlCentreData *data,
                        double guess_col, double reach_col,
                        TlCentreEstimate *estimate, GError **error)
{
  g_auto (Look) look = { .engine = engine };
  *estimate = (TlCentreEstimate){ .method = TL_CENTRE_SHARPNESS,
                                  .centre_col = NAN,
                                  .uncertainty_col = NAN };
  if (!look_init (&look, data, FINE_PROJECTIONS, FINE_COLS, error))
    return FALSE;
  if (!holds_object (&look))
    {
      estimate->reason =
          g_strdup (_ ("neighbouring projections have nothing in common"));
      return TRUE;
    }
  const guint max_passes = isnan (guess_col) ? MAX_ALONE : MAX_PASSES;
  if (isnan (guess_col)
      && !search (engine, data, &guess_col, &reach_col, error))
    return FALSE;
  if (!look_load (&look, error)
      || !approach (&look, data, guess_col, reach_col, max_passes, error))
    return FALSE;
  keep_curve (&look, estimate);
  conclude (&look, data, estimate);
  return TRUE;
}
