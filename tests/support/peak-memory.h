/* How much memory a step of a test takes. */
#pragma once

#include <glib.h>
#include <stdio.h>
#include <string.h>

/* Returns: the most memory that the process has had since
 * restart_peak_memory(), in bytes */
static inline size_t
get_peak_memory (void)
{
  g_autofree char *status = NULL;

  g_assert_true (
      g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  const char *peak = strstr (status, "VmHWM:");
  g_assert_nonnull (peak);
  return (size_t)g_ascii_strtoull (peak + strlen ("VmHWM:"), NULL, 10) << 10;
}

/* The system keeps the largest size that a process has had. So a step that
 * stays below an earlier one would pass: begin anew before each step.
 *
 * Returns: what the process has now, in bytes */
static inline size_t
restart_peak_memory (void)
{
  FILE *reset = fopen ("/proc/self/clear_refs", "we");

  g_assert_nonnull (reset);
  g_assert_cmpint (fputs ("5", reset), >=, 0); /* the largest size alone */
  g_assert_cmpint (fclose (reset), ==, 0);
  return get_peak_memory ();
}
