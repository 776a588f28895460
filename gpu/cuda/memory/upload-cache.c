#include "gpu/cuda/memory/upload-cache.h"

#include <string.h>

/* Keeps a copy. If there is no memory for it, the next upload is not skipped.
 */
static void
remember (TlCudaUploadCache *cache, const void *from, size_t bytes)
{
  g_free (cache->copy);
  cache->copy = g_try_malloc (bytes);
  if (cache->copy == NULL)
    return;
  memcpy (cache->copy, from, bytes);
  cache->n_bytes = bytes;
}

gboolean
tl_cuda_upload_cache_upload (TlCudaPool *pool, TlCudaUploadCache *cache,
                             const void *from, size_t bytes, const char *what,
                             GError **error)
{
  if (cache->n_bytes == bytes && memcmp (cache->copy, from, bytes) == 0)
    return TRUE;

  cache->n_bytes = 0;
  if (!tl_cuda_buffer_upload (pool, &cache->buffer, from, bytes, what, error))
    return FALSE;
  remember (cache, from, bytes);
  return TRUE;
}

void
tl_cuda_upload_cache_clear (TlCudaPool *pool, TlCudaUploadCache *cache)
{
  tl_cuda_buffer_clear (pool, &cache->buffer);
  g_free (cache->copy);
  *cache = (TlCudaUploadCache){ 0 };
}
