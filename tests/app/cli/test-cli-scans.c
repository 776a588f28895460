/* tomolens-cli: how a scan is named, the notes on it, and where slices are
 * written. */
#include "data/write/writer.h"
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static guint
count (const char *text, const char *word)
{
  guint n = 0;
  for (const char *at = text; (at = strstr (at, word)) != NULL; at++)
    n++;
  return n;
}

/* Every command that makes a slice prints each assumption, once. */
static void
test_notes (CliFixture *fixture, gconstpointer data)
{
  static const char *const lines[] = {
    "recon sino_000.tiff -o a.tiff --overwrite",
    "recon sino_000.tiff -o a.tiff --overwrite --json",
    "export sino_000.tiff -o b", "export sino_000.tiff -o c --json"
  };
  tl_scratch_images (fixture->folder, "sino_", 1, 9, 17, 0.5f);
  for (size_t k = 0; k < G_N_ELEMENTS (lines); k++)
    {
      const gboolean json = strstr (lines[k], "--json") != NULL;
      cli_run_well (fixture, lines[k]);
      g_assert_cmpuint (count (fixture->err, "note: no angles found"), ==, 1);
      g_assert_cmpuint (count (fixture->err, "note: no flat fields"), ==, 1);
      g_assert_cmpuint (count (fixture->err, "note: centre not given"), ==, 1);
      g_assert_nonnull (strstr (fixture->err, "--centre auto looks for"));
      g_assert_cmpuint (count (fixture->out, "no angles found"), ==, json);
      g_assert_nonnull (
          strstr (fixture->out, json ? "\"boundary\": 8.5" : "(boundary 8.5)"));
    }
  g_assert_nonnull (strstr (fixture->err, "exporting 1 slice with"));
  cli_run_well (
      fixture,
      "recon sino_000.tiff --angles 0:160 --centre 8 -o a.tiff --overwrite");
  g_assert_null (strstr (fixture->err, "angles found"));
  g_assert_null (strstr (fixture->err, "not given"));
  cli_run_well (fixture, "info sino_000.tiff");
  g_assert_nonnull (strstr (fixture->out, "9 of 1 row x 17 columns"));
}

/* A command that is refused is not announced. */
static void
test_not_announced (CliFixture *fixture, gconstpointer data)
{
  static const char *const bad[][2] = {
    { "export scan.h5 --engine host -o a --slices 3:9", "the slices 0 to 4" },
    { "export scan.h5 --engine host -o a --kernel texture", "texture" },
    { "export scan.h5 --engine host -o a --devices 2", "2 devices" },
  };
  cli_make_phantom (fixture, 13, 5, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      cli_run (fixture, bad[k][0]);
      cli_assert_refused (fixture, bad[k][0], 1, bad[k][1]);
      g_assert_null (strstr (fixture->err, "exporting"));
    }
}

/* A recipe names its scan, so it can be given in place of the scan. */
static void
test_recipe_as_file (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture,
                "recon scan.h5 --slice 3 --centre 7.5 -o a.tiff --overwrite");
  cli_run_well (fixture, "recon a.ini -o b.tiff --overwrite");
  cli_run_well (fixture, "recon --recipe a.ini -o c.tiff");
  cli_run_well (fixture, "recon a.ini --slice 4 -o d.tiff");
  g_assert_nonnull (strstr (fixture->out, "slice 4"));
  cli_run_well (fixture, "export a.ini --slices 3 -o e");
  cli_assert_same_files (fixture, "a.tiff", "b.tiff");
  cli_assert_same_files (fixture, "a.tiff", "c.tiff");
  cli_assert_same_pixels (fixture, "a.tiff", "e/recon_00003.tiff");
  cli_run_well (fixture, "info a.ini");
  g_assert_nonnull (strstr (fixture->out, "13 of 5 rows"));

  g_autofree char *large = tl_scratch_path (fixture->folder, "large.ini");
  g_assert_true (g_file_set_contents (large, "[recipe]\nslice=40\n", -1, NULL));
  cli_run (fixture, "recon large.ini -o f.tiff");
  cli_assert_refused (fixture, "large.ini", 1, "does not name its scan");
  cli_run (fixture, "recon scan.h5 --recipe large.ini -o f.tiff");
  cli_assert_refused (fixture, "scan.h5 large.ini", 1,
                      "--slice chooses another");
  cli_run_well (fixture,
                "recon scan.h5 --recipe large.ini --slice 2 -o f.tiff");
  cli_run_well (fixture, "export scan.h5 --recipe large.ini -o g");
}

/* Each row is corrected on its own, however many rows are processed
 * together. */
static void
test_corrections (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 31, 6, 40);
  for (int k = 0; k < 2; k++)
    {
      const char *way = k == 0 ? "sorting" : "wavelet";
      g_autofree char *recon = g_strdup_printf (
          "recon scan.h5 --slice 4 --centre 19.2 --rings %s --ring-size 5 "
          "--ring-levels 2 --beam-hardening 0.25 --zingers on "
          "--zinger-threshold 0.1 -o %d.tiff",
          way, k);
      g_autofree char *again =
          g_strdup_printf ("recon %d.ini -o a.tiff --overwrite", k);
      g_autofree char *export = g_strdup_printf ("export %d.ini -o %d", k, k);
      g_autofree char *one = g_strdup_printf ("%d.tiff", k);
      g_autofree char *row = g_strdup_printf ("%d/recon_00004.tiff", k);
      cli_run_well (fixture, recon);
      cli_run_well (fixture, again);
      cli_run_well (fixture, export);
      cli_assert_same_files (fixture, one, "a.tiff");
      cli_assert_same_pixels (fixture, one, row);
    }
  cli_run_well (fixture,
                "recon 0.ini --rings off --timing -o b.tiff --overwrite");
  g_assert_nonnull (strstr (fixture->out, "rings"));
  cli_run_well (fixture, "recon 0.ini --beam-hardening 0 -o c.tiff");
  size_t with_length, without_length;
  g_autofree char *with = cli_read_file (fixture, "0.tiff", &with_length);
  g_autofree char *without = cli_read_file (fixture, "c.tiff", &without_length);
  g_assert_cmpuint (with_length, ==, without_length);
  g_assert_cmpint (memcmp (with, without, with_length), !=, 0);
}

/* A tilted axis near an edge: the phantom is created and described, and
 * recipe and export give the same slice. */
static void
test_axis (CliFixture *fixture, gconstpointer data)
{
  static const char centre[] = "--centre 35 --tilt 4";
  cli_run_well (fixture, "phantom scan.h5 --size 41 --rows 15 --projections 31 "
                         "--half right --tilt 4 --noise 0");
  g_assert_nonnull (strstr (fixture->out, "0 … 360 degrees, centre 35 "));
  g_assert_nonnull (strstr (fixture->out, ", half acquisition, tilt 4 deg"));
  g_autofree char *recon = g_strdup_printf (
      "recon scan.h5 --slice 4 %s -o a.tiff --overwrite", centre);
  g_autofree char *json = g_strconcat (recon, " --json", NULL);
  cli_run_well (fixture, recon);
  g_assert_nonnull (strstr (fixture->out, "slice 4, 80 x 80 pixels, centre 35 "
                                          "(boundary 35.5), tilt 4 degrees, "
                                          "half acquisition, "));
  cli_run_well (fixture, json);
  g_assert_nonnull (strstr (fixture->out, "\"half\": true"));
  cli_run_well (fixture, "recon a.ini -o b.tiff --overwrite");
  cli_run_well (fixture, "export a.ini -o out");
  g_assert_nonnull (strstr (fixture->out, "half acquisition"));
  cli_assert_same_files (fixture, "a.tiff", "b.tiff");
  cli_assert_same_pixels (fixture, "a.tiff", "out/recon_00004.tiff");

  g_assert_nonnull (
      strstr (fixture->err, "only slices 0 to 12 lie on the detector"));
  cli_run_well (fixture, "recon a.ini --slice 3 -o b.tiff --overwrite");
  g_assert_null (strstr (fixture->err, "lie on"));
  cli_run (fixture, "recon scan.h5 --centre 35,5");
  cli_assert_refused (fixture, "comma", 2, "; use a point: 35.5");
  static const char *const ranges[] = { "0,180", "0-180", "0..180", "0;180" };
  for (size_t k = 0; k < G_N_ELEMENTS (ranges); k++)
    {
      g_autofree char *line =
          g_strdup_printf ("info scan.h5 --angles=%s", ranges[k]);
      cli_run (fixture, line);
      cli_assert_refused (fixture, "angles", 2, "; use a colon: 0:180");
    }
  cli_run (fixture, "recon scan.h5 --center 35");
  cli_assert_refused (fixture, "center", 2, "it is spelt --centre; see ");

  cli_run (fixture, "phantom c.h5 --size 9 --half top");
  cli_assert_refused (fixture, "half of a phantom", 2, "left or right");
  cli_run (fixture, "phantom c.h5 --size 9 --half left --angles 0:180");
  cli_assert_refused (fixture, "half a turn of a phantom", 2, "a full turn");
  cli_run (fixture, "phantom c.h5 --size 9 --noise nan");
  cli_assert_refused (fixture, "noise of a phantom", 1, "noise of nan photons");
  cli_run (fixture, "phantom c.h5 --size 9 --pixel-size -2");
  cli_assert_refused (fixture, "pixels of a phantom", 1, "size of -2");
  cli_run (fixture, "phantom c.h5 --size 9 --seed -3");
  cli_assert_refused (fixture, "seed of a phantom", 2, "at least 0, not -3");
  cli_run (fixture, "phantom c.h5 --size 9 --tilt 11");
  cli_assert_refused (fixture, "tilt of a phantom", 1, "a tilt of 11 degrees");
  cli_run (fixture, "recon scan.h5 --tilt 11");
  cli_assert_refused (fixture, "tilt", 2, "tilt");
  cli_run (fixture, "recon scan.h5 --angles 0:180 --half on");
  cli_assert_refused (fixture, "half a turn", 1, "needs projections over a");
}

/* A volume is replaced as a whole, if the user says so, and a folder with other
 * files never. */
static void
test_export_again (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "export scan.h5 --centre 7.5 --slices 0:2 -o out");
  size_t length;
  g_autofree char *recipe = cli_read_file (fixture, "out/recipe.ini", &length);
  cli_run (fixture, "export scan.h5 --centre 7.25 --slices 1:4 -o out");
  cli_assert_refused (fixture, "other centre", 1, "out holds 3 slices");
  cli_assert_refused (fixture, "other centre", 1, "Centre 7.5 → 7.25");
  cli_assert_refused (fixture, "other slices", 1,
                      "options --slices 0:2 --format tiff → --slices 1:4");
  cli_assert_refused (fixture, "other centre", 1, "--overwrite");
  g_autofree char *after = cli_read_file (fixture, "out/recipe.ini", &length);
  g_assert_cmpstr (recipe, ==, after);
  cli_run_well (fixture,
                "export scan.h5 --centre 7 --slices 1:4:2 -o out --overwrite");
  g_autofree char *out = tl_scratch_path (fixture->folder, "out");
  g_autofree char *names = tl_scratch_list (out);
  g_assert_cmpstr (names, ==,
                   "recipe.ini\nrecon_00001.tiff\nrecon_00003.tiff\n"
                   "volume.json\n");
  cli_run_well (fixture,
                "recon out/recipe.ini -o a.tiff --overwrite --slice 3");
  cli_assert_same_pixels (fixture, "a.tiff", "out/recon_00003.tiff");

  g_autofree char *whole = cli_read_file (fixture, "out/recipe.ini", &length);
  cli_run (fixture, "recon scan.h5 --slices 3:3 -o out --overwrite");
  cli_assert_refused (fixture, "its folder", 1, "holds an exported volume");
  cli_run (fixture, "recon scan.h5 -o out/recon_00003.tiff --overwrite");
  cli_assert_refused (fixture, "its slice", 1, "holds an exported volume");
  cli_run (fixture, "centre scan.h5 --candidates 1 --around 8 -o out");
  cli_assert_refused (fixture, "candidates", 1, "holds an exported volume");
  cli_run_well (fixture, "export scan.h5 --centre 7 -o v.zarr");
  cli_run (fixture, "recon scan.h5 --slices 3:3 -o v.zarr");
  cli_assert_refused (fixture, "Zarr", 1, "holds an exported volume");
  cli_run (fixture, "recon scan.h5 --slices 3:3 -o v.zarr/0/0");
  cli_assert_refused (fixture, "deep", 1, "v.zarr holds an exported volume");
  cli_run (fixture, "export scan.h5 -o x --log v.zarr/0/0/log");
  cli_assert_refused (fixture, "log", 1, "v.zarr holds an exported volume");
  cli_run (fixture, "export scan.h5 -o scan.h5/volume");
  cli_assert_refused (fixture, "in a file", 1,
                      "a folder in its path is a file");
  cli_run_well (fixture, "export scan.h5 --engine host -o v.tif");
  cli_run (fixture, "recon scan.h5 --engine host -o v.tif --overwrite");
  cli_assert_refused (fixture, "one file", 1, "an exported volume is there");
  cli_run (fixture, "export scan.h5 -o out/sub/inner");
  cli_assert_refused (fixture, "inside", 1, "out is an exported volume, into");
  cli_run (fixture, "export scan.h5 -o v.zarr/0/inner.h5");
  cli_assert_refused (fixture, "inside", 1, "v.zarr is an exported volume, in");
  cli_run_well (fixture, "export scan.h5 --format bigtiff -o v.tiff");
  cli_run (fixture, "recon scan.h5 --engine host -o v.tiff --overwrite");
  cli_assert_refused (fixture, "its suffix", 1, "an exported volume is there");
  cli_run_well (fixture, "export scan.h5 --format hdf5 -o v.hdf5");
  cli_run (fixture, "phantom v.hdf5 --size 9 --overwrite");
  cli_assert_refused (fixture, "phantom", 1, "an exported volume is there");
  cli_run_well (fixture, "export scan.h5 -o v.raw");
  cli_run (fixture, "phantom v.nhdr --size 9 --overwrite");
  cli_assert_refused (fixture, "other file", 1, "this is no phantom that");
  g_autofree char *kept = cli_read_file (fixture, "out/recipe.ini", &length);
  g_assert_cmpstr (whole, ==, kept);
  cli_assert_same_pixels (fixture, "a.tiff", "out/recon_00003.tiff");

  tl_scratch_images (out, "projection_", 1, 9, 17, 0.5f);
  cli_run (fixture, "export scan.h5 -o out --overwrite");
  cli_assert_refused (fixture, "other files", 1, "projection_000.tiff");
  cli_run (fixture, "export scan.h5 -o scan.h5 --overwrite");
  cli_assert_refused (fixture, "the scan", 1, "scan itself");
}

/* What another program has made is not replaced, whatever its name is; what an
 * export has made is. */
static void
test_export_over (CliFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "v.h5",  "v.nxs",  "v.tif",
                                       "v.raw", "v.zarr", "v" };
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "export scan.h5 --centre 7.5 -o other");
  cli_run_well (fixture, "phantom v.h5 --size 9 --rows 2");
  cli_run_well (fixture, "recon scan.h5 --slice 1 --centre 7.5 -o v.tiff");
  g_autofree char *slice = tl_scratch_path (fixture->folder, "v.tiff");
  g_autofree char *pages = tl_scratch_path (fixture->folder, "v.tif");
  g_assert_cmpint (g_rename (slice, pages), ==, 0);
  static const char *const made[][2] = {
    { "v.nxs", "\211HDF\r\n\032\n" },
    { "v.raw", "samples" },
    { "v.nhdr", "NRRD0005\nprogram:=Other\n" },
    { "v.zarr/.zgroup", "{\"zarr_format\": 2}" },
    { "v.zarr/.zattrs", "{\"multiscales\": []}" },
    { "v/recon_00000.tiff", "an image" },
    { "v/recipe.ini", "[recipe]\ncentre=7\n" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (made); k++)
    {
      g_autofree char *path = tl_scratch_path (fixture->folder, made[k][0]);
      g_autofree char *folder = g_path_get_dirname (path);
      g_mkdir_with_parents (folder, 0777);
      g_assert_true (g_file_set_contents (path, made[k][1], -1, NULL));
    }
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *line = g_strdup_printf (
          "export scan.h5 --centre 7.5 -o %s --overwrite", names[k]);
      cli_run (fixture, line);
      cli_assert_refused (fixture, line, 1, "no export has made");
      g_autofree char *good =
          g_strdup_printf ("export scan.h5 --centre 7.5 -o good/%s", names[k]);
      g_autofree char *again = g_strconcat (good, " --overwrite", NULL);
      cli_run_well (fixture, good);
      cli_run_well (fixture, again);
    }
}

/* What is left of a damaged volume is replaced with consent, if it says that an
 * export has made it. A stack without its recipe is known by its metadata. */
static void
test_export_over_damaged (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *volume, *file;
    /* (nullable): why it is not replaced; %NULL: it is */
    const char *says_of_empty, *says_of_half;
  } cases[] = {
    { "v", "v/recon_00002.tiff", NULL, NULL },
    { "v.tif", "v.tif", "too damaged to tell", NULL },
    { "v.raw", "v.raw", NULL, "of an export was damaged" },
    { "v.h5", "v.h5", "too damaged to tell", "too damaged to tell" },
    { "v.zarr", "v.zarr/.zattrs", "too damaged to tell", NULL },
  };
  g_autoptr (GError) error = NULL;
  size_t n, n_after;
  cli_make_phantom (fixture, 13, 4, 32);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      const char *const says[] = { cases[k].says_of_empty,
                                   cases[k].says_of_half };
      g_autofree char *line = g_strdup_printf (
          "export scan.h5 --centre 7.5 -o %s", cases[k].volume);
      g_autofree char *agreed = g_strconcat (line, " --overwrite", NULL);
      g_autofree char *path = tl_scratch_path (fixture->folder, cases[k].file);
      cli_run_well (fixture, line);
      g_autofree char *good = cli_read_file (fixture, cases[k].file, &n);
      for (size_t i = 0; i < G_N_ELEMENTS (says); i++)
        {
          g_assert_true (
              g_file_set_contents (path, good, (gssize)(i * n / 2), &error));
          cli_run (fixture, line);
          cli_assert_refused (fixture, line, 1,
                              says[i] != NULL ? says[i] : "say --overwrite");
          cli_run (fixture, agreed);
          if (says[i] != NULL)
            cli_assert_refused (fixture, agreed, 1, says[i]);
          g_autofree char *after =
              cli_read_file (fixture, cases[k].file, &n_after);
          if (says[i] == NULL)
            g_assert_cmpmem (after, n_after, good, n);
        }
      g_assert_true (g_file_set_contents (path, good, (gssize)n, &error));
      cli_run_well (fixture, agreed);
    }
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "v/recipe.ini");
  g_assert_cmpint (g_unlink (recipe), ==, 0);
  cli_run (fixture, "export scan.h5 --centre 7.5 -o v --resume");
  cli_assert_refused (fixture, "no recipe", 1,
                      "; its recipe is missing or damaged; say --overwrite");
  cli_run_well (fixture, "export scan.h5 --centre 7.5 -o v --overwrite");
  /* raw volumes of earlier versions have no checksums */
  g_autofree char *header = cli_read_file (fixture, "v.nhdr", &n);
  g_autofree char *header_path = tl_scratch_path (fixture->folder, "v.nhdr");
  char *sums = strstr (header, "slice_crc32:=");
  g_assert_nonnull (sums);
  *sums = '\0';
  g_assert_true (g_file_set_contents (header_path, header, -1, &error));
  cli_run_well (fixture, "export scan.h5 --centre 7.5 -o v.raw --overwrite");
}

/* An image in the folder of a scan would be one of the scan. */
static void
test_image_in_scan (CliFixture *fixture, gconstpointer data)
{
  cli_make_bad_scans (fixture);
  cli_run (fixture, "export nan -o nan/v.tif --slices 0");
  cli_assert_refused (fixture, "in the scan", 1, "this folder is the scan");
  cli_run_well (fixture, "export nan -o nan/v.h5 --slices 0");
}

/* A slice that cannot be made is named and NaN, and the others are there. */
static void
test_export_bad_slice (CliFixture *fixture, gconstpointer data)
{
  cli_make_bad_scans (fixture);
  g_autofree char *out = tl_scratch_path (fixture->folder, "out");
  cli_run (fixture, "export nan -o out --strict");
  cli_assert_refused (fixture, "strict", 1, "nan");
  g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
  cli_run (fixture, "export nan -o out");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err,
                            "1 of 3 rows could not be made, and is NaN: slice "
                            "1 cannot be made: nan: 1 sample"));
  cli_run (fixture, "export nan -o out --resume");
  cli_assert_refused (fixture, "resumed", 1,
                      "1 of 3 rows could not be made, and is NaN: slice 1 "
                      "cannot be made: nan: 1 sample");
  cli_run (fixture, "export nan -o out --resume --overwrite");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "3 slices to ")); /* tried again */
  cli_run (fixture, "export nan -o out.tif --sample uint8 --range 0:1");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "could not be made, and is 0: "));
  for (int part = 1; part <= 2; part++)
    {
      g_autofree char *stack =
          g_strdup_printf ("export nan -o joined --part %d/2", part);
      g_autofree char *file =
          g_strdup_printf ("export nan -o joined.h5 --part %d/2", part);
      cli_run (fixture, stack);
      cli_run (fixture, file);
    }
  cli_run_well (fixture, "export nan -o joined.h5 --join 2");
  cli_run (fixture, "export nan -o joined.h5 --resume");
  cli_assert_refused (fixture, "joined", 1, "1 of 3 rows could not be made");
  cli_run_well (fixture, "export nan -o joined --join 2");
  cli_run (fixture, "export nan -o joined --resume");
  cli_assert_refused (fixture, "joined", 1, "1 of 3 rows could not be made");
  /* more failures than HDF5 has room for their lines */
  g_autofree char *many = tl_scratch_path (fixture->folder, "many");
  g_autofree char *bad = tl_scratch_path (many, "p002.tiff");
  g_autofree float *rows = g_new (float, 100 * 8);
  for (size_t k = 0; k < 100 * 8; k++)
    rows[k] = k / 8 % 50 < 20 ? 0.5f : NAN; /* a block is made */
  g_assert_cmpint (g_mkdir (many, 0777), ==, 0);
  tl_scratch_images (many, "p", 5, 100, 8, 0.5f);
  g_assert_true (tl_write_tiff (bad, rows, 100, 8, NULL, NULL));
  cli_run (fixture, "export many -o many.h5 --part 1/2");
  cli_run (fixture, "export many -o many.h5 --part 2/2");
  cli_run_well (fixture, "export many -o many.h5 --join 2");
  cli_run (fixture, "export many -o many.h5 --resume");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "60 of 100 rows could not be made"));
  cli_run (fixture, "export nan -o out.raw --log log");
  size_t n_bytes;
  g_autofree char *log = cli_read_file (fixture, "log", &n_bytes);
  g_assert_nonnull (strstr (log, "tomolens-cli export "));
  g_assert_nonnull (strstr (log, " slice 1 cannot be made: nan: 1 sample"));
  g_assert_nonnull (strstr (log, " 3 slices to "));
  g_autofree char *bytes = cli_read_file (fixture, "out.raw", &n_bytes);
  const float *pixels = (const float *)(gpointer)bytes;
  const size_t n = n_bytes / sizeof (float);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpint (!!isnan (pixels[i]), ==, i / (n / 3) == 1);

  float two[3 * 8]; /* rows have no number */
  for (size_t k = 0; k < G_N_ELEMENTS (two); k++)
    two[k] = k < 16 ? NAN : 0.5f;
  g_autofree char *path = tl_scratch_path (fixture->folder, "nan/p002.tiff");
  g_assert_true (tl_write_tiff (path, two, 3, 8, NULL, NULL));
  cli_run (fixture, "export nan -o several --nan replace");
  g_assert_nonnull (strstr (fixture->err, "warning: slice 1 cannot be made"));
  g_assert_nonnull (strstr (fixture->err, "--leave-out 2"));
  g_assert_null (strstr (fixture->err, "leave-out="));
}

/* Room is checked before anything is read, so the bad sample in the scan is
 * not the error reported. Nothing can be written into /proc. */
static void
test_no_room (CliFixture *fixture, gconstpointer data)
{
  static const char line[] = "export nan -o /proc/volume";
  cli_make_bad_scans (fixture);
  cli_run (fixture, line);
  cli_assert_refused (fixture, line, 1,
                      "/proc/volume: cannot be written: this place belongs to "
                      "the system and keeps no files; choose another folder");
}

/* The recipe next to several slices makes one of them. If slices of other
 * parameters are replaced, a note says so. */
static void
test_recon_replaces (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 7, 5, 17);
  cli_run_well (fixture, "recon scan.h5 --slices 1:4:3 -o out");
  cli_run_well (fixture, "recon out/recipe.ini -o a.tiff --overwrite");
  cli_assert_same_pixels (fixture, "a.tiff", "out/recon_00001.tiff");
  cli_run_well (fixture, "recon out/recipe.ini -o a.tiff --overwrite");
  g_assert_null (strstr (fixture->err, "replaced"));
  cli_run_well (fixture,
                "recon scan.h5 --slice 1 --filter hann -o a.tiff --overwrite");
  g_assert_nonnull (strstr (fixture->err, "a.tiff: an earlier picture and its "
                                          "recipe were replaced; these "));
  cli_make_bad_scans (fixture);
  cli_run (fixture, "recon nan -o a.tiff --overwrite");
  g_assert_null (strstr (fixture->err, "replaced"));
}

static void
test_nan_replaced (CliFixture *fixture, gconstpointer data)
{
  cli_make_bad_scans (fixture);
  cli_run_well (
      fixture,
      "recon nan --slice 1 --nan replace -o a.tiff --overwrite --json");
  g_assert_true (isfinite (tl_json_find_number (fixture->out, "mean")));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "replaced_samples"), ==,
                     1);
  cli_run_well (fixture, "export nan --nan replace -o b");
  g_assert_nonnull (strstr (fixture->out, ", 1 NaN or infinite sample"));
}

static void
test_dead_pixels (CliFixture *fixture, gconstpointer data)
{
  float pixels[3 * 8];
  for (size_t k = 0; k < G_N_ELEMENTS (pixels); k++)
    pixels[k] = k == 11 ? 0 : 1;
  g_autofree char *flat = tl_scratch_path (fixture->folder, "flat_0.tiff");
  g_assert_true (tl_write_tiff (flat, pixels, 3, 8, NULL, NULL));
  tl_scratch_images (fixture->folder, "p", 5, 3, 8, 0.5f);
  cli_run_well (fixture, "recon . --slice 1 -o slices");
  g_assert_nonnull (strstr (fixture->out, ", 1 dead pixel mended\n"));
  cli_run_well (fixture, "recon . --slice 0 -o slices --overwrite");
  g_assert_null (strstr (fixture->out, "dead"));
  cli_run_well (fixture, "recon . --plane xz:3 -o xz.tiff");
  g_assert_nonnull (strstr (fixture->out, ", 1 dead pixel mended\n"));
  cli_run_well (fixture, "recon . --plane xy:2 -o xy.tiff");
  g_assert_null (strstr (fixture->out, "dead"));
  cli_run_well (fixture, "export . -o volume --json");
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "dead_pixels"), ==, 1);
}

static void
test_phase (CliFixture *fixture, gconstpointer data)
{
  static const char values[] = "--energy 20 --distance 20 --delta-beta 30";
  cli_make_phantom (fixture, 13, 25, 33);
  cli_run (fixture,
           "recon scan.h5 --phase on --energy 0 -o a.tiff --overwrite");
  cli_assert_refused (fixture, "energy 0", 2, "a number of keV above 0");
  cli_run (fixture,
           "recon scan.h5 --phase on --energy 20 -o a.tiff --overwrite");
  cli_assert_refused (fixture, "no distance", 1,
                      "needs the distance from object to detector in mm "
                      "(--distance MM), delta over beta of the material "
                      "(--delta-beta RATIO), ");

  g_autofree char *on = g_strconcat (
      "recon scan.h5 -o a.tiff --overwrite --phase on ", values, NULL);
  g_autofree char *off = g_strconcat (
      "recon scan.h5 -o b.tiff --overwrite --phase off ", values, NULL);
  cli_run_well (fixture, on);
  cli_run_well (fixture, off);
  cli_run_well (fixture, "recon b.ini --phase on -o c.tiff");
  cli_assert_same_files (fixture, "a.tiff", "c.tiff");
  cli_run_well (fixture, "export a.ini --slices 12 -o d");
  cli_assert_same_pixels (fixture, "a.tiff", "d/recon_00012.tiff");
  cli_run_well (fixture, "recon a.ini --phase off -o e.tiff");
  cli_assert_same_files (fixture, "b.tiff", "e.tiff");
}

/* Writes a scan of a saturated 12-bit camera with dead columns 3 and 4. */
static void
write_full (CliFixture *fixture, const char *name, guint seed)
{
  enum
  {
    N_ROWS = 5,
    N_COLS = 60
  };
  float pixels[N_ROWS * N_COLS];
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  for (guint i = 0; i < N_ROWS * N_COLS; i++)
    pixels[i] = i % N_COLS == 3 || i % N_COLS == 4
                    ? 7
                    : MIN (3000 + 17.f * ((i * 37 + seed * 101) % 97), 4095);
  g_assert_true (
      tl_write_tiff (path, pixels, N_ROWS, N_COLS, "counts", &error));
}

/* The pixel size of a scan does not go into another scan's recipe; one that
 * was given as an option does. */
static void
test_pixel_size (CliFixture *fixture, gconstpointer data)
{
  static const char *const scans[] = { "1", "2" };
  for (size_t k = 0; k < G_N_ELEMENTS (scans); k++)
    {
      g_autofree char *line =
          g_strdup_printf ("phantom made%s.h5 --size 32 --rows 3 "
                           "--pixel-size %s",
                           scans[k], scans[k]);
      cli_run_well (fixture, line);
    }
  cli_run_well (fixture, "recon made1.h5 --phase on --energy 20 --distance 40 "
                         "--delta-beta 50 -o a.tiff");
  cli_run_well (fixture, "recon made2.h5 --phase on --energy 20 --distance 40 "
                         "--delta-beta 50 -o b.tiff");
  cli_run_well (fixture, "recon made2.h5 --recipe a.ini -o c.tiff");
  cli_assert_same_files (fixture, "b.tiff", "c.tiff");
  cli_run_well (fixture,
                "recon made1.h5 --recipe a.ini --pixel-size 2 -o d.tiff");
  cli_run_well (fixture, "recon made1.h5 --recipe d.ini -o e.tiff");
  cli_assert_same_files (fixture, "d.tiff", "e.tiff");
  cli_assert_same_files (fixture, "d.ini", "e.ini");
  g_autofree char *scans_own = cli_read_file (fixture, "c.ini", NULL);
  g_autofree char *said = cli_read_file (fixture, "e.ini", NULL);
  g_assert_null (strstr (scans_own, "pixel-size"));
  g_assert_nonnull (strstr (said, "pixel-size=2\n"));
}

static void
test_odd (CliFixture *fixture, gconstpointer data)
{
  for (guint k = 0; k < 9; k++)
    {
      g_autofree char *name = g_strdup_printf ("p_%u.tiff", k);
      write_full (fixture, name, k);
    }
  cli_run_well (fixture, "info .");
  g_assert_nonnull (strstr (fixture->out, "note         saturated: "));
  g_assert_nonnull (strstr (fixture->out,
                            "in 9 of 9 projections are 4095, where the values "
                            "end abruptly; the first in projection 0, "));
  g_assert_nonnull (strstr (fixture->out, "dead columns: 2 of 60, 3 to 4; "));
  g_assert_null (strstr (fixture->out, "dead pixel"));
  cli_run_well (fixture, "info . --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "dead_columns"), ==, 2);
}

/* White spots in the flats are counted. */
static void
test_spots (CliFixture *fixture, gconstpointer data)
{
  float pixels[5 * 60];
  g_autoptr (GError) error = NULL;
  for (guint k = 0; k < 3; k++)
    {
      g_autofree char *name = g_strdup_printf ("p_%u.tiff", k);
      g_autofree char *flat = g_strdup_printf ("flat_%u.tiff", k);
      g_autofree char *path = tl_scratch_path (fixture->folder, flat);
      write_full (fixture, name, k);
      for (guint i = 0; i < G_N_ELEMENTS (pixels); i++)
        pixels[i] = 5000 + (float)((i * 37 + k * 101) % 97);
      pixels[100 + k] = 9000;
      g_assert_true (tl_write_tiff (path, pixels, 5, 60, "counts", &error));
    }
  cli_run_well (fixture, "info .");
  g_assert_nonnull (strstr (
      fixture->out, "note         zingers: 3 values in the 300 pixels of flat "
                    "and dark fields looked at, left out of the means\n"));
  cli_run_well (fixture, "info . --json");
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "zingers"), ==, 3);
}

/* Notes on options that have no effect, and on options with another unit. */
static void
test_said_in_vain (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "recon scan.h5 --energy 20 -o a.tiff --overwrite");
  g_assert_nonnull (strstr (fixture->err, "phase retrieval, which is off: "));
  cli_run_well (fixture, "recon scan.h5 -o a.tiff --overwrite --flats 'ob_*'");
  g_assert_null (strstr (fixture->err, "phase"));
  g_assert_nonnull (strstr (fixture->err, "are not used: an HDF5 or Zarr"));
  cli_run (fixture, "recon scan.h5 --energy 20000");
  cli_assert_refused (fixture, "eV", 2, "up to 1000 (20000 eV are 20 keV)");
  cli_run (fixture, "recon scan.h5 --recipe scan.h5");
  cli_assert_refused (fixture, "no recipe", 1, "is a text file");
  cli_run (fixture, "recon scan.h5 -o /proc/x.tiff");
  cli_assert_refused (fixture, "no folder", 1, "x.tiff: cannot be written: ");
  g_assert_null (strstr (fixture->err, "not there"));
  cli_run (fixture, "phantom scan.h5 --size 9");
  cli_assert_refused (fixture, "there already", 1, "--overwrite");
  cli_run_well (fixture, "phantom scan.h5 --size 9 --overwrite");
  cli_run_well (fixture, "bench interactive --help");
  g_assert_nonnull (strstr (fixture->out, " interactive [SCAN]"));
  cli_run_well (fixture, "recon --help");
  g_assert_nonnull (
      strstr (fixture->out, "the middle slice, those of --slice"));
}

/* The recipe is the same for all slices, whichever were exported. */
static void
test_export_recipe (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "export scan.h5 --slices 1:2 -o part");
  cli_run_well (fixture, "export part/recipe.ini -o all");
  g_autofree char *all = tl_scratch_path (fixture->folder, "all");
  g_autofree char *names = tl_scratch_list (all);
  g_assert_nonnull (strstr (names, "recon_00004.tiff"));
}

/* The size of images that cannot be read is not known. */
static void
test_unreadable_group (CliFixture *fixture, gconstpointer data)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, "broken.tif");
  tl_scratch_images (fixture->folder, "p_", 5, 3, 17, 0.5f);
  g_assert_true (g_file_set_contents (path, "no image", -1, NULL));
  cli_run_well (fixture, "info .");
  g_assert_nonnull (
      strstr (fixture->out,
              "images       broken.tif: 1 that cannot be read, left out\n"));
}

/* Without flat fields -log is off, and no output claims that it was applied. */
static void
test_minus_log (CliFixture *fixture, gconstpointer data)
{
  tl_scratch_images (fixture->folder, "p_", 5, 3, 17, 0.5f);
  cli_run_well (fixture, "recon . --minus-log on -o a.tiff --overwrite");
  g_assert_nonnull (strstr (fixture->err, "unless -log is switched on"));
  g_assert_null (strstr (fixture->err, "already"));
}

/* Steps are those between neighbours, in whatever order they were taken. */
static void
test_angles (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *angles, *says;
  } cases[] = {
    { "0\n1\n2\n3\n4\n", "0° to 4°, step 1° (" },
    { "8\n6\n4\n2\n0\n", "8° to 0°, step 2° (" },
    { "0\n3\n1\n4\n2\n", "0° to 4° in no order, step 1° (" },
    { "0\n90\n45\n135\n50\n", "0° to 135° in no order, steps of 5° to 45° (" },
  };
  cli_make_phantom (fixture, 5, 3, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *path = tl_scratch_path (fixture->folder, "list");
      g_file_set_contents (path, cases[k].angles, -1, NULL);
      cli_run_well (fixture, "info scan.h5 --angles-file list");
      g_assert_nonnull (strstr (fixture->out, cases[k].says));
    }
  cli_run_well (fixture, "info scan.h5 --angles-file list --json");
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "step_deg"), ==, 33.75);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "narrowest_step_deg"),
                     ==, 5);
}

/* Images of other kinds in a folder of projections change neither angles nor
 * axis nor slices; the patterns that info prints do what they say. */
static void
test_decoys (CliFixture *fixture, gconstpointer data)
{
  static const char *const says[] = {
    "projections  60 of 8 rows x 96 columns, uint16\n",
    "angles       0° to 177°, step 3° (assumed",
    "images       align_#.tif: 3 of 8 x 96, left out\n",
    "images       closed/#.tif: 10 of 8 x 96, left out\n",
    "images       flat_#.tif: 20 of 8 x 96, flats\n",
    "images       overview_#.tif: 4 of 4 x 48, left out\n",
    "images       proj_#.tif: 60 of 8 x 96, projections\n",
    "images       proj_#_bb.tif: 12 of 8 x 96, left out\n",
  };
  cli_make_phantom (fixture, 60, 8, 96);
  g_autofree char *scan = tl_scratch_path (fixture->folder, "scan.h5");
  g_autofree char *decoys = tl_scratch_decoys (fixture->folder, scan);
  if (decoys == NULL)
    return;
  cli_run_well (fixture, "info decoys");
  for (size_t k = 0; k < G_N_ELEMENTS (says); k++)
    g_assert_nonnull (strstr (fixture->out, says[k]));
  g_assert_nonnull (strstr (
      fixture->out,
      "note         29 image files are left out: align_#.tif (3), "
      "closed/#.tif (10), overview_#.tif (4), proj_#_bb.tif (12); to "
      "use them, give such names to --projections, --flats or --darks"));
  cli_run (fixture, "info decoys --flats *.tif --darks closed/*");
  g_assert_cmpint (fixture->status, ==, 1);
  g_assert_nonnull (strstr (fixture->err,
                            "decoys: by their names all images in it, 109, are "
                            "flats or darks; name those that are not with "
                            "--projections, as 'p_#.tif'\n"));
  cli_run_well (fixture, "info decoys --json --darks closed/#.tif");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpuint (count (fixture->out, "\"kind\": \"left out\""), ==, 3);
  g_assert_cmpuint (count (fixture->out, "\"kind\": \"darks\""), ==, 1);
  cli_run_well (fixture, "centre scan.h5 --json");
  const double centre = tl_json_find_number (fixture->out, "centre");
  cli_run_well (fixture, "centre decoys --json --darks closed/#.tif");
  g_assert_cmpfloat_with_epsilon (tl_json_find_number (fixture->out, "centre"),
                                  centre, 1e-6);
  cli_run_well (fixture, "recon scan.h5 --slice 3 --centre 47 -o a.tiff");
  cli_run_well (fixture, "recon decoys --slice 3 --centre 47 -o b.tiff "
                         "--darks closed/#.tif --angles 0:177");
  cli_assert_same_pixels (fixture, "a.tiff", "b.tiff");
  cli_run_well (fixture, "info decoys/proj_0007.tif");
  g_assert_nonnull (strstr (fixture->out,
                            "it is one of 60 images proj_#.tif in the folder "
                            "decoys: open the folder, "));
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli/notes", test_notes },
    { "/cli/not-announced", test_not_announced },
    { "/cli/recipe-as-file", test_recipe_as_file },
    { "/cli/corrections", test_corrections },
    { "/cli/axis", test_axis },
    { "/cli/export-again", test_export_again },
    { "/cli/export-over", test_export_over },
    { "/cli/export-over-damaged", test_export_over_damaged },
    { "/cli/image-in-scan", test_image_in_scan },
    { "/cli/export-bad-slice", test_export_bad_slice },
    { "/cli/no-room", test_no_room },
    { "/cli/recon-replaces", test_recon_replaces },
    { "/cli/nan-replaced", test_nan_replaced },
    { "/cli/dead-pixels", test_dead_pixels },
    { "/cli/phase", test_phase },
    { "/cli/pixel-size", test_pixel_size },
    { "/cli/odd", test_odd },
    { "/cli/spots", test_spots },
    { "/cli/said-in-vain", test_said_in_vain },
    { "/cli/export-recipe", test_export_recipe },
    { "/cli/minus-log", test_minus_log },
    { "/cli/angles", test_angles },
    { "/cli/decoys", test_decoys },
    { "/cli/unreadable-group", test_unreadable_group },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
