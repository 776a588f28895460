/* Cells: what shared memory keeps of a column, and how it is added up. They are
 * the texels of layout.h. */
#pragma once

#include "gpu/cuda/backproject.cuh"

#include <cuda_fp16.h>

/* Half precision: sums of a few projections, added to floats then. */
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
flush (float (&sums)[4], const HalfSums &part)
{
  const float2 s01 = __half22float2 (part.s01);
  const float2 s23 = __half22float2 (part.s23);

  sums[0] += s01.x;
  sums[1] += s01.y;
  sums[2] += s23.x;
  sums[3] += s23.y;
}

/* A Cell has
 *   Type        in memory, LAYOUT    N_BEFORE   cells before column 0
 *   READS_NEXT  the next cell too    unit (a)   what its 1 stands for
 *   Part        sums of a few projections; begin, add, end
 *   Weight      of the next column, as add wants it; convert makes two
 */
template <int N_SLICES> struct FloatCell
{
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

template <> struct Cell<LINEAR, FULL, 4> : FloatCell<4>
{
  typedef float4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT4;
  static constexpr int N_BEFORE = 0;
  static constexpr bool READS_NEXT = true;

  static __device__ void
  add (Part &part, Type cell, Type next, Weight weight)
  {
    ::add (part.sums, cell, 1.0f - weight);
    ::add (part.sums, next, weight);
  }
};

template <> struct Cell<LINEAR, FULL, 2> : FloatCell<2>
{
  typedef float4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_PAIR2;
  static constexpr int N_BEFORE = 1;
  static constexpr bool READS_NEXT = false;

  static __device__ void
  add (Part &part, Type cell, Type, Weight weight)
  {
    part.sums[0] += fmaf (weight, cell.z, cell.x);
    part.sums[1] += fmaf (weight, cell.w, cell.y);
  }
};

template <> struct Cell<LINEAR, FULL, 1> : FloatCell<1>
{
  typedef float2 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_PAIR;
  static constexpr int N_BEFORE = 1;
  static constexpr bool READS_NEXT = false;

  static __device__ void
  add (Part &part, Type cell, Type, Weight weight)
  {
    part.sums[0] += fmaf (weight, cell.y, cell.x);
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
  typedef uint4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF_PAIR4;
  static constexpr int N_BEFORE = 1;
  static constexpr bool READS_NEXT = false;

  static __device__ void
  add (Part &part, Type cell, Type, Weight weight)
  {
    part.s01 = __hadd2 (part.s01,
                        __hfma2 (as_half2 (cell.z), weight, as_half2 (cell.x)));
    part.s23 = __hadd2 (part.s23,
                        __hfma2 (as_half2 (cell.w), weight, as_half2 (cell.y)));
  }
};

template <> struct Cell<NEAREST, FULL, 4> : FloatCell<4>
{
  typedef float4 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_FLOAT4;
  static constexpr int N_BEFORE = 0;
  static constexpr bool READS_NEXT = false;

  static __device__ void
  add (Part &part, Type cell, Type, Weight)
  {
    ::add (part.sums, cell, 1.0f);
  }
};

template <> struct Cell<NEAREST, FAST, 4> : HalfCell
{
  typedef uint2 Type;
  static constexpr TlCudaLayout LAYOUT = TL_CUDA_LAYOUT_HALF4;
  static constexpr int N_BEFORE = 0;
  static constexpr bool READS_NEXT = false;

  static __device__ void
  add (Part &part, Type cell, Type, Weight)
  {
    part.s01 = __hadd2 (part.s01, as_half2 (cell.x));
    part.s23 = __hadd2 (part.s23, as_half2 (cell.y));
  }
};
