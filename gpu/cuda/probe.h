/* Whether there is a device that the module can use. */
#pragma once

#include <glib.h>

/** tl_cuda_count_devices: Any thread. Returns: how many CUDA lists, of those
 * that CUDA_VISIBLE_DEVICES leaves */
guint tl_cuda_count_devices (void);

/**
 * tl_cuda_probe:
 * @device: its number
 * @description: (out) (transfer full): "NVIDIA H200 (140 GiB, compute
 *   capability 9.0)"
 *
 * Any thread. Starts no work on the device.
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED that says what is missing
 */
gboolean tl_cuda_probe (guint device, char **description, GError **error);

/** tl_cuda_dup_driver: Any thread. Returns: (transfer full): "driver
 * 580.159.03"; "driver for CUDA 13.0" where the system does not say more */
char *tl_cuda_dup_driver (void);
