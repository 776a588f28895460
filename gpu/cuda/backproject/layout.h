/* How filtered rows lie in device memory for the kernels. A texel belongs to
 * one column of one ray (a projection, or several projections that a fold puts
 * together: gpu/stages/fold.h). It holds a value of each slice of a group; in
 * a pair, the differences to the next column's values follow.
 *
 * Quarters are four texels of a column: texel 4 k + j is the row, interpolated
 * linearly, at column k - 1 + j / 4, from the 0 before the row to 1/4 before
 * the 0 behind it.
 *
 * Cubic texels hold the polynomials of the B-spline with the coefficients c
 * that the row is (gpu/backend/backend.h). Between columns k and k + 1, with
 * t = h - k - 1/2, it is a_0 + a_1 t + a_2 t^2 + a_3 t^3:
 *
 *   a_0 = (c[k - 1] + 23 c[k] + 23 c[k + 1] + c[k + 2]) / 48
 *   a_1 = (-c[k - 1] - 5 c[k] + 5 c[k + 1] + c[k + 2]) / 8
 *   a_2 = (c[k - 1] - c[k] - c[k + 1] + c[k + 2]) / 4
 *   a_3 = (-c[k - 1] + 3 c[k] - 3 c[k + 1] + c[k + 2]) / 6
 *
 * They are about the middle, where |t| is at most 1/2, so that the rounding of
 * a_1 to a_3 to half precision matters less. The first interval begins at
 * column -2, the last one at column n_cols. Some texels
 * are cut into parts of at most 16 bytes, each of which has a row of its own:
 * [ray][part][texel]. */
#pragma once

/* q[k] is the value of column k, 0 outside the row. Rows of pairs begin at
 * column -1, so they have one texel more than columns. */
typedef enum
{
  TL_CUDA_LAYOUT_NONE, /* no rows of this kind */
  /* One slice, a texel holds q[k]. */
  TL_CUDA_LAYOUT_FLOAT,
  /* One slice, a texel holds q[k] and q[k + 1] - q[k]. */
  TL_CUDA_LAYOUT_PAIR,
  /* Two slices, a texel holds q[k] of each. */
  TL_CUDA_LAYOUT_FLOAT2,
  /* Two slices, a texel holds q[k] of each and then the differences. */
  TL_CUDA_LAYOUT_PAIR2,
  /* Four slices, a texel holds q[k] of each. */
  TL_CUDA_LAYOUT_FLOAT4,
  /* As FLOAT4, in half precision: half-precision.cuh. */
  TL_CUDA_LAYOUT_HALF4,
  /* Four slices, in half precision and two parts: the means
   * (q[k] + q[k + 1]) / 2, and the differences. */
  TL_CUDA_LAYOUT_HALF_PAIR4,
  /* Quarters of one slice. */
  TL_CUDA_LAYOUT_QUARTER,
  /* Quarters of four slices. */
  TL_CUDA_LAYOUT_QUARTER4,
  /* As QUARTER4, in half precision. */
  TL_CUDA_LAYOUT_HALF_QUARTER4,
  /* Polynomials of two slices, in two parts: a_0 with a_1, a_2 with a_3. */
  TL_CUDA_LAYOUT_CUBIC2,
  /* Polynomials of four slices, in four parts: a_0, a_1, a_2 and a_3. */
  TL_CUDA_LAYOUT_CUBIC4,
  /* Polynomials of four slices in half precision, in the parts of CUBIC2. */
  TL_CUDA_LAYOUT_HALF_CUBIC4,
  /* 8, 16 or 32 slices in half precision, in parts of 8 slices. */
  TL_CUDA_LAYOUT_HALF8,
  TL_CUDA_LAYOUT_HALF16,
  TL_CUDA_LAYOUT_HALF32,
  /* The same as sums of two halves: all upper parts, then all lower ones. */
  TL_CUDA_LAYOUT_TWO_HALVES16,
  TL_CUDA_LAYOUT_TWO_HALVES32,
  TL_CUDA_N_LAYOUTS
} TlCudaLayout;

/* In plain memory at least so many texels of 0 follow each part of a ray, and
 * precede the first one, so that a copied segment may begin before its row and
 * end behind it. The longest segments have 304 texels of quarters and 104 of
 * others (alu.def); 4 more are for their alignment, and the sum is rounded up
 * to a multiple of 16. */
#define TL_CUDA_CELL_GAP(layout)                                               \
  ((layout) == TL_CUDA_LAYOUT_QUARTER || (layout) == TL_CUDA_LAYOUT_QUARTER4   \
           || (layout) == TL_CUDA_LAYOUT_HALF_QUARTER4                         \
       ? 320                                                                   \
       : 112)
