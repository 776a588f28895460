/* Simulated scans of a phantom. */
#pragma once

#include <gio/gio.h>

#include "data/phantom/shapes.h"
#include "data/progress.h"

/* The parameters of a simulated scan; tl_phantom_scan_init() sets the
 * defaults. */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  double angles_deg[2]; /* angle of the first projection, and the end of the
                           rotation. Without end_point the last projection
                           stands one step before the end (0, 180: half a turn,
                           no duplicate), with end_point at the end */
  gboolean end_point;
  double centre_col; /* 0 … n_cols - 1 */
  double tilt_deg;   /* at most TL_TILT_MAX_DEG in either direction: the axis is
                        turned counter-clockwise about the centre in the middle
                        row, so that its lower end leans to higher columns. Above
                        the first slice and below the last, the phantom continues
                        as in these slices */
  gboolean half; /* half acquisition: the phantom reaches as far as the edge of
                    the detector that is farther from the axis */
  double noise_counts;  /* photons in the open beam where it is brightest. They
                           set the noise; the range of the counts in the file
                           stays the same. 0: no noise */
  double pixel_size_um; /* 0: not stated in the file */
  size_t n_flats, n_darks; /* 0: no such frames in the file */
  guint32 seed;            /* seed of the noise */
  const TlEllipse
      *shapes; /* [n_shapes]; the demonstration phantom by default */
  size_t n_shapes;
} TlPhantomScan;

/** tl_phantom_scan_init: Sets the size given and the default of every other
 * parameter. */
void tl_phantom_scan_init (TlPhantomScan *scan, size_t n_projections,
                           size_t n_rows, size_t n_cols);

/** tl_phantom_scan_radius: Returns: radius of the phantom in pixels: 95 % of
 * the distance from the axis to the nearer edge of the detector, so that every
 * projection contains the whole phantom; to the farther edge for a half
 * acquisition */
double tl_phantom_scan_radius (const TlPhantomScan *scan);

/** tl_phantom_scan_angle: Returns: the angle of projection @index, degrees */
double tl_phantom_scan_angle (const TlPhantomScan *scan, size_t index);

/** tl_phantom_scan_height: Returns: z of the middle of detector row @row, for
 * an axis without tilt */
double tl_phantom_scan_height (const TlPhantomScan *scan, size_t row);

/** tl_phantom_is_scan: Returns: whether the file @path is the scan of a phantom
 * that this program has made */
gboolean tl_phantom_is_scan (const char *path);

/** tl_phantom_scan_check: Returns: %FALSE with TL_ERROR_VALUE that names
 * @path if the parameters of @scan are not possible */
gboolean tl_phantom_scan_check (const char *path, const TlPhantomScan *scan,
                                GError **error);

/**
 * tl_phantom_write_scan:
 * @path: Data Exchange HDF5, 16-bit counts; written under a temporary name
 * @progress: (nullable) (scope call): called in the calling thread
 * @cancellable: (nullable): checked in every projection
 *
 * Counts are dark + open * exp (-line integral), clipped above 65535. The
 * line integral is taken at the middle of each column (not averaged over the
 * pixel); the open beam is smooth but uneven. The same @scan gives the same
 * file for any number of threads. Uses all cores, and memory for one frame of
 * floats and about a megabyte for each thread. Calls HDF5 in the calling
 * thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_VALUE, TL_ERROR_MEMORY or
 *   %G_IO_ERROR_CANCELLED; no file is left then
 */
gboolean tl_phantom_write_scan (const char *path, const TlPhantomScan *scan,
                                TlProgress progress, gpointer user_data,
                                GCancellable *cancellable, GError **error);
