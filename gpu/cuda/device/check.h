/* What a status of the CUDA runtime means to the user, and pinned host memory.
 */
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

/** tl_cuda_pinned_alloc: Any thread. Returns: (transfer full): host memory that
 * the device can copy by itself, [@bytes]; %NULL with TL_ERROR_MEMORY or
 * TL_ERROR_DEVICE */
void *tl_cuda_pinned_alloc (size_t bytes, const char *what, GError **error);

/** tl_cuda_pinned_free: @memory: (nullable). Any thread. */
void tl_cuda_pinned_free (void *memory);

/* The functions of #TlBackend: for memory of others. */
gboolean tl_cuda_pin (guint device, void *memory, size_t bytes);
void tl_cuda_unpin (guint device, void *memory);
