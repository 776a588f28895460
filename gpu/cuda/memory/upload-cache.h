/* Device memory of which the host keeps a copy, so that what has not changed is
 * not sent again. Owner thread. */
#pragma once

#include "gpu/cuda/memory/buffer.h"

G_BEGIN_DECLS

/* Zeroed: none. */
typedef struct
{
  TlCudaBuffer buffer;
  void *copy; /* [n_bytes] of what @buffer holds */
  size_t n_bytes;
} TlCudaUploadCache;

/**
 * tl_cuda_upload_cache_upload:
 *
 * As tl_cuda_buffer_upload(); nothing to do where the same was uploaded last.
 */
gboolean tl_cuda_upload_cache_upload (TlCudaPool *pool,
                                      TlCudaUploadCache *cache,
                                      const void *from, size_t bytes,
                                      const char *what, GError **error);
void tl_cuda_upload_cache_clear (TlCudaPool *pool, TlCudaUploadCache *cache);

G_END_DECLS
