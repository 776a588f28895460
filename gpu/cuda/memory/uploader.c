#include "gpu/cuda/memory/uploader.h"

#include "gpu/cuda/device/check.h"
#include "gpu/cuda/memory/pinned.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>
#include <string.h>

typedef struct
{
  void *pinned;
  cudaEvent_t sent; /* the transfer out of it has finished */
} Piece;

struct TlCudaUploader
{
  cudaStream_t stream;
  size_t piece_bytes;
  guint n_pieces, next;
  Piece *pieces; /* [n_pieces] */
};

static gboolean
init_piece (Piece *piece, size_t bytes, GError **error)
{
  piece->pinned =
      tl_cuda_pinned_alloc (bytes, _ ("transfers to the GPU"), error);
  /* block, do not spin: in a volume the stream may be a whole block behind */
  return piece->pinned != NULL
         && tl_cuda_check (
             cudaEventCreateWithFlags (
                 &piece->sent, cudaEventDisableTiming | cudaEventBlockingSync),
             _ ("start"), error);
}

TlCudaUploader *
tl_cuda_uploader_new (struct CUstream_st *stream, size_t piece_bytes,
                      guint n_pieces, GError **error)
{
  g_autoptr (TlCudaUploader) uploader = g_new0 (TlCudaUploader, 1);

  uploader->stream = stream;
  uploader->piece_bytes = piece_bytes;
  uploader->n_pieces = n_pieces;
  uploader->pieces = g_new0 (Piece, n_pieces);
  for (guint i = 0; i < n_pieces; i++)
    if (!init_piece (&uploader->pieces[i], piece_bytes, error))
      return NULL;
  return g_steal_pointer (&uploader);
}

void
tl_cuda_uploader_free (TlCudaUploader *uploader)
{
  for (guint i = 0; i < uploader->n_pieces; i++)
    {
      if (uploader->pieces[i].sent != NULL)
        cudaEventDestroy (uploader->pieces[i].sent);
      tl_cuda_pinned_free (uploader->pieces[i].pinned);
    }
  g_free (uploader->pieces);
  g_free (uploader);
}

gboolean
tl_cuda_uploader_copy (TlCudaUploader *uploader, void *to_dev, const void *from,
                       size_t bytes, GError **error)
{
  const char *step = _ ("transfer to the device");

  for (size_t done = 0; done < bytes;)
    {
      Piece *piece = &uploader->pieces[uploader->next];
      const size_t n = MIN (bytes - done, uploader->piece_bytes);

      uploader->next = (uploader->next + 1) % uploader->n_pieces;
      if (!tl_cuda_check (cudaEventSynchronize (piece->sent), step, error))
        return FALSE;
      memcpy (piece->pinned, (const char *)from + done, n);
      if (!tl_cuda_check (cudaMemcpyAsync ((char *)to_dev + done, piece->pinned,
                                           n, cudaMemcpyHostToDevice,
                                           uploader->stream),
                          step, error)
          || !tl_cuda_check (cudaEventRecord (piece->sent, uploader->stream),
                             step, error))
        return FALSE;
      done += n;
    }
  return TRUE;
}
