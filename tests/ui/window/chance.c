#include "tests/ui/window/chance.h"

#include <math.h>

int
chance_pick (int n)
{
  return g_test_rand_int_range (0, n);
}

/* Usually a sensible value, sometimes one that no user should set. */
double
chance_double (void)
{
  static const double odd[] = { 0,   -0.0,     1e300,     -1e300, 1e-300,
                                NAN, INFINITY, -INFINITY, -1 };

  return chance_pick (4) == 0 ? CHANCE_PICK (odd)
                              : g_test_rand_double_range (-0.5, 100);
}

const char *
chance_rubbish (void)
{
  static const char *const rubbish[] = { "",    "0",     "-1",    "3",
                                         "1e9", "nan",   "12,5",  "1/0",
                                         "%s",  "0:180", "a b c", "../..",
                                         "*",   "[0-9",  "0x10",  "1e-400" };

  return CHANCE_PICK (rubbish);
}
