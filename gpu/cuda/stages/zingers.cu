/* Zingers: with m the median of the five nearest projections of one pixel, and
 * r the median of the five nearest columns of its row in one projection,
 *
 *   to = min (m, r) - from > limit ? m : from         attenuation
 *   to = from > limit * max (m, r, least) ? m : from  transmission
 *
 * A thread takes one pixel of every so many projections. The neighbours along
 * the angle are in the cache, because other threads read them too.
 * [projection][row][col].
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/device/device.cuh"

#include <algorithm>

constexpr size_t N_NEAR = 5;
constexpr size_t REACH = N_NEAR / 2;
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
  order (a, d); // a is the least of four values: not the median
  order (b, e); // e is the greatest of four: not the median
  order (b, c);
  order (c, d);
  order (b, c);
  return c;
}

/* The median of five values, @step apart. */
static __device__ float
find_median_at (const float *values, size_t step)
{
  return find_median (values[0], values[step], values[2 * step],
                      values[3 * step], values[4 * step]);
}

/* The first of the five elements of @n that are nearest to @place. */
static __device__ size_t
find_first (size_t place, size_t n)
{
  return min (max (place, REACH), n - 1 - REACH) - REACH;
}

static __global__ void
zingers_kernel (const TlCudaZingersArgs a)
{
  const size_t n = a.n_rows * a.n_cols;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t col = index % a.n_cols, row_start = index - col;
  const size_t first_col = find_first (col, a.n_cols);

  if (index >= n)
    return;
  for (size_t p = blockIdx.y; p < a.n_projections; p += gridDim.y)
    {
      const size_t first = find_first (p, a.n_projections);
      const float value = a.from[p * n + index];
      const float median = find_median_at (a.from + first * n + index, n);
      const float across =
          find_median_at (a.from + p * n + row_start + first_col, 1);

      const float most = fmaxf (fmaxf (median, across), a.min_transmission);
      const bool is_zinger = a.is_transmission
                                 ? value > a.limit * most
                                 : fminf (median, across) - value > a.limit;

      a.to[p * n + index] = is_zinger ? median : value;
    }
}

extern "C" int
tl_cuda_remove_zingers (const TlCudaZingersArgs *args, cudaStream_t stream)
{
  const dim3 grid (
      ceil_div (args->n_rows * args->n_cols, N_THREADS),
      (unsigned)std::min (args->n_projections, MAX_PROJECTION_BLOCKS));

  zingers_kernel<<<grid, N_THREADS, 0, stream>>> (*args);
  return cudaGetLastError ();
}
