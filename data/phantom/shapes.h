/* Shapes whose attenuation and projections have a closed form. */
#pragma once

#include "data/geometry.h"

G_BEGIN_DECLS

/* One piece of an elliptic cylinder. Lengths are fractions of the phantom's
 * radius, heights of its height, so that the same shapes make a phantom of any
 * size. A plain value. */
typedef struct
{
  double x, y;     /* middle, y up */
  double a, b;     /* half axes */
  double turn_rad; /* of the half axis a, counter-clockwise from x */
  double value;    /* added attenuation per radius of the phantom: divided by
                      the radius in pixels it is per pixel length, and the ray
                      through the middle of a disc sees 2 a value at any size */
  double z0, z1;   /* height range, z0 <= z < z1 */
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
 * tl_phantom_image:
 * @grid: which points
 * @pixels: (out caller-allocates): [ny][nx], attenuation per pixel length
 *
 * tl_phantom_value() at the middle of each pixel: the truth that a
 * reconstruction is compared with.
 */
void tl_phantom_image (const TlEllipse *shapes, size_t n, double radius,
                       double z, const TlGrid *grid, float *pixels);

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
 * Fits into the unit disc; no symmetry of any kind, nowhere below 0, and it
 * changes with the height. The largest line integral is about 1.8.
 *
 * Returns: (transfer none): the demonstration phantom
 */
const TlEllipse *tl_phantom_shapes (size_t *n);

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

G_END_DECLS
