/* Small scans in memory. */
#pragma once

#include "gpu/engine.h"

/* A block with the arrays that it points to; tl_test_scan_free() frees all of
 * it. */
typedef struct
{
  TlBlock block;
  void *samples;
  double *angles_rad;
  double *dark, *flat_first, *flat_last;
} TlTestScan;

/**
 * tl_test_scan_new:
 *
 * Makes a scan over half a turn without the end point. Samples are zero, and
 * there are no fields.
 */
TlTestScan *tl_test_scan_new (size_t n_projections, size_t n_rows,
                              size_t n_cols, TlSampleType type);
void tl_test_scan_free (TlTestScan *scan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTestScan, tl_test_scan_free)

/** tl_test_scan_fill_noise: Sets random samples, 0.05 … 1; F32 only. */
void tl_test_scan_fill_noise (TlTestScan *scan);

/** tl_test_scan_new_noise: Makes a scan of type F32, filled with noise. */
TlTestScan *tl_test_scan_new_noise (size_t n_projections, size_t n_rows,
                                    size_t n_cols);

/** tl_test_scan_set_angles: Sets angles in equal steps from @first_deg over
 * @range_deg. */
void tl_test_scan_set_angles (TlTestScan *scan, double first_deg,
                              double range_deg, gboolean end_point);

/* An ellipse of constant attenuation. */
typedef struct
{
  double x, y;     /* the middle, in pixels from the axis; y points up */
  double a, b;     /* half axes, pixels */
  double turn_rad; /* of a, counter-clockwise from x */
  double value;    /* attenuation per pixel length */
} TlTestEllipse;

/**
 * tl_test_scan_fill_ellipses:
 *
 * Sets the samples to line integrals in closed form, the same in every row; F32
 * only. Reconstruct them without -log.
 */
void tl_test_scan_fill_ellipses (TlTestScan *scan, double centre_col,
                                 const TlTestEllipse *shapes, size_t n);

/**
 * tl_test_ellipse_contains:
 * @margin: the least distance of (x, y) from the border, pixels
 */
gboolean tl_test_ellipse_contains (const TlTestEllipse *shape, double x,
                                   double y, double margin);

/** tl_test_params: Returns: the default parameters for @scan without flat field
 * and -log. */
TlParams tl_test_params (const TlTestScan *scan);
