/* Comparing pictures, and the one table of tolerances. */
#pragma once

#include "gpu/engine.h"

G_BEGIN_DECLS

/* Relative L2 distance that is allowed, unless it says otherwise. */

/* host against plain doubles: single-precision transforms and sums */
#define TL_TOLERANCE_HOST 1e-6
/* of a filtered row, added to the above as a part of the row before: what a
 * transform in floats (2^-24 is 6e-8) rounds does not shrink with what a low
 * cut-off leaves of the row */
#define TL_TOLERANCE_ROW 2e-8
/* another engine with float data and weights: its own order of sums, and
 * coordinates in float */
#define TL_TOLERANCE_FULL 1e-5
/* half-precision data and weights (11 bits), on a real object */
#define TL_TOLERANCE_FAST 1e-3
/* The same where nothing averages what they are off by: on white noise, and
 * where few projections are summed (measured, of noise: 8.3e-4). */
#define TL_TOLERANCE_FAST_ROUGH 2e-3
/* The texture unit's own weights have 8 bits. A picture, or a tile of the
 * hybrid kernel, that is made with them is off by 3e-3 on noise; a picture of
 * many tiles of the hybrid kernel by 1.4e-3. */
#define TL_TOLERANCE_EIGHT_BITS 4e-3
/* From how many projections on what an object's values are off by averages
 * out: their errors add up as the square root of the number, the object as the
 * number. */
#define TL_TOLERANCE_FAST_PROJECTIONS 30
/* correction, per pixel, of max (1, |value|): a few roundings in float */
#define TL_TOLERANCE_CORRECTED 2e-6
/* a law that holds exactly, checked between two results of one engine: twice
 * its own error and the rounding of the changed input */
#define TL_TOLERANCE_LAW_FACTOR 4.0
/* mean of a disc of known attenuation, relative: what users are promised, with
 * every filter (measured over half a turn: 3e-4) */
#define TL_TOLERANCE_DISC 0.01
/* nearest and oversampled: fraction of pixels whose column, or quarter of one,
 * may be the other one of two, where a coordinate lies on the border within its
 * rounding */
#define TL_TOLERANCE_TIES 0.01

/**
 * tl_test_tolerance:
 * @n_projections: that are summed
 * @is_noise: the data are white noise
 *
 * Returns: relative L2 distance of @variant from plain doubles
 */
double tl_test_tolerance (const char *engine, const TlVariant *variant,
                          size_t n_projections, gboolean is_noise);

/** tl_test_distance: Returns: relative L2 distance, ||got - want|| / ||want||.
 */
double tl_test_distance (const float *got, const double *want, size_t n);

/**
 * tl_test_assert_near:
 *
 * Fails the test with the worst index and both values where the relative L2
 * distance is above @tolerance.
 */
void tl_test_assert_near (const float *got, const double *want, size_t n,
                          double tolerance);

/**
 * tl_test_assert_slices:
 *
 * As above, with the interpolation that made both; for nearest and oversampled
 * over the pixels less the worst TL_TOLERANCE_TIES of them.
 */
void tl_test_assert_slices (TlInterpolation interpolation, const float *got,
                            const double *want, size_t n, double tolerance);

G_END_DECLS
