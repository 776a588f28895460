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
} TlCudaMirror;

/**
 * tl_cuda_mirror_upload:
 *
 * As tl_cuda_buffer_upload(); nothing to do where the same was uploaded last.
 */
gboolean tl_cuda_mirror_upload (TlCudaPool *pool, TlCudaMirror *mirror,
                                const void *from, size_t bytes,
                                const char *what, GError **error);
void tl_cuda_mirror_clear (TlCudaPool *pool, TlCudaMirror *mirror);

G_END_DECLS
