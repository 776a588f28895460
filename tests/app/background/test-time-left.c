/* The time that is left of work, from its progress. */
#include "app/background/time-left.h"

#include <math.h>

#define TICK_US (G_USEC_PER_SEC / 10)
#define BEGIN_US (1000 * G_USEC_PER_SEC)

/* Notes the progress every tenth of a second until @seconds after the begin.
 * Returns: (transfer full) (nullable): what is said then */
static char *
run (TlTimeLeft *left, double (*progress) (double), gint64 seconds)
{
  gint64 now_us;
  for (now_us = 0; now_us < seconds * G_USEC_PER_SEC; now_us += TICK_US)
    tl_time_left_note (left, BEGIN_US + now_us,
                       progress ((double)now_us / G_USEC_PER_SEC));
  return tl_time_left_describe (left, BEGIN_US + now_us);
}

static double
even (double seconds)
{
  return seconds / 60;
}

/* A step of a tenth every four seconds. */
static double
in_bursts (double seconds)
{
  return floor (seconds / 4) / 10;
}

static void
test_words (void)
{
  static const struct
  {
    gint64 seconds;
    const char *words;
  } cases[] = { { 1, NULL },
                { 2, NULL },
                { 4, "about 55 s left" },
                { 30, "about 30 s left" },
                { 57, "about 3 s left" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TlTimeLeft left = { 0 };
      g_autofree char *words = run (&left, even, cases[i].seconds);
      g_assert_cmpstr (words, ==, cases[i].words);
    }
}

/* Work that begins anew has no past, and work that stands still no end. */
static void
test_anew (void)
{
  TlTimeLeft left = { 0 };
  g_free (run (&left, even, 10));
  g_assert_cmpfloat_with_epsilon (tl_time_left_get_rate (&left), 1.0 / 60,
                                  1e-6);
  tl_time_left_note (&left, BEGIN_US + 20 * G_USEC_PER_SEC, 0.01);
  g_assert_cmpfloat (tl_time_left_get_rate (&left), ==, 0);
  g_assert_null (tl_time_left_describe (&left, BEGIN_US + 20 * G_USEC_PER_SEC));
  tl_time_left_note (&left, BEGIN_US + 21 * G_USEC_PER_SEC, 0);
  g_assert_cmpuint (left.n_samples, ==, 0);
  g_free (run (&left, even, 10));
  tl_time_left_note (&left, BEGIN_US + 30 * G_USEC_PER_SEC, 0.16);
  g_assert_cmpfloat (tl_time_left_get_rate (&left), >, 0);
  tl_time_left_note (&left, BEGIN_US + 60 * G_USEC_PER_SEC, 0.16);
  g_assert_cmpfloat (tl_time_left_get_rate (&left), ==, 0);
}

/* The told end does not move with each burst. */
static void
test_steady (void)
{
  TlTimeLeft left = { 0 };
  double last_s = 0;
  for (gint64 now_us = 0; now_us < 36 * G_USEC_PER_SEC; now_us += TICK_US)
    {
      tl_time_left_note (&left, BEGIN_US + now_us,
                         in_bursts ((double)now_us / G_USEC_PER_SEC));
      if (last_s > 0)
        g_assert_cmpfloat (fabs (left.end_s - last_s), <, 1);
      if (now_us > 20 * G_USEC_PER_SEC)
        g_assert_cmpfloat_with_epsilon (
            left.end_s, (double)BEGIN_US / G_USEC_PER_SEC + 40, 1);
      last_s = left.end_s;
    }
}

static void
test_durations (void)
{
  static const struct
  {
    double seconds;
    const char *words;
  } cases[] = { { 0.1, "0.1 s" }, { 4.7, "4.7 s" },      { 7, "7 s" },
                { 47.2, "47 s" }, { 12 * 60, "12 min" }, { 12600, "3.5 h" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *words = tl_describe_duration (cases[i].seconds);
      g_assert_cmpstr (words, ==, cases[i].words);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/time-left/words", test_words);
  g_test_add_func ("/time-left/anew", test_anew);
  g_test_add_func ("/time-left/steady", test_steady);
  g_test_add_func ("/time-left/durations", test_durations);
  return g_test_run ();
}
