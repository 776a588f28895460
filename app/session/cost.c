/* Shows what fast precision costs in place of the slice, until the user ends
 * it, changes a parameter or opens another scan. The slice is kept, so that it
 * can be shown again without a new reconstruction. */
#include "app/session/session.h"

#include "app/session/session-private.h"

#include <glib/gi18n.h>

void
tl_session_ask_for_cost (TlSession *session)
{
  TlJob *job = tl_requests_make_job (
      session->requests, TL_JOB_COST,
      tl_parameters_get_recipe (session->parameters), NULL);
  job->cancellable = g_cancellable_new ();
  session->cost_serial = job->serial;
  g_set_object (&session->cost_cancellable, job->cancellable);
  tl_requests_push (session->requests, job);
}

void
tl_session_take_cost (TlSession *session, TlReply *reply)
{
  if (reply->cost.map == NULL || reply->serial != session->cost_serial)
    return;
  tl_precision_cost_clear (&session->cost);
  session->cost = reply->cost;
  reply->cost.map = NULL;
  g_free (session->caption);
  session->caption = tl_precision_cost_describe (&session->cost);
  g_object_notify (G_OBJECT (session), "caption");
}

void
tl_session_leave_cost (TlSession *session)
{
  const gboolean was_shown = session->cost.map != NULL;
  if (session->cost_serial == 0)
    return;
  g_cancellable_cancel (session->cost_cancellable);
  g_clear_object (&session->cost_cancellable);
  session->cost_serial = 0;
  tl_precision_cost_clear (&session->cost);
  g_clear_pointer (&session->caption, g_free);
  g_object_freeze_notify (G_OBJECT (session));
  g_object_notify (G_OBJECT (session), "precision-cost");
  if (was_shown)
    {
      g_object_notify (G_OBJECT (session), "caption");
      g_object_notify (G_OBJECT (session), "frame");
      tl_session_update_detail (session);
    }
  g_object_thaw_notify (G_OBJECT (session));
}

void
tl_session_set_precision_cost (TlSession *session, gboolean wanted)
{
  g_return_if_fail (TL_IS_SESSION (session));
  if (!wanted || session->cost_serial != 0)
    {
      if (!wanted)
        tl_session_leave_cost (session);
      return;
    }
  if (!tl_scan_source_is_open (session->source)
      || tl_scan_source_is_opening (session->source))
    {
      tl_messages_warn (session->messages, FALSE,
                        _ ("The error of fast precision cannot be shown: %s"),
                        tl_scan_source_is_opening (session->source)
                            ? _ ("a scan is being opened")
                            : _ ("no scan is open"));
      return;
    }
  tl_session_set_picture (session, TL_PICTURE_SLICE);
  tl_session_ask_for_cost (session);
  g_object_notify (G_OBJECT (session), "precision-cost");
}

gboolean
tl_session_get_precision_cost (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->cost_serial != 0;
}

gboolean
tl_session_shows_differences (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->cost.map != NULL;
}
