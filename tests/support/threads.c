/* Tells the thread sanitizer how GLib's threads wait for each other. GLib is
 * not built with the sanitizer and its locks are none of pthread's, so that
 * each datum behind a GMutex would look like a race. ./check builds this
 * library, not Meson, and preloads it; what it replaces does the same as
 * before.
 *
 * A release before an unlock, a push or a start, and an acquire after the lock,
 * the pop or the call that it leads to, are all that the sanitizer has to
 * know. Calls within GLib are not seen: it binds them itself. */
#include <dlfcn.h>
#include <gio/gio.h>
#include <stddef.h>

/* NULL in programs without the sanitizer. */
void __tsan_acquire (void *address) __attribute__ ((weak));
void __tsan_release (void *address) __attribute__ ((weak));

static void
acquire (const volatile void *address)
{
  if (__tsan_acquire != NULL)
    __tsan_acquire ((void *)address);
}

static void
release (const volatile void *address)
{
  if (__tsan_release != NULL)
    __tsan_release ((void *)address);
}

/* The function that is replaced; looked for once. */
#define REAL(name)                                                             \
  ({                                                                           \
    static __typeof__ (&name) real;                                            \
    if (real == NULL)                                                          \
      real = (__typeof__ (&name))dlsym (RTLD_NEXT, #name);                     \
    real;                                                                      \
  })

/* --- locks --- */

#define LOCK(name, Type)                                                       \
  void name (Type *lock)                                                       \
  {                                                                            \
    REAL (name) (lock);                                                        \
    acquire (lock);                                                            \
  }
#define UNLOCK(name, Type)                                                     \
  void name (Type *lock)                                                       \
  {                                                                            \
    release (lock);                                                            \
    REAL (name) (lock);                                                        \
  }

LOCK (g_mutex_lock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
LOCK (g_rec_mutex_lock, GRecMutex)
UNLOCK (g_rec_mutex_unlock, GRecMutex)
LOCK (g_rw_lock_writer_lock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)
LOCK (g_rw_lock_reader_lock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)

gboolean
g_mutex_trylock (GMutex *mutex)
{
  const gboolean is_locked = REAL (g_mutex_trylock) (mutex);
  if (is_locked)
    acquire (mutex);
  return is_locked;
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  release (mutex);
  REAL (g_cond_wait) (cond, mutex);
  acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_us)
{
  release (mutex);
  const gboolean is_signalled = REAL (g_cond_wait_until) (cond, mutex, end_us);
  acquire (mutex);
  return is_signalled;
}

/* --- what is counted and handed over --- */

/* Another thread may free the counter as soon as this one has given up its
 * share. */
gboolean
g_atomic_ref_count_dec (gatomicrefcount *count)
{
  release (count);
  const gboolean is_last = REAL (g_atomic_ref_count_dec) (count);
  if (is_last)
    acquire (count);
  return is_last;
}

void
g_object_unref (gpointer object)
{
  /* a weak reference may live longer: of the object only its address is used */
  release (object);
  if (g_atomic_int_get (&G_OBJECT (object)->ref_count) == 1)
    acquire (object);
  REAL (g_object_unref) (object);
}

void
g_async_queue_push (GAsyncQueue *queue, gpointer item)
{
  release (queue);
  REAL (g_async_queue_push) (queue, item);
}

gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  gpointer item = REAL (g_async_queue_pop) (queue);
  acquire (queue);
  return item;
}

gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  gpointer item = REAL (g_async_queue_try_pop) (queue);
  acquire (queue);
  return item;
}

gpointer
g_async_queue_timeout_pop (GAsyncQueue *queue, guint64 timeout_us)
{
  gpointer item = REAL (g_async_queue_timeout_pop) (queue, timeout_us);
  acquire (queue);
  return item;
}

void
g_cancellable_cancel (GCancellable *cancellable)
{
  release (cancellable);
  REAL (g_cancellable_cancel) (cancellable);
}

gboolean
g_cancellable_is_cancelled (GCancellable *cancellable)
{
  const gboolean is = REAL (g_cancellable_is_cancelled) (cancellable);
  if (is)
    acquire (cancellable);
  return is;
}

/* --- calls in other threads --- */

static gboolean
is_ready (GSource *source G_GNUC_UNUSED, gint *timeout_ms)
{
  *timeout_ms = 0;
  return TRUE;
}

/* Without it what was added during a poll would wait for the next one, and be
 * overtaken by GLib's own sources, such as the end of a task. */
static gboolean
is_still_ready (GSource *source G_GNUC_UNUSED)
{
  return TRUE;
}

static gboolean
run_source (GSource *source, GSourceFunc func, gpointer data)
{
  acquire (source);
  return func (data);
}

static GSourceFuncs idle_funcs = { is_ready, is_still_ready, run_source,
                                   NULL,     NULL,           NULL };

guint
g_idle_add_full (gint priority, GSourceFunc func, gpointer data,
                 GDestroyNotify destroy)
{
  GSource *source = g_source_new (&idle_funcs, sizeof (GSource));
  g_source_set_priority (source, priority);
  g_source_set_callback (source, func, data, destroy);
  release (source);
  const guint id = g_source_attach (source, NULL);
  g_source_unref (source);
  return id;
}

gboolean
g_idle_remove_by_data (gpointer data)
{
  return g_source_remove_by_funcs_user_data (&idle_funcs, data);
}

guint
g_idle_add (GSourceFunc func, gpointer data)
{
  return g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, func, data, NULL);
}

/* The function of each task, because a task has no room for another one. */
static GQuark
get_func_quark (void)
{
  return g_quark_from_static_string ("tl-task-func");
}

static void
run_task (GTask *task, gpointer source, gpointer data,
          GCancellable *cancellable)
{
  acquire (task);
  const GTaskThreadFunc func =
      (GTaskThreadFunc)g_object_get_qdata (G_OBJECT (task), get_func_quark ());
  func (task, source, data, cancellable);
}

void
g_task_run_in_thread (GTask *task, GTaskThreadFunc func)
{
  g_object_set_qdata (G_OBJECT (task), get_func_quark (), (gpointer)func);
  release (task);
  REAL (g_task_run_in_thread) (task, run_task);
}

#define RETURN(name, Type)                                                     \
  void name (GTask *task, Type value)                                          \
  {                                                                            \
    release (task);                                                            \
    REAL (name) (task, value);                                                 \
  }

RETURN (g_task_return_boolean, gboolean)
RETURN (g_task_return_int, gssize)
RETURN (g_task_return_error, GError *)

void
g_task_return_pointer (GTask *task, gpointer value, GDestroyNotify destroy)
{
  release (task);
  REAL (g_task_return_pointer) (task, value, destroy);
}

#define PROPAGATE(name, Type)                                                  \
  Type name (GTask *task, GError **error)                                      \
  {                                                                            \
    acquire (task);                                                            \
    return REAL (name) (task, error);                                          \
  }

PROPAGATE (g_task_propagate_boolean, gboolean)
PROPAGATE (g_task_propagate_int, gssize)
PROPAGATE (g_task_propagate_pointer, gpointer)

/* --- pools --- */

typedef struct
{
  GFunc func;
  gpointer data;
} Pool;

static void
run_in_pool (gpointer item, gpointer data)
{
  const Pool *pool = data;
  acquire (item);
  pool->func (item, pool->data);
  release (pool);
}

GThreadPool *
g_thread_pool_new (GFunc func, gpointer data, gint max_threads,
                   gboolean exclusive, GError **error)
{
  Pool *pool = g_new (Pool, 1); /* as long as the process: some pools are */
  *pool = (Pool){ func, data };
  return REAL (g_thread_pool_new) (run_in_pool, pool, max_threads, exclusive,
                                   error);
}

gboolean
g_thread_pool_push (GThreadPool *pool, gpointer item, GError **error)
{
  release (item);
  return REAL (g_thread_pool_push) (pool, item, error);
}

void
g_thread_pool_free (GThreadPool *pool, gboolean immediate, gboolean waits)
{
  gpointer own = pool->user_data;
  REAL (g_thread_pool_free) (pool, immediate, waits);
  acquire (own);
}
