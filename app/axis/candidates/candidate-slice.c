#include "app/axis/candidates/candidate-slice.h"

#include "app/recon/recon.h"
#include "app/recon/rows.h"
#include "data/geometry.h"

#include <math.h>

/* Rated fraction of the visible disc, as in the sharpness sweep. */
#define SEEN_PART 0.9

/* If the axis is near an edge, the disc still has a radius of 1 / MIN_PART of
 * the columns times SEEN_PART, so that some pixels are left. */
#define MIN_PART 8

/* Number of different radii that rounding leaves. */
#define N_RADII 16

/* The best candidate is accepted if the quarters of the slice reach one of
 * these limits: the correlation of their ratings, or the deviations by which
 * each rates the best above the mean. Of 264 sweeps over pure noise, one in
 * twenty reaches one limit; sweeps over an object reach both for all but the
 * finest steps. */
#define MIN_CORRELATION 0.4
#define MIN_DEVIATIONS 1.0

const char *const tl_candidate_metric_names[TL_N_CANDIDATE_METRICS + 1] = {
  [TL_CANDIDATE_COMBINED] = "combined",
  [TL_CANDIDATE_ENTROPY] = "entropy",
  [TL_CANDIDATE_NEGATIVITY] = "negativity",
  [TL_CANDIDATE_GRADIENT] = "gradient",
  [TL_CANDIDATE_DEVIATION] = "deviation",
};

void
tl_candidate_result_clear (TlCandidateResult *result)
{
  g_clear_pointer (&result->frame, tl_frame_unref);
}

double
tl_candidate_centre (size_t n, double middle_col, double step_col, size_t index)
{
  const double away = (double)index - (double)(n / 2);
  return tl_round_to_parts (middle_col + away * step_col, 1e6);
}

size_t *
tl_candidate_order (size_t n)
{
  const size_t middle = n / 2;
  size_t *order = g_new (size_t, n);
  size_t n_found = 0;
  for (size_t away = 0; n_found < n; away++)
    {
      if (middle + away < n)
        order[n_found++] = middle + away;
      if (away > 0 && away <= middle)
        order[n_found++] = middle - away;
    }
  return order;
}

void
tl_candidate_view_judge_whole (TlCandidateView *view, const TlRecipe *recipe,
                               size_t n_cols, double middle_col)
{
  const size_t whole = recipe->params.grid.nx;
  const double other = (double)n_cols - 1 - middle_col;
  const double seen =
      recipe->params.half ? MAX (middle_col, other) : MIN (middle_col, other);
  const double unit = ceil ((double)n_cols / N_RADII);
  const double radius = SEEN_PART * MAX (seen, (double)n_cols / MIN_PART);
  view->radius = MAX (floor (radius / unit), 1) * unit;
  /* The size is odd or even like that of the whole slice, so that the pixels
   * coincide. */
  const size_t size = 2 * (size_t)view->radius + 3;
  view->judged = tl_grid_full (MIN (size + (size + whole) % 2, whole));
}

static TlFrame *
run_on_grid (TlRecon *recon, const TlRecipe *recipe, double centre_col,
             const TlGrid *grid, GCancellable *cancellable, GError **error)
{
  g_autoptr (TlRecipe) changed = tl_recipe_dup_on_grid (recipe, grid);
  changed->params.centre_col = centre_col;
  return tl_recon_run (recon, changed, changed->slice, 1, cancellable, error);
}

/* All slices that are compared use one named method, so that none falls back to
 * the other where memory is refused. */
static gboolean
settle_method (TlRecon *recon, const TlParams *params, TlCandidateView *view,
               GError **error)
{
  TlParams own = *params;
  own.grid = view->judged;
  return view->method != TL_METHOD_AUTO
         || tl_recon_settle_method (recon, &own, &view->method, error);
}

/* Makes the slice that is rated, with a filter of its own. */
static TlFrame *
run_judged (TlRecon *recon, const TlRecipe *recipe, double centre_col,
            TlCandidateView *view, GCancellable *cancellable, GError **error)
{
  g_autoptr (TlRecipe) own = tl_recipe_dup (recipe);
  own->params.filter = TL_FILTER_HANN;
  own->params.cutoff = 1;
  if (!settle_method (recon, &own->params, view, error))
    return NULL;
  own->params.method = view->method;
  return run_on_grid (recon, own, centre_col, &view->judged, cancellable,
                      error);
}

static gboolean
find_rays (const TlScanInfo *info, gboolean half, TlCentreRays *rays,
           GError **error)
{
  g_autofree double *angles_rad = tl_rows_angles (info, 1, error);
  if (angles_rad == NULL)
    return FALSE;
  *rays = half ? TL_CENTRE_RAYS_MERGED
          : tl_centre_sees_twice (angles_rad, info->n_projections)
              ? TL_CENTRE_RAYS_TWICE
              : TL_CENTRE_RAYS_ONCE;
  return TRUE;
}

static gboolean
judge (TlRecon *recon, TlFrame *frame, gboolean half, TlCandidateView *view,
       TlCandidateResult *result, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  TlEngine *engine = tl_recon_get_engine (recon);
  if (!find_rays (info, half, &result->rays, error)
      || !tl_centre_find_range (engine, frame, &view->low, &view->high, error)
      || !tl_engine_measure_sharpness (engine, frame, 0, view->radius,
                                       view->low, view->high,
                                       &result->sharpness, error))
    return FALSE;
  result->is_judged = TRUE;
  return TRUE;
}

gboolean
tl_candidate_run (TlRecon *recon, const TlRecipe *recipe, double centre_col,
                  TlCandidateView *view, GCancellable *cancellable,
                  TlCandidateResult *result, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, FALSE);
  g_auto (TlCandidateResult) made = { .centre_col = centre_col };
  if (view->shown.nx > 0)
    {
      g_autoptr (TlFrame) frame = run_on_grid (
          recon, recipe, centre_col, &view->shown, cancellable, error);
      /* Copy it: many frames are kept, and the engine may be closed. */
      made.frame = frame != NULL ? tl_frame_copy (frame, error) : NULL;
      if (made.frame == NULL)
        return FALSE;
    }
  if (view->judged.nx > 0)
    {
      g_autoptr (TlFrame) frame =
          run_judged (recon, recipe, centre_col, view, cancellable, error);
      if (frame == NULL
          || !judge (recon, frame, recipe->params.half, view, &made, error))
        return FALSE;
    }
  *result = made;
  made.frame = NULL;
  return TRUE;
}

/* --- scores --- */

/* Returns: what makes the entropy of one quarter independent of the width of
 * its histogram: the logarithm of the standard deviation, times the number of
 * pixels. In a half acquisition the width changes with the centre: the total of
 * each row grows with it, and the noise is least where rays are measured twice.
 * What is left depends on the shape of the histogram alone (Donoho, On minimum
 * entropy deconvolution, Applied Time Series Analysis II (1981) 565). */
static double
find_width (const TlCandidateResult *result, guint quarter)
{
  const TlSharpness *sharpness = &result->sharpness;
  const double n = (double)sharpness->n_pixels[quarter];
  const double sum = sharpness->figures[TL_SHARPNESS_DEVIATION][quarter];
  return result->rays == TL_CENTRE_RAYS_MERGED && sum > 0
             ? n * log (sum / n) / 2
             : 0;
}

/* Returns: the figure of one quarter, or of all (TL_N_QUARTERS); larger is
 * better */
static double
get_figure (const TlCandidateResult *result, guint figure, guint quarter)
{
  double sum = 0;
  for (guint q = 0; q < TL_N_QUARTERS; q++)
    if (quarter == TL_N_QUARTERS || quarter == q)
      {
        sum += result->sharpness.figures[figure][q];
        if (figure == TL_SHARPNESS_ENTROPY)
          sum += find_width (result, q);
      }
  return sum;
}

/* Returns: the figure in its own unit */
static double
scale_figure (const TlCandidateResult *result, TlSharpnessFigure figure)
{
  size_t n_pixels = 0;
  for (guint quarter = 0; quarter < TL_N_QUARTERS; quarter++)
    n_pixels += result->sharpness.n_pixels[quarter];
  const double mean =
      get_figure (result, figure, TL_N_QUARTERS) / (double)MAX (n_pixels, 1);
  switch (figure)
    {
    case TL_SHARPNESS_ENTROPY:
      return -mean;
    case TL_SHARPNESS_NEGATIVITY:
      return mean;
    default:
      return sqrt (MAX (mean, 0));
    }
}

G_STATIC_ASSERT ((int)TL_N_CANDIDATE_METRICS - (int)TL_CANDIDATE_ENTROPY
                 == (int)TL_N_SHARPNESSES);

gboolean
tl_candidate_metric_tells (TlCandidateMetric metric, TlCentreRays rays)
{
  return metric == TL_CANDIDATE_COMBINED
         || tl_centre_figure_tells (metric - TL_CANDIDATE_ENTROPY, rays);
}

/* Rates the candidates by one quarter, or by all of them; larger is better. */
static void
rate_quarter (const TlCandidateResult *results, size_t n,
              TlCandidateMetric metric, guint quarter, double *scores)
{
  g_autofree double *figures = g_new (double, n *TL_N_SHARPNESSES);
  for (size_t k = 0; k < n; k++)
    for (guint figure = 0; figure < TL_N_SHARPNESSES; figure++)
      figures[k * TL_N_SHARPNESSES + figure] =
          get_figure (&results[k], figure, quarter);
  if (metric == TL_CANDIDATE_COMBINED)
    tl_centre_combine (figures, n, results[0].rays, scores);
  else
    for (size_t k = 0; k < n; k++)
      scores[k] = figures[k * TL_N_SHARPNESSES + metric - TL_CANDIDATE_ENTROPY];
}

/* Converts @scores to deviations from their mean, in standard deviations.
 * Returns: %FALSE if all are equal */
static gboolean
standardise (double *scores, size_t n)
{
  double mean = 0, square = 0;
  for (size_t k = 0; k < n; k++)
    mean += scores[k] / (double)n;
  for (size_t k = 0; k < n; k++)
    square += (scores[k] - mean) * (scores[k] - mean) / (double)n;
  for (size_t k = 0; square > 0 && k < n; k++)
    scores[k] = (scores[k] - mean) / sqrt (square);
  return square > 0;
}

/* Returns: whether the quarters rate all candidates alike, or each rates @best
 * far above the others */
static gboolean
quarters_agree (const TlCandidateResult *results, size_t n,
                TlCandidateMetric metric, size_t best)
{
  g_autofree double *scores = g_new (double, n);
  g_autofree double *sums = g_new0 (double, n);
  double square = 0, n_quarters = 0, least = INFINITY;
  for (guint quarter = 0; quarter < TL_N_QUARTERS; quarter++)
    {
      rate_quarter (results, n, metric, quarter, scores);
      if (!standardise (scores, n))
        continue;
      n_quarters++;
      least = MIN (least, scores[best]);
      for (size_t k = 0; k < n; k++)
        sums[k] += scores[k];
    }
  if (n_quarters < 2)
    return FALSE;
  for (size_t k = 0; k < n; k++)
    square += sums[k] * sums[k] / (double)n;
  /* The mean correlation of two quarters. */
  const double correlation = (square / n_quarters - 1) / (n_quarters - 1);
  g_debug (
      "candidates: quarters correlate by %.2f, the best is %.2f deviations "
      "above the mean at least",
      correlation, least);
  return correlation > MIN_CORRELATION || least > MIN_DEVIATIONS;
}

int
tl_candidates_rate (const TlCandidateResult *results, size_t n,
                    TlCandidateMetric metric, double *values, double *scores)
{
  double low = INFINITY, high = -INFINITY;
  size_t best = 0;
  if (n == 0)
    return -1;
  rate_quarter (results, n, metric, TL_N_QUARTERS, scores);
  for (size_t k = 0; k < n; k++)
    {
      if (scores[k] > high)
        best = k;
      low = MIN (low, scores[k]);
      high = MAX (high, scores[k]);
    }
  for (size_t k = 0; k < n; k++)
    {
      scores[k] = high > low ? (scores[k] - low) / (high - low) : 0;
      values[k] =
          metric == TL_CANDIDATE_COMBINED
              ? scores[k]
              : scale_figure (&results[k], metric - TL_CANDIDATE_ENTROPY);
    }
  return high > low && tl_candidate_metric_tells (metric, results[0].rays)
                 && quarters_agree (results, n, metric, best)
             ? (int)best
             : -1;
}
