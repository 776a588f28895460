/* Tests that tasks run once each, and that the first failure wins. */
#include "data/parallel.h"

#include "data/error.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parallel/all", test_all);
  g_test_add_func ("/parallel/failure", test_failure);
  g_test_add_func ("/parallel/no-reason", test_no_reason);
  g_test_add_func ("/parallel/cancelled", test_cancelled);
  return g_test_run ();
}
