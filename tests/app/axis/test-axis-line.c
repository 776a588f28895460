/* The fit of a line to axis positions, with synthetic rows. */
#include "app/axis/height.h"

#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 1001,
  N = 40
};

#define MIDDLE 500.0
#define SLOPE 0.004
#define CENTRE 511.3

/* Returns: an approximately normal deviate, the sum of twelve uniform ones */
static double
draw (void)
{
  double sum = -6;
  for (guint k = 0; k < 12; k++)
    sum += g_test_rand_double ();
  return sum;
}

static void
make (TlAxisPoint *points, double noise, double claim)
{
  for (size_t k = 0; k < N; k++)
    {
      const size_t row = tl_axis_line_get_row (0, N_ROWS - 1, N, k);
      points[k] = (TlAxisPoint){
        .row = row,
        .centre_col = CENTRE + SLOPE * ((double)row - MIDDLE) + noise * draw (),
        .uncertainty_col = claim,
      };
    }
}

static void
assert_line (const TlAxisLine *line, double tolerance_col,
             double tolerance_slope)
{
  g_test_message ("%s; centre %.4f +- %.4f, tilt %.5f +- %.5f", line->sentence,
                  line->centre_col, line->centre_uncertainty_col,
                  line->tilt_deg, line->tilt_uncertainty_deg);
  g_assert_cmpfloat_with_epsilon (line->centre_col, CENTRE, tolerance_col);
  g_assert_cmpfloat_with_epsilon (tan (line->tilt_deg * G_PI / 180), SLOPE,
                                  tolerance_slope);
}

static void
test_exact (void)
{
  TlAxisPoint points[N];
  g_auto (TlAxisLine) line = { 0 };
  make (points, 0, 0.01);
  tl_axis_line_fit (points, N, N_ROWS, &line);
  assert_line (&line, 1e-9, 1e-12);
  g_assert_cmpint (line.verdict, ==, TL_AXIS_CERTAIN);
  g_assert_cmpuint (line.n_rows, ==, N);
  g_assert_cmpuint (line.n_found, ==, N);
  g_assert_cmpuint (line.n_used, ==, N);
  g_assert_cmpfloat (line.scatter_col, <, 1e-9);
}

/* Some rows are far off, all on one side, and some have no result. */
static void
test_outliers (void)
{
  TlAxisPoint points[N];
  g_auto (TlAxisLine) line = { 0 };
  make (points, 0.02, 0.02);
  for (size_t k = 0; k < 14; k++)
    points[k].centre_col = 700 + 9 * draw ();
  points[20].centre_col = points[20].uncertainty_col = NAN;
  tl_axis_line_fit (points, N, N_ROWS, &line);
  assert_line (&line, 0.06, 3e-4);
  g_assert_cmpuint (line.n_found, ==, N - 1);
  g_assert_cmpuint (line.n_used, >=, 22);
  for (size_t k = 0; k < 14; k++)
    g_assert_false (points[k].is_used);
  g_assert_false (points[20].is_used);
  /* With half of the rows or more far off, the line is not certain. */
  for (size_t k = 14; k < 24; k++)
    points[k].centre_col = 300 + 40 * draw ();
  g_clear_pointer (&line.sentence, g_free);
  tl_axis_line_fit (points, N, N_ROWS, &line);
  g_assert_cmpint (line.verdict, !=, TL_AXIS_CERTAIN);
}

/* The errors of many lines match their uncertainties, even if those of the rows
 * are too small. */
static void
test_uncertainty (void)
{
  const guint n_lines = 300;
  static const struct
  {
    double noise, claim;
  } cases[] = { { 0.1, 0.1 }, { 0.3, 0.03 } };
  for (size_t c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      double centre = 0, tilt = 0;
      for (guint k = 0; k < n_lines; k++)
        {
          TlAxisPoint points[N];
          g_auto (TlAxisLine) line = { 0 };
          make (points, cases[c].noise, cases[c].claim);
          tl_axis_line_fit (points, N, N_ROWS, &line);
          centre +=
              pow ((line.centre_col - CENTRE) / line.centre_uncertainty_col, 2);
          tilt += pow ((line.tilt_deg - atan (SLOPE) * 180 / G_PI)
                           / line.tilt_uncertainty_deg,
                       2);
        }
      centre = sqrt (centre / n_lines);
      tilt = sqrt (tilt / n_lines);
      g_test_message ("deviations: centre %.2f, tilt %.2f", centre, tilt);
      /* The line's are larger, since the rows' uncertainties leave room for a
       * shared error. */
      g_assert_cmpfloat (tilt, >, 0.6);
      g_assert_cmpfloat (tilt, <, 1.35);
      /* The uncertainty of the centre has an extra term. */
      g_assert_cmpfloat (centre, >, 0.3);
      g_assert_cmpfloat (centre, <, 1.3);
    }
}

static void
test_refused (void)
{
  TlAxisPoint points[N];
  static const size_t few[] = { 0, 1, 2 };
  for (size_t k = 0; k < G_N_ELEMENTS (few); k++)
    {
      g_auto (TlAxisLine) line = { 0 };
      make (points, 0, 0.01);
      tl_axis_line_fit (points, few[k], N_ROWS, &line);
      g_assert_cmpint (line.verdict, ==, TL_AXIS_CANNOT_TELL);
      g_assert_true (isnan (line.centre_col));
      g_assert_true (isnan (line.tilt_deg));
      g_assert_nonnull (line.sentence);
    }
  g_auto (TlAxisLine) alone = { 0 };
  points[0].row = 0;
  tl_axis_line_fit (points, 1, 1, &alone);
  g_assert_cmpint (alone.verdict, ==, TL_AXIS_CANNOT_TELL);
  g_auto (TlAxisLine) part = { 0 };
  make (points, 0, 0.01);
  tl_axis_line_fit (points, 10, N_ROWS, &part);
  assert_line (&part, 1e-6, 1e-9);
  g_assert_cmpint (part.verdict, ==, TL_AXIS_UNCERTAIN);
}

/* There is no line if it leans too far or is too uncertain. */
static void
test_bounds (void)
{
  const TlScanInfo info = { .n_rows = 100, .n_cols = 64 };
  static const struct
  {
    double tilt_deg, claim_col;
    gboolean is_found;
    const char *because;
  } cases[] = {
    { 9.9, 0.01, TRUE, "lie on one line" },
    { 10.1, 0.01, FALSE, "tilted by 10.1°" },
    { -19.6, 0.05, FALSE, "tilted by -19.6°" },
    { 0.3, 1.5, TRUE, "uncertainty of the line is large" },
    { 0.3, 12, FALSE, "too uncertain for an axis" },
  };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      TlAxisPoint points[20];
      g_auto (TlAxisLine) line = { 0 };
      for (size_t i = 0; i < G_N_ELEMENTS (points); i++)
        points[i] = (TlAxisPoint){
          .row = 5 * i,
          .centre_col =
              30 + 5 * (double)i * tan (cases[k].tilt_deg * G_PI / 180),
          .uncertainty_col = cases[k].claim_col,
        };
      tl_axis_fit (points, G_N_ELEMENTS (points), recipe, &info, &line);
      g_test_message ("%s", line.sentence);
      g_assert_true ((line.verdict != TL_AXIS_CANNOT_TELL)
                     == cases[k].is_found);
      g_assert_true (isfinite (line.tilt_deg) == cases[k].is_found);
      g_assert_nonnull (strstr (line.sentence, cases[k].because));
    }
}

/* Many rows do not reduce an error that neighbours share, here a wave of one
 * and a half periods. */
static void
test_shared (void)
{
  TlAxisPoint points[N];
  static const double claims[] = { 0.01, 0.06 };
  for (size_t c = 0; c < G_N_ELEMENTS (claims); c++)
    {
      g_auto (TlAxisLine) line = { 0 };
      make (points, 0, claims[c]);
      for (size_t k = 0; k < N; k++)
        points[k].centre_col += 0.05 * sin (3 * G_PI * (double)k / N);
      tl_axis_line_fit (points, N, N_ROWS, &line);
      assert_line (&line, 3 * line.centre_uncertainty_col,
                   3 * line.tilt_uncertainty_deg * G_PI / 180);
      /* The rows scatter by 0.036. */
      g_assert_cmpfloat (line.tilt_uncertainty_deg * G_PI / 180, >,
                         2 * 0.036 * sqrt (12.0 / N) / N_ROWS);
    }
}

/* Random rows give no line. */
static void
test_noise (void)
{
  guint n_certain = 0;
  for (guint k = 0; k < 100; k++)
    {
      TlAxisPoint points[N];
      g_auto (TlAxisLine) line = { 0 };
      make (points, 0, 0.1);
      for (size_t i = 0; i < N; i++)
        points[i].centre_col = g_test_rand_double_range (0, 1023);
      tl_axis_line_fit (points, N, N_ROWS, &line);
      n_certain += line.verdict == TL_AXIS_CERTAIN;
    }
  g_assert_cmpuint (n_certain, ==, 0);
}

/* A line in projections resampled to correct a tilt, transformed to the
 * detector, agrees with its points (column, row) rotated about the centre of
 * the correction. */
static void
test_turned_back (void)
{
  const double turn = 1.5 * G_PI / 180, about_col = 400, rest_deg = -0.2;
  const double rest = tan (rest_deg * G_PI / 180);
  TlAxisLine line = { .centre_col = 520, .tilt_deg = rest_deg };
  double col[2], row[2];
  for (guint k = 0; k < 2; k++)
    {
      const double y = k == 0 ? -300 : 300, x = 520 + rest * y - about_col;
      /* Counter-clockwise as shown: points below move to the right. */
      col[k] = about_col + x * cos (turn) + y * sin (turn);
      row[k] = -x * sin (turn) + y * cos (turn);
    }
  const double slope = (col[1] - col[0]) / (row[1] - row[0]);
  tl_axis_line_turn_back (&line, 1.5, about_col);
  g_assert_cmpfloat_with_epsilon (tan (line.tilt_deg * G_PI / 180), slope,
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (line.centre_col, col[0] - slope * row[0],
                                  1e-6);
}

/* The tilt worth setting is the present one, or else 0, where the line does not
 * contradict it. */
static void
test_proposal (void)
{
  static const struct
  {
    double tilt_deg, present_deg, proposal_deg;
  } cases[] = {
    { 0.268, 0.426, 0.426 }, { 0.268, 0, 0 },       { 0.268, 0.7, 0 },
    { 0.5, 0, 0.5 },         { 0.5, -0.2, 0.5 },    { 0.5, 0.3, 0.3 },
    { -0.268, 0.2, 0 },      { -0.9, 0.426, -0.9 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      const TlAxisLine line = { .tilt_deg = cases[k].tilt_deg,
                                .tilt_uncertainty_deg = 0.16 };
      g_assert_cmpfloat (
          tl_axis_line_get_proposal (&line, cases[k].present_deg), ==,
          cases[k].proposal_deg);
    }
}

/* Another tilt turns the line about the middle of its rows, not about that of
 * the detector. */
static void
test_pivot (void)
{
  TlAxisPoint points[N];
  g_auto (TlAxisLine) line = { 0 };
  make (points, 0, 0.01);
  for (size_t k = N / 4; k < N; k++)
    points[k].centre_col = points[k].uncertainty_col = NAN;
  tl_axis_line_fit (points, N, N_ROWS, &line);
  const double pivot_row = (double)(points[0].row + points[N / 4 - 1].row) / 2;
  g_assert_cmpfloat_with_epsilon (line.pivot_rows, pivot_row - MIDDLE, 1);
  g_assert_cmpfloat_with_epsilon (
      tl_axis_line_get_centre (&line, line.tilt_deg), CENTRE, 1e-9);
  g_assert_cmpfloat_with_epsilon (tl_axis_line_get_centre (&line, 0),
                                  CENTRE + SLOPE * (pivot_row - MIDDLE), 0.01);
}

/* Each row comes once, and the first few are spread over the height. */
static void
test_order (void)
{
  for (size_t n = 1; n < 70; n++)
    {
      guint64 seen[2] = { 0, 0 };
      for (size_t k = 0; k < n; k++)
        {
          const size_t i = tl_axis_line_get_order (n, k);
          g_assert_cmpuint (i, <, n);
          g_assert_false (seen[i / 64] >> (i % 64) & 1);
          seen[i / 64] |= (guint64)1 << (i % 64);
          if (k < (n + 7) / 8)
            g_assert_cmpuint (i, ==, 8 * k);
        }
    }
  for (size_t n = 1; n < 20; n++)
    for (size_t k = 0; k < n; k++)
      {
        const size_t row = tl_axis_line_get_row (5, 24, n, k);
        g_assert_cmpuint (row, >=, 5);
        g_assert_cmpuint (row, <=, 24);
        if (k > 0)
          g_assert_cmpuint (row, >, tl_axis_line_get_row (5, 24, n, k - 1));
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/axis-line/exact", test_exact);
  g_test_add_func ("/axis-line/outliers", test_outliers);
  g_test_add_func ("/axis-line/uncertainty", test_uncertainty);
  g_test_add_func ("/axis-line/shared", test_shared);
  g_test_add_func ("/axis-line/refused", test_refused);
  g_test_add_func ("/axis-line/bounds", test_bounds);
  g_test_add_func ("/axis-line/noise", test_noise);
  g_test_add_func ("/axis-line/turned-back", test_turned_back);
  g_test_add_func ("/axis-line/proposal", test_proposal);
  g_test_add_func ("/axis-line/pivot", test_pivot);
  g_test_add_func ("/axis-line/order", test_order);
  return g_test_run ();
}
