/* Tests that tasks run once each, that the first failure wins, and what work in
 * the background leaves to others. */
#include "data/parallel.h"

#include "data/error.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

enum
{
  N_TASKS = 200
};

typedef struct
{
  int n_runs[N_TASKS]; /* atomic */
  size_t first_bad, second_bad;
} Tasks;

static gboolean
run_task (gpointer data, size_t index, GError **error)
{
  Tasks *tasks = data;
  g_atomic_int_inc (&tasks->n_runs[index]);
  /* The first bad task fails later than the second. */
  if (index == tasks->first_bad)
    g_usleep (2000);
  if (index != tasks->first_bad && index != tasks->second_bad)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE, "%zu", index);
}

static void
test_all (void)
{
  for (guint n_threads = 0; n_threads < 6; n_threads++)
    for (size_t n_tasks = 0; n_tasks <= N_TASKS; n_tasks += 1 + n_tasks * 7)
      {
        Tasks tasks = { .first_bad = N_TASKS, .second_bad = N_TASKS };
        g_autoptr (GError) error = NULL;
        size_t n_done = 999;
        g_assert_true (tl_parallel_run (n_tasks, n_threads, run_task, &tasks,
                                        NULL, &n_done, &error));
        g_assert_no_error (error);
        g_assert_cmpuint (n_done, ==, n_tasks);
        for (size_t k = 0; k < N_TASKS; k++)
          g_assert_cmpint (tasks.n_runs[k], ==, k < n_tasks);
      }
}

static void
test_failure (void)
{
  for (guint n_threads = 1; n_threads < 6; n_threads++)
    {
      Tasks tasks = { .first_bad = 31, .second_bad = 33 };
      g_autoptr (GError) error = NULL;
      size_t n_done = 0;
      g_assert_false (tl_parallel_run (N_TASKS, n_threads, run_task, &tasks,
                                       NULL, &n_done, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_cmpstr (error->message, ==, "31");
      g_assert_cmpuint (n_done, ==, 31);
      for (size_t k = 0; k < 31; k++)
        g_assert_cmpint (tasks.n_runs[k], ==, 1);
      g_assert_true (n_threads > 1 || tasks.n_runs[32] == 0);
    }
}

static gboolean
fail_without_reason (gpointer data, size_t index, GError **error)
{
  return index != 3;
}

/* A task that forgets to say why it failed has failed nevertheless. */
static void
test_no_reason (void)
{
  for (guint n_threads = 1; n_threads < 6; n_threads++)
    {
      g_autoptr (GError) error = NULL;
      size_t n_done = 0;
      g_assert_false (tl_parallel_run (N_TASKS, n_threads, fail_without_reason,
                                       NULL, NULL, &n_done, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_cmpuint (n_done, ==, 3);
    }
}

static void
test_cancelled (void)
{
  Tasks tasks = { .first_bad = N_TASKS, .second_bad = N_TASKS };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  size_t n_done = 999;
  g_cancellable_cancel (cancellable);
  g_assert_false (tl_parallel_run (N_TASKS, 3, run_task, &tasks, cancellable,
                                   &n_done, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (n_done, ==, 0);
  g_assert_cmpint (tasks.n_runs[0], ==, 0);
}

/* --- giving way --- */

int __wrap_sched_getaffinity (pid_t pid, size_t bytes, cpu_set_t *set);
int __wrap_sched_setaffinity (pid_t pid, size_t bytes, const cpu_set_t *set);
int __real_setpriority (int which, id_t who, int niceness);
int __wrap_setpriority (int which, id_t who, int niceness);

static cpu_set_t process_set, thread_set; /* thread_set: none until it is set */

int
__wrap_sched_getaffinity (pid_t pid, size_t bytes, cpu_set_t *set)
{
  g_assert_cmpint (pid, ==, getpid ());
  g_assert_cmpuint (bytes, ==, sizeof process_set);
  *set = process_set;
  return 0;
}

int
__wrap_sched_setaffinity (pid_t pid, size_t bytes, const cpu_set_t *set)
{
  g_assert_cmpint (pid, ==, 0);
  g_assert_cmpuint (bytes, ==, sizeof thread_set);
  thread_set = *set;
  return 0;
}

/* Ordinary users may not raise a priority, but root may, so the function must
 * not try. */
int
__wrap_setpriority (int which, id_t who, int niceness)
{
  g_assert_cmpint (niceness, >, getpriority (PRIO_PROCESS, 0));
  return __real_setpriority (which, who, niceness);
}

static gpointer
give_way (gpointer way)
{
  const int wanted =
      getpriority (PRIO_PROCESS, (id_t)getpid ()) + (int)GPOINTER_TO_INT (way);
  tl_thread_give_way (GPOINTER_TO_INT (way));
  tl_thread_give_way (TL_WAY_LATER);
  g_assert_cmpint (getpriority (PRIO_PROCESS, 0), ==, MIN (wanted, 19));
  return NULL;
}

/* The process may use @n processors, which have odd numbers. Returns: how many
 * of these the thread keeps, from the first on; 0: it sets none */
static guint
count_kept (guint n, TlWay way)
{
  guint n_kept = 0;
  CPU_ZERO (&process_set);
  CPU_ZERO (&thread_set);
  for (guint k = 0; k < n; k++)
    CPU_SET (2 * k + 1, &process_set);
  g_thread_join (g_thread_new ("way", give_way, GINT_TO_POINTER (way)));
  while (CPU_ISSET (2 * n_kept + 1, &thread_set))
    n_kept++;
  g_assert_cmpint (CPU_COUNT (&thread_set), ==, (int)n_kept);
  return n_kept;
}

static void
test_give_way (void)
{
  g_assert_cmpuint (count_kept (16, TL_WAY_BACKGROUND), ==, 12);
  g_assert_cmpuint (count_kept (16, TL_WAY_BACKGROUND_LATER), ==, 12);
  g_assert_cmpuint (count_kept (16, TL_WAY_LATER), ==, 0);
  g_assert_cmpuint (count_kept (7, TL_WAY_BACKGROUND), ==, 6);
  g_assert_cmpuint (count_kept (4, TL_WAY_BACKGROUND), ==, 3);
  g_assert_cmpuint (count_kept (3, TL_WAY_BACKGROUND), ==, 3);
  g_assert_cmpuint (count_kept (1, TL_WAY_BACKGROUND), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parallel/all", test_all);
  g_test_add_func ("/parallel/failure", test_failure);
  g_test_add_func ("/parallel/no-reason", test_no_reason);
  g_test_add_func ("/parallel/cancelled", test_cancelled);
  g_test_add_func ("/parallel/give-way", test_give_way);
  return g_test_run ();
}
