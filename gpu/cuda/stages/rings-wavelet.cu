/* Rings by wavelets and Fourier: Münch et al., Optics Express 17 (2009) 8567,
 * one level of the transform at a time. gpu/stages/wavelet.h says what is
 * computed, and why nothing else is needed. With F taps, N values of the band
 * along the angle and x mirrored about its ends:
 *
 *   low[a]    = sum over j of low_taps[j] image[2 a + 1 - j]
 *   coarse[k] = sum over j of low_taps[j] low[2 k + 1 - j]
 *   band[k]   = sum over j of high_taps[j] low[2 k + 1 - j]
 *   X[f]      = sum over a of band[a] exp (-2 pi i a f / N)
 *   band[a]   = sum over f of damping[f] Re (X[f] exp (2 pi i a f / N))
 *
 * a counts along the angle, and k along the row. The way back has the taps
 * 2 k + 1 - col. Few frequencies are damped, so they are summed one by one.
 * Images are [angle][row][col]. Neighbouring threads have neighbouring columns,
 * and go through the angles.
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/device/device.cuh"

#include <algorithm>

/* Far below 65535, where grid y ends. With more angles a thread takes several
 * of them. */
constexpr size_t MAX_ANGLE_BLOCKS = 1024;

/* The index that @i is when @n values are mirrored about their ends. */
static __device__ size_t
mirror (long long i, size_t n)
{
  const long long period = 2 * (long long)n;
  const size_t place = (size_t)(((i % period) + period) % period);

  return place < n ? place : 2 * n - 1 - place;
}

/* --- decomposition --- */

static __global__ void
low_kernel (const TlCudaWaveletArgs a)
{
  const size_t plane = a.n_rows * a.n_cols;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;

  if (index >= plane)
    return;
  for (size_t angle = blockIdx.y; angle < a.coarse_angles; angle += gridDim.y)
    {
      float sum = 0.0f;

      for (int j = 0; j < TL_CUDA_TAPS; j++)
        sum = fmaf (
            a.low_taps[j],
            a.image[mirror (2 * (long long)angle + 1 - j, a.n_angles) * plane
                    + index],
            sum);
      a.low[angle * plane + index] = sum;
    }
}

static __global__ void
split_kernel (const TlCudaWaveletArgs a)
{
  const size_t plane = a.n_rows * a.coarse_cols;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t row = index / a.coarse_cols, k = index % a.coarse_cols;

  if (index >= plane)
    return;
  for (size_t angle = blockIdx.y; angle < a.coarse_angles; angle += gridDim.y)
    {
      const float *from = a.low + (angle * a.n_rows + row) * a.n_cols;
      float low = 0.0f, high = 0.0f;

      for (int j = 0; j < TL_CUDA_TAPS; j++)
        {
          const float value = from[mirror (2 * (long long)k + 1 - j, a.n_cols)];

          low = fmaf (a.low_taps[j], value, low);
          high = fmaf (a.high_taps[j], value, high);
        }
      a.band[angle * plane + index] = high;
      if (!a.is_last)
        a.coarse[angle * plane + index] = low;
    }
}

/* --- the frequencies that V loses --- */

static __global__ void
spectrum_kernel (const TlCudaWaveletArgs a)
{
  const size_t plane = a.n_rows * a.coarse_cols, n = a.coarse_angles;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t frequency = blockIdx.y;
  float real = 0.0f, imaginary = 0.0f;
  size_t turn = 0; /* angle * frequency, less whole turns */

  if (index >= plane)
    return;
  for (size_t angle = 0; angle < n; angle++)
    {
      const float value = a.band[angle * plane + index];

      real = fmaf (a.turns[turn], value, real);
      imaginary = fmaf (a.turns[n + turn], value, imaginary);
      turn += frequency;
      if (turn >= n)
        turn -= n;
    }
  a.spectrum[2 * frequency * plane + index] = a.damping[frequency] * real;
  a.spectrum[(2 * frequency + 1) * plane + index] =
      a.damping[frequency] * imaginary;
}

static __global__ void
band_kernel (const TlCudaWaveletArgs a)
{
  const size_t plane = a.n_rows * a.coarse_cols, n = a.coarse_angles;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;

  if (index >= plane)
    return;
  for (size_t angle = blockIdx.y; angle < n; angle += gridDim.y)
    {
      float sum = 0.0f;
      size_t turn = 0;

      for (size_t frequency = 0; frequency < a.n_frequencies; frequency++)
        {
          const float *spectrum = a.spectrum + 2 * frequency * plane + index;

          sum = fmaf (a.turns[turn], spectrum[0], sum);
          sum = fmaf (a.turns[n + turn], spectrum[plane], sum);
          turn += angle;
          if (turn >= n)
            turn -= n;
        }
      a.band[angle * plane + index] = sum;
    }
}

/* --- synthesis --- */

static __global__ void
join_cols_kernel (const TlCudaWaveletArgs a)
{
  const size_t plane = a.n_rows * a.n_cols;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t row = index / a.n_cols, col = index % a.n_cols;

  if (index >= plane)
    return;
  for (size_t angle = blockIdx.y; angle < a.coarse_angles; angle += gridDim.y)
    {
      const size_t line = (angle * a.n_rows + row) * a.coarse_cols;
      float sum = 0.0f;

      for (int m = 0; m < TL_CUDA_TAPS / 2; m++)
        {
          const size_t k = col / 2 + m, tap = 2 * k + 1 - col;

          sum = fmaf (a.high_taps[tap], a.band[line + k], sum);
          if (!a.is_last)
            sum = fmaf (a.low_taps[tap], a.coarse[line + k], sum);
        }
      a.low[angle * plane + index] = sum;
    }
}

static __global__ void
join_angles_kernel (const TlCudaWaveletArgs a)
{
  const size_t plane = a.n_rows * a.n_cols;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;

  if (index >= plane)
    return;
  for (size_t angle = blockIdx.y; angle < a.n_angles; angle += gridDim.y)
    {
      const size_t i = angle * plane + index;
      float sum = 0.0f;

      for (int m = 0; m < TL_CUDA_TAPS / 2; m++)
        {
          const size_t k = angle / 2 + m;

          sum = fmaf (a.low_taps[2 * k + 1 - angle], a.low[k * plane + index],
                      sum);
        }
      a.lost[i] = a.is_first ? a.image[i] - sum : sum;
    }
}

/* --- launchers --- */

/* A thread for each pixel of a plane of @n_pixels; angles on y. */
static dim3
make_grid (size_t n_pixels, size_t n_angles)
{
  return dim3 (ceil_div (n_pixels, N_THREADS),
               (unsigned)std::min (n_angles, MAX_ANGLE_BLOCKS));
}

extern "C" int
tl_cuda_take_apart (const TlCudaWaveletArgs *args, cudaStream_t stream)
{
  const size_t plane = args->n_rows * args->n_cols;
  const size_t coarse = args->n_rows * args->coarse_cols;
  const dim3 frequencies (ceil_div (coarse, N_THREADS),
                          (unsigned)args->n_frequencies);

  low_kernel<<<make_grid (plane, args->coarse_angles), N_THREADS, 0, stream>>> (
      *args);
  if (const int status = cudaGetLastError ())
    return status;
  split_kernel<<<make_grid (coarse, args->coarse_angles), N_THREADS, 0,
                 stream>>> (*args);
  if (const int status = cudaGetLastError ())
    return status;
  spectrum_kernel<<<frequencies, N_THREADS, 0, stream>>> (*args);
  if (const int status = cudaGetLastError ())
    return status;
  band_kernel<<<make_grid (coarse, args->coarse_angles), N_THREADS, 0,
                stream>>> (*args);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_put_together (const TlCudaWaveletArgs *args, cudaStream_t stream)
{
  const size_t plane = args->n_rows * args->n_cols;

  join_cols_kernel<<<make_grid (plane, args->coarse_angles), N_THREADS, 0,
                     stream>>> (*args);
  if (const int status = cudaGetLastError ())
    return status;
  join_angles_kernel<<<make_grid (plane, args->n_angles), N_THREADS, 0,
                       stream>>> (*args);
  return cudaGetLastError ();
}
