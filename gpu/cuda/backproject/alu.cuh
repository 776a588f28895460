/* Back-projection out of shared memory, after Chilingaryan et al., "Balancing
 * load of GPU subsystems to accelerate image reconstruction in parallel beam
 * tomography", section on the ALU-based kernel. Formula and symbols:
 * backproject.cuh.
 *
 * The paper's idea: a tile of the slice needs few columns of a ray, those
 * within
 *
 *   reach = (WIDTH |right| + HEIGHT |down|) / 2
 *
 * of the one that the tile's middle hits. A block copies these columns, the
 * ray's segment, from device memory to shared memory, and its threads
 * interpolate there. The texture units are idle. What limits the rate is the
 * bandwidth of shared memory, then the number of instructions.
 *
 * Memory. A cell is what is kept of one column of a ray: a value, or a value
 * and the difference to the next column's, or a polynomial, of 1, 2 or 4
 * slices. It has N_PARTS parts of at most 16 bytes. In device memory cells are
 * [ray][part][cell] (layout.h), with a gap of zeros on both sides of each row.
 * A segment is N_CELLS cells of a row, or of the gap beside it. In shared
 * memory there are the segments of two groups of N_GROUP rays,
 * [group][ray][part][cell]: while a block adds up one group, the next one is
 * copied in the background, where the device can do that.
 *
 * Addresses. The pixels of a tile count columns from one of them, and the
 * segment is laid so that this column is its middle cell. So a pixel finds its
 * cell from its h and a constant.
 *
 * Pairs. Of a pixel's neighbours to the right and below, one is less than 0.71
 * columns away (pitch 1), so that both pixels lie within two intervals between
 * columns, and three values do for the two: 24 bytes a pixel of four slices,
 * not 32. Which neighbour it is, and on which side, is the same for most of
 * a slice; groups of rays of one kind have a loop without branches. Tiles with
 * IN_PAIRS work that way.
 *
 * A grid so coarse that a segment is too short needs another way: fits().
 *
 * The file goes from the inside out: sums in half precision, cells, cells of
 * pairs, background copies, segments, adding up a group pixel by pixel, adding
 * up a group pair by pair, and the loop over all groups (sum_cells).
 */
#pragma once

#include "gpu/cuda/backproject/backproject.cuh"

#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <type_traits>

/* --- sums in half precision --- */

/* Of four slices and at most N_HALF_SUMMANDS rays; then they are added to
 * floats. */
struct HalfSums
{
  half2 s01, s23;
};

static __device__ inline half2
as_half2 (unsigned bits)
{
  return *reinterpret_cast<half2 *> (&bits);
}

static __device__ inline void
add_half (HalfSums &part, uint2 cell)
{
  part.s01 = __hadd2 (part.s01, as_half2 (cell.x));
  part.s23 = __hadd2 (part.s23, as_half2 (cell.y));
}

static __device__ inline void
add_half (HalfSums &part, uint2 cell, half2 weight)
{
  part.s01 = __hfma2 (as_half2 (cell.x), weight, part.s01);
  part.s23 = __hfma2 (as_half2 (cell.y), weight, part.s23);
}

static __device__ inline void
flush (float (&sums)[4], const HalfSums &part)
{
  const float2 s01 = __half22float2 (part.s01);
  const float2 s23 = __half22float2 (part.s23);

  sums[0] += s01.x;
  sums[1] += s01.y;
  sums[2] += s23.x;
  sums[3] += s23.y;
}

/* --- cells --- */

/* Which cell a pixel reads, and what its weight is. */
enum Rounding
{
  ROUND_DOWN,    /* the column before the pixel; the distance from there */
  ROUND_NEAREST, /* the nearest column; no weight */
  ROUND_INTERVAL /* the interval between columns; the distance from its middle
                  */
};

/* A Cell has
 *   Type        of a part in memory    N_PARTS   parts of a cell
 *   LAYOUT      of layout.h            ROUNDING  which cell a pixel reads
 *   N_BEFORE    cells before column 0's; N_BEHIND cells behind the last one's
 *   READS_NEXT  the next cell is read too
 *   unit (a)    the value of 1 in the cell's units
 *   Weight      of the pixel; convert (to, from) makes two from floats
 *   PartialSum  of a few rays; begin (sums), add (partial, parts, weight) and
 *               end (sums, partial)
 */
template <int N_SLICES> struct FloatCell
{
  static constexpr int N_PARTS = 1, N_BEFORE = 0, N_BEHIND = 0;
  static constexpr bool READS_NEXT = false;
  static constexpr Rounding ROUNDING = ROUND_DOWN;
  typedef float Weight;
  struct PartialSum
  {
    float sums[N_SLICES];
  };

  static __device__ void
  convert (float (&to)[2], const float (&from)[2])
  {
    to[0] = from[0];
    to[1] = from[1];
  }

  static __device__ PartialSum
  begin (const float (&sums)[N_SLICES])
  {
    PartialSum part;

#pragma unroll
    for (int s = 0; s < N_SLICES; s++)
      part.sums[s] = sums[s];
    return part;
  }

  static __device__ void
  end (float (&sums)[N_SLICES], const PartialSum &part)
  {
#pragma unroll
    for (int s = 0; s < N_SLICES; s++)
      sums[s] = part.sums[s];
  }

  static __device__ float
  unit (const TlCudaBackprojectArgs &)
  {
    return 1.0f;
  }
};

struct HalfCell
{
  static constexpr int N_PARTS = 1, N_BEFORE = 0, N_BEHIND = 0;
  static constexpr bool READS_NEXT = false;
  static constexpr Rounding ROUNDING = ROUND_DOWN;
  typedef half2 Weight;
  typedef HalfSums PartialSum;

  /* one instruction converts both */
  static __device__ void
  convert (half2 (&to)[2], const float (&from)[2])
  {
    const half2 both = __floats2half2_rn (from[0], from[1]);

    to[0] = __low2half2 (both);
    to[1] = __high2half2 (both);
  }

  static __device__ PartialSum
  begin (const float (&)[4])
  {
    return { as_half2 (0), as_half2 (0) };
  }

  static __device__ void
  end (float (&sums)[4], const PartialSum &part)
  {
    flush (sums, part);
  }

  static __device__ float
  unit (const TlCudaBackprojectArgs &a)
  {
    return half_unit (*a.peak);
  }
};

template <Interpolation INTERPOLATION, Precision PRECISION, int N_SLICES>
struct Cell;

template <> struct Cell<LINEAR, FULL, 2> : FloatCell<2>
{
  typedef float4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_PAIR2;
  static constexpr int N_BEFORE = 1;

  static __device__ void
  add (PartialSum &part, const Type *cell, Weight weight)
  {
    part.sums[0] += fmaf (weight, cell->z, cell->x);
    part.sums[1] += fmaf (weight, cell->w, cell->y);
  }
};

template <> struct Cell<LINEAR, FULL, 1> : FloatCell<1>
{
  typedef float2 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_PAIR;
  static constexpr int N_BEFORE = 1;

  static __device__ void
  add (PartialSum &part, const Type *cell, Weight weight)
  {
    part.sums[0] += fmaf (weight, cell->y, cell->x);
  }
};

template <> struct Cell<LINEAR, FAST, 4> : HalfCell
{
  typedef uint2 Type; /* part 0: the mean of the two columns; part 1: their
                         difference. Interpolation from the middle of the
                         interval loses less in half precision than from one
                         of its ends: 7.8e-4 and 1.7e-3 on noise. */
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF_PAIR4;
  static constexpr int N_PARTS = 2, N_BEFORE = 1;
  static constexpr Rounding ROUNDING = ROUND_INTERVAL;

  static __device__ void
  add (PartialSum &part, const Type *cell, Weight weight)
  {
    add_half (part, cell[0]);
    add_half (part, cell[1], weight);
  }
};

template <> struct Cell<NEAREST, FULL, 4> : FloatCell<4>
{
  typedef float4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT4;
  static constexpr Rounding ROUNDING = ROUND_NEAREST;

  static __device__ void
  add (PartialSum &part, const Type *cell, Weight)
  {
    ::add (part.sums, *cell, 1.0f);
  }
};

template <> struct Cell<NEAREST, FAST, 4> : HalfCell
{
  typedef uint2 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF4;
  static constexpr Rounding ROUNDING = ROUND_NEAREST;

  static __device__ void
  add (PartialSum &part, const Type *cell, Weight)
  {
    add_half (part, *cell);
  }
};

template <> struct Cell<NEAREST, FULL, 2> : FloatCell<2>
{
  typedef float2 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT2;
  static constexpr Rounding ROUNDING = ROUND_NEAREST;

  static __device__ void
  add (PartialSum &part, const Type *cell, Weight)
  {
    ::add (part.sums, *cell, 1.0f);
  }
};

template <> struct Cell<NEAREST, FULL, 1> : FloatCell<1>
{
  typedef float Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT;
  static constexpr Rounding ROUNDING = ROUND_NEAREST;

  static __device__ void
  add (PartialSum &part, const Type *cell, Weight)
  {
    ::add (part.sums, *cell, 1.0f);
  }
};

/* The nearest of four times as many columns. The launcher counts columns in
 * quarters (to_quarters() in alu.cu). */
template <> struct Cell<OVERSAMPLED, FULL, 4> : Cell<NEAREST, FULL, 4>
{
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_QUARTER4;
};

template <> struct Cell<OVERSAMPLED, FULL, 1> : Cell<NEAREST, FULL, 1>
{
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_QUARTER;
};

template <> struct Cell<OVERSAMPLED, FAST, 4> : Cell<NEAREST, FAST, 4>
{
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF_QUARTER4;
};

/* A polynomial of the weight t. */
template <int N_SLICES> struct CubicCell : FloatCell<N_SLICES>
{
  typedef float4 Type;
  static constexpr int N_PARTS = N_SLICES, N_BEFORE = 2, N_BEHIND = 1;
  static constexpr Rounding ROUNDING = ROUND_INTERVAL;

  static __device__ float
  evaluate (float a0, float a1, float a2, float a3, float t)
  {
    return fmaf (fmaf (fmaf (a3, t, a2), t, a1), t, a0);
  }
};

template <> struct Cell<CUBIC, FULL, 4> : CubicCell<4>
{
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_CUBIC4;

  static __device__ void
  add (PartialSum &part, const Type *a, Weight t)
  {
    part.sums[0] += evaluate (a[0].x, a[1].x, a[2].x, a[3].x, t);
    part.sums[1] += evaluate (a[0].y, a[1].y, a[2].y, a[3].y, t);
    part.sums[2] += evaluate (a[0].z, a[1].z, a[2].z, a[3].z, t);
    part.sums[3] += evaluate (a[0].w, a[1].w, a[2].w, a[3].w, t);
  }
};

template <> struct Cell<CUBIC, FULL, 2> : CubicCell<2>
{
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_CUBIC2;

  static __device__ void
  add (PartialSum &part, const Type *a, Weight t)
  {
    part.sums[0] += evaluate (a[0].x, a[0].z, a[1].x, a[1].z, t);
    part.sums[1] += evaluate (a[0].y, a[0].w, a[1].y, a[1].w, t);
  }
};

template <> struct Cell<CUBIC, FAST, 4> : HalfCell
{
  typedef uint4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF_CUBIC4;
  static constexpr int N_PARTS = 2, N_BEFORE = 2, N_BEHIND = 1;
  static constexpr Rounding ROUNDING = ROUND_INTERVAL;

  static __device__ half2
  evaluate (unsigned a0, unsigned a1, unsigned a2, unsigned a3, half2 t)
  {
    const half2 slope =
        __hfma2 (__hfma2 (as_half2 (a3), t, as_half2 (a2)), t, as_half2 (a1));

    return __hfma2 (slope, t, as_half2 (a0));
  }

  static __device__ void
  add (PartialSum &part, const Type *a, Weight t)
  {
    part.s01 = __hadd2 (part.s01, evaluate (a[0].x, a[0].z, a[1].x, a[1].z, t));
    part.s23 = __hadd2 (part.s23, evaluate (a[0].y, a[0].w, a[1].y, a[1].w, t));
  }
};

/* --- cells that two neighbouring pixels read together --- */

/* Beside what all cells have, these have
 *   PairValues      what a pair reads; read_pair (cells, stride), with the
 *                   distance in cells from one part to the next
 *   PairPartialSum  of a pair and a few rays; begin_pair, add_pair, end_pair.
 *                   add_pair gets the weights of the lower pixel, that with the
 *                   smaller h, and the steps from there to the higher one.
 */

/* Values alone: a pixel reads two cells, and a pair reads three. */
template <int N_SLICES> struct ValueCell : FloatCell<N_SLICES>
{
  typedef typename Texel<N_SLICES>::Type Type;
  static constexpr TlCudaLayout LAYOUT = layout_of (FULL, N_SLICES);
  static constexpr bool READS_NEXT = true;

  static __device__ void
  add (typename FloatCell<N_SLICES>::PartialSum &part, const Type *cells,
       float weight)
  {
    ::add (part.sums, cells[0], 1.0f - weight);
    ::add (part.sums, cells[1], weight);
  }

  struct PairValues
  {
    Type c0, c1, c2;
  };

  static __device__ PairValues
  read_pair (const Type *cells, int)
  {
    return { cells[0], cells[1], cells[2] };
  }

  struct PairPartialSum
  {
    typename FloatCell<N_SLICES>::PartialSum low, high;
  };

  static __device__ PairPartialSum
  begin_pair (const float (&low)[N_SLICES], const float (&high)[N_SLICES])
  {
    return { ValueCell::begin (low), ValueCell::begin (high) };
  }

  static __device__ void
  end_pair (float (&low)[N_SLICES], float (&high)[N_SLICES],
            const PairPartialSum &part)
  {
    ValueCell::end (low, part.low);
    ValueCell::end (high, part.high);
  }

  /* The lower pixel is w behind c0: c0 (1 - w) + c1 w. The higher one is
   * f = w + step behind c0, of which s0 lies before c1, and s1 behind it:
   * c0 (1 - s0) + c1 (s0 - s1) + c2 s1. */
  template <int N>
  static __device__ void
  add_pair (PairPartialSum &part, const PairValues (&values)[N],
            const float (&weights)[N], const float (&steps)[N])
  {
#pragma unroll
    for (int i = 0; i < N; i++)
      {
        const float f = weights[i] + steps[i];
        const float s0 = fminf (f, 1.0f), s1 = f - s0;

        ::add (part.low.sums, values[i].c0, 1.0f - weights[i]);
        ::add (part.low.sums, values[i].c1, weights[i]);
        ::add (part.high.sums, values[i].c0, 1.0f - s0);
        ::add (part.high.sums, values[i].c1, s0 - s1);
        ::add (part.high.sums, values[i].c2, s1);
      }
  }
};

/* Means and differences in half precision: of the next cell the difference is
 * enough, and the mean, which is the same for both pixels, is added once. A
 * pair reads 12 bytes a pixel, not 16. */
struct HalfPairCell : Cell<LINEAR, FAST, 4>
{
  struct PairValues
  {
    uint2 m0, d0, d1;
  };

  static __device__ PairValues
  read_pair (const Type *cells, int stride)
  {
    return { cells[0], cells[stride], cells[stride + 1] };
  }

  /* The lower pixel's sum is common + low, the higher one's common + high. */
  struct PairPartialSum
  {
    HalfSums common, low, high;
  };

  static __device__ PairPartialSum
  begin_pair (const float (&)[4], const float (&)[4])
  {
    return {};
  }

  static __device__ void
  end_pair (float (&low)[4], float (&high)[4], const PairPartialSum &part)
  {
    flush (low, part.common);
    flush (low, part.low);
    flush (high, part.common);
    flush (high, part.high);
  }

  /* With w and f counted from the middle of cell 0's interval, the lower pixel
   * is m0 + w d0, and the higher one m0 + s0 d0 + s1 d1, s0 = min (f, 1/2),
   * s1 = f - s0. The weights of two rays are the halves of a register; with one
   * ray both halves are its. */
  template <int N>
  static __device__ void
  add_pair (PairPartialSum &part, const PairValues (&values)[N],
            const float (&weights)[N], const float (&steps)[N])
  {
    const half2 w = __floats2half2_rn (weights[0], weights[N - 1]);
    const half2 step = __floats2half2_rn (steps[0], steps[N - 1]);
    const half2 f = __hadd2 (w, step);
    const half2 s0 = __hmin2 (f, __float2half2_rn (0.5f));
    const half2 s1 = __hsub2 (f, s0);

#pragma unroll
    for (int i = 0; i < N; i++)
      {
        const half2 w_i = i == 0 ? __low2half2 (w) : __high2half2 (w);
        const half2 s0_i = i == 0 ? __low2half2 (s0) : __high2half2 (s0);
        const half2 s1_i = i == 0 ? __low2half2 (s1) : __high2half2 (s1);

        add_half (part.common, values[i].m0);
        add_half (part.low, values[i].d0, w_i);
        add_half (part.high, values[i].d0, s0_i);
        add_half (part.high, values[i].d1, s1_i);
      }
  }
};

template <Precision PRECISION, int N_SLICES>
using PairCell = std::conditional_t<PRECISION == FAST && N_SLICES == 4,
                                    HalfPairCell, ValueCell<N_SLICES>>;

/* The cells of a kernel with this tile. */
template <class Tile, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
using CellOf = std::conditional_t<Tile::IN_PAIRS, PairCell<PRECISION, N_SLICES>,
                                  Cell<INTERPOLATION, PRECISION, N_SLICES>>;

/* --- copies to shared memory in the background --- */

/* From compute capability 9.0 on one thread starts the copy of a whole segment,
 * and a counter in shared memory (an mbarrier) counts the bytes that arrived.
 * Before that each thread copies 16 bytes at a time. Both ends of a copy are
 * aligned to 16 bytes. */
#if __CUDA_ARCH__ >= 900 && CUDART_VERSION >= 12000
#define HAS_BULK_COPY 1
#else
#define HAS_BULK_COPY 0
#endif

/* In shared memory: one for all copies that are waited for together. */
struct Arrival
{
  unsigned long long counter;
};

static __device__ inline unsigned
find_shared_address (const void *shared)
{
  return (unsigned)__cvta_generic_to_shared (shared);
}

/* One thread calls it; the others may use it after the next barrier. */
static __device__ inline void
init_arrival (Arrival &arrival)
{
#if HAS_BULK_COPY
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
               "fence.proxy.async.shared::cta;" ::"r"(
                   find_shared_address (&arrival.counter))
               : "memory");
#endif
}

/* Begins to copy N rows of N_BYTES, row q from find (q), to target, where they
 * follow each other. All threads of the block call it, with the same
 * arguments. */
template <int N, int N_BYTES, int N_THREADS, class Find>
static __device__ inline void
begin_copies (Arrival &arrival, void *target, const Find &find)
{
  constexpr int WARP = 32, N_WARPS = N_THREADS / WARP;
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

#if HAS_BULK_COPY
  /* The threads of a warp start their copies one after another, so spread them
   * over all warps: with one warp 7841 GU/s, not 7907 (alu-linear-fast-4). */
  const int q = warp + lane * N_WARPS;

  static_assert (N <= N_THREADS, "a thread for each row");
  if (threadIdx.x == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     find_shared_address (&arrival.counter)),
                 "r"(N * N_BYTES)
                 : "memory");
  if (q < N)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(find_shared_address (target)
                                      + q * N_BYTES),
        "l"(__cvta_generic_to_global (find (q))), "r"(N_BYTES),
        "r"(find_shared_address (&arrival.counter))
        : "memory");
#else
  constexpr int N_PIECES = N_BYTES / sizeof (uint4);

#pragma unroll 1
  for (int q = warp; q < N; q += N_WARPS)
    {
      const uint4 *from = static_cast<const uint4 *> (find (q));
      uint4 *row = static_cast<uint4 *> (target) + q * N_PIECES;

#pragma unroll
      for (int k = lane; k < N_PIECES; k += WARP)
        __pipeline_memcpy_async (row + k, from + k, sizeof (uint4));
    }
  __pipeline_commit ();
#endif
}

/* Waits for the copies that were begun last with this arrival; n says how many
 * times it was used before. Before compute capability 9.0 a thread waits for
 * its own copies only, so that a barrier has to follow. */
static __device__ inline void
wait_for_copies (const Arrival &arrival, unsigned n)
{
#if HAS_BULK_COPY
  asm volatile("{\n\t"
               ".reg .pred done;\n\t"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
               "@!done bra again;\n\t"
               "}" ::"r"(find_shared_address (&arrival.counter)),
               "r"(n % 2)
               : "memory");
#else
  __pipeline_wait_prior (0);
#endif
}

/* --- segments --- */

/* N_CELLS cells of a segment, N_GROUP rays of a group. N_SUMMED rays (for pairs
 * 1 or 2) are added to one pixel, or pair, before the next one's turn. N_BLOCKS
 * blocks are resident at least. */
template <class TILE, int CELLS, int GROUP, int SUMMED, int BLOCKS>
struct AluConfig
{
  typedef TILE Tile;
  static constexpr int N_CELLS = CELLS, N_GROUP = GROUP, N_SUMMED = SUMMED;
  static constexpr int N_BLOCKS = BLOCKS;
  static constexpr bool IN_PAIRS = TILE::IN_PAIRS;
  /* kept in a ring: one half is computed while the other one is used */
  static constexpr int N_RAYS = 128;

  static_assert (N_RAYS / 2 % GROUP == 0,
                 "half a ring is a whole number of groups");
  static_assert (GROUP % SUMMED == 0 && GROUP <= N_HALF_SUMMANDS,
                 "a group is a whole number of sums, in range");
  static_assert (!IN_PAIRS || SUMMED <= 2, "pairs take one or two rays");
};

template <class Config, class Cell> struct AluShared
{
  alignas (16) typename Cell::Type
      cells[2][Config::N_GROUP * Cell::N_PARTS][Config::N_CELLS];
  Ray rays[Config::N_RAYS];
  int texels[Config::N_RAYS]; /* where a ray's segment begins in its row */
  Arrival arrivals[2];
};

/* Of one part of a row. */
template <class Cell>
static __host__ __device__ inline int
count_cells (const TlCudaBackprojectArgs &a)
{
  return (int)a.n_cols + Cell::N_BEFORE + Cell::N_BEHIND;
}

/* Adds half a column to the ray's rest: it makes rounding down a rounding to
 * the nearest column, or leads from a column to the middle of its interval. */
template <class Cell>
static __device__ inline Ray
add_half_column (Ray ray)
{
  ray.rest += Cell::ROUNDING == ROUND_DOWN       ? 0.0f
              : Cell::ROUNDING == ROUND_INTERVAL ? -0.5f
                                                 : 0.5f;
  return ray;
}

/* Half a ring of rays, and where their segments begin. A ray that does not
 * exist, or that passes the tile outside the row, has a segment of zeros beside
 * the row. The whole column is moved so that the segment begins at a multiple
 * of 16 bytes. */
template <class Config, class Cell>
static __device__ inline void
make_rays (const TlCudaBackprojectArgs &a, const Job &job,
           AluShared<Config, Cell> &shared, size_t first)
{
  constexpr int N = 16 / sizeof (typename Cell::Type);
  constexpr int MIDDLE = Config::N_CELLS / 2 - Cell::N_BEFORE;
  const size_t p = first + threadIdx.x, i = p % Config::N_RAYS;
  Ray ray = { -1e9f, 0.0f, 0.0f, 0.0f };

  static_assert (Config::N_CELLS % N == 0, "segments begin at 16 bytes");
  if (threadIdx.x >= Config::N_RAYS / 2)
    return;
  if (p < job.n_rays)
    ray = add_half_column<Cell> (
        make_ray<typename Config::Tile> (a, job.tile, job.first_ray + p));
  const float first_col = ray.whole - (float)MIDDLE;
  const float texel = floorf (first_col * (1.0f / N)) * (float)N;
  const int end = (count_cells<Cell> (a) + N - 1) / N * N;

  ray.rest += first_col - texel;
  shared.rays[i] = ray;
  shared.texels[i] =
      (int)fminf (fmaxf (texel, (float)-Config::N_CELLS), (float)end);
}

/* Begins to copy the segments of the group that begins with ray first. */
template <class Config, class Cell>
static __device__ inline void
copy_group (const TlCudaBackprojectArgs &a, const Job &job,
            AluShared<Config, Cell> &shared, size_t first)
{
  typedef typename Cell::Type Type;
  const unsigned half = first / Config::N_GROUP % 2;
  const Type *rows = static_cast<const Type *> (a.cells)
                     + (job.first_ray + first) * Cell::N_PARTS * a.cell_stride;
  const int *texels = &shared.texels[first % Config::N_RAYS];

  static_assert (Config::N_CELLS + 4 <= TL_CUDA_CELL_GAP (Cell::LAYOUT),
                 "a segment may be in the gap");
  begin_copies<Config::N_GROUP * Cell::N_PARTS, sizeof shared.cells[0][0],
               Config::Tile::N_THREADS> (
      shared.arrivals[half], shared.cells[half], [=] (int q) -> const void * {
        const int ray = q / Cell::N_PARTS;

        return rows + (first + ray < job.n_rays ? q : 0) * a.cell_stride
               + texels[ray];
      });
}

/* --- coordinates and addresses --- */

/* h = whole + weight, |h| < 2^22 */
struct Column
{
  float whole, weight;
};

template <class Cell>
static __device__ inline Column
split_column (float h)
{
  const float whole =
      Cell::ROUNDING == ROUND_INTERVAL ? round_near (h) : round_down (h);

  return { whole, h - whole };
}

/* A ray as one thread sees it: h of its first pixel, counted from the ray's
 * whole column, and the steps to the others. */
struct Line
{
  float first, right, down;
};

static __device__ inline Line
find_line (const Position &position, const Ray &ray)
{
  return { find_rest (position, ray), ray.right, ray.down };
}

template <class Tile>
static __device__ inline float
get_col (const Line &line, int j)
{
  return move<Tile> (line.first, line, j);
}

/* Addresses in shared memory as floats: the bits of a float below 2^-126 are a
 * whole number of 2^-149, so that one multiply-add of floats, which is exact,
 * makes an address. Integers would take the same issue slots, but there are
 * half as many units for them. */
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

/* --- adding up a group, pixel by pixel --- */

/* Adds ray i, and ray i + 1 if N_AT_ONCE is 2, to pixel j. */
template <class Config, class Cell, int N_AT_ONCE, int N_LINES>
static __device__ inline void
add_cells (typename Cell::PartialSum &part, float middle,
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
          split_column<Cell> (get_col<typename Config::Tile> (lines[i + k], j));

      cells[k] = find_cell<Type> (middle, column.whole)
                 + (i + k) * Cell::N_PARTS * Config::N_CELLS;
      fractions[k] = column.weight;
    }
  Cell::convert (weights, fractions);
#pragma unroll
  for (int k = 0; k < N_AT_ONCE; k++)
    {
      /* Copy whole parts: member by member they would take as many loads. */
      Type values[Cell::N_PARTS];

#pragma unroll
      for (int n = 0; n < Cell::N_PARTS; n++)
        values[n] = cells[k][n * Config::N_CELLS];
      Cell::add (part, values, weights[k]);
    }
}

template <class Config, class Cell, int N_SLICES>
static __device__ inline void
add_group (const Position &position, const AluShared<Config, Cell> &shared,
           size_t first, float (&sums)[Config::Tile::N_PIXELS][N_SLICES])
{
  constexpr int N = Config::N_SUMMED, N_AT_ONCE = N % 2 == 0 ? 2 : 1;
  typename Cell::PartialSum parts[Config::Tile::N_PIXELS];

#pragma unroll
  for (int j = 0; j < Config::Tile::N_PIXELS; j++)
    parts[j] = Cell::begin (sums[j]);
#pragma unroll 1
  for (int q = 0; q < Config::N_GROUP; q += N)
    {
      const Ray *rays = &shared.rays[(first + q) % Config::N_RAYS];
      const float middle =
          to_address (&shared.cells[first / Config::N_GROUP % 2]
                                   [q * Cell::N_PARTS][Config::N_CELLS / 2]);
      Line lines[N];

#pragma unroll
      for (int i = 0; i < N; i++)
        lines[i] = find_line (position, rays[i]);
#pragma unroll
      for (int j = 0; j < Config::Tile::N_PIXELS; j++)
#pragma unroll
        for (int i = 0; i < N; i += N_AT_ONCE)
          add_cells<Config, Cell, N_AT_ONCE> (parts[j], middle, lines, i, j);
    }
#pragma unroll
  for (int j = 0; j < Config::Tile::N_PIXELS; j++)
    Cell::end (sums[j], parts[j]);
}

/* --- adding up a group, pair by pair --- */

/* Which neighbours make pairs, and whether h grows or falls from the first one
 * to the second one. */
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

/* The pixel of pair i with the smaller, or with the larger h. */
template <PairKind KIND>
static __device__ constexpr int
get_pixel (int i, bool is_high)
{
  constexpr bool RIGHT = is_right (KIND);
  constexpr bool GROWS = KIND == RIGHT_GROWS || KIND == DOWN_GROWS;
  const int first = i / 2 * 4 + i % 2 * (RIGHT ? 2 : 1);

  return first + (is_high == GROWS ? (RIGHT ? 1 : 2) : 0);
}

/* N_ALIKE rays of one kind, N of them at a time. */
template <PairKind KIND, class Config, class Cell, int N_ALIKE, int N,
          int N_SLICES>
static __device__ inline void
add_rays_of_kind (const Position &position, const Ray *rays,
                  const typename Cell::Type *middle,
                  float (&sums)[Config::Tile::N_PIXELS][N_SLICES])
{
  constexpr int N_PAIRS = Config::Tile::N_PIXELS / 2;
  typename Cell::PairPartialSum parts[N_PAIRS];

#pragma unroll
  for (int i = 0; i < N_PAIRS; i++)
    parts[i] = Cell::begin_pair (sums[get_pixel<KIND> (i, false)],
                                 sums[get_pixel<KIND> (i, true)]);
#pragma unroll 1
  for (int q = 0; q < N_ALIKE; q += N)
    {
      const float first =
          to_address (middle + q * Cell::N_PARTS * Config::N_CELLS);
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
              const Column column =
                  split_column<Cell> (get_col<typename Config::Tile> (
                      lines[k], get_pixel<KIND> (i, false)));

              values[k] = Cell::read_pair (
                  find_cell<typename Cell::Type> (first, column.whole)
                      + k * Cell::N_PARTS * Config::N_CELLS,
                  Config::N_CELLS);
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

template <class Config, class Cell, int N_ALIKE, int N, int N_SLICES>
static __device__ inline void
add_rays (const Position &position, const Ray *rays,
          const typename Cell::Type *middle,
          float (&sums)[Config::Tile::N_PIXELS][N_SLICES])
{
#define ADD(KIND)                                                              \
  case KIND:                                                                   \
    add_rays_of_kind<KIND, Config, Cell, N_ALIKE, N> (position, rays, middle,  \
                                                      sums);                   \
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

/* are_alike: all rays of the group are of one kind. */
template <class Config, class Cell, int N_SLICES>
static __device__ inline void
add_group_of_pairs (const Position &position,
                    const AluShared<Config, Cell> &shared, size_t first,
                    bool are_alike,
                    float (&sums)[Config::Tile::N_PIXELS][N_SLICES])
{
  const Ray *rays = &shared.rays[first % Config::N_RAYS];
  const typename Cell::Type *middle =
      &shared.cells[first / Config::N_GROUP % 2][0][Config::N_CELLS / 2];

  if (are_alike)
    add_rays<Config, Cell, Config::N_GROUP, Config::N_SUMMED> (position, rays,
                                                               middle, sums);
  else
#pragma unroll 1
    for (int q = 0; q < Config::N_GROUP; q++)
      add_rays<Config, Cell, 1, 1> (
          position, rays + q, middle + q * Cell::N_PARTS * Config::N_CELLS,
          sums);
}

/* Whether the ray of this thread's number in the group is of the same kind as
 * the group's first one. */
template <class Config, class Cell>
static __device__ inline bool
is_like_first (const AluShared<Config, Cell> &shared, size_t first)
{
  const Ray *rays = &shared.rays[first % Config::N_RAYS];

  return threadIdx.x >= Config::N_GROUP
         || find_pair_kind (rays[threadIdx.x]) == find_pair_kind (*rays);
}

/* --- all groups --- */

/* All threads of the block call it. */
template <class Config, class Cell, int N_SLICES>
static __device__ inline void
sum_cells (const TlCudaBackprojectArgs &a, const Job &job, const Index &pixel,
           AluShared<Config, Cell> &shared,
           float (&sums)[Config::Tile::N_PIXELS][N_SLICES])
{
  constexpr size_t N_HALF = Config::N_RAYS / 2;
  const Position position = find_position<typename Config::Tile> (pixel);

  if (threadIdx.x < 2)
    init_arrival (shared.arrivals[threadIdx.x]);
  make_rays<Config, Cell> (a, job, shared, 0);
  __syncthreads ();
  copy_group<Config, Cell> (a, job, shared, 0);
  for (size_t first = 0; first < job.n_rays; first += Config::N_GROUP)
    {
      wait_for_copies (shared.arrivals[first / Config::N_GROUP % 2],
                       (unsigned)(first / Config::N_GROUP / 2));
      /* After this barrier all threads see the group's segments, and none reads
       * those of the group before, which the next copies overwrite. */
      bool are_alike = true;
      if constexpr (Config::IN_PAIRS)
        are_alike =
            __syncthreads_and (is_like_first<Config, Cell> (shared, first));
      else
        __syncthreads ();
      if (first % N_HALF == 0)
        make_rays<Config, Cell> (a, job, shared, first + N_HALF);
      if (first + Config::N_GROUP < job.n_rays)
        copy_group<Config, Cell> (a, job, shared, first + Config::N_GROUP);
      if constexpr (Config::IN_PAIRS)
        add_group_of_pairs<Config, Cell> (position, shared, first, are_alike,
                                          sums);
      else
        add_group<Config, Cell> (position, shared, first, sums);
    }
}

/* For the nearer of a pixel's two neighbours to be less than a column away. */
constexpr double MAX_PAIR_PITCH = 1.4;

/* Whether the segments are long enough for the grid. */
template <class Config, class Cell>
static bool
fits (const TlCudaBackprojectArgs *a)
{
  const double width = Config::Tile::WIDTH / 2,
               height = Config::Tile::HEIGHT / 2;
  /* beyond the reach: the alignment to 16 bytes, the fraction of the middle's
   * h, the next cell, and one more for a pair */
  const int n_spare =
      16 / (int)sizeof (typename Cell::Type) + (Config::IN_PAIRS ? 3 : 2);

  return sqrt (width * width + height * height) * a->pitch
             <= Config::N_CELLS / 2 - n_spare
         && (!Config::IN_PAIRS || a->pitch <= MAX_PAIR_PITCH);
}
