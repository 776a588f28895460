/* The weighted sum of two slices:
 *
 *   sum = factor * pixels + more
 *
 * pixels, more, sum: [n].
 */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/reduce.cuh"

#include <algorithm>

static __global__ void
add_kernel (const TlCudaAddArgs a)
{
  for (size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x; i < a.n;
       i += (size_t)gridDim.x * N_THREADS)
    a.sum[i] = a.factor * a.pixels[i] + a.more[i];
}

extern "C" int
tl_cuda_add (const TlCudaAddArgs *a, cudaStream_t stream)
{
  const unsigned n_blocks = std::min (ceil_div (a->n, N_THREADS), N_BLOCKS);

  add_kernel<<<n_blocks, N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}
