/* Crops filtered lines to the detector and writes them as texels, into a CUDA
 * array or plain memory.
 *
 *   texel (projection p, column k), component s = line p * n_rows + first_row
 *   + s at k
 *
 * lines: [projection][row][length] real numbers, two lines interleaved as the
 * parts of a complex row; texels: layout.h. A thread writes one texel;
 * neighbours write neighbours.
 */
#include "gpu/cuda/pack.h"

#include "gpu/cuda/device.cuh"
#include "gpu/cuda/half.cuh"

#include <cuda_fp16.h>

/* Of a block: a warp's columns are whole lines of memory, 256 threads. */
constexpr unsigned N_COLS = 64, N_PROJECTIONS = 4;

/* Column col of one slice of the group, 0 outside. */
static __device__ float
read_line (const TlCudaPackArgs &a, size_t projection, size_t slice, size_t col)
{
  const size_t row = a.first_row + slice;
  const size_t line = projection * a.n_rows + row;

  if (row >= a.n_rows || col >= a.n_cols)
    return 0.0f;
  return a.lines[(((line / 2) << a.length_log2) + col) * 2 + line % 2];
}

template <TlCudaLayout LAYOUT> struct Packer;

template <> struct Packer<TL_CUDA_LAYOUT_FLOAT>
{
  static constexpr size_t n_more_texels = 0;
  typedef float Texel;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, size_t k)
  {
    return read_line (a, p, 0, k);
  }
};

/* The bits of four halves. */
static __device__ ushort4
to_halves (const float (&values)[4], float scale)
{
  return make_ushort4 (__half_as_ushort (__float2half_rn (values[0] * scale)),
                       __half_as_ushort (__float2half_rn (values[1] * scale)),
                       __half_as_ushort (__float2half_rn (values[2] * scale)),
                       __half_as_ushort (__float2half_rn (values[3] * scale)));
}

/* Texel k is column k - 1. */
template <> struct Packer<TL_CUDA_LAYOUT_PAIR>
{
  static constexpr size_t n_more_texels = 1;
  typedef float2 Texel;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, size_t k)
  {
    const float value = k > 0 ? read_line (a, p, 0, k - 1) : 0.0f;

    return make_float2 (value, read_line (a, p, 0, k) - value);
  }
};

template <> struct Packer<TL_CUDA_LAYOUT_FLOAT2>
{
  static constexpr size_t n_more_texels = 0;
  typedef float2 Texel;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, size_t k)
  {
    return make_float2 (read_line (a, p, 0, k), read_line (a, p, 1, k));
  }
};

template <> struct Packer<TL_CUDA_LAYOUT_FLOAT4>
{
  static constexpr size_t n_more_texels = 0;
  typedef float4 Texel;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, size_t k)
  {
    return make_float4 (read_line (a, p, 0, k), read_line (a, p, 1, k),
                        read_line (a, p, 2, k), read_line (a, p, 3, k));
  }
};

template <> struct Packer<TL_CUDA_LAYOUT_HALF4>
{
  static constexpr size_t n_more_texels = 0;
  typedef ushort4 Texel;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, size_t k)
  {
    const float values[4] = { read_line (a, p, 0, k), read_line (a, p, 1, k),
                              read_line (a, p, 2, k), read_line (a, p, 3, k) };

    return to_halves (values, 1.0f / half_unit (*a.peak));
  }
};

/* Texel k is column k - 1. */
template <> struct Packer<TL_CUDA_LAYOUT_PAIR2>
{
  static constexpr size_t n_more_texels = 1;
  typedef float4 Texel;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, size_t k)
  {
    const float value0 = k > 0 ? read_line (a, p, 0, k - 1) : 0.0f;
    const float value1 = k > 0 ? read_line (a, p, 1, k - 1) : 0.0f;

    return make_float4 (value0, value1, read_line (a, p, 0, k) - value0,
                        read_line (a, p, 1, k) - value1);
  }
};

/* Texel k is column k - 1. */
template <> struct Packer<TL_CUDA_LAYOUT_HALF_PAIR4>
{
  static constexpr size_t n_more_texels = 1;
  typedef uint4 Texel;

  static __device__ Texel
  make (const TlCudaPackArgs &a, size_t p, size_t k)
  {
    const float scale = 1.0f / half_unit (*a.peak);
    float values[4], differences[4];
    ushort4 v, d;

    for (int s = 0; s < 4; s++)
      {
        values[s] = k > 0 ? read_line (a, p, s, k - 1) : 0.0f;
        differences[s] = read_line (a, p, s, k) - values[s];
      }
    v = to_halves (values, scale);
    d = to_halves (differences, scale);
    return make_uint4 (v.x | (unsigned)v.y << 16, v.z | (unsigned)v.w << 16,
                       d.x | (unsigned)d.y << 16, d.z | (unsigned)d.w << 16);
  }
};

template <TlCudaLayout LAYOUT>
static __global__ void
pack_kernel (const TlCudaPackArgs a)
{
  typedef typename Packer<LAYOUT>::Texel Texel;
  const size_t k = (size_t)blockIdx.x * N_COLS + threadIdx.x;
  const size_t p = (size_t)blockIdx.y * N_PROJECTIONS + threadIdx.y;

  const size_t n_texels = a.n_cols + Packer<LAYOUT>::n_more_texels;

  if (k >= n_texels || p >= a.n_projections)
    return;
  const Texel texel = Packer<LAYOUT>::make (a, p, k);
  if (a.cells != nullptr)
    static_cast<Texel *> (a.cells)[(a.first_projection + p) * n_texels + k] =
        texel;
  else
    surf2Dwrite<Texel> (texel, a.surface, (int)(k * sizeof (Texel)),
                        (int)(a.first_projection + p));
}

template <TlCudaLayout LAYOUT>
static int
launch (const TlCudaPackArgs *a, cudaStream_t stream)
{
  const size_t n_texels = a->n_cols + Packer<LAYOUT>::n_more_texels;
  const dim3 grid (ceil_div (n_texels, N_COLS),
                   ceil_div (a->n_projections, N_PROJECTIONS));

  pack_kernel<LAYOUT><<<grid, dim3 (N_COLS, N_PROJECTIONS), 0, stream>>> (*a);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_pack (const TlCudaPackArgs *args, cudaStream_t stream)
{
  switch (args->layout)
    {
    case TL_CUDA_LAYOUT_FLOAT:
      return launch<TL_CUDA_LAYOUT_FLOAT> (args, stream);
    case TL_CUDA_LAYOUT_PAIR:
      return launch<TL_CUDA_LAYOUT_PAIR> (args, stream);
    case TL_CUDA_LAYOUT_FLOAT2:
      return launch<TL_CUDA_LAYOUT_FLOAT2> (args, stream);
    case TL_CUDA_LAYOUT_FLOAT4:
      return launch<TL_CUDA_LAYOUT_FLOAT4> (args, stream);
    case TL_CUDA_LAYOUT_HALF4:
      return launch<TL_CUDA_LAYOUT_HALF4> (args, stream);
    case TL_CUDA_LAYOUT_PAIR2:
      return launch<TL_CUDA_LAYOUT_PAIR2> (args, stream);
    case TL_CUDA_LAYOUT_HALF_PAIR4:
      return launch<TL_CUDA_LAYOUT_HALF_PAIR4> (args, stream);
    case TL_CUDA_LAYOUT_NONE:
    case TL_CUDA_N_LAYOUTS:
      break;
    }
  return cudaErrorInvalidValue;
}
