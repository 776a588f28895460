/* Texture: several slices in a texel and several pixels in a thread, after
 * Chilingaryan et al., "Balancing load of GPU subsystems to accelerate image
 * reconstruction in parallel beam tomography", section on the texture-based
 * kernel. Formula, symbols and memory layout: backproject.cuh.
 *
 * A texel with the values of 2 or 4 slices costs as much to fetch as one with
 * one value, up to 64 bits. 16 threads make a square, numbered along a Z, so
 * that what they fetch lies close together. All threads of a warp are on the
 * same ray. Linear interpolation is done in quads (quads.cuh).
 *
 * There are both of the paper's mappings. In the simpler one a
 * block's 256 threads are all on the same ray (square-map.cuh, quad-map.cuh).
 * In that with quarters ("texture-quarters") the block has 16 x 16 pixels and
 * four groups of threads, each with a quarter of the rays, whose sums are
 * joined at the end: more blocks for a small picture (quarter-map.cuh).
 */
#include "gpu/cuda/backproject/texture.h"

#include "gpu/cuda/backproject/quads.cuh"
#include "gpu/cuda/backproject/quarter-map.cuh"

template <class Map, TlCudaLayout LAYOUT, int N_SLICES>
static __global__ void
__launch_bounds__ (Map::N_THREADS, Map::N_BLOCKS)
    quad_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ Ray rays[Map::N_THREADS];
  const Place place = Map::place (threadIdx.x);
  const Job job = find_job<Map> (a, blockIdx.x);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  sum_quads<Map> (a, job, place, rays, sums);
  store_groups<Map, LAYOUT> (a, job, place, rays, sums);
}

template <class Map, TlCudaLayout LAYOUT, int N_SLICES>
static int
launch_quads (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  if (a->pitch > MAX_QUAD_PITCH)
    return launch<Map, LINEAR, LAYOUT, N_SLICES> (a, stream);
  quad_kernel<Map, LAYOUT, N_SLICES>
      <<<count_tiles<Map> (*a), Map::N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

template <class Map, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe_texture (const char *name)
{
  constexpr TlCudaLayout LAYOUT = layout_of (PRECISION, N_SLICES);

  if (INTERPOLATION == LINEAR)
    return { name, LAYOUT, 0, TL_CUDA_LAYOUT_NONE,
             launch_quads<Map, LAYOUT, N_SLICES> };
  return { name, LAYOUT, 0, TL_CUDA_LAYOUT_NONE,
           launch<Map, INTERPOLATION, LAYOUT, N_SLICES> };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, kernel, interpolation, precision, n_slices, map)         \
  describe_texture<map, interpolation, precision, n_slices> (name),
#include "gpu/cuda/backproject/texture.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_texture_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
