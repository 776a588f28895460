/* A volume in host memory, of the rows of a scan. */
#pragma once

#include "app/recon/recon.h"
#include "data/progress.h"

/* Zero before use. */
typedef struct
{
  float *values; /* [n[2]][n[1]][n[0]], attenuation per pixel of the bins; NaN
                    outside the circle that all projections see */
  size_t n[3];   /* columns, rows, slices */
} TlVoxels;

/**
 * tl_voxels_make:
 * @recipe: resolved
 * @progress: (nullable): called before each block of slices, and at the end
 *
 * Reconstructs all slices. Returns: %FALSE with any error of tl_recon_run(), or
 * with TL_ERROR_MEMORY; then @voxels is empty
 */
gboolean tl_voxels_make (TlVoxels *voxels, TlRecon *recon,
                         const TlRecipe *recipe, TlProgress progress,
                         gpointer progress_data, GCancellable *cancellable,
                         GError **error);
/**
 * tl_voxels_make_part:
 * @recipe: resolved; its grid is a part of a whole slice, of the same pixels
 * @first: slice, from 0
 *
 * As tl_voxels_make(), of the pixels of the grid and of @n_slices slices.
 */
gboolean tl_voxels_make_part (TlVoxels *voxels, TlRecon *recon,
                              const TlRecipe *recipe, size_t first,
                              size_t n_slices, TlProgress progress,
                              gpointer progress_data, GCancellable *cancellable,
                              GError **error);
/** tl_voxels_clear: Frees the values and zeroes @voxels. */
void tl_voxels_clear (TlVoxels *voxels);
