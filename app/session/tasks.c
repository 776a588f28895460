/* What is to be known beside the picture, in steps between pictures. */
#include "app/session/session-private.h"

void
tl_session_send_task (TlSession *session, const TlRecipe *recipe,
                      const TlTask *task, TlTaskFunc func, gpointer user_data)
{
  g_return_if_fail (session->scan != NULL && task->kind < TL_N_TASKS);
  TlJob *job = tl_session_make_job (session, TL_JOB_TASK, recipe, NULL);
  job->task = *task;
  job->scan_serial = session->scan_serial;
  session->receivers[task->kind] =
      (TlTaskReceiver){ job->serial, func, user_data };
  tl_worker_push (session->worker, job);
}

void
tl_session_drop_task (TlSession *session, TlTaskKind kind)
{
  session->receivers[kind] = (TlTaskReceiver){ 0 };
  tl_worker_drop_task (session->worker, kind);
}

void
tl_session_drop_tasks (TlSession *session)
{
  for (guint kind = 0; kind < TL_N_TASKS; kind++)
    tl_session_drop_task (session, kind);
}

void
tl_session_take_task_reply (TlSession *session, TlReply *reply)
{
  const TlTaskReceiver receiver = session->receivers[reply->task];
  if (receiver.serial == 0 || receiver.serial != reply->serial)
    return;
  /* its engine was lost, and then a picture came: the step is done again */
  if (g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (reply->error != NULL || reply->is_last)
    session->receivers[reply->task] = (TlTaskReceiver){ 0 };
  receiver.func (reply, receiver.user_data);
}
