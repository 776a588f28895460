/* What the engines share of the Fourier method: where it can be used, the size
 * of its grid, its rays and its kernel, and polynomials. gpu/backend/backend.h
 * says what it computes. Any thread. */
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

/** tl_fourier_find_middle: @x, @y: (out): of the pixel (ny / 2, nx / 2) of
 * @grid, both rounded down: the place 0 of the transform */
void tl_fourier_find_middle (const TlGrid *grid, double *x, double *y);

/* A projection in the grid of cells. */
typedef struct
{
  double u, v;        /* from one frequency to the next, cells */
  double turn;        /* the direction in the grid, by which rays are sorted */
  gboolean is_turned; /* by half a turn; the values are conjugated */
  size_t projection;
} TlFourierRay;

/** tl_fourier_sort_rays: Sorts @rays, [@n], by their turn; of equal ones the
 * first projection comes first. */
void tl_fourier_sort_rays (TlFourierRay *rays, size_t n);

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

/** tl_fourier_get_kernel: @rest: 1 - (2 z / @width)^2, z cells from the middle;
 * below 0 it counts as 0. Returns: the kernel of @width cells, 1 in its middle
 */
double tl_fourier_get_kernel (int width, double rest);

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
