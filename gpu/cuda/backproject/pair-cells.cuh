/* Cells that two neighbouring pixels read together (alu.cuh). Beside what all
 * cells have (cells.cuh), one of these has
 *   PairValues  what a pair reads; read_pair (cells, from a part to the next)
 *   PairPart    sums of a pair for a few rays; begin_pair, add_pair, end_pair;
 *               to add it wants weights, of the lower pixel, and steps, from
 *               there to the higher one
 */
#pragma once

#include "gpu/cuda/backproject/cells.cuh"

/* Values alone: two cells for a pixel, or three for a pair of them. */
template <int N_SLICES> struct ValueCell : FloatCell<N_SLICES>
{
  typedef typename Texel<N_SLICES>::Type Type;
  static constexpr TlCudaLayout LAYOUT = layout_of (FULL, N_SLICES);
  static constexpr bool READS_NEXT = true;

  static __device__ void
  add (typename FloatCell<N_SLICES>::Part &part, const Type *cells,
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

  struct PairPart
  {
    typename FloatCell<N_SLICES>::Part low, high;
  };

  static __device__ PairPart
  begin_pair (const float (&low)[N_SLICES], const float (&high)[N_SLICES])
  {
    return { ValueCell::begin (low), ValueCell::begin (high) };
  }

  static __device__ void
  end_pair (float (&low)[N_SLICES], float (&high)[N_SLICES],
            const PairPart &part)
  {
    ValueCell::end (low, part.low);
    ValueCell::end (high, part.high);
  }

  /* c0 (1 - w) + c1 w for the lower one, c0 (1 - s0) + c1 (s0 - s1) + c2 s1 for
   * the higher one. */
  template <int N>
  static __device__ void
  add_pair (PairPart &part, const PairValues (&values)[N],
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

/* Means and differences, in half precision: of the next cell the difference is
 * enough. The mean, which both pixels want, is added once. */
struct HalfPairCell : Cell<LINEAR, FAST, 4>
{
  struct PairValues
  {
    uint2 m0, d0, d1;
  };

  /* part: from a part's cells to the next one's */
  static __device__ PairValues
  read_pair (const Type *cells, int part)
  {
    return { cells[0], cells[part], cells[part + 1] };
  }

  /* The lower one is common + low, the higher one common + high. */
  struct PairPart
  {
    HalfSums common, low, high;
  };

  static __device__ PairPart
  begin_pair (const float (&)[4], const float (&)[4])
  {
    return {};
  }

  static __device__ void
  end_pair (float (&low)[4], float (&high)[4], const PairPart &part)
  {
    flush (low, part.common);
    flush (low, part.low);
    flush (high, part.common);
    flush (high, part.high);
  }

  /* m0 + w d0 for the lower one, m0 + s0 d0 + s1 d1 for the higher one, f from
   * the middle of cell 0's interval, s0 = min (f, 1/2). The weights of one or
   * two rays are the halves of a register. */
  template <int N>
  static __device__ void
  add_pair (PairPart &part, const PairValues (&values)[N],
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

/* Cells of kernels that read them in pairs. */
template <Precision PRECISION, int N_SLICES>
using PairCell = std::conditional_t<PRECISION == FAST && N_SLICES == 4,
                                    HalfPairCell, ValueCell<N_SLICES>>;

/* What a kernel with this Map keeps. */
template <class Map, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
using CellOf = std::conditional_t<Map::IN_PAIRS, PairCell<PRECISION, N_SLICES>,
                                  Cell<INTERPOLATION, PRECISION, N_SLICES>>;
