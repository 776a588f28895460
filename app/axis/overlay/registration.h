/* Registration of two opposite projections: finds the axis, its tilt, and the
 * difference in height between the two. */
#pragma once

#include <gio/gio.h>

/* How a projection half a turn on is mirrored onto the first one. A plain
 * value.
 *
 * What stands at X columns from the axis and Y rows below the middle row
 * (n_rows - 1) / 2 is found there at
 *
 *   column  centre - X cos 2 tilt + Y sin 2 tilt
 *   row     middle + X sin 2 tilt + Y cos 2 tilt + rows
 *
 * the mirror image about the axis, as gpu/stages/tilt.h has it. */
typedef struct
{
  double centre_col; /* of the axis in the middle row, data/geometry.h */
  double tilt_deg;   /* counter-clockwise as projections are shown */
  double rows; /* that the opposite projection is lower: toward higher rows */
} TlMirror;

/* The result of a registration; a plain value, cleared with
 * tl_registration_clear(). */
typedef struct
{
  gboolean is_found;
  gboolean has_roll; /* tilt and rows are found too, which takes enough rows */
  TlMirror mirror;   /* NaN where unknown */
  TlMirror uncertainty; /* one standard deviation of each; NaN where unknown */
  double likeness;      /* correlation in the common area, with this mirror */
  char *sentence;       /* translated: how it was found, or why not */
} TlRegistration;

void tl_registration_clear (TlRegistration *registration);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlRegistration, tl_registration_clear)

/** tl_mirror_place: Maps a position in a projection to its position in the
 * opposite one. */
void tl_mirror_place (const TlMirror *mirror, size_t n_rows, double col,
                      double row, double *mirrored_col, double *mirrored_row);

/**
 * tl_mirror_image:
 * @pixels: [@n_rows][@n_cols], the opposite projection, not mirrored
 * @dest: (out caller-allocates): [@n_rows][@n_cols]; NaN outside @pixels
 * @cancellable: (nullable): checked for every row
 *
 * Interpolates by cubic convolution (Keys, Cubic convolution interpolation for
 * digital image processing, IEEE Trans. ASSP 29 (1981) 1153). Host memory, any
 * thread.
 *
 * Returns: %FALSE with G_IO_ERROR_CANCELLED
 */
gboolean tl_mirror_image (const TlMirror *mirror, const float *pixels,
                          size_t n_rows, size_t n_cols, float *dest,
                          GCancellable *cancellable, GError **error);

/**
 * tl_register:
 * @pixels: [@n_rows][@n_cols], corrected, with or without -log, host memory,
 *   finite
 * @opposite: likewise, half a turn later, not mirrored
 * @cancellable: (nullable): checked between iterations
 * @registration: (out caller-allocates): to be cleared; its present mirror is
 *   ignored
 *
 * Searches shifts and coarse tilts in binned pictures, then minimises the
 * squared difference from coarse to fine pictures, up to 1024 columns wide
 * (Lucas and Kanade, An iterative image registration technique, Proc. IJCAI
 * (1981) 674; coarse to fine as in Thevenaz, Ruttimann and Unser, A pyramid
 * approach to subpixel registration based on intensity, IEEE Trans. Image
 * Process. 7 (1998) 27). The gradients are those of the first projection, which
 * is not interpolated (Baker and Matthews, Lucas-Kanade 20 years on, Int. J.
 * Comput. Vision 56 (2004) 221), so that noise does not favour whole pixels.
 * The gain between the projections is free, and so is an offset in each of
 * about 64 tiles. Pixels that differ by much more than the others, such as
 * zingers, have less weight. The uncertainties come from leaving out tiles, or
 * rows and columns of tiles, and from errors that the edges of an object may
 * share. The result is that of the picture size with the smallest uncertainty.
 *
 * With fewer than 16 rows, only the centre is found. There is no result, and
 * the sentence says why, if the projections are not more alike than noise would
 * be, or share less than an eighth of their columns.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or G_IO_ERROR_CANCELLED
 */
gboolean tl_register (const float *pixels, const float *opposite, size_t n_rows,
                      size_t n_cols, GCancellable *cancellable,
                      TlRegistration *registration, GError **error);
