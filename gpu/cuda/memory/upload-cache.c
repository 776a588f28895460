#include "gpu/cuda/memory/upload-cache.h"

#include <string.h>

/* Without memory for a copy there is none, and the next upload is one again. */
static void
remember (TlCudaMirror *mirror, const void *from, size_t bytes)
{
  g_free (mirror->copy);
  mirror->copy = g_try_malloc (bytes);
  if (mirror->copy == NULL)
    return;
  memcpy (mirror->copy, from, bytes);
  mirror->n_bytes = bytes;
}

gboolean
tl_cuda_mirror_upload (TlCudaPool *pool, TlCudaMirror *mirror, const void *from,
                       size_t bytes, const char *what, GError **error)
{
  if (mirror->n_bytes == bytes && memcmp (mirror->copy, from, bytes) == 0)
    return TRUE;

  mirror->n_bytes = 0;
  if (!tl_cuda_buffer_upload (pool, &mirror->buffer, from, bytes, what, error))
    return FALSE;
  remember (mirror, from, bytes);
  return TRUE;
}

void
tl_cuda_mirror_clear (TlCudaPool *pool, TlCudaMirror *mirror)
{
  tl_cuda_buffer_clear (pool, &mirror->buffer);
  g_free (mirror->copy);
  *mirror = (TlCudaMirror){ 0 };
}
