/* How filtered rows lie in device memory for the kernels: a texel belongs to
 * one column of one projection and holds a value of every slice of a group. In
 * a pair those are followed by the differences to the next column's. */
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
  TL_CUDA_LAYOUT_HALF_PAIR4, /* four slices, from column -1, half precision */
  TL_CUDA_N_LAYOUTS
} TlCudaLayout;
