/* A thread for each pixel: the plain texture kernel. */
#pragma once

#include "gpu/cuda/backproject/backproject.h"

#ifdef __cplusplus
extern "C"
{
#endif

  /** tl_cuda_standard_kernels: Returns: [@n], in the order of
   * backproject-standard.def. */
  const TlCudaKernel *tl_cuda_standard_kernels (size_t *n);

#ifdef __cplusplus
}
#endif
