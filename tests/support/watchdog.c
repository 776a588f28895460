#include "tests/support/watchdog.h"

#include <stdio.h>

static GPollFunc real_poll; /* NULL: stopped */
static double left_ms;      /* when the last poll was left */
static double longest_ms;

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

static gint
watch_poll (GPollFD *fds, guint n_fds, gint timeout_ms)
{
  gint result;

  longest_ms = MAX (longest_ms, read_clock_ms () - left_ms);
  result = real_poll (fds, n_fds, timeout_ms);
  left_ms = read_clock_ms ();
  return result;
}

void
tl_watchdog_start (void)
{
  g_return_if_fail (real_poll == NULL);

  real_poll = g_main_context_get_poll_func (NULL);
  g_main_context_set_poll_func (NULL, watch_poll);
  left_ms = read_clock_ms ();
  longest_ms = 0.0;
}

double
tl_watchdog_stop (void)
{
  g_return_val_if_fail (real_poll != NULL, 0.0);

  longest_ms = MAX (longest_ms, read_clock_ms () - left_ms);
  g_main_context_set_poll_func (NULL, real_poll);
  real_poll = NULL;
  return longest_ms;
}
