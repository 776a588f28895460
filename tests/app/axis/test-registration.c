/* Registration of opposite projections of objects whose projections have a
 * closed form; the choice of opposite projections; and how to move the stage.
 */
#include "app/recon/opposite.h"
#include "app/axis/overlay/registration.h"
#include "app/axis/stage-move.h"
#include "data/error.h"

#include <math.h>
#include <string.h>

#define N_BLOBS 30

/* Smooth blobs, so that a sample equals its pixel's mean. Positions are pixels
 * from the axis and from the middle along it. */
typedef struct
{
  double u[N_BLOBS], along[N_BLOBS], width[N_BLOBS], height[N_BLOBS];
} Object;

typedef struct
{
  const char *name;
  size_t n_rows, n_cols;
  TlMirror truth;
  double counts;   /* photons; 0: no noise */
  double gain;     /* beam intensity of the opposite projection */
  double zingers;  /* as a part of the pixels */
  gboolean is_raw; /* without -log */
} Case;

static void
make_object (const Case *c, Object *object)
{
  const double reach =
      0.5 * (double)c->n_cols
      - fabs (c->truth.centre_col - ((double)c->n_cols - 1) / 2);
  for (size_t i = 0; i < N_BLOBS; i++)
    {
      object->u[i] = g_test_rand_double_range (-0.8, 0.8) * reach;
      object->along[i] =
          g_test_rand_double_range (-0.45, 0.45) * (double)c->n_rows;
      object->width[i] = g_test_rand_double_range (2.5, 14);
      object->height[i] = g_test_rand_double_range (0.05, 0.3);
    }
}

/* Returns: a normal deviate of mean 0 and deviation 1 (Box and Muller) */
static double
make_noise (void)
{
  return sqrt (-2 * log (g_test_rand_double_range (1e-12, 1)))
         * cos (g_test_rand_double_range (0, 2 * G_PI));
}

/* @side: 1, or -1 for the opposite projection, which is lower */
static float *
project (const Case *c, const Object *object, double side)
{
  const double tilt = c->truth.tilt_deg * G_PI / 180;
  const double middle = ((double)c->n_rows - 1) / 2;
  const double gain = side < 0 && c->gain > 0 ? c->gain : 1;
  float *pixels = g_new (float, c->n_rows * c->n_cols);
  for (size_t row = 0; row < c->n_rows; row++)
    for (size_t col = 0; col < c->n_cols; col++)
      {
        const double x = (double)col - c->truth.centre_col;
        const double y = (double)row - middle - (side < 0 ? c->truth.rows : 0);
        const double u = side * (x * cos (tilt) - y * sin (tilt));
        const double along = x * sin (tilt) + y * cos (tilt);
        double sum = 0;
        for (size_t i = 0; i < N_BLOBS; i++)
          sum += object->height[i]
                 * exp (-(pow (u - object->u[i], 2)
                          + pow (along - object->along[i], 2))
                        / (2 * pow (object->width[i], 2)));
        double seen = gain * exp (-sum);
        if (c->counts > 0)
          seen += sqrt (seen / c->counts) * make_noise ();
        if (g_test_rand_double () < c->zingers)
          seen += 3;
        pixels[row * c->n_cols + col] =
            (float)(c->is_raw ? seen : -log (fmax (seen, 1e-3)));
      }
  return pixels;
}

static void
find (const Case *c, TlRegistration *r)
{
  g_autoptr (GError) error = NULL;
  Object object;
  make_object (c, &object);
  g_autofree float *a = project (c, &object, 1);
  g_autofree float *b = project (c, &object, -1);
  g_assert_true (tl_register (a, b, c->n_rows, c->n_cols, NULL, r, &error));
  g_assert_no_error (error);
  g_test_message (
      "%s: centre %.3f, off %.4f +- %.4f; tilt off %.4f +- %.4f; "
      "rows off %.4f +- %.4f; alike %.3f",
      c->name, c->truth.centre_col, r->mirror.centre_col - c->truth.centre_col,
      r->uncertainty.centre_col, r->mirror.tilt_deg - c->truth.tilt_deg,
      r->uncertainty.tilt_deg, r->mirror.rows - c->truth.rows,
      r->uncertainty.rows, r->likeness);
}

static const Case cases[] = {
  { "plain", 150, 220, { 109.5, 0, 0 }, .counts = 400000 },
  { "quarter", 150, 220, { 101.25, 0.25, 0.3 }, .counts = 400000 },
  { "tilted", 151, 221, { 117.37, 1.1, -2.4 }, .counts = 400000 },
  { "back", 150, 220, { 96.81, -2.7, 1.7 }, .counts = 400000 },
  { "raw", 150, 220, { 113.33, 0.4, 0.5 }, .counts = 400000, .is_raw = TRUE },
  { "gain", 150, 220, { 113.33, 0.4, 0.5 }, .counts = 400000, .gain = 1.05 },
  { "gain, raw", 150, 220, { 105.1, -0.2, 0 }, 400000, 0.9, 0, TRUE },
  { "zingers", 150, 220, { 113.4, 0.1, 0 }, .counts = 400000, .zingers = 1e-3 },
  { "wide", 40, 1300, { 611.7, 0.05, -0.25 }, .counts = 400000 },
  { "far off", 150, 300, { 80.6, 0.3, 0.2 }, .counts = 400000 },
};

/* Centre, tilt and rows are accurate at high counts. */
static void
test_exact (gconstpointer data)
{
  const Case *c = data;
  g_auto (TlRegistration) r = { 0 };
  find (c, &r);
  g_assert_true (r.is_found && r.has_roll);
  g_assert_cmpfloat_with_epsilon (r.mirror.centre_col, c->truth.centre_col,
                                  0.05);
  g_assert_cmpfloat_with_epsilon (r.mirror.tilt_deg, c->truth.tilt_deg, 0.02);
  g_assert_cmpfloat_with_epsilon (r.mirror.rows, c->truth.rows, 0.02);
  g_assert_cmpfloat (r.uncertainty.centre_col, <, 0.05);
}

/* Errors match the uncertainties, also at low counts. */
static void
test_uncertainty (void)
{
  double sum = 0;
  const guint n = 12;
  for (guint i = 0; i < n; i++)
    {
      g_auto (TlRegistration) r = { 0 };
      const Case c = { "random",
                       90,
                       140,
                       { g_test_rand_double_range (50, 90),
                         g_test_rand_double_range (-1, 1),
                         g_test_rand_double_range (-2, 2) },
                       .counts = i % 2 == 0 ? 100 : 2000 };
      find (&c, &r);
      g_assert_true (r.is_found);
      const double part =
          (r.mirror.centre_col - c.truth.centre_col) / r.uncertainty.centre_col;
      g_assert_cmpfloat (fabs (part), <, 5);
      sum += part * part;
    }
  g_assert_cmpfloat (sqrt (sum / n), <, 2);
}

static void
test_one_row (void)
{
  const Case c = { "one row", 1, 400, { 187.4, 0, 0 }, .counts = 50000 };
  g_auto (TlRegistration) r = { 0 };
  find (&c, &r);
  g_assert_true (r.is_found);
  g_assert_false (r.has_roll);
  g_assert_true (isnan (r.mirror.tilt_deg) && isnan (r.uncertainty.rows));
  g_assert_cmpfloat_with_epsilon (r.mirror.centre_col, 187.4, 0.1);
}

static void
check_untold (const float *a, const float *b, size_t n_rows, size_t n_cols)
{
  g_autoptr (GError) error = NULL;
  g_auto (TlRegistration) r = { 0 };
  g_assert_true (tl_register (a, b, n_rows, n_cols, NULL, &r, &error));
  g_assert_false (r.is_found);
  g_assert_true (isnan (r.mirror.centre_col));
  g_assert_cmpstr (r.sentence, !=, NULL);
}

/* There is no result for constant pictures, noise, or unrelated pictures. */
static void
test_cannot_tell (void)
{
  const size_t n_rows = 60, n_cols = 130, n = n_rows * n_cols;
  const Case one = { "one", n_rows, n_cols, { 64.5, 0, 0 } };
  g_autofree float *a = g_new0 (float, n);
  g_autofree float *b = g_new0 (float, n);
  check_untold (a, b, n_rows, n_cols);
  check_untold (a, b, 1, n_cols);
  for (size_t i = 0; i < n; i++)
    {
      a[i] = (float)make_noise ();
      b[i] = (float)make_noise ();
    }
  check_untold (a, b, n_rows, n_cols);
  check_untold (a, b, 1, n_cols);
  Object object;
  make_object (&one, &object);
  g_autofree float *seen = project (&one, &object, 1);
  check_untold (seen, b, n_rows, n_cols);
}

/* The mirror found maps one projection to the other, up to the interpolation
 * error of the narrowest blobs: an eighth of their second derivatives, which
 * may add up. A mirror a quarter of a pixel off differs by three times the
 * mean. */
static void
test_mirror (void)
{
  const double max_off = 0.06, max_mean_off = 0.002;
  const Case c = { "mirror", 80, 120, { 63.3, 2.2, 1.4 } };
  g_autoptr (GError) error = NULL;
  Object object;
  make_object (&c, &object);
  g_autofree float *a = project (&c, &object, 1);
  g_autofree float *b = project (&c, &object, -1);
  g_autofree float *mirrored = g_new (float, c.n_rows *c.n_cols);
  double square = 0;
  size_t n = 0;
  g_assert_true (tl_mirror_image (&c.truth, b, c.n_rows, c.n_cols, mirrored,
                                  NULL, &error));
  g_assert_no_error (error);
  for (size_t i = 0; i < c.n_rows * c.n_cols; i++)
    if (!isnan (mirrored[i]))
      {
        const double off = (double)mirrored[i] - (double)a[i];
        n++;
        square += off * off;
        g_assert_cmpfloat (fabs (off), <, max_off);
      }
  g_test_message ("mirrored: off %.5f", sqrt (square / (double)n));
  g_assert_cmpfloat (sqrt (square / (double)n), <, max_mean_off);
  g_assert_cmpuint (n, >, c.n_rows * c.n_cols / 2);
}

gboolean __real_g_cancellable_set_error_if_cancelled (GCancellable *cancellable,
                                                      GError **error);
gboolean __wrap_g_cancellable_set_error_if_cancelled (GCancellable *cancellable,
                                                      GError **error);

static guint n_looks;

gboolean
__wrap_g_cancellable_set_error_if_cancelled (GCancellable *cancellable,
                                             GError **error)
{
  n_looks++;
  return __real_g_cancellable_set_error_if_cancelled (cancellable, error);
}

/* In a tall and narrow picture the shifts of one tilt take seconds, so the
 * cancellable must be checked often. */
static void
test_often (void)
{
  const Case c = { "tall", 240, 48, { 22.3, 0, 0 } };
  g_auto (TlRegistration) r = { 0 };
  n_looks = 0;
  find (&c, &r);
  g_assert_cmpuint (n_looks, >,
                    2 * c.n_cols); /* once for each centre at least */
}

static void
test_cancel (void)
{
  const Case c = { "cancelled", 80, 120, { 63.3, 2.2, 1.4 } };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_auto (TlRegistration) r = { 0 };
  Object object;
  make_object (&c, &object);
  g_autofree float *a = project (&c, &object, 1);
  g_cancellable_cancel (cancellable);
  g_assert_false (
      tl_register (a, a, c.n_rows, c.n_cols, cancellable, &r, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* --- pairs --- */

/* Angles are @first_deg + k @step_deg. @before, @after: the expected
 * projections on either side of the opposite angle; @before of %G_MAXSIZE:
 * none. */
static void
check_pair (double first_deg, double step_deg, size_t n, size_t projection,
            size_t before, size_t after, double part, double missing_deg)
{
  g_autofree double *angles = g_new (double, n);
  g_autoptr (GError) error = NULL;
  TlOpposite o;
  for (size_t k = 0; k < n; k++)
    angles[k] = first_deg + step_deg * (double)k;
  if (!tl_opposite_find (angles, n, projection, &o, &error))
    {
      g_assert_cmpuint (before, ==, G_MAXSIZE);
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpuint (o.before, ==, before);
  g_assert_cmpuint (o.after, ==, after);
  g_assert_cmpfloat_with_epsilon (o.part, part, 1e-6);
  g_assert_cmpfloat_with_epsilon (o.missing_deg, missing_deg, 1e-6);
}

static void
test_pairs (void)
{
  const size_t none = G_MAXSIZE;
  check_pair (0, 1, 181, 0, 180, 180, 0, 0);
  check_pair (0, 1, 181, 180, 0, 0, 0, 0);
  check_pair (0, 1, 181, 57, none, 0, 0, 0);
  check_pair (0, 1, 180, 0, 179, 179, 0, 1);
  check_pair (0, 1, 179, 0, none, 0, 0, 0); /* two steps too few */
  check_pair (0, 1, 360, 30, 210, 210, 0, 0);
  check_pair (0, 1, 360, 300, 120, 120, 0, 0);
  check_pair (0, 0.7, 515, 0, 257, 258, 0.142857,
              0); /* angles 179.9 and 180.6 */
  check_pair (-88.2, 2, 91, 0, 90, 90, 0, 0);
  check_pair (10, -1, 181, 0, 180, 180, 0, 0);
  check_pair (0, 30, 4, 0, none, 0, 0, 0);
  check_pair (0, 1, 1, 0, none, 0, 0, 0);
  check_pair (0, 1, 20, 20, none, 0, 0, 0);
}

static void
test_first_pair (void)
{
  const double angles[] = { -30, 0, 60, 120, 180, 150 };
  const double few[] = { 0, 10, 20 };
  g_autoptr (GError) error = NULL;
  TlOpposite o;
  g_assert_true (tl_opposite_find_first (angles, 6, &o, &error));
  g_assert_cmpuint (o.projection, ==, 0);
  g_assert_cmpuint (o.before, ==, 5);
  g_assert_false (tl_opposite_find_first (few, 3, &o, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "half a turn"));
}

/* --- the stage --- */

static void
test_move (void)
{
  static const struct
  {
    TlStagePlace place;
    const char *words;
  } moves[] = {
    { { 503.69, 0.126, 0.0458, 0.006, 511.5, 1.588 },
      "move the stage by +12.4 µm ± 0.2 (toward higher columns), roll by "
      "−0.80 mrad ± 0.10" },
    { { 515.5, NAN, NAN, NAN, 511.5, 2 },
      "move the stage by −8.00 µm (toward lower columns)" },
    { { 515.5, 0.5, NAN, NAN, 511.5, 0 },
      "move the stage by −4.0 columns ± 0.5 (toward lower columns)" },
    { { 11.5, 0.5, NAN, NAN, 511.5, 6.5 },
      "move the stage by +3.250 mm ± 0.003 (toward higher columns)" },
    { { 511.4, 0.2, -0.01, 0.02, 511.5, 1 },
      "the stage is in the right place (+0.1 µm ± 0.2), no roll (+0.2 mrad ± "
      "0.3)" },
    { { 100, 0.1, 0.0458, 0.006, 511.5, 1.588, TRUE },
      "half acquisition: the axis is meant to be off the middle, roll by −0.80 "
      "mrad "
      "± 0.10" },
    { { 511.5, NAN, 0, NAN, 511.5, NAN },
      "the stage is in the right place (0.00 columns), no roll (0.00 mrad)" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    {
      TlStageMove move;
      tl_stage_move (&moves[i].place, &move);
      g_autofree char *words = tl_stage_move_describe (&move);
      g_assert_cmpstr (words, ==, moves[i].words);
    }
  g_assert_cmpfloat (tl_stage_middle (1024), ==, 511.5);
}

/* Rolling by the described angle makes the axis upright. */
static void
test_roll_sign (void)
{
  const TlStagePlace place = { 10, NAN, 1, 0.1, 10, 1 };
  TlStageMove move;
  tl_stage_move (&place, &move);
  g_assert_cmpfloat_with_epsilon (move.roll_mrad, -17.4533, 1e-3);
  g_assert_cmpfloat_with_epsilon (move.roll_uncertainty_mrad, 1.74533, 1e-3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/registration/exact/%s", cases[i].name);
      g_test_add_data_func (path, &cases[i], test_exact);
    }
  g_test_add_func ("/registration/uncertainty", test_uncertainty);
  g_test_add_func ("/registration/one-row", test_one_row);
  g_test_add_func ("/registration/cannot-tell", test_cannot_tell);
  g_test_add_func ("/registration/mirror", test_mirror);
  g_test_add_func ("/registration/cancel", test_cancel);
  g_test_add_func ("/registration/often", test_often);
  g_test_add_func ("/opposite/pairs", test_pairs);
  g_test_add_func ("/opposite/first", test_first_pair);
  g_test_add_func ("/stage/move", test_move);
  g_test_add_func ("/stage/roll-sign", test_roll_sign);
  return g_test_run ();
}
