/* Tilt: the axis is turned in the plane of the detector.
 *
 * Seen as projections are shown, row 0 above and column 0 on the left, a
 * positive tilt has turned the axis counter-clockwise: its lower end leans to
 * the right, towards higher columns.
 *
 *        col ->           The centre is the column of the axis in the middle
 *    row   \              row (n_rows - 1) / 2 of the detector; so many rows
 *     |     \             below, the axis is at
 *     v      + centre
 *             \             centre + rows tan tilt
 *
 * A slice is perpendicular to the axis, and so not of one row: at the distance
 * u from the axis it is u sin tilt rows away from where it is at the axis.
 * While that is TL_TILT_SHEAR_ROWS at most, up to the farther edge of the
 * detector, a slice is made of its own row alone, with the centre of that row:
 * what a row sees is what lies within half a row of it anyway. Beyond that,
 * projections are turned back about the centre before they are reconstructed,
 * and a slice needs the rows around its own.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
 * @rows: below the middle row of the detector; above it: negative
 *
 * Returns: the column where the axis is there, which may be none of the
 *   detector's
 */
double tl_tilt_get_axis_col (double tilt_deg, double centre_col, double rows);

/**
 * tl_tilt_get_margin:
 * @n_rows: of the detector, as @n_cols
 *
 * Returns: rows that a slice needs above its own, and as many below; 0 where
 *   nothing is resampled
 */
size_t tl_tilt_get_margin (double tilt_deg, double centre_col, size_t n_rows,
                           size_t n_cols);

/**
 * tl_tilt_find_inner:
 * @n_rows: of the detector, as @n_cols
 * @first: (out): of the slices that lie on the detector from edge to edge, as
 *   @last (out); the outermost row goes on for the others
 *
 * Returns: %FALSE where there is none
 */
gboolean tl_tilt_find_inner (double tilt_deg, double centre_col, size_t n_rows,
                             size_t n_cols, size_t *first, size_t *last);

G_END_DECLS
