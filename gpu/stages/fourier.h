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
 * Filtered rows are periodic with tl_filter_length() columns. Pixels so far
 * from the axis that they would read the next period are refused. Whole slices
 * always pass: their corners lie 0.71 n columns from the axis, so at most
 * 1.71 n from the far end of a row of n columns, and a period has 2 n or more.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if a pixel of @grid lies further from
 *   the axis
 */
gboolean tl_fourier_check_reach (const TlGrid *grid, size_t n_cols,
                                 double axis_col, GError **error);

/** tl_fourier_count_finer: Returns: the smallest n for which pixels @pitch / n
 * columns apart sample the frequency @last of @length columns without aliasing;
 * the transform has n times as many pixels in either direction */
size_t tl_fourier_count_finer (double pitch, size_t last, size_t length);

/** tl_fourier_find_last: @response: [@length / 2 + 1]. Returns: the highest
 * frequency that the filter lets through */
size_t tl_fourier_find_last (const float *response, size_t length);

/** tl_fourier_grid_length: Returns: the cells along a side of the grid for @n
 * pixels: at least 2 @n, so that a picture repeats itself only at twice its
 * width; a length that is transformed fast, a multiple of 32 */
size_t tl_fourier_grid_length (size_t n);

/** tl_fourier_bessel: @order: 0 or 1. Returns: the modified Bessel function of
 * order 0 of @x, or that of order 1 divided by @x, by their power series
 * (Abramowitz and Stegun, 9.6.10) */
double tl_fourier_bessel (int order, double x);

/** tl_fourier_get_beta: Returns: the parameter of the kernel of @width cells, a
 * little below pi * width * 0.75: beyond 0.75 cycles per cell the picture's
 * first repetition begins */
double tl_fourier_get_beta (int width);

#define TL_FOURIER_MAX_TERMS 16

/**
 * tl_fourier_fit:
 * @get: the function, for z from -1 to 1
 * @n_terms: 1 … %TL_FOURIER_MAX_TERMS
 * @powers: (out): [@n_terms]: of the polynomial in z, lowest power first
 *
 * Computes the polynomial through the Chebyshev nodes.
 */
void tl_fourier_fit (double (*get) (double z, gconstpointer data),
                     gconstpointer data, int n_terms, double *powers);
