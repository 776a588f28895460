/* Zingers of a sinogram, cut before the axis is looked for. */
#pragma once

#include "gpu/host/pool.h"

/**
 * tl_centre_cut_zingers:
 * @rows: (inout): [@n_projections][@n_cols], finite
 *
 * Replaces samples that are far from both the median of five projections and
 * the median of five columns by the median of the projections. Fewer than five
 * projections or columns stay as they are.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_centre_cut_zingers (TlHostPool *pool, float *rows,
                                size_t n_projections, size_t n_cols,
                                GError **error);
