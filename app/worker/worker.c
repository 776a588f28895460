/* The worker has one thread. At most one open, one preview, one detail and one
 * task of each kind wait. Cost jobs and measured views wait as previews. An
 * open drops all waiting pictures, and cancels the picture or open that is
 * running. When no job waits, the thread does steps of tasks and then of the
 * scan's survey.
 *
 * A newer preview of the same scan does not cancel a running one: on a slow
 * machine no picture would appear during a drag. Only jobs with gives_way are
 * cancelled: they were started after the drag had paused. But where reading the
 * rows of a slice takes so long that no picture follows a drag anyway, another
 * slice ends it. */
#include "app/worker/worker.h"

#include "app/worker/job-runner-private.h"

/* The destination of replies. Idle sources hold references, so it may outlive
 * the worker. */
typedef struct
{
  gatomicrefcount ref_count;
  TlReplyFunc func;
  gpointer user_data;
  gboolean is_closed; /* main thread only */
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
  TlJob *open;              /* (nullable) */
  TlJob *tasks[TL_N_TASKS]; /* (nullable): waiting, not running */
  guint64 scan_serial;      /* of the last open that succeeded */
  gboolean stop;
  TlJobKind running_kind;
  gboolean running_gives_way;
  guint running_slice;
  gint64 running_since_us;
  TlTaskKind running_task;     /* if running_kind is TL_JOB_TASK */
  gboolean running_is_dropped; /* the running task was dropped */
  GCancellable *running;       /* (nullable): of the running job */
  GCancellable *reading;       /* (nullable): likewise */
};

/* Milliseconds: reading the rows of a slice is not ended sooner, so that
 * pictures follow a drag where reading takes less. */
#define MIN_READING_MS 300

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

/* Returns: (transfer full) (nullable): the next job. Previews and then details
 * come after the open that they belong to. The mutex must be locked. */
static TlJob *
take_job (TlWorker *worker)
{
  TlJob **const places[] = { &worker->open, &worker->preview, &worker->detail };
  for (guint k = 0; k < G_N_ELEMENTS (places); k++)
    if (*places[k] != NULL)
      return g_steal_pointer (places[k]);
  for (guint k = 0; k < TL_N_TASKS; k++)
    if (worker->tasks[k] != NULL)
      return g_steal_pointer (&worker->tasks[k]);
  return NULL;
}

/* The mutex must be locked. */
static gboolean
has_task (const TlWorker *worker)
{
  gboolean has = FALSE;
  for (guint k = 0; k < TL_N_TASKS; k++)
    has = has || worker->tasks[k] != NULL;
  return has;
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
  g_clear_object (&worker->reading);
  while (!worker->stop && (job = take_job (worker)) == NULL && waits)
    g_cond_wait (&worker->arrived, &worker->mutex);
  if (job != NULL)
    {
      if (job->cancellable == NULL)
        job->cancellable = g_cancellable_new ();
      job->reading = g_cancellable_new ();
      if (job->kind == TL_JOB_TASK)
        job->grows = job->task.grows && !has_task (worker);
      else
        job->is_put_off = job->grows && has_task (worker);
      worker->running = g_object_ref (job->cancellable);
      worker->reading = g_object_ref (job->reading);
      worker->running_kind = job->kind;
      worker->running_slice = job->recipe->slice;
      worker->running_since_us = g_get_monotonic_time ();
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
  g_clear_object (&job->reading);
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
          reply = tl_job_runner_do (runner, job);
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
  worker->thread = g_thread_new ("engine", run_thread, worker);
  return worker;
}

static void
cancel_running (TlWorker *worker)
{
  if (worker->running == NULL)
    return;
  g_cancellable_cancel (worker->running);
  g_cancellable_cancel (worker->reading);
}

/* Ends reading the rows of another slice, if it takes long. */
static void
cancel_reading (TlWorker *worker, const TlJob *job)
{
  const gint64 us = g_get_monotonic_time () - worker->running_since_us;
  if (worker->running != NULL && worker->running_kind == TL_JOB_PREVIEW
      && worker->running_slice != job->recipe->slice
      && us >= MIN_READING_MS * 1000)
    g_cancellable_cancel (worker->reading);
}

/* A new open replaces a waiting one, and all pictures of the old scan. */
static void
take_open (TlWorker *worker, TlJob *job)
{
  g_clear_pointer (&worker->preview, tl_job_free);
  g_clear_pointer (&worker->detail, tl_job_free);
  g_clear_pointer (&worker->open, tl_job_free);
  worker->open = job;
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
  else
    cancel_reading (worker, job);
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
    take_open (worker, job);
  else if (job->kind == TL_JOB_DETAIL)
    take_detail (worker, job);
  else if (job->kind == TL_JOB_TASK)
    take_task (worker, job);
  else
    take_picture (worker, job);
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
  g_clear_pointer (&worker->open, tl_job_free);
  for (guint k = 0; k < TL_N_TASKS; k++)
    g_clear_pointer (&worker->tasks[k], tl_job_free);
  g_mutex_clear (&worker->mutex);
  g_cond_clear (&worker->arrived);
  g_free (worker);
}
