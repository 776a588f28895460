/* Cells: what shared memory keeps of a column, and how it is added up. They are
 * the texels of layout.h. */
#pragma once

#include "gpu/cuda/backproject/backproject.cuh"

#include <cuda_fp16.h>
#include <type_traits>

/* Half precision: sums of a few rays, added to floats then. */
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

/* Which cell a pixel wants, and what its weight is: that of the column before
 * it, and the distance from there; of the nearest column, and nothing; of the
 * interval it is in, and the distance from its middle. */
enum CellPlace
{
  BEFORE,
  NEAREST_COLUMN,
  AROUND
};

/* A Cell has
 *   Type        in memory, LAYOUT    N_PARTS    such in a cell, a row of each
 *   N_BEFORE    cells before column 0, and N_BEHIND the last one; its PLACE
 *   READS_NEXT  the next cell too    unit (a)   what its 1 stands for
 *   Part        sums of a few rays; begin, add, end. To add it wants the
 *               parts of the cell, or the cell and the next one
 *   Weight      of the next column, as add wants it; convert makes two
 */
template <int N_SLICES> struct FloatCell
{
  static constexpr int N_PARTS = 1, N_BEFORE = 0, N_BEHIND = 0;
  static constexpr bool READS_NEXT = false;
  static constexpr CellPlace PLACE = BEFORE;
  typedef float Weight;
  struct Part
  {
    float sums[N_SLICES];
  };

  static __device__ void
  convert (float (&to)[2], const float (&from)[2])
  {
    to[0] = from[0];
    to[1] = from[1];
  }

  static __device__ Part
  begin (const float (&sums)[N_SLICES])
  {
    Part part;

#pragma unroll
    for (int s = 0; s < N_SLICES; s++)
      part.sums[s] = sums[s];
    return part;
  }

  static __device__ void
  end (float (&sums)[N_SLICES], const Part &part)
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
  static constexpr CellPlace PLACE = BEFORE;
  typedef half2 Weight;
  typedef HalfSums Part;

  /* one conversion for both */
  static __device__ void
  convert (half2 (&to)[2], const float (&from)[2])
  {
    const half2 both = __floats2half2_rn (from[0], from[1]);

    to[0] = __low2half2 (both);
    to[1] = __high2half2 (both);
  }

  static __device__ Part
  begin (const float (&)[4])
  {
    return { as_half2 (0), as_half2 (0) };
  }

  static __device__ void
  end (float (&sums)[4], const Part &part)
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
  add (Part &part, const Type *cell, Weight weight)
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
  add (Part &part, const Type *cell, Weight weight)
  {
    part.sums[0] += fmaf (weight, cell->y, cell->x);
  }
};

/* In half precision one or two slices would gain nothing: what they wait for is
 * not memory. */
template <int N_SLICES>
struct Cell<LINEAR, FAST, N_SLICES> : Cell<LINEAR, FULL, N_SLICES>
{
};

template <> struct Cell<LINEAR, FAST, 4> : HalfCell
{
  typedef uint2 Type; /* the interval's mean; its difference */
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF_PAIR4;
  static constexpr int N_PARTS = 2, N_BEFORE = 1;
  static constexpr CellPlace PLACE = AROUND;

  static __device__ void
  add (Part &part, const Type *cell, Weight weight)
  {
    add_half (part, cell[0]);
    add_half (part, cell[1], weight);
  }
};

template <> struct Cell<NEAREST, FULL, 4> : FloatCell<4>
{
  typedef float4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT4;
  static constexpr CellPlace PLACE = NEAREST_COLUMN;

  static __device__ void
  add (Part &part, const Type *cell, Weight)
  {
    ::add (part.sums, *cell, 1.0f);
  }
};

template <> struct Cell<NEAREST, FAST, 4> : HalfCell
{
  typedef uint2 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF4;
  static constexpr CellPlace PLACE = NEAREST_COLUMN;

  static __device__ void
  add (Part &part, const Type *cell, Weight)
  {
    add_half (part, *cell);
  }
};

template <> struct Cell<NEAREST, FULL, 2> : FloatCell<2>
{
  typedef float2 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT2;
  static constexpr CellPlace PLACE = NEAREST_COLUMN;

  static __device__ void
  add (Part &part, const Type *cell, Weight)
  {
    ::add (part.sums, *cell, 1.0f);
  }
};

template <> struct Cell<NEAREST, FULL, 1> : FloatCell<1>
{
  typedef float Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT;
  static constexpr CellPlace PLACE = NEAREST_COLUMN;

  static __device__ void
  add (Part &part, const Type *cell, Weight)
  {
    ::add (part.sums, *cell, 1.0f);
  }
};

template <int N_SLICES>
struct Cell<NEAREST, FAST, N_SLICES> : Cell<NEAREST, FULL, N_SLICES>
{
};

/* Nearest of four times as many; who launches counts columns in quarters. */
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

template <int N_SLICES>
struct Cell<OVERSAMPLED, FAST, N_SLICES> : Cell<OVERSAMPLED, FULL, N_SLICES>
{
};

/* A polynomial of t, which is the Weight. */
template <int N_SLICES> struct CubicCell : FloatCell<N_SLICES>
{
  typedef float4 Type;
  static constexpr int N_PARTS = N_SLICES, N_BEFORE = 2, N_BEHIND = 1;
  static constexpr CellPlace PLACE = AROUND;

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
  add (Part &part, const Type *a, Weight t)
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
  add (Part &part, const Type *a, Weight t)
  {
    part.sums[0] += evaluate (a[0].x, a[0].z, a[1].x, a[1].z, t);
    part.sums[1] += evaluate (a[0].y, a[0].w, a[1].y, a[1].w, t);
  }
};

template <> struct Cell<CUBIC, FULL, 1> : CubicCell<1>
{
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_CUBIC;

  static __device__ void
  add (Part &part, const Type *a, Weight t)
  {
    part.sums[0] += evaluate (a->x, a->y, a->z, a->w, t);
  }
};

template <int N_SLICES>
struct Cell<CUBIC, FAST, N_SLICES> : Cell<CUBIC, FULL, N_SLICES>
{
};

template <> struct Cell<CUBIC, FAST, 4> : HalfCell
{
  typedef uint4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF_CUBIC4;
  static constexpr int N_PARTS = 2, N_BEFORE = 2, N_BEHIND = 1;
  static constexpr CellPlace PLACE = AROUND;

  static __device__ half2
  evaluate (unsigned a0, unsigned a1, unsigned a2, unsigned a3, half2 t)
  {
    const half2 slope =
        __hfma2 (__hfma2 (as_half2 (a3), t, as_half2 (a2)), t, as_half2 (a1));

    return __hfma2 (slope, t, as_half2 (a0));
  }

  static __device__ void
  add (Part &part, const Type *a, Weight t)
  {
    part.s01 = __hadd2 (part.s01, evaluate (a[0].x, a[0].z, a[1].x, a[1].z, t));
    part.s23 = __hadd2 (part.s23, evaluate (a[0].y, a[0].w, a[1].y, a[1].w, t));
  }
};
