#include "app/axis/height.h"

#include <glib/gi18n.h>
#include <math.h>

#define N_ROWS 32
/* Rows needed for a first line. */
#define MIN_FIRST 4
/* Possible underestimate of a tilt, as a fraction. In projections of a tilted
 * axis, a row shows different heights of the object on the two sides of the
 * axis: a ball cut by several rows has a different centre in each. Phantoms
 * underestimate the tilt by 0.13 at most. */
#define LACK 0.15

double
tl_axis_get_turned_back (const TlRecipe *recipe, size_t n_cols)
{
  return tl_tilt_resamples (recipe->params.tilt_deg, recipe->params.centre_col,
                            n_cols)
             ? recipe->params.tilt_deg
             : 0;
}

void
tl_axis_question_init (TlAxisQuestion *question, const TlRecipe *recipe,
                       const TlScanInfo *info, size_t n)
{
  *question = (TlAxisQuestion){ .last = info->n_rows - 1 };
  tl_centre_question_init (&question->which, 0, info->n_cols);
  if (!tl_tilt_find_inner (recipe->params.tilt_deg, recipe->params.centre_col,
                           info->n_rows, info->n_cols, &question->first,
                           &question->last))
    {
      question->first = 0;
      question->last = info->n_rows - 1;
    }
  question->n = MIN (n > 0 ? n : N_ROWS, question->last - question->first + 1);
}

static size_t
get_row (const TlAxisQuestion *question, size_t nth)
{
  return tl_axis_line_get_row (question->first, question->last, question->n,
                               tl_axis_line_get_order (question->n, nth));
}

/* Reads ahead the rows spread over the whole height first, so that a line can
 * be fitted early, then the others. */
static gboolean
read_ahead (TlRecon *recon, const TlRecipe *recipe,
            const TlAxisQuestion *question, size_t nth,
            GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const size_t n = question->n;
  const size_t n_first = MAX ((n + 7) / 8, MIN (n, MIN_FIRST));
  const size_t end = nth < n_first ? n_first : n;
  g_autofree size_t *wanted = g_new (size_t, end - nth);
  for (size_t k = nth; k < end; k++)
    wanted[k - nth] =
        tl_centre_row_find_seen (recipe, info, get_row (question, k));
  return tl_recon_prefetch (recon, recipe, wanted, end - nth, cancellable,
                            error);
}

TlCentreRow *
tl_axis_read_row (TlRecon *recon, const TlRecipe *recipe,
                  const TlAxisQuestion *question, size_t nth,
                  GCancellable *cancellable, GError **error)
{
  if (!read_ahead (recon, recipe, question, nth, cancellable, error))
    return NULL;
  return tl_centre_row_read (recon, recipe, get_row (question, nth),
                             cancellable, error);
}

/* A row while it is measured. */
typedef struct
{
  TlEngine *engine; /* (nullable) */
  TlCentreData data;
  TlCentreQuestion question;
  gboolean doubts_angles;
} Ask;

/* Runs one method and keeps its estimate if it found a centre or if there is
 * none yet. */
static gboolean
estimate_by (Ask *ask, TlCentreMethod method, TlCentreEstimate *best,
             GError **error)
{
  g_auto (TlCentreAnswer) answer = { 0 };
  for (guint k = 0; k < TL_N_CENTRE_METHODS; k++)
    ask->question.methods[k] = k == method;
  if (!tl_find_centre_in_row (NULL, &ask->data, &ask->question, &answer, error))
    return FALSE;
  ask->doubts_angles = ask->doubts_angles || answer.note != NULL;
  if (!best->is_found || answer.estimates[0].is_found)
    {
      tl_centre_clear (best);
      *best = answer.estimates[0];
      answer.n = 0;
    }
  return TRUE;
}

/* Runs the fast methods that use projections. */
static gboolean
ask_cheap (Ask *ask, TlCentreEstimate *best, GError **error)
{
  const double last = (double)ask->data.n_cols - 1;
  if (!estimate_by (ask, TL_CENTRE_PHASE, best, error))
    return FALSE;
  if (best->is_found && fabs (best->centre_col - last / 2) < last / 6)
    return TRUE;
  return estimate_by (ask, TL_CENTRE_OVERLAP, best, error)
         && (best->is_found || estimate_by (ask, TL_CENTRE_VO, best, error));
}

/* Runs all chosen methods and takes their consensus. */
static gboolean
ask_chosen (Ask *ask, TlCentreEstimate *best, GError **error)
{
  g_auto (TlCentreAnswer) answer = { 0 };
  size_t sharpest = 0;
  if (!tl_find_centre_in_row (ask->engine, &ask->data, &ask->question, &answer,
                              error))
    return FALSE;
  ask->doubts_angles = answer.note != NULL;
  const TlCentreConsensus *c = &answer.consensus;
  for (size_t k = 1; k < answer.n; k++)
    {
      const TlCentreEstimate *e = &answer.estimates[k];
      const TlCentreEstimate *s = &answer.estimates[sharpest];
      if (c->agrees[e->method]
          && (!c->agrees[s->method] || e->uncertainty_col < s->uncertainty_col))
        sharpest = k;
    }
  if (answer.n == 0)
    return TRUE;
  *best = answer.estimates[sharpest];
  best->is_found = c->verdict != TL_CENTRE_CANNOT_TELL;
  best->centre_col = c->centre_col;
  best->uncertainty_col = c->uncertainty_col;
  answer.estimates[sharpest] = (TlCentreEstimate){ 0 };
  if (!best->is_found
      && c->n_found > 0) /* otherwise each estimate has its own reason */
    {
      g_free (best->reason);
      best->reason = g_strdup (c->sentence);
    }
  return TRUE;
}

gboolean
tl_axis_measure_row (TlEngine *engine, const TlCentreRow *row,
                     const TlAxisQuestion *question, GCancellable *cancellable,
                     TlAxisPoint *point, TlCentreEstimate *curve,
                     GError **error)
{
  g_auto (TlCentreEstimate) best = { 0 };
  Ask ask = {
    .engine = engine,
    .question = question->which,
    .data = tl_centre_row_lend (row, question->which.first_col,
                                question->which.last_col, cancellable),
  };
  ask.question.row = row->row;
  ask.question.lean_col = row->is_turned_back ? row->lean_col : 0;
  if (!(question->has_methods ? ask_chosen (&ask, &best, error)
                              : ask_cheap (&ask, &best, error)))
    return FALSE;
  *point = (TlAxisPoint){
    .row = row->row,
    .centre_col = best.is_found ? best.centre_col : NAN,
    .uncertainty_col = best.is_found ? best.uncertainty_col : NAN,
    .doubts_angles = ask.doubts_angles,
  };
  if (curve != NULL)
    {
      *curve = best;
      best = (TlCentreEstimate){ 0 };
    }
  return TRUE;
}

/* A single row may be wrong, but not half of the rows that see the object. */
static gboolean
are_angles_in_doubt (const TlAxisPoint *points, size_t n)
{
  size_t n_found = 0, n_doubting = 0;
  for (size_t k = 0; k < n; k++)
    if (isfinite (points[k].centre_col))
      {
        n_found++;
        n_doubting += points[k].doubts_angles;
      }
  return 2 * n_doubting > n_found;
}

void
tl_axis_fit (TlAxisPoint *points, size_t n, const TlRecipe *recipe,
             const TlScanInfo *info, TlAxisLine *line)
{
  tl_axis_line_fit (points, n, info->n_rows, line);
  if (line->verdict == TL_AXIS_CANNOT_TELL)
    return;
  if (line->verdict == TL_AXIS_CERTAIN
      && tl_tilt_resamples (line->tilt_uncertainty_deg, line->centre_col,
                            info->n_cols))
    tl_axis_line_doubt (line, _ ("the uncertainty of the tilt is large"));
  line->doubts_angles = are_angles_in_doubt (points, n);
  if (line->doubts_angles)
    tl_axis_line_doubt (line, _ ("the angles contradict the projections"));
  line->tilt_uncertainty_deg =
      hypot (line->tilt_uncertainty_deg, LACK * line->tilt_deg);
  if (tl_axis_get_turned_back (recipe, info->n_cols) != 0)
    tl_axis_line_turn_back (line, recipe->params.tilt_deg,
                            recipe->params.centre_col);
  if (!(fabs (line->tilt_deg) <= TL_TILT_MAX_DEG))
    tl_axis_line_refuse (
        line,
        g_strdup_printf (
            _ ("the line through the rows is tilted by %.1f°, but an axis is "
               "tilted by %.0f° at most: the angles may be wrong"),
            line->tilt_deg, TL_TILT_MAX_DEG));
}

gboolean
tl_axis_is_worth_again (const TlAxisLine *line, const TlRecipe *recipe,
                        const TlScanInfo *info)
{
  const double left_deg = line->tilt_deg - recipe->params.tilt_deg;
  return line->verdict != TL_AXIS_CANNOT_TELL
         && fabs (left_deg) > 2 * line->tilt_uncertainty_deg
         && tl_tilt_resamples (left_deg, line->centre_col, info->n_cols);
}
