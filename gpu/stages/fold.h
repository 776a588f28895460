/* Folding: one slice is reconstructed as several by symmetry.
 *
 * A is a pixel (x, y) around the axis, B is A turned by 90 degrees, C = -A and
 * D = -B. With q_p the filtered row of projection p, h its column of A,
 * h' = 2 axis_col - h the mirrored one, and p* the projection 90 degrees
 * further on,
 *
 *   q_p (h) belongs to A,   q_p* (h) to B,   q_p (h') to C,   q_p* (h') to D.
 *
 * So the four rows, stored as if they belonged to four slices, serve four
 * pixels of one slice with one coordinate. While A goes through a quarter of
 * the picture and p through all projections, every pixel gets every row. A and
 * C alone, with half of the picture, work with any angles.
 *
 * A ray is an angle with a row for A and a row for B: a projection and its p*.
 * A projection that is not the p* of another one gets its own ray, 90 degrees
 * before its angle, without a row for A. So all four pixels work with any
 * angles too, but each such projection costs as much as a whole ray.
 *
 * Plain arithmetic that needs no engine. */
#pragma once

#include "data/geometry.h"

typedef struct
{
  guint n_pixels; /* how many pixels share a coordinate: 2 or 4; also the number
                     of components of a texel */
  guint serial;   /* unique, never 0 */
  size_t n_projections;
  size_t n_rays;      /* n_projections, or more */
  double *angles_rad; /* [n_rays] */
  /* [n_rays][2]: The projections for A and for B: p + 1, or -(p + 1) if the row
   * is mirrored, or 0 if there is none. */
  gint32 *sources;
} TlFold;

/* The folds of one set of angles, each computed when it is first needed. */
typedef struct TlFolds TlFolds;

/**
 * tl_folds_new:
 * @angles_rad: [@n_projections], copied
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlFolds *tl_folds_new (const double *angles_rad, size_t n_projections,
                       GError **error);
void tl_folds_free (TlFolds *folds);

/**
 * tl_folds_get:
 * @n_pixels: 2 or 4
 * @tolerance_rad: how far p* may be from 90 degrees after p
 *
 * Returns: (transfer none): valid until a call with another tolerance; %NULL
 *   with TL_ERROR_MEMORY
 */
const TlFold *tl_folds_get (TlFolds *folds, guint n_pixels,
                            double tolerance_rad, GError **error);

/** tl_fold_fits: Returns: whether @grid is symmetric about the axis as folding
 * by @n_pixels requires. */
gboolean tl_fold_fits (guint n_pixels, const TlGrid *grid);

/** tl_fold_grid: Returns: the pixels A: the upper half of @grid, or its upper
 * left quarter, including the middle row and column if their number is odd */
TlGrid tl_fold_grid (guint n_pixels, const TlGrid *grid);

/* The columns that a row and its mirror image cover together. */
typedef struct
{
  gint64 first_col; /* 0 or less */
  size_t n_cols;
} TlFoldSpan;

/** tl_fold_span: @axis_col is a multiple of 1/2. */
TlFoldSpan tl_fold_span (double axis_col, size_t n_cols);
