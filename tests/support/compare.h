/* Comparison of pictures, and the table of all tolerances. */
#pragma once

#include "gpu/engine.h"

/* The largest relative L2 distance, unless noted otherwise. */

/* The host engine against plain doubles: it transforms and sums in single
 * precision. */
#define TL_TOLERANCE_HOST 1e-6
/* Added for a filtered row, as a fraction of the unfiltered row. A low cut-off
 * leaves little of the row, but the rounding of a float transform (2^-24 is
 * 6e-8) does not shrink with it. */
#define TL_TOLERANCE_ROW 2e-8
/* Another engine with float data and weights: it sums in another order and has
 * coordinates in float. */
#define TL_TOLERANCE_FULL 1e-5
/* The Fourier method with a float transform in two dimensions and a kernel
 * whose own error is 1.4e-7 (measured on noise: 3e-6; in a deep zoom more,
 * because the error is that of the whole slice). */
#define TL_TOLERANCE_FOURIER 1e-5
/* Half-precision data and weights (11 bits), on a realistic object. */
#define TL_TOLERANCE_FAST 1e-3
/* The same if the errors do not average out: on white noise, and if few
 * projections are summed (measured on noise: 8.3e-4). */
#define TL_TOLERANCE_FAST_ROUGH 2e-3
/* The texture unit has weights of 8 bits. With them, a picture or a tile of the
 * hybrid kernel is off by 3e-3 on noise, and a picture of many tiles of the
 * hybrid kernel by 1.4e-3. */
#define TL_TOLERANCE_EIGHT_BITS 4e-3
/* From this number of projections on, errors average out: they grow as the
 * square root of the number, while the object grows as the number. */
#define TL_TOLERANCE_FAST_PROJECTIONS 30
/* Correction, per pixel, as a fraction of max (1, |value|): a few float
 * roundings. */
#define TL_TOLERANCE_CORRECTED 2e-6
/* The same for samples that hardly absorb, as a fraction of |value|: only the
 * logarithm itself is rounded. */
#define TL_TOLERANCE_THIN 5e-7
/* The factor on the engine's tolerance for a law that holds exactly, checked
 * between two results of one engine: each has its own error, and the changed
 * input is rounded. */
#define TL_TOLERANCE_LAW_FACTOR 4.0
/* The relative error of the mean of a disc of known attenuation that users are
 * promised, with every filter (measured over half a turn: 3e-4). */
#define TL_TOLERANCE_DISC 0.01
/* For nearest and oversampled: the fraction of pixels whose coordinate lies so
 * close to the border between two columns, or quarters of a column, that
 * rounding decides between them. */
#define TL_TOLERANCE_TIES 0.01

/**
 * tl_test_tolerance:
 * @n_projections: the number of summed projections
 * @is_noise: whether the data are white noise
 *
 * Returns: the largest relative L2 distance of @variant from plain doubles
 */
double tl_test_tolerance (const char *engine, const TlVariant *variant,
                          size_t n_projections, gboolean is_noise);

/** tl_test_distance: Returns: the relative L2 distance, ||got - want|| /
 * ||want||.
 */
double tl_test_distance (const float *got, const double *want, size_t n);

/**
 * tl_test_assert_near:
 *
 * Fails the test if the relative L2 distance exceeds @tolerance; the message
 * has the worst index and both values.
 */
void tl_test_assert_near (const float *got, const double *want, size_t n,
                          double tolerance);

/**
 * tl_test_assert_slices:
 *
 * As tl_test_assert_near() for slices that were made with @interpolation. For
 * nearest and oversampled, the worst TL_TOLERANCE_TIES of the pixels do not
 * count.
 */
void tl_test_assert_slices (TlInterpolation interpolation, const float *got,
                            const double *want, size_t n, double tolerance);
