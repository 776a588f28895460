/* Whether there is a device that the module can use. */
#pragma once

#include <glib.h>

/* As in TlBackend. CUDA counts the devices that CUDA_VISIBLE_DEVICES leaves.
 * The probe starts no work on the device. If the system hides the driver's
 * version, the name of the driver is "driver for CUDA 13.0". */
guint tl_cuda_count_devices (void);
gboolean tl_cuda_probe (guint device, char **description, GError **error);
char *tl_cuda_dup_driver (void);

/** tl_cuda_count_free: the function of #TlBackend. Starts the CUDA runtime on
 * the device. */
guint64 tl_cuda_count_free (guint device);
