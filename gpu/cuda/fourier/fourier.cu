/* The Fourier method on the device; fourier.h has the formulas, the kernel K
 * and its source.
 *
 *   S[i][k] = Q_p[k] response[k] / L exp (2 pi i k (c_p - shift) / L)
 *
 *   p = order[i],    c_p = axis + x cos t_p + y sin t_p
 *
 *   G[u][v] = sum over i and |k| <= last of S[i][k] K (|(u, v) - k step_i|)
 *
 * S[i][-k] is the conjugate of S[i][k]. The grid is periodic; the distance is
 * that to the nearest image. Points lie [ray][frequency][slice], so that the
 * slices of a pass share a weight and one read. */
#include "gpu/cuda/fourier/fourier.h"

#include "gpu/cuda/device/device.cuh"

/* Complex values of N slices at one place. */
template <int N> struct alignas (N == 1 ? 8 : 16) Values
{
  float2 of[N];
};

/* --- points --- */

/* The spectrum of @line at frequency @k; of two lines in a row, the parts with
 * the symmetry of a real line's spectrum. */
static __device__ float2
read_spectrum (const TlCudaFourierPointsArgs &a, size_t line, unsigned k)
{
  if (!a.pairs)
    return reinterpret_cast<const float2 *> (a.spectrum
                                             + line * a.row_floats)[k];

  const float2 *row =
      reinterpret_cast<const float2 *> (a.spectrum + line / 2 * a.row_floats);
  const float2 z = row[k];
  const float2 m = row[k == 0 ? 0 : (unsigned)a.length - k];

  return line % 2 == 0 ? make_float2 (0.5f * (z.x + m.x), 0.5f * (z.y - m.y))
                       : make_float2 (0.5f * (z.y + m.y), 0.5f * (m.x - z.x));
}

/* The factor of frequency @k, with the phase of @shift_cols as in the stage
 * "filter". At the Nyquist frequency, which stands for its negative too, half
 * of it. */
static __device__ float2
find_factor (const TlCudaFourierPointsArgs &a, double col, double shift_cols,
             unsigned k)
{
  const double inverse_length = 1.0 / (double)a.length;
  const bool is_nyquist = 2 * k == a.length;
  const double turns =
      (is_nyquist ? col : col - shift_cols) * k * inverse_length;
  float gain = __ldg (a.response + k) * (float)inverse_length;
  float sine, cosine;

  if (is_nyquist)
    gain *= 0.5f * (float)cospi (shift_cols);
  sincospif (2.0f * (float)(turns - rint (turns)), &sine, &cosine);
  return make_float2 (gain * cosine, gain * sine);
}

template <int N>
static __global__ void
__launch_bounds__ (N_THREADS) points_kernel (const TlCudaFourierPointsArgs a)
{
  const unsigned k = blockIdx.x * N_THREADS + threadIdx.x;
  const size_t ray = blockIdx.y + (size_t)gridDim.y * blockIdx.z;

  if (k > a.last || ray >= a.n_projections)
    return;

  const size_t p = a.order[ray];
  const double col = a.axis_col + a.x * a.rays[2 * p] + a.y * a.rays[2 * p + 1];
  float2 factor = find_factor (a, col, a.shifts[0], k);
  Values<N> values;

#pragma unroll
  for (int i = 0; i < N; i++)
    {
      const size_t row = a.first_row + i;

      values.of[i] = make_float2 (0.0f, 0.0f);
      if (row >= a.n_rows)
        continue;
      if (a.n_shifts > 1)
        factor = find_factor (a, col, a.shifts[row % a.n_shifts], k);

      const float2 s = read_spectrum (a, p * a.n_rows + row, k);

      values.of[i] = make_float2 (s.x * factor.x - s.y * factor.y,
                                  s.x * factor.y + s.y * factor.x);
    }
  reinterpret_cast<Values<N> *> (a.points)[ray * (a.last + 1) + k] = values;
}

extern "C" int
tl_cuda_fourier_points (const TlCudaFourierPointsArgs *a, cudaStream_t stream)
{
  const unsigned n_down = 32768;
  const dim3 grid (
      ceil_div (a->last + 1, N_THREADS),
      (unsigned)(a->n_projections < n_down ? a->n_projections : n_down),
      ceil_div (a->n_projections, n_down));

  switch (a->n_slices)
    {
    case 1:
      points_kernel<1><<<grid, N_THREADS, 0, stream>>> (*a);
      break;
    case 4:
      points_kernel<4><<<grid, N_THREADS, 0, stream>>> (*a);
      break;
    default:
      return cudaErrorInvalidValue;
    }
  return cudaGetLastError ();
}

/* --- the grid --- */

/* Near the middle of the grid, where a cell has points of many rays, a warp
 * gathers them. From so many rays on that is faster. */
constexpr float MANY_RAYS = 32.0f;

/* A range of sorted rays; @end may pass the last ray by a turn. */
struct Range
{
  int first, end;
};

/* The rays that pass a cell at (u, v) within half the kernel's width, and a few
 * more. */
static __device__ Range
find_rays (const TlCudaFourierGatherArgs &a, float u, float v, float half)
{
  const float distance = sqrtf (u * u + v * v);

  if (distance <= half)
    return Range{ 0, (int)a.n_rays };

  const float sectors = (float)a.n_sectors;
  const float at = (atan2f (v, u) / 3.14159265f + 0.5f) * sectors;
  const float width = asinf (half / distance) / 3.14159265f * sectors;
  /* a hundredth of a sector for the rounding of these */
  int first = (int)floorf (at - width - 0.01f);
  const int n = (int)floorf (at + width + 0.01f) - first + 1;
  const int whole = (int)a.n_sectors;

  first = ((first % whole) + whole) % whole;
  if (n >= whole)
    return Range{ 0, (int)a.n_rays };
  return Range{ __ldg (a.sectors + first), __ldg (a.sectors + first + n) };
}

template <int TERMS>
static __device__ inline float
find_weight (const TlCudaFourierKernel &kernel, float z)
{
  float weight = kernel.values[0];

#pragma unroll
  for (int term = 1; term < TERMS; term++)
    weight = fmaf (weight, z, kernel.values[term]);
  return weight;
}

template <int N>
static __device__ inline void
add_point (Values<N> &sum, const Values<N> &point, float re, float im)
{
#pragma unroll
  for (int n = 0; n < N; n++)
    {
      sum.of[n].x = fmaf (re, point.of[n].x, sum.of[n].x);
      sum.of[n].y = fmaf (im, point.of[n].y, sum.of[n].y);
    }
}

/* Adds the points of a ray. Where the cell lies at its negative frequencies, it
 * is turned by half a turn and its values are conjugated. */
template <int N, int TERMS>
static __device__ inline void
add_ray (const TlCudaFourierGatherArgs &a, int ray, int u, int v, float half,
         Values<N> &sum)
{
  const TlCudaFourierRay r = a.rays[ray];
  const float across = (float)(v * r.cosine - u * r.sine);
  const float chord = half * half - across * across;

  if (chord <= 0.0f)
    return;

  const double signed_along = (u * r.cosine + v * r.sine) * r.inverse_step;
  const double along = fabs (signed_along);
  const float side = signed_along < 0.0 ? -1.0f : 1.0f;
  const int nearest = __double2int_rn (along);
  const float rest = (float)(along - nearest);
  const float reach = sqrtf (chord) * r.inverse_step;
  const int first = max (nearest + (int)ceilf (rest - reach), -(int)a.last);
  const int last = min (nearest + (int)floorf (rest + reach), (int)a.last);
  /* Distances in units in which the kernel's variable is their square less 1.
   */
  const float unit = 1.41421356f / half;
  const float step = r.step * unit;
  const float offset = across * unit * (across * unit) - 1.0f;
  const Values<N> *points = reinterpret_cast<const Values<N> *> (a.points)
                            + (size_t)ray * (a.last + 1);
  float d = ((float)(first - nearest) - rest) * step;
  int k = first;

  for (; k <= last; k++, d += step)
    {
      /* read before the weight is computed, which takes as long */
      const Values<N> point = points[abs (k)];
      const float weight = find_weight<TERMS> (a.kernel, fmaf (d, d, offset));

      add_point (sum, point, weight, k < 0 ? -side * weight : side * weight);
    }
}

/* The cell (u, v), which stands for those a whole grid further too: of the
 * points around it, those of every @stride-th ray from @start on. */
template <int N, int TERMS>
static __device__ inline Values<N>
gather (const TlCudaFourierGatherArgs &a, int u, int v, int start, int stride)
{
  const int nu = (int)a.nu, nv = (int)a.nv, n_rays = (int)a.n_rays;
  const int width = a.kernel.width;
  const float half = 0.5f * (float)width, limit = a.reach + half;
  const int n_across = 2 * u + width >= nu ? 2 : 1;
  const int n_down = 2 * abs (v) + width >= nv ? 2 : 1;
  Values<N> sum = {};

#pragma unroll 1
  for (int image = 0; image < n_across * n_down; image++)
    {
      const int x = image % n_across == 0 ? u : u - nu;
      const int y = image < n_across ? v : v < 0 ? v + nv : v - nv;

      if ((float)x * (float)x + (float)y * (float)y > limit * limit)
        continue;

      const Range range = find_rays (a, (float)x, (float)y, half);

#pragma unroll 1
      for (int i = range.first + start; i < range.end; i += stride)
        add_ray<N, TERMS> (a, i < n_rays ? i : i - n_rays, x, y, half, sum);
    }
  return sum;
}

template <int N>
static __device__ void
store (const TlCudaFourierGatherArgs &a, int u, int v, const Values<N> &sum)
{
  const size_t n_cells = (a.nu / 2 + 1) * a.nv;
  const size_t cell = (size_t)u * a.nv + (v < 0 ? v + (int)a.nv : v);

#pragma unroll
  for (int n = 0; n < N; n++)
    reinterpret_cast<float2 *> (a.grid)[n * n_cells + cell] = sum.of[n];
}

/* A warp has 4 x 8 cells, a block 16 x 16. */
template <int N, int TERMS>
static __global__ void
__launch_bounds__ (N_THREADS)
    outer_kernel (const TlCudaFourierGatherArgs a, int inner)
{
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int u = blockIdx.y * 16 + warp / 2 * 4 + lane / 8;
  const int v = blockIdx.x * 16 + warp % 2 * 8 + lane % 8 - (int)a.nv / 2;

  if (u > (int)a.nu / 2 || v >= (int)a.nv - (int)a.nv / 2
      || u * u + v * v < inner * inner)
    return;
  store (a, u, v, gather<N, TERMS> (a, u, v, 0, 1));
}

/* A warp has one cell of the half disc of radius @inner. */
template <int N, int TERMS>
static __global__ void
__launch_bounds__ (N_THREADS)
    inner_kernel (const TlCudaFourierGatherArgs a, int inner)
{
  const int lane = threadIdx.x % 32;
  const int cell = blockIdx.x * (N_THREADS / 32) + threadIdx.x / 32;
  const int u = cell / (2 * inner), v = cell % (2 * inner) - inner;

  if (u >= inner || u * u + v * v >= inner * inner)
    return;

  Values<N> sum = gather<N, TERMS> (a, u, v, lane, 32);

#pragma unroll
  for (int n = 0; n < N; n++)
    for (int distance = 16; distance > 0; distance /= 2)
      {
        sum.of[n].x += __shfl_xor_sync (~0u, sum.of[n].x, distance);
        sum.of[n].y += __shfl_xor_sync (~0u, sum.of[n].y, distance);
      }
  if (lane == 0)
    store (a, u, v, sum);
}

template <int N, int TERMS>
static int
launch_gather (const TlCudaFourierGatherArgs &a, cudaStream_t stream)
{
  const float rays = (float)a.n_rays * (float)a.kernel.width;
  const int farthest = (int)(a.nu < a.nv ? a.nu : a.nv) / 2;
  const int inner = min ((int)(rays / (3.14159265f * MANY_RAYS)), farthest);
  const dim3 grid (ceil_div (a.nv, 16), ceil_div (a.nu / 2 + 1, 16));

  outer_kernel<N, TERMS><<<grid, N_THREADS, 0, stream>>> (a, inner);
  if (inner > 0)
    inner_kernel<N, TERMS>
        <<<ceil_div ((size_t)inner * 2 * inner, N_THREADS / 32), N_THREADS, 0,
           stream>>> (a, inner);
  return cudaGetLastError ();
}

template <int N>
static int
launch_width (const TlCudaFourierGatherArgs &a, cudaStream_t stream)
{
  return a.kernel.width == TL_CUDA_FOURIER_NARROW
             ? launch_gather<N, TL_CUDA_FOURIER_FEWER_TERMS> (a, stream)
             : launch_gather<N, TL_CUDA_FOURIER_TERMS> (a, stream);
}

extern "C" int
tl_cuda_fourier_gather (const TlCudaFourierGatherArgs *a, cudaStream_t stream)
{
  switch (a->n_slices)
    {
    case 1:
      return launch_width<1> (*a, stream);
    case 4:
      return launch_width<4> (*a, stream);
    default:
      return cudaErrorInvalidValue;
    }
}

/* --- the picture --- */

constexpr int TILE = 32;

/* Where the transform, of @length values, has pixel @i of @n. */
static __device__ unsigned
find_pixel (unsigned i, size_t n, size_t finer, size_t length)
{
  const int at = ((int)i - (int)(n / 2)) * (int)finer;

  return at < 0 ? at + (int)length : at;
}

static __global__ void
__launch_bounds__ (N_THREADS)
    transpose_kernel (const TlCudaFourierPictureArgs a)
{
  __shared__ float2 tile[TILE][TILE + 1];
  const size_t n_half = a.nu / 2 + 1;
  const size_t first_u = (size_t)blockIdx.x * TILE;
  const size_t first_row = (size_t)blockIdx.y * TILE;
  const unsigned across = threadIdx.x % TILE, down = threadIdx.x / TILE;
  const float2 *grid =
      reinterpret_cast<const float2 *> (a.grid) + blockIdx.z * n_half * a.nv;

  for (unsigned i = down; i < TILE; i += N_THREADS / TILE)
    if (first_u + i < n_half && first_row + across < a.ny)
      tile[i][across] =
          grid[(first_u + i) * a.nv
               + find_pixel (first_row + across, a.ny, a.finer, a.nv)];
  __syncthreads ();
  for (unsigned i = down; i < TILE; i += N_THREADS / TILE)
    if (first_row + i < a.ny && first_u + across < n_half)
      reinterpret_cast<float2 *> (a.rows
                                  + (blockIdx.z * a.ny + first_row + i)
                                        * a.row_floats)[first_u + across] =
          tile[across][i];
}

extern "C" int
tl_cuda_fourier_transpose (const TlCudaFourierPictureArgs *a,
                           cudaStream_t stream)
{
  const dim3 grid (ceil_div (a->nu / 2 + 1, TILE), ceil_div (a->ny, TILE),
                   (unsigned)a->n_slices);

  transpose_kernel<<<grid, N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

static __global__ void
__launch_bounds__ (N_THREADS) crop_kernel (const TlCudaFourierPictureArgs a)
{
  const size_t col = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t row = blockIdx.y;

  if (col >= a.nx)
    return;

  const float x =
      ((float)col - (float)(a.nx / 2)) * (float)a.finer / (float)a.nu;
  const float y =
      ((float)row - (float)(a.ny / 2)) * (float)a.finer / (float)a.nv;
  const float z = 16.0f * (x * x + y * y) - 1.0f;
  const size_t line = blockIdx.z * a.ny + row;
  float scale = a.kernel.scales[0];

#pragma unroll
  for (int term = 1; term < TL_CUDA_FOURIER_TERMS; term++)
    scale = fmaf (scale, z, a.kernel.scales[term]);
  a.pixels[line * a.nx + col] =
      scale
      * a.rows[line * a.row_floats + find_pixel (col, a.nx, a.finer, a.nu)];
}

extern "C" int
tl_cuda_fourier_crop (const TlCudaFourierPictureArgs *a, cudaStream_t stream)
{
  const dim3 grid (ceil_div (a->nx, N_THREADS), (unsigned)a->ny,
                   (unsigned)a->n_slices);

  crop_kernel<<<grid, N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}
