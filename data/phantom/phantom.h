/* Computed scans of a phantom. */
#pragma once

#include <gio/gio.h>

#include "data/phantom/shapes.h"
#include "data/progress.h"

G_BEGIN_DECLS

/* The parameters of a computed scan; tl_phantom_scan_init() gives the defaults.
 */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  double angles_deg[2]; /* of the first projection, and where the turn ends:
                           without end_point the last projection stands one
                           step before it (0, 180: half a turn, no duplicate),
                           with it upon it */
  gboolean end_point;
  double centre_col;    /* 0 … n_cols - 1 */
  double tilt_deg;      /* of TL_TILT_MAX_DEG at most, either way: the axis is
                           turned counter-clockwise about the centre in the
                           middle row, so that its lower end leans to higher
                           columns; what the detector then sees above the first
                           slice and below the last is as they are */
  gboolean half;        /* half acquisition: the phantom is as large as the
                           detector reaches on the far side of the axis */
  double noise_counts;  /* photons in the open beam, where it is brightest; the
                           noise is that of their number, the file's counts
                           stay in the same range; 0: no noise */
  double pixel_size_um; /* 0: the file does not state it */
  size_t n_flats, n_darks; /* 0: not in the file */
  guint32 seed;            /* of the noise */
  const TlEllipse
      *shapes; /* [n_shapes]; the demonstration phantom by default */
  size_t n_shapes;
} TlPhantomScan;

void tl_phantom_scan_init (TlPhantomScan *scan, size_t n_projections,
                           size_t n_rows, size_t n_cols);

/**
 * tl_phantom_scan_radius:
 *
 * Returns: radius of the phantom in pixels: 95 % of the way from the axis to
 *   the nearer edge of the detector, so that every projection holds all of it;
 *   to the farther edge for a half acquisition
 */
double tl_phantom_scan_radius (const TlPhantomScan *scan);

/** tl_phantom_scan_angle: Returns: the angle of projection @index, degrees */
double tl_phantom_scan_angle (const TlPhantomScan *scan, size_t index);

/** tl_phantom_scan_height: Returns: z of the middle of detector row @row, where
 * the axis is not tilted. */
double tl_phantom_scan_height (const TlPhantomScan *scan, size_t row);

/** tl_phantom_scan_check: Returns: %FALSE with TL_ERROR_VALUE that names @path:
 * there can be no such scan. */
gboolean tl_phantom_scan_check (const char *path, const TlPhantomScan *scan,
                                GError **error);

/**
 * tl_phantom_write_scan:
 * @path: Data Exchange HDF5, 16-bit counts; written under a temporary name
 * @progress: (nullable) (scope call): in the calling thread
 * @cancellable: (nullable): looked at in every projection
 *
 * Counts are dark + open * exp (-line integral), the line integral at the
 * middle of each column (the pixel does not average), the open beam smooth but
 * uneven; above 65535 they are clipped. The same @scan gives the same file,
 * however many threads there are. All cores; memory for one frame of floats and
 * a megabyte or so a thread. The calling thread uses HDF5.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_VALUE, TL_ERROR_MEMORY or
 *   %G_IO_ERROR_CANCELLED; nothing is left then
 */
gboolean tl_phantom_write_scan (const char *path, const TlPhantomScan *scan,
                                TlProgress progress, gpointer user_data,
                                GCancellable *cancellable, GError **error);

G_END_DECLS
