#include "tests/support/watchdog.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* What is looked at: early, for the looker may come late. */
#define SUSPICIOUS_MS (TL_WATCHDOG_MAX_MS / 2)
/* Looks at a block, this far apart, and calls of each. */
#define MAX_LOOKS 8
#define LOOK_US 5000
#define MAX_CALLS 64

typedef struct
{
  void *calls[MAX_CALLS]; /* innermost first */
  int n_calls;
} Look;

static GPollFunc real_poll; /* NULL: stopped */
static gboolean is_paused;
static double left_ms;  /* when the last poll was left, or the pause ended */
static double spent_ms; /* since that poll, before the pause */
static double longest_ms, longest_foreign_ms;

/* -- where it is ---------------------------------------------------------- */

static GThread *looker;
static pthread_t watched;
/* All three are atomic. */
static gint looker_stops;
static gint64 overdue_us; /* when the thread has been away for long; 0 while it
                             is not away, or paused */
static gint n_looks;      /* at this block */
static Look measured_views[MAX_LOOKS];

static void
look (int signal)
{
  gint n = g_atomic_int_get (&n_looks);

  if (n == MAX_LOOKS)
    return;
  measured_views[n].n_calls = backtrace (measured_views[n].calls, MAX_CALLS);
  g_atomic_int_set (&n_looks, n + 1);
}

static gpointer
run_looker (gpointer data)
{
  while (!g_atomic_int_get (&looker_stops))
    {
      gint64 when_us = __atomic_load_n (&overdue_us, __ATOMIC_ACQUIRE);

      if (when_us != 0 && g_get_monotonic_time () > when_us)
        pthread_kill (watched, SIGURG);
      g_usleep (LOOK_US);
    }
  return NULL;
}

static void
start_looker (void)
{
  struct sigaction action = { .sa_handler = look, .sa_flags = SA_RESTART };

  /* the first one loads a library, which is nothing for a signal */
  backtrace (measured_views[0].calls, MAX_CALLS);
  sigaction (SIGURG, &action, NULL);
  watched = pthread_self ();
  g_atomic_int_set (&looker_stops, FALSE);
  looker = g_thread_new ("looker", run_looker, NULL);
}

/* Who calls them has a window of the toolkit's made or shown. */
static const char *const theirs[] = { "gtk_file_chooser_native_new",
                                      "gtk_native_dialog_show",
                                      "gtk_window_present",
                                      /* which the compiler jumps to */
                                      "gtk_window_present_with_time" };

/* The test's functions that stand in front of a library's, with what they call:
 * the program knows nothing of them. */
static const char *const in_front[] = { "poll", "gsk_renderer_render_texture",
                                        "gtk_gl_area_make_current",
                                        "gdk_texture_download" };

static gboolean
is_one_of (const char *name, const char *const *names, guint n)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* The calls that the main loop has made, without the look itself and its
 * signal. Returns: whether one of them is of the program. */
static gboolean
is_of_program (const Look *one, gboolean tells)
{
  Dl_info program, call;
  gboolean is_own = FALSE;

  dladdr ((void *)is_of_program, &program);
  for (int i = 2; i < one->n_calls && dladdr (one->calls[i], &call) != 0; i++)
    {
      gboolean is_here = call.dli_fbase == program.dli_fbase;

      if (call.dli_sname != NULL
          && strcmp (call.dli_sname, "g_main_context_dispatch") == 0)
        break;
      is_own |= is_here;
      if (is_here
          && is_one_of (call.dli_sname, in_front, G_N_ELEMENTS (in_front)))
        is_own = FALSE;
      if (!is_own && is_one_of (call.dli_sname, theirs, G_N_ELEMENTS (theirs))
          && !tells)
        break;
      if (tells && (is_here || call.dli_sname != NULL))
        g_test_message ("  in %s+%#zx of %s",
                        call.dli_sname != NULL ? call.dli_sname : "",
                        (gsize)((char *)one->calls[i] - (char *)call.dli_fbase),
                        call.dli_fname);
    }
  return is_own;
}

/* Returns: the toolkit was alone at it, as far as was seen. */
static gboolean
judge (double ms)
{
  int n = g_atomic_int_get (&n_looks);
  int own = 0;

  while (own < n && !is_of_program (&measured_views[own], FALSE))
    own++;
  g_test_message ("the main thread was away for %.0f ms, seen %d times%s", ms,
                  n, n > 0 && own == n ? ", in nothing of the program's" : "");
  if (n > 0)
    is_of_program (&measured_views[own < n ? own : n / 2], TRUE);
  return n > 0 && own == n;
}

/* -- how long ------------------------------------------------------------- */

/* Of this thread, in the second column; 0 where the kernel does not tell. */
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

static void
stop_clock (void)
{
  spent_ms += read_clock_ms () - left_ms;
  __atomic_store_n (&overdue_us, 0, __ATOMIC_RELEASE);
}

static void
start_clock (void)
{
  double left_us = (SUSPICIOUS_MS - spent_ms) * 1e3;

  left_ms = read_clock_ms ();
  __atomic_store_n (&overdue_us, g_get_monotonic_time () + (gint64)left_us,
                    __ATOMIC_RELEASE);
}

/* The thread is back. */
static void
end_block (void)
{
  stop_clock ();
  if (spent_ms > TL_WATCHDOG_MAX_MS && judge (spent_ms))
    longest_foreign_ms = MAX (longest_foreign_ms, spent_ms);
  else
    longest_ms = MAX (longest_ms, spent_ms);
  spent_ms = 0.0;
  g_atomic_int_set (&n_looks, 0);
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
  start_looker ();
  longest_ms = longest_foreign_ms = spent_ms = 0.0;
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
  g_atomic_int_set (&looker_stops, TRUE);
  g_thread_join (looker);
  g_main_context_set_poll_func (NULL, real_poll);
  real_poll = NULL;
  return longest_ms;
}

double
tl_watchdog_get_foreign_ms (void)
{
  return longest_foreign_ms;
}
