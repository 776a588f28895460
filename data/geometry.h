/* The conventions of the whole program, in one place.
 *
 * A projection stack is [projection][row][col], a sinogram [projection][col],
 * a volume [z][y][x], slowest axis first.
 *
 * The centre of column k has coordinate k. The rotation centre is the column
 * coordinate onto which the axis projects. In the exact middle of M columns
 * it is (M - 1) / 2. Programs that count from the pixel's edge call the same
 * place "boundary" = centre + 0.5.
 *
 * Pixel (row i, col j) of a slice has x = x0 + j * pitch, y = y0 - i * pitch
 * in detector pixels from the axis, y up. The whole slice of N x N pixels has
 * x0 = -(N - 1) / 2, y0 = (N - 1) / 2, pitch 1. At the angle t the pixel is
 * projected onto column centre + x cos t + y sin t: with increasing t, the
 * direction (cos t, sin t) of increasing columns turns counter-clockwise in the
 * slice. Angles are radians in memory, degrees in files and on screen. */
#pragma once

#include <glib.h>

/* Kernels count columns in 32 bits: no pixel lies farther from the axis, in
 * columns and rows; no detector comes near this limit. */
#define TL_MAX_DISTANCE 1e7

/* A gap between neighbouring angles is a missing wedge only if it is wider than
 * both: so many degrees, and so many median steps. */
#define TL_WIDE_GAP_DEG 5.0
#define TL_WIDE_GAP_STEPS 10.0

/* Largest tilt of the axis in the plane of the detector, in either
 * direction; gpu/stages/tilt.h explains it. */
#define TL_TILT_MAX_DEG 10.0

/* The pixels of the plane that are reconstructed; see above. A plain value. */
typedef struct
{
  size_t ny, nx;
  double x0, y0; /* of pixel (0, 0), in detector pixels from the axis */
  double pitch;  /* distance of neighbouring pixels, in detector pixels */
} TlGrid;

/** tl_grid_full: Returns: the grid of a whole slice of @n x @n pixels, pitch
 * 1 */
TlGrid tl_grid_full (size_t n);

/** tl_grid_equal: Returns: whether both have the same pixels */
gboolean tl_grid_equal (const TlGrid *a, const TlGrid *b);

/**
 * tl_grid_find_seen:
 * @grid: part of @whole, with its pitch
 * @row: of @grid
 * @first: (out), with @end: the columns from @first up to @end, exclusive
 *
 * Finds the pixels of a row within the largest circle in the slice @whole.
 * Outside it some projections see nothing, and values are wrong.
 */
void tl_grid_find_seen (const TlGrid *grid, const TlGrid *whole, size_t row,
                        size_t *first, size_t *end);

/**
 * tl_grid_reduced:
 * @factor: 1 or more
 *
 * Returns: the grid of the same square with about @n / @factor pixels a side,
 *   a whole number; the pitch is @factor or a little less
 */
TlGrid tl_grid_reduced (size_t n, guint factor);

/* A circle in a slice, in its pixels, for example the one that all projections
 * see. A plain value. */
typedef struct
{
  double col, row, radius;
} TlCircle;

/** tl_dot: @a and @b: [3]. Returns: the sum of their products */
double tl_dot (const double *a, const double *b);

/* The pixels of a plane of the sample, which may be oblique: pixel (row i,
 * col j) is at origin + j * u + i * v. A place is { x, y, z }: x and y in
 * detector pixels from the axis, y up, and z in detector rows, down. A plain
 * value. */
typedef struct
{
  size_t ny, nx;
  double origin[3];  /* pixel (0, 0) */
  double u[3], v[3]; /* the steps to the next column and to the next row */
} TlPlane;

/** tl_plane_equal: Returns: whether both have the same pixels */
gboolean tl_plane_equal (const TlPlane *a, const TlPlane *b);

/** tl_plane_xy: Returns: the pixels of @grid at height @z */
TlPlane tl_plane_xy (const TlGrid *grid, double z);

/** tl_plane_xz: Returns: row @row of the slices of @grid in detector rows 0 to
 * @n_rows - 1, from left to right with x and from top to bottom with z */
TlPlane tl_plane_xz (const TlGrid *grid, double row, size_t n_rows);

/** tl_plane_yz: Returns: column @col of these slices, from left to right with
 * their rows and from top to bottom with z */
TlPlane tl_plane_yz (const TlGrid *grid, double col, size_t n_rows);

/** tl_plane_oblique: Returns: @n x @n pixels around the place @middle, [3] as
 * @u and @v */
TlPlane tl_plane_oblique (const double *middle, const double *u,
                          const double *v, size_t n);

/** tl_plane_coarse: Returns: the same part of the plane in pixels that are
 * @factor times as wide and high; as many as are whole, but at least one */
TlPlane tl_plane_coarse (const TlPlane *plane, guint factor);

/**
 * tl_plane_find_rows:
 * @n_rows: of the detector
 * @first: (out): the first row that @plane needs
 * @n: (out): how many it needs; between rows a plane is interpolated linearly
 *
 * Returns: %FALSE if every pixel of @plane is a row or more outside the
 * detector
 */
gboolean tl_plane_find_rows (const TlPlane *plane, size_t n_rows, size_t *first,
                             size_t *n);

/** tl_centre_to_boundary: Returns: the same position, counted from the edge
 * of the first pixel */
double tl_centre_to_boundary (double centre_col);

/** tl_centre_from_boundary: Returns: the same position, counted from the
 * centre of the first pixel */
double tl_centre_from_boundary (double boundary);

/** tl_round_to_parts: Returns: @value, rounded to a multiple of 1 / @parts */
double tl_round_to_parts (double value, double parts);

/**
 * tl_angle_weights:
 * @angles_rad: [@n], any order
 * @of_turn: whether all angles are taken modulo 2 pi, where opposite
 * projections are different directions and the weights add up to 2 pi
 * @weights: (out caller-allocates): [@n], radians
 *
 * The angular step that each projection stands for in the back-projection
 * integral over half a turn: half the distance to its two neighbours. Without
 * @of_turn all angles are taken modulo pi, so that each projection of a 360
 * degree scan counts half and a repeated end point counts once. No projection
 * gets the weight of a missing wedge (TL_WIDE_GAP_DEG). The weights of a scan
 * without one add up to pi. A single projection has the weight pi.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_angle_weights (const double *angles_rad, size_t n, gboolean of_turn,
                           double *weights, GError **error);

/**
 * tl_angle_weights_growing:
 * @angles_rad: [@n], in the order of their numbers
 * @is_there: [@n], whether the projection has come; at least one has
 * @is_announced: whether @angles_rad are those of the whole scan; otherwise
 *   more may come
 * @of_turn: as of tl_angle_weights()
 * @weights: (out caller-allocates): [@n], radians; 0 for those that have not
 *   come
 * @scale: (out): the weights multiplied by this add up to those of all
 *   announced projections, or to the whole period; 1 if there is no hole
 *
 * As tl_angle_weights(), while the scan is being taken: so that a slice of a
 * third of the projections has streaks, but is not dark.
 *
 * A gap of more than ten median steps is a hole, and so is the gap in front of
 * a stage that turns in one direction. The hole gives each of its ends one
 * step, as announced or else the median. So projections that come in the order
 * of their announced angles have their final weights, to the bit, from the
 * beginning, except beside angles that repeat others.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_angle_weights_growing (const double *angles_rad,
                                   const guint8 *is_there, size_t n,
                                   gboolean is_announced, gboolean of_turn,
                                   double *weights, double *scale,
                                   GError **error);

/**
 * tl_angles_find_gap:
 * @from_rad: (out): the direction at which the gap begins, from the smallest
 *   angle on
 *
 * Finds the widest gap between the directions of projections, modulo pi. The
 * gap between the last direction and the first one plus pi does not count.
 *
 * Returns: the width of the gap in radians; 0 if no gap is so wide that
 *   tl_angle_weights() takes it as a missing wedge, or without memory
 */
double tl_angles_find_gap (const double *angles_rad, size_t n,
                           double *from_rad);

/**
 * tl_angles_cover_turn:
 * @covers: (out): whether @angles_rad cover the full turn: there are at least
 *   3, and no gap is wider than both 5 degrees and twice the median gap
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_angles_cover_turn (const double *angles_rad, size_t n,
                               gboolean *covers, GError **error);
