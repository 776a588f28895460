/* The smallest, largest and mean pixel of a slice and its histogram, over the
 * pixels that are finite numbers.
 *
 *   bin = floor ((v - min) * n_bins / (max - min)), the last one for v = max
 *
 * pixels: [n]. Each block reduces its share of the pixels to one set of
 * figures, and one block reduces these. Then min and max are known; each block
 * counts its share, and adds it to the result. Sums have a fixed order, and the
 * only atomics are on integers, so that a result repeats to the bit.
 */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/reduce.cuh"

#include <algorithm>

struct Range
{
  float min, max;
  double sum;
  unsigned long long n;
};

static __device__ Range
join (const Range &a, const Range &b)
{
  return { fminf (a.min, b.min), fmaxf (a.max, b.max), a.sum + b.sum,
           a.n + b.n };
}

static __device__ void
write_range (TlCudaFigures *figures, const Range &range)
{
  figures->min = range.min;
  figures->max = range.max;
  figures->sum = range.sum;
  figures->n = range.n;
}

/* Writes the figures of the block's pixels to figures[1 + block]. */
static __global__ void
range_kernel (const TlCudaMeasureArgs a)
{
  Range range = { INFINITY, -INFINITY, 0.0, 0 };

  for (size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x; i < a.n;
       i += (size_t)gridDim.x * N_THREADS)
    {
      const float v = a.pixels[i];

      if (isfinite (v))
        range = join (range, { v, v, v, 1 });
    }
  range = join_block (range);
  if (threadIdx.x == 0)
    write_range (&a.figures[1 + blockIdx.x], range);
}

/* Writes the figures of all n_blocks blocks to figures[0], with an empty
 * histogram. */
static __global__ void
join_kernel (const TlCudaMeasureArgs a, unsigned n_blocks)
{
  Range range = { INFINITY, -INFINITY, 0.0, 0 };

  for (unsigned i = threadIdx.x; i < n_blocks; i += N_THREADS)
    {
      const TlCudaFigures &f = a.figures[1 + i];

      range = join (range, { f.min, f.max, f.sum, f.n });
    }
  range = join_block (range);
  if (threadIdx.x == 0)
    write_range (&a.figures[0], range);
  for (unsigned bin = threadIdx.x; bin < TL_CUDA_BINS; bin += N_THREADS)
    a.figures[0].histogram[bin] = 0;
}

static __global__ void
histogram_kernel (const TlCudaMeasureArgs a)
{
  __shared__ unsigned counts[TL_CUDA_BINS];
  const double low = a.figures[0].min, width = a.figures[0].max - low;
  const double bins_per_unit = width > 0.0 ? TL_CUDA_BINS / width : 0.0;

  for (unsigned bin = threadIdx.x; bin < TL_CUDA_BINS; bin += N_THREADS)
    counts[bin] = 0;
  __syncthreads ();
  for (size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x; i < a.n;
       i += (size_t)gridDim.x * N_THREADS)
    {
      const float v = a.pixels[i];

      if (isfinite (v))
        atomicAdd (
            &counts[min ((int)((v - low) * bins_per_unit), TL_CUDA_BINS - 1)],
            1u);
    }
  __syncthreads ();
  for (unsigned bin = threadIdx.x; bin < TL_CUDA_BINS; bin += N_THREADS)
    {
      if (counts[bin] > 0)
        atomicAdd (&a.figures[0].histogram[bin], counts[bin]);
    }
}

extern "C" size_t
tl_cuda_measure_n_figures (void)
{
  return 1 + N_BLOCKS;
}

extern "C" int
tl_cuda_measure (const TlCudaMeasureArgs *a, cudaStream_t stream)
{
  const unsigned n_blocks = std::min (ceil_div (a->n, N_THREADS), N_BLOCKS);

  range_kernel<<<n_blocks, N_THREADS, 0, stream>>> (*a);
  if (const int status = cudaGetLastError ())
    return status;
  join_kernel<<<1, N_THREADS, 0, stream>>> (*a, n_blocks);
  if (const int status = cudaGetLastError ())
    return status;
  histogram_kernel<<<n_blocks, N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}
