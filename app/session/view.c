/* Functions that read the state of the session. */
#include "app/session/session.h"

#include "app/session/session-private.h"

#include "gpu/stages/filter.h"

#include <math.h>

gboolean
tl_session_is_recipe (const char *path)
{
  return tl_recipe_has_name (path);
}

gboolean
tl_session_has_scan (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->scan != NULL;
}

const TlScanSummary *
tl_session_get_summary (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->scan;
}

char *
tl_session_get (TlSession *session, const char *key)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return tl_recipe_get (session->recipe, key);
}

guint
tl_session_get_slice (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return (guint)session->recipe->slice;
}

double
tl_session_get_centre (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return session->recipe->params.centre_col;
}

double
tl_session_get_axis_col (TlSession *session, double row)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  const TlParams *params = &session->recipe->params;
  if (session->scan == NULL
      || tl_tilt_resamples (params->tilt_deg, params->centre_col,
                            session->scan->n_cols))
    return params->centre_col;
  return tl_tilt_get_axis_col (params->tilt_deg, params->centre_col,
                               row - ((double)session->scan->n_rows - 1) / 2);
}

TlFrame *
tl_session_get_frame (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  const TlShownMeasuredView *look = tl_session_get_measured_view (session);
  if (look != NULL)
    return look->shown.frame;
  return session->cost.map != NULL ? session->cost.map : session->frame;
}

/* Returns: %FALSE where no composite is shown; the session's frame is the
 * picture then */
static gboolean
get_composite (TlSession *session, TlFrame **frame, const TlStats **stats)
{
  return session->choice.picture == TL_PICTURE_OVERLAY
         && session->composite != NULL
         && TL_COMPOSITE_GET_IFACE (session->composite)
                ->get_picture (session->composite, frame, stats);
}

/* Returns: (nullable): of the picture that is shown; %NULL while unknown */
static const TlStats *
get_stats (TlSession *session)
{
  const TlShownMeasuredView *look = tl_session_get_measured_view (session);
  TlFrame *composite;
  const TlStats *stats;
  if (tl_session_get_frame (session) == NULL)
    return NULL;
  if (get_composite (session, &composite, &stats))
    return stats;
  if (tl_session_get_comparison (session) == TL_COMPARE_DIFFERENCE)
    return tl_slice_comparison_get_stats (session->comparison);
  if (look != NULL)
    return &look->shown.stats;
  return session->cost.map != NULL ? &session->cost.stats : &session->stats;
}

gboolean
tl_session_get_frame_size (TlSession *session, size_t *n_rows, size_t *n_cols)
{
  TlFrame *frame = tl_session_get_frame (session);
  if (frame == NULL)
    return FALSE;
  *n_rows = tl_frame_get_n_rows (frame);
  *n_cols = tl_frame_get_n_cols (frame);
  return TRUE;
}

const float *
tl_session_get_pixels (TlSession *session, size_t *n_rows, size_t *n_cols)
{
  if (!tl_session_get_frame_size (session, n_rows, n_cols))
    return NULL;
  TlFrame *frame = tl_session_get_frame (session);
  if (tl_session_get_comparison (session) == TL_COMPARE_DIFFERENCE)
    frame = tl_session_get_difference (session);
  const TlStats *stats;
  get_composite (session, &frame, &stats);
  return frame != NULL ? tl_frame_get_pixels (frame) : NULL;
}

const guint32 *
tl_session_get_histogram (TlSession *session, size_t *n, float *min, float *max)
{
  const TlStats *stats = get_stats (session);
  if (stats == NULL)
    return NULL;
  *n = TL_HISTOGRAM_BINS;
  *min = stats->min;
  *max = stats->max;
  return stats->histogram;
}

gboolean
tl_session_get_percentiles (TlSession *session, double f_low, double f_high,
                            float *low, float *high)
{
  const TlStats *stats = get_stats (session);
  if (stats == NULL)
    return FALSE;
  *low = tl_stats_percentile (stats, f_low);
  *high = tl_stats_percentile (stats, f_high);
  return TRUE;
}

const TlStatus *
tl_session_get_status (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  const TlShownMeasuredView *look = tl_session_get_measured_view (session);
  return look != NULL ? &look->shown.status : &session->status;
}

void
tl_session_get_filter_curve (TlSession *session, float *curve, size_t n)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (n > 1);
  const TlParams *params = &session->recipe->params;
  float peak = 0;
  for (size_t k = 0; k < n; k++)
    {
      const double nyquist_part = (double)k / (double)(n - 1);
      curve[k] =
          (float)(nyquist_part
                  * tl_filter_window (params->filter, params->butterworth_order,
                                      nyquist_part / params->cutoff));
      peak = MAX (peak, curve[k]);
    }
  for (size_t k = 0; k < n && peak > 0; k++)
    curve[k] /= peak;
}

guint
tl_session_get_centre_digits (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 2);
  const double centre_col = session->recipe->params.centre_col;
  guint digits = 2;
  double n_parts = 100;
  for (; digits < 6 && round (centre_col * n_parts) / n_parts != centre_col;
       digits++)
    n_parts *= 10;
  return digits;
}

double
tl_session_get_slice_bytes (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  const TlGrid *grid = &session->recipe->params.grid;
  if (session->scan == NULL)
    return 0;
  return (double)grid->nx * (double)grid->ny * sizeof (float);
}

double
tl_session_limit_centre (TlSession *session, double centre_col, guint n_parts)
{
  g_return_val_if_fail (TL_IS_SESSION (session), centre_col);
  g_return_val_if_fail (n_parts > 0, centre_col);
  centre_col = round (centre_col * n_parts) / n_parts;
  if (session->scan == NULL)
    return centre_col;
  return CLAMP (centre_col, -0.5, (double)session->scan->n_cols - 0.5);
}

static void
describe_machine (GTask *task, gpointer session, gpointer data,
                  GCancellable *cancellable)
{
  g_task_return_pointer (task, tl_engine_describe_machine (), g_free);
}

void
tl_session_describe_machine (TlSession *session, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  g_task_run_in_thread (task, describe_machine);
}

char *
tl_session_describe_machine_finish (TlSession *session, GAsyncResult *result)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
