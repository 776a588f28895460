/* Pinned host memory, which the device copies by itself. */
#pragma once

#include <glib.h>

/** tl_cuda_pinned_alloc: Any thread. Returns: (transfer full): host memory that
 * the device can copy by itself, [@bytes]; %NULL with TL_ERROR_MEMORY or
 * TL_ERROR_DEVICE */
void *tl_cuda_pinned_alloc (size_t bytes, const char *what, GError **error);

/** tl_cuda_pinned_free: @memory: (nullable). Any thread. */
void tl_cuda_pinned_free (void *memory);

/* The functions of #TlBackend: for memory of others. */
gboolean tl_cuda_pin (guint device, void *memory, size_t bytes);
void tl_cuda_unpin (guint device, void *memory);
