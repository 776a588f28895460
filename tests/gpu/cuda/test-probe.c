/* Which sentence the user reads where CUDA cannot be used: functions of the
 * test stand in for those of CUDA, so that it needs no device. */
#include "data/error.h"
#include "gpu/cuda/probe.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* What the machine has. */
typedef struct
{
  const char *name; /* of the case */
  cudaError_t status;
  int driver;    /* 0: none; 13000: for CUDA 13.0 */
  int n_devices; /* that are counted */
  int major, minor;
  guint device;     /* that is asked for */
  const char *want; /* of the error */
} Machine;

static const Machine *machine;

cudaError_t
cudaGetDeviceCount (int *n)
{
  *n = machine->n_devices;
  return machine->status;
}

cudaError_t
cudaDriverGetVersion (int *version)
{
  *version = machine->driver;
  return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties (struct cudaDeviceProp *properties, int device)
{
  memset (properties, 0, sizeof *properties);
  strcpy (properties->name, "Old One");
  properties->major = machine->major;
  properties->minor = machine->minor;
  return device < machine->n_devices ? cudaSuccess : cudaErrorInvalidDevice;
}

const char *
cudaGetErrorString (cudaError_t status)
{
  return status == cudaErrorNoDevice ? "no device is there" : "another error";
}

cudaError_t
cudaGetLastError (void)
{
  return cudaSuccess;
}

cudaError_t
cudaGetDevice (int *device)
{
  *device = 0;
  return machine->status;
}

cudaError_t
cudaSetDevice (int device)
{
  return machine->status;
}

cudaError_t
cudaMemGetInfo (size_t *free_bytes, size_t *total_bytes)
{
  *free_bytes = *total_bytes = 1;
  return machine->status;
}

static void
test_refused (gconstpointer data)
{
  g_autofree char *description = NULL;
  g_autoptr (GError) error = NULL;

  machine = data;
  g_assert_false (tl_cuda_probe (machine->device, &description, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, machine->want));
  g_assert_null (strchr (error->message, '\n'));
  g_assert_null (description);
  if (machine->status != cudaSuccess)
    {
      g_assert_cmpuint (tl_cuda_count_devices (), ==, 0);
      g_assert_cmpuint (tl_cuda_count_free (0), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  static const Machine machines[] = {
    { .name = "/probe/no-driver",
      .status = cudaErrorInsufficientDriver,
      .want = "there is no NVIDIA driver" },
    { .name = "/probe/old-driver",
      .status = cudaErrorInsufficientDriver,
      .driver = 11040,
      .want =
          "the NVIDIA driver is for CUDA 11.4 and older, this program for" },
    { .name = "/probe/no-device",
      .status = cudaErrorNoDevice,
      .driver = 13000,
      .want = "no CUDA device: no device is there" },
    { .name = "/probe/none-counted",
      .driver = 13000,
      .want = "no CUDA device: no device is there" },
    { .name = "/probe/lost-device",
      .status = cudaErrorUnknown,
      .driver = 13000,
      .want = "no CUDA device: another error" },
    { .name = "/probe/old-device",
      .driver = 13000,
      .n_devices = 1,
      .major = 3,
      .minor = 5,
      .want = "the Old One has compute capability 3.5, this program needs" },
    { .name = "/probe/beyond",
      .driver = 13000,
      .n_devices = 2,
      .major = 9,
      .device = 2,
      .want = "there is no CUDA device 2, the last one is 1" },
  };

  g_test_init (&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (machines); i++)
    g_test_add_data_func (machines[i].name, &machines[i], test_refused);
  return g_test_run ();
}
