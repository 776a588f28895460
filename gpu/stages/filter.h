/* Filter curves and the angular weights of projections. */
#pragma once

#include "gpu/stages/params.h"

/** tl_filter_length: Returns: length of a padded row: the power of two that is
 * at least twice @n_cols */
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
 * @params: only the filter, its cut-off and order, the band limit and the
 *   interpolation matter; for cubic interpolation the response includes
 *   the prefilter 3 / (2 + cos (2 pi f))
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

/**
 * tl_filter_weights:
 * @angles_rad: [@n]
 * @of_turn: as of tl_angle_weights()
 * @given: (nullable): [@n], taken instead of those of tl_angle_weights()
 *
 * Returns: (transfer full): [@n], the angle that each projection stands for,
 * radians; %NULL with TL_ERROR_VALUE (an angle that is not a number) or
 *   TL_ERROR_MEMORY
 */
float *tl_filter_weights (const double *angles_rad, size_t n, gboolean of_turn,
                          const double *given, GError **error);

/* The response that was computed last, kept for the next call. Zeroed: empty.
 */
typedef struct
{
  size_t length;
  TlParams params; /* of the response */
  float *response; /* [length / 2 + 1] */
} TlKeptResponse;

/** tl_kept_response_get: Returns: (transfer none): the result of
 * tl_filter_response(), valid until the next call */
const float *tl_kept_response_get (TlKeptResponse *kept, const TlParams *params,
                                   size_t length);
void tl_kept_response_clear (TlKeptResponse *kept);
