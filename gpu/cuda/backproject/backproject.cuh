/* Back-projection by texture fetches, pixel by pixel: the standard kernel, and
 * the texture variants and coarse grids that quads.cuh has nothing for. The
 * cores interpolate.
 *
 *   f(x, y) = sum over p of q_p (h),   h = axis_col + x cos t_p + y sin t_p
 *
 * x = x0 + col * pitch, y = y0 - row * pitch; p a ray, that is a projection, or
 * what a fold makes of some (gpu/stages/fold.h); q_p the filtered row times
 * its angular weight, 0 outside; CUDA array [ray][texel], layout.h; pixels
 * [slice][row][col].
 *
 * h in single precision is good to 1e-4 columns of 2048, where weights want
 * some 1e-6. So a block computes h of the middle of its tile in double
 * precision, for N_THREADS rays at a time, one in each thread, and keeps it in
 * shared memory as whole columns and a rest; a pixel adds its small distance
 * from the middle to the rest in single precision. It is a broadcast to all
 * threads of a warp, as constant memory would be, but belongs to the launch:
 * engines in other streams have their own.
 *
 * A Map says which pixels are a thread's:
 *   WIDTH, HEIGHT  of a block's tile      N_THREADS   of a block
 *   N_BLOCKS       resident at least      N_UNROLLED  rays at once
 *   N_PIXELS       of a thread
 *   place (t)      the first one of thread t, in the tile
 *   offset (j)     of its pixel j from that
 *   N_GROUPS       of threads that share the tile's rays; group (t)
 *   Joined         of several groups: the Map once their sums are joined
 *   IN_PAIRS       of kernels that read cells: alu.cuh; these have N_BLOCKS of
 *                  their own
 *   FetchMap       the Map of the same tile for fetches, of IN_PAIRS
 */
#pragma once

#include "gpu/cuda/backproject/backproject.h"

#include "gpu/cuda/device.cuh"
#include "gpu/cuda/backproject/half.cuh"

enum Interpolation
{
  NEAREST,
  LINEAR,
  OVERSAMPLED,
  CUBIC
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

/* In half precision one or two slices would gain nothing. */
static __host__ __device__ constexpr TlCudaLayout
layout_of (Precision precision, int n_slices)
{
  return n_slices == 4
             ? precision == FAST ? TL_CUDA_LAYOUT_HALF4 : TL_CUDA_LAYOUT_FLOAT4
         : n_slices == 2 ? TL_CUDA_LAYOUT_FLOAT2
                         : TL_CUDA_LAYOUT_FLOAT;
}

/* Adds the B-spline at x + w, x a texel's. */
template <int N_SLICES>
static __device__ inline void
add_spline (float (&sums)[N_SLICES], cudaTextureObject_t texture, float x,
            float w, float y)
{
  const float rest = 1.0f - w, w2 = w * w, rest2 = rest * rest;

  add (sums, fetch<N_SLICES> (texture, x - 1.0f, y),
       rest2 * rest * (1.0f / 6.0f));
  add (sums, fetch<N_SLICES> (texture, x, y),
       fmaf (w2, fmaf (0.5f, w, -1.0f), 2.0f / 3.0f));
  add (sums, fetch<N_SLICES> (texture, x + 1.0f, y),
       fmaf (rest2, fmaf (0.5f, rest, -1.0f), 2.0f / 3.0f));
  add (sums, fetch<N_SLICES> (texture, x + 2.0f, y), w2 * w * (1.0f / 6.0f));
}

/* Adds the value at whole + rest, whole a whole number; y: of the ray in the
 * texture, of LAYOUT. */
template <Interpolation INTERPOLATION, TlCudaLayout LAYOUT, int N_SLICES>
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

      if constexpr (INTERPOLATION == CUBIC)
        add_spline (sums, texture, x, weight, y);
      else if constexpr (LAYOUT == TL_CUDA_LAYOUT_PAIR)
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

/* An angle, as one tile sees it: the middle's h is whole + rest; it grows by
 * right to the next column of the slice and by down to the next row. */
struct Ray
{
  float whole, rest, right, down;
};

/* Of the whole grid, that is blocks. */
template <class Map>
static __host__ __device__ inline unsigned
count_tiles (const TlCudaBackprojectArgs &a)
{
  return ceil_div (a.nx, Map::WIDTH) * ceil_div (a.ny, Map::HEIGHT);
}

/* What a block does in one go: a tile, in tiles, and some of the rays. */
struct Job
{
  Place tile;
  size_t first_ray, n_rays;
};

/* The jobs are the tiles, numbered row by row, with the first of n_parts equal
 * shares of the rays, then all with the second and so on. They go along grid x:
 * the grid's y would end a slice of one column at 65535 tiles. */
template <class Map>
static __device__ inline Job
find_job (const TlCudaBackprojectArgs &a, unsigned number)
{
  const unsigned n_tiles = count_tiles<Map> (a);
  const unsigned n_across = ceil_div (a.nx, Map::WIDTH);
  const unsigned tile = number % n_tiles, part = number / n_tiles;
  const size_t first = a.n_rays * part / a.n_parts;

  return { { (int)(tile % n_across), (int)(tile / n_across) },
           first,
           a.n_rays * (part + 1) / a.n_parts - first };
}

template <class Map>
static __device__ inline Ray
make_ray (const TlCudaBackprojectArgs &a, const Place &tile, size_t number)
{
  const double x =
      a.x0 + ((double)tile.col * Map::WIDTH + Map::WIDTH / 2) * a.pitch;
  const double y =
      a.y0 - ((double)tile.row * Map::HEIGHT + Map::HEIGHT / 2) * a.pitch;
  const double2 ray = reinterpret_cast<const double2 *> (a.rays)[number];
  const double h = a.axis_col + x * ray.x + y * ray.y;
  const double whole = floor (h);

  return { (float)whole, (float)(h - whole), (float)(a.pitch * ray.x),
           (float)(-a.pitch * ray.y) };
}

/* The whole number below, or nearest. Floats of the size of 1.5 * 2^23 are
 * whole numbers, |h| < 2^22. These are additions, of which a multiprocessor
 * makes many times as many as conversions. */
static __device__ inline float
round_down (float h)
{
  constexpr float MAGIC = 1.5f * (1 << 23);

  return __fadd_rd (h, MAGIC) - MAGIC;
}

static __device__ inline float
round_near (float h)
{
  constexpr float MAGIC = 1.5f * (1 << 23);

  return __fadd_rn (h, MAGIC) - MAGIC;
}

/* Where component s of a texel belongs: a picture's pixel, numbered through, is
 * first + col * right + row * down when A of a fold is at (row, col). B and D
 * are quarter turns of a square, C is half a turn. */
struct Target
{
  ptrdiff_t first, right, down;
};

static __device__ inline Target
find_target (const TlCudaBackprojectArgs &a, int s)
{
  const ptrdiff_t width = a.whole_nx, last = a.whole_ny * a.whole_nx - 1;

  if (a.n_folded == 0)
    return { (ptrdiff_t)(s * a.ny * a.nx), 1, (ptrdiff_t)a.nx };
  if (s == 0)
    return { 0, 1, width };
  if (a.n_folded == 4 && s % 2 == 1)
    return s == 1 ? Target{ last - (width - 1), -width, 1 }
                  : Target{ width - 1, width, -1 };
  return { last, -1, -width };
}

/* Of the pixels that a fold makes twice, for a number of rows or columns is
 * odd, only one is kept. */
static __device__ inline bool
is_kept (const TlCudaBackprojectArgs &a, int s, size_t row, size_t col)
{
  return a.n_folded == 0 || 2 * row + 1 != a.whole_ny
         || (s == 0 && (a.n_folded == 2 || 2 * col + 1 == a.whole_nx));
}

/* unit: what a texel's 1 stands for. Where two blocks share the rays, each adds
 * its part to what was 0: in either order that is the same number. */
template <class Map, int N_SLICES>
static __device__ inline void
store (const TlCudaBackprojectArgs &a, const Place &tile, const Place &place,
       const float (&sums)[Map::N_PIXELS][N_SLICES], float unit)
{
  const int n = max (a.n_slices, a.n_folded);
  const size_t first_col = (size_t)tile.col * Map::WIDTH + place.col;
  const size_t first_row = (size_t)tile.row * Map::HEIGHT + place.row;

#pragma unroll
  for (int s = 0; s < N_SLICES; s++)
    {
      if (s >= n)
        break;
      const Target target = find_target (a, s);
      float *first = a.pixels + target.first + first_col * target.right
                     + first_row * target.down;

#pragma unroll
      for (int j = 0; j < Map::N_PIXELS; j++)
        {
          const Place offset = Map::offset (j);
          const size_t col = first_col + offset.col;
          const size_t row = first_row + offset.row;
          float *pixel =
              first + offset.col * target.right + offset.row * target.down;

          if (col >= a.nx || row >= a.ny || !is_kept (a, s, row, col))
            continue;
          if (a.n_parts > 1)
            atomicAdd (pixel, sums[j][s] * unit);
          else
            *pixel = sums[j][s] * unit;
        }
    }
}

/* A thread's first pixel, from the tile's middle. */
struct Position
{
  float col, row;
};

template <class Map>
static __device__ inline Position
find_position (const Place &place)
{
  return { (float)(place.col - Map::WIDTH / 2),
           (float)(place.row - Map::HEIGHT / 2) };
}

/* Of the first pixel, relative to the middle's whole column. */
static __device__ inline float
find_rest (const Position &position, const Ray &ray)
{
  return fmaf (position.col, ray.right,
               fmaf (position.row, ray.down, ray.rest));
}

/* From pixel 0 to pixel j. Offsets that are 0 cost nothing, j being known. */
template <class Map, class Steps>
static __device__ inline float
move (float first, const Steps &steps, int j)
{
  const Place offset = Map::offset (j);
  const float below =
      offset.row == 0 ? first : fmaf ((float)offset.row, steps.down, first);

  return offset.col == 0 ? below : fmaf ((float)offset.col, steps.right, below);
}

/* All threads of the block call it: the rays from first on. */
template <class Map>
static __device__ inline void
make_rays (const TlCudaBackprojectArgs &a, const Job &job, size_t first,
           Ray (&rays)[Map::N_THREADS])
{
  const size_t p = first + threadIdx.x;

  __syncthreads ();
  /* what comes after the last one is outside the row */
  rays[threadIdx.x] = p < job.n_rays
                          ? make_ray<Map> (a, job.tile, job.first_ray + p)
                          : Ray{ -1e6f, 0.0f, 0.0f, 0.0f };
  __syncthreads ();
}

/* All threads of the block call it. */
template <class Map, Interpolation INTERPOLATION, TlCudaLayout LAYOUT,
          int N_SLICES>
static __device__ inline void
sum_texels (const TlCudaBackprojectArgs &a, const Job &job, const Place &place,
            Ray (&rays)[Map::N_THREADS], float (&sums)[Map::N_PIXELS][N_SLICES])
{
  /* four slices have enough fetches on their way, and few registers to spare */
  constexpr int N = N_SLICES < 4 ? Map::N_UNROLLED : 1;
  constexpr int STEP = Map::N_GROUPS;
  const Position position = find_position<Map> (place);
  const int group = Map::group (threadIdx.x);

  for (size_t first = 0; first < job.n_rays; first += Map::N_THREADS)
    {
      float y = to_texture ((float)(job.first_ray + first) + (float)group);
      const int n = (int)min (job.n_rays - first, (size_t)Map::N_THREADS);

      make_rays<Map> (a, job, first, rays);
#pragma unroll N
      for (int p = group; p < n; p += STEP, y += STEP)
        {
          const Ray ray = rays[p];
          const float rest = find_rest (position, ray);

#pragma unroll
          for (int j = 0; j < Map::N_PIXELS; j++)
            add_value<INTERPOLATION, LAYOUT> (sums[j], a.texture, ray.whole,
                                              move<Map> (rest, ray, j), y);
        }
    }
}

/* Adds up what the groups have of each pixel; group g gets the pixels g. There
 * are as many groups as pixels of a thread. All threads of the block call it.
 */
template <class Map, int N_SLICES>
static __device__ inline void
join_groups (const float (&sums)[Map::N_PIXELS][N_SLICES],
             Ray (&rays)[Map::N_THREADS], float (&joined)[N_SLICES])
{
  constexpr int N = Map::N_GROUPS, N_IN_GROUP = Map::N_THREADS / N;
  float *parts = reinterpret_cast<float *> (rays); /* [pixel][thread] */
  const int group = Map::group (threadIdx.x);

  static_assert (N == Map::N_PIXELS && N * sizeof (float) <= sizeof (Ray),
                 "the rays' memory is room enough");
#pragma unroll
  for (int s = 0; s < N_SLICES; s++)
    {
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < N; j++)
        parts[j * Map::N_THREADS + threadIdx.x] = sums[j][s];
      __syncthreads ();
      joined[s] = 0.0f;
#pragma unroll
      for (int g = 0; g < N; g++)
        joined[s] += parts[group * Map::N_THREADS + g * N_IN_GROUP
                           + threadIdx.x % N_IN_GROUP];
    }
}

/* The sums of a block that has them all in registers, those of all groups. */
template <class Map, TlCudaLayout LAYOUT, int N_SLICES>
static __device__ inline void
store_groups (const TlCudaBackprojectArgs &a, const Job &job,
              const Place &place, Ray (&rays)[Map::N_THREADS],
              const float (&sums)[Map::N_PIXELS][N_SLICES])
{
  const float unit =
      LAYOUT == TL_CUDA_LAYOUT_HALF4 ? half_unit (*a.peak) : 1.0f;

  if constexpr (Map::N_GROUPS == 1)
    store<Map, N_SLICES> (a, job.tile, place, sums, unit);
  else
    {
      typedef typename Map::Joined Joined;
      float joined[1][N_SLICES];

      join_groups<Map> (sums, rays, joined[0]);
      store<Joined, N_SLICES> (a, job.tile, Joined::place (threadIdx.x), joined,
                               unit);
    }
}

template <class Map, Interpolation INTERPOLATION, TlCudaLayout LAYOUT,
          int N_SLICES>
static __global__ void
__launch_bounds__ (Map::N_THREADS, Map::N_BLOCKS)
    backproject_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ Ray rays[Map::N_THREADS];
  const Place place = Map::place (threadIdx.x);
  const Job job = find_job<Map> (a, blockIdx.x);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  sum_texels<Map, INTERPOLATION, LAYOUT> (a, job, place, rays, sums);
  store_groups<Map, LAYOUT> (a, job, place, rays, sums);
}

template <class Map, Interpolation INTERPOLATION, TlCudaLayout LAYOUT,
          int N_SLICES>
static int
launch (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  backproject_kernel<Map, INTERPOLATION, LAYOUT, N_SLICES>
      <<<count_tiles<Map> (*a), Map::N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}
