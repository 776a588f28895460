/* Sums over the pixels v of each quarter of a slice that lie in a disc about
 * its middle, with their neighbours to the right, r, and below, b:
 *
 *   n, sum of v, of v^2, of min (v, 0), of (r - v)^2 + (b - v)^2
 *
 * and a histogram, in which a pixel at the place p = (v - low) * bins_per_unit
 * counts 1 - (p - k) in bin k = floor (p), and p - k in the next one.
 *
 * pixels: [n_rows][n_cols]; the pixels of a quarter are numbered row by row. A
 * block reduces PIXELS of them to one set of sums; then one block for each
 * quarter reduces these, in a fixed order. The histogram counts parts of a
 * pixel as integers, so that its atomics leave the result the same to the bit.
 */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/reduce.cuh"

#include <algorithm>

/* Pixels of a block: few enough for the counts of all of them in one bin to fit
 * 32 bits. */
constexpr unsigned PIXELS = 4096;
static_assert ((unsigned long long)PIXELS * TL_CUDA_SHARPNESS_UNIT < 1ull << 32,
               "a bin of a block may overflow");

static __device__ TlCudaSharpnessSums
join (const TlCudaSharpnessSums &a, const TlCudaSharpnessSums &b)
{
  return { a.sum + b.sum, a.square + b.square, a.negative + b.negative,
           a.gradient + b.gradient, a.n + b.n };
}

static __device__ void
count (unsigned *counts, double v, const TlCudaSharpnessArgs &a)
{
  const double place =
      fmin (fmax ((v - a.low) * a.bins_per_unit, 0.0), a.last_place);
  const unsigned bin = (unsigned)place;
  const unsigned part =
      (unsigned)__double2int_rn ((place - bin) * TL_CUDA_SHARPNESS_UNIT);

  atomicAdd (&counts[bin], TL_CUDA_SHARPNESS_UNIT - part);
  if (part > 0)
    atomicAdd (&counts[bin + 1], part);
}

/* Writes the sums of the block's pixels to partials[quarter][block], and counts
 * them in the histogram of results[quarter]. */
static __global__ void
sharpness_kernel (const TlCudaSharpnessArgs a)
{
  __shared__ unsigned counts[TL_CUDA_SHARPNESS_BINS];
  const TlCudaQuarter quarter = a.quarters[blockIdx.y];
  const size_t n_pixels = quarter.n_rows * quarter.n_cols;
  const size_t first = (size_t)blockIdx.x * PIXELS;
  const size_t end = min (first + PIXELS, n_pixels);
  const double middle_row = ((double)a.n_rows - 1.0) / 2.0;
  const double middle_col = ((double)a.n_cols - 1.0) / 2.0;
  TlCudaSharpnessSums sums = {};

  for (unsigned bin = threadIdx.x; bin < TL_CUDA_SHARPNESS_BINS;
       bin += N_THREADS)
    counts[bin] = 0;
  __syncthreads ();
  for (size_t k = first + threadIdx.x; k < end; k += N_THREADS)
    {
      const size_t row = quarter.first_row + k / quarter.n_cols;
      const size_t col = quarter.first_col + k % quarter.n_cols;
      const float *pixel = a.pixels + row * a.n_cols + col;
      const double x = (double)col - middle_col, y = (double)row - middle_row;

      if (!(x * x + y * y < a.radius * a.radius))
        continue;
      const double v = pixel[0];
      const double dx = (double)pixel[1] - v;
      const double dy = (double)pixel[a.n_cols] - v;

      if (!isfinite (dx + dy))
        continue;
      sums = join (sums, { v, v * v, fmin (v, 0.0), dx * dx + dy * dy, 1 });
      count (counts, v, a);
    }
  sums = join_block (sums);
  if (threadIdx.x == 0)
    a.partials[(size_t)blockIdx.y * gridDim.x + blockIdx.x] = sums;
  __syncthreads ();
  for (unsigned bin = threadIdx.x; bin < TL_CUDA_SHARPNESS_BINS;
       bin += N_THREADS)
    {
      if (counts[bin] > 0)
        atomicAdd (&a.results[blockIdx.y].histogram[bin],
                   (unsigned long long)counts[bin]);
    }
}

/* Writes the sums of all n_blocks blocks to results[quarter]. */
static __global__ void
join_kernel (const TlCudaSharpnessArgs a, unsigned n_blocks)
{
  TlCudaSharpnessSums sums = {};

  for (unsigned i = threadIdx.x; i < n_blocks; i += N_THREADS)
    sums = join (sums, a.partials[(size_t)blockIdx.x * n_blocks + i]);
  sums = join_block (sums);
  if (threadIdx.x == 0)
    a.results[blockIdx.x].sums = sums;
}

/* Blocks that the largest quarter needs. */
static unsigned
get_n_blocks (const TlCudaSharpnessArgs *a)
{
  size_t n_pixels = 1;

  for (const TlCudaQuarter &quarter : a->quarters)
    n_pixels = std::max (n_pixels, quarter.n_rows * quarter.n_cols);
  return ceil_div (n_pixels, PIXELS);
}

extern "C" size_t
tl_cuda_sharpness_n_partials (const TlCudaSharpnessArgs *a)
{
  return TL_CUDA_QUARTERS * (size_t)get_n_blocks (a);
}

extern "C" int
tl_cuda_measure_sharpness (const TlCudaSharpnessArgs *a, cudaStream_t stream)
{
  const unsigned n_blocks = get_n_blocks (a);
  cudaError_t status;

  status = cudaMemsetAsync (a->results, 0,
                            TL_CUDA_QUARTERS * sizeof *a->results, stream);
  if (status != cudaSuccess)
    return status;
  sharpness_kernel<<<dim3 (n_blocks, TL_CUDA_QUARTERS), N_THREADS, 0,
                     stream>>> (*a);
  if (const int status = cudaGetLastError ())
    return status;
  join_kernel<<<TL_CUDA_QUARTERS, N_THREADS, 0, stream>>> (*a, n_blocks);
  return cudaGetLastError ();
}
