/* Two opposite projections laid onto each other: where the axis is, how it
 * leans, and by how much one of them stands lower. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

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
  double rows;       /* that the opposite one stands lower: to higher rows */
} TlMirror;

/* What two projections say; a plain value, cleared with
 * tl_registration_clear(). */
typedef struct
{
  gboolean is_found;
  gboolean has_roll;    /* tilt and rows are known too: there are rows enough */
  TlMirror mirror;      /* NaN where not known */
  TlMirror uncertainty; /* of each, one standard deviation; likewise */
  double likeness;      /* correlation of the two where both are, at that */
  char *sentence;       /* translated: how it was found, or why not */
} TlRegistration;

void tl_registration_clear (TlRegistration *registration);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlRegistration, tl_registration_clear)

/** tl_mirror_place: Where @mirror finds what stands at @col, @row. */
void tl_mirror_place (const TlMirror *mirror, size_t n_rows, double col,
                      double row, double *mirrored_col, double *mirrored_row);

/**
 * tl_mirror_image:
 * @pixels: [@n_rows][@n_cols], the opposite projection as it is
 * @dest: (out caller-allocates): [@n_rows][@n_cols]; NaN beyond it
 * @cancellable: (nullable): looked at in every row
 *
 * By cubic convolution (Keys, Cubic convolution interpolation for digital image
 * processing, IEEE Trans. ASSP 29 (1981) 1153), host memory, any thread.
 *
 * Returns: %FALSE with G_IO_ERROR_CANCELLED
 */
gboolean tl_mirror_image (const TlMirror *mirror, const float *pixels,
                          size_t n_rows, size_t n_cols, float *dest,
                          GCancellable *cancellable, GError **error);

/**
 * tl_register:
 * @pixels: [@n_rows][@n_cols], corrected, -log or not, host memory, finite
 * @opposite: likewise, half a turn on, not mirrored
 * @cancellable: (nullable): looked at between iterations
 * @registration: (out caller-allocates): to be cleared; nothing of @mirror that
 *   is set now decides about it
 *
 * A search over shifts and coarse tilts in few pixels, then least squares of
 * the difference by its gradients, from coarse to fine pictures of a width of
 * up to 1024 columns (Lucas and Kanade, An iterative image registration
 * technique, Proc. IJCAI (1981) 674; the gradients are of the first projection,
 * which is not interpolated, as in Baker and Matthews, Lucas-Kanade 20 years
 * on, Int. J. Comput. Vision 56 (2004) 221, so that noise draws nothing to
 * whole pixels; coarse to fine as in Thevenaz, Ruttimann and Unser, A pyramid
 * approach to subpixel registration based on intensity, IEEE Trans. Image
 * Process. 7 (1998) 27). The gain between the two is free, and so is an offset
 * in each of some 64 tiles; what differs by much more than the rest, a zinger,
 * counts less. The uncertainties are from how far it goes without the tiles, or
 * without a row or column of them, and from what the edges of an object may
 * have in common; it is the size of pictures with the smallest that is taken.
 *
 * With less than 16 rows, centre alone. It cannot tell, and says so in the
 * sentence, where the two are not alike beyond what noise would be, or share
 * less than an eighth of their columns.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or G_IO_ERROR_CANCELLED
 */
gboolean tl_register (const float *pixels, const float *opposite, size_t n_rows,
                      size_t n_cols, GCancellable *cancellable,
                      TlRegistration *registration, GError **error);

G_END_DECLS
