/* Several pixels and slices for each thread, neighbours in squares. */
#pragma once

#include "gpu/cuda/backproject/backproject.h"

#ifdef __cplusplus
extern "C"
{
#endif

  /** tl_cuda_texture_kernels: Returns: [@n], in the order of
   * backproject-texture.def. */
  const TlCudaKernel *tl_cuda_texture_kernels (size_t *n);

#ifdef __cplusplus
}
#endif
