#include "gpu/cuda/probe.h"

#include "data/error.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>
#include <string.h>

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  Mon …": the
 * version is the first word with a dot in it that begins with a digit. */
#define VERSION_FILE "/proc/driver/nvidia/version"

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
    tl_fail (error, TL_ERROR_UNSUPPORTED,
             _ ("no CUDA device: there is no NVIDIA driver"));
  else if (status == cudaErrorInsufficientDriver)
    tl_fail (error, TL_ERROR_UNSUPPORTED,
             _ ("no CUDA device: the NVIDIA driver is for CUDA %d.%d and "
                "older, this program for %d.%d"),
             MAJOR (driver), MINOR (driver), MAJOR (CUDART_VERSION),
             MINOR (CUDART_VERSION));
  else
    tl_fail (error, TL_ERROR_UNSUPPORTED, _ ("no CUDA device: %s"),
             cudaGetErrorString (status));
}

guint
tl_cuda_count_devices (void)
{
  int n = 0;

  if (cudaGetDeviceCount (&n) == cudaSuccess)
    return (guint)n;
  cudaGetLastError ();
  return 0;
}

gboolean
tl_cuda_probe (guint device, char **description, GError **error)
{
  struct cudaDeviceProp properties;
  int n = 0;
  cudaError_t status = cudaGetDeviceCount (&n);

  if (status == cudaSuccess && n == 0)
    status = cudaErrorNoDevice;
  if (status == cudaSuccess && device >= (guint)n)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("there is no CUDA device %u, the last one is %d"),
                    device, n - 1);
  if (status == cudaSuccess)
    status = cudaGetDeviceProperties (&properties, (int)device);
  if (status != cudaSuccess)
    {
      explain (status, error);
      return FALSE;
    }
  if (properties.major * 10 + properties.minor < TL_CUDA_OLDEST)
    return tl_fail (
        error, TL_ERROR_UNSUPPORTED,
        _ ("no CUDA device: the %s has compute capability %d.%d, this "
           "program needs %d.%d"),
        properties.name, properties.major, properties.minor,
        TL_CUDA_OLDEST / 10, TL_CUDA_OLDEST % 10);
  *description = g_strdup_printf (_ ("%s (%.0f GiB, compute capability %d.%d)"),
                                  properties.name,
                                  (double)properties.totalGlobalMem / (1 << 30),
                                  properties.major, properties.minor);
  return TRUE;
}

char *
tl_cuda_dup_driver (void)
{
  g_autofree char *text = NULL;
  int version = 0;

  if (g_file_get_contents (VERSION_FILE, &text, NULL, NULL))
    {
      g_auto (GStrv) words = g_strsplit_set (text, " \t\n", -1);

      for (char **word = words; *word != NULL; word++)
        if (g_ascii_isdigit (**word) && strchr (*word, '.') != NULL)
          return g_strconcat ("driver ", *word, NULL);
    }
  /* containers may hide that file; several drivers share this version */
  cudaDriverGetVersion (&version);
  return g_strdup_printf ("driver for CUDA %d.%d", MAJOR (version),
                          MINOR (version));
}

guint64
tl_cuda_count_free (guint device)
{
  size_t free_bytes = 0, total_bytes;
  int before;

  if (cudaGetDevice (&before) == cudaSuccess)
    {
      if (cudaSetDevice ((int)device) != cudaSuccess
          || cudaMemGetInfo (&free_bytes, &total_bytes) != cudaSuccess)
        free_bytes = 0;
      cudaSetDevice (before);
    }
  cudaGetLastError ();
  return free_bytes;
}
