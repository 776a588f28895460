/* Copies from any host memory to the device, in one stream. */
#pragma once

#include <glib.h>

struct CUstream_st;

typedef struct TlCudaUploader TlCudaUploader;

/**
 * tl_cuda_uploader_new:
 * @stream: the stream of the copies; must outlive the uploader
 * @piece_bytes: the size of one piece of pinned memory, through which the
 *   copies go
 * @n_pieces: the number of pieces, which are used in turn
 *
 * Owner thread only, as are all functions of the uploader.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
TlCudaUploader *tl_cuda_uploader_new (struct CUstream_st *stream,
                                      size_t piece_bytes, guint n_pieces,
                                      GError **error);

/** tl_cuda_uploader_free: All work in the stream must have finished. */
void tl_cuda_uploader_free (TlCudaUploader *uploader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCudaUploader, tl_cuda_uploader_free)

/**
 * tl_cuda_uploader_copy:
 * @to_dev: device memory, @bytes
 * @from: host memory, @bytes; may be changed as soon as the function returns
 *
 * Copies into one pinned piece while earlier pieces are transferred. Waits for
 * the stream if no piece is free.
 */
gboolean tl_cuda_uploader_copy (TlCudaUploader *uploader, void *to_dev,
                                const void *from, size_t bytes, GError **error);
