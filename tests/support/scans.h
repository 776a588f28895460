/* Small scans made in memory. */
#pragma once

#include "gpu/engine.h"

G_BEGIN_DECLS

/* A block and what it points to; freed as one. */
typedef struct
{
  TlBlock block;
  void *samples;
  double *angles_rad;
  float *dark, *flat_first, *flat_last;
} TlTestScan;

/**
 * tl_test_scan_new:
 *
 * Samples are zero, the angles half a turn without the end point, no fields.
 */
TlTestScan *tl_test_scan_new (size_t n_projections, size_t n_rows,
                              size_t n_cols, TlSampleType type);
void tl_test_scan_free (TlTestScan *scan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTestScan, tl_test_scan_free)

/** tl_test_scan_fill_noise: Random samples, 0.05 … 1; F32 only. */
void tl_test_scan_fill_noise (TlTestScan *scan);

/** tl_test_scan_new_noise: A new scan, F32, filled with noise. */
TlTestScan *tl_test_scan_new_noise (size_t n_projections, size_t n_rows,
                                    size_t n_cols);

/** tl_test_scan_set_angles: Equal steps from @first_deg over @range_deg. */
void tl_test_scan_set_angles (TlTestScan *scan, double first_deg,
                              double range_deg, gboolean end_point);

/* An ellipse of constant attenuation. */
typedef struct
{
  double x, y;     /* middle, pixels from the axis, y up */
  double a, b;     /* half axes, pixels */
  double turn_rad; /* of a, counter-clockwise from x */
  double value;    /* attenuation per pixel length */
} TlTestEllipse;

/**
 * tl_test_scan_fill_ellipses:
 *
 * Line integrals in closed form, every row the same; F32 only. Meant to be
 * reconstructed without -log.
 */
void tl_test_scan_fill_ellipses (TlTestScan *scan, double centre_col,
                                 const TlTestEllipse *shapes, size_t n);

/**
 * tl_test_ellipse_contains:
 * @margin: pixels that (x, y) has to be away from the border
 */
gboolean tl_test_ellipse_contains (const TlTestEllipse *shape, double x,
                                   double y, double margin);

/** tl_test_params: Defaults for raw samples: no flat field, no -log. */
TlParams tl_test_params (const TlTestScan *scan);

G_END_DECLS
