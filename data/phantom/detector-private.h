/* A simulated detector. */
#pragma once

#include <glib.h>

/* A simulated detector: its open beam, dark current and noise. Immutable;
 * any number of threads may use it at once. */
typedef struct TlDetector TlDetector;

/**
 * tl_detector_new:
 * @noise_counts: photons in the open beam where it is brightest; 0: no noise
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlDetector *tl_detector_new (size_t n_rows, size_t n_cols, double noise_counts,
                             guint32 seed, GError **error);
void tl_detector_free (TlDetector *detector);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlDetector, tl_detector_free)

/**
 * tl_detector_read_row:
 * @frame: number of the exposure; each exposure has its own noise
 * @transmission: (nullable): [n_cols], 0 … 1; %NULL: the shutter is closed
 * @lowest: the smallest value of @transmission
 * @counts: (out caller-allocates): [n_cols]
 */
void tl_detector_read_row (const TlDetector *detector, guint64 frame,
                           size_t row, const float *transmission, float lowest,
                           guint16 *counts);
