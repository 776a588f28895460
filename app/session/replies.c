/* Handles the replies of the worker. */
#include "app/session/session-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static void
clear_message (TlSession *session)
{
  if (session->message != NULL && !session->message_stays)
    tl_session_show_message (session, NULL, FALSE);
}

/* Takes the variants from the engine that made the picture: if the requested
 * engine failed, the next request does not use it either. */
static void
take_variants (TlSession *session, const TlReply *reply)
{
  if (session->variants == reply->variants)
    return;
  session->variants = reply->variants;
  session->n_variants = reply->n_variants;
  g_object_notify (G_OBJECT (session), "parameters");
}

/* Milliseconds: a slower picture does not keep up with a drag. */
#define SLOW_MS 100.0

void
tl_session_name_slow_step (TlStatus *status, const TlReply *reply)
{
  if (status->frame_ms > SLOW_MS)
    status->slow_step = tl_reply_find_slow_step (reply, &status->slow_ms);
}

static size_t
count_angles (TlSession *session, const TlReply *reply)
{
  const guint every = MAX (reply->every, 1);
  return (session->scan->n_projections + every - 1) / every;
}

static void
take_frame (TlSession *session, TlReply *reply)
{
  g_clear_pointer (&session->shown, tl_recipe_free);
  g_clear_pointer (&session->frame, tl_frame_unref);
  session->shown = tl_recipe_dup (reply->recipe);
  session->frame = g_steal_pointer (&reply->frame);
  session->grid = reply->grid;
  session->frame_serial = reply->serial;
  session->stats = reply->stats;
  tl_session_take_detail (session, g_steal_pointer (&reply->detail),
                          &reply->detail_grid);
  tl_session_take_cost (session, reply);
  take_variants (session, reply);

  g_free (session->engine);
  g_free (session->device);
  session->engine = g_steal_pointer (&reply->engine);
  session->device = g_steal_pointer (&reply->device);
  const TlEngineReport *report = &reply->report;
  const TlVariant *variant = report->variant;
  session->status = (TlStatus){
    .engine = session->engine,
    .device = session->device,
    .kernel = variant != NULL ? variant->name : NULL,
    .n_folded = report->n_folded,
    .fallback = report->fallback,
    .precision = tl_precision_names[reply->recipe->params.precision],
    .frame_ms = reply->frame_ms,
    .read_ms = reply->times.read_ms,
    .backproject_ms = report->last_ms[TL_STAGE_BACKPROJECT],
    .filter_ms = report->last_ms[TL_STAGE_FILTER],
    .memory_bytes = report->memory_bytes,
    .n_angles = count_angles (session, reply),
    .n_dead = report->n_dead,
    .is_preview = reply->grid.pitch > 1,
  };
  tl_session_name_slow_step (&session->status, reply);
  if (reply->every <= 1)
    {
      g_clear_pointer (&session->whole, tl_recipe_free);
      session->whole = tl_recipe_dup (reply->recipe);
      tl_preview_scheduler_note (&session->scheduler, reply->grid.pitch,
                                 &reply->times,
                                 report->last_ms[TL_STAGE_BACKPROJECT]);
    }
  tl_slice_comparison_take_slice (session->comparison, session->frame,
                                  session->shown, reply->grid.pitch <= 1);
  g_object_notify (G_OBJECT (session), "frame");
}

/* Records the opened scan's parameters, with the changes made during opening,
 * as a step of the history. */
static void
end_opening (TlSession *session)
{
  tl_session_forget_opening (session);
  if (session->scan == NULL)
    return;
  tl_history_note (session->history, session->recipe, g_get_monotonic_time ());
  tl_history_drop_aim (session->history);
  g_object_notify (G_OBJECT (session), "parameters");
}

/* Applies @changes, the parameters set while a scan was being opened. If it is
 * another scan, changes of keys that belong to one scan (is_of_scan) are
 * dropped: they were meant for the old scan. */
static void
apply_changes (TlSession *session, GPtrArray *changes, gboolean is_other_scan)
{
  for (guint k = 0; k < changes->len; k++)
    {
      const char *word;
      g_autoptr (GVariant) value = NULL;
      g_variant_get (changes->pdata[k], "(&sv)", &word, &value);
      if (!is_other_scan || !tl_recipe_find_key (word, NULL)->is_of_scan)
        tl_session_set_value (session, word, value, NULL);
    }
}

static void
take_scan (TlSession *session, TlReply *reply)
{
  g_autoptr (TlScanSummary) old = g_steal_pointer (&session->scan);
  const gboolean is_other =
      old != NULL && strcmp (old->path, reply->scan->path) != 0;
  session->scan = g_steal_pointer (&reply->scan);
  session->scan_serial = reply->serial;
  /* If the same scan is opened again with a centre that the user gave, an
   * assumed centre of the same value stays an assumption. */
  if (reply->centre_is_assumed && reply->serial == session->opening_serial)
    session->assumed_centre_col = reply->recipe->params.centre_col;
  else if (old == NULL || is_other)
    session->assumed_centre_col = NAN;
  if (is_other)
    tl_session_release (session);
  if (old == NULL || is_other)
    tl_history_begin (session->history, reply->recipe);
  session->scheduler = (TlPreviewScheduler){ 0 };
  session->choice.projection =
      MIN (session->choice.projection, (guint)session->scan->n_projections - 1);
  session->choice.pair =
      is_other
          ? 0
          : MIN (session->choice.pair, (guint)session->scan->n_projections - 1);
  tl_session_forget_measured_views (session);
  tl_tasks_drop_all (session->tasks);
  tl_session_take_recipe (session, tl_recipe_dup (reply->recipe));
  take_frame (session, reply);
  if (reply->misfits != NULL)
    tl_session_show_message (session, g_steal_pointer (&reply->misfits), TRUE);
  if (old == NULL)
    g_object_notify (G_OBJECT (session), "scan-open");
  g_object_notify (G_OBJECT (session), "path");
  if (reply->serial == session->opening_serial)
    {
      g_autoptr (GPtrArray) changes = g_ptr_array_ref (session->changes);
      end_opening (session);
      apply_changes (session, changes, is_other);
    }
  if (session->choice.picture != TL_PICTURE_SLICE && session->opening == NULL)
    tl_session_ask_for_measured_view (session);
}

static void
take_failure (TlSession *session, TlReply *reply)
{
  const gboolean was_open = reply->serial == session->opening_serial;
  if (was_open)
    end_opening (session);
  if (reply->serial == session->cost_serial)
    tl_session_leave_cost (session);
  const gboolean shows_slice = session->choice.picture == TL_PICTURE_SLICE;
  const gboolean misses_frame =
      session->scan != NULL && session->opening == NULL
      && (shows_slice ? tl_session_is_slice_old (session)
                      : tl_session_is_measured_view_old (session));
  /* An open has cancelled the picture, or a cost job has replaced it. */
  const gboolean asks_again =
      misses_frame
      && (was_open
          || (reply->kind == TL_JOB_COST
              && reply->serial == session->wanted_serial));
  if (!g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_session_show_message (session, g_strdup (reply->error->message),
                             asks_again);
  if (!misses_frame)
    return;
  if (asks_again)
    tl_session_ask_for_frame (session);
  else if (reply->serial != session->wanted_serial)
    return;
  else if (shows_slice)
    {
      tl_history_fall_back (session->history, session->shown);
      tl_session_take_recipe (session, tl_recipe_dup (session->shown));
    }
  else
    tl_session_restore_measured_view (session);
}

static void
take_request_reply (TlSession *session, TlReply *reply)
{
  const gboolean was_busy = tl_session_is_busy (session);
  session->answered_serial = MAX (session->answered_serial, reply->serial);
  if (reply->error != NULL)
    take_failure (session, reply);
  else if (reply->kind == TL_JOB_OPEN)
    {
      clear_message (session);
      take_scan (session, reply);
    }
  else if (reply->kind == TL_JOB_LOOK)
    {
      clear_message (session);
      tl_session_take_measured_view (session, reply);
    }
  else if (reply->serial > session->scan_serial
           && reply->serial > session->frame_serial)
    {
      clear_message (session);
      take_frame (session, reply);
      tl_session_follow_preview (session);
    }
  if (was_busy != tl_session_is_busy (session))
    g_object_notify (G_OBJECT (session), "busy");
  tl_session_update_detail (session);
}

/* An error is only logged: the whole picture is shown in any case. */
static void
take_detail_reply (TlSession *session, TlReply *reply)
{
  if (reply->serial != session->detail_serial)
    return;
  session->detail_serial = 0;
  if (reply->error == NULL)
    tl_session_take_detail (session, g_steal_pointer (&reply->detail),
                            &reply->detail_grid);
  else
    g_info ("no sharp zoom: %s", reply->error->message);
}

/* Replaces the summary by a more complete one of the same scan. */
static void
take_survey (TlSession *session, TlReply *reply)
{
  if (reply->serial != session->scan_serial)
    return;
  g_clear_pointer (&session->scan, tl_scan_summary_free);
  session->scan = g_steal_pointer (&reply->scan);
  g_object_notify (G_OBJECT (session), "scan-open");
}

/* Returns: (transfer full): the sentence for the banner */
static char *
describe_loss (const TlReply *reply)
{
  if (reply->error == NULL
      || g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return g_strdup_printf (_ ("The engine %s failed, and host goes on: %s"),
                            reply->lost_engine, reply->lost_reason);
  return g_strdup_printf (_ ("The engine %s failed, and host goes on: %s; host "
                             "could not do it either: %s"),
                          reply->lost_engine, reply->lost_reason,
                          reply->error->message);
}

void
tl_session_take_reply (TlReply *reply, gpointer data)
{
  TlSession *session = data;
  g_object_ref (session); /* a notified handler may drop the last reference */
  g_object_freeze_notify (G_OBJECT (session));
  if (reply->kind == TL_JOB_EXPORT)
    tl_session_take_export_reply (session, reply);
  else if (reply->kind == TL_JOB_DETAIL)
    take_detail_reply (session, reply);
  else if (reply->kind == TL_JOB_SURVEY)
    take_survey (session, reply);
  else if (reply->kind == TL_JOB_TASK)
    tl_tasks_take_reply (session->tasks, reply);
  else
    take_request_reply (session, reply);
  if (reply->lost_reason != NULL)
    tl_session_show_message (session, describe_loss (reply), TRUE);
  g_object_thaw_notify (G_OBJECT (session));
  g_object_unref (session);
}
