/* Whether there is a device that the module can use. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The one that is used: the first that CUDA lists, which CUDA_VISIBLE_DEVICES
 * chooses. */
#define TL_CUDA_DEVICE 0

/**
 * tl_cuda_probe:
 * @device: (out) (transfer full): "NVIDIA H200 (140 GiB, compute capability
 *   9.0)"
 *
 * Any thread. Starts no work on the device.
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED that says what is missing
 */
gboolean tl_cuda_probe (char **device, GError **error);

G_END_DECLS
