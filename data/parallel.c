#include "data/parallel.h"

#include "data/error.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the threads of one run share. */
typedef struct
{
  TlTask task;
  gpointer data;
  size_t n_tasks;
  GCancellable *cancellable;
  gsize next; /* atomic: the task that starts next */
  int failed; /* atomic: whether a task has failed */
} Run;

/* One thread of a run. */
typedef struct
{
  Run *run;
  size_t index; /* of the task that failed */
  gboolean has_failed;
  GError *error; /* (nullable) */
} Worker;

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  Run *run = worker->run;
  while (!g_atomic_int_get (&run->failed))
    {
      worker->index = (size_t)g_atomic_pointer_add (&run->next, 1);
      if (worker->index >= run->n_tasks)
        break;
      worker->has_failed =
          g_cancellable_set_error_if_cancelled (run->cancellable,
                                                &worker->error)
          || !run->task (run->data, worker->index, &worker->error);
      if (worker->has_failed)
        g_atomic_int_set (&run->failed, TRUE);
    }
  return NULL;
}

gboolean
tl_parallel_run (size_t n_tasks, guint n_threads, TlTask task, gpointer data,
                 GCancellable *cancellable, size_t *n_done, GError **error)
{
  Run run = { task, data, n_tasks, cancellable, 0, FALSE };
  const guint n = (guint)CLAMP (n_tasks, 1, MAX (n_threads, 1));
  g_autofree Worker *workers = g_new0 (Worker, n);
  g_autofree GThread **threads = g_new0 (GThread *, n);
  workers[0].run = &run;
  for (guint i = 1; i < n; i++)
    {
      workers[i].run = &run;
      /* Where no more threads can be started, fewer do the work. */
      threads[i] = g_thread_try_new ("tasks", work, &workers[i], NULL);
    }
  work (&workers[0]);
  Worker *first = NULL;
  for (guint i = 0; i < n; i++)
    {
      if (threads[i] != NULL)
        g_thread_join (threads[i]);
      if (workers[i].has_failed
          && (first == NULL || workers[i].index < first->index))
        first = &workers[i];
    }
  *n_done = first != NULL ? first->index : n_tasks;
  if (first != NULL && first->error == NULL)
    tl_fail (error, TL_ERROR_VALUE, "task %zu does not say why it failed",
             first->index);
  else if (first != NULL)
    g_propagate_error (error, g_steal_pointer (&first->error));
  for (guint i = 0; i < n; i++)
    g_clear_error (&workers[i].error);
  return first == NULL;
}

/* A thread that others wait for wakes up often, and a busy processor may let it
 * wait for milliseconds each time, whatever the niceness of what runs there
 * (tests/bench/README.md, "Exports": 16 virtual processors). Those with the
 * highest numbers are left: second threads of cores, or slow cores, which the
 * first thread of the process need not use. */
static void
leave_processors (void)
{
  cpu_set_t set;
  if (sched_getaffinity (getpid (), sizeof set, &set) != 0)
    return;
  int n_left = CPU_COUNT (&set) / TL_WAY_LEAVES;
  for (size_t k = CPU_SETSIZE; n_left > 0 && k-- > 0;)
    if (CPU_ISSET (k, &set))
      {
        CPU_CLR (k, &set);
        n_left--;
      }
  (void)sched_setaffinity (0, sizeof set, &set);
}

/* On Linux a thread has a niceness and processors of its own, which the threads
 * that it starts inherit; getpid() names the first thread. Where the system
 * refuses a change, the thread goes on as before. */
void
tl_thread_give_way (TlWay way)
{
  const int niceness = getpriority (PRIO_PROCESS, (id_t)getpid ()) + (int)way;
  if (getpriority (PRIO_PROCESS, 0) < niceness)
    (void)setpriority (PRIO_PROCESS, 0, niceness);
  if (way >= TL_WAY_BACKGROUND)
    leave_processors ();
}
