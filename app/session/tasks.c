#include "app/session/tasks.h"

/* The callback for the replies of a task. */
typedef struct
{
  guint64 serial; /* of the job; 0: no task */
  TlTaskFunc func;
  gpointer user_data;
} Receiver;

struct TlTasks
{
  TlRequests *requests;
  TlScanSource *source;
  Receiver receivers[TL_N_TASKS];
};

TlTasks *
tl_tasks_new (TlRequests *requests, TlScanSource *source)
{
  TlTasks *tasks = g_new0 (TlTasks, 1);
  tasks->requests = g_object_ref (requests);
  tasks->source = g_object_ref (source);
  return tasks;
}

void
tl_tasks_free (TlTasks *tasks)
{
  g_object_unref (tasks->requests);
  g_object_unref (tasks->source);
  g_free (tasks);
}

void
tl_tasks_send (TlTasks *tasks, const TlRecipe *recipe, const TlTask *task,
               TlTaskFunc func, gpointer user_data)
{
  g_return_if_fail (tl_scan_source_is_open (tasks->source));
  TlJob *job =
      tl_requests_make_job (tasks->requests, TL_JOB_TASK, recipe, NULL);
  job->task = *task;
  tasks->receivers[task->kind] = (Receiver){ job->serial, func, user_data };
  tl_requests_push (tasks->requests, job);
}

void
tl_tasks_drop (TlTasks *tasks, TlTaskKind kind)
{
  tasks->receivers[kind] = (Receiver){ 0 };
  tl_worker_drop_task (tl_requests_get_worker (tasks->requests), kind);
}

void
tl_tasks_drop_all (TlTasks *tasks)
{
  for (guint kind = 0; kind < TL_N_TASKS; kind++)
    tl_tasks_drop (tasks, kind);
}

void
tl_tasks_take_reply (TlTasks *tasks, TlReply *reply)
{
  const Receiver receiver = tasks->receivers[reply->task];
  if (receiver.serial == 0 || receiver.serial != reply->serial)
    return;
  /* The engine was lost and then a picture was requested: the step is repeated
   * later. */
  if (g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (reply->error != NULL || reply->is_last)
    tasks->receivers[reply->task] = (Receiver){ 0 };
  receiver.func (reply, receiver.user_data);
}
