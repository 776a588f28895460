/* One value from those of many threads, in a fixed order: block by block, then
 * the blocks' values by one block. */
#pragma once

#include "gpu/cuda/device/device.cuh"

/* In which many pixels are reduced: some on each multiprocessor. */
constexpr unsigned N_BLOCKS = 512;

/* join (a, b) of the values of all threads, in thread 0; all threads of a block
 * of N_THREADS call it, once. */
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
  return values[threadIdx.x]; /* nobody else writes there */
}
