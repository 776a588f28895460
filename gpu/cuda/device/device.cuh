/* What all kernels share: the size of a block, index arithmetic, texture
 * fetches.
 *
 * Columns and rays count from the centre of element 0; CUDA's textures have
 * that centre at 0.5. The half is added here and nowhere else.
 */
#pragma once

#include <cuda_runtime.h>

/* Threads of a block, unless a kernel needs another number: a multiprocessor
 * holds 1024, 1536 or 2048 threads, which is a whole number of blocks. */
constexpr int N_THREADS = 256;

static __host__ __device__ inline unsigned
ceil_div (size_t n, unsigned by)
{
  return (unsigned)((n + by - 1) / by);
}

/* The type of a texel with N components, as a fetch returns it; half precision
 * comes back as float too. */
template <int N> struct Texel;
template <> struct Texel<1>
{
  typedef float Type;
};
template <> struct Texel<2>
{
  typedef float2 Type;
};
template <> struct Texel<4>
{
  typedef float4 Type;
};

/* A column or ray as textures count them. */
static __device__ inline float
to_texture (float coordinate)
{
  return coordinate + 0.5f;
}

/* The texel at (x, y), both from to_texture(). If the texture interpolates, it
 * does so along x; y belongs to a whole ray. */
template <int N>
static __device__ inline typename Texel<N>::Type
fetch (cudaTextureObject_t texture, float x, float y)
{
  return tex2D<typename Texel<N>::Type> (texture, x, y);
}

/* sums[k] += weight * component k of the texel */
static __device__ inline void
add (float (&sums)[1], float texel, float weight)
{
  sums[0] = fmaf (weight, texel, sums[0]);
}

static __device__ inline void
add (float (&sums)[2], float2 texel, float weight)
{
  sums[0] = fmaf (weight, texel.x, sums[0]);
  sums[1] = fmaf (weight, texel.y, sums[1]);
}

static __device__ inline void
add (float (&sums)[4], float4 texel, float weight)
{
  sums[0] = fmaf (weight, texel.x, sums[0]);
  sums[1] = fmaf (weight, texel.y, sums[1]);
  sums[2] = fmaf (weight, texel.z, sums[2]);
  sums[3] = fmaf (weight, texel.w, sums[3]);
}
