/* Two kernels on the projections: the correction by the fields, and beam
 * hardening, which follows the zingers or phase retrieval as a pass of its own.
 *
 * The first one does dark and flat field, -log and dead pixels in one pass from
 * the detector's own sample type to float.
 *
 *   F = flat_first + (flat_last - flat_first) * p / (P - 1)
 *   t = (sample - dark) / (F - dark)
 *   v = -ln (max (t, min_transmission))
 *   corrected = (1 - mix) * v(left) + mix * v(right)
 *
 * for projection p of P; a live pixel is its own left and right neighbour. The
 * fields, which are means of many frames, are doubles, and t is computed in
 * double precision: near 1 its rounding is large against its logarithm, and the
 * ramp filter amplifies such noise. The few operations for a sample take less
 * time than its transfer from memory, even where double precision is slow. A
 * logarithm in double would take longer there. For t near 1, log1pf (t - 1) is
 * exact to a float; elsewhere logf (t) is.
 *
 * Samples and results are [projection][row][col]. A thread keeps its pixel's
 * fields and goes through the projections.
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/device/device.cuh"

#include <algorithm>

/* At most so many blocks along the projections. With more projections a thread
 * takes several, and reads its fields once for them. It is far below 65535,
 * where grid y ends, and enough to fill a device with a single row. */
constexpr size_t MAX_PROJECTION_BLOCKS = 1024;

struct Pixel
{
  size_t index; /* in a projection of the block */
  double dark, flat, drift;
};

static __device__ Pixel
load_pixel (const TlCudaFlatfieldArgs &a, size_t index)
{
  Pixel pixel = { index, 0.0, 1.0, 0.0 };

  if (!a.flat_field)
    return pixel;
  if (a.dark != nullptr)
    pixel.dark = a.dark[index];
  pixel.flat = a.flat_first[index];
  if (a.flat_last != nullptr)
    pixel.drift = a.flat_last[index] - pixel.flat;
  return pixel;
}

/* Returns: -ln t to the precision of float */
static __device__ float
minus_log (double t, double min_transmission)
{
  /* The comparison turns NaN into the smallest transmission. */
  const double clamped = t > min_transmission ? t : min_transmission;

  return clamped > 0.5 && clamped < 2.0 ? -log1pf ((float)(clamped - 1.0))
                                        : -logf ((float)clamped);
}

/* part: how much of the scan is over, 0 to 1 */
template <typename T>
static __device__ float
correct (const TlCudaFlatfieldArgs &a, const Pixel &pixel, size_t projection,
         double part)
{
  const T *samples = static_cast<const T *> (a.samples);
  const size_t i = projection * a.n_block_rows * a.n_cols + pixel.index;
  double value = static_cast<double> (samples[i]);

  if (a.flat_field)
    {
      const double flat = pixel.flat + pixel.drift * part;

      value = (value - pixel.dark) / (flat - pixel.dark);
    }
  return a.minus_log ? minus_log (value, a.min_transmission) : (float)value;
}

template <typename T>
static __global__ void
flatfield_kernel (const TlCudaFlatfieldArgs a)
{
  const size_t n_pixels = a.n_rows * a.n_cols;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;

  if (index >= n_pixels)
    return;

  const size_t source = index + a.first_row * a.n_cols;
  const size_t col = source % a.n_cols, row_start = source - col;
  const size_t left_col = a.left_col[source], right_col = a.right_col[source];
  const float mix = a.mix[source];
  const bool blends = left_col != right_col;
  const Pixel left = load_pixel (a, row_start + left_col);
  const Pixel right = blends ? load_pixel (a, row_start + right_col) : left;
  const double last = a.n_projections > 1 ? (double)(a.n_projections - 1) : 1.0;

  for (size_t p = blockIdx.y; p < a.n_projections; p += gridDim.y)
    {
      const double part = (double)p / last;
      float value = correct<T> (a, left, p, part);

      if (blends)
        value = (1.0f - mix) * value + mix * correct<T> (a, right, p, part);
      a.corrected[p * n_pixels + index] = value;
    }
}

template <typename T>
static int
launch (const TlCudaFlatfieldArgs *a, cudaStream_t stream)
{
  const dim3 grid (
      ceil_div (a->n_rows * a->n_cols, N_THREADS),
      (unsigned)std::min (a->n_projections, MAX_PROJECTION_BLOCKS));

  flatfield_kernel<T><<<grid, N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

/* --- beam hardening: gpu/stages/params.h --- */

static __global__ void
hardening_kernel (size_t n, float factor, const float *from, float *to)
{
  const size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x;

  if (i < n)
    to[i] = from[i] + factor * from[i] * from[i];
}

extern "C" int
tl_cuda_correct_hardening (size_t n, float factor, const float *from, float *to,
                           cudaStream_t stream)
{
  hardening_kernel<<<ceil_div (n, N_THREADS), N_THREADS, 0, stream>>> (
      n, factor, from, to);
  return cudaGetLastError ();
}

/* --- all types of samples --- */

/* In the order of TlSampleType, which correct.c asserts. */
typedef int (*Launch) (const TlCudaFlatfieldArgs *, cudaStream_t);
static const Launch launches[] = {
  launch<unsigned char>, launch<signed char>, launch<unsigned short>,
  launch<short>,         launch<unsigned>,    launch<int>,
  launch<float>,         launch<double>,
};

extern "C" int
tl_cuda_flatfield (const TlCudaFlatfieldArgs *args, cudaStream_t stream)
{
  return launches[args->type](args, stream);
}
