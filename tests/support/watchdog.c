#include "tests/support/watchdog.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Backtraces begin after this time away from the main loop: early, because the
 * sampling thread may be late. */
#define SUSPICIOUS_MS (TL_WATCHDOG_MAX_MS / 2)
/* The number of backtraces of one block, their distance, and the calls of each.
 */
#define MAX_BACKTRACES 8
#define SAMPLE_US 5000
#define MAX_CALLS 64

/* The fixed task that tells how slow the machine is, and its time on an idle
 * one. */
#define N_STRINGS 48000
#define FIXED_TASK_MS 10.0

typedef struct
{
  void *calls[MAX_CALLS]; /* innermost first */
  int n_calls;
} Backtrace;

static GPollFunc real_poll; /* NULL while the watchdog is stopped */
static gboolean is_paused;
static double left_ms;  /* when the last poll was left, or the pause ended */
static double spent_ms; /* since that poll, before the pause */
static double left_busy_ms, spent_busy_ms; /* likewise, of computing */
static double longest_ms, longest_foreign_ms, longest_busy_ms;

/* --- backtraces --- */

static GThread *sampler;
static pthread_t watched;
/* All three variables are atomic. */
static gint sampler_stops;
static gint64 overdue_us; /* when backtraces begin; 0 while the thread polls or
                             the watchdog is paused */
static gint n_backtraces; /* of this block */
static Backtrace backtraces[MAX_BACKTRACES];

static void
take_backtrace (int signal)
{
  gint n = g_atomic_int_get (&n_backtraces);

  if (n == MAX_BACKTRACES)
    return;
  backtraces[n].n_calls = backtrace (backtraces[n].calls, MAX_CALLS);
  g_atomic_int_set (&n_backtraces, n + 1);
}

static gpointer
run_sampler (gpointer data)
{
  while (!g_atomic_int_get (&sampler_stops))
    {
      gint64 when_us = __atomic_load_n (&overdue_us, __ATOMIC_ACQUIRE);

      if (when_us != 0 && g_get_monotonic_time () > when_us)
        pthread_kill (watched, SIGURG);
      g_usleep (SAMPLE_US);
    }
  return NULL;
}

static void
start_sampler (void)
{
  struct sigaction action = { .sa_handler = take_backtrace,
                              .sa_flags = SA_RESTART };

  /* The first backtrace loads a library, which is not allowed in a signal
   * handler. */
  backtrace (backtraces[0].calls, MAX_CALLS);
  sigaction (SIGURG, &action, NULL);
  watched = pthread_self ();
  g_atomic_int_set (&sampler_stops, FALSE);
  sampler = g_thread_new ("sampler", run_sampler, NULL);
}

/* A program that calls one of these lets the toolkit make or show a window. */
static const char *const toolkit_calls[] = { "gtk_file_chooser_native_new",
                                             "gtk_native_dialog_show",
                                             "gtk_window_present",
                                             /* the compiler turns the call into
                                              * a jump to this function */
                                             "gtk_window_present_with_time" };

/* Functions of the test that wrap functions of a library. Time in them does not
 * count as the program's. */
static const char *const wrappers[] = { "poll", "gsk_renderer_render_texture",
                                        "gtk_gl_area_make_current",
                                        "gdk_texture_download" };

/* Where the main loop begins. Outside the dispatch it may wait for its own
 * lock, whose thread has to wait for a processor on a busy machine. */
static const char *const loop_calls[] = { "g_main_context_dispatch",
                                          "g_main_context_iteration" };

static gboolean
is_one_of (const char *name, const char *const *names, guint n)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Examines the calls below the main loop, without the signal handler and its
 * frame, and with @tells logs them. Returns: whether the program's own code was
 * running. */
static gboolean
is_of_program (const Backtrace *trace, gboolean tells)
{
  Dl_info program, call;
  gboolean is_own = FALSE;

  dladdr ((void *)is_of_program, &program);
  for (int i = 2; i < trace->n_calls && dladdr (trace->calls[i], &call) != 0;
       i++)
    {
      gboolean is_here = call.dli_fbase == program.dli_fbase;

      if (call.dli_sname != NULL
          && is_one_of (call.dli_sname, loop_calls, G_N_ELEMENTS (loop_calls)))
        break;
      is_own |= is_here;
      if (is_here
          && is_one_of (call.dli_sname, wrappers, G_N_ELEMENTS (wrappers)))
        is_own = FALSE;
      if (!is_own
          && is_one_of (call.dli_sname, toolkit_calls,
                        G_N_ELEMENTS (toolkit_calls))
          && !tells)
        break;
      if (tells && (is_here || call.dli_sname != NULL))
        g_test_message (
            "  in %s+%#zx of %s", call.dli_sname != NULL ? call.dli_sname : "",
            (gsize)((char *)trace->calls[i] - (char *)call.dli_fbase),
            call.dli_fname);
    }
  return is_own;
}

/* Logs a block of @ms. Returns: whether all backtraces of the block show
 * library code only. */
static gboolean
is_foreign (double ms)
{
  int n = g_atomic_int_get (&n_backtraces);
  int own = 0;

  while (own < n && !is_of_program (&backtraces[own], FALSE))
    own++;
  g_test_message ("the main thread was away for %.0f ms, seen %d times%s", ms,
                  n, n > 0 && own == n ? ", in nothing of the program's" : "");
  if (n > 0)
    is_of_program (&backtraces[own < n ? own : n / 2], TRUE);
  return n > 0 && own == n;
}

/* --- time --- */

/* Returns: how long this thread has waited for a processor: the second column
 * of schedstat; 0 if the kernel lacks it. */
static double
read_processor_wait_ms (void)
{
  guint64 busy_ns, waited_ns = 0;
  FILE *file = fopen ("/proc/thread-self/schedstat", "r");

  if (file == NULL)
    return 0.0;
  if (fscanf (file, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &busy_ns,
              &waited_ns)
      != 2)
    waited_ns = 0;
  fclose (file);
  return (double)waited_ns / 1e6;
}

static double
read_clock_ms (void)
{
  return (double)g_get_monotonic_time () / 1e3 - read_processor_wait_ms ();
}

/* Returns: how long this thread has computed */
static double
read_busy_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void
stop_clock (void)
{
  spent_ms += read_clock_ms () - left_ms;
  spent_busy_ms += read_busy_ms () - left_busy_ms;
  __atomic_store_n (&overdue_us, 0, __ATOMIC_RELEASE);
}

static void
start_clock (void)
{
  double left_us = (SUSPICIOUS_MS - spent_ms) * 1e3;

  left_ms = read_clock_ms ();
  left_busy_ms = read_busy_ms ();
  __atomic_store_n (&overdue_us, g_get_monotonic_time () + (gint64)left_us,
                    __ATOMIC_RELEASE);
}

/* Allocates, looks up and frees strings, as toolkits mostly do. */
static void
run_fixed_task (void)
{
  g_autoptr (GHashTable) words =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 k = 0; k < N_STRINGS; k++)
    g_hash_table_add (words, g_strdup_printf ("%08x", k * 2654435761u));
}

double
tl_watchdog_measure_slowness (void)
{
  double started_ms = (double)g_get_monotonic_time () / 1e3;

  run_fixed_task ();
  return MAX (1.0, ((double)g_get_monotonic_time () / 1e3 - started_ms)
                       / FIXED_TASK_MS);
}

/* Records the time since the last poll; the thread is back in the main loop. */
static void
end_block (void)
{
  stop_clock ();
  if (spent_ms > TL_WATCHDOG_MAX_MS && is_foreign (spent_ms))
    longest_foreign_ms = MAX (longest_foreign_ms, spent_ms);
  else
    {
      longest_ms = MAX (longest_ms, spent_ms);
      if (spent_busy_ms > TL_WATCHDOG_MAX_MS)
        longest_busy_ms = MAX (longest_busy_ms, spent_busy_ms);
    }
  spent_ms = spent_busy_ms = 0.0;
  g_atomic_int_set (&n_backtraces, 0);
}

static gint
watch_poll (GPollFD *fds, guint n_fds, gint timeout_ms)
{
  gint result;

  if (is_paused)
    return real_poll (fds, n_fds, timeout_ms);
  end_block ();
  result = real_poll (fds, n_fds, timeout_ms);
  start_clock ();
  return result;
}

void
tl_watchdog_start (void)
{
  g_return_if_fail (real_poll == NULL);

  real_poll = g_main_context_get_poll_func (NULL);
  g_main_context_set_poll_func (NULL, watch_poll);
  start_sampler ();
  longest_ms = longest_foreign_ms = longest_busy_ms = 0.0;
  spent_ms = spent_busy_ms = 0.0;
  is_paused = FALSE;
  start_clock ();
}

gboolean
tl_watchdog_pause (void)
{
  if (real_poll == NULL || is_paused)
    return FALSE;
  stop_clock ();
  is_paused = TRUE;
  return TRUE;
}

void
tl_watchdog_go_on (void)
{
  if (real_poll == NULL || !is_paused)
    return;
  is_paused = FALSE;
  start_clock ();
}

double
tl_watchdog_stop (void)
{
  g_return_val_if_fail (real_poll != NULL, 0.0);

  tl_watchdog_go_on ();
  end_block ();
  g_atomic_int_set (&sampler_stops, TRUE);
  g_thread_join (sampler);
  g_main_context_set_poll_func (NULL, real_poll);
  real_poll = NULL;
  return longest_ms;
}

double
tl_watchdog_get_foreign_ms (void)
{
  return longest_foreign_ms;
}

double
tl_watchdog_get_busy_ms (void)
{
  return longest_busy_ms;
}
