/* The kernels and variants that fetch texels: texture.cuh has the method. */
#include "gpu/cuda/backproject/texture.cuh"

template <class Tile, TlCudaLayout LAYOUT, int N_SLICES>
static __global__ void
__launch_bounds__ (Tile::N_THREADS, Tile::N_BLOCKS)
    quad_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ Ray rays[Tile::N_THREADS];
  const Index pixel = Tile::first_pixel (threadIdx.x);
  const Job job = find_job<Tile> (a, blockIdx.x);
  float sums[Tile::N_PIXELS][N_SLICES] = {};

  sum_quads<Tile> (a, job, pixel, rays, sums);
  store_groups<Tile, LAYOUT> (a, job, pixel, rays, sums);
}

template <class Tile, TlCudaLayout LAYOUT, int N_SLICES>
static int
launch_quads (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  if (a->pitch > MAX_QUAD_PITCH)
    return launch_texels<Tile, LINEAR, LAYOUT, N_SLICES> (a, stream);
  quad_kernel<Tile, LAYOUT, N_SLICES>
      <<<count_tiles<Tile> (*a), Tile::N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

template <class Tile, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe_texture (const char *name)
{
  constexpr TlCudaLayout LAYOUT = layout_of (PRECISION, N_SLICES);

  if (INTERPOLATION == LINEAR)
    return { name,
             LAYOUT,
             0,
             TL_CUDA_LAYOUT_NONE,
             launch_quads<Tile, LAYOUT, N_SLICES>,
             nullptr };
  return { name,
           LAYOUT,
           0,
           TL_CUDA_LAYOUT_NONE,
           launch_texels<Tile, INTERPOLATION, LAYOUT, N_SLICES>,
           nullptr };
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
