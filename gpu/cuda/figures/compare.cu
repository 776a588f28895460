/* A slice less its reference, and sums over the pixels whose difference is a
 * finite number.
 *
 *   differences = pixels - reference
 *
 * pixels, reference, differences: [n]. Each block reduces its share of the
 * pixels to one set of sums; then one block reduces these. The order is fixed
 * and there are no atomics, so that a result repeats to the bit.
 */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/reduce.cuh"

#include <algorithm>

/* Of two pixels with the same difference the first one stays. */
static __device__ TlCudaSums
join (const TlCudaSums &a, const TlCudaSums &b)
{
  const bool takes_a = a.max > b.max || (a.max == b.max && a.index < b.index);

  return {
    a.sum + b.sum, a.sum_2 + b.sum_2,           a.difference_2 + b.difference_2,
    a.n + b.n,     takes_a ? a.index : b.index, takes_a ? a.max : b.max
  };
}

/* Writes the sums of the block's pixels to sums[1 + block]. */
static __global__ void
compare_kernel (const TlCudaCompareArgs a)
{
  TlCudaSums sums = {};

  for (size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x; i < a.n;
       i += (size_t)gridDim.x * N_THREADS)
    {
      const double reference = a.reference[i];
      const float difference = a.pixels[i] - a.reference[i];

      a.differences[i] = difference;
      if (!isfinite (difference))
        continue;
      sums.sum += reference;
      sums.sum_2 += reference * reference;
      sums.difference_2 += (double)difference * difference;
      sums.n++;
      if (fabsf (difference) > sums.max)
        {
          sums.max = fabsf (difference);
          sums.index = i;
        }
    }
  sums = join_block (sums);
  if (threadIdx.x == 0)
    a.sums[1 + blockIdx.x] = sums;
}

/* Writes the sums of all n_blocks blocks to sums[0]. */
static __global__ void
join_kernel (const TlCudaCompareArgs a, unsigned n_blocks)
{
  TlCudaSums sums = {};

  for (unsigned i = threadIdx.x; i < n_blocks; i += N_THREADS)
    sums = join (sums, a.sums[1 + i]);
  sums = join_block (sums);
  if (threadIdx.x == 0)
    a.sums[0] = sums;
}

extern "C" size_t
tl_cuda_compare_n_sums (void)
{
  return 1 + N_BLOCKS;
}

extern "C" int
tl_cuda_compare (const TlCudaCompareArgs *a, cudaStream_t stream)
{
  const unsigned n_blocks = std::min (ceil_div (a->n, N_THREADS), N_BLOCKS);

  compare_kernel<<<n_blocks, N_THREADS, 0, stream>>> (*a);
  if (const int status = cudaGetLastError ())
    return status;
  join_kernel<<<1, N_THREADS, 0, stream>>> (*a, n_blocks);
  return cudaGetLastError ();
}
