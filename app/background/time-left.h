/* How much time is left of long work, judged by its progress of late. Plain
 * values; the owner's thread. */
#pragma once

#include <glib.h>

#define TL_TIME_LEFT_SAMPLES 20

typedef struct
{
  double time_s, progress;
} TlTimeLeftSample;

/* Zeroed before the first use. */
typedef struct
{
  TlTimeLeftSample samples[TL_TIME_LEFT_SAMPLES]; /* a ring */
  guint n_samples;                                /* since the work began */
  double end_s; /* when it will be done; 0: unknown */
} TlTimeLeft;

/**
 * tl_time_left_note:
 * @now_us: as of g_get_monotonic_time()
 * @progress: 0 … 1; 0, and less than before, begin anew
 *
 * Call it as often as you like while the work goes on. What comes before the
 * first progress does not count: it prepares the work. The progress should grow
 * as evenly as possible.
 */
void tl_time_left_note (TlTimeLeft *left, gint64 now_us, double progress);

/** tl_time_left_get_rate: Returns: the progress in a second, of the last
 * seconds; 0 while it is not known, which takes two seconds at least, and after
 * a standstill */
double tl_time_left_get_rate (const TlTimeLeft *left);

/** tl_time_left_describe: Returns: (transfer full) (nullable): "about 20 s
 * left"; %NULL while the rate is not known */
char *tl_time_left_describe (const TlTimeLeft *left, gint64 now_us);

/** tl_describe_duration: Returns: (transfer full): "4.7 s", "47 s", "12 min" or
 * "3.5 h" */
char *tl_describe_duration (double seconds);
