/* The command "render": its picture against plain double loops over the slices
 * of the command "volume". Skipped where there is no OpenGL without a display.
 */
#include "app/recipe/recipe.h"
#include "tests/app/cli/cli-fixture.h"
#include "tests/support/plain-volume.h"

#include <math.h>
#include <png.h>
#include <string.h>

#define WIDTH 64
#define HEIGHT 50

/* As in tests/render/test-volume-pass.c: a colour is rounded, and fog leaves
 * out the last 0.2 % of the light. So many rays of 3200 may graze a surface. */
#define LEVELS 1.6
#define N_GRAZED 8

#define BIN 2
#define SIDE 24 /* columns, rows and slices of the volume */

#define SMALL                                                                  \
  "p.h5 --engine host --size 24 --centre 23.5 --width 64 --height 50 "

static gboolean
makes_pictures (CliFixture *fixture)
{
  cli_run_well (fixture, "phantom p.h5 --size 48 --centre 23.5");
  cli_run (fixture, "render " SMALL "-o try.png");
  if (fixture->status != 1
      || strstr (fixture->err, "no volume can be drawn") == NULL)
    return TRUE;
  g_test_skip (fixture->err);
  return FALSE;
}

/* The volume as render makes it: nothing outside the circle. */
static float *
load_volume (CliFixture *fixture)
{
  float *voxels = g_new (float, SIDE *SIDE *SIDE);
  cli_run_well (fixture, "volume p.h5 --engine host --size 24 --centre 23.5 "
                         "-o v --overwrite");
  for (int z = 0; z < SIDE; z++)
    {
      g_autofree char *name = g_strdup_printf ("v/recon_%05d.tiff", z);
      g_autofree char *path = tl_scratch_path (fixture->folder, name);
      size_t n;
      g_autofree float *slice = tl_scratch_load_tiff (path, &n);
      g_assert_cmpuint (n, ==, SIDE * SIDE);
      for (int k = 0; k < SIDE * SIDE; k++)
        voxels[z * SIDE * SIDE + k] =
            hypot (k % SIDE - 11.5, (double)(k / SIDE) - 11.5) > 12 ? NAN
                                                                    : slice[k];
    }
  return voxels;
}

static void
load_picture (CliFixture *fixture, const char *name, guint8 *rgb)
{
  png_image image = { .version = PNG_IMAGE_VERSION };
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  g_assert_true (png_image_begin_read_from_file (&image, path));
  g_assert_cmpuint (image.width, ==, WIDTH);
  g_assert_cmpuint (image.height, ==, HEIGHT);
  g_assert_cmpuint (image.format, ==, PNG_FORMAT_RGB);
  g_assert_true (png_image_finish_read (&image, NULL, rgb, 0, NULL));
}

/* @options: keys of the recipe, "--way surface --azimuth 10" */
static PlainVolume
make_plain (float *voxels, const char *options)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_auto (GStrv) words = NULL;
  TlVolumeClasses classes;
  float least = INFINITY;
  g_assert_true (g_shell_parse_argv (options, NULL, &words, NULL));
  for (char **word = words; *word != NULL; word += 2)
    g_assert_true (tl_recipe_set (recipe, *word + 2, word[1], NULL));
  PlainVolume volume = { .voxels = voxels,
                         .n = { SIDE, SIDE, SIDE },
                         .camera = recipe->camera,
                         .look = recipe->look,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .step_voxels = 0.5,
                         .jitters = TRUE,
                         .outside = { 0, 0, 0, 1 } };
  volume.camera.width = WIDTH;
  volume.camera.height = HEIGHT;
  volume.look = tl_volume_look_to_bins (&volume.look, BIN);
  tl_volume_find_classes (voxels, SIDE * SIDE * SIDE, &classes);
  tl_volume_look_settle (&volume.look, &classes);
  for (int k = 0; k < SIDE * SIDE * SIDE; k++)
    least = isnan (voxels[k]) ? least : fminf (least, voxels[k]);
  for (int k = 0; k < SIDE * SIDE * SIDE; k++)
    voxels[k] = isnan (voxels[k]) ? least : voxels[k];
  return volume;
}

static void
test_picture (CliFixture *fixture, gconstpointer data)
{
  static const char *const options[] = {
    "--way emission --colormap inferno",
    "--way maximum --azimuth -50 --elevation 70 --zoom 1.5 --perspective 40",
    "--way surface --threshold 0.01 --look-at 0.4,0.5,0.6",
    "--way surface --clip-planes 0.5,0.5,0.5:0,1,0 --colormap viridis",
    ("--way emission --transfer 0.004:0,0.02:0.2 --window 0:0.04 --clip-box "
     "0.2:1,0:1,0:0.7"),
  };
  if (!makes_pictures (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autofree char *line = g_strconcat (
          "render " SMALL "-o r.png --overwrite ", options[i], NULL);
      g_autofree float *voxels = load_volume (fixture);
      g_autofree double *want = g_new (double, 4 * WIDTH * HEIGHT);
      const PlainVolume volume = make_plain (voxels, options[i]);
      guint8 got[3 * WIDTH * HEIGHT];
      int n_worse = 0, n_seen = 0;
      cli_run_well (fixture, line);
      load_picture (fixture, "r.png", got);
      plain_volume_draw (&volume, want);
      for (int k = 0; k < WIDTH * HEIGHT; k++)
        {
          double worst = 0;
          for (int c = 0; c < 3; c++)
            worst = fmax (worst, fabs (got[3 * k + c] - want[4 * k + c]));
          n_worse += worst > LEVELS;
          n_seen += got[3 * k] > 40;
        }
      g_test_message ("%s: %d pixels differ, %d are bright", options[i],
                      n_worse, n_seen);
      g_assert_cmpint (n_worse, <=, N_GRAZED);
      g_assert_cmpint (n_seen, >, 100);
    }
}

/* The help of --way says coloured fog, as the window does. */
static void
test_help (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "render --help");
  g_assert_nonnull (strstr (fixture->out, "coloured fog"));
}

/* What stands beside a picture repeats it, with the values that were given:
 * 0.01 * 3 / 3 is another number. */
static void
test_recipe (CliFixture *fixture, gconstpointer data)
{
  size_t length;
  if (!makes_pictures (fixture))
    return;
  cli_run_well (fixture, "render p.h5 --engine host --size 16 --centre 23.5 "
                         "--width 64 --height 50 --way surface --azimuth 77 "
                         "--threshold 0.01 -o a.png");
  g_autofree char *recipe = cli_read_file (fixture, "a.ini", &length);
  g_assert_nonnull (strstr (recipe, "way=surface\n"));
  g_assert_nonnull (strstr (recipe, "azimuth=77\n"));
  g_assert_nonnull (strstr (recipe, "bin=3\n"));
  g_assert_nonnull (strstr (recipe, "threshold=0.01\n"));
  g_assert_null (strstr (recipe, "elevation="));
  g_assert_nonnull (strstr (fixture->out, "centre 23.5 (boundary 24)"));
  cli_run_well (fixture, "render a.ini --width 64 --height 50 -o b.png");
  cli_assert_same_files (fixture, "a.png", "b.png");
  cli_run_well (fixture,
                "render a.ini --width 64 --height 50 --azimuth 78 -o c.png");
  guint8 a[3 * WIDTH * HEIGHT], c[3 * WIDTH * HEIGHT];
  load_picture (fixture, "a.png", a);
  load_picture (fixture, "c.png", c);
  g_assert_cmpint (memcmp (a, c, sizeof a), !=, 0);
  /* pixels of the scan are given, whatever the bins of the recipe */
  cli_run_well (fixture, "render a.ini --width 8 --height 8 --size 48 "
                         "--centre 24.5 -o d.png --json");
  g_assert_nonnull (strstr (fixture->out, "\"bin\": 1,"));
  g_assert_nonnull (strstr (fixture->out, "\"centre\": 24.5,"));
  cli_run_well (fixture, "render a.ini --width 8 --height 8 --centre 24.25 "
                         "-o e.png --json");
  g_assert_nonnull (strstr (fixture->out, "\"bin\": 3,"));
  g_assert_nonnull (strstr (fixture->out, "\"centre\": 24.25,"));
  /* a slice takes the recipe as it is */
  cli_run_well (fixture, "recon a.ini --engine host -o slice.tiff");
}

/* A shape of the opacity becomes points, which repeat the picture with the same
 * voxels. */
static void
test_opacity (CliFixture *fixture, gconstpointer data)
{
  guint8 fog[3 * WIDTH * HEIGHT], dense[3 * WIDTH * HEIGHT];
  size_t length;
  if (!makes_pictures (fixture))
    return;
  cli_run_well (fixture, "render " SMALL "-o fog.png");
  cli_run_well (fixture, "render " SMALL "--transfer 0.001:0.5 -o bright.png");
  cli_run_well (fixture, "render bright.ini --width 64 --height 50 "
                         "--opacity dense -o dense.png");
  load_picture (fixture, "fog.png", fog);
  load_picture (fixture, "dense.png", dense);
  g_assert_cmpint (memcmp (fog, dense, sizeof fog), !=, 0);
  g_autofree char *recipe = cli_read_file (fixture, "dense.ini", &length);
  g_assert_nonnull (strstr (recipe, "\ntransfer="));
  g_assert_null (strstr (recipe, "0.001:0.5"));
  g_assert_null (strstr (recipe, "dense"));
  cli_run_well (fixture,
                "render dense.ini --width 64 --height 50 -o again.png");
  cli_assert_same_files (fixture, "dense.png", "again.png");
}

/* Values count in the pixels of the detector, whatever the bins. */
static void
test_values (CliFixture *fixture, gconstpointer data)
{
  double thresholds[2];
  if (!makes_pictures (fixture))
    return;
  for (int k = 0; k < 2; k++)
    {
      g_autofree char *line = g_strdup_printf (
          "render p.h5 --engine host --centre 23.5 --size %d --width 8 "
          "--height 8 -o %d.png --json",
          24 * (k + 1), k);
      cli_run_well (fixture, line);
      thresholds[k] = g_ascii_strtod (strstr (fixture->out, "\"threshold\":")
                                          + strlen ("\"threshold\":"),
                                      NULL);
    }
  g_assert_cmpfloat (thresholds[0], >, 0);
  g_assert_cmpfloat_with_epsilon (thresholds[1] / thresholds[0], 1, 0.3);
}

/* The note and the result name the same place, in pixels of the scan. */
static void
test_notes (CliFixture *fixture, gconstpointer data)
{
  const char *noted, *result;
  if (!makes_pictures (fixture))
    return;
  cli_run_well (fixture, "render p.h5 --engine host --size 16 --width 8 "
                         "--height 8 -o middle.png");
  g_assert_nonnull (strstr (fixture->err, "middle of the detector, 23.5 "
                                          "(boundary 24.0)"));
  g_assert_nonnull (strstr (fixture->out, "centre 23.5 (boundary 24)"));
  cli_run_well (fixture, "render p.h5 --engine host --size 16 --width 8 "
                         "--height 8 --centre auto -o found.png");
  noted = strstr (fixture->err, "note: centre ");
  result = strstr (fixture->out, "centre ");
  g_assert_nonnull (noted);
  g_assert_nonnull (result);
  g_assert_cmpfloat_with_epsilon (
      g_ascii_strtod (noted + strlen ("note: centre "), NULL),
      g_ascii_strtod (result + strlen ("centre "), NULL), 1e-9);
}

static void
test_refused (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal cases[] = {
    { "render p.h5", 2, "-o NAME.png" },
    { "render p.h5 -o r.tiff", 2, "ends in .png" },
    { "render p.h5 -o r.png --way x-ray", 2, "--way" },
    { "render p.h5 -o r.png --threshold -1", 2, "--threshold" },
    { "render p.h5 -o r.png --transfer 2:0,1:1", 2, "--transfer" },
    { "render p.h5 -o r.png --clip-box 0:1,0:1", 2, "--clip-box" },
    { "render p.h5 -o r.png --step 0", 2, "--step" },
    { "render p.h5 -o r.png --opacity cloud", 2, "ramp, band, dense, glass" },
    { "render p.h5 -o r.png --opacity band --transfer 1:1", 2, "one of them" },
    { "render p.h5 -o r.png --width 0", 2, "--width" },
    { "render p.h5 -o r.png --height 100000", 2, "--height" },
    { "render p.h5 -o r.png --slice 3", 2, "--slice" },
    { "render p.h5 -o r.png --bin 2", 2, "give --size" },
    { "render none.h5 -o r.png", 1, "none.h5" },
    { "render p.h5 -o none/r.png", 1, "no folder" },
    { "render p.h5 -o there.png", 1, "--overwrite" },
    { "render p.h5 -o other.png", 1, "not a recipe" },
    { "recon p.h5 --azimuth 3", 2, "azimuth" },
  };
  g_autofree char *there = tl_scratch_path (fixture->folder, "there.png");
  g_autofree char *other = tl_scratch_path (fixture->folder, "other.ini");
  cli_run_well (fixture, "phantom p.h5 --size 48 --centre 23.5");
  g_assert_true (g_file_set_contents (there, "picture", -1, NULL));
  g_assert_true (g_file_set_contents (other, "no recipe", -1, NULL));
  cli_run_refused (fixture, cases, G_N_ELEMENTS (cases));
}

/* The command says when its picture is blank, although it succeeds. */
static void
test_blank (CliFixture *fixture, gconstpointer data)
{
  if (!makes_pictures (fixture))
    return;
  g_assert_null (strstr (fixture->err, "visible"));
  cli_run_well (fixture, "render " SMALL "--way surface --threshold 9 "
                         "-o blank.png");
  g_assert_nonnull (strstr (fixture->err, "nothing of the sample is visible"));
  g_assert_nonnull (strstr (fixture->err, "threshold 9"));
  /* below the window, a box in the first colour */
  cli_run_well (fixture, "render " SMALL "--way maximum --window 5:6 "
                         "--colormap viridis -o low.png");
  g_assert_nonnull (strstr (fixture->err, "nothing of the sample is visible"));
  g_assert_nonnull (strstr (fixture->err, "the window 5 … 6"));
  /* above it, one in the last colour */
  cli_run_well (fixture, "render " SMALL "--way maximum --window -6:-5 "
                         "-o high.png");
  g_assert_null (strstr (fixture->err, "visible"));
  cli_run_well (fixture, "render p.h5 --engine host --size 24 --centre 23.5 "
                         "--width 1 --height 1 -o one.png");
  g_assert_null (strstr (fixture->err, "visible"));
}

/* Without a driver of OpenGL one sentence says so, and no file is left behind.
 */
static void
test_no_driver (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "phantom p.h5 --size 48 --centre 23.5");
  g_setenv ("__EGL_VENDOR_LIBRARY_DIRS", fixture->folder, TRUE);
  cli_run (fixture, "render p.h5 -o r.png");
  g_unsetenv ("__EGL_VENDOR_LIBRARY_DIRS");
  cli_assert_refused (fixture, "render p.h5 -o r.png", 1,
                      "no volume can be drawn without a display");
  g_autofree char *path = tl_scratch_path (fixture->folder, "r.png");
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-render/picture", test_picture },
    { "/cli-render/help", test_help },
    { "/cli-render/recipe", test_recipe },
    { "/cli-render/opacity", test_opacity },
    { "/cli-render/values", test_values },
    { "/cli-render/notes", test_notes },
    { "/cli-render/refused", test_refused },
    { "/cli-render/blank", test_blank },
    { "/cli-render/no-driver", test_no_driver },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
