/* Copies from any host memory to the device, in one stream. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

struct CUstream_st;

typedef struct TlCudaUploader TlCudaUploader;

/**
 * tl_cuda_uploader_new:
 * @stream: must outlive it
 * @piece_bytes: what is copied in one go, through a piece of pinned memory
 * @n_pieces: of pinned memory, which take turns
 *
 * Belongs to the engine's thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
TlCudaUploader *tl_cuda_uploader_new (struct CUstream_st *stream,
                                      size_t piece_bytes, guint n_pieces,
                                      GError **error);

/** tl_cuda_uploader_free: The stream must have finished. */
void tl_cuda_uploader_free (TlCudaUploader *uploader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCudaUploader, tl_cuda_uploader_free)

/**
 * tl_cuda_uploader_copy:
 * @to_dev: device memory, @bytes
 * @from: host memory, @bytes, free for any use when the function returns
 *
 * The copy into one pinned piece runs beside the transfer of those before. It
 * waits for the stream where all pieces are still to be transferred.
 */
gboolean tl_cuda_uploader_copy (TlCudaUploader *uploader, void *to_dev,
                                const void *from, size_t bytes, GError **error);

G_END_DECLS
