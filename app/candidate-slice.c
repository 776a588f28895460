#include "app/candidate-slice.h"

#include "app/recon-private.h"
#include "app/rows-private.h"

#include <math.h>
#include <string.h>

/* Of the disc that is seen, as the sharpness sweep takes it. */
#define SEEN_PART 0.9

/* An axis may be so near to an edge that nothing is left of the disc. */
#define MIN_PART 8

/* That many discs there are. */
#define N_RADII 16

void
tl_candidate_result_clear (TlCandidateResult *result)
{
  g_clear_pointer (&result->frame, tl_frame_unref);
}

double
tl_candidate_centre (size_t n, double middle_col, double step_col, size_t index)
{
  const double away = (double)index - (double)(n / 2);
  return round ((middle_col + away * step_col) * 1e6) / 1e6;
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
  /* as odd as the whole slice: the same pixels */
  const size_t size = 2 * (size_t)view->radius + 3;
  view->judged = tl_grid_full (MIN (size + (size + whole) % 2, whole));
}

/* @judges: as what is to be judged */
static TlFrame *
run_on_grid (TlRecon *recon, const TlRecipe *recipe, double centre_col,
             const TlGrid *grid, gboolean judges, GCancellable *cancellable,
             GError **error)
{
  g_autoptr (TlRecipe) changed = tl_recipe_dup_on_grid (recipe, grid);
  changed->params.centre_col = centre_col;
  if (judges)
    {
      changed->params.filter = TL_FILTER_HANN;
      changed->params.cutoff = 1;
    }
  return tl_recon_run (recon, changed, changed->slice, 1, cancellable, error);
}

static gboolean
find_rays (const TlScanInfo *info, gboolean half, TlCentreRays *rays,
           GError **error)
{
  g_autofree double *angles_rad = tl_rows_angles (info, error);
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
  TlSharpness sharpness;
  if (!find_rays (info, half, &result->rays, error)
      || !tl_centre_find_range (engine, frame, &view->low, &view->high, error)
      || !tl_engine_judge (engine, frame, 0, view->radius, view->low,
                           view->high, &sharpness, error))
    return FALSE;
  for (guint quarter = 0; quarter < TL_N_QUARTERS; quarter++)
    {
      result->n_pixels += sharpness.n_pixels[quarter];
      for (guint k = 0; k < TL_N_SHARPNESSES; k++)
        result->figures[k] += sharpness.figures[k][quarter];
    }
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
          recon, recipe, centre_col, &view->shown, FALSE, cancellable, error);
      /* many are kept, and the engine may go */
      made.frame = frame != NULL ? tl_frame_copy (frame, error) : NULL;
      if (made.frame == NULL)
        return FALSE;
    }
  if (view->judged.nx > 0)
    {
      g_autoptr (TlFrame) frame = run_on_grid (
          recon, recipe, centre_col, &view->judged, TRUE, cancellable, error);
      if (frame == NULL
          || !judge (recon, frame, recipe->params.half, view, &made, error))
        return FALSE;
    }
  *result = made;
  made.frame = NULL;
  return TRUE;
}

/* Returns: in units of its own */
static double
scale_figure (const TlCandidateResult *result, TlSharpnessFigure figure)
{
  const double mean =
      result->figures[figure] / (double)MAX (result->n_pixels, 1);
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

static void
combine (const TlCandidateResult *results, size_t n, double *values)
{
  g_autofree double *figures = g_new (double, n *TL_N_SHARPNESSES);
  for (size_t k = 0; k < n; k++)
    memcpy (figures + k * TL_N_SHARPNESSES, results[k].figures,
            sizeof results[k].figures);
  tl_centre_combine (figures, n, results[0].rays, values);
}

G_STATIC_ASSERT ((int)TL_N_CANDIDATE_METRICS - (int)TL_CANDIDATE_ENTROPY
                 == (int)TL_N_SHARPNESSES);

void
tl_candidates_rate (const TlCandidateResult *results, size_t n,
                    TlCandidateMetric metric, double *values, double *scores)
{
  const TlSharpnessFigure figure = metric - TL_CANDIDATE_ENTROPY;
  double low = INFINITY, high = -INFINITY;
  if (metric == TL_CANDIDATE_COMBINED && n > 0)
    combine (results, n, scores);
  for (size_t k = 0; k < n; k++)
    {
      if (metric != TL_CANDIDATE_COMBINED)
        scores[k] = results[k].figures[figure];
      low = MIN (low, scores[k]);
      high = MAX (high, scores[k]);
    }
  for (size_t k = 0; k < n; k++)
    {
      scores[k] = high > low ? (scores[k] - low) / (high - low) : 0;
      values[k] = metric == TL_CANDIDATE_COMBINED
                      ? scores[k]
                      : scale_figure (&results[k], figure);
    }
}
