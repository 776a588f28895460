#include "app/recipe/recipe.h"

#include "data/error.h"
#include "tests/app/scratch.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* A value that is not the default, for every key that is saved. */
static const struct
{
  const char *key, *value;
} others[] = {
  { "slice", "512" },
  { "centre", "1023.2512345678" },
  { "tilt", "-0.35" },
  { "half", "on" },
  { "feather", "120.5" },
  { "filter", "shepp-logan" },
  { "cutoff", "0.8" },
  { "butterworth-order", "3" },
  { "method", "fourier" },
  { "interpolation", "nearest" },
  { "kernel", "texture" },
  { "precision", "fast" },
  { "padding", "zero" },
  { "flat-field", "off" },
  { "minus-log", "on" },
  { "zingers", "on" },
  { "zinger-threshold", "0.8" },
  { "phase", "on" },
  { "energy", "22.5" },
  { "distance", "150" },
  { "pixel-size", "0.65" },
  { "delta-beta", "250" },
  { "beam-hardening", "0.125" },
  { "rings", "wavelet" },
  { "ring-size", "31" },
  { "ring-levels", "4" },
  { "ring-sigma", "2.4" },
  { "engine", "host" },
  { "angles", "-88.2:0.1" },
  { "leave-out", "120:135,400" },
  { "projections", "scan_*.tif" },
  { "flats", "ob_*" },
  { "darks", " dc*;\\" },
  { "angles-file", "a b.txt" },
  { "data-path", "/entry2" },
  { "keys-path", "/keys" },
  { "angles-path", "b c.h5:/angles" },
  { "flats-path", "/*[title=ref*];/data" },
  { "darks-path", "../d.h5:/data" },
  { "raw", "61x19x37:uint16be:header=8" },
  { "bin", "4" },
  { "nan", "replace" },
  { "way", "surface" },
  { "azimuth", "-12.5" },
  { "elevation", "90" },
  { "zoom", "3.5" },
  { "perspective", "40" },
  { "look-at", "0.25,1,0" },
  { "colormap", "magma" },
  { "window", "-0.001:0.02" },
  { "transfer", "0.001:0,0.004:0.3,0.01:1" },
  { "threshold", "0.0035" },
  { "clip-box", "0:1,0.25:0.5,0:0.75" },
  { "clip-planes", "0.5,0.5,0.5:1,-1,0/0,0,0.5:0,0,-1" },
};

static void
set_others (TlRecipe *recipe)
{
  for (size_t k = 0; k < G_N_ELEMENTS (others); k++)
    {
      g_autoptr (GError) error = NULL;
      tl_recipe_set (recipe, others[k].key, others[k].value, &error);
      g_assert_no_error (error);
    }
}

static void
assert_others (const TlRecipe *recipe)
{
  for (size_t k = 0; k < G_N_ELEMENTS (others); k++)
    {
      g_autofree char *value = tl_recipe_get (recipe, others[k].key);
      g_assert_cmpstr (value, ==, others[k].value);
    }
}

static void
test_every_key (void)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  size_t n, n_saved = 0;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    n_saved += !keys[k].is_alias;
  g_assert_cmpuint (n_saved, ==, G_N_ELEMENTS (others));

  set_others (recipe);
  assert_others (recipe);
  g_assert_cmpint (recipe->params.filter, ==, TL_FILTER_SHEPP_LOGAN);
  g_assert_cmpint (recipe->params.padding, ==, TL_PADDING_ZERO);
  g_assert_cmpfloat (recipe->params.cutoff, ==, 0.8);
  g_assert_cmpfloat (recipe->angles_deg[0], ==, -88.2);
  for (size_t k = 0; k < n; k++)
    {
      /* what get gives is what set takes, and leads back to the default */
      g_autoptr (GError) error = NULL;
      g_autofree char *value = tl_recipe_get (defaults, keys[k].key);
      tl_recipe_set (recipe, keys[k].key, value, &error);
      g_assert_no_error (error);
    }
  g_autofree char *got = tl_recipe_to_text (recipe, NULL);
  g_autofree char *want = tl_recipe_to_text (defaults, NULL);
  g_assert_cmpstr (got, ==, want);
}

/* Where a change of a value alone begins. */
static void
test_stages (void)
{
  static const struct
  {
    const char *key;
    TlStage stage;
  } stages[] = {
    { "slice", TL_STAGE_UPLOAD },    { "minus-log", TL_STAGE_CORRECT },
    { "phase", TL_STAGE_CORRECT },   { "delta-beta", TL_STAGE_PHASE },
    { "zingers", TL_STAGE_ZINGERS }, { "rings", TL_STAGE_RINGS },
    { "half", TL_STAGE_TRANSFORM },  { "filter", TL_STAGE_FILTER },
  };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  for (size_t k = 0; k < G_N_ELEMENTS (stages); k++)
    {
      const TlParamSpec *key = tl_recipe_find_key (stages[k].key, NULL);
      g_assert_cmpint (tl_recipe_get_stage (recipe, recipe, key, 100), ==,
                       stages[k].stage);
    }
}

/* A recipe takes what the program takes, and no more. */
static void
test_limits (void)
{
  static const double tilts_deg[] = { -TL_TILT_MAX_DEG, TL_TILT_MAX_DEG };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  for (size_t k = 0; k < G_N_ELEMENTS (tilts_deg); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *value = g_strdup_printf ("%g", tilts_deg[k]);
      TlParams params;
      tl_recipe_set (recipe, "tilt", value, &error);
      g_assert_no_error (error);
      tl_params_init (&params, 10);
      params.tilt_deg = recipe->params.tilt_deg;
      g_assert_cmpfloat (params.tilt_deg, ==, tilts_deg[k]);
      g_assert_true (tl_params_check (&params, 10, NULL));
      params.tilt_deg *= 1.01;
      g_assert_false (tl_params_check (&params, 10, NULL));
    }
}

static void
test_bad_values (void)
{
  static const char *const bad[][2] = {
    { "slice", "-1" },
    { "slice", "1.5" },
    { "slice", "" },
    { "centre", "auto" },
    { "centre", "12,5" },
    { "centre", "nan" },
    { "centre", "inf" },
    { "boundary", "x" },
    { "preset", "soft" },
    { "filter", "shepp" },
    { "cutoff", "0" },
    { "cutoff", "1.01" },
    { "cutoff", "nan" },
    { "butterworth-order", "0" },
    { "butterworth-order", "65" },
    { "method", "gridrec" },
    { "interpolation", "Linear" },
    { "kernel", "" },
    { "precision", "half" },
    { "padding", "mirror" },
    { "flat-field", "yes" },
    { "minus-log", "1" },
    { "tilt", "10.5" },
    { "tilt", "-10.5" },
    { "tilt", "nan" },
    { "half", "left" },
    { "feather", "0" },
    { "phase", "auto" },
    { "energy", "0" },
    { "distance", "-1" },
    { "pixel-size", "auto" },
    { "delta-beta", "inf" },
    { "engine", "opencl" },
    { "engine", "cuda:" },
    { "engine", "cuda:-1" },
    { "engine", "cuda1" },
    { "angles", "180" },
    { "angles", "0:90:180" },
    { "angles", "90:90" },
    { "angles", "0:x" },
    { "leave-out", "x" },
    { "leave-out", "1,,2" },
    { "leave-out", "-1" },
    { "leave-out", "5:3" },
    { "leave-out", "1:2:3" },
    { "leave-out", "1.5" },
    { "nan", "zero" },
    { "zingers", "auto" },
    { "zinger-threshold", "0" },
    { "beam-hardening", "-0.1" },
    { "beam-hardening", "11" },
    { "rings", "vo" },
    { "ring-size", "4" },
    { "ring-size", "1" },
    { "ring-levels", "0" },
    { "ring-levels", "2.5" },
    { "ring-sigma", "-1" },
    { "way", "x-ray" },
    { "azimuth", "361" },
    { "elevation", "91" },
    { "zoom", "0" },
    { "perspective", "121" },
    { "look-at", "0.5,0.5" },
    { "look-at", "0.5,0.5,1.1" },
    { "look-at", "0.5,0.5,0.5,0.5" },
    { "look-at", "0.5,0.5,0.5," },
    { "look-at", "0.5:0.5:0.5" },
    { "look-at", "0.5,,0.5" },
    { "colormap", "jet" },
    { "window", "1:1" },
    { "window", "1" },
    { "window", "1:2:3" },
    { "window", "0:nan" },
    { "transfer", "1:0,1:1" },
    { "transfer", "1:1.5" },
    { "transfer", "1:0,2" },
    { "transfer", "1:0:2" },
    { "transfer",
      "1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0,"
      "15:0,16:0,17:0" },
    { "threshold", "-1" },
    { "clip-box", "0:1,0:1" },
    { "clip-box", "0:1,1:0,0:1" },
    { "clip-box", "0:1,0:1,0:2" },
    { "clip-planes", "0.5,0.5,0.5" },
    { "clip-planes", "0.5,0.5,0.5:0,0,0" },
    { "clip-planes", "0.5,0.5,2:0,0,1" },
    { "colour", "red" },
  };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  set_others (recipe);
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (tl_recipe_set (recipe, bad[k][0], bad[k][1], &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, bad[k][0]));
    }
  assert_others (recipe);
}

/* A recipe says how a volume is seen only if that was chosen: recipes and
 * unfinished exports of before stay what they are. */
static void
test_volume_view (void)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autofree char *before = tl_recipe_to_text (recipe, NULL);
  g_assert_null (strstr (before, "azimuth="));
  g_assert_null (strstr (before, "colormap="));
  g_assert_true (tl_recipe_set (recipe, "azimuth", "77", NULL));
  g_autofree char *after = tl_recipe_to_text (recipe, NULL);
  g_assert_nonnull (strstr (after, "azimuth=77\n"));
  g_assert_null (strstr (after, "colormap="));
  /* it runs no stage again */
  g_autoptr (TlRecipe) plain = tl_recipe_new ();
  g_assert_cmpint (tl_recipe_get_stage (plain, recipe,
                                        tl_recipe_find_key ("azimuth", NULL),
                                        100),
                   ==, TL_N_STAGES);
  g_assert_true (tl_recipe_corrects_alike (plain, recipe));
  g_assert_true (tl_recipe_reads_alike (plain, recipe));
}

static void
test_boundary (void)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_assert_true (tl_recipe_set (recipe, "boundary", "31.5", NULL));
  g_assert_cmpfloat (recipe->params.centre_col, ==, 31);
  g_assert_true (tl_recipe_set (recipe, "centre", "31.5", NULL));
  g_autofree char *boundary = tl_recipe_get (recipe, "boundary");
  g_assert_cmpstr (boundary, ==, "32");
  /* no more digits than it takes */
  g_assert_true (tl_recipe_set (recipe, "boundary", "296.1", NULL));
  g_autofree char *centre = tl_recipe_get (recipe, "centre");
  g_assert_cmpstr (centre, ==, "295.6");
  g_assert_true (tl_recipe_set (recipe, "centre", "0.30000000000000004", NULL));
  g_autofree char *long_one = tl_recipe_get (recipe, "centre");
  g_assert_cmpstr (long_one, ==, "0.30000000000000004");
}

/* The values that it stands for, one by one. */
static void
test_preset (void)
{
  static const char *const values[][4] = {
    { "plain", "ramp", "1", "linear" },
    { "sharp", "ramp", "1", "cubic" },
    { "standard", "shepp-logan", "1", "linear" },
    { "smooth", "hann", "0.5", "linear" },
    { "quick", "shepp-logan", "1", "nearest" },
  };
  static const char *const keys[] = { "preset", "filter", "cutoff",
                                      "interpolation" };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  for (size_t k = 0; k < G_N_ELEMENTS (values); k++)
    {
      g_assert_true (tl_recipe_set (recipe, "preset", values[k][0], NULL));
      for (size_t i = 0; i < G_N_ELEMENTS (keys); i++)
        {
          g_autofree char *value = tl_recipe_get (recipe, keys[i]);
          g_assert_cmpstr (value, ==, values[k][i]);
        }
    }
  g_assert_true (tl_recipe_set (recipe, "cutoff", "0.7", NULL));
  g_autofree char *none = tl_recipe_get (recipe, "preset");
  g_assert_cmpstr (none, ==, "");
  g_assert_true (tl_recipe_set (recipe, "preset", none, NULL));
  g_assert_cmpfloat (recipe->params.cutoff, ==, 0.7);
}

static void
test_file (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = tl_scratch_new ();
  g_autofree char *path = tl_scratch_path (folder, "a.ini");
  g_autofree char *scan = tl_scratch_path (folder, "scan ä.h5");
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  set_others (recipe);
  tl_recipe_save (recipe, scan, path, &error);
  g_assert_no_error (error);

  g_autofree char *got_scan = NULL;
  g_autoptr (TlRecipe) got = tl_recipe_load (path, &got_scan, &error);
  g_assert_no_error (error);
  for (size_t k = 0; k < G_N_ELEMENTS (others); k++)
    {
      g_autofree char *value = tl_recipe_get (got, others[k].key);
      g_autofree char *want = tl_recipe_make_absolute (
          tl_recipe_find_key (others[k].key, NULL), others[k].value, NULL);
      g_assert_cmpstr (value, ==, want);
    }
  g_assert_cmpstr (got_scan, ==, scan);
  tl_scratch_free (folder);
}

static void
test_names (void)
{
  g_assert_true (tl_recipe_has_name ("folder/a.tomolens"));
  g_assert_true (tl_recipe_has_name ("recipe.ini"));
  g_assert_false (tl_recipe_has_name ("scan.h5"));
  g_assert_false (tl_recipe_has_name ("a.tomolens/scan.h5"));
}

/* A path in a file that someone wrote by hand is seen from that file. */
static void
test_relative_scan (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = tl_scratch_new ();
  g_autofree char *path = tl_scratch_path (folder, "a.ini");
  g_autofree char *want = tl_scratch_path (folder, "b.h5");
  g_autofree char *scan = NULL;
  g_autofree char *flats = tl_scratch_path (folder, "f.h5:/flats");
  g_autofree char *file = tl_scratch_path (folder, "f.h5");
  g_autofree char *angles = tl_scratch_path (folder, "a.txt");
  g_assert_true (g_file_set_contents (file, "", -1, NULL));
  g_assert_true (g_file_set_contents (
      path,
      "[scan]\npath=b.h5\n[recipe]\ncentre=7\nflats-path=f.h5:/flats\n"
      "darks-path=/darks\nangles-path=none.h5:/a\nangles-file=a.txt\n",
      -1, NULL));
  g_autoptr (TlRecipe) recipe = tl_recipe_load (path, &scan, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (scan, ==, want);
  g_assert_cmpfloat (recipe->params.centre_col, ==, 7);
  g_assert_cmpstr (recipe->flats_path, ==, flats);
  g_assert_cmpstr (recipe->darks_path, ==, "/darks");
  /* it may be beside the scan, if that is another one */
  g_assert_cmpstr (recipe->angles_path, ==, "none.h5:/a");
  g_assert_cmpstr (recipe->angles_file, ==, angles);
  tl_scratch_free (folder);
}

/* "FILE:/path" names a file unless a file has the whole name. */
static void
test_inside (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = tl_scratch_new ();
  g_autofree char *path = tl_scratch_path (folder, "a.ini");
  g_autofree char *scan = tl_scratch_path (folder, "b.h5");
  g_autofree char *named = g_strconcat (scan, ":/entry2", NULL);
  g_autofree char *noted = NULL;
  g_assert_true (g_file_set_contents (scan, "", -1, NULL));
  g_assert_true (g_file_set_contents (
      path, "[scan]\npath=b.h5:/entry2\n[recipe]\nslice=7\n", -1, NULL));
  g_autoptr (TlRecipe) recipe = tl_recipe_load (path, &noted, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (noted, ==, scan);
  g_assert_cmpstr (recipe->data_path, ==, "/entry2");
  g_autofree char *missing = tl_recipe_take_scan (recipe, "none.h5:/x");
  g_assert_cmpstr (missing, ==, "none.h5:/x");
  g_autofree char *plain = tl_recipe_take_scan (recipe, scan);
  g_assert_cmpstr (plain, ==, scan);
  g_assert_cmpstr (recipe->data_path, ==, "/entry2");
  g_autofree char *colon = tl_scratch_path (folder, "b.h5:");
  g_assert_cmpint (g_mkdir (colon, 0700), ==, 0);
  g_assert_true (g_file_set_contents (named, "", -1, NULL));
  g_autofree char *whole = tl_recipe_take_scan (recipe, named);
  g_assert_cmpstr (whole, ==, named);
  tl_scratch_free (folder);
}

static void
test_bad_files (void)
{
  static const struct
  {
    const char *text, *says;
    int code;
  } bad[] = {
    { "[recipe]\ncolour=red\n", "colour", TL_ERROR_VALUE },
    { "[recipe]\nfilter=shepp\n", "filter", TL_ERROR_VALUE },
    { "[scan]\npath=x.h5\n", "recipe", TL_ERROR_FORMAT },
    { "[scan]\npath=x.h5\nflats=y\n[recipe]\n", "flats", TL_ERROR_VALUE },
    { "[recipe]\n[other]\n", "[other]", TL_ERROR_VALUE },
    { "not a key file", "not a recipe", TL_ERROR_FORMAT },
    { "", "not a recipe", TL_ERROR_FORMAT },
  };
  char *folder = tl_scratch_new ();
  g_autofree char *path = tl_scratch_path (folder, "bad.ini");
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (g_file_set_contents (path, bad[k].text, -1, NULL));
      g_assert_null (tl_recipe_load (path, NULL, &error));
      g_assert_error (error, TL_ERROR, bad[k].code);
      g_assert_nonnull (strstr (error->message, bad[k].says));
      g_assert_nonnull (strstr (error->message, "bad.ini"));
    }
  g_autofree char *large = g_strnfill (2 << 20, '\n');
  g_autoptr (GError) too_large = NULL;
  g_assert_true (g_file_set_contents (path, large, -1, NULL));
  g_assert_null (tl_recipe_load (path, NULL, &too_large));
  g_assert_error (too_large, TL_ERROR, TL_ERROR_FORMAT);
  g_assert_nonnull (strstr (too_large->message, "small file"));
  g_autofree char *missing = tl_scratch_path (folder, "none/x.ini");
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_recipe_load (missing, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_clear_error (&error);
  g_assert_false (tl_recipe_save (recipe, NULL, missing, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "x.ini"));
  tl_scratch_free (folder);
}

/* Editors of Windows begin a text file with a byte order mark. */
static void
test_byte_order_mark (void)
{
  char *folder = tl_scratch_new ();
  g_autofree char *path = tl_scratch_path (folder, "marked.ini");
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (
      path, "\357\273\277[recipe]\r\nfilter=hann\r\n", -1, NULL));
  g_autoptr (TlRecipe) recipe = tl_recipe_load (path, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *filter = tl_recipe_get (recipe, "filter");
  g_assert_cmpstr (filter, ==, "hann");
  tl_scratch_free (folder);
}

/* Nobody writes to the pipe: who waited for it would wait for ever. */
static void
test_no_file (void)
{
  char *folder = tl_scratch_new ();
  g_autofree char *pipe = tl_scratch_path (folder, "pipe.ini");
  const char *const paths[] = { pipe, folder, "/dev/zero" };
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  for (size_t k = 0; k < G_N_ELEMENTS (paths); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (tl_recipe_load (paths[k], NULL, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_assert_nonnull (strstr (error->message, "no regular file"));
      g_assert_nonnull (strstr (error->message, paths[k]));
    }
  tl_scratch_free (folder);
}

static void
test_resolve (void)
{
  const TlScanInfo counts = {
    .path = "a/scan.h5", .n_rows = 5, .n_cols = 61, .n_flats = 3
  };
  const TlScanInfo sinogram = {
    .path = "s.tif", .n_rows = 1, .n_cols = 2, .is_attenuation = TRUE
  };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (TlRecipe) other = tl_recipe_new ();
  g_assert_true (tl_recipe_resolve (recipe, &counts, NULL));
  g_assert_cmpfloat (recipe->params.centre_col, ==, 30);
  g_assert_cmpuint (recipe->slice, ==, 2);
  g_assert_true (recipe->params.flat_field && recipe->params.minus_log);
  g_assert_cmpuint (recipe->params.grid.nx, ==, 61);
  g_assert_cmpfloat (recipe->params.grid.x0, ==, -30);

  g_assert_true (tl_recipe_resolve (other, &sinogram, NULL));
  g_assert_cmpfloat (other->params.centre_col, ==, 0.5);
  g_assert_cmpuint (other->slice, ==, 0);
  g_assert_false (other->params.flat_field || other->params.minus_log);
}

/* By the rule: a full turn, and less than a third of the columns on one side;
 * the rule goes on to hold while the centre moves. */
static void
test_half (void)
{
  static const struct
  {
    const char *half, *centre;
    gboolean covers_turn, is_half;
    size_t n;
  } cases[] = {
    { "auto", "12", TRUE, TRUE, 192 },   { "auto", "90", TRUE, TRUE, 192 },
    { "auto", "50", TRUE, FALSE, 101 },  { "auto", "34", TRUE, FALSE, 101 },
    { "auto", "12", FALSE, FALSE, 101 }, { "off", "12", TRUE, FALSE, 101 },
    { "on", "40", TRUE, TRUE, 128 },     { "auto", "11", TRUE, TRUE, 192 },
  };
  TlScanInfo info = { .path = "a/scan.h5", .n_rows = 5, .n_cols = 101 };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (GError) error = NULL;
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      info.covers_turn = cases[k].covers_turn;
      g_assert_true (tl_recipe_set (recipe, "half", cases[k].half, NULL));
      g_assert_true (tl_recipe_set (recipe, "centre", cases[k].centre, NULL));
      g_assert_true (tl_recipe_resolve (recipe, &info, NULL));
      g_assert_cmpint (recipe->params.half, ==, cases[k].is_half);
      g_assert_cmpuint (recipe->params.grid.nx, ==, cases[k].n);
      g_assert_cmpuint (recipe->params.grid.ny, ==, cases[k].n);
      g_autofree char *half = tl_recipe_get (recipe, "half");
      g_assert_cmpstr (half, ==, cases[k].half);
    }
  info.covers_turn = FALSE;
  g_assert_true (tl_recipe_set (recipe, "half", "on", NULL));
  g_assert_false (tl_recipe_resolve (recipe, &info, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_true (
      g_str_has_prefix (error->message, "scan.h5: half acquisition needs"));
}

static void
test_resolve_refuses (void)
{
  static const char *const bad[][3] = {
    { "centre", "61", "61" },
    { "centre", "-1", "-1" },
    { "slice", "5", "slice 5" },
    { "flat-field", "on", "flat" },
  };
  const TlScanInfo info = {
    .path = "a/scan.h5", .n_rows = 5, .n_cols = 61, .n_flats = 0
  };
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TlRecipe) recipe = tl_recipe_new ();
      g_assert_true (tl_recipe_set (recipe, bad[k][0], bad[k][1], NULL));
      g_autofree char *before = tl_recipe_to_text (recipe, NULL);
      g_assert_false (tl_recipe_resolve (recipe, &info, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_true (g_str_has_prefix (error->message, "scan.h5: "));
      g_assert_nonnull (strstr (error->message, bad[k][2]));
      g_autofree char *after = tl_recipe_to_text (recipe, NULL);
      g_assert_cmpstr (before, ==, after);
    }
}

static void
test_forget (void)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  set_others (recipe);
  tl_recipe_forget_scan (recipe);
  g_assert_false (recipe->centre_known || recipe->slice_known
                  || recipe->flat_field_known || recipe->minus_log_known
                  || recipe->has_angles);
  g_assert_null (recipe->flats);
  g_assert_null (recipe->data_path);
  g_assert_cmpint (recipe->params.filter, ==, TL_FILTER_SHEPP_LOGAN);
  g_assert_cmpstr (recipe->engine, ==, "host");
}

/* Other bins mean the same place. */
static void
test_bins (void)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  recipe->bin = 3;
  recipe->slice = 35;
  recipe->params.centre_col = 10;
  recipe->params.phase.pixel_um = 6;
  g_assert_true (tl_recipe_set_bin (recipe, 7, NULL));
  g_assert_cmpuint (recipe->slice, ==, 15);
  g_assert_cmpfloat (recipe->params.centre_col, ==, 4);
  g_assert_cmpfloat (recipe->params.phase.pixel_um, ==, 14);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recipe/every-key", test_every_key);
  g_test_add_func ("/recipe/bad-values", test_bad_values);
  g_test_add_func ("/recipe/inside", test_inside);
  g_test_add_func ("/recipe/limits", test_limits);
  g_test_add_func ("/recipe/stages", test_stages);
  g_test_add_func ("/recipe/volume-view", test_volume_view);
  g_test_add_func ("/recipe/boundary", test_boundary);
  g_test_add_func ("/recipe/preset", test_preset);
  g_test_add_func ("/recipe/file", test_file);
  g_test_add_func ("/recipe/names", test_names);
  g_test_add_func ("/recipe/relative-scan", test_relative_scan);
  g_test_add_func ("/recipe/bad-files", test_bad_files);
  g_test_add_func ("/recipe/byte-order-mark", test_byte_order_mark);
  g_test_add_func ("/recipe/no-file", test_no_file);
  g_test_add_func ("/recipe/resolve", test_resolve);
  g_test_add_func ("/recipe/half", test_half);
  g_test_add_func ("/recipe/resolve-refuses", test_resolve_refuses);
  g_test_add_func ("/recipe/forget", test_forget);
  g_test_add_func ("/recipe/bins", test_bins);
  return g_test_run ();
}
