/* Threads: independent tasks on several of them, and their priority. */
#pragma once

#include <gio/gio.h>

/* The task with number @index, in any thread. Returns: %FALSE with an error */
typedef gboolean (*TlTask) (gpointer data, size_t index, GError **error);

/**
 * tl_parallel_run:
 * @n_tasks: how many tasks there are
 * @n_threads: at most so many run at once; the caller's thread is one of them
 * @task: called once for each index below @n_tasks, in ascending order
 * @cancellable: (nullable): checked before each task
 * @n_done: (out): the first @n_done tasks have succeeded
 *
 * Returns when no task runs any more. After a failure no further task starts.
 * The other threads inherit the priority and the processors of the caller's.
 *
 * Returns: %FALSE with the error of the failed task with the lowest index,
 *   which is the error of one thread, or with G_IO_ERROR_CANCELLED
 */
gboolean tl_parallel_run (size_t n_tasks, guint n_threads, TlTask task,
                          gpointer data, GCancellable *cancellable,
                          size_t *n_done, GError **error);

/* Work in the background uses all processors but one in so many. */
#define TL_WAY_LEAVES 4

/* by how much the niceness is above that of the first thread */
typedef enum
{
  /* work that others of the same purpose need not wait for, or that somebody
   * waits for, but pictures come first */
  TL_WAY_LATER = 5,
  /* work that no one waits for; a tenth of a processor that others want */
  TL_WAY_BACKGROUND = 10,
  TL_WAY_BACKGROUND_LATER = 15
} TlWay;

/** tl_thread_give_way: Lowers the priority of the calling thread, which is not
 * the first of the process, and of the threads that it starts from now on. The
 * priority cannot be raised again; a smaller @way afterwards changes nothing.
 * From TL_WAY_BACKGROUND on they leave some processors to others. */
void tl_thread_give_way (TlWay way);
