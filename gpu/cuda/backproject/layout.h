/* How filtered rows lie in device memory for the kernels: a texel belongs to
 * one column of one ray, that is of a projection, or of what a fold puts
 * together (gpu/stages/fold.h), and holds a value of every slice of a group.
 * In a pair those are followed by the differences to the next column's.
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
 * About the middle, where |t| is at most 1/2, what half precision rounds of the
 * higher ones matters less. Intervals begin at columns -2 to n_cols. What is
 * more than 16 bytes is in parts, each a row of texels of its own:
 * [ray][part][texel]. */
#pragma once

typedef enum
{
  TL_CUDA_LAYOUT_NONE,   /* not needed */
  TL_CUDA_LAYOUT_FLOAT,  /* one slice: q[k] */
  TL_CUDA_LAYOUT_PAIR,   /* one slice: (q[k], q[k + 1] - q[k]), k from -1, that
                            is one texel more than columns; q is 0 outside */
  TL_CUDA_LAYOUT_FLOAT2, /* two slices */
  TL_CUDA_LAYOUT_PAIR2,  /* two slices, from column -1 */
  TL_CUDA_LAYOUT_FLOAT4, /* four slices */
  TL_CUDA_LAYOUT_HALF4,  /* four slices, half precision: half.cuh */
  TL_CUDA_LAYOUT_HALF_PAIR4,    /* four slices, half precision; two parts, from
                                   column -1: (q[k] + q[k + 1]) / 2, and the
                                   differences */
  TL_CUDA_LAYOUT_QUARTER,       /* one slice */
  TL_CUDA_LAYOUT_QUARTER4,      /* four slices */
  TL_CUDA_LAYOUT_HALF_QUARTER4, /* four slices, half precision */
  TL_CUDA_LAYOUT_CUBIC,         /* one slice: a_0 to a_3 */
  TL_CUDA_LAYOUT_CUBIC2,      /* two slices; two parts: a_0, a_1 and a_2, a_3 */
  TL_CUDA_LAYOUT_CUBIC4,      /* four slices; four parts: a_0, a_1, a_2, a_3 */
  TL_CUDA_LAYOUT_HALF_CUBIC4, /* four slices, half precision; as for two */
  TL_CUDA_N_LAYOUTS
} TlCudaLayout;

/* In plain memory each part of a ray has so many texels of 0 behind it at
 * least, and the first one before it: who copies a piece of a row may begin
 * before the row, and end behind it. The longest segments are 304 texels of
 * quarters and 104 of others (backproject-alu.def); 4 more for their alignment,
 * and up to 16. */
#define TL_CUDA_CELL_GAP(layout)                                               \
  ((layout) == TL_CUDA_LAYOUT_QUARTER || (layout) == TL_CUDA_LAYOUT_QUARTER4   \
           || (layout) == TL_CUDA_LAYOUT_HALF_QUARTER4                         \
       ? 320                                                                   \
       : 112)
