/* The judge of the stages "zingers" and "rings": plain loops over doubles,
 * written from the papers and sharing nothing with the engines but the taps of
 * the wavelet. Slow on purpose. Rows are [n_projections][n_rows][n_cols],
 * changed in place. */
#pragma once

#include "gpu/stages/params.h"

G_BEGIN_DECLS

/**
 * tl_plain_remove_zingers:
 * @is_transmission: else attenuation
 */
void tl_plain_remove_zingers (double *rows, size_t n_projections, size_t n_rows,
                              size_t n_cols, double threshold,
                              gboolean is_transmission);

/** tl_plain_remove_rings: As @params say, which may be not at all. */
void tl_plain_remove_rings (double *rows, size_t n_projections, size_t n_rows,
                            size_t n_cols, const TlParams *params);

G_END_DECLS
