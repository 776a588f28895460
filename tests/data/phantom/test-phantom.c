/* The phantom: compares its closed form with sums over its values, and
 * checks the conventions of data/geometry.h. */
#include "data/phantom/shapes.h"

#include <math.h>
#include <string.h>

/* Tolerances, absolute. */
#define CHORD_SUM 2e-3     /* because edges fall between the steps */
#define CHORD_EDGES 1.2e-4 /* two steps, for each value */
enum
{
  N_RAY_STEPS = 40000
};

/* Returns: the attenuation per pixel length at @x, @y, pixels from the axis,
 * and at the height @z. */
static double
get_value (const TlEllipse *shapes, size_t n, double radius, double x, double y,
           double z)
{
  double value = 0.0;

  for (const TlEllipse *shape = shapes; shape < shapes + n; shape++)
    {
      const double dx = x / radius - shape->x, dy = y / radius - shape->y;
      const double c = cos (shape->turn_rad), s = sin (shape->turn_rad);
      const double u = (dx * c + dy * s) / shape->a;
      const double v = (dy * c - dx * s) / shape->b;

      if (z >= shape->z0 && z < shape->z1 && u * u + v * v <= 1.0)
        value += shape->value;
    }
  return value / radius;
}

/* Fills @pixels, [ny][nx] of @grid, with get_value(). */
static void
fill_image (const TlEllipse *shapes, size_t n, double radius, double z,
            const TlGrid *grid, float *pixels)
{
  for (size_t i = 0; i < grid->ny; i++)
    for (size_t j = 0; j < grid->nx; j++)
      pixels[i * grid->nx + j] = (float)get_value (
          shapes, n, radius, grid->x0 + (double)j * grid->pitch,
          grid->y0 - (double)i * grid->pitch, z);
}

/* Sums the values along the ray. */
static double
sum_along_ray (const TlEllipse *shapes, size_t n, double radius, double angle,
               double s, double z)
{
  const double step = 2.2 * radius / (double)N_RAY_STEPS;
  double sum = 0.0;

  for (size_t i = 0; i < N_RAY_STEPS; i++)
    {
      const double t = ((double)i + 0.5) * step - 1.1 * radius;

      sum += step
             * get_value (shapes, n, radius, s * cos (angle) - t * sin (angle),
                          s * sin (angle) + t * cos (angle), z);
    }
  return sum;
}

static void
test_closed_form (void)
{
  const double radius = 53.0;
  size_t n;
  const TlEllipse *shapes = tl_phantom_shapes (&n);

  for (int i = 0; i < 40; i++)
    {
      const double angle = g_test_rand_double_range (-7.0, 7.0);
      const double s = g_test_rand_double_range (-radius, radius);
      const double z = g_test_rand_double_range (0.0, 1.0);

      g_assert_cmpfloat_with_epsilon (
          tl_phantom_project (shapes, n, radius, angle, s, z),
          sum_along_ray (shapes, n, radius, angle, s, z), CHORD_SUM);
    }
}

/* Tests each shape alone, so that a small shape is compared on its own
 * scale. */
static void
test_closed_form_shapes (void)
{
  const double radius = 53.0;
  size_t n;
  const TlEllipse *shapes = tl_phantom_shapes (&n);

  for (size_t i = 0; i < n; i++)
    {
      const double angle = g_test_rand_double_range (0.0, 7.0);
      const double middle =
          radius * (shapes[i].x * cos (angle) + shapes[i].y * sin (angle));
      const double s = middle
                       + 0.5 * radius * MIN (shapes[i].a, shapes[i].b)
                             * g_test_rand_double_range (-1.0, 1.0);
      const double z = 0.5 * (shapes[i].z0 + shapes[i].z1);

      g_assert_cmpfloat_with_epsilon (
          tl_phantom_project (&shapes[i], 1, radius, angle, s, z),
          sum_along_ray (&shapes[i], 1, radius, angle, s, z),
          CHORD_EDGES * fabs (shapes[i].value));
    }
}

/* A disc of radius 10 pixels and 0.02 per pixel has known line integrals. */
static void
test_disc (void)
{
  const TlEllipse disc = { 0.3, -0.4, 0.5, 0.5, 0.7, 0.4, 0.25, 0.5 };

  g_assert_cmpfloat_with_epsilon (get_value (&disc, 1, 20, 6, -8, 0.3), 0.02,
                                  1e-15);
  g_assert_cmpfloat_with_epsilon (get_value (&disc, 1, 20, 15.9, -8, 0.3), 0.02,
                                  1e-15);
  g_assert_cmpfloat (get_value (&disc, 1, 20, 16.1, -8, 0.3), ==, 0);
  g_assert_cmpfloat (get_value (&disc, 1, 20, 6, -8, 0.5), ==, 0);
  g_assert_cmpfloat (get_value (&disc, 1, 20, 6, -8, 0.24), ==, 0);

  g_assert_cmpfloat_with_epsilon (tl_phantom_project (&disc, 1, 20, 0, 6, 0.25),
                                  0.4, 1e-12);
  g_assert_cmpfloat_with_epsilon (
      tl_phantom_project (&disc, 1, 20, 0, 14, 0.25), 0.24, 1e-12);
  g_assert_cmpfloat (tl_phantom_project (&disc, 1, 20, 0, 16.01, 0.25), ==, 0);
  g_assert_cmpfloat (tl_phantom_project (&disc, 1, 20, 0, 6, 0.5), ==, 0);
}

/* A spot at x = 12, y = 5 (y up) is projected to s = x at 0 degrees and to s
 * = y at 90 degrees, and turns counter-clockwise in between. */
static void
test_orientation (void)
{
  const TlEllipse spot = { 0.12, 0.05, 0.012, 0.012, 0.0, 1.0, 0.0, 1.0 };
  static const struct
  {
    double angle_deg, s;
  } seen[] = { { 0, 12 },
               { 90, 5 },
               { 180, -12 },
               { 270, -5 },
               { 45, 17 * M_SQRT1_2 },
               { 135, -7 * M_SQRT1_2 } };
  const TlGrid grid = tl_grid_full (41);
  g_autofree float *pixels = g_new (float, 41 * 41);

  for (size_t i = 0; i < G_N_ELEMENTS (seen); i++)
    {
      const double angle = seen[i].angle_deg * G_PI / 180.0;
      const double s = seen[i].s;

      g_assert_cmpfloat_with_epsilon (
          tl_phantom_project (&spot, 1, 100, angle, s, 0.5), 0.024, 1e-12);
      g_assert_cmpfloat (tl_phantom_project (&spot, 1, 100, angle, -s, 0.5), ==,
                         0);
    }

  fill_image (&spot, 1, 100, 0.5, &grid, pixels);
  for (size_t i = 0; i < 41; i++)
    for (size_t j = 0; j < 41; j++)
      {
        const double dx = (double)j - 32, dy = (double)i - 15;

        g_assert_cmpfloat (pixels[i * 41 + j] != 0.0f, ==,
                           dx * dx + dy * dy < 1.2);
      }
}

/* --- the demonstration phantom --- */

#define SIDE 201

/* Value of pixel (i, j) after one of the eight rotations and reflections of
 * a square. */
static float
pick_turned (const float *pixels, int turn, size_t i, size_t j)
{
  const size_t flipped_i = turn & 1 ? SIDE - 1 - i : i;
  const size_t flipped_j = turn & 2 ? SIDE - 1 - j : j;

  return turn & 4 ? pixels[flipped_j * SIDE + flipped_i]
                  : pixels[flipped_i * SIDE + flipped_j];
}

static void
test_demonstration (void)
{
  const TlGrid grid = tl_grid_full (SIDE);
  const double radius = SIDE / 2.0;
  g_autofree float *pixels = g_new (float, SIDE *SIDE);
  g_autofree float *before = g_new0 (float, SIDE *SIDE);
  double largest = 0.0;
  size_t n;
  const TlEllipse *shapes = tl_phantom_shapes (&n);

  for (int level = 0; level < 8; level++)
    {
      const double z = (level + 0.5) / 8.0;

      fill_image (shapes, n, radius, z, &grid, pixels);
      for (size_t i = 0; i < SIDE * SIDE; i++)
        g_assert_cmpfloat (pixels[i], >=, -1e-7);
      g_assert_false (memcmp (pixels, before, sizeof (float) * SIDE * SIDE)
                      == 0);
      memcpy (before, pixels, sizeof (float) * SIDE * SIDE);

      for (int turn = 1; turn < 8; turn++)
        {
          double sum = 0.0, difference = 0.0;

          for (size_t i = 0; i < SIDE; i++)
            for (size_t j = 0; j < SIDE; j++)
              {
                const float value = pixels[i * SIDE + j];

                sum += fabsf (value);
                difference += fabsf (value - pick_turned (pixels, turn, i, j));
              }
          g_assert_cmpfloat (difference, >, 0.1 * sum);
        }
      for (int angle = 0; angle < 36; angle++)
        for (double s = -radius; s < radius; s += 1.0)
          largest =
              MAX (largest, tl_phantom_project (shapes, n, radius,
                                                angle * G_PI / 36.0, s, z));
    }
  g_assert_cmpfloat (largest, >, 1.5);
  g_assert_cmpfloat (largest, <, 2.0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/phantom/closed-form", test_closed_form);
  g_test_add_func ("/phantom/closed-form-each", test_closed_form_shapes);
  g_test_add_func ("/phantom/disc", test_disc);
  g_test_add_func ("/phantom/orientation", test_orientation);
  g_test_add_func ("/phantom/demonstration", test_demonstration);
  return g_test_run ();
}
