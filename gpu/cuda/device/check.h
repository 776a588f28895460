/* What a status of the CUDA runtime means to the user. */
#pragma once

#include <glib.h>

/**
 * tl_cuda_check:
 * @status: a cudaError_t
 * @step: what was done, in words: "back-projection"
 *
 * Any thread.
 *
 * Returns: %TRUE for cudaSuccess; else %FALSE with TL_ERROR_MEMORY or
 *   TL_ERROR_DEVICE
 */
gboolean tl_cuda_check (int status, const char *step, GError **error);

/**
 * tl_cuda_check_device_memory:
 * @status: of an allocation of @bytes on the device
 * @what: "the spectrum"
 *
 * As tl_cuda_check(), with the sizes in the message. Any thread.
 */
gboolean tl_cuda_check_device_memory (int status, const char *what,
                                      size_t bytes, GError **error);
