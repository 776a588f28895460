#include "gpu/cuda/probe.h"

#include "data/error.h"

#include <cuda_runtime_api.h>

/* CUDA's versions are numbers such as 12040. */
#define MAJOR(version) ((version) / 1000)
#define MINOR(version) ((version) % 1000 / 10)

static void
explain (cudaError_t status, GError **error)
{
  int driver = 0;

  cudaDriverGetVersion (&driver);
  cudaGetLastError ();
  if (driver == 0)
    g_set_error_literal (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
                         "no CUDA device: there is no NVIDIA driver");
  else if (status == cudaErrorInsufficientDriver)
    g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
                 "no CUDA device: the NVIDIA driver is for CUDA %d.%d and "
                 "older, this program for %d.%d",
                 MAJOR (driver), MINOR (driver), MAJOR (CUDART_VERSION),
                 MINOR (CUDART_VERSION));
  else
    g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED, "no CUDA device: %s",
                 cudaGetErrorString (status));
}

gboolean
tl_cuda_probe (char **device, GError **error)
{
  struct cudaDeviceProp properties;
  int n = 0;
  cudaError_t status = cudaGetDeviceCount (&n);

  if (status == cudaSuccess && n == 0)
    status = cudaErrorNoDevice;
  if (status == cudaSuccess)
    status = cudaGetDeviceProperties (&properties, TL_CUDA_DEVICE);
  if (status != cudaSuccess)
    {
      explain (status, error);
      return FALSE;
    }
  if (properties.major * 10 + properties.minor < TL_CUDA_OLDEST)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
                   "no CUDA device: the %s has compute capability %d.%d, this "
                   "program needs %d.%d",
                   properties.name, properties.major, properties.minor,
                   TL_CUDA_OLDEST / 10, TL_CUDA_OLDEST % 10);
      return FALSE;
    }
  *device = g_strdup_printf ("%s (%.0f GiB, compute capability %d.%d)",
                             properties.name,
                             (double)properties.totalGlobalMem / (1 << 30),
                             properties.major, properties.minor);
  return TRUE;
}
