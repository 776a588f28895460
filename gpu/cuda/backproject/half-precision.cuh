/* The unit in which half precision stores filtered rows.
 *
 * A filtered row times its angular weight is often near 1e-6, where half
 * precision has a few bits left. So the rows are stored in units of a power of
 * two, which rounds nothing. The largest value before the filter is known. A
 * ramp with a window halves it or more, because the absolute values of its
 * impulse response add up to 1/2, and a shift by a fraction of a column adds
 * little. In these units the bound is 2^11: sums of N_HALF_SUMMANDS stay a
 * factor of 2 below the largest half (65504), and values keep all 11 bits for
 * 25 binary orders. The sums of the differences that a pair of pixels adds to a
 * mean (HalfPairCell in alu.cuh) are at most twice a value; the bound is twice
 * what the ramp leaves, so that they fit too.
 *
 * The cubic prefilter triples the highest frequency: the absolute values of the
 * ramp's impulse response then add up to 3/2, or to 6.4 in rows of 16384 with
 * the largest shift, a quarter of a column. For the polynomials' a_3 (layout.h)
 * they add up to 8.3, and for the other coefficients to less, so that no value
 * exceeds 17000. Interpolated values between columns are at most as large as
 * the values at the columns.
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
