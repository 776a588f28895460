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
/* half-precision data (11 bits) and weights of 8 bits, on a real object */
#define TL_TOLERANCE_FAST 1e-3
/* The same where nothing averages what the weights are off by, up to 1/512 of
 * the step from one column to the next: on white noise, whose steps are as
 * large as its values (measured 0.75e-3 … 3.01e-3), and where few projections
 * are summed (measured, of the object: 1.4e-3 for 1, 1.07e-3 for 17). */
#define TL_TOLERANCE_FAST_ROUGH 4e-3
/* From how many projections on the weights of an object average out: their
 * errors add up as the square root of the number, the object as the number. */
#define TL_TOLERANCE_FAST_PROJECTIONS 30
/* What the texture units' weights are off by, for cubic: they multiply steps
 * between B-spline coefficients, whose highest frequencies are three times
 * those of the row (calculated, with weights of 8 bits and rows in half
 * precision: 1.7 times what linear has, 5.6e-3 on noise, 1.1e-3 of an object).
 * Out of shared memory the weights have 11 bits, and it does not show. */
#define TL_TOLERANCE_CUBIC_FACTOR 1.7
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
