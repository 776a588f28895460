/* Texture: several slices in a texel and several pixels in a thread, after
 * Chilingaryan et al., "Balancing load of GPU subsystems to accelerate image
 * reconstruction in parallel beam tomography", section on the texture-based
 * kernel, in the simpler of its two mappings. Formula, symbols and memory
 * layout: backproject.cuh.
 *
 * A texel with the values of 2 or 4 slices costs as much to fetch as one with
 * one value, up to 64 bits. 16 threads make a square of 4 x 4 pixels, numbered
 * along a Z so that 4 threads in a row are 2 x 2 pixels: what they fetch lies
 * at most 3 columns apart, and a half warp's within 8. 16 squares side by side
 * are a block's 256 threads; a thread's other pixels follow 4 rows below each
 * other. All threads of a warp are on the same projection.
 */
#include "gpu/cuda/backproject-texture.h"

#include "gpu/cuda/backproject.cuh"
#include "gpu/cuda/square-map.cuh"

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices, n_pixels)            \
  describe<SquareMap<n_pixels>, interpolation, precision, n_slices> (name),
#include "gpu/cuda/backproject-texture.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_texture_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
