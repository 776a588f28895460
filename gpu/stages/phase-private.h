/* The filter of gpu/stages/phase.h as the backends take it: along a row in
 * Fourier space, and from row to row as a sum. The sum has so few terms that
 * for some slices it is less work than a second transform; it needs no padding,
 * for rows beyond the detector are its edge rows again; and a slice does not
 * depend on which others are made with it. */
#pragma once

#include "gpu/stages/phase.h"

G_BEGIN_DECLS

/* Zeroed: none. */
typedef struct
{
  double scale_px;
  size_t n_cols; /* that it was made for */
  size_t length; /* of a padded row: even, products of 2, 3 and 5 */
  size_t n_taps; /* the margin and the row itself */
  /* [n_taps][length / 2 + 1]: what the row so many rows away counts, for each
   * frequency along the row; 1 / length included */
  float *weights;
} TlPhaseFilter;

/**
 * tl_phase_filter_prepare:
 * @scale_px: above 0
 *
 * Makes @filter what it has to be, unless it is.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY; then it is zeroed
 */
gboolean tl_phase_filter_prepare (TlPhaseFilter *filter, double scale_px,
                                  size_t n_cols, GError **error);
void tl_phase_filter_clear (TlPhaseFilter *filter);

G_END_DECLS
