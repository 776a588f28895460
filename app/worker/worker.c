/* The worker has one thread and one queue. At most one preview, one detail and
 * one task of each kind wait, together with a list of other jobs. Cost jobs and
 * measured views are queued as previews. An open drops all waiting opens and
 * pictures, and cancels the picture or open that is running. When no job waits,
 * the thread does steps of tasks and then of the scan's survey.
 *
 * A newer preview of the same scan does not cancel a running one: on a slow
 * machine no picture would appear during a drag. Only jobs with gives_way are
 * cancelled: they were started after the drag had paused. */
#include "app/worker/worker.h"

#include "app/worker/job-runner-private.h"

/* Microseconds between two progress replies of an export. */
#define PROGRESS_STEP_US (50 * 1000)

/* The destination of replies. Idle sources hold references, so it may outlive
 * the worker. */
typedef struct
{
  gatomicrefcount ref_count;
  TlReplyFunc func;
  gpointer user_data;
  gboolean is_closed;       /* main thread only */
  gint progress_is_pending; /* atomic */
} Outbox;

typedef struct
{
  Outbox *outbox;
  TlReply *reply;
} Delivery;

struct TlWorker
{
  GThread *thread;
  Outbox *outbox;

  /* Guards all fields from preview to running. */
  GMutex mutex;
  GCond arrived;            /* a job waits, or stop is set */
  TlJob *preview;           /* (nullable) */
  TlJob *detail;            /* (nullable) */
  GQueue queue;             /* of TlJob: opens and exports */
  TlJob *tasks[TL_N_TASKS]; /* (nullable): waiting, not running */
  guint64 scan_serial;      /* of the last open that succeeded */
  gboolean stop;
  TlJobKind running_kind;
  gboolean running_gives_way;
  TlTaskKind running_task;     /* if running_kind is TL_JOB_TASK */
  gboolean running_is_dropped; /* the running task was dropped */
  GCancellable *running;       /* (nullable): of the running job */
};

static void
outbox_unref (Outbox *outbox)
{
  if (g_atomic_ref_count_dec (&outbox->ref_count))
    g_free (outbox);
}

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;
  tl_reply_free (delivery->reply);
  outbox_unref (delivery->outbox);
  g_free (delivery);
}

static gboolean
deliver (gpointer data)
{
  Delivery *delivery = data;
  Outbox *outbox = delivery->outbox;
  if (delivery->reply->progress < 1)
    g_atomic_int_set (&outbox->progress_is_pending, FALSE);
  if (!outbox->is_closed)
    outbox->func (delivery->reply, outbox->user_data);
  return G_SOURCE_REMOVE;
}

/* Takes @reply. The priority is that of events: while the pointer moves and
 * drawing takes longer than a refresh of the screen, GTK never runs sources of
 * lower priority. */
static void
post_reply (Outbox *outbox, TlReply *reply)
{
  Delivery *delivery = g_new (Delivery, 1);
  g_atomic_ref_count_inc (&outbox->ref_count);
  *delivery = (Delivery){ .outbox = outbox, .reply = reply };
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver, delivery, delivery_free);
}

typedef struct
{
  TlWorker *worker;
  guint64 serial;
  gint64 last_us;
} ProgressSender;

static void
send_progress (double fraction, gpointer data)
{
  ProgressSender *sender = data;
  Outbox *outbox = sender->worker->outbox;
  const gint64 now_us = g_get_monotonic_time ();
  if (fraction >= 1 || now_us - sender->last_us < PROGRESS_STEP_US
      || !g_atomic_int_compare_and_exchange (&outbox->progress_is_pending,
                                             FALSE, TRUE))
    return;
  sender->last_us = now_us;
  TlReply *reply = g_new0 (TlReply, 1);
  reply->kind = TL_JOB_EXPORT;
  reply->serial = sender->serial;
  reply->progress = fraction;
  post_reply (outbox, reply);
}

/* Returns: (transfer full) (nullable): the next job. Previews and then details
 * come first, because they are quick and the user waits for them, but not
 * before an open that they belong to. The mutex must be locked. */
static TlJob *
take_job (TlWorker *worker)
{
  gboolean open_waits = FALSE;
  for (GList *link = worker->queue.head; link != NULL; link = link->next)
    open_waits |= ((TlJob *)link->data)->kind == TL_JOB_OPEN;
  if (worker->preview != NULL && !open_waits)
    return g_steal_pointer (&worker->preview);
  if (worker->detail != NULL && !open_waits)
    return g_steal_pointer (&worker->detail);
  if (!g_queue_is_empty (&worker->queue))
    return g_queue_pop_head (&worker->queue);
  for (guint k = 0; k < TL_N_TASKS; k++)
    if (worker->tasks[k] != NULL)
      return g_steal_pointer (&worker->tasks[k]);
  return NULL;
}

/* @waits: block until a job arrives
 *
 * Returns: (nullable) (transfer full): %NULL when the thread must stop, or if
 *   there is no job and @waits is %FALSE */
static TlJob *
wait_for_job (TlWorker *worker, gboolean waits, gboolean *stop)
{
  TlJob *job = NULL;
  g_mutex_lock (&worker->mutex);
  g_clear_object (&worker->running);
  while (!worker->stop && (job = take_job (worker)) == NULL && waits)
    g_cond_wait (&worker->arrived, &worker->mutex);
  if (job != NULL)
    {
      if (job->cancellable == NULL)
        job->cancellable = g_cancellable_new ();
      worker->running = g_object_ref (job->cancellable);
      worker->running_kind = job->kind;
      worker->running_gives_way = job->gives_way;
      worker->running_task = job->task.kind;
      worker->running_is_dropped = FALSE;
    }
  *stop = worker->stop;
  g_mutex_unlock (&worker->mutex);
  return job;
}

/* Takes @job after one of its steps, and queues it again for the next step.
 * Returns: (transfer full) (nullable): @reply; %NULL if the step was cancelled,
 *   because it is repeated or the task was dropped */
static TlReply *
end_step (TlWorker *worker, TlJob *job, TlReply *reply)
{
  const gboolean was_cancelled =
      g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const gboolean has_more = reply->error == NULL && !reply->is_last;
  g_clear_object (&job->cancellable);
  g_mutex_lock (&worker->mutex);
  TlJob **place = &worker->tasks[job->task.kind];
  if ((has_more || was_cancelled) && !worker->running_is_dropped
      && *place == NULL)
    *place = g_steal_pointer (&job);
  g_mutex_unlock (&worker->mutex);
  tl_job_free (job);
  if (!was_cancelled || reply->lost_reason != NULL)
    return reply;
  tl_reply_free (reply);
  return NULL;
}

/* Drops the tasks of older scans after the open @serial has succeeded,
 * including tasks that were sent while that open was waiting. */
static void
drop_old_tasks (TlWorker *worker, guint64 serial)
{
  g_mutex_lock (&worker->mutex);
  worker->scan_serial = serial;
  for (guint k = 0; k < TL_N_TASKS; k++)
    if (worker->tasks[k] != NULL && worker->tasks[k]->scan_serial < serial)
      g_clear_pointer (&worker->tasks[k], tl_job_free);
  g_mutex_unlock (&worker->mutex);
}

static gpointer
run_thread (gpointer data)
{
  TlWorker *worker = data;
  TlJobRunner *runner = tl_job_runner_new ();
  for (gboolean stop = FALSE; !stop;)
    {
      const gboolean has_more = tl_job_runner_has_more (runner);
      g_autoptr (TlJob) job = wait_for_job (worker, !has_more, &stop);
      TlReply *reply = NULL;
      if (job != NULL)
        {
          ProgressSender sender = { .worker = worker, .serial = job->serial };
          reply = tl_job_runner_do (runner, job, send_progress, &sender);
          if (job->kind == TL_JOB_OPEN && reply->error == NULL)
            drop_old_tasks (worker, job->serial);
          if (job->kind == TL_JOB_TASK)
            reply = end_step (worker, g_steal_pointer (&job), reply);
        }
      else if (!stop)
        reply = tl_job_runner_do_more (runner);
      if (reply != NULL)
        post_reply (worker->outbox, reply);
    }
  tl_job_runner_free (runner);
  return NULL;
}

TlWorker *
tl_worker_new (TlReplyFunc func, gpointer user_data)
{
  g_return_val_if_fail (func != NULL, NULL);
  TlWorker *worker = g_new0 (TlWorker, 1);
  worker->outbox = g_new0 (Outbox, 1);
  g_atomic_ref_count_init (&worker->outbox->ref_count);
  worker->outbox->func = func;
  worker->outbox->user_data = user_data;
  g_mutex_init (&worker->mutex);
  g_cond_init (&worker->arrived);
  g_queue_init (&worker->queue);
  worker->thread = g_thread_new ("engine", run_thread, worker);
  return worker;
}

static void
cancel_running (TlWorker *worker)
{
  if (worker->running != NULL)
    g_cancellable_cancel (worker->running);
}

/* Drops waiting opens and pictures, which a new open replaces. Exports stay. */
static void
drop_superseded (TlWorker *worker)
{
  g_clear_pointer (&worker->preview, tl_job_free);
  g_clear_pointer (&worker->detail, tl_job_free);
  for (GList *link = worker->queue.head; link != NULL;)
    {
      GList *next = link->next;
      TlJob *job = link->data;
      if (job->kind == TL_JOB_OPEN)
        {
          tl_job_free (job);
          g_queue_delete_link (&worker->queue, link);
        }
      link = next;
    }
  if (worker->running_kind != TL_JOB_EXPORT)
    cancel_running (worker);
}

/* A waiting detail belongs to the previous picture, so drop it. */
static void
take_picture (TlWorker *worker, TlJob *job)
{
  g_clear_pointer (&worker->preview, tl_job_free);
  g_clear_pointer (&worker->detail, tl_job_free);
  worker->preview = job;
  if (worker->running_gives_way)
    cancel_running (worker);
}

static void
take_detail (TlWorker *worker, TlJob *job)
{
  g_clear_pointer (&worker->detail, tl_job_free);
  worker->detail = job;
  if (worker->running_kind == TL_JOB_DETAIL
      || worker->running_kind == TL_JOB_TASK)
    cancel_running (worker);
}

/* Drops the task of @kind and cancels its running step. */
static void
drop_task (TlWorker *worker, TlTaskKind kind)
{
  g_clear_pointer (&worker->tasks[kind], tl_job_free);
  if (worker->running == NULL || worker->running_kind != TL_JOB_TASK
      || worker->running_task != kind)
    return;
  worker->running_is_dropped = TRUE;
  cancel_running (worker);
}

static void
take_task (TlWorker *worker, TlJob *job)
{
  drop_task (worker, job->task.kind);
  if (job->scan_serial < worker->scan_serial)
    {
      tl_job_free (job); /* sent before the sender knew of the new scan */
      return;
    }
  job->gives_way = TRUE;
  worker->tasks[job->task.kind] = job;
}

void
tl_worker_push (TlWorker *worker, TlJob *job)
{
  g_return_if_fail (worker != NULL && job != NULL);
  g_mutex_lock (&worker->mutex);
  if (job->kind == TL_JOB_OPEN)
    drop_superseded (worker);
  if (job->kind == TL_JOB_PREVIEW || job->kind == TL_JOB_VIEW
      || job->kind == TL_JOB_COST)
    take_picture (worker, job);
  else if (job->kind == TL_JOB_DETAIL)
    take_detail (worker, job);
  else if (job->kind == TL_JOB_TASK)
    take_task (worker, job);
  else
    g_queue_push_tail (&worker->queue, job);
  g_cond_signal (&worker->arrived);
  g_mutex_unlock (&worker->mutex);
}

void
tl_worker_drop_task (TlWorker *worker, TlTaskKind kind)
{
  g_return_if_fail (worker != NULL && kind < TL_N_TASKS);
  g_mutex_lock (&worker->mutex);
  drop_task (worker, kind);
  g_mutex_unlock (&worker->mutex);
}

void
tl_worker_free (TlWorker *worker)
{
  if (worker == NULL)
    return;
  g_mutex_lock (&worker->mutex);
  worker->stop = TRUE;
  cancel_running (worker);
  g_cond_signal (&worker->arrived);
  g_mutex_unlock (&worker->mutex);
  g_thread_join (worker->thread);

  worker->outbox->is_closed = TRUE;
  outbox_unref (worker->outbox);
  g_clear_pointer (&worker->preview, tl_job_free);
  g_clear_pointer (&worker->detail, tl_job_free);
  g_queue_clear_full (&worker->queue, (GDestroyNotify)tl_job_free);
  for (guint k = 0; k < TL_N_TASKS; k++)
    g_clear_pointer (&worker->tasks[k], tl_job_free);
  g_mutex_clear (&worker->mutex);
  g_cond_clear (&worker->arrived);
  g_free (worker);
}
