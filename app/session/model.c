#include "app/session/model.h"

#include "app/session/session-private.h"

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

const TlRecipe *
tl_session_get_recipe (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->recipe;
}

guint64
tl_session_get_scan_serial (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return session->scan_serial;
}

guint64
tl_session_get_wanted_serial (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return session->wanted_serial;
}

guint64
tl_session_get_slice_serial (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return session->frame_serial;
}

gboolean
tl_session_is_busy (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->wanted_serial > session->answered_serial
         || session->rest_id != 0;
}

gboolean
tl_session_is_opening (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->opening != NULL;
}

gboolean
tl_session_is_centre_assumed (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->scan != NULL
         && session->recipe->params.centre_col == session->assumed_centre_col;
}

void
tl_session_send_task (TlSession *session, const TlRecipe *recipe,
                      const TlTask *task, TlTaskFunc func, gpointer user_data)
{
  g_return_if_fail (TL_IS_SESSION (session) && session->scan != NULL);
  TlJob *job = tl_session_make_job (session, TL_JOB_TASK, recipe, NULL);
  job->task = *task;
  job->scan_serial = session->scan_serial;
  tl_tasks_send (session->tasks, job, func, user_data);
}

void
tl_session_drop_task (TlSession *session, TlTaskKind kind)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_tasks_drop (session->tasks, kind);
}
