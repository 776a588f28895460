/* Filtered rows in texture memory: one CUDA array for each group of slices that
 * are back-projected together. */
#pragma once

#include "gpu/cuda/buffer.h"
#include "gpu/cuda/layout.h"

G_BEGIN_DECLS

struct cudaArray;

/* One group, [n_projections][n_texels]. */
typedef struct
{
  struct cudaArray *array;
  unsigned long long surface; /* to write */
  unsigned long long texture; /* to read; 0 outside the rows */
} TlCudaSinogramGroup;

/* Zeroed: none. */
typedef struct
{
  TlCudaLayout layout;
  gboolean interpolates; /* the texture unit interpolates */
  size_t n_projections, n_cols, n_groups;
  size_t bytes;
  TlCudaSinogramGroup *groups; /* [n_groups] */
} TlCudaSinogram;

/** tl_cuda_layout_slices: Returns: slices in a texel. */
guint tl_cuda_layout_slices (TlCudaLayout layout);

/**
 * tl_cuda_sinogram_reserve:
 *
 * Makes @sinogram hold rows of that kind; keeps what is there where nothing
 * changed. Contents are undefined. Owner thread.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY, TL_ERROR_DEVICE or TL_ERROR_UNSUPPORTED
 *   (more columns or projections than the device's textures have); @sinogram is
 *   empty then
 */
gboolean tl_cuda_sinogram_reserve (TlCudaPool *pool, TlCudaSinogram *sinogram,
                                   TlCudaLayout layout, gboolean interpolates,
                                   size_t n_projections, size_t n_cols,
                                   size_t n_groups, GError **error);
void tl_cuda_sinogram_clear (TlCudaPool *pool, TlCudaSinogram *sinogram);

G_END_DECLS
