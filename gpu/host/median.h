/* The median of five values, for loops that the compiler vectorises. */
#pragma once

#include <glib.h>

static inline void
tl_host_order (float *low, float *high)
{
  const float a = *low, b = *high;

  *low = a < b ? a : b;
  *high = a < b ? b : a;
}

/** tl_host_median_of_5: Returns: the median. The function has no branches, so
 * that the compiler vectorises loops over it. */
static inline float
tl_host_median_of_5 (float a, float b, float c, float d, float e)
{
  tl_host_order (&a, &b);
  tl_host_order (&d, &e);
  tl_host_order (&a, &d); /* a is now the smallest of a, b, d, e, */
  tl_host_order (&b, &e); /* and e the largest: neither is the median */
  tl_host_order (&b, &c);
  tl_host_order (&c, &d);
  tl_host_order (&b, &c);
  return c;
}
