/* By texture units and cores side by side. */
#pragma once

#include "gpu/cuda/backproject/backproject.h"

#ifdef __cplusplus
extern "C"
{
#endif

  /** tl_cuda_hybrid_kernels: Returns: [@n], in the order of
   * backproject-hybrid.def. */
  const TlCudaKernel *tl_cuda_hybrid_kernels (size_t *n);

#ifdef __cplusplus
}
#endif
