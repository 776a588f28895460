/* tomolens-cli centre --height. */
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <math.h>
#include <string.h>

/* Tilted phantoms and the result for each, in degrees and columns. */
static void
test_phantoms (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *made, *asked;
    double tilt_deg, tolerance_deg, centre_col, tolerance_col;
  } cases[] = {
    { "--tilt 0.3 --centre 66.3", "", 0.3, 0.06, 66.3, 0.06 },
    { "--tilt -0.3 --centre 61.7", "--rows 12", -0.3, 0.09, 61.7, 0.06 },
    { "--centre 63", "", 0, 0.06, 63, 0.06 },
    /* The column is also estimated. */
    { "--tilt 1 --centre 66.3", "", 1, 0.08, 66.3, 0.08 },
    { "--tilt 0.5 --half left --centre 20", "", 0.5, 0.08, 20, 0.06 },
    { "--tilt -0.5 --half right --centre 107", "", -0.5, 0.08, 107, 0.06 },
    { "--tilt 0.3 --centre 66.3", "--by vo --rows 10", 0.3, 0.09, 66.3, 0.08 },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *make = g_strdup_printf (
          "phantom %zu.h5 --size 128 --rows 96 --projections 160 --noise 20000 "
          "%s",
          k, cases[k].made);
      g_autofree char *line = g_strdup_printf (
          "centre %zu.h5 --height --json %s", k, cases[k].asked);
      cli_run_well (fixture, make);
      cli_run_well (fixture, line);
      g_assert_true (tl_json_is_valid (fixture->out));
      const double tilt_deg = tl_json_find_number (fixture->out, "tilt_deg");
      const double off_deg =
          tl_json_find_number (fixture->out, "tilt_uncertainty_deg");
      const char *all = strstr (fixture->out, "\"verdict\"");
      const double centre_col = tl_json_find_number (all, "centre");
      g_test_message ("%s %s: %.4f +- %.4f degrees, centre %.3f", cases[k].made,
                      cases[k].asked, tilt_deg, off_deg, centre_col);
      g_assert_cmpfloat_with_epsilon (tilt_deg, cases[k].tilt_deg,
                                      cases[k].tolerance_deg);
      g_assert_cmpfloat_with_epsilon (tilt_deg, cases[k].tilt_deg, 3 * off_deg);
      g_assert_cmpfloat_with_epsilon (centre_col, cases[k].centre_col,
                                      cases[k].tolerance_col);
      g_assert_cmpfloat_with_epsilon (
          tl_json_find_number (fixture->out, "tilt_mrad"),
          tilt_deg * 1000 * G_PI / 180, 1e-6);
      /* The correction of the stage is reported as well. */
      g_assert_cmpfloat_with_epsilon (tl_json_find_number (all, "roll_mrad"),
                                      -tilt_deg * 1000 * G_PI / 180, 1e-6);
      g_assert_cmpfloat_with_epsilon (
          tl_json_find_number (all, "roll_mrad_uncertainty"),
          off_deg * 1000 * G_PI / 180, 1e-6);
      if (strstr (cases[k].made, "--half") != NULL)
        g_assert_nonnull (strstr (all, "\"move_columns\": null"));
      else
        g_assert_cmpfloat_with_epsilon (
            tl_json_find_number (all, "move_columns"), 63.5 - centre_col, 1e-6);
      g_assert_cmpfloat_with_epsilon (
          tl_json_find_number (all, "move_columns_uncertainty"),
          tl_json_find_number (all, "centre_uncertainty"), 1e-6);
    }
}

/* A note on the angles that most rows have becomes a note on the line. */
static void
test_angles (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "phantom odd.h5 --size 256 --rows 64 --projections 91 "
                         "--end-point --noise 20000");
  cli_run_well (fixture, "centre odd.h5 --height --rows 8");
  g_assert_null (strstr (fixture->out, "angles contradict"));
  cli_run_well (fixture, "centre odd.h5 --height --rows 8 --angles 0:178.02");
  g_assert_nonnull (strstr (fixture->out, "\nuncertain: "));
  g_assert_nonnull (strstr (
      fixture->out, "but the angles contradict the projections; check it"));
}

/* With few rows, an error that neighbouring rows share is not visible as
 * scatter. Early versions were off by 3 to 4.6 times the stated uncertainty,
 * and called it certain. */
static void
test_deviations (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *made;
    double tilt_deg, centre_col;
  } cases[] = {
    { "--size 200 --rows 50 --projections 121 --noise 10000 --seed 27", 0.317,
      70.72 },
    { "--size 256 --rows 50 --projections 121 --noise 0", 0.953, 93.18 },
    { "--size 400 --rows 60 --projections 360 --noise 10000", 0.3, 211.4 },
    { "--size 320 --rows 50 --projections 180 --noise 0", 0.922, 166.2 },
    { "--size 200 --rows 100 --projections 121 --noise 10000", -0.583, 103.1 },
    { "--size 240 --rows 80 --projections 121 --noise 2000", 0, 118.9 },
  };
  double square = 0;
  /* All rows share an error if pairs of projections are extrapolated to half
   * a turn. */
  cli_run_well (fixture, "phantom short.h5 --size 512 --rows 64 --projections "
                         "180 --tilt 0.1 --centre 260 --noise 20000");
  cli_run_well (fixture, "centre short.h5 --height --rows 8 --json");
  const char *all = strstr (fixture->out, "\"verdict\"");
  g_test_message ("%.3f +- %.3f", tl_json_find_number (all, "centre"),
                  tl_json_find_number (all, "centre_uncertainty"));
  g_assert_cmpfloat_with_epsilon (
      tl_json_find_number (all, "centre"), 260,
      3 * tl_json_find_number (all, "centre_uncertainty"));
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *make = g_strdup_printf (
          "phantom %zu.h5 --end-point --tilt %g --centre %g %s", k,
          cases[k].tilt_deg, cases[k].centre_col, cases[k].made);
      g_autofree char *line =
          g_strdup_printf ("centre %zu.h5 --height --json", k);
      cli_run_well (fixture, make);
      cli_run_well (fixture, line);
      const double off_deg =
          tl_json_find_number (fixture->out, "tilt_uncertainty_deg");
      const double deviation =
          (tl_json_find_number (fixture->out, "tilt_deg") - cases[k].tilt_deg)
          / off_deg;
      g_test_message ("%s: %.2f times %.3f degrees", cases[k].made, deviation,
                      off_deg);
      g_assert_cmpfloat (fabs (deviation), <, 3);
      g_assert_cmpfloat (off_deg, <, 0.2);
      square += deviation * deviation;
    }
  g_assert_cmpfloat (sqrt (square / G_N_ELEMENTS (cases)), <, 1.3);
}

static void
test_table (CliFixture *fixture, gconstpointer data)
{
  static const char *const words[] = {
    "row",       "boundary",    " yes ",    "centre of the middle row ",
    "tilt ",     " mrad)",      " --tilt ", "projections are turned back",
    "\nstage: ", ", roll by −1"
  };
  cli_run_well (fixture, "phantom scan.h5 --size 128 --rows 64 --projections "
                         "120 --noise 20000 --tilt 1");
  cli_run_well (fixture, "centre scan.h5 --height --rows 9");
  for (size_t k = 0; k < G_N_ELEMENTS (words); k++)
    g_assert_nonnull (strstr (fixture->out, words[k]));
  /* The printed options are valid options of recon. */
  const char *copy = strstr (fixture->out, "--centre ");
  g_assert_nonnull (copy);
  g_autofree char *line =
      g_strdup_printf ("recon scan.h5 -o a.tiff --overwrite %.*s",
                       (int)(strchr (copy, '\n') - copy), copy);
  cli_run_well (fixture, line);
}

/* A tilt that does not differ from zero is not proposed. */
static void
test_straight (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "phantom scan.h5 --size 128 --rows 64 --projections "
                         "120 --noise 20000");
  cli_run_well (fixture, "centre scan.h5 --height --rows 9");
  g_assert_nonnull (strstr (fixture->out, "not different from zero"));
  g_assert_nonnull (strstr (fixture->out, "--centre "));
  g_assert_null (strstr (fixture->out, "--tilt"));
  cli_run_well (fixture, "centre scan.h5 --height --rows 9 --json");
  g_assert_nonnull (strstr (fixture->out, "\"is_tilted\": false"));
}

static void
test_refused (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "centre scan.h5 --height --slices 0:1", 2, "does not take --slices" },
    { "centre scan.h5 --rows 8", 2, "--rows is for --height" },
    { "centre scan.h5 --height --rows 2", 2, "--rows" },
    { "centre scan.h5 --height --rows many", 2, "--rows" },
  };
  /* With few rows of many columns the tilt is too uncertain, and no axis is
   * reported. */
  cli_run_well (fixture, "phantom lower.h5 --size 256 --rows 8 --projections "
                         "120 --noise 20000");
  cli_run (fixture, "centre lower.h5 --height");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "too uncertain for an axis"));
  g_assert_null (strstr (fixture->out, "copy as"));
  cli_run_well (fixture, "phantom low.h5 --size 256 --rows 16 --projections "
                         "120 --noise 20000");
  cli_run_well (fixture, "centre low.h5 --height");
  g_assert_nonnull (strstr (fixture->out, "uncertain: "));
  g_assert_nonnull (strstr (fixture->out, "is large"));
  g_assert_null (strstr (fixture->out, "in projections turned back"));
  cli_make_phantom (fixture, 180, 2, 120);
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  cli_run (fixture, "centre scan.h5 --height");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "too few rows for a tilt"));
  /* All pixels are equal: no number is reported. */
  tl_scratch_images (fixture->folder, "p", 40, 6, 32, 0.5f);
  cli_run (fixture, "centre . --angles 0:175 --height");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "the tilt cannot be measured"));
  g_assert_null (strstr (fixture->out, "copy as"));
  g_assert_null (strstr (fixture->out, "stage"));
  cli_run (fixture, "centre . --angles 0:175 --height --json");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_nonnull (strstr (fixture->out, "\"cannot-tell\""));
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli/height/phantoms", test_phantoms },
    { "/cli/height/angles", test_angles },
    { "/cli/height/deviations", test_deviations },
    { "/cli/height/table", test_table },
    { "/cli/height/straight", test_straight },
    { "/cli/height/refused", test_refused },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
