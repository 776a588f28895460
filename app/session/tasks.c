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
  TlWorker *worker;
  Receiver receivers[TL_N_TASKS];
};

TlTasks *
tl_tasks_new (TlWorker *worker)
{
  g_return_val_if_fail (worker != NULL, NULL);
  TlTasks *tasks = g_new0 (TlTasks, 1);
  tasks->worker = worker;
  return tasks;
}

void
tl_tasks_free (TlTasks *tasks)
{
  g_free (tasks);
}

void
tl_tasks_send (TlTasks *tasks, TlJob *job, TlTaskFunc func, gpointer user_data)
{
  g_return_if_fail (job->kind == TL_JOB_TASK && job->task.kind < TL_N_TASKS);
  tasks->receivers[job->task.kind] = (Receiver){ job->serial, func, user_data };
  tl_worker_push (tasks->worker, job);
}

void
tl_tasks_drop (TlTasks *tasks, TlTaskKind kind)
{
  tasks->receivers[kind] = (Receiver){ 0 };
  tl_worker_drop_task (tasks->worker, kind);
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
