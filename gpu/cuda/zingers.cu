/* Zingers: with m the median of five projections of one pixel, the nearest to
 * p,
 *
 *   to[p] = m - from[p] > step ? m : from[p]
 *
 * A thread takes one pixel of every so many projections; what its neighbours
 * read along the angle too is in the cache. [projection][row][col].
 */
#include "gpu/cuda/clean.h"

#include "gpu/cuda/device.cuh"

#include <algorithm>

constexpr size_t N_NEAR = 5;
/* As in flatfield.cu: enough to fill a device with a single row. */
constexpr size_t MAX_PROJECTION_BLOCKS = 1024;

static __device__ void
order (float &low, float &high)
{
  const float a = low, b = high;

  low = fminf (a, b);
  high = fmaxf (a, b);
}

static __device__ float
find_median (float a, float b, float c, float d, float e)
{
  order (a, b);
  order (d, e);
  order (a, d); // a is the least of four,
  order (b, e); // e the greatest: neither is it
  order (b, c);
  order (c, d);
  order (b, c);
  return c;
}

static __global__ void
zingers_kernel (const TlCudaZingersArgs a)
{
  const size_t n = a.n_pixels;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;

  if (index >= n)
    return;
  for (size_t p = blockIdx.y; p < a.n_projections; p += gridDim.y)
    {
      const size_t middle =
          min (max (p, N_NEAR / 2), a.n_projections - 1 - N_NEAR / 2);
      const float *near = a.from + (middle - N_NEAR / 2) * n + index;
      const float value = a.from[p * n + index];
      const float median =
          find_median (near[0], near[n], near[2 * n], near[3 * n], near[4 * n]);

      a.to[p * n + index] = median - value > a.step ? median : value;
    }
}

extern "C" int
tl_cuda_remove_zingers (const TlCudaZingersArgs *args, cudaStream_t stream)
{
  const dim3 grid (
      ceil_div (args->n_pixels, N_THREADS),
      (unsigned)std::min (args->n_projections, MAX_PROJECTION_BLOCKS));

  zingers_kernel<<<grid, N_THREADS, 0, stream>>> (*args);
  return cudaGetLastError ();
}
