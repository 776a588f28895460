#include "app/background/time-left.h"

#include <glib/gi18n.h>
#include <math.h>

/* The rate is that of the last TL_TIME_LEFT_SAMPLES samples. They are taken
 * when the progress grows, so that work may be done in bursts. */
#define SAMPLE_S 0.5
#define MIN_RATE_S 2 /* no rate before */

/* Without progress for so many times the time that the rate rests on, the rate
 * is of the past. */
#define STILL_TIMES 3

/* Part of the way to a newly found end that the told one moves with a sample,
 * so that what is told does not jump. */
#define FOLLOW_PART 0.3

/* Returns: (nullable): the newest sample */
static const TlTimeLeftSample *
get_last (const TlTimeLeft *left)
{
  return left->n_samples > 0
             ? &left->samples[(left->n_samples - 1) % TL_TIME_LEFT_SAMPLES]
             : NULL;
}

/* Returns: the oldest sample that is kept */
static const TlTimeLeftSample *
get_first (const TlTimeLeft *left)
{
  return &left->samples[left->n_samples > TL_TIME_LEFT_SAMPLES
                            ? left->n_samples % TL_TIME_LEFT_SAMPLES
                            : 0];
}

double
tl_time_left_get_rate (const TlTimeLeft *left)
{
  if (left->n_samples < 2)
    return 0;
  const TlTimeLeftSample *first = get_first (left), *last = get_last (left);
  const double seconds = last->time_s - first->time_s;
  return seconds >= MIN_RATE_S ? (last->progress - first->progress) / seconds
                               : 0;
}

static gboolean
stands_still (const TlTimeLeft *left, double now_s)
{
  if (tl_time_left_get_rate (left) <= 0)
    return FALSE;
  const double last_s = get_last (left)->time_s;
  return now_s - last_s > STILL_TIMES * (last_s - get_first (left)->time_s);
}

static void
add_sample (TlTimeLeft *left, double now_s, double progress)
{
  left->samples[left->n_samples++ % TL_TIME_LEFT_SAMPLES] =
      (TlTimeLeftSample){ now_s, progress };
  const double rate = tl_time_left_get_rate (left);
  if (rate <= 0)
    return;
  const double end_s = now_s + (1 - progress) / rate;
  left->end_s += (end_s - left->end_s) * (left->end_s > 0 ? FOLLOW_PART : 1);
}

void
tl_time_left_note (TlTimeLeft *left, gint64 now_us, double progress)
{
  const double now_s = (double)now_us / G_USEC_PER_SEC;
  const TlTimeLeftSample *last = get_last (left);
  if (progress <= 0 || (last != NULL && progress < last->progress)
      || stands_still (left, now_s))
    *left = (TlTimeLeft){ 0 };
  last = get_last (left);
  if (progress > 0
      && (last == NULL
          || (progress > last->progress && now_s - last->time_s >= SAMPLE_S)))
    add_sample (left, now_s, progress);
}

/* Returns: @seconds, as roughly as they are known */
static double
round_duration (double seconds)
{
  if (seconds < 10)
    return MAX (ceil (seconds), 1);
  return seconds < 95 ? 5 * round (seconds / 5) : seconds;
}

char *
tl_time_left_describe (const TlTimeLeft *left, gint64 now_us)
{
  if (tl_time_left_get_rate (left) <= 0)
    return NULL;
  g_autofree char *duration = tl_describe_duration (
      round_duration (left->end_s - (double)now_us / G_USEC_PER_SEC));
  /* translators: time until work is done */
  return g_strdup_printf (_ ("about %s left"), duration);
}

char *
tl_describe_duration (double seconds)
{
  if (seconds < 9.95)
    return g_strdup_printf (_ ("%.2g s"), seconds);
  if (seconds < 99.5)
    return g_strdup_printf (_ ("%.0f s"), seconds);
  if (seconds < 99.5 * 60)
    return g_strdup_printf (_ ("%.0f min"), seconds / 60);
  return g_strdup_printf (_ ("%.1f h"), seconds / 3600);
}
