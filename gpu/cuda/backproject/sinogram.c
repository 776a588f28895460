#include "gpu/cuda/backproject/sinogram.h"

#include "data/error.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

static struct cudaChannelFormatDesc
describe_texel (TlCudaLayout layout)
{
  switch (layout)
    {
    case TL_CUDA_LAYOUT_PAIR:
    case TL_CUDA_LAYOUT_FLOAT2:
      return cudaCreateChannelDesc (32, 32, 0, 0, cudaChannelFormatKindFloat);
    case TL_CUDA_LAYOUT_PAIR2:
    case TL_CUDA_LAYOUT_FLOAT4:
    case TL_CUDA_LAYOUT_QUARTER4:
    case TL_CUDA_LAYOUT_CUBIC2:
    case TL_CUDA_LAYOUT_CUBIC4:
    case TL_CUDA_LAYOUT_HALF_CUBIC4: /* eight halves, for their size */
      return cudaCreateChannelDesc (32, 32, 32, 32, cudaChannelFormatKindFloat);
    case TL_CUDA_LAYOUT_HALF4:
    case TL_CUDA_LAYOUT_HALF_PAIR4:
    case TL_CUDA_LAYOUT_HALF_QUARTER4:
      return cudaCreateChannelDesc (16, 16, 16, 16, cudaChannelFormatKindFloat);
    case TL_CUDA_LAYOUT_NONE:
    case TL_CUDA_LAYOUT_FLOAT:
    case TL_CUDA_LAYOUT_QUARTER:
    case TL_CUDA_N_LAYOUTS:
      break;
    }
  return cudaCreateChannelDesc (32, 0, 0, 0, cudaChannelFormatKindFloat);
}

size_t
tl_cuda_count_texels (TlCudaLayout layout, size_t n_cols)
{
  switch (layout)
    {
    case TL_CUDA_LAYOUT_PAIR:
    case TL_CUDA_LAYOUT_PAIR2:
      return n_cols + 1;
    case TL_CUDA_LAYOUT_HALF_PAIR4:
      return 2 * (n_cols + 1);
    case TL_CUDA_LAYOUT_QUARTER:
    case TL_CUDA_LAYOUT_QUARTER4:
    case TL_CUDA_LAYOUT_HALF_QUARTER4:
      return 4 * (n_cols + 1);
    case TL_CUDA_LAYOUT_CUBIC2:
    case TL_CUDA_LAYOUT_HALF_CUBIC4:
      return 2 * (n_cols + 3);
    case TL_CUDA_LAYOUT_CUBIC4:
      return 4 * (n_cols + 3);
    default:
      return n_cols;
    }
}

static size_t
count_parts (TlCudaLayout layout)
{
  switch (layout)
    {
    case TL_CUDA_LAYOUT_HALF_PAIR4:
    case TL_CUDA_LAYOUT_CUBIC2:
    case TL_CUDA_LAYOUT_HALF_CUBIC4:
      return 2;
    case TL_CUDA_LAYOUT_CUBIC4:
      return 4;
    default:
      return 1;
    }
}

size_t
tl_cuda_cell_stride (TlCudaLayout layout, size_t n_cols)
{
  const size_t n = tl_cuda_count_texels (layout, n_cols) / count_parts (layout);

  /* 16 bytes are at most 4 texels */
  return (n + TL_CUDA_CELL_GAP (layout) + 3) / 4 * 4;
}

static size_t
get_texel_bytes (TlCudaLayout layout)
{
  const struct cudaChannelFormatDesc format = describe_texel (layout);

  return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

void *
tl_cuda_find_cells (TlCudaLayout layout, const TlCudaBuffer *buffer)
{
  return (char *)buffer->dev
         + TL_CUDA_CELL_GAP (layout) * get_texel_bytes (layout);
}

/* Whether arrays of that size exist on the device at all. */
static gboolean
check_size (TlCudaPool *pool, size_t n_texels, size_t n_rays, GError **error)
{
  const int device = tl_cuda_pool_get_device (pool);
  const struct
  {
    enum cudaDeviceAttr width, height;
  } limits[] = {
    { cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight },
    { cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      int width = 0, height = 0;

      if (!tl_cuda_check (
              cudaDeviceGetAttribute (&width, limits[i].width, device),
              _ ("query of the device's limits"), error)
          || !tl_cuda_check (
              cudaDeviceGetAttribute (&height, limits[i].height, device),
              _ ("query of the device's limits"), error))
        return FALSE;
      if (n_texels > (size_t)width || n_rays > (size_t)height)
        return tl_fail (
            error, TL_ERROR_UNSUPPORTED,
            _ ("%zu projections of %zu columns are too many for this "
               "GPU's textures, which end at %d x %d"),
            n_rays, n_texels, height, width);
    }
  return TRUE;
}

static size_t
count_cell_bytes (TlCudaLayout layout, size_t n_rays, size_t n_cols)
{
  return (n_rays * count_parts (layout) * tl_cuda_cell_stride (layout, n_cols)
          + TL_CUDA_CELL_GAP (layout))
         * get_texel_bytes (layout);
}

static gboolean
make_array (TlCudaPool *pool, TlCudaSinogram *sinogram,
            TlCudaSinogramGroup *group, GError **error)
{
  const size_t n_texels =
      tl_cuda_count_texels (sinogram->layout, sinogram->n_cols);
  const struct cudaChannelFormatDesc format = describe_texel (sinogram->layout);
  struct cudaResourceDesc resource = { .resType = cudaResourceTypeArray };
  const struct cudaTextureDesc reading = {
    .addressMode = { cudaAddressModeBorder, cudaAddressModeBorder },
    .filterMode =
        sinogram->interpolates ? cudaFilterModeLinear : cudaFilterModePoint,
    .readMode = cudaReadModeElementType,
  };
  const size_t bytes =
      sinogram->n_rays * n_texels * get_texel_bytes (sinogram->layout);
  const char *step = _ ("preparation of textures");

  if (!check_size (pool, n_texels, sinogram->n_rays, error)
      || !tl_cuda_check_device_memory (
          cudaMallocArray (&group->array, &format, n_texels, sinogram->n_rays,
                           cudaArraySurfaceLoadStore),
          _ ("the filtered rows"), bytes, error))
    return FALSE;
  sinogram->bytes += bytes;
  tl_cuda_pool_add_bytes (pool, (gssize)bytes);
  resource.res.array.array = group->array;
  return tl_cuda_check (cudaCreateSurfaceObject (&group->surface, &resource),
                        step, error)
         && tl_cuda_check (cudaCreateTextureObject (&group->texture, &resource,
                                                    &reading, NULL),
                           step, error);
}

static gboolean
make_group (TlCudaPool *pool, TlCudaSinogram *sinogram,
            TlCudaSinogramGroup *group, GError **error)
{
  if (sinogram->layout != TL_CUDA_LAYOUT_NONE
      && !make_array (pool, sinogram, group, error))
    return FALSE;
  if (sinogram->cells == TL_CUDA_LAYOUT_NONE)
    return TRUE;

  const size_t bytes =
      count_cell_bytes (sinogram->cells, sinogram->n_rays, sinogram->n_cols);

  /* what is between the rows is never written again */
  return tl_cuda_buffer_reserve (pool, &group->cells, bytes,
                                 _ ("the filtered rows"), error)
         && tl_cuda_check (
             cudaMemsetAsync (group->cells.dev, 0, bytes,
                              tl_cuda_pool_get_streams (pool)->engine),
             _ ("preparation of rows"), error);
}

gboolean
tl_cuda_sinogram_reserve (TlCudaPool *pool, TlCudaSinogram *sinogram,
                          const TlCudaKernel *kernel, size_t n_rays,
                          size_t n_cols, size_t n_groups, GError **error)
{
  if (sinogram->groups != NULL && sinogram->layout == kernel->layout
      && sinogram->interpolates == kernel->interpolates
      && sinogram->cells == kernel->cells && sinogram->n_rays == n_rays
      && sinogram->n_cols == n_cols && sinogram->n_groups == n_groups)
    return TRUE;

  if (sinogram->groups != NULL
      && !tl_cuda_check (
          cudaStreamSynchronize (tl_cuda_pool_get_streams (pool)->engine),
          _ ("work on the rows before"), error))
    return FALSE;
  tl_cuda_sinogram_clear (pool, sinogram);

  *sinogram = (TlCudaSinogram){
    .layout = kernel->layout,
    .interpolates = kernel->interpolates,
    .cells = kernel->cells,
    .n_rays = n_rays,
    .n_cols = n_cols,
    .n_groups = n_groups,
    .groups = g_new0 (TlCudaSinogramGroup, n_groups),
  };
  for (size_t i = 0; i < n_groups; i++)
    if (!make_group (pool, sinogram, &sinogram->groups[i], error))
      {
        tl_cuda_sinogram_clear (pool, sinogram);
        return FALSE;
      }
  return TRUE;
}

void
tl_cuda_sinogram_clear (TlCudaPool *pool, TlCudaSinogram *sinogram)
{
  for (size_t i = 0; i < sinogram->n_groups; i++)
    {
      TlCudaSinogramGroup *group = &sinogram->groups[i];

      if (group->texture != 0)
        cudaDestroyTextureObject (group->texture);
      if (group->surface != 0)
        cudaDestroySurfaceObject (group->surface);
      if (group->array != NULL)
        cudaFreeArray (group->array);
      tl_cuda_buffer_clear (pool, &group->cells);
    }
  tl_cuda_pool_add_bytes (pool, -(gssize)sinogram->bytes);
  g_free (sinogram->groups);
  *sinogram = (TlCudaSinogram){ 0 };
}
