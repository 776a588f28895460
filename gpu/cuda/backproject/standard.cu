/* Standard: a thread for each pixel, 16 x 16 of them in a block, the texture
 * unit for everything else; Chilingaryan et al., "Balancing load of GPU
 * subsystems to accelerate image reconstruction in parallel beam tomography",
 * call it the standard approach. Formula, symbols and memory layout:
 * backproject.cuh.
 */
#include "gpu/cuda/backproject/standard.h"

#include "gpu/cuda/backproject/square-map.cuh"

struct StandardMap : OneGroup
{
  static constexpr int WIDTH = 16, HEIGHT = 16, N_THREADS = 256;
  static constexpr int N_PIXELS = 1;
  static constexpr int N_UNROLLED = 4; /* as many fetches on their way */
  static constexpr int N_BLOCKS = 8;   /* 32 registers, with which all threads
                                          are resident */

  static __device__ Place
  place (int thread)
  {
    return { thread % WIDTH, thread / WIDTH };
  }

  static __host__ __device__ constexpr Place
  offset (int)
  {
    return { 0, 0 };
  }
};

/* One slice's linear takes a fetch: of a value and a difference. */
template <Interpolation INTERPOLATION>
static constexpr TlCudaKernel
describe_standard (const char *name)
{
  constexpr TlCudaLayout LAYOUT =
      INTERPOLATION == LINEAR ? TL_CUDA_LAYOUT_PAIR : TL_CUDA_LAYOUT_FLOAT;

  return { name, LAYOUT, 0, TL_CUDA_LAYOUT_NONE,
           launch<StandardMap, INTERPOLATION, LAYOUT, 1> };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices)                      \
  describe_standard<interpolation> (name),
#include "gpu/cuda/backproject/standard.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_standard_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
