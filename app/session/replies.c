/* Handles the replies of the worker. */
#include "app/session/session-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Takes the variants from the engine that made the picture: if the requested
 * engine failed, the next request does not use it either. */
static void
take_variants (TlSession *session, const TlReply *reply)
{
  if (session->variants == reply->variants)
    return;
  session->variants = reply->variants;
  session->n_variants = reply->n_variants;
  g_object_notify (G_OBJECT (session->parameters), "recipe");
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
  return (tl_scan_source_get_summary (session->source)->n_projections + every
          - 1)
         / every;
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

static void
take_scan (TlSession *session, TlReply *reply)
{
  const gboolean is_awaited =
      tl_scan_source_is_awaited (session->source, reply);
  const gboolean was_open = tl_scan_source_is_open (session->source);
  const gboolean is_other = tl_scan_source_take_scan (session->source, reply);
  const guint last =
      (guint)tl_scan_source_get_summary (session->source)->n_projections - 1;
  if (is_other)
    tl_session_release (session);
  session->scheduler = (TlPreviewScheduler){ 0 };
  session->choice.projection = MIN (session->choice.projection, last);
  session->choice.pair = is_other ? 0 : MIN (session->choice.pair, last);
  tl_session_forget_measured_views (session);
  tl_tasks_drop_all (session->tasks);
  tl_parameters_begin_scan (session->parameters, reply->recipe,
                            is_other || !was_open,
                            reply->centre_is_assumed && is_awaited);
  take_frame (session, reply);
  if (reply->misfits != NULL)
    tl_messages_warn (session->messages, TRUE, "%s", reply->misfits);
  if (is_awaited)
    {
      g_autoptr (GPtrArray) changes = tl_scan_source_finish (session->source);
      tl_parameters_end_opening (session->parameters);
      tl_parameters_apply_changes (session->parameters, changes, is_other);
    }
  if (session->choice.picture != TL_PICTURE_SLICE
      && !tl_scan_source_is_opening (session->source))
    tl_session_ask_for_measured_view (session);
}

static void
take_failure (TlSession *session, TlReply *reply)
{
  const gboolean was_open = tl_scan_source_is_awaited (session->source, reply);
  if (was_open)
    {
      g_ptr_array_unref (tl_scan_source_finish (session->source));
      tl_parameters_end_opening (session->parameters);
    }
  if (reply->serial == session->cost_serial)
    tl_session_leave_cost (session);
  const gboolean shows_slice = session->choice.picture == TL_PICTURE_SLICE;
  const gboolean misses_frame =
      tl_scan_source_is_open (session->source)
      && !tl_scan_source_is_opening (session->source)
      && (shows_slice ? tl_session_is_slice_old (session)
                      : tl_session_is_measured_view_old (session));
  /* An open has cancelled the picture, or a cost job has replaced it. */
  const gboolean asks_again =
      misses_frame
      && (was_open
          || (reply->kind == TL_JOB_COST
              && reply->serial == tl_requests_get_newest (session->requests)));
  if (!g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_messages_warn (session->messages, asks_again, "%s",
                      reply->error->message);
  if (!misses_frame)
    return;
  if (asks_again)
    tl_session_ask_for_frame (session);
  else if (reply->serial != tl_requests_get_newest (session->requests))
    return;
  else if (shows_slice)
    tl_parameters_fall_back (session->parameters, session->shown);
  else
    tl_session_restore_measured_view (session);
}

static void
take_request_reply (TlSession *session, TlReply *reply)
{
  tl_requests_note_answer (session->requests, reply->serial);
  if (reply->error != NULL)
    take_failure (session, reply);
  else if (reply->kind == TL_JOB_OPEN)
    {
      tl_messages_clear_warning (session->messages, FALSE);
      take_scan (session, reply);
    }
  else if (reply->kind == TL_JOB_LOOK)
    {
      tl_messages_clear_warning (session->messages, FALSE);
      tl_session_take_measured_view (session, reply);
    }
  else if (reply->serial > tl_scan_source_get_serial (session->source)
           && reply->serial > session->frame_serial)
    {
      tl_messages_clear_warning (session->messages, FALSE);
      take_frame (session, reply);
      tl_session_follow_preview (session);
    }
  tl_session_update_detail (session);
}

/* An error is only logged: the whole picture is shown in any case. */
static void
take_detail_reply (TlSession *session, TlReply *reply)
{
  if (reply->serial != session->detail_serial
      || reply->serial < tl_requests_get_newest (session->requests))
    return;
  session->detail_serial = 0;
  if (reply->error == NULL)
    tl_session_take_detail (session, g_steal_pointer (&reply->detail),
                            &reply->detail_grid);
  else
    g_info ("no sharp zoom: %s", reply->error->message);
}

static void
warn_of_loss (TlSession *session, const TlReply *reply)
{
  if (reply->error == NULL
      || g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_messages_warn (session->messages, TRUE,
                      _ ("The engine %s failed, so host computes now: %s"),
                      reply->lost_engine, reply->lost_reason);
  else
    tl_messages_warn (session->messages, TRUE,
                      _ ("The engine %s failed, so host computes now: %s; host "
                         "failed, too: %s"),
                      reply->lost_engine, reply->lost_reason,
                      reply->error->message);
}

void
tl_session_take_reply (TlReply *reply, gpointer data)
{
  TlSession *session = data;
  /* "busy" comes last: its handlers look at everything else. */
  GObject *const parts[] = { G_OBJECT (session->source),
                             G_OBJECT (session->parameters), G_OBJECT (session),
                             G_OBJECT (session->messages),
                             G_OBJECT (session->requests) };
  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    /* a notified handler may drop the last reference */
    g_object_freeze_notify (g_object_ref (parts[k]));
  if (reply->kind == TL_JOB_EXPORT)
    tl_session_take_export_reply (session, reply);
  else if (reply->kind == TL_JOB_DETAIL)
    take_detail_reply (session, reply);
  else if (reply->kind == TL_JOB_SURVEY)
    tl_scan_source_take_survey (session->source, reply);
  else if (reply->kind == TL_JOB_TASK)
    tl_tasks_take_reply (session->tasks, reply);
  else
    take_request_reply (session, reply);
  if (reply->lost_reason != NULL)
    warn_of_loss (session, reply);
  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    g_object_thaw_notify (parts[k]);
  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    g_object_unref (parts[k]);
}
