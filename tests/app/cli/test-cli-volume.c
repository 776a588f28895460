/* The command "volume": slices of means of pixels and projections. */
#include "tests/app/cli/cli-fixture.h"

#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 10,
  N_COLS = 62,
  BIN = 4
};

/* A slice is that of the scan in bins, to the bit, and the centre that of the
 * same place: column 29.25 is 27.75 behind the middle of the first bin. */
static void
test_slices (CliFixture *fixture, gconstpointer data)
{
  size_t length;
  cli_make_phantom (fixture, 75, N_ROWS, N_COLS);
  cli_run_well (fixture, "volume scan.h5 --engine host --size 16 --centre "
                         "29.25 -o small");
  g_assert_nonnull (strstr (fixture->out, "2 slices to small"));
  g_assert_nonnull (strstr (fixture->out, "centre 29.25 (boundary 29.75)"));
  cli_run_well (fixture, "recon scan.h5 --engine host --bin 4 --slice 1 "
                         "--centre 6.9375 -o one.tiff");
  cli_assert_same_pixels (fixture, "small/recon_00001.tiff", "one.tiff");
  g_autofree char *recipe =
      cli_read_file (fixture, "small/recipe.ini", &length);
  g_assert_nonnull (strstr (recipe, "bin=4"));
  g_assert_nonnull (strstr (recipe, "centre=6.9375"));
  /* what is kept repeats the volume */
  cli_run_well (fixture, "export small/recipe.ini -o again");
  cli_assert_same_pixels (fixture, "small/recon_00001.tiff",
                          "again/recon_00001.tiff");
  cli_run_well (fixture, "volume scan.h5 --engine host --size 16 --centre "
                         "29.25 --json -o json");
  g_assert_nonnull (strstr (fixture->out, "\"centre\": 29.25,"));
}

/* The bins of a recipe are kept without --size, but what is given counts the
 * pixels of the scan. */
static void
test_recipe (CliFixture *fixture, gconstpointer data)
{
  size_t length;
  cli_make_phantom (fixture, 75, N_ROWS, N_COLS);
  cli_run_well (fixture, "volume scan.h5 --engine host --size 16 --centre "
                         "29.3 --pixel-size 1.3 -o small");
  cli_run_well (fixture, "volume small/recipe.ini -o again");
  cli_assert_same_files (fixture, "small/recipe.ini", "again/recipe.ini");
  cli_assert_same_pixels (fixture, "small/recon_00001.tiff",
                          "again/recon_00001.tiff");
  cli_run_well (fixture, "volume small/recipe.ini --centre 31 --pixel-size 2 "
                         "-o moved");
  g_assert_nonnull (strstr (fixture->out, "centre 31 (boundary 31.5)"));
  g_autofree char *moved = cli_read_file (fixture, "moved/recipe.ini", &length);
  g_assert_nonnull (strstr (moved, "bin=4\n"));
  g_assert_nonnull (strstr (moved, "centre=7.375\n"));
  g_assert_nonnull (strstr (moved, "pixel-size=8\n"));
  cli_run_well (fixture, "volume small/recipe.ini --size 62 -o large");
  g_assert_nonnull (strstr (fixture->out, "10 slices to large"));
  g_assert_nonnull (strstr (fixture->out, "centre 29.3 (boundary 29.8)"));
}

/* Notes name the place of the axis as the result does, and what is left out. */
static void
test_notes (CliFixture *fixture, gconstpointer data)
{
  const char *centre, *result;
  cli_make_phantom (fixture, 75, N_ROWS, N_COLS);
  cli_run_well (fixture, "volume scan.h5 --engine host --size 16 -o small");
  g_assert_nonnull (strstr (fixture->err, "middle of the detector, 30.5 "
                                          "(boundary 31.0)"));
  g_assert_nonnull (strstr (fixture->out, "centre 30.5 (boundary 31)"));
  g_assert_nonnull (strstr (fixture->err,
                            "left out, because they fill no bin: 2 detector "
                            "rows, 2 detector columns"));
  cli_run_well (fixture, "phantom p.h5 --size 128 --rows 8 --projections 200 "
                         "--centre 60.5");
  cli_run_well (fixture, "volume p.h5 --engine host --size 32 --centre auto "
                         "-o found");
  g_assert_null (strstr (fixture->err, "left out"));
  centre = strstr (fixture->err, "note: centre ");
  result = strstr (fixture->out, "centre ");
  g_assert_nonnull (centre);
  g_assert_nonnull (result);
  const double noted = g_ascii_strtod (centre + strlen ("note: centre "), NULL);
  g_assert_cmpfloat_with_epsilon (noted, 60.5, 1);
  g_assert_cmpfloat_with_epsilon (
      g_ascii_strtod (result + strlen ("centre "), NULL), noted, 1e-9);
  g_assert_nonnull (strstr (centre, " (rows and columns of 4 pixels): "));
}

/* Bins show what is where the pixels show it. */
static void
test_place (CliFixture *fixture, gconstpointer data)
{
  size_t n;
  double best = INFINITY;
  int best_shift = -9;
  cli_run_well (fixture, "phantom p.h5 --size 128 --rows 8 --projections 200 "
                         "--centre 60.5");
  cli_run_well (fixture,
                "volume p.h5 --engine host --size 32 --centre 60.5 -o v");
  for (int row = 4; row < 8; row++)
    {
      g_autofree char *line = g_strdup_printf (
          "recon p.h5 --engine host --slice %d --centre 60.5 -o %d.tiff", row,
          row);
      cli_run_well (fixture, line);
    }
  g_autofree char *path =
      tl_scratch_path (fixture->folder, "v/recon_00001.tiff");
  g_autofree float *binned = tl_scratch_load_tiff (path, &n);
  g_assert_cmpuint (n, ==, 32 * 32);
  g_autofree double *fine = g_new0 (double, 128 * 128);
  for (int row = 4; row < 8; row++)
    {
      g_autofree char *name = g_strdup_printf ("%d.tiff", row);
      g_autofree char *file = tl_scratch_path (fixture->folder, name);
      g_autofree float *slice = tl_scratch_load_tiff (file, &n);
      for (size_t k = 0; k < n; k++)
        fine[k] += slice[k];
    }
  /* moved by so many small pixels to the right and down */
  for (int shift = -2; shift <= 2; shift++)
    {
      double sum = 0;
      for (int r = 1; r < 31; r++)
        for (int c = 1; c < 31; c++)
          {
            double mean = 0;
            for (int k = 0; k < BIN * BIN; k++)
              mean += fine[(r * BIN + k / BIN + shift) * 128 + c * BIN + k % BIN
                           + shift];
            /* a pixel is BIN times as long, and the sum is of BIN slices */
            mean /= BIN * BIN;
            sum += pow (binned[r * 32 + c] - mean, 2);
          }
      if (sum < best)
        best_shift = shift;
      best = fmin (sum, best);
    }
  g_assert_cmpint (best_shift, ==, 0);
}

/* A scan that is small enough is read as it is. */
static void
test_small (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 75, N_ROWS, N_COLS);
  cli_run_well (fixture, "volume scan.h5 --engine host --centre 29.25 -o v");
  cli_run_well (fixture, "recon scan.h5 --engine host --slice 9 --centre 29.25 "
                         "-o one.tiff");
  cli_assert_same_pixels (fixture, "v/recon_00009.tiff", "one.tiff");
}

static void
test_refused (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal cases[] = {
    { "volume scan.h5 --size 0 -o v", 2, "--size" },
    { "volume scan.h5 --size 6 -o v", 2, "give --size 7 or more" },
    { "volume scan.h5 --bin 2 -o v", 2, "give --size" },
    { "volume scan.h5 --size 16 --centre 61 -o v", 1, "centre 61 is outside" },
    { "volume scan.h5 --size 16 --centre 61 -o v", 1, "from -0.5 to 59.5" },
    { "recon scan.h5 --bin 65", 2, "--bin" },
    { "recon scan.h5 --bin 0", 2, "--bin" },
    { "recon --follow scan.h5 --bin 2", 2, "no bins" },
  };
  cli_make_phantom (fixture, 75, N_ROWS, N_COLS);
  cli_run_refused (fixture, cases, G_N_ELEMENTS (cases));
  cli_run_well (fixture, "volume scan.h5 --size 7 --centre 29.25 -o v");
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-volume/slices", test_slices },
    { "/cli-volume/recipe", test_recipe },
    { "/cli-volume/notes", test_notes },
    { "/cli-volume/place", test_place },
    { "/cli-volume/small", test_small },
    { "/cli-volume/refused", test_refused },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
