/* Back-projection by texture fetches: the kernel that all texture variants are
 * instances of.
 *
 *   f(x, y) = sum over p of q_p (h),   h = axis_col + x cos t_p + y sin t_p
 *
 * x = x0 + col * pitch, y = y0 - row * pitch; q_p the filtered row times its
 * angular weight, 0 outside; CUDA array [projection][texel], layout.h; pixels
 * [slice][row][col].
 *
 * h in single precision is good to 1e-4 columns of 2048. That does for the
 * texture unit's own interpolation, whose weights have 8 fractional bits, but
 * not for others, which want some 1e-6. So a block computes h of the middle of
 * its tile in double precision, for N_THREADS projections at a time, one in
 * each thread, and keeps it in shared memory as whole columns and a rest; a
 * pixel adds its small distance from the middle to the rest in single
 * precision. It is a broadcast to all threads of a warp, as constant memory
 * would be, but belongs to the launch: engines in other streams have their own.
 *
 * A Map says which pixels are a thread's:
 *   WIDTH, HEIGHT  of a block's tile      N_THREADS   of a block
 *   N_BLOCKS       resident at least      N_UNROLLED  projections
 *   N_PIXELS       of a thread, ROW_STEP rows apart
 *   place (t)      the first one of thread t, in the tile
 */
#pragma once

#include "gpu/cuda/backproject.h"

#include "gpu/cuda/device.cuh"
#include "gpu/cuda/half.cuh"

enum Interpolation
{
  NEAREST,
  LINEAR
};

enum Precision
{
  FULL,
  FAST
};

struct Place
{
  int col, row;
};

/* --- texels --- */

static __host__ __device__ constexpr TlCudaLayout
layout_of (Interpolation interpolation, Precision precision, int n_slices)
{
  return n_slices == 4
             ? precision == FAST ? TL_CUDA_LAYOUT_HALF4 : TL_CUDA_LAYOUT_FLOAT4
         : n_slices == 2                                ? TL_CUDA_LAYOUT_FLOAT2
         : interpolation == LINEAR && precision == FULL ? TL_CUDA_LAYOUT_PAIR
                                                        : TL_CUDA_LAYOUT_FLOAT;
}

/* Whether the texture unit interpolates. */
static __host__ __device__ constexpr bool
interpolates (Interpolation interpolation, Precision precision)
{
  return interpolation == LINEAR && precision == FAST;
}

/* Adds the value at whole + rest, whole a whole number, by texels as they are;
 * y: of the projection in the texture. */
template <Interpolation INTERPOLATION, Precision PRECISION, int N_SLICES>
static __device__ inline void
add_value (float (&sums)[N_SLICES], cudaTextureObject_t texture, float whole,
           float rest, float y)
{
  if constexpr (INTERPOLATION == NEAREST)
    {
      const float col = whole + floorf (rest + 0.5f);

      add (sums, fetch<N_SLICES> (texture, to_texture (col), y), 1.0f);
    }
  else
    {
      const float down = floorf (rest), weight = rest - down;
      const float x = to_texture (whole + down);

      if constexpr (N_SLICES == 1)
        {
          /* the pair of column k is texel k + 1 */
          const float2 pair = fetch<2> (texture, x + 1.0f, y);

          sums[0] += fmaf (weight, pair.y, pair.x);
        }
      else
        {
          add (sums, fetch<N_SLICES> (texture, x, y), 1.0f - weight);
          add (sums, fetch<N_SLICES> (texture, x + 1.0f, y), weight);
        }
    }
}

/* --- the kernel --- */

/* Of one projection and one tile: the middle's h is whole + rest. */
struct Ray
{
  float whole, rest, cosine, sine;
};

/* Of the whole grid, that is blocks. */
template <class Map>
static __host__ __device__ inline unsigned
count_tiles (const TlCudaBackprojectArgs &a)
{
  return ceil_div (a.nx, Map::WIDTH) * ceil_div (a.ny, Map::HEIGHT);
}

/* The block's tile, in tiles. They are numbered row by row along grid x: the
 * grid's y would end a slice of one column at 65535 tiles. */
template <class Map>
static __device__ inline Place
place_tile (const TlCudaBackprojectArgs &a)
{
  const unsigned n_across = ceil_div (a.nx, Map::WIDTH);

  return { (int)(blockIdx.x % n_across), (int)(blockIdx.x / n_across) };
}

template <class Map>
static __device__ inline Ray
make_ray (const TlCudaBackprojectArgs &a, size_t projection)
{
  const Place tile = place_tile<Map> (a);
  const double x =
      a.x0 + ((double)tile.col * Map::WIDTH + Map::WIDTH / 2) * a.pitch;
  const double y =
      a.y0 - ((double)tile.row * Map::HEIGHT + Map::HEIGHT / 2) * a.pitch;
  const double2 ray = reinterpret_cast<const double2 *> (a.rays)[projection];
  const double h = a.axis_col + x * ray.x + y * ray.y;
  const double whole = floor (h);

  return { (float)whole, (float)(h - whole), (float)ray.x, (float)ray.y };
}

/* unit: what a texel's 1 stands for */
template <class Map, int N_SLICES>
static __device__ inline void
store (const TlCudaBackprojectArgs &a, const Place &place,
       const float (&sums)[Map::N_PIXELS][N_SLICES], float unit)
{
  const Place tile = place_tile<Map> (a);
  const size_t col = (size_t)tile.col * Map::WIDTH + place.col;

#pragma unroll
  for (int j = 0; j < Map::N_PIXELS; j++)
    {
      const size_t row =
          (size_t)tile.row * Map::HEIGHT + place.row + j * Map::ROW_STEP;

      if (col >= a.nx || row >= a.ny)
        continue;
#pragma unroll
      for (int s = 0; s < N_SLICES; s++)
        {
          if (s < a.n_slices)
            a.pixels[(s * a.ny + row) * a.nx + col] = sums[j][s] * unit;
        }
    }
}

/* A thread's first pixel, from the tile's middle, and its next one from there.
 */
struct Position
{
  float dx, dy, row_step;
};

template <class Map>
static __device__ inline Position
find_position (const TlCudaBackprojectArgs &a, const Place &place)
{
  return { (float)((place.col - Map::WIDTH / 2) * a.pitch),
           (float)((Map::HEIGHT / 2 - place.row) * a.pitch),
           (float)(-Map::ROW_STEP * a.pitch) };
}

/* All threads of the block call it. */
template <class Map, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static __device__ inline void
sum_texels (const TlCudaBackprojectArgs &a, const Place &place,
            Ray (&rays)[Map::N_THREADS], float (&sums)[Map::N_PIXELS][N_SLICES])
{
  /* four slices have enough fetches on their way, and few registers to spare */
  constexpr int N_UNROLLED =
      N_SLICES == 4 && !interpolates (INTERPOLATION, PRECISION)
          ? 1
          : Map::N_UNROLLED;
  const Position position = find_position<Map> (a, place);
  float y = to_texture (0.0f);

  for (size_t first = 0; first < a.n_projections; first += Map::N_THREADS)
    {
      const int n = (int)min (a.n_projections - first, (size_t)Map::N_THREADS);

      __syncthreads ();
      if ((int)threadIdx.x < n)
        rays[threadIdx.x] = make_ray<Map> (a, first + threadIdx.x);
      __syncthreads ();

#pragma unroll N_UNROLLED
      for (int p = 0; p < n; p++)
        {
          const Ray ray = rays[p];
          const float rest = fmaf (position.dx, ray.cosine,
                                   fmaf (position.dy, ray.sine, ray.rest));
          const float step = position.row_step * ray.sine;
          /* good to 1e-4 columns, that is to a weight's last bit */
          const float x = to_texture (ray.whole + rest);

#pragma unroll
          for (int j = 0; j < Map::N_PIXELS; j++)
            {
              if constexpr (interpolates (INTERPOLATION, PRECISION))
                add (sums[j],
                     fetch<N_SLICES> (a.texture, fmaf ((float)j, step, x), y),
                     1.0f);
              else
                add_value<INTERPOLATION, PRECISION> (
                    sums[j], a.texture, ray.whole,
                    j > 0 ? fmaf ((float)j, step, rest) : rest, y);
            }
          y += 1.0f;
        }
    }
}

template <class Map, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static __global__ void
__launch_bounds__ (Map::N_THREADS, Map::N_BLOCKS)
    backproject_kernel (const TlCudaBackprojectArgs a)
{
  constexpr TlCudaLayout LAYOUT =
      layout_of (INTERPOLATION, PRECISION, N_SLICES);
  __shared__ Ray rays[Map::N_THREADS];
  const Place place = Map::place (threadIdx.x);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  sum_texels<Map, INTERPOLATION, PRECISION> (a, place, rays, sums);
  store<Map, N_SLICES> (a, place, sums,
                        LAYOUT == TL_CUDA_LAYOUT_HALF4 ? half_unit (*a.peak)
                                                       : 1.0f);
}

/* --- the variants --- */

template <class Map, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static int
launch (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  backproject_kernel<Map, INTERPOLATION, PRECISION, N_SLICES>
      <<<count_tiles<Map> (*a), Map::N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

template <class Map, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe (const char *name)
{
  return { name, layout_of (INTERPOLATION, PRECISION, N_SLICES),
           interpolates (INTERPOLATION, PRECISION), TL_CUDA_LAYOUT_NONE,
           launch<Map, INTERPOLATION, PRECISION, N_SLICES> };
}
