/* Filter curves. */
#pragma once

#include "gpu/params.h"

G_BEGIN_DECLS

/**
 * tl_filter_length:
 *
 * Returns: length of a padded row: the power of two that is at least twice
 *   @n_cols
 */
size_t tl_filter_length (size_t n_cols);

/**
 * tl_filter_window:
 * @u: frequency as a fraction of the cut-off, >= 0
 *
 * The window that the ramp is multiplied by: 1 at 0, and 0 above 1 except for
 * Butterworth. The formulas are in filter.c.
 */
double tl_filter_window (TlFilter filter, guint butterworth_order, double u);

/**
 * tl_filter_response:
 * @length: of a padded row, a power of two
 * @response: (out caller-allocates): [@length / 2 + 1], from frequency 0 to
 *   Nyquist, cycles per pixel; the ramp is |f|
 *
 * The ramp is the transform of the band-limited spatial kernel (Kak and Slaney,
 * equation 3.61), so that the mean of a slice is right; its value at frequency
 * 0 is small but not 0.
 */
void tl_filter_response (const TlParams *params, size_t length,
                         float *response);

G_END_DECLS
