/* Half acquisition: a scan over a full turn whose axis is near one edge of the
 * detector. What lies beyond the near edge is seen from the other side, half a
 * turn later, so that a slice reaches as far as the far edge.
 *
 * The ray at s columns from the axis at the angle t is the ray at -s at the
 * angle t + pi. With n the columns from the axis to the near edge's last column
 * and s counted towards the far edge, rays with |s| <= n are measured twice,
 * those beyond once. Each is weighted by
 *
 *   w (s) = 0                                 s <= -r
 *   w (s) = (1 + sin (pi s / (2 r))) / 2      -r < s < r      r <= n
 *   w (s) = 1                                 s >= r
 *
 * so that w (s) + w (-s) = 1, and the weighted row is as smooth as what was
 * measured: the two views run into each other over 2 r columns. What is missing
 * of the row is 0 then. This is done before the filter, which looks at all of a
 * row; it is exact, for filter and back-projection are linear. Cho, Rudd,
 * Johnson, Cone-beam CT from width-truncated projections, Comput. Med. Imaging
 * Graph. 20 (1996) 49; Wang, X-ray micro-CT with a displaced detector array,
 * Med. Phys. 29 (2002) 1634, whose weight this is for a parallel beam.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Rows as they are filtered, wider than the detector or not. */
typedef struct
{
  size_t n_cols;    /* of a row; also those, and the rows, of a whole slice */
  size_t first_col; /* of it: the detector's column 0 */
} TlHalfSpan;

/**
 * tl_half_span:
 *
 * A row that reaches as far from the axis to either side as the detector does
 * on the far one: 2 max (c, M - 1 - c) + 1 columns, rounded up to a multiple of
 * 16, so that a slice keeps its size while the centre moves a little. What it
 * has more than the detector is all on the near side. Without half acquisition
 * it is the detector's.
 */
TlHalfSpan tl_half_span (gboolean half, double centre_col, size_t n_cols);

/**
 * tl_half_suits:
 *
 * Returns: whether the axis is so near to an edge that a scan over a full turn
 *   is taken for a half acquisition: less than a third of the columns lie
 *   between them
 */
gboolean tl_half_suits (double centre_col, size_t n_cols);

/**
 * tl_half_weights:
 * @centre_col: that decides which edge is near, the same for all rows
 * @axis_col: of this row, where the ramp is in the middle
 * @near_cols: n, columns from the axis to the near edge's that were measured;
 *   below 0 is none
 * @feather_cols: 2 r; 0, or more than there are: all of 2 n
 * @weights: (out caller-allocates): [@n_cols]
 */
void tl_half_weights (double centre_col, double axis_col, double near_cols,
                      double feather_cols, size_t n_cols, double *weights);

/**
 * tl_half_get_near:
 * @centre_col: that decides which edge is near; a column, as the next
 * @axis_col: of this row
 *
 * Returns: n of that row, in columns; below 0 where its axis is beyond the edge
 */
double tl_half_get_near (double centre_col, double axis_col, size_t n_cols);

G_END_DECLS
