/* tomolens-cli centre, and "--centre auto". */
#include "data/write/writer.h"
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <math.h>
#include <string.h>

/* The axis of the phantom's scan: off the middle by 2 % and a quarter of a
 * pixel. */
#define N_COLS 120
#define CENTRE_COL ((N_COLS - 1) / 2.0 + 2 + 0.25)
#define TOLERANCE_COL 0.15

static void
test_table (CliFixture *fixture, gconstpointer data)
{
  static const char *const words[] = {
    "slice 1\n",
    "phase",
    "sinogram",
    "symmetry",
    "moments",
    "overlap",
    "sharpness",
    "consensus",
    "no result: half acquisition needs a full turn",
    "center=",
    "--center-position-x ",
    "rotation_axis_position = ",
    "geom_postalignment"
  };
  double centre_col, boundary, shift_col;
  cli_make_phantom (fixture, 180, 3, N_COLS);
  cli_run_well (fixture, "centre scan.h5 --slice 1");
  g_assert_null (strstr (fixture->err, "not given"));
  for (size_t k = 0; k < G_N_ELEMENTS (words); k++)
    g_assert_nonnull (strstr (fixture->out, words[k]));
  /* The number in the notation of each program. */
  centre_col = g_ascii_strtod (strstr (fixture->out, "center=") + 7, NULL);
  boundary = g_ascii_strtod (strstr (fixture->out, "position-x ") + 11, NULL);
  shift_col = g_ascii_strtod (strstr (fixture->out, "proj_geom, ") + 11, NULL);
  g_assert_cmpfloat_with_epsilon (centre_col, CENTRE_COL, TOLERANCE_COL);
  g_assert_cmpfloat_with_epsilon (boundary, centre_col + 0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (shift_col, (N_COLS - 1) / 2.0 - centre_col,
                                  1e-9);
  /* A single method is certain of no row. */
  cli_run_well (fixture, "centre scan.h5 --slices 0:2 --by phase");
  g_assert_nonnull (
      strstr (fixture->out, "no other estimate confirms that by"));
  g_assert_nonnull (strstr (fixture->out, "slice 2\n"));
  g_assert_nonnull (strstr (fixture->out, "median of "));
}

static void
test_json (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 180, 3, N_COLS);
  cli_run_well (fixture, "centre scan.h5 --by phase --by vo --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "centre"),
                                  CENTRE_COL, TOLERANCE_COL);
  g_assert_nonnull (strstr (fixture->out, "\"phase\""));
  g_assert_nonnull (strstr (fixture->out, "\"sinogram\""));
  g_assert_null (strstr (fixture->out, "\"sharpness\""));
  g_assert_cmpfloat (
      tl_json_find_number (fixture->out, "move_columns_uncertainty"), >, 0);
  /* An error is not reported as an answer. */
  cli_run (fixture, "centre scan.h5 --range 10:900 --json");
  cli_assert_refused (fixture, "range", 1, "columns are 0 to 119");
  g_assert_cmpstr (fixture->out, ==, "");
}

static void
test_refused (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "centre", 2, "file name" },
    { "centre scan.h5 --by guess", 2, "--by" },
    { "centre scan.h5 --range 40", 2, "FIRST:LAST" },
    { "centre scan.h5 --range 60:50", 2, "FIRST:LAST" },
    { "centre scan.h5 --range 60:500", 1, "columns are 0 to 119" },
    { "centre scan.h5 --slice 1 --slices 0:1", 2, "not both" },
    { "centre scan.h5 --slices 0:9", 1, "rows are 0 to 2" },
    { "centre scan.h5 --centre 5", 2, "--centre" },
    { "centre scan.h5 --opposite first --height", 2, "not both" },
    { "centre scan.h5 --opposite first --candidates 3", 2, "not both" },
    { "centre scan.h5 --height --candidates 3", 2, "not both" },
    { "centre scan.h5 --opposite first --slice 1", 2, "not take --slice" },
    { "centre scan.h5 --opposite first --slices 0:1", 2, "not take --slices" },
    { "centre scan.h5 --opposite first --by vo", 2, "not take --by" },
    { "centre scan.h5 --opposite first --range 5:90", 2, "not take --range" },
    { "centre scan.h5 --opposite first --timing", 2, "not take --timing" },
    { "centre scan.h5 --opposite first --rows 9", 2, "is for --height" },
    { "centre scan.h5 --height --slice 1", 2, "not take --slice" },
    { "centre scan.h5 --height --timing", 2, "not take --timing" },
    { "centre scan.h5 --candidates 3 --timing", 2, "not take --timing" },
    { "centre scan.h5 --candidates 3 --rows 9", 2, "is for --height" },
    { "centre scan.h5 --candidates 3 --around 60 --by vo", 2, "not both" },
  };
  cli_make_phantom (fixture, 180, 3, N_COLS);
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
}

static void
assert_no_answer (CliFixture *fixture)
{
  cli_run (fixture, "centre . --angles 0:175");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "the centre cannot be found"));
  g_assert_nonnull (strstr (fixture->out, "no result"));
  g_assert_null (strstr (fixture->out, "copy as"));
  cli_run (fixture, "centre . --angles 0:175 --json");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_nonnull (strstr (fixture->out, "\"cannot-tell\""));
  g_assert_nonnull (strstr (fixture->out, "\"move_columns\": null"));
  g_assert_nonnull (
      strstr (fixture->out, "\"move_columns_uncertainty\": null"));
  cli_run (fixture,
           "recon . --angles 0:175 --centre auto -o a.tiff --overwrite");
  cli_assert_refused (fixture, "auto", 1, "the centre cannot be found");
  cli_run (fixture, "export . --angles 0:175 --centre auto -o b");
  cli_assert_refused (fixture, "auto", 1, "the centre cannot be found");
}

/* All pixels are equal: no number is reported. */
static void
test_no_answer (CliFixture *fixture, gconstpointer data)
{
  tl_scratch_images (fixture->folder, "p", 40, 2, 32, 0.5f);
  assert_no_answer (fixture);
}

/* Noise alone gives no answer either. */
static void
test_noise (CliFixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  for (guint k = 0; k < 72; k++)
    {
      float pixels[2 * 64];
      g_autofree char *name = g_strdup_printf ("p%03u.tiff", k);
      g_autofree char *path = tl_scratch_path (fixture->folder, name);
      for (size_t i = 0; i < G_N_ELEMENTS (pixels); i++)
        pixels[i] = (float)g_rand_double_range (rand, 0.2, 0.8);
      g_assert_true (tl_write_tiff (path, pixels, 2, 64, NULL, NULL));
    }
  assert_no_answer (fixture);
}

static double
get_recipe_centre (CliFixture *fixture, const char *name)
{
  size_t length;
  g_autofree char *text = cli_read_file (fixture, name, &length);
  const char *at = strstr (text, "\ncentre=");
  g_assert_nonnull (at);
  return g_ascii_strtod (at + strlen ("\ncentre="), NULL);
}

/* The recipe contains the number, not "auto", and gives the same slice
 * again. */
static void
test_auto (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 180, 3, N_COLS);
  cli_run_well (fixture,
                "recon scan.h5 --slice 1 --centre auto -o a.tiff --overwrite");
  g_assert_nonnull (strstr (fixture->err, "note: centre "));
  g_assert_nonnull (strstr (fixture->err, " phase "));
  g_assert_nonnull (strstr (fixture->err, "estimates agree within"));
  g_assert_null (strstr (fixture->err, "not given"));
  g_assert_cmpfloat_with_epsilon (get_recipe_centre (fixture, "a.ini"),
                                  CENTRE_COL, TOLERANCE_COL);
  cli_run_well (fixture, "recon a.ini -o b.tiff");
  cli_assert_same_files (fixture, "a.tiff", "b.tiff");
  cli_run_well (fixture, "export scan.h5 --centre auto -o c");
  cli_assert_same_pixels (fixture, "a.tiff", "c/recon_00001.tiff");
  cli_run (fixture, "recon scan.h5 --centre auto --centre 60 -o d.tiff");
  cli_assert_refused (fixture, "twice", 2, "--centre is given twice");
  cli_run (fixture, "recon scan.h5 --centre auto --boundary 60 -o d.tiff");
  cli_assert_refused (fixture, "both", 2, "one of them");
}

/* The centre is that of the middle row, whichever row is used. In the first
 * row the axis is 0.7 columns away from it. */
static void
test_lean (CliFixture *fixture, gconstpointer data)
{
  const double lean_col = 100 * tan (0.4 * G_PI / 180);
  cli_run_well (fixture, "phantom lean.h5 --size 120 --rows 201 --projections "
                         "120 --centre 61.2 --tilt 0.4 --noise 0");
  cli_run_well (
      fixture,
      "recon lean.h5 --slice 0 --tilt 0.4 --centre auto -o a.tiff --overwrite");
  g_assert_cmpfloat_with_epsilon (get_recipe_centre (fixture, "a.ini"), 61.2,
                                  TOLERANCE_COL);
  cli_run_well (fixture, "centre lean.h5 --slice 0 --tilt 0.4 --json");
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "centre"),
                                  61.2, TOLERANCE_COL);
  /* Without a known tilt, the centre is the position in the row itself. */
  cli_run_well (fixture, "centre lean.h5 --slice 0 --json");
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "centre"),
                                  61.2 - lean_col, TOLERANCE_COL);
  cli_run_well (fixture, "centre lean.h5 --slice 0 --tilt 0.4 --candidates 1 "
                         "--by phase --json");
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "centre"),
                                  61.2, TOLERANCE_COL);
}

/* Rotating projections back by the tilt interpolates between columns, and
 * must not bias the estimates: those of different rows once ranged over 0.22
 * columns. */
static void
test_turned_back (CliFixture *fixture, gconstpointer data)
{
  double low = INFINITY, high = -INFINITY;
  cli_run_well (fixture, "phantom lean.h5 --size 256 --rows 50 --projections "
                         "121 --end-point --centre 93.18 --tilt 0.953 "
                         "--noise 0");
  for (size_t row = 6; row < 44; row += 6)
    {
      g_autofree char *line = g_strdup_printf (
          "centre lean.h5 --slice %zu --tilt 0.953 --by phase --json", row);
      cli_run_well (fixture, line);
      const double centre_col = tl_json_find_number (fixture->out, "centre");
      g_test_message ("row %zu: %.3f", row, centre_col);
      low = fmin (low, centre_col);
      high = fmax (high, centre_col);
    }
  g_assert_cmpfloat_with_epsilon ((low + high) / 2, 93.18, 0.05);
  g_assert_cmpfloat (high - low, <, 0.15);
}

/* Real scans: the result agrees with the values of their owners and of
 * others. */
static void
test_real (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name, *options, *verdict;
    double low, high;
    gboolean is_odd; /* the angles end one step before the projections do */
  } scans[] = {
    { "tomopy-tooth/tooth.h5", "--slice 0", "\"look\"", 295.4, 296.5, TRUE },
    { "psi-wood-sinogram/woodsino_0200.tif", "--angles 0:360", "\"certain\"",
      252.3, 252.7 },
    { "savu-24737-tiff", "--slice 100", "\"certain\"", 85.5, 86.1 },
    { "savu-24737-nxtomo/24737-derived.nxs", "--slice 80", "\"certain\"", 85.5,
      86.1 },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (scans); k++)
    {
      g_autofree char *path = tl_scratch_shared (scans[k].name);
      if (path == NULL)
        return;
      g_autofree char *line =
          g_strdup_printf ("centre '%s' %s --json", path, scans[k].options);
      cli_run_well (fixture, line);
      const double centre_col = tl_json_find_number (fixture->out, "centre");
      g_test_message ("%s: %.3f", scans[k].name, centre_col);
      g_assert_cmpfloat (centre_col, >=, scans[k].low);
      g_assert_cmpfloat (centre_col, <=, scans[k].high);
      g_assert_nonnull (strstr (fixture->out, scans[k].verdict));
      g_assert_cmpint (strstr (fixture->out, "angles contradict") != NULL, ==,
                       scans[k].is_odd);
      g_assert_cmpint (strstr (fixture->out, "\"move_columns\": null") != NULL,
                       ==, scans[k].is_odd);
    }
}

/* Few columns do not suffice to doubt angles that are right. */
static void
test_small (CliFixture *fixture, gconstpointer data)
{
  static const int sizes[][2] = {
    { 64, 64 }, { 64, 90 }, { 64, 91 }, { 128, 45 }, { 128, 180 }
  };
  for (size_t k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autofree char *line =
          g_strdup_printf ("phantom small.h5 --overwrite --rows 16 --size %d "
                           "--projections %d",
                           sizes[k][0], sizes[k][1]);
      cli_run_well (fixture, line);
      cli_run_well (fixture, "centre small.h5 --slice 8");
      g_assert_null (strstr (fixture->out, "contradict"));
    }
}

/* The angles to try are those of all projections, also of those left out, as
 * --angles takes them. */
static void
test_left_out (CliFixture *fixture, gconstpointer data)
{
  static const char found[] = "centre odd.h5 --slice 32 --leave-out 91:100 ";
  g_autofree char *wrong = g_strconcat (found, "--angles 0:197.8", NULL);
  g_autofree char *right = g_strconcat (found, "--angles 0:200", NULL);
  cli_run_well (fixture, "phantom odd.h5 --size 256 --rows 64 --projections "
                         "101 --angles 0:200 --end-point --noise 20000");
  cli_run_well (fixture, wrong);
  g_assert_nonnull (strstr (fixture->out, "half a turn (try angles 0:200)"));
  cli_run_well (fixture, right);
  g_assert_null (strstr (fixture->out, "contradict"));
}

/* Over a full turn, the end to try is that of the last projection, whether it
 * repeats the first or is a step before. Between them, and in narrow rows with
 * noise, none is proposed. */
static void
test_turn_end (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    guint n_projections, n_cols, noise;
    const char *taken;   /* options of the phantom */
    const char *claimed; /* the last angle */
    const char *says;
  } cases[] = {
    { 360, 400, 0, "0:360", "179.5",
      "is 1 step short of a full turn (try "
      "angles 0:359)" },
    { 360, 400, 5000, "0:360", "179.5", "(try angles 0:359)" },
    { 360, 400, 5000, "0:360", "180", "(try angles 0:359)" },
    { 720, 400, 0, "0:360", "179.75", "(try angles 0:359.5)" },
    { 720, 400, 5000, "0:360", "179.75", "(try angles 0:359.5)" },
    { 361, 400, 0, "0:360 --end-point", "179.5",
      "repeats the first, as after a "
      "full turn (try angles 0:360)" },
    { 361, 400, 5000, "0:360 --end-point", "180", "(try angles 0:360)" },
    { 721, 400, 5000, "0:360 --end-point", "179.75", "(try angles 0:360)" },
    { 720, 400, 0, "0:359.75 --end-point", "179.75", "cannot be told (try" },
    { 90, 128, 0, "0:360", "178", "0:360 if it does, 0:356 if" },
    { 240, 160, 20000, "0:360", "180", "(try angles 0:358.5)" },
    { 240, 160, 20000, "0:360 --end-point", "180", "(try angles 0:360)" },
    { 181, 72, 5000, "0:360 --end-point", "180",
      "cannot be told (try angles "
      "0:360 if" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *phantom = g_strdup_printf (
          "phantom turn.h5 --overwrite --rows 8 --projections %u --size %u "
          "--noise %u --angles %s",
          cases[k].n_projections, cases[k].n_cols, cases[k].noise,
          cases[k].taken);
      g_autofree char *centre = g_strdup_printf (
          "centre turn.h5 --by phase --angles 0:%s", cases[k].claimed);
      cli_run_well (fixture, phantom);
      cli_run (fixture, centre);
      g_test_message ("%s, %s", phantom, fixture->out);
      g_assert_nonnull (strstr (fixture->out, cases[k].says));
    }
}

/* If the assumed angles are wrong, one rough estimate is all there is. */
static void
test_rough (CliFixture *fixture, gconstpointer data)
{
  g_autofree char *path =
      tl_scratch_shared ("psi-wood-sinogram/woodsino_0200.tif");
  if (path == NULL)
    return;
  g_autofree char *centre = g_strdup_printf ("centre '%s' --by moments", path);
  cli_run (fixture, centre);
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "too uncertain for an axis"));
  g_assert_nonnull (strstr (fixture->out, "too uncertain for an axis"));
  g_assert_nonnull (strstr (fixture->out, "(try angles 0:360)"));
  g_assert_null (strstr (fixture->out, "copy as"));
  /* The angles are doubtful and the centre is too uncertain, so no slice is
   * reconstructed. */
  g_autofree char *all = g_strdup_printf ("centre '%s' --timing", path);
  cli_run (fixture, all);
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "the angles are in doubt"));
  g_autofree char *recon =
      g_strdup_printf ("recon '%s' --centre auto -o a.tiff --overwrite", path);
  cli_run (fixture, recon);
  cli_assert_refused (fixture, "wood", 1, "too uncertain for an axis");
  g_assert_nonnull (strstr (fixture->err, "(try angles 0:360)"));
}

/* Reports how to move the stage, in columns, and in micrometres if the pixel
 * size is known. */
static void
test_stage (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 180, 3, N_COLS);
  cli_run_well (fixture, "centre scan.h5 --by phase --pixel-size 2");
  g_assert_nonnull (strstr (fixture->out, "stage: move the stage by −4."));
  g_assert_nonnull (strstr (fixture->out, " µm ± 0."));
  g_assert_null (strstr (fixture->out, "roll"));
  cli_run_well (fixture, "centre scan.h5 --by phase --tilt 0.1 --json "
                         "--pixel-size 2");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat_with_epsilon (
      tl_json_find_number (fixture->out, "move_columns"), -2.25, TOLERANCE_COL);
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "move_um"),
                                  -4.5, 2 * TOLERANCE_COL);
  g_assert_cmpfloat_with_epsilon (
      tl_json_find_number (fixture->out, "roll_mrad"), -1.745, 1e-3);
}

/* One pair of a scan with a tilted axis, and a scan without a pair. */
static void
test_opposite (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "phantom lean.h5 --size 120 --rows 60 --projections "
                         "61 --end-point --centre 57.4 --tilt 0.7 --noise 0");
  cli_run_well (fixture, "centre lean.h5 --opposite first");
  g_assert_nonnull (strstr (fixture->out, "projection 0 at 0 degrees, and 60"));
  g_assert_nonnull (strstr (fixture->out, "stage: move the stage by +"));
  cli_run_well (fixture, "centre lean.h5 --opposite 60 --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "centre"),
                                  57.4, 0.1);
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "tilt"),
                                  0.7, 0.1);
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "shift"),
                                  2 * (57.4 - 59.5), 0.2);
  cli_run (fixture, "centre lean.h5 --opposite 7");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "has no opposite"));
  cli_run (fixture, "centre lean.h5 --opposite last");
  g_assert_cmpint (fixture->status, ==, 2);
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli/centre/table", test_table },
    { "/cli/centre/json", test_json },
    { "/cli/centre/refused", test_refused },
    { "/cli/centre/no-answer", test_no_answer },
    { "/cli/centre/noise", test_noise },
    { "/cli/centre/auto", test_auto },
    { "/cli/centre/lean", test_lean },
    { "/cli/centre/turned-back", test_turned_back },
    { "/cli/centre/stage", test_stage },
    { "/cli/centre/opposite", test_opposite },
    { "/cli/centre/real", test_real },
    { "/cli/centre/small", test_small },
    { "/cli/centre/left-out", test_left_out },
    { "/cli/centre/turn-end", test_turn_end },
    { "/cli/centre/rough", test_rough },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
