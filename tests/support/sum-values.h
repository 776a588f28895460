/* One number for a picture or a volume, to see whether another is the same. */
#pragma once

#include <math.h>
#include <stddef.h>

/* @values: [@n]. Returns: the sum of the magnitudes of those that are numbers
 */
static inline double
sum_values (const float *values, size_t n)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    if (!isnan (values[k]))
      sum += fabs ((double)values[k]);
  return sum;
}
