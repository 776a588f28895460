/* The search for the mirror image, at one size of pictures. */
#pragma once

#include "app/axis/overlay/registration.h"

G_BEGIN_DECLS

#define TL_N_LEVELS 5

/* Both projections in means of so many pixels, smoothed. */
typedef struct
{
  size_t n_rows, n_cols;
  size_t row_pitch, col_pitch; /* pixels of the detector from one to the next */
  float *a, *b;                /* [n_rows][n_cols]; @b is the opposite one */
} TlLevel;

/* A mirror and how well it fits, in pixels of the detector. */
typedef struct
{
  TlMirror mirror, uncertainty;
  double likeness; /* correlation; NaN where one of them is constant */
  double n_pixels; /* that both have */
} TlFit;

/** tl_level_to_detector: Returns: the place in pixels of the detector, of
 * one in pixels that are means of @pitch; and back */
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

/** tl_cubic_read: Returns: at that place of [@n_rows][@n_cols]; NaN beyond.
 * @slope: (out) (optional): [2], for a column and for a row */
double tl_cubic_read (const float *pixels, size_t n_rows, size_t n_cols,
                      double col, double row, double *slope);

/** tl_fit_search: @fit: (out caller-allocates): the best of all shifts and of a
 * few tilts, by the correlation of what is left of both without their means
 * nearby. @n_rows: of the detector. */
gboolean tl_fit_search (const TlLevel *level, size_t n_rows, gboolean has_roll,
                        GCancellable *cancellable, TlFit *fit, GError **error);

/** tl_fit_refine: @fit: (inout): the next minimum, by least squares. */
gboolean tl_fit_refine (const TlLevel *level, size_t n_rows, gboolean has_roll,
                        GCancellable *cancellable, TlFit *fit, GError **error);

G_END_DECLS
