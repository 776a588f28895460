/* What is to be known beside the picture, in steps between pictures. */
#include "app/session/session-private.h"

void
tl_session_send_errand (TlSession *session, const TlRecipe *recipe,
                        const TlErrand *errand, TlErrandFunc func,
                        gpointer user_data)
{
  g_return_if_fail (session->scan != NULL && errand->kind < TL_N_ERRANDS);
  TlJob *job = tl_session_make_job (session, TL_JOB_ERRAND, recipe, NULL);
  job->errand = *errand;
  job->scan_serial = session->scan_serial;
  session->receivers[errand->kind] =
      (TlErrandReceiver){ job->serial, func, user_data };
  tl_worker_push (session->worker, job);
}

void
tl_session_drop_errand (TlSession *session, TlErrandKind kind)
{
  session->receivers[kind] = (TlErrandReceiver){ 0 };
  tl_worker_drop_errand (session->worker, kind);
}

void
tl_session_drop_errands (TlSession *session)
{
  for (guint kind = 0; kind < TL_N_ERRANDS; kind++)
    tl_session_drop_errand (session, kind);
}

void
tl_session_take_errand_reply (TlSession *session, TlReply *reply)
{
  const TlErrandReceiver receiver = session->receivers[reply->errand];
  if (receiver.serial == 0 || receiver.serial != reply->serial)
    return;
  /* its engine was lost, and then a picture came: the step is done again */
  if (g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (reply->error != NULL || reply->is_last)
    session->receivers[reply->errand] = (TlErrandReceiver){ 0 };
  receiver.func (reply, receiver.user_data);
}

void
tl_session_clear_models (TlSession *session)
{
  g_clear_object (&session->axis_map);
  g_clear_object (&session->candidates);
  g_clear_object (&session->overlay);
  g_clear_pointer (&session->centre_search, tl_centre_search_close);
}
