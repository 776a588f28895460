/* Device memory with a copy on the host, so that unchanged content is not
 * uploaded again. Owner thread. */
#pragma once

#include "gpu/cuda/memory/buffer.h"

/* A zeroed struct is empty. */
typedef struct
{
  TlCudaBuffer buffer;
  void *copy; /* [n_bytes]: the content of @buffer */
  size_t n_bytes;
} TlCudaUploadCache;

/** tl_cuda_upload_cache_upload: As tl_cuda_buffer_upload(), but does nothing if
 * the last upload had the same content. */
gboolean tl_cuda_upload_cache_upload (TlCudaPool *pool,
                                      TlCudaUploadCache *cache,
                                      const void *from, size_t bytes,
                                      const char *what, GError **error);
void tl_cuda_upload_cache_clear (TlCudaPool *pool, TlCudaUploadCache *cache);
