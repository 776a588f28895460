/* Back-projection out of shared memory, after Chilingaryan et al., "Balancing
 * load of GPU subsystems to accelerate image reconstruction in parallel beam
 * tomography", section on the ALU-based kernel. Formula and symbols:
 * backproject.cuh; cells are the texels of layout.h in plain memory,
 * [projection][texel].
 *
 * A tile sees few columns of a projection: those within
 *
 *   reach = (WIDTH |cos t| + HEIGHT |sin t|) / 2 * pitch
 *
 * of its middle's. A block copies them for N_GROUP projections at a time, and
 * those of the next group while it adds up this one's, where the device can
 * copy in the background. The middle's column is always cell N_CELLS / 2 of a
 * segment, so that a pixel's cell is found from its h relative to the middle
 * and a constant. Where a segment is too short, which is so for a coarse grid,
 * direct_kernel reads the same cells from device memory.
 *
 * Whole part and fraction of h come from adding 1.5 * 2^23, rounding down, and
 * subtracting it again: floats of that size are whole numbers. These are
 * additions, of which a multiprocessor makes many times as many as conversions.
 */
#pragma once

#include "gpu/cuda/backproject.cuh"
#include "gpu/cuda/cells.cuh"
#include "gpu/cuda/square-map.cuh"

#include <cuda_pipeline.h>

/* --- coordinates --- */

/* h = whole + weight, |h| < 2^22 */
struct Column
{
  float whole, weight;
};

static __device__ inline Column
split (float h)
{
  constexpr float MAGIC = 1.5f * (1 << 23);
  const float whole = __fadd_rd (h, MAGIC) - MAGIC;

  return { whole, h - whole };
}

/* Where a thread's pixels lie in a projection, relative to the middle's whole
 * column: pixel j at first + j * step; nearest has the half added that its
 * rounding wants. */
struct Line
{
  float first, step;
};

template <Interpolation INTERPOLATION>
static __device__ inline Line
find_line (const Position &position, const Ray &ray)
{
  const float rest = INTERPOLATION == NEAREST ? ray.rest + 0.5f : ray.rest;

  return { fmaf (position.dx, ray.cosine, fmaf (position.dy, ray.sine, rest)),
           position.row_step * ray.sine };
}

static __device__ inline float
get_col (const Line &line, int j)
{
  return j > 0 ? fmaf ((float)j, line.step, line.first) : line.first;
}

/* The ray's whole column as an integer that a segment can be added to. */
static __device__ inline int
whole_col (const Ray &ray)
{
  return (int)fminf (fmaxf (ray.whole, -1e9f), 1e9f);
}

/* --- with segments in shared memory --- */

/* Shared memory's addresses as floats: the bits of a float below 2^-126 are a
 * whole number of 2^-149, so that one multiplication and addition of floats,
 * exact, makes an address. Integers take the same instruction slots, but there
 * are half as many units for them. */
static __device__ inline float
to_address (const void *shared)
{
  return __uint_as_float ((unsigned)__cvta_generic_to_shared (shared));
}

template <class Type>
static __device__ inline const Type *
find_cell (float first, float index)
{
  constexpr float STEP = sizeof (Type) * 0x1p-149f;
  const unsigned address = __float_as_uint (fmaf (index, STEP, first));

  return static_cast<const Type *> (__cvta_shared_to_generic (address));
}

/* MAP: square-map.cuh; the segments of N_GROUP projections have N_CELLS cells;
 * N_SUMMED of them are added to one pixel before the next one's turn;
 * N_BLOCKS blocks shall be resident. */
template <class MAP, int CELLS, int GROUP, int SUMMED, int BLOCKS>
struct AluShape
{
  typedef MAP Map;
  static constexpr int N_CELLS = CELLS, N_GROUP = GROUP, N_SUMMED = SUMMED;
  static constexpr int N_BLOCKS = BLOCKS;
  /* of the ring; one half is made while the other one is used */
  static constexpr int N_RAYS = 128;

  static_assert (N_RAYS / 2 % GROUP == 0, "half a ring ends with a group");
  static_assert (GROUP % SUMMED == 0 && GROUP <= N_HALF_SUMMANDS,
                 "a group is some sums");
};

/* Beyond the reach a segment has: a column for the fraction of the middle's h,
 * one for the next cell, one for rounding. */
constexpr int N_SPARE_CELLS = 3;

/* Which texels a segment holds: those from middle - extent to middle + extent.
 */
struct Extent
{
  int middle, extent;
};

template <class Shape, class Cell> struct AluShared
{
  typename Cell::Type cells[2][Shape::N_GROUP][Shape::N_CELLS];
  Ray rays[Shape::N_RAYS];
  Extent extents[Shape::N_RAYS];
};

template <class Map, class Cell>
static __device__ inline Extent
find_extent (const TlCudaBackprojectArgs &a, const Ray &ray)
{
  const float reach = (float)a.pitch
                      * fmaf (Map::WIDTH / 2, fabsf (ray.cosine),
                              Map::HEIGHT / 2 * fabsf (ray.sine));

  return { whole_col (ray) + Cell::N_BEFORE, (int)reach + N_SPARE_CELLS };
}

/* Of projections that do not exist, all is outside the row. */
template <class Shape, class Cell>
static __device__ inline void
make_rays (const TlCudaBackprojectArgs &a, AluShared<Shape, Cell> &shared,
           size_t first)
{
  const size_t p = first + threadIdx.x, i = p % Shape::N_RAYS;

  if (threadIdx.x >= Shape::N_RAYS / 2)
    return;
  if (p < a.n_projections)
    {
      shared.rays[i] = make_ray<typename Shape::Map> (a, p);
      shared.extents[i] =
          find_extent<typename Shape::Map, Cell> (a, shared.rays[i]);
    }
  else
    {
      shared.rays[i] = { 0.0f, 0.0f, 0.0f, 0.0f };
      shared.extents[i] = { -Shape::N_CELLS, N_SPARE_CELLS };
    }
}

/* Begins to copy a group of segments, one by each warp; what lies outside the
 * row becomes 0. */
template <class Shape, class Cell>
static __device__ inline void
copy_group (const TlCudaBackprojectArgs &a, AluShared<Shape, Cell> &shared,
            size_t first)
{
  typedef typename Cell::Type Type;
  constexpr int WARP = 32, N_WARPS = Shape::Map::N_THREADS / WARP;
  const unsigned n_texels = (unsigned)a.n_cols + Cell::N_BEFORE;
  const int lane = threadIdx.x % WARP;

#pragma unroll 1
  for (int q = threadIdx.x / WARP; q < Shape::N_GROUP; q += N_WARPS)
    {
      const size_t p = first + q;
      const Extent extent = shared.extents[p % Shape::N_RAYS];
      const int begin = lane - extent.extent;
      const unsigned texel = (unsigned)(extent.middle + begin);
      const Type *from =
          static_cast<const Type *> (a.cells) + p * n_texels + (int)texel;
      Type *to = &shared.cells[first / Shape::N_GROUP % 2][q]
                              [Shape::N_CELLS / 2 + begin];

#pragma unroll
      for (int k = 0; k < Shape::N_CELLS; k += WARP)
        {
          /* where nothing is read the address does not matter */
          if (begin + k <= extent.extent)
            __pipeline_memcpy_async (to + k, from + k, sizeof (Type),
                                     texel + k < n_texels ? 0 : sizeof (Type));
        }
    }
  __pipeline_commit ();
}

/* Adds projections i and, if it is two, i + 1 to pixel j. */
template <int N_CELLS, class Cell, int N_AT_ONCE, int N_LINES>
static __device__ inline void
add_cells (typename Cell::Part &part, float middle,
           const Line (&lines)[N_LINES], int i, int j)
{
  typedef typename Cell::Type Type;
  const Type *cells[2];
  float fractions[2] = {};
  typename Cell::Weight weights[2];

#pragma unroll
  for (int k = 0; k < N_AT_ONCE; k++)
    {
      const Column column = split (get_col (lines[i + k], j));

      cells[k] = find_cell<Type> (middle, column.whole) + (i + k) * N_CELLS;
      fractions[k] = column.weight;
    }
  Cell::convert (weights, fractions);
#pragma unroll
  for (int k = 0; k < N_AT_ONCE; k++)
    {
      /* as a whole: by its parts it would take as many loads */
      const Type value = cells[k][0], next = cells[k][Cell::READS_NEXT];

      Cell::add (part, value, next, weights[k]);
    }
}

template <class Shape, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static __device__ inline void
add_group (const Position &position, const AluShared<Shape, Cell> &shared,
           size_t first, float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
  constexpr int N = Shape::N_SUMMED, N_AT_ONCE = N % 2 == 0 ? 2 : 1;
  typename Cell::Part parts[Shape::Map::N_PIXELS];

#pragma unroll
  for (int j = 0; j < Shape::Map::N_PIXELS; j++)
    parts[j] = Cell::begin (sums[j]);
#pragma unroll 1
  for (int q = 0; q < Shape::N_GROUP; q += N)
    {
      const Ray *rays = &shared.rays[(first + q) % Shape::N_RAYS];
      const float middle = to_address (
          &shared.cells[first / Shape::N_GROUP % 2][q][Shape::N_CELLS / 2]);
      Line lines[N];

#pragma unroll
      for (int i = 0; i < N; i++)
        lines[i] = find_line<INTERPOLATION> (position, rays[i]);
#pragma unroll
      for (int j = 0; j < Shape::Map::N_PIXELS; j++)
#pragma unroll
        for (int i = 0; i < N; i += N_AT_ONCE)
          add_cells<Shape::N_CELLS, Cell, N_AT_ONCE> (parts[j], middle, lines,
                                                      i, j);
    }
#pragma unroll
  for (int j = 0; j < Shape::Map::N_PIXELS; j++)
    Cell::end (sums[j], parts[j]);
}

/* All threads of the block call it. */
template <class Shape, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static __device__ inline void
sum_cells (const TlCudaBackprojectArgs &a, const Place &place,
           AluShared<Shape, Cell> &shared,
           float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
  constexpr size_t N_HALF = Shape::N_RAYS / 2;
  const Position position = find_position<typename Shape::Map> (a, place);

  make_rays<Shape, Cell> (a, shared, 0);
  __syncthreads ();
  copy_group<Shape, Cell> (a, shared, 0);
  for (size_t first = 0; first < a.n_projections; first += Shape::N_GROUP)
    {
      __pipeline_wait_prior (0);
      /* this group is there for all threads, and none is at the one before,
       * in whose place the next one comes */
      __syncthreads ();
      if (first % N_HALF == 0)
        make_rays<Shape, Cell> (a, shared, first + N_HALF);
      if (first + Shape::N_GROUP < a.n_projections)
        copy_group<Shape, Cell> (a, shared, first + Shape::N_GROUP);
      add_group<Shape, INTERPOLATION, Cell> (position, shared, first, sums);
    }
}

/* Whether the segments are long enough for the grid. */
template <class Shape>
static bool
fits (const TlCudaBackprojectArgs *a)
{
  const double width = Shape::Map::WIDTH / 2, height = Shape::Map::HEIGHT / 2;

  return sqrt (width * width + height * height) * a->pitch
         <= Shape::N_CELLS / 2 - N_SPARE_CELLS - 1;
}
