/* Half acquisition: a scan over a full turn whose axis is near one edge of the
 * detector. The part beyond the near edge is seen half a turn later from the
 * other side, so that a slice reaches as far as the far edge.
 *
 * The ray at s columns from the axis at the angle t is the ray at -s at the
 * angle t + pi. With n the columns from the axis to the near edge's last column
 * and s counted towards the far edge, rays with |s| <= n are measured twice,
 * the others once. Each is weighted by
 *
 *   w (s) = 0                                 s <= -r
 *   w (s) = (1 + sin (pi s / (2 r))) / 2      -r < s < r      r <= n
 *   w (s) = 1                                 s >= r
 *
 * so that w (s) + w (-s) = 1, and the weighted row is as smooth as the measured
 * one: the two views blend over 2 r columns. The missing part of the row
 * becomes 0. The weights are applied before the filter, which spreads over the
 * whole row; this is exact, because filter and back-projection are linear. Cho,
 * Rudd, Johnson, Cone-beam CT from width-truncated projections, Comput. Med.
 * Imaging Graph. 20 (1996) 49; Wang, X-ray micro-CT with a displaced detector
 * array, Med. Phys. 29 (2002) 1634, whose weight this is for a parallel beam.
 */
#pragma once

#include <glib.h>

/* The rows that are filtered; they may be wider than the detector. */
typedef struct
{
  size_t n_cols;    /* of a row; a whole slice has as many columns and rows */
  size_t first_col; /* the column of the row where the detector begins */
} TlHalfSpan;

/** tl_half_span: Returns: with @half, a row that reaches as far to either side
 * of the axis as the detector does on the far side: 2 max (c, M - 1 - c) + 1
 * columns, rounded up to a multiple of 16 so that a slice keeps its size while
 * the centre moves a little; all added columns are on the near side. Otherwise
 * the row of the detector. */
TlHalfSpan tl_half_span (gboolean half, double centre_col, size_t n_cols);

/** tl_half_suits: Returns: whether a scan over a full turn looks like a half
 * acquisition: less than a third of the columns lie between the axis and the
 * nearer edge */
gboolean tl_half_suits (double centre_col, size_t n_cols);

/**
 * tl_half_weights:
 * @centre_col: decides which edge is near, the same for all rows
 * @axis_col: of this row: the middle of the transition
 * @near_cols: n, measured columns from the axis to the near edge; negative:
 * none
 * @feather_cols: 2 r; 0, or more than 2 n: 2 n
 * @weights: (out caller-allocates): [@n_cols]
 */
void tl_half_weights (double centre_col, double axis_col, double near_cols,
                      double feather_cols, size_t n_cols, double *weights);

/**
 * tl_half_get_near:
 * @centre_col: decides which edge is near
 * @axis_col: of this row
 *
 * Returns: n of that row, in columns; negative if its axis is beyond the edge
 */
double tl_half_get_near (double centre_col, double axis_col, size_t n_cols);
