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
    { "/cli-volume/place", test_place },
    { "/cli-volume/small", test_small },
    { "/cli-volume/refused", test_refused },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
