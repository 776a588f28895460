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
/* The same on a device in fast precision, whose kernel is narrower (measured on
 * noise: 1.1e-4). */
#define TL_TOLERANCE_FOURIER_FAST 5e-4
/* Half-precision data and weights (11 bits), on a realistic object. */
#define TL_TOLERANCE_FAST 1e-3
/* The same if the errors do not average out: on white noise, and if few
 * projections are summed (measured on noise: 8.3e-4). */
#define TL_TOLERANCE_FAST_ROUGH 2e-3
/* Spectra in half precision alone, on white noise, where their errors do not
 * average out (in double precision otherwise: 1.5e-4). */
#define TL_TOLERANCE_HALVES 5e-4
/* The texture unit has weights of 8 bits. With them, a picture or a tile of the
 * hybrid kernel is off by 3e-3 on noise, and a picture of many tiles of the
 * hybrid kernel by 1.4e-3. */
#define TL_TOLERANCE_EIGHT_BITS 4e-3
/* A picture that has no other weights: a single pixel of few projections was
 * off by 5.1e-2. */
#define TL_TOLERANCE_TEXTBOOK 6e-3
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
/* The factor on the relative L2 distance for the difference of a single pixel,
 * as a fraction of its value and the root mean square of all: rounding of many
 * terms has the tails of a normal distribution. */
#define TL_TOLERANCE_PIXEL_FACTOR 10.0

/* The errors of coordinates, in columns, for nearest and oversampled. */

/* The host has whole columns as integers and their fractions in float (2^-24 is
 * 6e-8), which it adds twice. */
#define TL_ROUNDING_HOST 5e-7
/* Another engine has the fraction and the distance from the middle of a tile in
 * float: 1e-4. It folds angles that differ by up to 1e-5 columns. */
#define TL_ROUNDING_FULL 2e-4
/* The same, but it folds up to 3e-4 columns. */
#define TL_ROUNDING_FAST 5e-4

/**
 * tl_test_tolerance:
 * @n_projections: the number of summed projections
 * @is_noise: whether the data are white noise
 *
 * Returns: the largest relative L2 distance of @variant from plain doubles
 */
double tl_test_tolerance (const char *engine, const TlVariant *variant,
                          size_t n_projections, gboolean is_noise);

/** tl_test_rounding: Returns: the error of coordinates, in columns */
double tl_test_rounding (const char *engine, TlPrecision precision);

/** tl_test_distance: Returns: the relative L2 distance, ||got - want|| /
 * ||want||.
 */
double tl_test_distance (const float *got, const double *want, size_t n);

/**
 * tl_test_assert_near:
 *
 * Fails the test if the relative L2 distance exceeds @tolerance, or if a
 * difference exceeds TL_TOLERANCE_PIXEL_FACTOR * @tolerance * (r + |want|), r
 * being the root mean square of @want. The message has the worst index and both
 * values.
 */
void tl_test_assert_near (const float *got, const double *want, size_t n,
                          double tolerance);

/**
 * tl_test_assert_slices:
 * @ties: (nullable): [@n], of tl_plain_find_ties(): what is taken from each
 *   difference
 *
 * As tl_test_assert_near() for slices of nearest and oversampled.
 */
void tl_test_assert_slices (const float *got, const double *want,
                            const double *ties, size_t n, double tolerance);
