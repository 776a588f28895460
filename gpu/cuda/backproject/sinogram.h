/* Filtered rows in device memory, of groups of slices that are back-projected
 * together: in a CUDA array for each group, in plain memory for all of them, or
 * in both. */
#pragma once

#include "gpu/cuda/backproject/backproject.h"
#include "gpu/cuda/memory/buffer.h"

struct cudaArray;

/* The rows of one group: texels [n_rays][n_texels]. */
typedef struct
{
  struct cudaArray *array;
  unsigned long long surface; /* to write */
  unsigned long long texture; /* to read; 0 outside the rows */
} TlCudaSinogramGroup;

/* Zeroed: none. */
typedef struct
{
  TlCudaLayout layout;   /* TL_CUDA_LAYOUT_NONE: no arrays */
  gboolean interpolates; /* the texture unit interpolates */
  TlCudaLayout cells;    /* TL_CUDA_LAYOUT_NONE: no plain memory */
  size_t n_rays, n_cols, n_groups;
  size_t bytes;                /* of the arrays */
  TlCudaSinogramGroup *groups; /* [n_groups] */
  /* Where tl_cuda_find_cells() and tl_cuda_cell_stride() say; each group has
   * group_bytes. */
  TlCudaBuffer cell_buffer;
  size_t group_bytes;
} TlCudaSinogram;

/** tl_cuda_count_texels: Returns: the texels of one ray, in all its parts */
size_t tl_cuda_count_texels (TlCudaLayout layout, size_t n_cols);
/** tl_cuda_cell_stride: Returns: the distance between two parts, in texels */
size_t tl_cuda_cell_stride (TlCudaLayout layout, size_t n_cols);
/** tl_cuda_find_cells: Returns: (transfer none): the first texel of the first
 * ray of @group, in device memory */
void *tl_cuda_find_cells (const TlCudaSinogram *sinogram, size_t group);

/** tl_cuda_sinogram_give_back: As tl_cuda_sinogram_clear(), when the work in
 * the engine's stream, which may use it, has ended. Nothing to do if it is
 * empty. Returns: %FALSE with TL_ERROR_DEVICE */
gboolean tl_cuda_sinogram_give_back (TlCudaPool *pool, TlCudaSinogram *sinogram,
                                     GError **error);
/** tl_cuda_sinogram_reserve: Makes room in @sinogram for rows in the layouts
 * that @kernel reads. Contents are undefined if layouts or sizes have changed,
 * and are kept otherwise. Owner thread. Returns: %FALSE with TL_ERROR_MEMORY,
 * TL_ERROR_DEVICE or TL_ERROR_UNSUPPORTED (more columns or rays than the
 * device's textures have);
 * @sinogram is empty then */
gboolean tl_cuda_sinogram_reserve (TlCudaPool *pool, TlCudaSinogram *sinogram,
                                   const TlCudaKernel *kernel, size_t n_rays,
                                   size_t n_cols, size_t n_groups,
                                   GError **error);
void tl_cuda_sinogram_clear (TlCudaPool *pool, TlCudaSinogram *sinogram);
