/* The reference: the stages of the engine as plain loops over doubles, written
 * from the formulas. They share nothing with the engine, and clarity comes
 * before speed. */
#pragma once

#include "gpu/engine.h"

/**
 * tl_plain_correct:
 * @corrected: (out caller-allocates): [n_projections][n_rows][n_cols]
 */
void tl_plain_correct (const TlBlock *block, gboolean flat_field,
                       gboolean minus_log, double *corrected);

/** tl_plain_window: As tl_filter_window(). */
double tl_plain_window (TlFilter filter, guint order, double u);

/**
 * tl_plain_filter:
 * @row: [@n_cols]
 * @filtered: (out caller-allocates): [@n_cols]: the row convolved on the circle
 *   of the padded length and shifted so that the axis lies on a multiple of
 *   half a column; for cubic, the coefficients of the B-spline
 */
void tl_plain_filter (const TlParams *params, size_t n_cols, const double *row,
                      double *filtered);

/** tl_plain_axis: Returns: the column of the axis after the shift, a multiple
 * of half a column. */
double tl_plain_axis (const TlParams *params);

/**
 * tl_plain_backproject:
 * @n_cols: of a row; for the Fourier method a row is the whole circle of the
 *   padded length, which is interpolated trigonometrically
 * @rows: [@n_projections][@n_cols]
 * @slice: (out caller-allocates): [grid.ny][grid.nx]
 */
void tl_plain_backproject (const TlParams *params, size_t n_projections,
                           size_t n_cols, const double *angles_rad,
                           const double *rows, double *slice);

/**
 * tl_plain_tie:
 * @row: [@n_cols]
 * @rounding: the error of a coordinate, in columns
 *
 * For nearest and oversampled, a coordinate halfway between two positions is a
 * tie, which rounding decides.
 *
 * Returns: by how much the value at @h depends on that; 0 if @h is further than
 *   @rounding from a tie
 */
double tl_plain_tie (TlInterpolation interpolation, const double *row,
                     size_t n_cols, double h, double rounding);

/**
 * tl_plain_reconstruct:
 *
 * Runs all stages above with the weights of tl_angle_weights(). A half
 * acquisition has the weights of a full turn. A tilt becomes a centre for each
 * row.
 *
 * Returns: (transfer full): [n_rows][grid.ny][grid.nx]
 */
double *tl_plain_reconstruct (const TlBlock *block, const TlParams *params);

/**
 * tl_plain_find_ties:
 * @rounding: the error of a coordinate, in columns
 *
 * Returns: (transfer full) (nullable): [n_rows][grid.ny][grid.nx]: by how much
 *   ties can change each pixel, the sum of tl_plain_tie(); %NULL where the
 *   interpolation has no ties
 */
double *tl_plain_find_ties (const TlBlock *block, const TlParams *params,
                            double rounding);

/** tl_plain_reconstruct_plane: As tl_plain_reconstruct(), with the value of a
 * pixel between two rows interpolated linearly between their slices. Returns:
 * (transfer full): [ny][nx] of @plane */
double *tl_plain_reconstruct_plane (const TlBlock *block, const TlPlane *plane,
                                    const TlParams *params);

/** tl_plain_find_plane_ties: As tl_plain_find_ties() for the pixels of @plane.
 * Returns: (transfer full) (nullable): [ny][nx] */
double *tl_plain_find_plane_ties (const TlBlock *block, const TlPlane *plane,
                                  const TlParams *params, double rounding);
