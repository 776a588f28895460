/* What makes a scan of a phantom: rows of projections, and the detector that
 * turns them into counts. */
#pragma once

#include "data/phantom/phantom.h"

G_BEGIN_DECLS

/**
 * tl_ellipse_add_row:
 * @s0: where the ray of the first column passes the axis, pixels
 * @step: how much farther that of the next one does, above 0
 * @row: [@n_cols] line integrals, to which those of @shape are added
 *
 * tl_phantom_project() of one shape, whatever the height.
 */
void tl_ellipse_add_row (const TlEllipse *shape, double radius,
                         double angle_rad, double s0, double step,
                         size_t n_cols, double *row);

/** tl_phantom_scan_check: Returns: %FALSE with TL_ERROR_VALUE that names @path:
 * there can be no such scan. */
gboolean tl_phantom_scan_check (const char *path, const TlPhantomScan *scan,
                                GError **error);

/* A made detector: its beam, its dark current, its noise. Constant once made;
 * any number of threads may use it. */
typedef struct TlDetector TlDetector;

/**
 * tl_detector_new:
 * @noise_counts: photons in the open beam at its brightest; 0: no noise
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlDetector *tl_detector_new (size_t n_rows, size_t n_cols, double noise_counts,
                             guint32 seed, GError **error);
void tl_detector_free (TlDetector *detector);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlDetector, tl_detector_free)

/**
 * tl_detector_read_row:
 * @frame: number of the exposure: each has its own noise
 * @transmission: (nullable): [n_cols], 0 … 1; %NULL: the shutter is closed
 * @lowest: the smallest of @transmission
 * @counts: (out caller-allocates): [n_cols]
 */
void tl_detector_read_row (const TlDetector *detector, guint64 frame,
                           size_t row, const float *transmission, float lowest,
                           guint16 *counts);

G_END_DECLS
