/* Tilt: the axis is turned in the plane of the detector.
 *
 * Projections are shown with row 0 at the top and column 0 on the left. A
 * positive tilt turns the axis counter-clockwise: its lower end leans to the
 * right, towards higher columns.
 *
 *        col ->           The centre is the column of the axis in the middle
 *    row   \              row (n_rows - 1) / 2 of the detector; so many rows
 *     |     \             below, the axis is at
 *     v      + centre
 *             \             centre + rows tan tilt
 *
 * A slice is perpendicular to the axis, and so does not lie in one row: at the
 * distance u from the axis it is u sin tilt rows away from its row at the axis.
 * If that is at most TL_TILT_SHEAR_ROWS up to the farther edge of the detector,
 * a slice is made from its own row with the centre of that row, because a row
 * sees everything within half a row anyway. Otherwise projections are turned
 * back about the centre before they are reconstructed, and a slice needs the
 * rows around its own.
 */
#pragma once

#include <glib.h>

#define TL_TILT_SHEAR_ROWS 0.5

/**
 * tl_tilt_resamples:
 * @centre_col: in columns, as data/geometry.h counts them
 * @n_cols: of the detector
 *
 * Returns: whether projections are turned back
 */
gboolean tl_tilt_resamples (double tilt_deg, double centre_col, size_t n_cols);

/**
 * tl_tilt_get_axis_col:
 * @rows: distance below the middle row of the detector; negative above it
 *
 * Returns: the column of the axis in that row; it may lie beyond the detector
 */
double tl_tilt_get_axis_col (double tilt_deg, double centre_col, double rows);

/**
 * tl_tilt_get_margin:
 * @n_rows: of the detector, as @n_cols
 *
 * Returns: how many rows above its own a slice needs, and as many below; 0 if
 *   projections are not turned back
 */
size_t tl_tilt_get_margin (double tilt_deg, double centre_col, size_t n_rows,
                           size_t n_cols);

/**
 * tl_tilt_find_inner:
 * @n_rows: of the detector, as @n_cols
 * @first: (out): the first slice that lies on the detector from edge to edge
 * @last: (out): the last such slice; other slices repeat the outermost row
 *
 * Returns: %FALSE if there is no such slice
 */
gboolean tl_tilt_find_inner (double tilt_deg, double centre_col, size_t n_rows,
                             size_t n_cols, size_t *first, size_t *last);
