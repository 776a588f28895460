/* Shapes whose attenuation and projections have a closed form. */
#pragma once

#include "data/geometry.h"

/* A piece of an elliptic cylinder. Lengths are fractions of the phantom's
 * radius and heights are fractions of its height, so that the same shapes
 * make a phantom of any size. A plain value. */
typedef struct
{
  double x, y;     /* middle of the ellipse, y up */
  double a, b;     /* half axes */
  double turn_rad; /* direction of the half axis a, counter-clockwise from x */
  double value;  /* added attenuation per phantom radius. Divided by the radius
                    in pixels it is attenuation per pixel length; the ray through
                    the middle of a disc then has the line integral 2 a value at
                    any size */
  double z0, z1; /* range of heights, z0 <= z < z1 */
} TlEllipse;

/**
 * tl_phantom_project:
 * @shapes: [@n]
 * @radius: radius of the phantom in pixels
 * @s: signed distance of the ray from the axis, pixels: x cos t + y sin t
 * @z: height as a fraction, 0 … 1
 *
 * Returns: the line integral of the attenuation, without unit. Closed form of
 *   the chord of an ellipse (Kak and Slaney, Principles of Computerized
 *   Tomographic Imaging, section 3.1).
 */
double tl_phantom_project (const TlEllipse *shapes, size_t n, double radius,
                           double angle_rad, double s, double z);

/**
 * tl_phantom_shapes:
 * @n: (out): number of shapes
 *
 * The shapes fit into the unit disc, have no symmetry, are nowhere negative
 * when added up, and change with the height. The largest line integral is
 * about 1.8.
 *
 * Returns: (transfer none): the shapes of the demonstration phantom
 */
const TlEllipse *tl_phantom_shapes (size_t *n);

/**
 * tl_ellipse_add_row:
 * @s0: signed distance of the first column's ray from the axis, pixels
 * @step: increase of this distance from one column to the next, above 0
 * @row: [@n_cols] line integrals, to which those of @shape are added
 *
 * As tl_phantom_project() of one shape, without regard to its range of
 * heights.
 */
void tl_ellipse_add_row (const TlEllipse *shape, double radius,
                         double angle_rad, double s0, double step,
                         size_t n_cols, double *row);
