/* Tests lines, the values along them, and round steps against plain sums. */
#include "app/measure/profile.h"

#include <math.h>
#include <string.h>

/* Rounding errors of sums of a few floats in double precision, stored as
 * float. */
#define VALUE_TOLERANCE 1e-6
#define GEOMETRY_TOLERANCE 1e-9

enum
{
  PLAIN_ROWS = 13,
  PLAIN_COLS = 17
};

static void
fill_random (float *pixels, size_t n)
{
  for (size_t i = 0; i < n; i++)
    pixels[i] = (float)g_test_rand_double_range (-1, 1);
}

/* The same definition computed directly: every value is weighted by a
 * product of two triangle functions. */
static double
sample_plainly (const TlPixels *pixels, double picture_col, double picture_row)
{
  const double col = (picture_col - pixels->col) / pixels->pitch;
  const double row = (picture_row - pixels->row) / pixels->pitch;
  double sum = 0;

  if (col < 0 || row < 0 || col > PLAIN_COLS - 1 || row > PLAIN_ROWS - 1)
    return NAN;
  for (int i = 0; i < PLAIN_ROWS; i++)
    for (int k = 0; k < PLAIN_COLS; k++)
      sum += fmax (0, 1 - fabs (row - i)) * fmax (0, 1 - fabs (col - k))
             * pixels->values[i * PLAIN_COLS + k];
  return sum;
}

static double
average_plainly (const TlPixels *pixels, const TlSegment *line, double position,
                 guint width)
{
  const double angle =
      atan2 (line->row[1] - line->row[0], line->col[1] - line->col[0]);
  double sum = 0;
  guint n = 0;

  for (guint i = 0; i < width; i++)
    {
      const double across = i - 0.5 * width + 0.5;
      const double value = sample_plainly (
          pixels, line->col[0] + position * cos (angle) - across * sin (angle),
          line->row[0] + position * sin (angle) + across * cos (angle));

      if (isnan (value))
        continue;
      sum += value;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

static void
assert_profile_of (const TlSegment *line, guint width, double row, double col,
                   double pitch)
{
  float values[PLAIN_ROWS * PLAIN_COLS];
  const TlPixels pixels = { values, PLAIN_ROWS, PLAIN_COLS, row, col, pitch };
  g_autoptr (TlProfile) profile = NULL;

  fill_random (values, G_N_ELEMENTS (values));
  profile = tl_profile_new (line, width, &pixels);
  g_assert_cmpfloat (profile->step, <=, 1);
  g_assert_cmpfloat_with_epsilon (profile->step * (double)(profile->n - 1),
                                  tl_segment_get_length (line),
                                  GEOMETRY_TOLERANCE);
  for (size_t i = 0; i < profile->n; i++)
    {
      const double want =
          average_plainly (&pixels, line, (double)i * profile->step, width);

      if (isnan (want))
        g_assert_true (isnan (profile->values[i]));
      else
        g_assert_cmpfloat_with_epsilon (profile->values[i], want,
                                        VALUE_TOLERANCE);
    }
}

static void
assert_profile (const TlSegment *line, guint width)
{
  assert_profile_of (line, width, 0, 0, 1);
}

/* No sample is within rounding of the picture's edge, where it may count or
 * not. */
static void
test_values (void)
{
  assert_profile (&(TlSegment){ { 2.3, 12.9 }, { 1.2, 9.7 } }, 1);
  assert_profile (&(TlSegment){ { 12.9, 2.3 }, { 1.2, 9.7 } }, 3);
  assert_profile (&(TlSegment){ { 4.6, 4.7 }, { 10.1, 2.2 } }, 4);
  /* Begins and ends outside, and is wider than the picture. */
  assert_profile (&(TlSegment){ { -4.3, 21.2 }, { 0.6, 11.4 } }, 6);
  /* A whole row of pixels, one value each. */
  assert_profile (&(TlSegment){ { 0.1, 15.1 }, { 6, 6 } }, 1);
}

/* One value for 3 x 3 pixels, which starts at the first pixel of a part. */
static void
test_place (void)
{
  assert_profile_of (&(TlSegment){ { 2.3, 32.9 }, { 1.2, 29.7 } }, 4, 1, 1, 3);
  assert_profile_of (&(TlSegment){ { 2.3, 7.9 }, { 1.2, 6.7 } }, 1, 1.1, 2.1,
                     0.4);
}

static void
test_outside (void)
{
  const float values[4] = { 1, 2, 3, 4 };
  const TlPixels pixels = { values, 2, 2, 0, 0, 1 };
  const TlSegment line = { { 5, 9 }, { 5, 9 } };
  g_autoptr (TlProfile) profile = tl_profile_new (&line, 5, &pixels);
  float min, max;

  g_assert_false (tl_profile_get_range (profile, &min, &max));
  for (size_t i = 0; i < profile->n; i++)
    g_assert_true (isnan (profile->values[i]));
}

/* A click is a line of length 0. */
static void
test_point (void)
{
  const float values[4] = { 1, 2, 3, 4 };
  const TlPixels pixels = { values, 2, 2, 0, 0, 1 };
  const TlSegment line = { { 0.5, 0.5 }, { 0.5, 0.5 } };
  g_autoptr (TlProfile) profile = tl_profile_new (&line, 1, &pixels);
  float min, max;

  g_assert_cmpuint (profile->n, ==, 2);
  g_assert_true (tl_profile_get_range (profile, &min, &max));
  g_assert_cmpfloat (min, ==, 2.5);
  g_assert_cmpfloat (max, ==, 2.5);
}

static void
test_csv (void)
{
  const float values[3] = { 1, 2, 0.125F };
  const TlPixels pixels = { values, 1, 3, 0, 0, 1 };
  const TlSegment line = { { 1, 3 }, { 0, 0 } };
  g_autoptr (TlProfile) profile = tl_profile_new (&line, 1, &pixels);
  g_autofree char *plain = NULL;
  g_autofree char *physical = NULL;
  TlUnits units;

  tl_units_init (&units, 0, TRUE);
  plain = tl_profile_to_csv (profile, NULL, &units);
  tl_units_init (&units, 2.5, TRUE);
  physical = tl_profile_to_csv (profile, NULL, &units);
  g_assert_cmpstr (plain, ==,
                   "position [pixel],value [1/pixel]\n"
                   "0,2\n"
                   "1,0.125\n"
                   "2,\n");
  g_assert_cmpstr (physical, ==,
                   "position [pixel],value [1/pixel],"
                   "position [um],value [1/cm]\n"
                   "0,2,0,8000\n"
                   "1,0.125,2.5,500\n"
                   "2,,5,\n");
}

/* A picture that this one is compared with has columns of its own. */
static void
test_csv_of_two (void)
{
  const float values[2][2] = { { 1, 2 }, { 3, 4 } };
  const TlPixels pixels = { values[0], 1, 2, 0, 0, 1 };
  const TlPixels held_pixels = { values[1], 1, 2, 0, 1, 1 }; /* a column on */
  const TlSegment line = { { 0, 1 }, { 0, 0 } };
  g_autoptr (TlProfile) profile = tl_profile_new (&line, 1, &pixels);
  g_autoptr (TlProfile) held = tl_profile_new (&line, 1, &held_pixels);
  g_autofree char *text = NULL;
  TlUnits units;

  tl_units_init (&units, 2.5, TRUE);
  text = tl_profile_to_csv (profile, held, &units);
  g_assert_cmpstr (text, ==,
                   "position [pixel],value [1/pixel],value of A [1/pixel],"
                   "position [um],value [1/cm],value of A [1/cm]\n"
                   "0,1,,0,4000,\n"
                   "1,2,3,2.5,8000,12000\n");
}

/* Upwards on the screen the row decreases. */
static void
test_angle (void)
{
  static const struct
  {
    double d_col, d_row, angle_deg;
  } cases[] = {
    { 3, 0, 0 },    { 3, -3, 45 }, { 0, -2, 90 },
    { -1, 0, 180 }, { 0, 2, -90 }, { -2, 2, -135 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TlSegment line = { { 7, 7 + cases[i].d_col },
                               { 5, 5 + cases[i].d_row } };

      g_assert_cmpfloat_with_epsilon (tl_segment_get_angle_deg (&line),
                                      cases[i].angle_deg, GEOMETRY_TOLERANCE);
      g_assert_cmpfloat_with_epsilon (tl_segment_get_length (&line),
                                      sqrt (cases[i].d_col * cases[i].d_col
                                            + cases[i].d_row * cases[i].d_row),
                                      GEOMETRY_TOLERANCE);
    }
}

static void
test_snap (void)
{
  for (guint end = 0; end < 2; end++)
    {
      TlSegment line = { { 10, 20 }, { 30, 35.5 } };
      const TlSegment before = line;

      tl_segment_snap (&line, end, 15);
      g_assert_cmpfloat (line.col[1 - end], ==, before.col[1 - end]);
      g_assert_cmpfloat (line.row[1 - end], ==, before.row[1 - end]);
      g_assert_cmpfloat_with_epsilon (tl_segment_get_length (&line),
                                      tl_segment_get_length (&before),
                                      GEOMETRY_TOLERANCE);
      /* Snaps from 28.8 degrees; rows go down. */
      g_assert_cmpfloat_with_epsilon (tl_segment_get_angle_deg (&line), -30,
                                      GEOMETRY_TOLERANCE);
    }
}

static void
test_floor (void)
{
  static const double cases[][2] = {
    { 1, 1 },         { 1.99, 1 },      { 2, 2 },     { 4.9, 2 },
    { 7, 5 },         { 10, 10 },       { 999, 500 }, { 1000, 1000 },
    { 0.003, 0.002 }, { 0.001, 0.001 }, { 0.5, 0.5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpfloat_with_epsilon (tl_ruler_floor (cases[i][0]), cases[i][1],
                                    GEOMETRY_TOLERANCE);
}

static char *
list_ticks (double low, double high, guint most)
{
  g_autoptr (GString) text = g_string_new (NULL);
  TlTicks ticks;

  tl_ticks_init (&ticks, low, high, most);
  g_assert_cmpuint (ticks.n, >=, 1);
  g_assert_cmpuint (ticks.n, <=, most);
  for (guint i = 0; i < ticks.n; i++)
    {
      g_autofree char *number = tl_ticks_format (&ticks, i);

      g_assert_cmpfloat (tl_ticks_get (&ticks, i), >=, low - ticks.step * 1e-6);
      g_assert_cmpfloat (tl_ticks_get (&ticks, i), <=,
                         high + ticks.step * 1e-6);
      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", number);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_ticks (void)
{
  static const struct
  {
    double low, high;
    const char *want;
  } cases[] = {
    { 0, 100, "0 20 40 60 80 100" },
    { -0.013, 0.021, "-0.01 0 0.01 0.02" },
    { -0.3, 0.31, "-0.2 0 0.2" },
    { 1e-9, 2.1e-9, "1.0e-09 1.2e-09 1.4e-09 1.6e-09 1.8e-09 2.0e-09" },
    { 3e7, 4e7, "3.0e+07 3.2e+07 3.4e+07 3.6e+07 3.8e+07 4.0e+07" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *got = list_ticks (cases[i].low, cases[i].high, 6);

      g_assert_cmpstr (got, ==, cases[i].want);
    }
  for (guint i = 0; i < 1000; i++)
    {
      const double low = g_test_rand_double_range (-1, 1);
      const double width = pow (10, g_test_rand_double_range (-5, 5));

      g_free (list_ticks (low, low + width, 2 + i % 9));
    }
}

static void
test_units (void)
{
  TlUnits units;
  g_autofree char *pixels = tl_ruler_format_length (123.44, 0);
  g_autofree char *um = tl_ruler_format_length (100, 3.25);
  g_autofree char *mm = tl_ruler_format_length (1000, 3.25);

  g_assert_cmpstr (pixels, ==, "123.4 pixels");
  g_assert_cmpstr (um, ==, "325 µm");
  g_assert_cmpstr (mm, ==, "3.25 mm");
  tl_units_init (&units, 0, TRUE);
  g_assert_cmpstr (units.unit, ==, "1/pixel");
  g_assert_cmpfloat (units.per_value, ==, 1);
  /* 0.002 per pixel, and a centimetre has 2000 pixels */
  tl_units_init (&units, 5, TRUE);
  g_assert_cmpstr (units.unit, ==, "1/cm");
  g_assert_cmpfloat_with_epsilon (0.002 * units.per_value, 4,
                                  GEOMETRY_TOLERANCE);
  tl_units_init (&units, 5, FALSE);
  g_assert_cmpstr (units.unit, ==, "1");
  g_assert_cmpfloat (units.per_value, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profile/values", test_values);
  g_test_add_func ("/profile/place", test_place);
  g_test_add_func ("/profile/outside", test_outside);
  g_test_add_func ("/profile/point", test_point);
  g_test_add_func ("/profile/csv", test_csv);
  g_test_add_func ("/profile/csv-of-two", test_csv_of_two);
  g_test_add_func ("/segment/angle", test_angle);
  g_test_add_func ("/segment/snap", test_snap);
  g_test_add_func ("/ruler/floor", test_floor);
  g_test_add_func ("/ruler/ticks", test_ticks);
  g_test_add_func ("/ruler/units", test_units);
  return g_test_run ();
}
