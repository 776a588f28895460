/* GL textures that CUDA fills. The copy and the switches between CUDA and GL
 * are queued in the show stream of the pool that registered the texture. GL
 * commands that follow wait for it on the device. */
#include "data/error.h"
#include "gpu/cuda/memory/frame.h"

#include <GL/gl.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

/* More devices than a machine has. */
#define MAX_DEVICES 64

typedef struct
{
  TlCudaPool *pool;
  cudaGraphicsResource_t resource;
  gboolean is_volume;
} Interop;

/* GL failed: the engine goes on, and the window has to copy through the host.
 * A lost device makes these calls fail too, but others report it. */
static gboolean
check_sharing (TlCudaPool *pool, cudaError_t status, const char *what,
               GError **error)
{
  if (status == cudaSuccess)
    return TRUE;
  cudaError_t health = cudaStreamQuery (tl_cuda_pool_get_streams (pool)->show);
  if (health != cudaSuccess && health != cudaErrorNotReady)
    return tl_cuda_check (health, _ ("copy to the window's texture"), error);
  cudaGetLastError ();
  return tl_fail (error, TL_ERROR_UNSUPPORTED, "%s (%s)", what,
                  cudaGetErrorString (status));
}

/* Returns: %FALSE with TL_ERROR_UNSUPPORTED if the current GL context is not on
 * the pool's device */
static gboolean
check_device (TlCudaPool *pool, GError **error)
{
  const char *elsewhere =
      _ ("the window's OpenGL does not run on the CUDA device");
  int devices[MAX_DEVICES];
  unsigned n = 0;

  if (!check_sharing (
          pool,
          cudaGLGetDevices (&n, devices, MAX_DEVICES, cudaGLDeviceListAll),
          elsewhere, error))
    return FALSE;
  for (unsigned i = 0; i < MIN (n, MAX_DEVICES); i++)
    if (devices[i] == tl_cuda_pool_get_device (pool))
      return TRUE;
  return tl_fail (error, TL_ERROR_UNSUPPORTED, _ ("%s (it is on another GPU)"),
                  elsewhere);
}

gpointer
tl_cuda_interop_new (TlFrame *frame, guint texture, gboolean is_volume,
                     GError **error)
{
  TlCudaFrame *self = (TlCudaFrame *)frame;
  cudaGraphicsResource_t resource;

  if (!tl_cuda_pool_use (self->pool, error) || !check_device (self->pool, error)
      || !check_sharing (
          self->pool,
          cudaGraphicsGLRegisterImage (
              &resource, texture, is_volume ? GL_TEXTURE_3D : GL_TEXTURE_2D,
              cudaGraphicsRegisterFlagsWriteDiscard),
          _ ("the window's texture cannot be shared with CUDA"), error))
    return NULL;

  Interop *interop = g_new (Interop, 1);
  *interop = (Interop){ .pool = tl_cuda_pool_ref (self->pool),
                        .resource = resource,
                        .is_volume = is_volume };
  return interop;
}

/* Checks what GL gave the texture. */
static gboolean
check_array (const Interop *interop, cudaArray_t array, const TlFrame *frame,
             GError **error)
{
  struct cudaChannelFormatDesc texel;
  struct cudaExtent size;

  if (!check_sharing (interop->pool,
                      cudaArrayGetInfo (&texel, &size, NULL, array),
                      _ ("the window's texture has no size"), error))
    return FALSE;
  if (size.width != frame->n_cols || size.height != frame->n_rows)
    return tl_fail (
        error, TL_ERROR_UNSUPPORTED,
        _ ("the window's texture is %zu x %zu, the slice %zu x %zu"),
        size.height, size.width, frame->n_rows, frame->n_cols);
  /* the texture of a volume may be of halves */
  return !interop->is_volume || (size.depth == frame->n_slices && texel.x == 32)
         || tl_fail (error, TL_ERROR_UNSUPPORTED, "%s",
                     _ ("the window's texture cannot be written by CUDA"));
}

/* Copies one slice to a plane array, or all slices to a volume array. */
static cudaError_t
copy (cudaArray_t array, TlCudaFrame *self, size_t slice, gboolean is_volume,
      cudaStream_t stream)
{
  const TlFrame *frame = &self->frame;
  const size_t row_bytes = frame->n_cols * sizeof (float);
  float *pixels = tl_cuda_frame_get_slice (self, slice);

  if (!is_volume)
    return cudaMemcpy2DToArrayAsync (array, 0, 0, pixels, row_bytes, row_bytes,
                                     frame->n_rows, cudaMemcpyDeviceToDevice,
                                     stream);
  const struct cudaMemcpy3DParms all = {
    .srcPtr = { .ptr = pixels,
                .pitch = row_bytes,
                .xsize = frame->n_cols,
                .ysize = frame->n_rows },
    .dstArray = array,
    .extent = { frame->n_cols, frame->n_rows, frame->n_slices },
    .kind = cudaMemcpyDeviceToDevice,
  };
  return cudaMemcpy3DAsync (&all, stream);
}

/* The resource must be mapped. */
static gboolean
copy_mapped (Interop *interop, TlCudaFrame *self, size_t slice, GError **error)
{
  cudaStream_t stream = tl_cuda_pool_get_streams (interop->pool)->show;
  const char *step = _ ("copy to the window's texture");
  cudaArray_t array;

  if (!check_sharing (interop->pool,
                      cudaGraphicsSubResourceGetMappedArray (
                          &array, interop->resource, 0, 0),
                      _ ("the window's texture cannot be written by CUDA"),
                      error)
      || !check_array (interop, array, &self->frame, error))
    return FALSE;
  return tl_cuda_frame_wait_in (self, stream, step, error)
         && check_sharing (
             interop->pool,
             copy (array, self, slice, interop->is_volume, stream),
             _ ("the window's texture cannot be written by CUDA"), error)
         && tl_cuda_check (cudaEventRecord (self->slot->shown, stream), step,
                           error);
}

gboolean
tl_cuda_interop_show (gpointer data, TlFrame *frame, size_t slice,
                      GError **error)
{
  Interop *interop = data;
  TlCudaFrame *self = (TlCudaFrame *)frame;
  cudaStream_t stream = tl_cuda_pool_get_streams (interop->pool)->show;

  /* the engine may have been opened again, on another device */
  if (tl_cuda_pool_get_device (self->pool)
      != tl_cuda_pool_get_device (interop->pool))
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("the window's texture is shared with another GPU"));
  if (!tl_cuda_pool_use (self->pool, error)
      || !check_sharing (
          interop->pool,
          cudaGraphicsMapResources (1, &interop->resource, stream),
          _ ("the window's texture cannot be handed to CUDA"), error))
    return FALSE;

  gboolean ok = copy_mapped (interop, self, slice, error);
  return check_sharing (
             interop->pool,
             cudaGraphicsUnmapResources (1, &interop->resource, stream),
             _ ("the window's texture cannot be handed back to OpenGL"),
             ok ? error : NULL)
         && ok;
}

void
tl_cuda_interop_free (gpointer data)
{
  Interop *interop = data;

  /* fails if the context is gone or the device lost; then the resource is gone
   * too */
  tl_cuda_pool_use (interop->pool, NULL);
  /* the last copy may still be running */
  cudaStreamSynchronize (tl_cuda_pool_get_streams (interop->pool)->show);
  cudaGraphicsUnregisterResource (interop->resource);
  cudaGetLastError ();
  tl_cuda_pool_unref (interop->pool);
  g_free (interop);
}
