/* Back-projection out of shared memory, after Chilingaryan et al., "Balancing
 * load of GPU subsystems to accelerate image reconstruction in parallel beam
 * tomography", section on the ALU-based kernel. Formula and symbols:
 * backproject.cuh; cells are the texels of layout.h in plain memory,
 * [ray][part][texel].
 *
 * A tile sees few columns of a ray: those within
 *
 *   reach = (WIDTH |right| + HEIGHT |down|) / 2
 *
 * of its middle's. These are the ray's segment. A block copies the segments of
 * N_GROUP rays at a time, and those of the next group while it adds up this
 * one's, where the device can copy in the background. The middle's column is
 * always cell N_CELLS / 2 of a segment, so that a pixel's cell is found from
 * its h relative to the middle and a constant. Where a segment is too short,
 * which is so for a coarse grid, kernels have another way (fits()).
 *
 * A cell has all that a pixel wants, say a value and the difference to the next
 * one; or only values, of which two pixels side by side, or one below the
 * other, read three together and not two each: those are pairs, for Maps that
 * are IN_PAIRS.
 *
 * Whole part and fraction of h come from adding 1.5 * 2^23, rounding down, and
 * subtracting it again: floats of that size are whole numbers. These are
 * additions, of which a multiprocessor makes many times as many as conversions.
 */
#pragma once

#include "gpu/cuda/backproject.cuh"
#include "gpu/cuda/cells.cuh"
#include "gpu/cuda/quad-map.cuh"

#include <cuda_pipeline.h>

/* --- coordinates --- */

/* h = whole + weight, |h| < 2^22 */
struct Column
{
  float whole, weight;
};

/* For cubic h is the distance from the middles of intervals, and the nearest
 * one's is the weight. */
template <Interpolation INTERPOLATION>
static __device__ inline Column
split (float h)
{
  constexpr float MAGIC = 1.5f * (1 << 23);
  const float sum =
      INTERPOLATION == CUBIC ? __fadd_rn (h, MAGIC) : __fadd_rd (h, MAGIC);
  const float whole = sum - MAGIC;

  return { whole, h - whole };
}

/* Where a thread's first pixel lies in a ray's row, relative to the middle's
 * whole column, and the steps to the others; with the half added that rounding
 * wants, or taken off to the middle of an interval. */
struct Line
{
  float first, right, down;
};

template <Interpolation INTERPOLATION>
static __device__ inline Line
find_line (const Position &position, const Ray &ray)
{
  const float rest = find_rest (position, ray);
  const float half = INTERPOLATION == LINEAR  ? 0.0f
                     : INTERPOLATION == CUBIC ? -0.5f
                                              : 0.5f;

  return { rest + half, ray.right, ray.down };
}

template <class Map>
static __device__ inline float
get_col (const Line &line, int j)
{
  return move<Map> (line.first, line, j);
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

/* MAP: square-map.cuh or quad-map.cuh; there are segments of N_GROUP rays, of
 * N_CELLS cells each; N_SUMMED of them are added to one pixel before the next
 * one's turn, for pairs one; N_BLOCKS blocks shall be resident. */
template <class MAP, int CELLS, int GROUP, int SUMMED, int BLOCKS>
struct AluShape
{
  typedef MAP Map;
  static constexpr int N_CELLS = CELLS, N_GROUP = GROUP, N_SUMMED = SUMMED;
  static constexpr int N_BLOCKS = BLOCKS;
  static constexpr bool IN_PAIRS = MAP::IN_PAIRS;
  /* beyond the reach: a column for the fraction of the middle's h, one for the
   * next cell, one for that of a pair, one for rounding */
  static constexpr int N_SPARE_CELLS = IN_PAIRS ? 4 : 3;
  /* of the ring; one half is made while the other one is used */
  static constexpr int N_RAYS = 128;

  static_assert (N_RAYS / 2 % GROUP == 0, "half a ring ends with a group");
  static_assert (GROUP % SUMMED == 0 && GROUP <= N_HALF_SUMMANDS,
                 "a group is some sums");
  static_assert (!IN_PAIRS || SUMMED == 1, "pairs take ray by ray");
};

/* Which texels a segment holds: those from middle - extent to middle + extent.
 */
struct Extent
{
  int middle, extent;
};

template <class Shape, class Cell> struct AluShared
{
  typename Cell::Type cells[2][Shape::N_GROUP * Cell::N_PARTS][Shape::N_CELLS];
  Ray rays[Shape::N_RAYS];
  Extent extents[Shape::N_RAYS];
};

template <class Shape, class Cell>
static __device__ inline Extent
find_extent (const Ray &ray)
{
  typedef typename Shape::Map Map;
  const float reach = fmaf (Map::WIDTH / 2, fabsf (ray.right),
                            Map::HEIGHT / 2 * fabsf (ray.down));

  return { whole_col (ray) + Cell::N_BEFORE,
           (int)reach + Shape::N_SPARE_CELLS };
}

/* Of rays that do not exist, all is outside the row. */
template <class Shape, class Cell>
static __device__ inline void
make_rays (const TlCudaBackprojectArgs &a, const Job &job,
           AluShared<Shape, Cell> &shared, size_t first)
{
  const size_t p = first + threadIdx.x, i = p % Shape::N_RAYS;

  if (threadIdx.x >= Shape::N_RAYS / 2)
    return;
  if (p < job.n_rays)
    {
      shared.rays[i] =
          make_ray<typename Shape::Map> (a, job.tile, job.first_ray + p);
      shared.extents[i] = find_extent<Shape, Cell> (shared.rays[i]);
    }
  else
    {
      shared.rays[i] = { 0.0f, 0.0f, 0.0f, 0.0f };
      shared.extents[i] = { -Shape::N_CELLS, Shape::N_SPARE_CELLS };
    }
}

/* Of one part of a ray's cells. */
template <class Cell>
static __device__ inline unsigned
count_cells (const TlCudaBackprojectArgs &a)
{
  return (unsigned)a.n_cols + Cell::N_BEFORE + Cell::N_BEHIND;
}

/* Begins to copy a group of segments, a part of one by each warp; what lies
 * outside the row becomes 0. */
template <class Shape, class Cell>
static __device__ inline void
copy_group (const TlCudaBackprojectArgs &a, const Job &job,
            AluShared<Shape, Cell> &shared, size_t first)
{
  typedef typename Cell::Type Type;
  constexpr int WARP = 32, N_WARPS = Shape::Map::N_THREADS / WARP;
  const unsigned n_texels = count_cells<Cell> (a);
  const int lane = threadIdx.x % WARP;

#pragma unroll 1
  for (int q = threadIdx.x / WARP; q < Shape::N_GROUP * Cell::N_PARTS;
       q += N_WARPS)
    {
      const size_t row = first * Cell::N_PARTS + q;
      const Extent extent = shared.extents[row / Cell::N_PARTS % Shape::N_RAYS];
      const int begin = lane - extent.extent;
      const unsigned texel = (unsigned)(extent.middle + begin);
      const Type *from = static_cast<const Type *> (a.cells)
                         + (job.first_ray * Cell::N_PARTS + row) * n_texels
                         + (int)texel;
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

/* Adds rays i and, if it is two, i + 1 to pixel j. */
template <class Shape, Interpolation INTERPOLATION, class Cell, int N_AT_ONCE,
          int N_LINES>
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
      const Column column =
          split<INTERPOLATION> (get_col<typename Shape::Map> (lines[i + k], j));

      cells[k] = find_cell<Type> (middle, column.whole)
                 + (i + k) * Cell::N_PARTS * Shape::N_CELLS;
      fractions[k] = column.weight;
    }
  Cell::convert (weights, fractions);
#pragma unroll
  for (int k = 0; k < N_AT_ONCE; k++)
    {
      /* as wholes: by their members they would take as many loads */
      Type values[Cell::N_PARTS + Cell::READS_NEXT];

#pragma unroll
      for (int n = 0; n < Cell::N_PARTS; n++)
        values[n] = cells[k][n * Shape::N_CELLS];
      if constexpr (Cell::READS_NEXT)
        values[1] = cells[k][1];
      Cell::add (part, values, weights[k]);
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
      const float middle =
          to_address (&shared.cells[first / Shape::N_GROUP % 2]
                                   [q * Cell::N_PARTS][Shape::N_CELLS / 2]);
      Line lines[N];

#pragma unroll
      for (int i = 0; i < N; i++)
        lines[i] = find_line<INTERPOLATION> (position, rays[i]);
#pragma unroll
      for (int j = 0; j < Shape::Map::N_PIXELS; j++)
#pragma unroll
        for (int i = 0; i < N; i += N_AT_ONCE)
          add_cells<Shape, INTERPOLATION, Cell, N_AT_ONCE> (parts[j], middle,
                                                            lines, i, j);
    }
#pragma unroll
  for (int j = 0; j < Shape::Map::N_PIXELS; j++)
    Cell::end (sums[j], parts[j]);
}

/* --- pairs --- */

/* What a pair of neighbours wants lies within 3 cells, where they are less than
 * a column apart: of the neighbours to the right and below one always is. Three
 * reads do for two pixels then, when each alone would take two. With f the
 * distance of the higher pixel from cell 0, s0 = min (f, 1) and s1 = f - s0,
 * its value is c0 (1 - s0) + c1 (s0 - s1) + c2 s1. Which of the two is the
 * lower one is the same for the whole slice: GROWS, the second is the higher
 * one. */
template <bool TO_THE_RIGHT, bool GROWS, class Shape, int N_SLICES>
static __device__ inline void
add_pairs (const Line &line, float middle,
           float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
  typedef typename Texel<N_SLICES>::Type Type;
  const float step = fabsf (TO_THE_RIGHT ? line.right : line.down);

#pragma unroll
  for (int j = 0; j < Shape::Map::N_PIXELS; j += 4)
#pragma unroll
    for (int k = 0; k < 2; k++)
      {
        const int first = j + (TO_THE_RIGHT ? 2 * k : k);
        const int second = first + (TO_THE_RIGHT ? 1 : 2);
        float (&low)[N_SLICES] = sums[GROWS ? first : second];
        float (&high)[N_SLICES] = sums[GROWS ? second : first];
        const Column column = split<LINEAR> (
            get_col<typename Shape::Map> (line, GROWS ? first : second));
        const Type *cells = find_cell<Type> (middle, column.whole);
        const Type c0 = cells[0], c1 = cells[1], c2 = cells[2];
        const float f = column.weight + step;
        const float s0 = fminf (f, 1.0f), s1 = f - s0;

        add (low, c0, 1.0f - column.weight);
        add (low, c1, column.weight);
        add (high, c0, 1.0f - s0);
        add (high, c1, s0 - s1);
        add (high, c2, s1);
      }
}

template <class Shape, class Cell, int N_SLICES>
static __device__ inline void
add_group_of_pairs (const Position &position,
                    const AluShared<Shape, Cell> &shared, size_t first,
                    float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
#pragma unroll 1
  for (int q = 0; q < Shape::N_GROUP; q++)
    {
      const Line line = find_line<LINEAR> (
          position, shared.rays[(first + q) % Shape::N_RAYS]);
      const float middle = to_address (
          &shared.cells[first / Shape::N_GROUP % 2][q][Shape::N_CELLS / 2]);

      if (fabsf (line.right) < fabsf (line.down))
        {
          if (line.right > 0.0f)
            add_pairs<true, true, Shape> (line, middle, sums);
          else
            add_pairs<true, false, Shape> (line, middle, sums);
        }
      else if (line.down > 0.0f)
        add_pairs<false, true, Shape> (line, middle, sums);
      else
        add_pairs<false, false, Shape> (line, middle, sums);
    }
}

/* All threads of the block call it. */
template <class Shape, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static __device__ inline void
sum_cells (const TlCudaBackprojectArgs &a, const Job &job, const Place &place,
           AluShared<Shape, Cell> &shared,
           float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
  constexpr size_t N_HALF = Shape::N_RAYS / 2;
  const Position position = find_position<typename Shape::Map> (place);

  make_rays<Shape, Cell> (a, job, shared, 0);
  __syncthreads ();
  copy_group<Shape, Cell> (a, job, shared, 0);
  for (size_t first = 0; first < job.n_rays; first += Shape::N_GROUP)
    {
      __pipeline_wait_prior (0);
      /* this group is there for all threads, and none is at the one before,
       * in whose place the next one comes */
      __syncthreads ();
      if (first % N_HALF == 0)
        make_rays<Shape, Cell> (a, job, shared, first + N_HALF);
      if (first + Shape::N_GROUP < job.n_rays)
        copy_group<Shape, Cell> (a, job, shared, first + Shape::N_GROUP);
      if constexpr (Shape::IN_PAIRS)
        add_group_of_pairs<Shape, Cell> (position, shared, first, sums);
      else
        add_group<Shape, INTERPOLATION, Cell> (position, shared, first, sums);
    }
}

/* For the nearer of two neighbours to be less than a column away. */
constexpr double MAX_PAIR_PITCH = 1.4;

/* Whether the segments are long enough for the grid. */
template <class Shape>
static bool
fits (const TlCudaBackprojectArgs *a)
{
  const double width = Shape::Map::WIDTH / 2, height = Shape::Map::HEIGHT / 2;

  return sqrt (width * width + height * height) * a->pitch
             <= Shape::N_CELLS / 2 - Shape::N_SPARE_CELLS - 1
         && (!Shape::IN_PAIRS || a->pitch <= MAX_PAIR_PITCH);
}
