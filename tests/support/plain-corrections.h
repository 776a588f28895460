/* The reference for the stages "zingers" and "rings", the latter with beam
 * hardening: plain loops over doubles, written from the papers. They share only
 * the taps of the wavelet with the engines, and clarity comes before speed.
 * Rows are [n_projections][n_rows][n_cols] and are changed in place. */
#pragma once

#include "gpu/stages/params.h"

/**
 * tl_plain_remove_zingers:
 * @is_transmission: whether @rows are transmissions; otherwise attenuation
 */
void tl_plain_remove_zingers (double *rows, size_t n_projections, size_t n_rows,
                              size_t n_cols, double threshold,
                              gboolean is_transmission);

/** tl_plain_remove_rings: Corrects beam hardening, then removes rings by the
 * method in @params; does nothing if both are off. */
void tl_plain_remove_rings (double *rows, size_t n_projections, size_t n_rows,
                            size_t n_cols, const TlParams *params);
