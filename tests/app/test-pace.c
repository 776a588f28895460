/* By how much a picture is reduced. */
#include "app/pace.h"

static void
note (TlPace *pace, double pitch, double rest_ms, double sums_ms)
{
  const TlReconTimes times = { .read_ms = rest_ms / 2,
                               .compute_ms = rest_ms / 2 + sums_ms };
  tl_pace_note (pace, pitch, &times, sums_ms);
}

static void
test_first (void)
{
  const TlPace pace = { 0 };
  g_assert_cmpuint (tl_pace_choose (&pace), ==, 0);
}

/* Times of a whole picture, and what reduced ones must be below. */
static void
test_whole (void)
{
  static const struct
  {
    double rest_ms, sums_ms;
    guint reduction;
  } cases[] = {
    { 5, 20, 0 },    { 9, 41, 0 },      { 10, 300, 3 }, { 10, 190, 2 },
    { 10, 1000, 5 }, { 10, 100000, 8 }, { 300, 10, 0 }, { 300, 100, 3 },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      TlPace pace = { 0 };
      note (&pace, 1, cases[k].rest_ms, cases[k].sums_ms);
      g_test_message ("%g and %g ms", cases[k].rest_ms, cases[k].sums_ms);
      g_assert_cmpuint (tl_pace_choose (&pace), ==, cases[k].reduction);
    }
}

/* What reduced pictures take corrects what was expected of them, and a fast
 * whole one ends them. */
static void
test_reduced (void)
{
  TlPace pace = { 0 };
  note (&pace, 1, 10, 300);
  note (&pace, 3, 10, 100);
  g_assert_cmpuint (tl_pace_choose (&pace), ==, 5);
  note (&pace, 5, 45, 36);
  g_assert_cmpuint (tl_pace_choose (&pace), ==, 8);
  note (&pace, 8, 10, 4);
  g_assert_cmpuint (tl_pace_choose (&pace), ==, 3);
  note (&pace, 3, 10, 15);
  g_assert_cmpuint (tl_pace_choose (&pace), ==, 2);
  note (&pace, 1, 10, 20);
  g_assert_cmpuint (tl_pace_choose (&pace), ==, 0);
}

static void
test_part (void)
{
  TlPace pace = { 0 };
  note (&pace, 1, 10, 20);
  g_assert_true (tl_pace_allows (&pace, 0.9));
  g_assert_false (tl_pace_allows (&pace, 1.1));
  note (&pace, 1, 10, 320);
  g_assert_cmpuint (tl_pace_choose_part (&pace, 0.1), ==, 1);
  g_assert_cmpuint (tl_pace_choose_part (&pace, 0.5), ==, 2);
  g_assert_cmpuint (tl_pace_choose_part (&pace, 1), ==, 3);
  g_assert_cmpuint (tl_pace_choose_part (&pace, 100), ==, 8);
}

/* Of what has to run again, and no more. */
static void
test_thinning (void)
{
  TlPace pace = { 0 };
  TlReconTimes times = { .load_ms = 90,
                         .compute_ms = 760,
                         .stage_ms = { [TL_STAGE_UPLOAD] = 40,
                                       [TL_STAGE_CORRECT] = 20,
                                       [TL_STAGE_ZINGERS] = 300,
                                       [TL_STAGE_PHASE] = 110,
                                       [TL_STAGE_RINGS] = 10,
                                       [TL_STAGE_TRANSFORM] = 20,
                                       [TL_STAGE_BACKPROJECT] = 300 } };
  g_assert_cmpuint (tl_pace_choose_thinning (&pace, TL_STAGE_UPLOAD), ==, 1);
  tl_pace_note (&pace, 1, &times, 300);
  g_assert_cmpuint (tl_pace_choose_thinning (&pace, TL_STAGE_UPLOAD), ==, 8);
  g_assert_cmpuint (tl_pace_choose_thinning (&pace, TL_STAGE_PHASE), ==, 4);
  g_assert_cmpuint (tl_pace_choose_thinning (&pace, TL_STAGE_RINGS), ==, 1);
  g_assert_cmpuint (tl_pace_choose_thinning (&pace, TL_STAGE_FILTER), ==, 1);
  g_assert_cmpuint (tl_pace_choose_thinned (&pace, 4), ==, 2);
  g_assert_cmpuint (tl_pace_choose_thinned (&pace, 2), ==, 3);
  /* the axis moves: what did not run is as slow as it was */
  times.stage_ms[TL_STAGE_UPLOAD] = times.stage_ms[TL_STAGE_CORRECT] = 0;
  times.stage_ms[TL_STAGE_ZINGERS] = times.stage_ms[TL_STAGE_PHASE] = 0;
  times.stage_ms[TL_STAGE_RINGS] = times.stage_ms[TL_STAGE_TRANSFORM] = 0;
  tl_pace_note (&pace, 1, &times, 300);
  g_assert_cmpuint (tl_pace_choose_thinning (&pace, TL_STAGE_PHASE), ==, 4);
  /* phase retrieval is switched off */
  times.stage_ms[TL_STAGE_CORRECT] = 2;
  times.stage_ms[TL_STAGE_ZINGERS] = 3;
  tl_pace_note (&pace, 1, &times, 300);
  g_assert_cmpuint (tl_pace_choose_thinning (&pace, TL_STAGE_CORRECT), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pace/first", test_first);
  g_test_add_func ("/pace/whole", test_whole);
  g_test_add_func ("/pace/reduced", test_reduced);
  g_test_add_func ("/pace/part", test_part);
  g_test_add_func ("/pace/thinning", test_thinning);
  return g_test_run ();
}
