/* Padding, and the multiplication in the frequency domain.
 *
 *   z[m][j] = w v[2m][j] + i w v[2m + 1][j]     two lines in a row, or
 *   z[m][j] = w v[m][j]                         one, padded to L values
 *   Z'[m][k] = H[k] Z[m][k]
 *   H[k] = response[k] / L * exp (-2 pi i k s / L)     0 <= k < L / 2
 *   H[L / 2] = response[L / 2] / L * cos (pi s)        H[L - k] = conj (H[k])
 *
 * v are the corrected lines times the weights of their columns, put into a
 * wider line where that is needed; w is the angular weight of the line's
 * projection, s the shift. H is the transform of a real impulse response. So,
 * of two lines in a row, the real part of the inverse transform is the first
 * line filtered, and the imaginary part the second one. Lines with shifts of
 * their own have a row each. The factor 1 / L undoes what a forward and an
 * inverse cuFFT transform gain.
 *
 * A quad is four floats, 16 bytes: 2 complex values or 4 real ones. A thread
 * has one position in N_ROWS rows, and finds once what depends on the position:
 * the padding's source, or H. It reads all rows before it writes any of them,
 * because the compiler cannot know that they do not overlap.
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/backproject/half-precision.cuh"
#include "gpu/cuda/device/device.cuh"

#include <algorithm>
#include <cuda_fp16.h>

constexpr unsigned N_ROWS = 4;

/* A block has an equal part of a row, or several rows where these are short. */
struct Shape
{
  dim3 grid, block;

  Shape (size_t n_quads, size_t n_rows)
  {
    const unsigned n_parts = ceil_div (n_quads, N_THREADS);
    const unsigned part = ceil_div (n_quads, n_parts);

    block = dim3 (part, N_THREADS / part);
    grid = dim3 (ceil_div (n_rows, N_ROWS * block.y), n_parts);
  }
};

static __device__ unsigned
get_quad ()
{
  return blockIdx.y * blockDim.x + threadIdx.x;
}

/* The first of the thread's N_ROWS rows. */
static __device__ unsigned
get_first_row ()
{
  return (blockIdx.x * blockDim.y + threadIdx.y) * N_ROWS;
}

/* The detector column that value j of a padded line comes from; -1 where the
 * value is 0. The first half of the padding repeats the line's last value, and
 * the second half, before the line's end meets its start, repeats the first. */
static __device__ int
find_source (const TlCudaPadArgs &a, unsigned j)
{
  const unsigned length = (unsigned)a.length, n_cols = (unsigned)a.line_cols;

  if (j >= n_cols && !a.repeats_edge)
    return -1;
  if (j >= n_cols)
    j = j - n_cols < (length - n_cols) / 2 ? n_cols - 1 : 0;

  const int col = (int)j - (int)a.first_col;

  return col < (int)a.n_cols ? max (col, -1) : -1;
}

/* Values of N_LINES lines from @first on. Beyond the last line the last one is
 * read again: it changes no peak, and its results are not used. So there is no
 * branch between the loads. */
template <int N_LINES, int N_COLS>
static __device__ void
load (const TlCudaPadArgs &a, unsigned first, const int (&sources)[N_COLS],
      float (&values)[N_LINES][N_COLS])
{
  const unsigned n_rows = (unsigned)a.n_rows, n_cols = (unsigned)a.n_cols;
  const unsigned n_projections = (unsigned)a.n_projections;
  unsigned projection = first / n_rows, row = first % n_rows;

#pragma unroll
  for (int n = 0; n < N_LINES; n++)
    {
      const unsigned line = min (first + n, n_projections * n_rows - 1);
      const float *from = a.corrected + (size_t)line * n_cols;
      const float weight =
          __ldg (a.weights + min (projection, n_projections - 1));

      for (int i = 0; i < N_COLS; i++)
        {
          const int col = max (sources[i], 0);

          values[n][i] = weight * __ldg (from + col);
          if (a.col_weights != nullptr)
            values[n][i] *=
                __ldg (a.col_weights + (size_t)(line % n_rows) * n_cols + col);
          if (sources[i] < 0)
            values[n][i] = 0.0f;
        }
      if (++row == n_rows)
        {
          row = 0;
          projection++;
        }
    }
}

/* The largest finite |value|, as bits, which have the same order. */
template <int N_LINES, int N_COLS>
static __device__ unsigned
find_peak (const float (&values)[N_LINES][N_COLS])
{
  float largest = 0.0f, largest_finite = 0.0f;

  for (const auto &line : values)
    for (float value : line)
      largest = fmaxf (largest, fabsf (value)); /* which skips NaN */
  if (isfinite (largest))
    return __float_as_uint (largest);

  for (const auto &line : values)
    for (float value : line)
      if (isfinite (value))
        largest_finite = fmaxf (largest_finite, fabsf (value));
  return __float_as_uint (largest_finite);
}

/* The largest of the bits of the block's N_THREADS, for all of them. Atomics on
 * integers: the result does not depend on the order. */
static __device__ unsigned
find_block_peak (unsigned bits)
{
  __shared__ unsigned block_bits;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;

  if (thread == 0)
    block_bits = 0;
  for (int lane = 16; lane > 0; lane /= 2)
    bits = max (bits, __shfl_xor_sync (~0u, bits, lane));
  __syncthreads ();
  if (thread % 32 == 0)
    atomicMax (&block_bits, bits);
  __syncthreads ();
  return block_bits;
}

/* All blocks are full, because the length of a padded line is a power of two.
 */
template <bool PAIRS>
static __global__ void
__launch_bounds__ (N_THREADS)
    pad_kernel (const TlCudaPadArgs a, unsigned n_rows)
{
  constexpr int LINES = PAIRS ? 2 : 1, COLS = PAIRS ? 2 : 4; /* of a quad */
  const unsigned quad = get_quad (), first = get_first_row ();
  float *to = a.rows + first * a.row_floats;
  float v[N_ROWS * LINES][COLS];
  int sources[COLS];

  for (int i = 0; i < COLS; i++)
    sources[i] = find_source (a, COLS * quad + i);
  load (a, LINES * first, sources, v);
#pragma unroll
  for (unsigned i = 0; i < N_ROWS; i++)
    {
      float4 values;

      if constexpr (PAIRS)
        values = make_float4 (v[2 * i][0], v[2 * i + 1][0], v[2 * i][1],
                              v[2 * i + 1][1]);
      else
        values = make_float4 (v[i][0], v[i][1], v[i][2], v[i][3]);
      if (first + i < n_rows)
        reinterpret_cast<float4 *> (to + i * a.row_floats)[quad] = values;
    }

  const unsigned peak = find_block_peak (find_peak (v));

  if (threadIdx.x == 0 && threadIdx.y == 0)
    atomicMax (a.peak, peak);
}

/* A block has a row, which the cache still holds when it is read again. */
static __global__ void
__launch_bounds__ (N_THREADS) halve_kernel (const TlCudaHalveArgs a)
{
  const size_t row = blockIdx.x;
  const float2 *from =
      reinterpret_cast<const float2 *> (a.from + row * a.row_floats);
  __half2 *to = static_cast<__half2 *> (a.to) + row * a.row_floats / 2;
  unsigned bits = 0;

  for (size_t k = threadIdx.x; k < a.n_frequencies; k += N_THREADS)
    {
      const float values[1][2] = { { from[k].x, from[k].y } };

      bits = max (bits, find_peak (values));
    }

  const float unit = half_unit (find_block_peak (bits));
  const float scale = 1.0f / unit;

  for (size_t k = threadIdx.x; k < a.n_frequencies; k += N_THREADS)
    to[k] = __floats2half2_rn (scale * from[k].x, scale * from[k].y);
  if (threadIdx.x == 0)
    a.units[row] = unit;
}

/* H at frequency k of a row, k < 0 in the upper half. A shift may be many
 * columns, so the phase is reduced to one turn in double precision; the rest is
 * small enough for float. */
static __device__ float2
find_factor (const TlCudaMultiplyArgs &a, double shift_cols,
             float inverse_length, unsigned k)
{
  const unsigned length = (unsigned)a.length;
  const unsigned distance = min (k, length - k);
  const float gain = __ldg (a.response + distance) * inverse_length;
  const double turns = shift_cols * distance * inverse_length;
  float sine, cosine;

  sincospif (2.0f * (float)(turns - rint (turns)), &sine, &cosine);
  if (2 * distance == length)
    sine = 0.0f;
  return make_float2 (gain * cosine,
                      k == distance ? -gain * sine : gain * sine);
}

/* (x, y) and (z, w) times h0 and h1. */
static __device__ float4
multiply (float4 values, float2 h0, float2 h1)
{
  return make_float4 (
      values.x * h0.x - values.y * h0.y, values.x * h0.y + values.y * h0.x,
      values.z * h1.x - values.w * h1.y, values.z * h1.y + values.w * h1.x);
}

/* Two complex values of a row of spectra. These are read once, so the cache
 * need not keep them. */
template <bool IN_HALVES>
static __device__ float4
load_spectrum (const TlCudaMultiplyArgs &a, unsigned row, unsigned quad)
{
  const size_t i = row * (a.row_floats / 4) + quad;

  if constexpr (IN_HALVES)
    {
      const uint2 bits = __ldcs (static_cast<const uint2 *> (a.from) + i);
      const float unit = __ldg (a.units + row);
      const float2 v0 =
          __half22float2 (reinterpret_cast<const __half2 &> (bits.x));
      const float2 v1 =
          __half22float2 (reinterpret_cast<const __half2 &> (bits.y));

      return make_float4 (unit * v0.x, unit * v0.y, unit * v1.x, unit * v1.y);
    }
  else
    return __ldcs (static_cast<const float4 *> (a.from) + i);
}

/* The products are transformed next, so the cache should keep them. */
template <bool IN_HALVES>
static __global__ void
__launch_bounds__ (N_THREADS)
    multiply_kernel (const TlCudaMultiplyArgs a, float inverse_length)
{
  const unsigned quad = get_quad (), first = get_first_row ();
  float *to = a.to + first * a.row_floats;
  float4 values[N_ROWS];

  if (2 * quad >= a.n_frequencies)
    return;
#pragma unroll
  for (unsigned i = 0; i < N_ROWS; i++)
    if (first + i < a.n_rows)
      values[i] = load_spectrum<IN_HALVES> (a, first + i, quad);

  float2 h0 = find_factor (a, a.shift_cols, inverse_length, 2 * quad);
  float2 h1 = find_factor (a, a.shift_cols, inverse_length, 2 * quad + 1);

#pragma unroll
  for (unsigned i = 0; i < N_ROWS; i++)
    {
      if (first + i >= a.n_rows)
        break;
      if (a.shifts != nullptr)
        {
          const double shift_cols = a.shifts[(first + i) % a.n_shifts];

          h0 = find_factor (a, shift_cols, inverse_length, 2 * quad);
          h1 = find_factor (a, shift_cols, inverse_length, 2 * quad + 1);
        }
      reinterpret_cast<float4 *> (to + i * a.row_floats)[quad] =
          multiply (values[i], h0, h1);
    }
}

extern "C" int
tl_cuda_pad (const TlCudaPadArgs *a, cudaStream_t stream)
{
  const size_t n_lines = a->n_projections * a->n_rows;
  const size_t n_rows = a->pairs ? (n_lines + 1) / 2 : n_lines;
  const size_t n_quads =
      a->pairs ? a->length / 2 : std::max (a->length / 4, (size_t)1);
  const Shape shape (n_quads, n_rows);

  if (a->pairs)
    pad_kernel<true>
        <<<shape.grid, shape.block, 0, stream>>> (*a, (unsigned)n_rows);
  else
    pad_kernel<false>
        <<<shape.grid, shape.block, 0, stream>>> (*a, (unsigned)n_rows);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_multiply (const TlCudaMultiplyArgs *a, cudaStream_t stream)
{
  const Shape shape ((a->n_frequencies + 1) / 2, a->n_rows);
  const float inverse_length = 1.0f / (float)a->length; /* exact */

  if (a->units != nullptr)
    multiply_kernel<true>
        <<<shape.grid, shape.block, 0, stream>>> (*a, inverse_length);
  else
    multiply_kernel<false>
        <<<shape.grid, shape.block, 0, stream>>> (*a, inverse_length);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_halve (const TlCudaHalveArgs *a, cudaStream_t stream)
{
  halve_kernel<<<(unsigned)a->n_rows, N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}
