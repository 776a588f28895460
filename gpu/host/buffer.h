/* Host memory that starts on a cache line. */
#pragma once

#include <glib.h>

/* Zeroed: empty. */
typedef struct
{
  void *data;
  size_t bytes;
} TlHostBuffer;

/**
 * tl_host_buffer_resize:
 *
 * @what: what the memory is for, in the user's language, for the message
 *
 * Makes room for @n0 * @n1 * @n2 elements of @size bytes. The content is kept
 * if the number of bytes stays the same, and undefined otherwise.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY; the buffer is empty then
 */
gboolean tl_host_buffer_resize (TlHostBuffer *buffer, size_t n0, size_t n1,
                                size_t n2, size_t size, const char *what,
                                GError **error);
void tl_host_buffer_clear (TlHostBuffer *buffer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlHostBuffer, tl_host_buffer_clear)

/** tl_host_round_up: Returns: @n or the next multiple of @step above it. */
static inline size_t
tl_host_round_up (size_t n, size_t step)
{
  return (n + step - 1) / step * step;
}
