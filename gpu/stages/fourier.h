/* Where the Fourier method can be used; gpu/backend/backend.h says what it
 * computes. */
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
