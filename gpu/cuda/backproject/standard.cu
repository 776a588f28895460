/* Standard: a thread for each pixel, after Chilingaryan et al., "Balancing load
 * of GPU subsystems to accelerate image reconstruction in parallel beam
 * tomography", who call this the standard approach, the usual one. Formula,
 * symbols and memory: backproject.cuh.
 *
 * Each thread goes through all rays, finds the column h that the line through
 * its pixel hits, fetches the row's value there, and adds it to its sum. The
 * fetches of the texture unit limit the rate.
 *
 * There are two kinds of linear interpolation:
 *
 * - full precision: the core interpolates. A texel is (q[k], q[k + 1] - q[k]),
 *   so that one fetch of 8 bytes and one multiply-add make a value.
 * - fast precision: the texture unit interpolates, with cudaFilterModeLinear,
 *   as in the paper and in most programs. This is the textbook kernel, here to
 *   compare the others with; bench alone uses it. The texture unit's weights
 *   have 8 fractional bits. So a value is off by up to 1/512 of the step
 *   between two columns, and a slice of white noise, which is all steps, by
 *   3.0e-3 (relative L2).
 */
#include "gpu/cuda/backproject/backproject.cuh"

struct StandardTile : OneGroup
{
  static constexpr int WIDTH = 16, HEIGHT = 16, N_THREADS = 256;
  static constexpr int N_PIXELS = 1;
  static constexpr int N_UNROLLED = 4; /* rays whose fetches are in flight */
  static constexpr int N_BLOCKS = 8;   /* 32 registers, so that all threads
                                          are resident */

  static __device__ Index
  first_pixel (int thread)
  {
    return { thread % WIDTH, thread / WIDTH };
  }

  static __host__ __device__ constexpr Index
  pixel_offset (int)
  {
    return { 0, 0 };
  }
};

/* Adds the row's value at column whole + rest, whole being a whole number; y is
 * the ray's, as textures count it. */
template <Interpolation INTERPOLATION, Precision PRECISION>
static __device__ inline void
add_value (float (&sum)[1], cudaTextureObject_t texture, float whole,
           float rest, float y)
{
  if constexpr (INTERPOLATION == NEAREST)
    add_nearest (sum, texture, whole, rest, y);
  else if constexpr (PRECISION == FAST)
    add (sum, fetch<1> (texture, to_texture (whole + rest), y), 1.0f);
  else
    {
      const float down = floorf (rest), weight = rest - down;
      const float x = to_texture (whole + down);

      if constexpr (INTERPOLATION == CUBIC)
        add_spline (sum, texture, x, weight, y);
      else
        {
          /* the pair of column k is texel k + 1 */
          const float2 pair = fetch<2> (texture, x + 1.0f, y);

          sum[0] += fmaf (weight, pair.y, pair.x);
        }
    }
}

template <Interpolation INTERPOLATION, Precision PRECISION>
static __global__ void
__launch_bounds__ (StandardTile::N_THREADS, StandardTile::N_BLOCKS)
    standard_kernel (const TlCudaBackprojectArgs a)
{
  typedef StandardTile Tile;
  constexpr int N = Tile::N_UNROLLED;
  __shared__ Ray rays[Tile::N_THREADS];
  const Index pixel = Tile::first_pixel (threadIdx.x);
  const Job job = find_job<Tile> (a, blockIdx.x);
  float sum[1][1] = {}; /* [pixel][slice] */
  const Position position = find_position<Tile> (pixel);

  for (size_t first = 0; first < job.n_rays; first += Tile::N_THREADS)
    {
      float y = to_texture ((float)(job.first_ray + first));
      const int n = (int)min (job.n_rays - first, (size_t)Tile::N_THREADS);

      make_rays<Tile> (a, job, first, rays);
#pragma unroll N
      for (int p = 0; p < n; p++, y++)
        {
          const Ray ray = rays[p];

          add_value<INTERPOLATION, PRECISION> (sum[0], a.texture, ray.whole,
                                               find_rest (position, ray), y);
        }
    }
  store<Tile, 1> (a, job.tile, pixel, sum, 1.0f);
}

template <Interpolation INTERPOLATION, Precision PRECISION>
static int
launch_standard (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  standard_kernel<INTERPOLATION, PRECISION>
      <<<count_tiles<StandardTile> (*a), StandardTile::N_THREADS, 0, stream>>> (
          *a);
  return cudaGetLastError ();
}

template <Interpolation INTERPOLATION, Precision PRECISION>
static constexpr TlCudaKernel
describe_standard (const char *name)
{
  static_assert (INTERPOLATION == LINEAR || PRECISION == FULL,
                 "the texture unit interpolates linearly");
  return { name,
           INTERPOLATION == LINEAR && PRECISION == FULL ? TL_CUDA_LAYOUT_PAIR
                                                        : TL_CUDA_LAYOUT_FLOAT,
           PRECISION == FAST,
           TL_CUDA_LAYOUT_NONE,
           launch_standard<INTERPOLATION, PRECISION>,
           nullptr };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices)                      \
  describe_standard<interpolation, precision> (name),
#include "gpu/cuda/backproject/standard.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_standard_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
