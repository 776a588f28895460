/* The largest value of a Fourier series in the position of the axis. */
#pragma once

#include "gpu/centre/rows-private.h"

/**
 * tl_centre_evaluate:
 * @terms: [n_frequencies]
 * @slope: (out): the first derivative with respect to @centre
 * @bend: (out): the second derivative
 *
 * Returns: sum over k of 2 Re (terms[k] exp (4 pi i k centre / length))
 */
double tl_centre_evaluate (const double complex *terms,
                           const TlCentreRows *rows, double centre,
                           double *slope, double *bend);

/**
 * tl_centre_find_peak:
 * @spread: (nullable) [2 n_cols - 1]: the standard deviation of the series at
 *   places that are not the centre, for every half column; %NULL: the same
 *   everywhere
 * @estimate: (inout): its method is kept
 *
 * Finds the largest value of tl_centre_evaluate(), divided by @spread, within
 * the range of @data, and fills in the curve and the centre but not the
 * uncertainty. If the value is at an end of the range or does not stand out,
 * @estimate is not found and says why.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_centre_find_peak (const double complex *terms, const double *spread,
                              const TlCentreRows *rows,
                              const TlCentreData *data,
                              TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_refine:
 * @estimate: (inout): found; afterwards not found, with a reason, if there is
 * no maximum within the range of @data
 *
 * Climbs to the maximum beside the centre of @estimate. The uncertainty follows
 * from how much groups of frequencies disagree (the sandwich formula), so that
 * it needs no model of the noise.
 */
void tl_centre_refine (const double complex *terms, const TlCentreRows *rows,
                       const TlCentreData *data, TlCentreEstimate *estimate);
