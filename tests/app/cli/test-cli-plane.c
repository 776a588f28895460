/* recon --plane: the pixels, the files, and what is refused. */
#include "gpu/engine.h"
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <string.h>

#define N_ROWS 9
#define N_COLS 40

/* Returns: (transfer full): the floats of @name, [@n] */
static float *
load (CliFixture *fixture, const char *name, size_t n)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  size_t n_pixels;
  float *pixels = tl_scratch_load_tiff (path, &n_pixels);
  g_assert_cmpuint (n_pixels, ==, n);
  return pixels;
}

/* Planes along the axes are pixels of the slices; on the host to the bit, if
 * the rows of a picture run along x. */
static void
test_axes (CliFixture *fixture, gconstpointer data)
{
  const size_t n = N_COLS * N_COLS;
  cli_make_phantom (fixture, 37, N_ROWS, N_COLS);
  cli_run_well (fixture, "recon scan.h5 --engine host --centre 21 --tilt 0.4 "
                         "--slices 0:8 -o slices");
  cli_run_well (fixture, "recon scan.h5 --engine host --centre 21 --tilt 0.4 "
                         "--plane xy:6 -o xy.tiff");
  cli_assert_same_pixels (fixture, "xy.tiff", "slices/recon_00006.tiff");
  cli_run_well (fixture, "recon scan.h5 --engine host --centre 21 --tilt 0.4 "
                         "--plane xz:11 --png -o planes");
  cli_run_well (fixture, "recon scan.h5 --engine host --centre 21 --tilt 0.4 "
                         "--plane yz:13 -o planes --overwrite");
  cli_run_well (fixture, "recon scan.h5 --engine host --centre 21 --tilt 0.4 "
                         "--plane oblique:19.5,11,4:1,0,0:0,0,0.5 -o o.tiff");
  g_autofree float *xz =
      load (fixture, "planes/recon_xz_11.tiff", N_ROWS * N_COLS);
  g_autofree float *yz =
      load (fixture, "planes/recon_yz_13.tiff", N_ROWS * N_COLS);
  g_autofree float *oblique = load (fixture, "o.tiff", n);
  for (size_t z = 0; z < N_ROWS; z++)
    {
      g_autofree char *name = g_strdup_printf ("slices/recon_%05zu.tiff", z);
      g_autofree float *slice = load (fixture, name, n);
      g_assert_cmpmem (xz + z * N_COLS, N_COLS * sizeof (float),
                       slice + 11 * N_COLS, N_COLS * sizeof (float));
      for (size_t y = 0; y < N_COLS; y++)
        g_assert_cmpfloat_with_epsilon (yz[z * N_COLS + y],
                                        slice[y * N_COLS + 13], 1e-6);
      /* row i of the picture is at z = 4 + (i - 19.5) / 2: between two rows */
      if (z + 1 == N_ROWS)
        continue;
      g_autofree char *below =
          g_strdup_printf ("slices/recon_%05zu.tiff", z + 1);
      g_autofree float *next = load (fixture, below, n);
      for (size_t x = 0; x < N_COLS; x++)
        g_assert_cmpfloat_with_epsilon (oblique[(12 + 2 * z) * N_COLS + x],
                                        0.75f * slice[11 * N_COLS + x]
                                            + 0.25f * next[11 * N_COLS + x],
                                        1e-6);
    }
  g_autofree char *png =
      tl_scratch_path (fixture->folder, "planes/recon_xz_11.png");
  g_assert_true (g_file_test (png, G_FILE_TEST_EXISTS));
}

/* The plane of a half acquisition is as wide as its slice. */
static void
test_half (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "phantom half.h5 --size 64 --rows 5 --projections 60 "
                         "--half left");
  cli_run_well (fixture, "recon half.h5 --engine host --slice 2 -o s.tiff");
  cli_run_well (fixture, "recon half.h5 --engine host --plane xy:2 -o p.tiff");
  cli_assert_same_pixels (fixture, "s.tiff", "p.tiff");
}

/* What is said about a plane, and what its file says. */
static void
test_report (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 37, N_ROWS, N_COLS);
  cli_run_well (fixture, "recon scan.h5 --plane xz:11");
  g_assert_nonnull (strstr (
      fixture->out, "recon_xz_11.tiff: plane xz:11, 9 x 40 pixels, centre"));
  cli_run_well (fixture,
                "recon scan.h5 --json --plane oblique:1.5,2,3:0,1,0:1,0,.5");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_nonnull (strstr (fixture->out, "\"oblique:1.5,2,3:0,1,0:1,0,.5\""));
  const char *origin = strstr (fixture->out, "\"origin\": [");
  g_assert_nonnull (origin);
  g_assert_cmpfloat (g_ascii_strtod (strchr (origin, '[') + 1, NULL), ==,
                     1.5 - 19.5 - 19.5);
  size_t length;
  g_autofree char *file = cli_read_file (
      fixture, "recon_oblique_1.5_2_3_0_1_0_1_0_.5.tiff", &length);
  for (size_t k = 0; k < length; k++)
    file[k] = file[k] == '\0' ? ' ' : file[k];
  g_assert_nonnull (strstr (file, "attenuation per pixel length; origin -37.5 "
                                  "37 -6.75; u 0 -1 0; v 1 0 0.5: "));
  g_autofree char *recipe = cli_read_file (fixture, "recon_xz_11.ini", &length);
  g_assert_nonnull (strstr (recipe, "centre"));
}

static void
test_refused (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal cases[] = {
    { "recon scan.h5 --plane 5", 2, "--plane takes xy:Z" },
    { "recon scan.h5 --plane xw:5", 2, "\"xw:5\"" },
    { "recon scan.h5 --plane xz:", 2, "\"xz:\"" },
    { "recon scan.h5 --plane xz:1,2", 2, "\"xz:1,2\"" },
    { "recon scan.h5 --plane xz:nan", 2, "\"xz:nan\"" },
    { "recon scan.h5 --plane xz:1:2:3", 2, "\"xz:1:2:3\"" },
    { "recon scan.h5 --plane oblique:1,2,3", 2, "\"oblique:1,2,3\"" },
    { "recon scan.h5 --plane oblique:1,2,3:1,0,0:2,0,0", 2, "one line" },
    { "recon scan.h5 --plane oblique:1,2,3:0.1,0.2,0.3:0.3,0.6,0.9", 2,
      "one line" },
    { "recon scan.h5 --plane oblique:1,2,3:0,0,0:2,0,0", 2, "one line" },
    { "recon scan.h5 --plane xz:1 --slice 3", 2, "cannot be used with" },
    { "recon scan.h5 --plane xz:1 --slices 3:4", 2, "cannot be used with" },
    { "recon scan.h5 --plane xz:1 --precision-cost", 2, "cannot be used with" },
    { "recon scan.h5 --plane xz:1 --timing", 2, "cannot be used with" },
    { "recon scan.h5 --plane xz:1 --follow", 2, "cannot be used with" },
    { "recon scan.h5 --plane xy:9", 1,
      "no plane xy:9; these planes are 0 to 8" },
    { "recon scan.h5 --plane xz:40", 1, "0 to 39" },
    { "recon scan.h5 --plane yz:-0.5", 1, "0 to 39" },
    { "recon scan.h5 --plane oblique:1,2,50:1,0,0:0,1,0", 1,
      "scan.h5: the plane passes beside the detector, whose rows are 0 to 8" },
    { "recon scan.h5 --plane oblique:1,2,3:1e9,0,0:0,1,0", 1, "farther than" },
    { "recon scan.h5 --plane xz:1 --method fourier --engine host", 1,
      "Fourier" },
  };
  cli_make_phantom (fixture, 7, N_ROWS, N_COLS);
  cli_run_refused (fixture, cases, G_N_ELEMENTS (cases));
  g_autofree char *names = tl_scratch_list (fixture->folder);
  g_assert_cmpstr (names, ==, "scan.h5\n");
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-plane/axes", test_axes },
    { "/cli-plane/half", test_half },
    { "/cli-plane/report", test_report },
    { "/cli-plane/refused", test_refused },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
