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
 * of its middle's. They are in the ray's segment, N_CELLS of the row, or of the
 * gap beside it. A block copies the segments of N_GROUP rays at a time, and
 * those of the next group while it adds up this one's, where the device can
 * copy in the background. The column that pixels count from is always the same
 * cell of a segment, so that a pixel's cell is found from its h and a constant.
 * Where a segment is too short, which is so for a coarse grid, kernels have
 * another way (fits()).
 *
 * A cell has all that a pixel wants, say a value and the difference to the next
 * one; or two pixels side by side, or one below the other, share what they
 * read: those are pairs, for Maps that are IN_PAIRS (pair-cells.cuh).
 */
#pragma once

#include "gpu/cuda/backproject/pair-cells.cuh"
#include "gpu/cuda/backproject/quad-map.cuh"
#include "gpu/cuda/backproject/segment-copy.cuh"

/* --- coordinates --- */

/* h = whole + weight, |h| < 2^22 */
struct Column
{
  float whole, weight;
};

template <class Cell>
static __device__ inline Column
split (float h)
{
  const float whole = Cell::PLACE == AROUND ? round_near (h) : round_down (h);

  return { whole, h - whole };
}

/* Where a thread's first pixel lies in a ray's row, relative to the ray's whole
 * column, and the steps to the others. */
struct Line
{
  float first, right, down;
};

static __device__ inline Line
find_line (const Position &position, const Ray &ray)
{
  return { find_rest (position, ray), ray.right, ray.down };
}

template <class Map>
static __device__ inline float
get_col (const Line &line, int j)
{
  return move<Map> (line.first, line, j);
}

/* With the half in the rest that rounding wants, or that is taken off to the
 * middle of an interval. */
template <class Cell>
static __device__ inline Ray
add_half_column (Ray ray)
{
  ray.rest += Cell::PLACE == BEFORE   ? 0.0f
              : Cell::PLACE == AROUND ? -0.5f
                                      : 0.5f;
  return ray;
}

/* --- with segments in shared memory --- */

/* Shared memory's addresses as floats: the bits of a float below 2^-126 are a
 * whole number of 2^-149, so that one multiplication and addition of floats,
 * exact, makes an address. Integers take the same instruction slots, but there
 * are half as many units for them. */
static __device__ inline float
to_address (const void *shared)
{
  return __uint_as_float (find_shared_address (shared));
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
 * N_CELLS cells each; N_SUMMED of them, for pairs 1 or 2, are added to one
 * pixel or pair before the next one's turn; N_BLOCKS blocks shall be resident.
 */
template <class MAP, int CELLS, int GROUP, int SUMMED, int BLOCKS>
struct AluShape
{
  typedef MAP Map;
  static constexpr int N_CELLS = CELLS, N_GROUP = GROUP, N_SUMMED = SUMMED;
  static constexpr int N_BLOCKS = BLOCKS;
  static constexpr bool IN_PAIRS = MAP::IN_PAIRS;
  /* of the ring; one half is made while the other one is used */
  static constexpr int N_RAYS = 128;

  static_assert (N_RAYS / 2 % GROUP == 0, "half a ring ends with a group");
  static_assert (GROUP % SUMMED == 0 && GROUP <= N_HALF_SUMMANDS,
                 "a group is some sums");
  static_assert (!IN_PAIRS || SUMMED <= 2, "pairs take one or two rays");
};

template <class Shape, class Cell> struct AluShared
{
  alignas (16) typename Cell::Type
      cells[2][Shape::N_GROUP * Cell::N_PARTS][Shape::N_CELLS];
  Ray rays[Shape::N_RAYS];
  int texels[Shape::N_RAYS]; /* where a ray's segment begins in its row */
  Arrival arrivals[2];
};

/* Of one part of a ray's cells. */
template <class Cell>
static __host__ __device__ inline int
count_cells (const TlCudaBackprojectArgs &a)
{
  return (int)a.n_cols + Cell::N_BEFORE + Cell::N_BEHIND;
}

/* Of rays that do not exist, and of those that pass the tile outside the row,
 * all cells are from the 0 beside it. The whole column becomes such that the
 * segment begins at a multiple of 16 bytes. */
template <class Shape, class Cell>
static __device__ inline void
make_rays (const TlCudaBackprojectArgs &a, const Job &job,
           AluShared<Shape, Cell> &shared, size_t first)
{
  constexpr int N = 16 / sizeof (typename Cell::Type);
  constexpr int MIDDLE = Shape::N_CELLS / 2 - Cell::N_BEFORE;
  const size_t p = first + threadIdx.x, i = p % Shape::N_RAYS;
  Ray ray = { -1e9f, 0.0f, 0.0f, 0.0f };

  static_assert (Shape::N_CELLS % N == 0, "segments begin at 16 bytes");
  if (threadIdx.x >= Shape::N_RAYS / 2)
    return;
  if (p < job.n_rays)
    ray = add_half_column<Cell> (
        make_ray<typename Shape::Map> (a, job.tile, job.first_ray + p));
  const float first_col = ray.whole - (float)MIDDLE;
  const float texel = floorf (first_col * (1.0f / N)) * (float)N;
  const int end = (count_cells<Cell> (a) + N - 1) / N * N;

  ray.rest += first_col - texel;
  shared.rays[i] = ray;
  shared.texels[i] =
      (int)fminf (fmaxf (texel, (float)-Shape::N_CELLS), (float)end);
}

/* Begins to copy a group of segments. */
template <class Shape, class Cell>
static __device__ inline void
copy_group (const TlCudaBackprojectArgs &a, const Job &job,
            AluShared<Shape, Cell> &shared, size_t first)
{
  typedef typename Cell::Type Type;
  const unsigned half = first / Shape::N_GROUP % 2;
  const Type *rows = static_cast<const Type *> (a.cells)
                     + (job.first_ray + first) * Cell::N_PARTS * a.cell_stride;
  const int *texels = &shared.texels[first % Shape::N_RAYS];

  static_assert (Shape::N_CELLS + 4 <= TL_CUDA_CELL_GAP (Cell::LAYOUT),
                 "a segment may be in the gap");
  begin_copies<Shape::N_GROUP * Cell::N_PARTS, sizeof shared.cells[0][0],
               Shape::Map::N_THREADS> (
      shared.arrivals[half], shared.cells[half], [=] (int q) -> const void * {
        const int ray = q / Cell::N_PARTS;

        return rows + (first + ray < job.n_rays ? q : 0) * a.cell_stride
               + texels[ray];
      });
}

/* Adds rays i and, if it is two, i + 1 to pixel j. */
template <class Shape, class Cell, int N_AT_ONCE, int N_LINES>
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
          split<Cell> (get_col<typename Shape::Map> (lines[i + k], j));

      cells[k] = find_cell<Type> (middle, column.whole)
                 + (i + k) * Cell::N_PARTS * Shape::N_CELLS;
      fractions[k] = column.weight;
    }
  Cell::convert (weights, fractions);
#pragma unroll
  for (int k = 0; k < N_AT_ONCE; k++)
    {
      /* as wholes: by their members they would take as many loads */
      Type values[Cell::N_PARTS];

#pragma unroll
      for (int n = 0; n < Cell::N_PARTS; n++)
        values[n] = cells[k][n * Shape::N_CELLS];
      Cell::add (part, values, weights[k]);
    }
}

template <class Shape, class Cell, int N_SLICES>
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
        lines[i] = find_line (position, rays[i]);
#pragma unroll
      for (int j = 0; j < Shape::Map::N_PIXELS; j++)
#pragma unroll
        for (int i = 0; i < N; i += N_AT_ONCE)
          add_cells<Shape, Cell, N_AT_ONCE> (parts[j], middle, lines, i, j);
    }
#pragma unroll
  for (int j = 0; j < Shape::Map::N_PIXELS; j++)
    Cell::end (sums[j], parts[j]);
}

/* --- pairs --- */

/* Which neighbours make pairs, and whether the second one is the higher one. */
enum PairKind
{
  RIGHT_FALLS,
  RIGHT_GROWS,
  DOWN_FALLS,
  DOWN_GROWS
};

static __device__ inline PairKind
find_pair_kind (const Ray &ray)
{
  return fabsf (ray.right) < fabsf (ray.down)
             ? ray.right > 0.0f ? RIGHT_GROWS : RIGHT_FALLS
         : ray.down > 0.0f ? DOWN_GROWS
                           : DOWN_FALLS;
}

static __device__ constexpr bool
is_right (PairKind kind)
{
  return kind == RIGHT_FALLS || kind == RIGHT_GROWS;
}

/* Of pair i the pixel at the lower and the one at the higher column. */
template <PairKind KIND>
static __device__ constexpr int
get_pixel (int i, bool is_high)
{
  constexpr bool RIGHT = is_right (KIND);
  constexpr bool GROWS = KIND == RIGHT_GROWS || KIND == DOWN_GROWS;
  const int first = i / 2 * 4 + i % 2 * (RIGHT ? 2 : 1);

  return first + (is_high == GROWS ? (RIGHT ? 1 : 2) : 0);
}

/* What a pair of neighbours wants lies within 3 cells, where they are less than
 * a column apart: of the neighbours to the right and below one always is. Three
 * reads do for two pixels then, when each alone would take two. N_ALIKE rays of
 * one kind, N of them at once. */
template <PairKind KIND, class Shape, class Cell, int N_ALIKE, int N,
          int N_SLICES>
static __device__ inline void
add_rays_of_kind (const Position &position, const Ray *rays,
                  const typename Cell::Type *middle,
                  float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
  constexpr int N_PAIRS = Shape::Map::N_PIXELS / 2;
  typename Cell::PairPart parts[N_PAIRS];

#pragma unroll
  for (int i = 0; i < N_PAIRS; i++)
    parts[i] = Cell::begin_pair (sums[get_pixel<KIND> (i, false)],
                                 sums[get_pixel<KIND> (i, true)]);
#pragma unroll 1
  for (int q = 0; q < N_ALIKE; q += N)
    {
      const float first =
          to_address (middle + q * Cell::N_PARTS * Shape::N_CELLS);
      Line lines[N];
      float steps[N];

#pragma unroll
      for (int k = 0; k < N; k++)
        {
          lines[k] = find_line (position, rays[q + k]);
          steps[k] = fabsf (is_right (KIND) ? lines[k].right : lines[k].down);
        }
#pragma unroll
      for (int i = 0; i < N_PAIRS; i++)
        {
          typename Cell::PairValues values[N];
          float weights[N];

#pragma unroll
          for (int k = 0; k < N; k++)
            {
              const Column column = split<Cell> (get_col<typename Shape::Map> (
                  lines[k], get_pixel<KIND> (i, false)));

              values[k] = Cell::read_pair (
                  find_cell<typename Cell::Type> (first, column.whole)
                      + k * Cell::N_PARTS * Shape::N_CELLS,
                  Shape::N_CELLS);
              weights[k] = column.weight;
            }
          Cell::add_pair (parts[i], values, weights, steps);
        }
    }
#pragma unroll
  for (int i = 0; i < N_PAIRS; i++)
    Cell::end_pair (sums[get_pixel<KIND> (i, false)],
                    sums[get_pixel<KIND> (i, true)], parts[i]);
}

template <class Shape, class Cell, int N_ALIKE, int N, int N_SLICES>
static __device__ inline void
add_rays (const Position &position, const Ray *rays,
          const typename Cell::Type *middle,
          float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
#define ADD(KIND)                                                              \
  case KIND:                                                                   \
    add_rays_of_kind<KIND, Shape, Cell, N_ALIKE, N> (position, rays, middle,   \
                                                     sums);                    \
    break
  switch (find_pair_kind (*rays))
    {
      ADD (RIGHT_FALLS);
      ADD (RIGHT_GROWS);
      ADD (DOWN_FALLS);
      ADD (DOWN_GROWS);
    }
#undef ADD
}

/* are_alike: all rays are of one kind. */
template <class Shape, class Cell, int N_SLICES>
static __device__ inline void
add_group_of_pairs (const Position &position,
                    const AluShared<Shape, Cell> &shared, size_t first,
                    bool are_alike,
                    float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
  const Ray *rays = &shared.rays[first % Shape::N_RAYS];
  const typename Cell::Type *middle =
      &shared.cells[first / Shape::N_GROUP % 2][0][Shape::N_CELLS / 2];

  if (are_alike)
    add_rays<Shape, Cell, Shape::N_GROUP, Shape::N_SUMMED> (position, rays,
                                                            middle, sums);
  else
#pragma unroll 1
    for (int q = 0; q < Shape::N_GROUP; q++)
      add_rays<Shape, Cell, 1, 1> (position, rays + q,
                                   middle + q * Cell::N_PARTS * Shape::N_CELLS,
                                   sums);
}

/* Whether the thread's ray of a group is of the kind of the first one. */
template <class Shape, class Cell>
static __device__ inline bool
is_like_first (const AluShared<Shape, Cell> &shared, size_t first)
{
  const Ray *rays = &shared.rays[first % Shape::N_RAYS];

  return threadIdx.x >= Shape::N_GROUP
         || find_pair_kind (rays[threadIdx.x]) == find_pair_kind (*rays);
}

/* All threads of the block call it. */
template <class Shape, class Cell, int N_SLICES>
static __device__ inline void
sum_cells (const TlCudaBackprojectArgs &a, const Job &job, const Place &place,
           AluShared<Shape, Cell> &shared,
           float (&sums)[Shape::Map::N_PIXELS][N_SLICES])
{
  constexpr size_t N_HALF = Shape::N_RAYS / 2;
  const Position position = find_position<typename Shape::Map> (place);

  if (threadIdx.x < 2)
    init_arrival (shared.arrivals[threadIdx.x]);
  make_rays<Shape, Cell> (a, job, shared, 0);
  __syncthreads ();
  copy_group<Shape, Cell> (a, job, shared, 0);
  for (size_t first = 0; first < job.n_rays; first += Shape::N_GROUP)
    {
      wait_for_copies (shared.arrivals[first / Shape::N_GROUP % 2],
                       (unsigned)(first / Shape::N_GROUP / 2));
      /* this group is there for all threads, and none is at the one before,
       * in whose place the next one comes */
      bool are_alike = true;
      if constexpr (Shape::IN_PAIRS)
        are_alike =
            __syncthreads_and (is_like_first<Shape, Cell> (shared, first));
      else
        __syncthreads ();
      if (first % N_HALF == 0)
        make_rays<Shape, Cell> (a, job, shared, first + N_HALF);
      if (first + Shape::N_GROUP < job.n_rays)
        copy_group<Shape, Cell> (a, job, shared, first + Shape::N_GROUP);
      if constexpr (Shape::IN_PAIRS)
        add_group_of_pairs<Shape, Cell> (position, shared, first, are_alike,
                                         sums);
      else
        add_group<Shape, Cell> (position, shared, first, sums);
    }
}

/* For the nearer of two neighbours to be less than a column away. */
constexpr double MAX_PAIR_PITCH = 1.4;

/* Whether the segments are long enough for the grid. */
template <class Shape, class Cell>
static bool
fits (const TlCudaBackprojectArgs *a)
{
  const double width = Shape::Map::WIDTH / 2, height = Shape::Map::HEIGHT / 2;
  /* beyond the reach: up to the next 16 bytes, the fraction of the middle's h,
   * the next cell, that of a pair */
  const int n_spare =
      16 / (int)sizeof (typename Cell::Type) + (Shape::IN_PAIRS ? 3 : 2);

  return sqrt (width * width + height * height) * a->pitch
             <= Shape::N_CELLS / 2 - n_spare
         && (!Shape::IN_PAIRS || a->pitch <= MAX_PAIR_PITCH);
}
