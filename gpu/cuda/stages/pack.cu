/* Crops filtered lines to the detector and writes them as texels, into a CUDA
 * array or plain memory.
 *
 *   texel (ray p, column k), component s = line p * n_rows + first_row + s at
 *   column k, or what layout.h makes of such values
 *
 * With a fold (gpu/stages/fold.h) the lines are those of the ray's sources,
 * some of them mirrored.
 *
 * lines: [projection][row][length] real numbers; two of them may be interleaved
 * as the parts of a complex row. texels: layout.h. A thread writes one texel,
 * and neighbouring threads write neighbouring texels.
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/device/device.cuh"
#include "gpu/cuda/backproject/half-precision.cuh"

#include <cuda_fp16.h>

/* The size of a block of 256 threads. The columns of a warp fill whole lines of
 * memory. */
constexpr unsigned N_COLS = 64, N_RAYS = 4;

/* Column col of one line; 0 outside the row. */
static __device__ inline float
read_line (const TlCudaPackArgs &a, size_t line, int col)
{
  if (col < 0 || col >= (int)a.n_cols)
    return 0.0f;
  return a.lines[(line >> a.interleaved) * a.line_stride
                 + (col << a.interleaved) + (line & a.interleaved)];
}

/* A ray's component at column col, which is counted as in the texels. */
static __device__ float
read_component (const TlCudaPackArgs &a, size_t ray, int component, int col)
{
  if (a.n_folded == 0)
    {
      const size_t row = a.first_row + component;

      return row < a.n_rows ? read_line (a, ray * a.n_rows + row, col) : 0.0f;
    }
  const int turn = a.n_folded == 4 ? component % 2 : 0;
  const bool is_half_turn = component >= a.n_folded / 2;
  const int source = a.sources[2 * ray + turn];
  const int from = col + a.first_col;

  if (source == 0)
    return 0.0f;
  return read_line (a, (abs (source) - 1) * a.n_rows + a.first_row,
                    (source < 0) != is_half_turn ? a.mirror_col - from : from);
}

/* make() returns texel k, or writes texel k of each of N_PARTS parts. */
template <TlCudaLayout LAYOUT> struct Packer;

/* The bits of four halves. */
static __device__ ushort4
to_halves (const float (&values)[4], float scale)
{
  return make_ushort4 (__half_as_ushort (__float2half_rn (values[0] * scale)),
                       __half_as_ushort (__float2half_rn (values[1] * scale)),
                       __half_as_ushort (__float2half_rn (values[2] * scale)),
                       __half_as_ushort (__float2half_rn (values[3] * scale)));
}

/* The bits of eight halves. */
static __device__ uint4
to_halves (const float (&first)[4], const float (&last)[4], float scale)
{
  const ushort4 f = to_halves (first, scale), l = to_halves (last, scale);

  return make_uint4 (f.x | (unsigned)f.y << 16, f.z | (unsigned)f.w << 16,
                     l.x | (unsigned)l.y << 16, l.z | (unsigned)l.w << 16);
}

static __device__ uint4
to_halves (const float (&values)[8])
{
  const float first[4] = { values[0], values[1], values[2], values[3] };
  const float last[4] = { values[4], values[5], values[6], values[7] };

  return to_halves (first, last, 1.0f);
}

/* --- values --- */

/* The value of one slice at texel k, with N texels a column: 1, or 4 for the
 * quarters of layout.h. */
template <int N>
static __device__ float
read_value (const TlCudaPackArgs &a, size_t p, int slice, int k)
{
  if constexpr (N == 1)
    return read_component (a, p, slice, k);

  const float left = read_component (a, p, slice, k / N - 1);

  return fmaf ((float)(k % N) / N, read_component (a, p, slice, k / N) - left,
               left);
}

template <int N> struct ValuePacker
{
  typedef float Texel;

  static constexpr int N_PARTS = 1;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, int k)
  {
    return read_value<N> (a, p, 0, k);
  }
};

template <int N> struct ValuePacker4
{
  typedef float4 Texel;

  static constexpr int N_PARTS = 1;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, int k)
  {
    return make_float4 (read_value<N> (a, p, 0, k), read_value<N> (a, p, 1, k),
                        read_value<N> (a, p, 2, k), read_value<N> (a, p, 3, k));
  }
};

template <int N> struct HalfValuePacker4
{
  typedef ushort4 Texel;

  static constexpr int N_PARTS = 1;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, int k)
  {
    const float4 v = ValuePacker4<N>::make (a, p, k);
    const float values[4] = { v.x, v.y, v.z, v.w };

    return to_halves (values, 1.0f / half_unit (*a.peak));
  }
};

template <> struct Packer<TL_CUDA_LAYOUT_FLOAT> : ValuePacker<1>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_FLOAT4> : ValuePacker4<1>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_HALF4> : HalfValuePacker4<1>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_QUARTER> : ValuePacker<4>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_QUARTER4> : ValuePacker4<4>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_HALF_QUARTER4> : HalfValuePacker4<4>
{
};

template <> struct Packer<TL_CUDA_LAYOUT_FLOAT2>
{
  typedef float2 Texel;

  static constexpr int N_PARTS = 1;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, int k)
  {
    return make_float2 (read_component (a, p, 0, k),
                        read_component (a, p, 1, k));
  }
};

/* --- values and differences --- */

/* Texel k is column k - 1. */
template <> struct Packer<TL_CUDA_LAYOUT_PAIR>
{
  typedef float2 Texel;

  static constexpr int N_PARTS = 1;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, int k)
  {
    const float value = read_component (a, p, 0, k - 1);

    return make_float2 (value, read_component (a, p, 0, k) - value);
  }
};

/* Texel k is column k - 1. */
template <> struct Packer<TL_CUDA_LAYOUT_PAIR2>
{
  typedef float4 Texel;

  static constexpr int N_PARTS = 1;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, int k)
  {
    const float value0 = read_component (a, p, 0, k - 1);
    const float value1 = read_component (a, p, 1, k - 1);

    return make_float4 (value0, value1, read_component (a, p, 0, k) - value0,
                        read_component (a, p, 1, k) - value1);
  }
};

/* Texel k of a part is column k - 1. */
template <> struct Packer<TL_CUDA_LAYOUT_HALF_PAIR4>
{
  typedef ushort4 Texel;
  static constexpr int N_PARTS = 2;

  static __device__ void
  make (const TlCudaPackArgs &a, size_t p, int k, Texel (&parts)[N_PARTS])
  {
    const float scale = 1.0f / half_unit (*a.peak);
    float means[4], differences[4];

#pragma unroll
    for (int s = 0; s < 4; s++)
      {
        const float left = read_component (a, p, s, k - 1);
        const float right = read_component (a, p, s, k);

        means[s] = 0.5f * (left + right);
        differences[s] = right - left;
      }
    parts[0] = to_halves (means, scale);
    parts[1] = to_halves (differences, scale);
  }
};

/* --- polynomials --- */

/* Texel k, which begins at column k - 2. */
static __device__ float4
make_cubic (const TlCudaPackArgs &a, size_t p, int slice, int k)
{
  float c[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    c[i] = read_component (a, p, slice, k + i - 3);
  return make_float4 ((c[0] + c[3] + 23.0f * (c[1] + c[2])) / 48.0f,
                      (c[3] - c[0] + 5.0f * (c[2] - c[1])) / 8.0f,
                      (c[0] + c[3] - (c[1] + c[2])) / 4.0f,
                      (c[3] - c[0] + 3.0f * (c[1] - c[2])) / 6.0f);
}

template <> struct Packer<TL_CUDA_LAYOUT_CUBIC2>
{
  typedef float4 Texel;
  static constexpr int N_PARTS = 2;

  static __device__ void
  make (const TlCudaPackArgs &a, size_t p, int k, Texel (&parts)[N_PARTS])
  {
    const float4 q0 = make_cubic (a, p, 0, k), q1 = make_cubic (a, p, 1, k);

    parts[0] = make_float4 (q0.x, q1.x, q0.y, q1.y);
    parts[1] = make_float4 (q0.z, q1.z, q0.w, q1.w);
  }
};

template <> struct Packer<TL_CUDA_LAYOUT_CUBIC4>
{
  typedef float4 Texel;
  static constexpr int N_PARTS = 4;

  static __device__ void
  make (const TlCudaPackArgs &a, size_t p, int k, Texel (&parts)[N_PARTS])
  {
    const float4 q0 = make_cubic (a, p, 0, k), q1 = make_cubic (a, p, 1, k);
    const float4 q2 = make_cubic (a, p, 2, k), q3 = make_cubic (a, p, 3, k);

    parts[0] = make_float4 (q0.x, q1.x, q2.x, q3.x);
    parts[1] = make_float4 (q0.y, q1.y, q2.y, q3.y);
    parts[2] = make_float4 (q0.z, q1.z, q2.z, q3.z);
    parts[3] = make_float4 (q0.w, q1.w, q2.w, q3.w);
  }
};

template <> struct Packer<TL_CUDA_LAYOUT_HALF_CUBIC4>
{
  typedef uint4 Texel;
  static constexpr int N_PARTS = 2;

  static __device__ void
  make (const TlCudaPackArgs &a, size_t p, int k, Texel (&parts)[N_PARTS])
  {
    const float scale = 1.0f / half_unit (*a.peak);
    float a0[4], a1[4], a2[4], a3[4];

#pragma unroll
    for (int s = 0; s < 4; s++)
      {
        const float4 q = make_cubic (a, p, s, k);

        a0[s] = q.x;
        a1[s] = q.y;
        a2[s] = q.z;
        a3[s] = q.w;
      }
    parts[0] = to_halves (a0, a1, scale);
    parts[1] = to_halves (a2, a3, scale);
  }
};

/* --- many slices --- */

/* Parts of 8 slices in half precision; the lower parts are what the upper ones
 * have rounded off. */
template <int N_GROUPS, bool IS_SPLIT> struct ManyPacker
{
  typedef uint4 Texel;
  static constexpr int N_PARTS = IS_SPLIT ? 2 * N_GROUPS : N_GROUPS;

  static __device__ void
  make (const TlCudaPackArgs &a, size_t p, int k, Texel (&parts)[N_PARTS])
  {
    const float scale = 1.0f / half_unit (*a.peak);

#pragma unroll
    for (int g = 0; g < N_GROUPS; g++)
      {
        float upper[8], lower[8];

#pragma unroll
        for (int s = 0; s < 8; s++)
          {
            upper[s] = read_component (a, p, 8 * g + s, k) * scale;
            lower[s] = upper[s] - __half2float (__float2half_rn (upper[s]));
          }
        parts[g] = to_halves (upper);
        if constexpr (IS_SPLIT)
          parts[N_GROUPS + g] = to_halves (lower);
      }
  }
};

template <> struct Packer<TL_CUDA_LAYOUT_HALF8> : ManyPacker<1, false>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_HALF16> : ManyPacker<2, false>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_HALF32> : ManyPacker<4, false>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_TWO_HALVES16> : ManyPacker<2, true>
{
};
template <> struct Packer<TL_CUDA_LAYOUT_TWO_HALVES32> : ManyPacker<4, true>
{
};

/* --- the kernel --- */

template <TlCudaLayout LAYOUT>
static __global__ void
pack_kernel (TlCudaPackArgs a)
{
  typedef typename Packer<LAYOUT>::Texel Texel;
  constexpr int N_PARTS = Packer<LAYOUT>::N_PARTS;
  const unsigned n_blocks = ceil_div (a.n_rays, N_RAYS); /* of a group */
  const unsigned group = blockIdx.x / n_blocks;
  const size_t k = (size_t)blockIdx.y * N_COLS + threadIdx.x;
  const size_t p = (size_t)(blockIdx.x % n_blocks) * N_RAYS + threadIdx.y;
  const size_t ray = a.first_ray + p;

  a.first_row += group * a.group_rows;
  if (a.cells != nullptr)
    a.cells = static_cast<char *> (a.cells) + group * a.group_bytes;
  if (k >= a.n_texels / N_PARTS || p >= a.n_rays)
    return;
  if constexpr (N_PARTS == 1 && LAYOUT != TL_CUDA_LAYOUT_HALF8)
    {
      const Texel texel = Packer<LAYOUT>::make (a, p, (int)k);

      if (a.cells != nullptr)
        static_cast<Texel *> (a.cells)[ray * a.cell_stride + k] = texel;
      else
        surf2Dwrite<Texel> (texel, a.surface, (int)(k * sizeof (Texel)),
                            (int)ray);
    }
  else
    {
      Texel parts[N_PARTS];

      Packer<LAYOUT>::make (a, p, (int)k, parts);
#pragma unroll
      for (int i = 0; i < N_PARTS; i++)
        static_cast<Texel *> (
            a.cells)[(ray * N_PARTS + i) * a.cell_stride + k] = parts[i];
    }
}

template <TlCudaLayout LAYOUT>
static int
launch (const TlCudaPackArgs *a, cudaStream_t stream)
{
  /* there may be more rays than grid y has blocks */
  const dim3 grid (ceil_div (a->n_rays, N_RAYS) * (unsigned)a->n_groups,
                   ceil_div (a->n_texels / Packer<LAYOUT>::N_PARTS, N_COLS));

  pack_kernel<LAYOUT><<<grid, dim3 (N_COLS, N_RAYS), 0, stream>>> (*a);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_pack (const TlCudaPackArgs *args, cudaStream_t stream)
{
  switch (args->layout)
    {
#define CASE(name)                                                             \
  case TL_CUDA_LAYOUT_##name:                                                  \
    return launch<TL_CUDA_LAYOUT_##name> (args, stream);
      CASE (FLOAT)
      CASE (PAIR)
      CASE (FLOAT2)
      CASE (FLOAT4)
      CASE (HALF4)
      CASE (PAIR2)
      CASE (HALF_PAIR4)
      CASE (QUARTER)
      CASE (QUARTER4)
      CASE (HALF_QUARTER4)
      CASE (CUBIC2)
      CASE (CUBIC4)
      CASE (HALF_CUBIC4)
      CASE (HALF8)
      CASE (HALF16)
      CASE (HALF32)
      CASE (TWO_HALVES16)
      CASE (TWO_HALVES32)
#undef CASE
    case TL_CUDA_LAYOUT_NONE:
    case TL_CUDA_N_LAYOUTS:
      break;
    }
  return cudaErrorInvalidValue;
}
