/* A volume, of the rows of a scan. */
#pragma once

#include "app/recon/recon.h"
#include "data/geometry.h"
#include "data/progress.h"

/* Zero before use. */
typedef struct
{
  float *values;   /* (nullable): [n[2]][n[1]][n[0]] in host memory, attenuation
                      per pixel of the bins; NaN outside the circle that all
                      projections see */
  TlFrame *frame;  /* (nullable): in place of them, on a device; what it has
                      outside the circle means nothing */
  double factor;   /* by which the values of frame are to be multiplied */
  size_t n[3];     /* columns, rows, slices */
  TlCircle circle; /* in voxels */
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

/**
 * tl_voxels_make_at_once:
 * @recipe: as of tl_voxels_make_part(), with the next ones
 *
 * As tl_voxels_make_part(), of all rows together. The engine keeps them, and
 * what it has made of them, so that the next volume takes only the stages that
 * a changed parameter invalidates. The voxels of an engine that is a device
 * stay on it.
 *
 * Returns: %FALSE with any error of tl_voxels_make(): after TL_ERROR_MEMORY
 *   that may still make the volume, because it takes the rows in blocks
 */
gboolean tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                                 const TlRecipe *recipe, size_t first,
                                 size_t n_slices, GCancellable *cancellable,
                                 GError **error);

/** tl_voxels_clear: Frees the voxels and zeroes @voxels. */
void tl_voxels_clear (TlVoxels *voxels);
