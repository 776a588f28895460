/* Texture: several slices in a texel and several pixels in a thread, after
 * Chilingaryan et al., "Balancing load of GPU subsystems to accelerate image
 * reconstruction in parallel beam tomography", section on the texture-based
 * kernel. Formula, symbols and memory layout: backproject.cuh.
 *
 * A texel with the values of 2 or 4 slices costs as much to fetch as one with
 * one value, up to 64 bits. 16 threads make a square of 4 x 4 pixels, numbered
 * along a Z so that 4 threads in a row are 2 x 2 pixels: what they fetch lies
 * at most 3 columns apart, and a half warp's within 8. All threads of a warp
 * are on the same ray.
 *
 * There are both of the paper's mappings. In the simpler one 16 squares side by
 * side are a block's 256 threads, which are all on the same ray
 * (square-map.cuh). In that with quarters ("texture-quarters") the block has 16
 * x 16 pixels and four groups of threads, each with a quarter of the rays,
 * whose sums are joined at the end: more blocks for a small picture
 * (strip-map.cuh).
 */
#include "gpu/cuda/backproject-texture.h"

#include "gpu/cuda/backproject.cuh"
#include "gpu/cuda/strip-map.cuh"

static const TlCudaKernel kernels[] = {
#define VARIANT(name, kernel, interpolation, precision, n_slices, map)         \
  describe<map, interpolation, precision, n_slices> (name),
#include "gpu/cuda/backproject-texture.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_texture_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
