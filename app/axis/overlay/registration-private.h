/* The search for the mirror image on one level of the image pyramid. */
#pragma once

#include "app/axis/overlay/registration.h"

#define TL_N_LEVELS 5

/* Both projections, binned and smoothed. */
typedef struct
{
  size_t n_rows, n_cols;
  size_t row_pitch, col_pitch; /* binning: pixels of the detector per pixel */
  float *a, *b; /* [n_rows][n_cols]; @b is the opposite projection */
} TlLevel;

/* A mirror and the quality of its fit, in pixels of the detector. */
typedef struct
{
  TlMirror mirror, uncertainty;
  double likeness; /* correlation; NaN if a projection is constant */
  double n_pixels; /* in the common area */
} TlFit;

/** tl_level_to_detector: Returns: a position in pixels of the detector, from
 * one in pixels binned by @pitch; and the inverse */
static inline double
tl_level_to_detector (double place, size_t pitch)
{
  return place * (double)pitch + ((double)pitch - 1) / 2;
}

static inline double
tl_level_from_detector (double place, size_t pitch)
{
  return (place - ((double)pitch - 1) / 2) / (double)pitch;
}

/** tl_cubic_read: Returns: the interpolated value at a position in
 * [@n_rows][@n_cols]; NaN outside. @slope: (out) (optional): [2], derivatives
 * by column and by row */
double tl_cubic_read (const float *pixels, size_t n_rows, size_t n_cols,
                      double col, double row, double *slope);

/** tl_fit_search: @fit: (out caller-allocates): the best of all shifts and a
 * few tilts, by the correlation of both projections after subtraction of
 * local means. @n_rows: of the detector. */
gboolean tl_fit_search (const TlLevel *level, size_t n_rows, gboolean has_roll,
                        GCancellable *cancellable, TlFit *fit, GError **error);

/** tl_fit_refine: @fit: (inout): moves to the next minimum by least squares. */
gboolean tl_fit_refine (const TlLevel *level, size_t n_rows, gboolean has_roll,
                        GCancellable *cancellable, TlFit *fit, GError **error);
