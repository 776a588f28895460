/* Padding, and the multiplication in the frequency domain.
 *
 *   z[m][j] = w v[2m][j] + i w v[2m + 1][j]     padded from n_cols to L values
 *   Z'[m][k] = H[k] Z[m][k]
 *   H[k] = response[k] / L * exp (-2 pi i k s / L)     0 <= k < L / 2
 *   H[L / 2] = response[L / 2] / L * cos (pi s)        H[L - k] = conj (H[k])
 *
 * v the corrected lines, w their projections' angular weights, s the shift. H
 * is the transform of a real impulse response, so the real part of the inverse
 * transform is line 2m filtered and the imaginary part line 2m + 1. The factor
 * 1 / L undoes what a forward and an inverse cuFFT transform gain.
 */
#include "gpu/cuda/filter.h"

#include "gpu/cuda/device.cuh"

/* Value j of a padded line. Of the padding the half that follows the row
 * repeats its last value and the half before the wrap its first. */
static __device__ float
padded_value (const TlCudaPadArgs &a, size_t line, size_t j)
{
  const size_t length = (size_t)1 << a.length_log2;
  const float *row = a.corrected + line * a.n_cols;
  size_t col = j;

  if (j >= a.n_cols)
    {
      if (!a.repeats_edge)
        return 0.0f;
      col = j - a.n_cols < (length - a.n_cols) / 2 ? a.n_cols - 1 : 0;
    }
  return a.weights[line / a.n_rows] * row[col];
}

/* Raises *peak to the largest finite value of the warp, whole warps only. The
 * maximum of integers: the same in any order. */
static __device__ void
raise_peak (unsigned *peak, float value)
{
  unsigned bits = isfinite (value) ? __float_as_uint (fabsf (value)) : 0;

  for (int lane = 16; lane > 0; lane /= 2)
    bits = max (bits, __shfl_xor_sync (~0u, bits, lane));
  /* a stale value here only costs an atomic that changes nothing */
  if (threadIdx.x % 32 == 0 && bits > *(volatile unsigned *)peak)
    atomicMax (peak, bits);
}

static __global__ void
pad_kernel (const TlCudaPadArgs a)
{
  const size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t row = i >> a.length_log2;
  const size_t j = i & (((size_t)1 << a.length_log2) - 1);
  const size_t line = 2 * row; /* of those to do */
  float2 value = make_float2 (0.0f, 0.0f);

  if (line < a.n_lines)
    value.x = padded_value (a, a.first_line + line, j);
  if (line + 1 < a.n_lines)
    value.y = padded_value (a, a.first_line + line + 1, j);
  if (line < a.n_lines)
    reinterpret_cast<float2 *> (a.rows)[i] = value;
  raise_peak (a.peak, fmaxf (fabsf (value.x), fabsf (value.y)));
}

static __global__ void
factors_kernel (const TlCudaFactorsArgs a)
{
  const unsigned k = blockIdx.x * N_THREADS + threadIdx.x;
  const unsigned nyquist = 1u << (a.length_log2 - 1);

  if (k > nyquist)
    return;

  const double gain = (double)a.response[k] / (2.0 * nyquist);
  double sine, cosine;

  sincospi (-a.shift_cols * k / nyquist, &sine, &cosine);
  if (k == nyquist)
    sine = 0.0;
  reinterpret_cast<float2 *> (a.factors)[k] =
      make_float2 ((float)(gain * cosine), (float)(gain * sine));
}

static __global__ void
multiply_kernel (const TlCudaMultiplyArgs a)
{
  const size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t length = (size_t)1 << a.length_log2;
  const size_t k = i & (length - 1);

  if (i >> a.length_log2 >= a.n_rows)
    return;

  const float2 z = reinterpret_cast<const float2 *> (a.from)[i];
  float2 h = reinterpret_cast<const float2 *> (
      a.factors)[k <= length / 2 ? k : length - k];

  if (k > length / 2)
    h.y = -h.y;
  reinterpret_cast<float2 *> (a.to)[i] =
      make_float2 (z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x);
}

extern "C" int
tl_cuda_pad (const TlCudaPadArgs *a, cudaStream_t stream)
{
  const size_t n = ((a->n_lines + 1) / 2) << a->length_log2;

  pad_kernel<<<ceil_div (n, N_THREADS), N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_factors (const TlCudaFactorsArgs *a, cudaStream_t stream)
{
  const size_t n = ((size_t)1 << a->length_log2) / 2 + 1;

  factors_kernel<<<ceil_div (n, N_THREADS), N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_multiply (const TlCudaMultiplyArgs *a, cudaStream_t stream)
{
  const size_t n = a->n_rows << a->length_log2;

  multiply_kernel<<<ceil_div (n, N_THREADS), N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}
