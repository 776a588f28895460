#include "gpu/host/buffer.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <stdlib.h>

/* The size of a cache line, bytes. */
#define ALIGNMENT 64

gboolean
tl_host_buffer_resize (TlHostBuffer *buffer, size_t n0, size_t n1, size_t n2,
                       size_t size, const char *what, GError **error)
{
  gsize bytes;

  gboolean fits = g_size_checked_mul (&bytes, n0, n1)
                  && g_size_checked_mul (&bytes, bytes, n2)
                  && g_size_checked_mul (&bytes, bytes, size)
                  && g_size_checked_add (&bytes, bytes, ALIGNMENT - 1);
  bytes = bytes / ALIGNMENT * ALIGNMENT;
  if (fits && bytes == buffer->bytes)
    return TRUE;

  tl_host_buffer_clear (buffer);
  if (fits)
    buffer->data = aligned_alloc (ALIGNMENT, bytes);
  if (buffer->data == NULL)
    return tl_fail (
        error, TL_ERROR_MEMORY,
        _ ("not enough memory for %s: %zu x %zu x %zu of %zu bytes"), what, n0,
        n1, n2, size);
  buffer->bytes = bytes;
  return TRUE;
}

void
tl_host_buffer_clear (TlHostBuffer *buffer)
{
  free (buffer->data);
  *buffer = (TlHostBuffer){ 0 };
}
