/* How large a picture is drawn while it moves. Needs no display. */
#include "ui/picture/draw-pace.h"

#define SLOW (TL_DRAW_PACE_SLOW_MS * 1.01)
#define MIDDLE (TL_DRAW_PACE_SLOW_MS * 0.5)
#define QUICK (TL_DRAW_PACE_SLOW_MS * 0.1)

static void
note (TlDrawPace *pace, double ms, guint n)
{
  for (guint k = 0; k < n; k++)
    tl_draw_pace_note (pace, ms);
}

static void
test_slow (void)
{
  TlDrawPace pace;

  tl_draw_pace_init (&pace);
  g_assert_cmpuint (pace.divisor, ==, 1);
  note (&pace, SLOW, TL_DRAW_PACE_N_SLOW - 1);
  note (&pace, MIDDLE, 1); /* so that the slow ones are not in a row */
  note (&pace, SLOW, TL_DRAW_PACE_N_SLOW - 1);
  g_assert_cmpuint (pace.divisor, ==, 1);
  note (&pace, SLOW, 1);
  g_assert_cmpuint (pace.divisor, ==, 2);
  note (&pace, SLOW, TL_DRAW_PACE_N_SLOW);
  g_assert_cmpuint (pace.divisor, ==, 4);
  note (&pace, SLOW, 10 * TL_DRAW_PACE_N_SLOW);
  g_assert_cmpuint (pace.divisor, ==, TL_DRAW_PACE_MAX_DIVISOR);
}

/* A link that takes more carries larger pictures again; where it only just
 * suffices, they stay small. */
static void
test_quick (void)
{
  TlDrawPace pace;

  tl_draw_pace_init (&pace);
  note (&pace, SLOW, 2 * TL_DRAW_PACE_N_SLOW);
  note (&pace, MIDDLE, 10 * TL_DRAW_PACE_N_QUICK);
  g_assert_cmpuint (pace.divisor, ==, 4);
  note (&pace, QUICK, TL_DRAW_PACE_N_QUICK - 1);
  g_assert_cmpuint (pace.divisor, ==, 4);
  note (&pace, QUICK, 1);
  g_assert_cmpuint (pace.divisor, ==, 2);
  note (&pace, QUICK, 10 * TL_DRAW_PACE_N_QUICK);
  g_assert_cmpuint (pace.divisor, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/draw-pace/slow", test_slow);
  g_test_add_func ("/ui/draw-pace/quick", test_quick);
  return g_test_run ();
}
