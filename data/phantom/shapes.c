#include "data/phantom/shapes.h"

#include <math.h>

/* The demonstration phantom: a body with a thin dense shell, a dense lobe
 * with pores, a light lobe with a kernel, a crack and grains. Bars and dots
 * in one quadrant show the resolution. A canal winds through the height. */
static const TlEllipse demonstration[] = {
  /* x, y, a, b, turn, value, z0, z1 */
  { 0.03, -0.02, 0.930, 0.780, 0.35, 1.28, 0.0, 1.0 }, /* shell */
  { 0.03, -0.02, 0.900, 0.750, 0.35, -0.56, 0.0,
    1.0 }, /* body inside the shell */

  { -0.34, 0.22, 0.300, 0.210, -0.60, 0.64, 0.0, 0.7 }, /* dense lobe */
  { -0.42, 0.26, 0.050, 0.050, 0.00, -1.28, 0.0,
    0.3 }, /* pores of the dense lobe */
  { -0.26, 0.25, 0.035, 0.022, 0.30, -1.28, 0.2, 0.6 },
  { -0.33, 0.13, 0.040, 0.018, 1.10, -1.28, 0.4, 0.7 },
  { -0.50, 0.34, 0.020, 0.020, 0.00, -1.28, 0.1, 0.65 },
  { -0.30, 0.24, 0.260, 0.120, 0.20, 0.40, 0.7,
    1.0 }, /* another dense lobe above it */
  { -0.22, 0.28, 0.060, 0.030, -0.40, -0.96, 0.8, 1.0 },

  { 0.38, -0.28, 0.240, 0.320, 0.40, -0.32, 0.0, 1.0 }, /* light lobe */
  { 0.42, -0.20, 0.110, 0.070, 0.90, 0.72, 0.15,
    0.9 }, /* kernel of the light lobe */
  { 0.44, -0.21, 0.030, 0.030, 0.00, 0.96, 0.35, 0.55 },
  { 0.30, -0.42, 0.050, 0.090, 0.20, 0.24, 0.5, 1.0 },

  { -0.36, -0.36, 0.240, 0.005, 0.85, -0.352, 0.0, 0.8 }, /* crack */
  { -0.24, -0.36, 0.110, 0.004, 2.20, -0.352, 0.3, 0.8 },

  { -0.02, -0.52, 0.012, 0.012, 0.00, 9.60, 0.0, 1.0 }, /* grains */
  { 0.08, -0.60, 0.009, 0.014, 0.50, 9.60, 0.2, 0.75 },
  { -0.62, 0.02, 0.010, 0.010, 0.00, 9.60, 0.45, 1.0 },

  { 0.16, 0.36, 0.026, 0.130, 0.0, 0.80, 0.0, 1.0 }, /* bars */
  { 0.26, 0.36, 0.019, 0.130, 0.0, 0.80, 0.0, 1.0 },
  { 0.335, 0.36, 0.013, 0.130, 0.0, 0.80, 0.0, 1.0 },
  { 0.387, 0.36, 0.008, 0.130, 0.0, 0.80, 0.0, 1.0 },
  { 0.420, 0.36, 0.005, 0.130, 0.0, 0.80, 0.0, 1.0 },
  { 0.442, 0.36, 0.003, 0.130, 0.0, 0.80, 0.0, 1.0 },

  { 0.26, 0.155, 0.032, 0.032, 0.0, -0.72, 0.0, 1.0 }, /* dots */
  { 0.36, 0.155, 0.024, 0.024, 0.0, -0.72, 0.0, 1.0 },
  { 0.44, 0.155, 0.017, 0.017, 0.0, -0.72, 0.0, 1.0 },
  { 0.50, 0.155, 0.011, 0.011, 0.0, -0.72, 0.0, 1.0 },
  { 0.55, 0.155, 0.007, 0.007, 0.0, -0.72, 0.0, 1.0 },
  { 0.59, 0.155, 0.004, 0.004, 0.0, -0.72, 0.0, 1.0 },

  { 0.10, -0.06, 0.055, 0.045, 0.0, -0.40, 0.000, 0.125 }, /* canal */
  { 0.07, 0.01, 0.055, 0.045, 0.4, -0.40, 0.125, 0.250 },
  { 0.00, 0.04, 0.055, 0.045, 0.8, -0.40, 0.250, 0.375 },
  { -0.07, 0.01, 0.055, 0.045, 1.2, -0.40, 0.375, 0.500 },
  { -0.10, -0.06, 0.055, 0.045, 1.6, -0.40, 0.500, 0.625 },
  { -0.07, -0.13, 0.055, 0.045, 2.0, -0.40, 0.625, 0.750 },
  { 0.00, -0.16, 0.055, 0.045, 2.4, -0.40, 0.750, 0.875 },
  { 0.07, -0.13, 0.055, 0.045, 2.8, -0.40, 0.875, 1.000 },
};

/* An ellipse projected at one angle, in pixels: its shadow is middle ±
 * reach, and the line integral at a distance from the middle is scale * sqrt
 * (reach^2 - distance^2). */
typedef struct
{
  double middle, reach, scale;
} Shadow;

static Shadow
cast_shadow (const TlEllipse *shape, double radius, double angle_rad)
{
  const double along = shape->a * cos (angle_rad - shape->turn_rad);
  const double across = shape->b * sin (angle_rad - shape->turn_rad);
  const double reach_squared = along * along + across * across;

  return (Shadow){
    .middle =
        radius * (shape->x * cos (angle_rad) + shape->y * sin (angle_rad)),
    .reach = radius * sqrt (reach_squared),
    .scale =
        2.0 * shape->a * shape->b * shape->value / (radius * reach_squared),
  };
}

static double
integrate (const Shadow *shadow, double s)
{
  const double distance = s - shadow->middle;
  const double squared = shadow->reach * shadow->reach - distance * distance;

  return squared > 0.0 ? shadow->scale * sqrt (squared) : 0.0;
}

double
tl_phantom_project (const TlEllipse *shapes, size_t n, double radius,
                    double angle_rad, double s, double z)
{
  double sum = 0.0;

  g_return_val_if_fail (shapes != NULL && radius > 0.0, 0.0);

  for (size_t i = 0; i < n; i++)
    if (z >= shapes[i].z0 && z < shapes[i].z1)
      {
        const Shadow shadow = cast_shadow (&shapes[i], radius, angle_rad);

        sum += integrate (&shadow, s);
      }
  return sum;
}

void
tl_ellipse_add_row (const TlEllipse *shape, double radius, double angle_rad,
                    double s0, double step, size_t n_cols, double *row)
{
  const Shadow shadow = cast_shadow (shape, radius, angle_rad);
  const double last_col = (double)n_cols - 1.0;
  const double from = ceil ((shadow.middle - shadow.reach - s0) / step);
  const double to = floor ((shadow.middle + shadow.reach - s0) / step);

  if (from > last_col || to < 0.0)
    return;
  for (size_t col = (size_t)MAX (from, 0.0); col <= (size_t)MIN (to, last_col);
       col++)
    row[col] += integrate (&shadow, s0 + (double)col * step);
}

const TlEllipse *
tl_phantom_shapes (size_t *n)
{
  *n = G_N_ELEMENTS (demonstration);
  return demonstration;
}
