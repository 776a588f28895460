/* A pool of permanent threads that share numbered work items. */
#include "gpu/host/pool.h"

struct TlHostPool
{
  GThreadPool *threads; /* %NULL if the caller is the only worker */
  guint n_workers;
};

/* One call of tl_host_pool_run(); lives on the caller's stack. */
typedef struct
{
  TlHostFunc func;
  gpointer data;
  size_t n_items;
  gsize next_item;  /* atomic */
  gint next_worker; /* atomic */

  GMutex lock;
  GCond done;
  guint n_running; /* pool threads that have not finished */
} Run;

static void
take_items (Run *run)
{
  const guint worker = (guint)g_atomic_int_add (&run->next_worker, 1);

  for (;;)
    {
      const gsize item = (gsize)g_atomic_pointer_add (&run->next_item, 1);

      if (item >= run->n_items)
        return;
      run->func (item, worker, run->data);
    }
}

static void
help (gpointer data, gpointer user_data)
{
  Run *run = data;

  take_items (run);
  g_mutex_lock (&run->lock);
  if (--run->n_running == 0)
    g_cond_signal (&run->done);
  g_mutex_unlock (&run->lock);
}

TlHostPool *
tl_host_pool_new (guint n_workers, GError **error)
{
  TlHostPool *pool = g_new0 (TlHostPool, 1);

  pool->n_workers = n_workers;
  if (n_workers > 1)
    {
      /* The calling thread is a worker too, so the pool has one thread less. */
      pool->threads =
          g_thread_pool_new (help, NULL, (gint)n_workers - 1, TRUE, error);
      if (pool->threads == NULL)
        {
          g_free (pool);
          return NULL;
        }
    }
  return pool;
}

void
tl_host_pool_free (TlHostPool *pool)
{
  if (pool->threads != NULL)
    g_thread_pool_free (pool->threads, FALSE, TRUE);
  g_free (pool);
}

guint
tl_host_pool_get_n_workers (TlHostPool *pool)
{
  return pool->n_workers;
}

void
tl_host_pool_run (TlHostPool *pool, size_t n_items, TlHostFunc func,
                  gpointer data)
{
  Run run = { .func = func, .data = data, .n_items = n_items };

  if (pool->threads != NULL && n_items > 1)
    run.n_running = (guint)MIN (pool->n_workers - 1, n_items - 1);
  g_mutex_init (&run.lock);
  g_cond_init (&run.done);

  for (guint i = run.n_running; i > 0; i--)
    g_thread_pool_push (pool->threads, &run, NULL);
  take_items (&run);

  g_mutex_lock (&run.lock);
  while (run.n_running > 0)
    g_cond_wait (&run.done, &run.lock);
  g_mutex_unlock (&run.lock);

  g_mutex_clear (&run.lock);
  g_cond_clear (&run.done);
}
