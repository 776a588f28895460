/* Reduces the values of many threads to one, in a fixed order: each block its
 * threads' values, then one block the values of all blocks. */
#pragma once

#include "gpu/cuda/device/device.cuh"

/* Blocks that reduce many pixels: some for each multiprocessor. */
constexpr unsigned N_BLOCKS = 512;

/* Joins the values of all threads with join (a, b); thread 0 gets the result.
 * All threads of a block of N_THREADS call it, once. */
template <typename T>
static __device__ T
join_block (const T &mine)
{
  __shared__ T values[N_THREADS];

  values[threadIdx.x] = mine;
  for (unsigned n = N_THREADS / 2; n > 0; n /= 2)
    {
      __syncthreads ();
      if (threadIdx.x < n)
        values[threadIdx.x] =
            join (values[threadIdx.x], values[threadIdx.x + n]);
    }
  return values[threadIdx.x]; /* no other thread writes there */
}
