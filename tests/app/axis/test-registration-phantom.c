/* Registration of opposite projections of the demonstration phantom: how far
 * the axis may lean, and whether errors match the uncertainties. The phantom's
 * edges are sharper than a pixel, which is more than a detector sees. */
#include "app/axis/overlay/registration.h"
#include "data/phantom/phantom.h"

#include <math.h>

#define N_PHANTOMS 20
#define OPEN_COUNTS 40000 /* of the simulated detector */

typedef struct
{
  size_t n_rows, n_cols;
  double tilt_deg, centre_col;
  double photons; /* 0: no noise */
} Case;

/* Returns: a normal deviate of mean 0 and deviation 1 (Box and Muller) */
static double
make_noise (GRand *rand)
{
  return sqrt (-2 * log (g_rand_double_range (rand, 1e-12, 1)))
         * cos (g_rand_double_range (rand, 0, 2 * G_PI));
}

/* As data/phantom/scan.c, in counts. */
static float *
project (const Case *c, double angle_rad, GRand *rand)
{
  const double cosine = cos (c->tilt_deg * G_PI / 180);
  const double sine = sin (c->tilt_deg * G_PI / 180);
  const double height = (double)c->n_rows;
  float *pixels = g_new (float, c->n_rows * c->n_cols);
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, 2, c->n_rows, c->n_cols);
  scan.centre_col = c->centre_col;
  const double radius = tl_phantom_scan_radius (&scan);
  for (size_t row = 0; row < c->n_rows; row++)
    for (size_t col = 0; col < c->n_cols; col++)
      {
        const double x = (double)col - c->centre_col;
        const double y = (double)row - (height - 1) / 2;
        const double z = CLAMP (0.5 + (x * sine + y * cosine) / height,
                                0.5 / height, 1 - 0.5 / height);
        double seen =
            exp (-tl_phantom_project (scan.shapes, scan.n_shapes, radius,
                                      angle_rad, x * cosine - y * sine, z));
        if (c->photons > 0)
          seen += sqrt (seen / c->photons) * make_noise (rand);
        seen = fmax (round (seen * OPEN_COUNTS), 1) / OPEN_COUNTS;
        pixels[row * c->n_cols + col] = (float)-log (seen);
      }
  return pixels;
}

/* @pulls: (out): [3], errors of centre, tilt and rows divided by their
 * uncertainties */
static void
find (const Case *c, GRand *rand, double *pulls)
{
  g_autoptr (GError) error = NULL;
  g_auto (TlRegistration) r = { 0 };
  g_autofree float *a = project (c, 0, rand);
  g_autofree float *b = project (c, G_PI, rand);
  g_assert_true (tl_register (a, b, c->n_rows, c->n_cols, NULL, &r, &error));
  g_assert_no_error (error);
  g_test_message ("%zu x %zu, tilt %.3f, centre %.2f, photons %.0f: off %.3f "
                  "+- %.3f, %.4f +- %.4f, %.3f +- %.3f",
                  c->n_rows, c->n_cols, c->tilt_deg, c->centre_col, c->photons,
                  r.mirror.centre_col - c->centre_col, r.uncertainty.centre_col,
                  r.mirror.tilt_deg - c->tilt_deg, r.uncertainty.tilt_deg,
                  r.mirror.rows, r.uncertainty.rows);
  g_assert_true (r.is_found && r.has_roll);
  g_assert_cmpfloat (r.uncertainty.centre_col, <, 0.1);
  g_assert_cmpfloat (r.uncertainty.tilt_deg, <, 0.2);
  pulls[0] = (r.mirror.centre_col - c->centre_col) / r.uncertainty.centre_col;
  pulls[1] = (r.mirror.tilt_deg - c->tilt_deg) / r.uncertainty.tilt_deg;
  pulls[2] = r.mirror.rows / r.uncertainty.rows;
}

/* These cases once failed: far from the mirror image the gradients of A and B
 * are unrelated, and their products do not give a positive definite matrix. */
static void
test_tilts (void)
{
  static const struct
  {
    size_t n;
    double tilt_deg, centre_col;
  } tilts[] = {
    { 256, 1.3, 120 }, { 256, -1.5, 120 }, { 256, 1.5, 120 }, { 128, 5, 60 },
    { 128, -9, 60 },   { 128, 10, 60 },    { 128, -10, 60 },
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint i = 0; i < G_N_ELEMENTS (tilts); i++)
    {
      const Case c = { tilts[i].n, tilts[i].n, tilts[i].tilt_deg,
                       tilts[i].centre_col, 20000 };
      double pulls[3];
      find (&c, rand, pulls);
      g_assert_cmpfloat (fabs (pulls[0]), <, 3);
      g_assert_cmpfloat (fabs (pulls[1]), <, 3);
    }
}

/* An upright axis and few rows are the hardest case: an edge is at the same
 * part of a pixel in all rows. */
static void
test_worst (void)
{
  static const Case worst[] = {
    { 64, 256, 0, 130.3, 0 },           { 64, 256, 0, 133.25, 0 },
    { 64, 256, 0, 131.7, 0 },           { 50, 200, 0.035, 91.33, 20000 },
    { 100, 256, 0.2, 200, 5000 },       { 96, 256, 0.061, 91.54, 0 },
    { 200, 320, 0.558, 143.65, 20000 },
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint i = 0; i < G_N_ELEMENTS (worst); i++)
    {
      double pulls[3];
      find (&worst[i], rand, pulls);
      for (guint k = 0; k < 3; k++)
        g_assert_cmpfloat (fabs (pulls[k]), <, 4);
    }
}

/* Half of the cases have no noise, and a third are upright. */
static void
test_pulls (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  double squares[3] = { 0 };
  guint n_far = 0;
  for (guint i = 0; i < N_PHANTOMS; i++)
    {
      const size_t n_cols = (size_t)g_rand_int_range (rand, 160, 240);
      const double middle = ((double)n_cols - 1) / 2;
      const Case c = {
        (size_t)g_rand_int_range (rand, 40, 110),
        n_cols,
        i % 3 == 0 ? 0 : g_rand_double_range (rand, -1, 1),
        middle + g_rand_double_range (rand, -0.15, 0.15) * (double)n_cols,
        i % 2 == 0 ? 0 : 5000 * (1 + i % 4),
      };
      double pulls[3];
      find (&c, rand, pulls);
      for (guint k = 0; k < 3; k++)
        {
          squares[k] += pulls[k] * pulls[k];
          n_far += fabs (pulls[k]) > 3;
        }
    }
  g_test_message ("errors, of what is told: %.2f, %.2f, %.2f; %u are far off",
                  sqrt (squares[0] / N_PHANTOMS),
                  sqrt (squares[1] / N_PHANTOMS),
                  sqrt (squares[2] / N_PHANTOMS), n_far);
  for (guint k = 0; k < 3; k++)
    {
      g_assert_cmpfloat (sqrt (squares[k] / N_PHANTOMS), <, 1.5);
      g_assert_cmpfloat (sqrt (squares[k] / N_PHANTOMS), >, 0.1);
    }
  g_assert_cmpuint (n_far, <=, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/registration/phantom/tilts", test_tilts);
  g_test_add_func ("/registration/phantom/worst", test_worst);
  g_test_add_func ("/registration/phantom/pulls", test_pulls);
  return g_test_run ();
}
