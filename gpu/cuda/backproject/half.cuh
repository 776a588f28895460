/* The unit in which half precision stores filtered rows.
 *
 * A row holds its values times the angular weight and the filter: 1e-6 is
 * common, where half precision has a few bits left. So the rows are stored in
 * units of a power of two, which costs nothing in precision. The largest value
 * before the filter is known; a ramp with a window brings it to about half of
 * that at most (the absolute values of its impulse response add up to 1/2), a
 * fraction of a column's shift adds little. In these units the bound is 2^11:
 * sums of N_HALF_SUMMANDS stay a factor of 2 below the end of half precision
 * (65504), and values keep all 11 bits for 25 binary orders. What a pair's
 * pixel has beyond the mean beside it (pair-cells.cuh) is at most twice a
 * value, which the bound, twice what the ramp leaves, has room for.
 *
 * The cubic prefilter triples the highest frequency: a ramp's sum of absolute
 * values becomes 3/2, and with a shift of a quarter column, the largest there
 * is, 6.4 in rows of 16384; that of the polynomials' a_3 (layout.h) is 8.3 then
 * and of the others less, which makes 17000. The values between columns are at
 * most as large as those at columns, which are the same as without.
 */
#pragma once

#include <cuda_runtime.h>

constexpr int N_HALF_SUMMANDS = 16;

/* peak: the largest absolute value before the filter, as bits */
static __device__ inline float
half_unit (unsigned peak)
{
  int exponent;

  if (peak == 0)
    return 1.0f;
  frexpf (__uint_as_float (peak), &exponent);
  return ldexpf (1.0f, max (-100, min (100, exponent)) - 11);
}
