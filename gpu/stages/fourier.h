/* What the engines share of the Fourier method: where it can be used, the size
 * of its grid, and polynomials for its kernel. gpu/backend/backend.h says what
 * it computes. Any thread. */
#pragma once

#include "data/geometry.h"

#include <glib.h>

/**
 * tl_fourier_check_reach:
 * @n_cols: of the rows of the stage "transform"
 * @axis_col: the axis, in these columns
 *
 * A row is a circle of tl_filter_length() values, so that beyond this length
 * minus its columns it begins again. Whole slices end before: they reach
 * columns 1.71 n from the end of a row of n columns at most, and the circle has
 * 2 n or more.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if a pixel of @grid lies further from
 *   the axis
 */
gboolean tl_fourier_check_reach (const TlGrid *grid, size_t n_cols,
                                 double axis_col, GError **error);

/** tl_fourier_count_finer: Where pixels at a distance of @pitch columns are too
 * far apart for the @last frequency of a circle of @length columns, the
 * transform has more of them. Returns: pixels are every so many of the
 * transform */
size_t tl_fourier_count_finer (double pitch, size_t last, size_t length);

/** tl_fourier_grid_length: Returns: the cells along a side of the grid for @n
 * pixels: at least 2 @n, so that a picture repeats itself only at twice its
 * width; a length that is transformed fast, a multiple of 32 */
size_t tl_fourier_grid_length (size_t n);

/** tl_fourier_bessel: Returns: the modified Bessel function of order 0 of @x,
 * or that of order 1 divided by @x */
double tl_fourier_bessel (int order, double x);

/**
 * tl_fourier_fit:
 * @get: the function, for z from -1 to 1
 * @powers: (out): [@n_terms]: of the polynomial in z, lowest power first
 *
 * Computes the polynomial through the Chebyshev nodes. @n_terms: at most
 * %TL_FOURIER_MAX_TERMS.
 */
#define TL_FOURIER_MAX_TERMS 16
void tl_fourier_fit (double (*get) (double z, gconstpointer data),
                     gconstpointer data, int n_terms, double *powers);
