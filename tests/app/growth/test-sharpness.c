/* The sharpness of a slice by its grey values. */
#include "app/growth/sharpness.h"

#include <glib.h>
#include <math.h>

/* Of equal numbers of pixels in bins from @first to @last, and in all others
 * @few. */
static double
measure (guint first, guint last, guint32 few, float min, float max)
{
  TlStats stats = { .min = min, .max = max };
  for (guint k = 0; k < TL_HISTOGRAM_BINS; k++)
    stats.histogram[k] = k >= first && k <= last ? 1000 : few;
  return tl_growth_measure_sharpness (&stats);
}

/* The density of @n equal bins is 1 / (n width). */
static void
test_equal (void)
{
  const double width = 2.0 / TL_HISTOGRAM_BINS;
  g_assert_cmpfloat_with_epsilon (measure (100, 199, 0, -1, 1),
                                  -log (100 * width), 0.02);
  g_assert_cmpfloat_with_epsilon (measure (300, 309, 0, -1, 1),
                                  -log (10 * width), 0.02);
  /* half the range, so that the values lie twice as close */
  g_assert_cmpfloat_with_epsilon (measure (100, 199, 0, -0.5F, 0.5F)
                                      - measure (100, 199, 0, -1, 1),
                                  log (2), 1e-9);
}

static void
test_sharper (void)
{
  g_assert_cmpfloat (measure (250, 260, 1, -1, 1), >,
                     measure (240, 270, 1, -1, 1));
  /* few values far away do not count */
  g_assert_cmpfloat_with_epsilon (measure (250, 349, 0, -1, 1),
                                  measure (250, 349, 1, -1, 1), 0.02);
}

static void
test_nothing (void)
{
  const TlStats empty = { .min = 0, .max = 1 };
  g_assert_true (isnan (measure (10, 20, 0, 3, 3)));
  g_assert_true (isnan (tl_growth_measure_sharpness (&empty)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sharpness/equal", test_equal);
  g_test_add_func ("/sharpness/sharper", test_sharper);
  g_test_add_func ("/sharpness/nothing", test_nothing);
  return g_test_run ();
}
