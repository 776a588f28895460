#include "app/growth/dose.h"

#include <math.h>

/* Half a turn has all directions. */
#define HALF_DEG (TL_FOLLOW_DEGREES / 2)

/* A direction is missing if a gap is wider than this many equal steps. Angles
 * in the golden ratio leave gaps of up to 2.6 steps. */
#define GAP_TIMES 3

/* Of the standard deviation of the slice's values: what the rest may change,
 * which the eye hardly sees. */
#define FINISHED_PART 0.05

/* Returns: degrees, rounded down */
static int
find_widest_gap (const guint8 *covered)
{
  int widest = 0, gap = 0;
  for (int k = 0; k < 2 * HALF_DEG; k++) /* a gap may begin before the end */
    {
      const int d = k % HALF_DEG;
      gap = covered[d] || covered[d + HALF_DEG] ? 0 : gap + 1;
      widest = MAX (widest, gap);
    }
  return MIN (widest, HALF_DEG);
}

gboolean
tl_growth_is_finished (double unit_change, size_t n, size_t n_expected,
                       const guint8 *covered)
{
  const size_t n_end = n_expected > 0 ? n_expected : 2 * n;
  if (isnan (unit_change) || n == 0 || n >= n_end
      || find_widest_gap (covered) > GAP_TIMES * (double)HALF_DEG / (double)n)
    return FALSE;
  return unit_change * sqrt (1 / (double)n - 1 / (double)n_end)
         <= FINISHED_PART;
}
