#include "gpu/cuda/device/check.h"

#include "data/error.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

gboolean
tl_cuda_check (int status, const char *step, GError **error)
{
  const cudaError_t code = (cudaError_t)status;

  if (code == cudaSuccess)
    return TRUE;

  /* clear the error, or the next launch in this thread would report it */
  cudaGetLastError ();
  if (code == cudaErrorMemoryAllocation)
    return tl_fail (error, TL_ERROR_MEMORY,
                    _ ("the GPU does not have enough memory for the %s"), step);
  return tl_fail (error, TL_ERROR_DEVICE, _ ("the GPU failed at the %s: %s"),
                  step, cudaGetErrorString (code));
}

gboolean
tl_cuda_check_device_memory (int status, const char *what, size_t bytes,
                             GError **error)
{
  size_t free_bytes = 0, total_bytes = 0;

  if ((cudaError_t)status != cudaErrorMemoryAllocation)
    return tl_cuda_check (status, _ ("allocation of memory"), error);

  cudaMemGetInfo (&free_bytes, &total_bytes);
  cudaGetLastError ();
  return tl_fail (
      error, TL_ERROR_MEMORY,
      _ ("the GPU does not have enough memory for %s: %.1f MB needed, "
         "%.1f of its %.1f MB free"),
      what, (double)bytes / 1e6, (double)free_bytes / 1e6,
      (double)total_bytes / 1e6);
}
