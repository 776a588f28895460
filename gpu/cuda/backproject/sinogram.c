#include "gpu/cuda/backproject/sinogram.h"

#include "data/error.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

/* Bytes; as cudaMalloc() aligns memory. */
#define GROUP_ALIGNMENT ((size_t)256)

/* The texels of each layout. A ray has texels_per_col texels in each of n_parts
 * parts, for each column of its row and for n_more columns beside the row. */
static const struct
{
  int bits, n_components; /* of a texel */
  size_t texels_per_col, n_more, n_parts;
} layouts[TL_CUDA_N_LAYOUTS] = {
  [TL_CUDA_LAYOUT_FLOAT] = { 32, 1, 1, 0, 1 },
  [TL_CUDA_LAYOUT_PAIR] = { 32, 2, 1, 1, 1 },
  [TL_CUDA_LAYOUT_FLOAT2] = { 32, 2, 1, 0, 1 },
  [TL_CUDA_LAYOUT_PAIR2] = { 32, 4, 1, 1, 1 },
  [TL_CUDA_LAYOUT_FLOAT4] = { 32, 4, 1, 0, 1 },
  [TL_CUDA_LAYOUT_HALF4] = { 16, 4, 1, 0, 1 },
  [TL_CUDA_LAYOUT_HALF_PAIR4] = { 16, 4, 1, 1, 2 },
  [TL_CUDA_LAYOUT_QUARTER] = { 32, 1, 4, 1, 1 },
  [TL_CUDA_LAYOUT_QUARTER4] = { 32, 4, 4, 1, 1 },
  [TL_CUDA_LAYOUT_HALF_QUARTER4] = { 16, 4, 4, 1, 1 },
  [TL_CUDA_LAYOUT_CUBIC2] = { 32, 4, 1, 3, 2 },
  [TL_CUDA_LAYOUT_CUBIC4] = { 32, 4, 1, 3, 4 },
  /* eight halves here and below, described as four floats of the same size */
  [TL_CUDA_LAYOUT_HALF_CUBIC4] = { 32, 4, 1, 3, 2 },
  [TL_CUDA_LAYOUT_HALF8] = { 32, 4, 1, 0, 1 },
  [TL_CUDA_LAYOUT_HALF16] = { 32, 4, 1, 0, 2 },
  [TL_CUDA_LAYOUT_HALF32] = { 32, 4, 1, 0, 4 },
  [TL_CUDA_LAYOUT_TWO_HALVES16] = { 32, 4, 1, 0, 4 },
  [TL_CUDA_LAYOUT_TWO_HALVES32] = { 32, 4, 1, 0, 8 },
};

static size_t
count_part_texels (TlCudaLayout layout, size_t n_cols)
{
  return layouts[layout].texels_per_col * (n_cols + layouts[layout].n_more);
}

size_t
tl_cuda_count_texels (TlCudaLayout layout, size_t n_cols)
{
  return layouts[layout].n_parts * count_part_texels (layout, n_cols);
}

size_t
tl_cuda_cell_stride (TlCudaLayout layout, size_t n_cols)
{
  const size_t n = count_part_texels (layout, n_cols);

  /* 16 bytes are at most 4 texels */
  return (n + TL_CUDA_CELL_GAP (layout) + 3) / 4 * 4;
}

static size_t
get_texel_bytes (TlCudaLayout layout)
{
  return (size_t)(layouts[layout].bits * layouts[layout].n_components) / 8;
}

void *
tl_cuda_find_cells (const TlCudaSinogram *sinogram, size_t group)
{
  const TlCudaLayout layout = sinogram->cells;

  return (char *)sinogram->cell_buffer.dev + group * sinogram->group_bytes
         + TL_CUDA_CELL_GAP (layout) * get_texel_bytes (layout);
}

/* Returns: %FALSE with TL_ERROR_UNSUPPORTED if the device has no arrays of this
 * size */
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

/* Returns: the bytes of the cells of one group. The next one begins as far from
 * a line of memory as this one. */
static size_t
count_group_bytes (TlCudaLayout layout, size_t n_rays, size_t n_cols)
{
  const size_t bytes =
      (n_rays * layouts[layout].n_parts * tl_cuda_cell_stride (layout, n_cols)
       + TL_CUDA_CELL_GAP (layout))
      * get_texel_bytes (layout);

  return (bytes + GROUP_ALIGNMENT - 1) / GROUP_ALIGNMENT * GROUP_ALIGNMENT;
}

static gboolean
make_array (TlCudaPool *pool, TlCudaSinogram *sinogram,
            TlCudaSinogramGroup *group, GError **error)
{
  const size_t n_texels =
      tl_cuda_count_texels (sinogram->layout, sinogram->n_cols);
  const int bits = layouts[sinogram->layout].bits;
  const int n_components = layouts[sinogram->layout].n_components;
  const struct cudaChannelFormatDesc format = {
    .x = bits,
    .y = n_components > 1 ? bits : 0,
    .z = n_components > 2 ? bits : 0,
    .w = n_components > 2 ? bits : 0,
    .f = cudaChannelFormatKindFloat,
  };
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
make_arrays (TlCudaPool *pool, TlCudaSinogram *sinogram, GError **error)
{
  if (sinogram->layout == TL_CUDA_LAYOUT_NONE)
    return TRUE;
  for (size_t i = 0; i < sinogram->n_groups; i++)
    if (!make_array (pool, sinogram, &sinogram->groups[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
make_cells (TlCudaPool *pool, TlCudaSinogram *sinogram, GError **error)
{
  if (sinogram->cells == TL_CUDA_LAYOUT_NONE)
    return TRUE;
  sinogram->group_bytes =
      count_group_bytes (sinogram->cells, sinogram->n_rays, sinogram->n_cols);

  const size_t bytes = sinogram->n_groups * sinogram->group_bytes;

  /* The gaps between the rows stay 0: no kernel writes them. */
  return tl_cuda_buffer_reserve (pool, &sinogram->cell_buffer, bytes,
                                 _ ("the filtered rows"), error)
         && tl_cuda_check (
             cudaMemsetAsync (sinogram->cell_buffer.dev, 0, bytes,
                              tl_cuda_pool_get_streams (pool)->engine),
             _ ("preparation of rows"), error);
}

gboolean
tl_cuda_sinogram_give_back (TlCudaPool *pool, TlCudaSinogram *sinogram,
                            GError **error)
{
  if (sinogram->groups == NULL)
    return TRUE;
  if (!tl_cuda_check (
          cudaStreamSynchronize (tl_cuda_pool_get_streams (pool)->engine),
          _ ("work on the rows before"), error))
    return FALSE;
  tl_cuda_sinogram_clear (pool, sinogram);
  return TRUE;
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

  if (!tl_cuda_sinogram_give_back (pool, sinogram, error))
    return FALSE;

  *sinogram = (TlCudaSinogram){
    .layout = kernel->layout,
    .interpolates = kernel->interpolates,
    .cells = kernel->cells,
    .n_rays = n_rays,
    .n_cols = n_cols,
    .n_groups = n_groups,
    .groups = g_new0 (TlCudaSinogramGroup, n_groups),
  };
  if (make_arrays (pool, sinogram, error) && make_cells (pool, sinogram, error))
    return TRUE;
  tl_cuda_sinogram_clear (pool, sinogram);
  return FALSE;
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
    }
  tl_cuda_buffer_clear (pool, &sinogram->cell_buffer);
  tl_cuda_pool_add_bytes (pool, -(gssize)sinogram->bytes);
  g_free (sinogram->groups);
  *sinogram = (TlCudaSinogram){ 0 };
}
