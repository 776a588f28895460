/* An asymmetric phantom whose projections have a closed form, and scans of it.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* One elliptic cylinder piece; sizes are fractions of the phantom's radius. */
typedef struct
{
  double x, y;     /* middle, y up */
  double a, b;     /* half axes */
  double turn_rad; /* of the half axis a, counter-clockwise from x */
  double value;    /* added attenuation per pixel length */
  double z0, z1;   /* height range, fractions of the height, z0 <= z < z1 */
} TlEllipse;

/**
 * tl_phantom_value:
 * @shapes: [@n]
 * @radius: of the phantom, pixels
 * @x: pixels from the axis, y up
 * @z: height as a fraction, 0 … 1
 *
 * Returns: attenuation per pixel length
 */
double tl_phantom_value (const TlEllipse *shapes, size_t n, double radius,
                         double x, double y, double z);

/**
 * tl_phantom_project:
 * @s: signed distance of the ray from the axis, pixels: x cos t + y sin t
 *
 * Returns: the line integral of the attenuation, without unit. Closed form of
 *   the chord of an ellipse (Kak and Slaney, Principles of Computerized
 *   Tomographic Imaging, section 3.1).
 */
double tl_phantom_project (const TlEllipse *shapes, size_t n, double radius,
                           double angle_rad, double s, double z);

/**
 * tl_phantom_shapes:
 * @n: (out): how many
 *
 * Returns: (transfer none): the demonstration phantom: no symmetry of any kind,
 *   and it changes with the height
 */
const TlEllipse *tl_phantom_shapes (size_t *n);

/* What a made scan is like; tl_phantom_scan_init() gives the defaults. */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  double angles_deg[2]; /* first, and where the last step would end */
  gboolean end_point;   /* the last projection stands on angles_deg[1] */
  double centre_col;
  double noise_counts; /* open-beam counts that the noise is drawn for; 0: no
                          noise */
  double pixel_size_um;
  size_t n_flats, n_darks;
  guint32 seed;
} TlPhantomScan;

void tl_phantom_scan_init (TlPhantomScan *scan, size_t n_projections,
                           size_t n_rows, size_t n_cols);

typedef void (*TlProgress) (double fraction, gpointer user_data);

/**
 * tl_phantom_write_scan:
 * @path: Data Exchange HDF5, 16-bit counts; written under a temporary name
 * @progress: (nullable) (scope call): in the calling thread
 *
 * Needs memory for a few projections only. All cores.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_VALUE or %G_IO_ERROR_CANCELLED;
 *   nothing is left then
 */
gboolean tl_phantom_write_scan (const char *path, const TlPhantomScan *scan,
                                TlProgress progress, gpointer user_data,
                                GCancellable *cancellable, GError **error);

G_END_DECLS
