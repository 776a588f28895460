/* Functions that read the state of the session. */
#include "app/session/session.h"

#include "app/session/model.h"
#include "app/session/session-private.h"

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

double
tl_session_get_slice_bytes (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  const TlGrid *grid =
      &tl_parameters_get_recipe (session->parameters)->params.grid;
  if (!tl_scan_source_is_open (session->source))
    return 0;
  return (double)grid->nx * (double)grid->ny * sizeof (float);
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

void
tl_session_set_composite (TlSession *session, TlComposite *composite)
{
  g_return_if_fail (TL_IS_SESSION (session) && TL_IS_COMPOSITE (composite));
  g_set_weak_pointer (&session->composite, composite);
}

void
tl_session_note_composite (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  if (session->choice.picture == TL_PICTURE_OVERLAY)
    tl_session_note_comparison (session);
}

guint64
tl_session_get_slice_serial (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return session->frame_serial;
}
