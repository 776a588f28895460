/* A small volume in host memory. */
#pragma once

#include "app/recon/recon.h"
#include "data/progress.h"

/* Zero before use. */
typedef struct
{
  float *voxels; /* [n[2]][n[1]][n[0]], attenuation per pixel of the bins; NaN
                    outside the circle that all projections see */
  size_t n[3];   /* columns, rows, slices */
} TlCliVolume;

/**
 * tl_cli_volume_make:
 * @recipe: resolved
 *
 * Reconstructs all slices. Returns: %FALSE with any error of tl_recon_run(), or
 * with TL_ERROR_MEMORY; then @volume is empty
 */
gboolean tl_cli_volume_make (TlCliVolume *volume, TlRecon *recon,
                             const TlRecipe *recipe, TlProgress progress,
                             gpointer progress_data, GCancellable *cancellable,
                             GError **error);
void tl_cli_volume_clear (TlCliVolume *volume);
