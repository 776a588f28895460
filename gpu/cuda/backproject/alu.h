/* Out of shared memory, by the cores. */
#pragma once

#include "gpu/cuda/backproject/backproject.h"

#ifdef __cplusplus
extern "C"
{
#endif

  /** tl_cuda_alu_kernels: Returns: [@n], in the order of
   * backproject-alu.def. */
  const TlCudaKernel *tl_cuda_alu_kernels (size_t *n);

#ifdef __cplusplus
}
#endif
