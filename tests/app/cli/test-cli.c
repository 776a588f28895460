/* tomolens-cli as a process: its output, the files it writes and leaves, and
 * its exit status. */
#include "data/write/writer.h"
#include "gpu/stages/params.h"
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>
#include <sys/wait.h>

static void
test_usage (CliFixture *fixture, gconstpointer data)
{
  static const char *const bad[][2] = {
    { "reckon", "reckon" },
    { "info", "file" },
    { "info a b", "\"b\"" },
    { "info --colour a", "--colour" },
    { "info --machine a", "\"a\"" },
    { "recon --filter shepp a", "filter" },
    { "recon --centre near a", "centre" },
    { "recon --rings vo a", "off, sorting, wavelet" },
    { "recon --ring-size 8 a", "odd" },
    { "recon --slices 5:4 a", "5:4: the first row is after the last" },
    { "bench --engine gpu", "auto, cuda, cuda:N or host" },
    { "recon --slices 1:2:0 a", "1:2:0" },
    { "recon --slice 1 --slices 1:2 a", "not both" },
    { "recon --centre 1 --boundary 2 a", "not both" },
    { "recon --recipe a.ini b.ini", "not both" },
    { "recon --angles 0:0 a", "different" },
    { "recon --center 1 a", "tomolens-cli recon --help" },
    { "recon -o a.PNG a", "--png" },
    { "recon -o a.H5 a", "export writes HDF5" },
    { "recon -o a.nxs a", "export writes HDF5" },
    { "recon -o - --png a", "one picture and nothing else" },
    { "recon -o - --json a", "one picture and nothing else" },
    { "recon -o - --slices 1:2 a", "one picture and nothing else" },
    { "recon -o - --follow a", "one picture and nothing else" },
    { "recon -o - --precision-cost a", "one picture and nothing else" },
    { "recon -o - --format png a", "tiff or npy" },
    { "recon -o a.tiff --format npy a", "files are TIFF" },
    { "export a", "-o" },
    { "export --slice 1 -o b a", "--slices" },
    { "export -o - a", "standard output" },
    { "export --rotate nan -o b a", "--rotate" },
    { "export --rotate=-inf -o b a", "--rotate" },
    { "info --filter hann a", "--filter" },
    { "phantom --size 0 a", "--size" },
    { "phantom --angles 0 a", "--angles" },
    { "thumbnail a", "-o" },
    { "thumbnail a -o b.png --size 1025", "1 to 1024" },
    { "play a", "--to" },
    { "play --to b.h5 a --rate 0", "--rate" },
    { "play --to b.h5 a --rate 1e300", "--rate" },
    { "play --to b.h5 a --rate nan", "--rate" },
    { "play --to b.h5 a --order reverse", "golden" },
    { "play --to b.h5 a --seed -1", "--seed" },
    { "play --to http://b a", "zmq+json://" },
    { "play --to b.h5 a --fields-last --repeat-flats-after", "not both" },
    { "play --to b.h5 a --angle-name image_key", "--angle-name" },
    { "play --to b.h5 a --in-place", "a folder" },
    { "play --to b a --no-swmr", "a file" },
    { "play --to b.tif a", "would be a folder" },
    { "play --to zmq+json+sub://b:1 a", "--publish" },
    { "play --to zmq+tomopackets+rep://b:1 a", "--request" },
    { "play --to b a --request", "zmq+tomopackets" },
    { "play --to tcp://b:1 a --publish", "zmq+json" },
    { "watch", "zmq+tomopackets://" },
    { "recon zmq+json://127.0.0.1:9 -o out.tiff", "recon --follow" },
    { "info zmq+json://127.0.0.1:9", "or look at it with watch" },
    { "watch a b", "\"b\"" },
    { "watch a --timeout nan", "--timeout" },
    { "watch a --scans 0", "--scans" },
    { "watch a --kind white", "\"white\"" },
    { "bench --volume --rows 0", "--rows" },
    { "bench --volume --devices none", "--devices" },
    { "export --devices 0 -o b a", "--devices" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      cli_run (fixture, bad[k][0]);
      cli_assert_refused (fixture, bad[k][0], 2, bad[k][1]);
    }
  cli_run (fixture, "");
  g_assert_cmpint (fixture->status, ==, 2);
}

/* A later entry of the same name would be shown and never reached. */
static void
assert_once (const char *help)
{
  g_autoptr (GHashTable) names =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GRegex) option =
      g_regex_new ("^ +(?:-., )?(--[a-z0-9-]+)", G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_regex_match (option, help, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      char *name = g_match_info_fetch (match, 1);
      if (!g_hash_table_add (names, name))
        g_error ("two options %s in\n%s", name, help);
    }
  g_assert_cmpuint (g_hash_table_size (names), >, 1);
}

static void
test_help (CliFixture *fixture, gconstpointer data)
{
  static const char *const commands[] = { "info",   "centre",  "recon",
                                          "export", "phantom", "play",
                                          "watch",  "bench" };
  cli_run_well (fixture, "--version");
  g_assert_true (g_str_has_prefix (fixture->out, "tomolens-cli "));
  cli_run_well (fixture, "--help");
  for (size_t k = 0; k < G_N_ELEMENTS (commands); k++)
    g_assert_nonnull (strstr (fixture->out, commands[k]));
  for (size_t k = 0; k < G_N_ELEMENTS (commands); k++)
    {
      g_autofree char *line = g_strconcat (commands[k], " --help", NULL);
      cli_run_well (fixture, line);
      g_assert_nonnull (strstr (fixture->out, "--json"));
      assert_once (fixture->out);
    }
  cli_run_well (fixture, "recon --help");
  g_assert_nonnull (strstr (fixture->out, "--boundary"));
  g_assert_nonnull (strstr (fixture->out, "near an edge, see --half"));
  g_assert_nonnull (strstr (fixture->out, "range or part of an export"));
  cli_run_well (fixture, "centre --help");
  g_assert_nonnull (strstr (fixture->out, "try --by overlap"));
}

static void
test_bad_input (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *line, *names, *says;
  } bad[] = {
    { "recon missing.h5 -o out.tiff", "missing.h5", "No such file" },
    { "recon empty -o out.tiff", "empty", "" },
    { "recon shapes -o out.tiff", "shapes", "3 x 9" },
    { "recon zeros -o out.tiff", "zeros", "flat" },
    { "recon nan --slice 1 -o out.tiff", "nan", "--nan replace" },
    { "recon scan.h5 --centre 17 -o out.tiff", "scan.h5", "17" },
    { "recon scan.h5 --slice 5 -o out.tiff", "scan.h5", "slice 5" },
    { "recon scan.h5 --slices 3:5 -o out", "scan.h5", "slice 5" },
    { "recon scan.h5 -o missing/out.tiff", "out.tiff", "folder" },
    { "recon scan.h5 -o out.tiff --engine host --kernel hybrid "
      "--interpolation cubic",
      "no hybrid kernel", "standard" },
    { "recon scan.h5 -o out.tiff --recipe no.ini", "no.ini", "No such file" },
    { "info missing.h5", "missing.h5", "No such file" },
    { "info empty", "empty", "" },
    { "export scan.h5 -o scan.h5", "scan.h5", "" },
    { "recon nan/p000.tiff -o nan/p000.tiff", "p000.tiff", "scan itself" },
    { "recon nan/p000.tiff -o nan/../nan/p000.tiff", "p000", "scan itself" },
    { "recon nan --slice 0 -o nan", "nan", "scan itself" },
    { "export nan -o ./nan/", "nan", "scan itself" },
    { "export scan.h5 --slices 3:5 -o out", "scan.h5", "3 to 5" },
    { "export nan -o out --strict", "nan", "" },
    { "export zeros -o out", "zeros", "flat" },
    { "export scan.h5 --centre -4 -o out", "scan.h5", "-4" },
    { "play missing.h5 --to out", "missing.h5", "No such file" },
    { "play scan.h5 --to scan.h5 --overwrite", "scan.h5", "scan itself" },
    { "play nan --to ./nan --overwrite", "nan", "scan itself" },
    { "play nan --to nan/../ --overwrite", "nan/..", "scan itself" },
    { "play scan.h5 --to missing/out", "missing", "no folder" },
    { "play nan --to scan.h5", "scan.h5", "--overwrite" },
    { "play scan.h5 --to nan", "nan", "--overwrite" },
    { "play scan.h5 --to nan --overwrite", "nan", "p00" },
    { "play scan.h5 --to missing/out.h5", "out.h5", "no folder" },
    { "play scan.h5 --to tcp://a", "\"tcp://a\"", "HOST:PORT" },
    { "play scan.h5 --to zmq+json://a:65536", "a:65536", "65535" },
    { "watch http://a", "http://a", "zmq+tomopackets://" },
    { "watch zmq+tomopackets://a", "\"zmq+tomopackets://a\"", "HOST:PORT" },
    { "phantom missing/a.h5 --size 9", "a.h5", "" },
    { "phantom a.h5 --size 9 --centre 20", "centre", "20" },
  };
  cli_make_phantom (fixture, 7, 5, 17);
  cli_make_bad_scans (fixture);
  g_autofree char *before = tl_scratch_list (fixture->folder);
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      /* a wrong address is a wrong command line */
      const int status = g_str_has_prefix (bad[k].line, "watch ") ? 2 : 1;
      cli_run (fixture, bad[k].line);
      cli_assert_refused (fixture, bad[k].line, status, bad[k].names);
      cli_assert_refused (fixture, bad[k].line, status, bad[k].says);
      g_autofree char *after = tl_scratch_list (fixture->folder);
      g_assert_cmpstr (before, ==, after);
    }
}

/* A projection whose file is damaged is named, and left out. */
static void
test_damaged (CliFixture *fixture, gconstpointer data)
{
  cli_make_bad_scans (fixture);
  cli_run_well (fixture, "recon cut --centre 4 -o a.tiff");
  g_assert_nonnull (strstr (fixture->err, "left out: 3; the first: p003.tiff"));
  cli_run_well (fixture, "recon cut --leave-out 3 --centre 4 -o b.tiff");
  g_assert_null (strstr (fixture->err, "p003.tiff"));
}

/* HDF5 may end a process, and that is not the one that the user started. */
static void
test_damaged_hdf5 (CliFixture *fixture, gconstpointer data)
{
  for (size_t k = 0; k < TL_N_DAMAGED; k++)
    {
      g_autofree char *path = tl_scratch_damaged (fixture->folder, k);
      g_autofree char *line = g_strconcat ("info ", path, NULL);
      cli_run (fixture, line);
      g_test_message ("%d: %s", fixture->status, fixture->err);
      if (fixture->status != 0)
        cli_assert_refused (fixture, line, 1, "copy it again");
    }
}

/* What is left out twice is left out together; other options are single. */
static void
test_repeated (CliFixture *fixture, gconstpointer data)
{
  static const char twice[] = "recon cut --centre 4 --centre 5 -o c.tiff";
  cli_make_bad_scans (fixture);
  cli_run_well (fixture, "recon cut --leave-out 1 --centre 4 -o a.tiff");
  g_assert_nonnull (strstr (fixture->err, "--leave-out 1,3 leaves them out"));
  cli_run_well (fixture, "recon cut --leave-out 3 --leave-out 1 --centre 4 "
                         "-o b.tiff");
  g_assert_nonnull (strstr (fixture->err, "left out: 1,3; "));
  g_assert_null (strstr (fixture->err, "without this note"));
  cli_run (fixture, twice);
  cli_assert_refused (fixture, twice, 2, "--centre is given twice");
}

/* The images are linked from another file, which does not exist. */
static void
test_linked_away (CliFixture *fixture, gconstpointer data)
{
  g_autofree char *path = tl_scratch_shared ("savu-24737-nxtomo/24888.nxs");
  if (path == NULL)
    return;
  g_autofree char *line = g_strdup_printf ("recon '%s' -o out.tiff", path);
  cli_run (fixture, line);
  cli_assert_refused (fixture, line, 1, "24888.nxs");
  cli_assert_refused (fixture, line, 1, "pco1-24888.hdf");
  g_autofree char *after = tl_scratch_list (fixture->folder);
  g_assert_cmpstr (after, ==, "");
}

static void
test_info (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (
      fixture,
      "phantom a.h5 --size 17 --rows 3 --projections 9 --angles 10:100 "
      "--end-point --noise 500 --centre 7.25 --pixel-size 2.5 --seed 3 "
      "--json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "centre"), ==, 7.25);
  cli_run_well (fixture, "info a.h5 --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  static const struct
  {
    const char *key;
    double value;
  } wanted[] = {
    { "projections", 9 },     { "rows", 3 },
    { "columns", 17 },        { "first_deg", 10 },
    { "last_deg", 100 },      { "step_deg", 11.25 },
    { "centre", 8 },          { "boundary", 8.5 },
    { "pixel_size_um", 2.5 }, { "volume", 3. * 17 * 17 * 4 },
    { "saturated", 0 },       { "dead_columns", 0 },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (wanted); k++)
    g_assert_cmpfloat_with_epsilon (
        tl_json_find_number (fixture->out, wanted[k].key), wanted[k].value,
        1e-6);
  cli_run_well (fixture, "info a.h5");
  g_assert_nonnull (strstr (fixture->out, "centre 8.0 (boundary 8.5)"));
  g_assert_nonnull (strstr (fixture->out, "memory  "));
  g_assert_nonnull (strstr (fixture->out,
                            "looked at    9 of 9 projections, 3 of 3 rows: "
                            "nothing saturated, no dead pixels\n"));
  cli_run_well (fixture, "info --machine");
  g_assert_nonnull (strstr (fixture->out, "host"));
  g_assert_nonnull (strstr (fixture->out, "\nZarr: can be opened\nTIFF: can"));
  g_assert_nonnull (strstr (fixture->out, "\nFITS: can"));
  g_assert_nonnull (strstr (fixture->out, "\nZeroMQ: can"));
  cli_run_well (fixture, "info --machine --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_nonnull (strstr (fixture->out, "\"usable\": true"));
  g_assert_nonnull (strstr (fixture->out, "\"device\": "));
  g_assert_nonnull (strstr (fixture->out, "\"name\": \"FITS\""));
  g_assert_nonnull (strstr (fixture->out, "\"name\": \"ZeroMQ\""));
}

/* File names may contain any bytes, but JSON may not. */
static void
test_json_escapes (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 7, 1, 9);
  g_autofree char *from = tl_scratch_path (fixture->folder, "scan.h5");
  g_autofree char *to = tl_scratch_path (fixture->folder, "a\"b\\c\nd\xff.h5");
  g_assert_cmpint (g_rename (from, to), ==, 0);
  cli_run_well (fixture, "info --json 'a\"b\\c\nd\xff.h5'");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_nonnull (strstr (fixture->out, "a\\\"b\\\\c\\u000ad"));
}

static void
test_recon (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "recon scan.h5 --engine host --slice 3 --centre 7.5 "
                         "--filter hann -o a.tiff --png");
  cli_run_well (fixture, "recon scan.h5 --slice 3 --recipe a.ini -o b.tiff");
  cli_run_well (fixture, "recon scan.h5 --slice 3 --boundary 8 --filter hann "
                         "--engine host -o c.tiff");
  cli_run_well (fixture, "recon scan.h5 --recipe a.ini --slices 1:3:2 -o d");
  cli_run_well (fixture, "recon scan.h5 --recipe a.ini");
  cli_run_well (fixture, "export scan.h5 --recipe a.ini -o e --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "slices"), ==, 5);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "devices"), ==, 1);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "limit_share"), >, 0);
  cli_assert_same_files (fixture, "a.tiff", "b.tiff");
  cli_assert_same_files (fixture, "a.tiff", "c.tiff");
  cli_assert_same_files (fixture, "a.tiff", "d/recon_00003.tiff");
  cli_assert_same_files (fixture, "a.tiff", "recon_00003.tiff");
  cli_assert_same_pixels (fixture, "a.tiff", "e/recon_00003.tiff");
  g_autofree char *d = tl_scratch_path (fixture->folder, "d");
  g_autofree char *names = tl_scratch_list (d);
  g_assert_cmpstr (names, ==,
                   "recipe.ini\nrecon_00001.tiff\nrecon_00003.tiff\n");
  size_t length;
  g_autofree char *png = cli_read_file (fixture, "a.png", &length);
  g_assert_cmpmem (png, 4, "\x89PNG", 4);
}

/* On the host engine, fast precision is as accurate as full. */
static void
test_precision_cost (CliFixture *fixture, gconstpointer data)
{
  float *map;
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "recon scan.h5 --engine host -o a.tiff --overwrite");
  cli_run_well (fixture, "recon scan.h5 --engine host --slices 2:3 --png "
                         "--precision-cost -o d");
  g_assert_nonnull (
      strstr (fixture->out,
              "d/recon_00003.error.tiff: fast precision has no error here"));
  g_autofree char *d = tl_scratch_path (fixture->folder, "d");
  g_autofree char *names = tl_scratch_list (d);
  g_assert_cmpstr (names, ==,
                   "recipe.ini\nrecon_00002.error.png\nrecon_00002.error.tiff"
                   "\nrecon_00002.png\nrecon_00002.tiff\n"
                   "recon_00003.error.png\nrecon_00003.error.tiff\n"
                   "recon_00003.png\nrecon_00003.tiff\n");
  cli_assert_same_files (fixture, "a.tiff", "d/recon_00002.tiff");
  g_autofree char *path = tl_scratch_path (d, "recon_00002.error.tiff");
  map = tl_scratch_read_tiff (path, 17 * 17);
  for (size_t i = 0; i < 17 * 17; i++)
    g_assert_cmpfloat (map[i], ==, 0);
  g_free (map);
  cli_run_well (fixture, "recon scan.h5 --engine host --precision fast "
                         "--precision-cost --json -o b.tiff");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "relative_l2"), ==, 0);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "standard_deviation"),
                     >, 0);
  g_assert_nonnull (strstr (fixture->out, "\"b.error.tiff\""));
}

/* The scan is never overwritten; nothing at all is written then. */
static void
test_precision_cost_on_scan (CliFixture *fixture, gconstpointer data)
{
  static const char line[] =
      "recon a.error.tiff --engine host --precision-cost -o a.tiff --overwrite";
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.error.tiff");
  float pixels[5 * 8];
  for (size_t k = 0; k < G_N_ELEMENTS (pixels); k++)
    pixels[k] = 0.5f;
  g_assert_true (tl_write_tiff (path, pixels, 5, 8, NULL, NULL));
  cli_run (fixture, line);
  cli_assert_refused (fixture, line, 1, "scan itself");
  g_autofree char *names = tl_scratch_list (fixture->folder);
  g_assert_cmpstr (names, ==, "a.error.tiff\n");
}

/* Paths in an HDF5 file: in the name of the scan, as options, in a recipe. */
static void
test_paths (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal refusals[] = {
    { "info scan.h5:/none", 1, "there is no scan at /none" },
    { "info scan.h5 --data-path /exchange/theta", 1, "1 dimensions" },
    { "info scan.h5:/exchange --data-path /exchange/data", 2, "not both" },
    { "info none.h5:/exchange", 1, "none.h5:/exchange: cannot be opened" },
    { "info scan.h5 --flats-path none.h5:/a", 1, "no such file" },
  };
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "recon scan.h5 --engine host -o plain.tiff");
  cli_run_well (fixture, "recon scan.h5:/exchange --engine host -o a.tiff");
  cli_assert_same_pixels (fixture, "a.tiff", "plain.tiff");
  cli_run_well (fixture, "recon scan.h5:/exchange/data --engine host -o b.tiff "
                         "--flats-path scan.h5:/exchange/data_white");
  cli_assert_same_pixels (fixture, "b.tiff", "plain.tiff");
  g_autofree char *path = tl_scratch_path (fixture->folder, "scan.h5");
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  g_autofree char *by_uri =
      g_strdup_printf ("recon %s:/exchange --engine host -o u.tiff", uri);
  cli_run_well (fixture, by_uri);
  cli_assert_same_pixels (fixture, "u.tiff", "plain.tiff");
  /* a file beside the scan */
  g_autofree char *sub = tl_scratch_path (fixture->folder, "sub");
  g_assert_cmpint (g_mkdir (sub, 0700), ==, 0);
  g_free (tl_scratch_phantom (sub, "scan.h5", 13, 5, 17));
  g_free (tl_scratch_phantom (sub, "flats.h5", 13, 5, 17));
  cli_run_well (fixture, "recon sub/scan.h5:/exchange/data --engine host "
                         "--flats-path flats.h5:/exchange/data_white "
                         "-o c.tiff");
  cli_assert_same_pixels (fixture, "c.tiff", "plain.tiff");
  cli_run_well (fixture, "export scan.h5:/exchange/data --engine host "
                         "--darks-path /exchange/data_dark -o v");
  g_autofree char *recipe = cli_read_file (fixture, "v/recipe.ini", NULL);
  g_assert_nonnull (strstr (recipe, "/scan.h5\n"));
  g_assert_nonnull (strstr (recipe, "\ndata-path=/exchange/data\n"));
  g_assert_nonnull (strstr (recipe, "\ndarks-path=/exchange/data_dark\n"));
  cli_run_well (fixture, "info scan.h5:/exchange/data_dark --json");
  g_assert_nonnull (strstr (fixture->out, "\"format\": \"HDF5\""));
  cli_run_refused (fixture, refusals, G_N_ELEMENTS (refusals));
}

/* Writes a Zarr group with the array run/camera, 2 x 3 x 4 of uint8. */
static void
write_zarr (CliFixture *fixture)
{
  static const struct
  {
    const char *path, *text;
  } files[] = {
    { "z.zarr/.zgroup", "{\"zarr_format\": 2}" },
    { "z.zarr/run/.zgroup", "{\"zarr_format\": 2}" },
    { "z.zarr/run/camera/.zarray",
      "{\"zarr_format\": 2, \"shape\": [2, 3, 4], \"chunks\": [2, 3, 4], "
      "\"dtype\": \"|u1\", \"compressor\": null, \"fill_value\": 0, "
      "\"order\": \"C\", \"filters\": null}" },
    { "z.zarr/run/camera/0.0.0", "abcdefghijklmnopqrstuvwx" },
  };
  g_autofree char *array =
      g_build_filename (fixture->folder, "z.zarr/run/camera", NULL);
  g_assert_cmpint (g_mkdir_with_parents (array, 0700), ==, 0);
  for (size_t k = 0; k < G_N_ELEMENTS (files); k++)
    {
      g_autofree char *path =
          g_build_filename (fixture->folder, files[k].path, NULL);
      g_assert_true (g_file_set_contents (path, files[k].text, -1, NULL));
    }
}

/* An array of a Zarr folder: in the name of the scan, and as an option. */
static void
test_zarr (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal refusals[] = {
    { "info z.zarr", 1, "say which it is with --data-path: /run/camera" },
    { "info z.zarr:/run/none", 1, "no array at /run/none" },
    { "info z.zarr:/run/camera --keys-path run/keys", 1,
      "image keys have no meaning; leave --keys-path out" },
  };
  cli_run_well (fixture, "info --machine");
  if (strstr (fixture->out, "\nZarr: can be opened\n") == NULL)
    {
      g_test_skip ("this build cannot read Zarr");
      return;
    }
  write_zarr (fixture);
  cli_run_refused (fixture, refusals, G_N_ELEMENTS (refusals));
  cli_run_well (fixture, "info z.zarr:/run/camera");
  g_assert_nonnull (strstr (fixture->out, "2 of 3 rows x 4 columns, uint8"));
  cli_run_well (fixture, "info z.zarr --data-path run/camera");
  g_assert_nonnull (strstr (fixture->out, "2 of 3 rows x 4 columns, uint8"));
  /* a chunk written again in place changes no folder, but the scan */
  static const char resume[] = "export z.zarr:/run/camera -o v --resume";
  const struct utimbuf later = { 2000000000, 2000000000 };
  g_autofree char *chunk =
      g_build_filename (fixture->folder, "z.zarr/run/camera/0.0.0", NULL);
  cli_run_well (fixture, "export z.zarr:/run/camera -o v");
  cli_run_well (fixture, resume);
  g_assert_nonnull (strstr (fixture->out, "is whole"));
  g_assert_cmpint (g_utime (chunk, &later), ==, 0);
  cli_run (fixture, resume);
  cli_assert_refused (fixture, resume, 1, "what differs: date of the scan");
}

/* Raw samples: their layout as an option, in a recipe, and what is refused. */
static void
test_raw (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal refusals[] = {
    { "info scan.bin", 1, "raw samples are opened with their shape and type" },
    { "info scan.bin --raw 17x5x14:float32le", 1,
      "has 4432 bytes, but 14 images of 17 x 5 pixels, float32, need 4760; "
      "--raw 17x5x13:float32le:header=12 would fit\n" },
    { "info scan.bin --raw 4x4x277:float32be", 1,
      "need 17728; --raw 4x4x277:uint8 would fit\n" },
    { "info scan.bin --raw 4x4x9:uint16be", 1,
      "need 288; --raw 4x4x138:uint16be:header=16 would fit\n" },
    { "info scan.bin --raw 277x4x3:float32be", 1,
      "need 13296; --raw 277x4x1:float32be would fit\n" },
    { "info scan.bin --raw 99x99:uint16le", 1, "uint16, need 19602\n" },
    { "info raw --raw 4x4:uint8", 1,
      "raw: which of its files are raw samples is not said: set --projections "
      "*.dat, if they are such as a.dat\n" },
    { "info raw --raw 4x4x2:uint8 --projections *.dat", 1,
      "a.dat: the file has 16 bytes, but 2 images of 4 x 4 pixels, uint8, need "
      "32; --raw 4x4x1:uint8 would fit\n" },
    { "info scan.bin --raw 17x5x13", 1, "\"17x5x13\" does not say" },
  };
  g_autofree char *path = g_build_filename (fixture->folder, "scan.bin", NULL);
  float samples[13 * 5 * 17 + 3];
  for (size_t k = 0; k < G_N_ELEMENTS (samples); k++)
    samples[k] = (float)(k % 97) / 97;
  g_assert_true (
      g_file_set_contents (path, (const char *)samples, sizeof samples, NULL));
  g_autofree char *folder = tl_scratch_path (fixture->folder, "raw");
  g_autofree char *image = g_build_filename (folder, "a.dat", NULL);
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  g_assert_true (g_file_set_contents (image, "sixteen samples.", 16, NULL));
  cli_run_refused (fixture, refusals, G_N_ELEMENTS (refusals));
  cli_run_well (fixture, "info scan.bin --raw 17x5x13:float32le:header=12");
  g_assert_nonnull (strstr (fixture->out, "raw stack"));
  cli_run_well (fixture, "export scan.bin --engine host -o v "
                         "--raw 17x5x13:float32le:header=12");
  g_autofree char *recipe = cli_read_file (fixture, "v/recipe.ini", NULL);
  g_assert_nonnull (strstr (recipe, "\nraw=17x5x13:float32le:header=12\n"));
  cli_run_well (fixture, "recon --recipe v/recipe.ini scan.bin --engine host "
                         "-o again.tiff");
  cli_run_well (fixture, "recon scan.bin --engine host -o plain.tiff "
                         "--raw 17x5x13:float32le:header=12");
  cli_assert_same_pixels (fixture, "again.tiff", "plain.tiff");
}

/* All interpolations work, and no two give the same slice. */
static void
test_interpolations (CliFixture *fixture, gconstpointer data)
{
  char *slices[TL_N_INTERPOLATIONS];
  size_t n[TL_N_INTERPOLATIONS];
  cli_make_phantom (fixture, 13, 5, 17);
  for (int k = 0; k < TL_N_INTERPOLATIONS; k++)
    {
      g_autofree char *line =
          g_strdup_printf ("recon scan.h5 --engine host --interpolation %s -o "
                           "a.tiff --overwrite",
                           tl_interpolation_names[k]);
      cli_run_well (fixture, line);
      slices[k] = cli_read_file (fixture, "a.tiff", &n[k]);
      for (int other = 0; other < k; other++)
        g_assert_false (n[k] == n[other]
                        && memcmp (slices[k], slices[other], n[k]) == 0);
    }
  for (int k = 0; k < TL_N_INTERPOLATIONS; k++)
    g_free (slices[k]);
}

static void
test_timing (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 13, 5, 17);
  cli_run_well (fixture, "recon scan.h5 -o a.tiff --overwrite --timing");
  g_assert_nonnull (strstr (fixture->out, "first slice, total"));
  g_assert_nonnull (strstr (fixture->out, "peak memory"));
  g_assert_null (strstr (fixture->out, "comparing precisions"));
  cli_run_well (
      fixture, "recon scan.h5 -o a.tiff --overwrite --timing --precision-cost");
  g_assert_nonnull (strstr (fixture->out, "comparing precisions"));
  /* The slice was read, not taken from memory. */
  cli_run_well (fixture,
                "recon scan.h5 -o a.tiff --overwrite --json --precision-cost");
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "read_ms"), >, 0);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "compare_ms"), >, 0);
  cli_run_well (fixture, "recon scan.h5 -o a.tiff --overwrite --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "first_slice_ms"), >,
                     0);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "peak_bytes"), >, 1e6);
}

/* A limit on the size of files makes a write fail like a full disk. */
static void
test_full_disk (CliFixture *fixture, gconstpointer data)
{
  static const char *const lines[][2] = {
    { "recon scan.h5 -o a.tiff --overwrite", "a.tiff" },
    { "export scan.h5 -o out", "recon_0000" },
    { "phantom a.h5 --size 64 --rows 4", "a.h5" },
  };
  cli_make_phantom (fixture, 7, 3, 64);
  g_autofree char *before = tl_scratch_list (fixture->folder);
  for (size_t k = 0; k < G_N_ELEMENTS (lines); k++)
    {
      cli_run_limited (fixture, lines[k][0], 8000);
      cli_assert_refused (fixture, lines[k][0], 1, lines[k][1]);
      g_autofree char *after = tl_scratch_list (fixture->folder);
      g_assert_cmpstr (before, ==, after);
    }
}

static void
test_full_output (CliFixture *fixture, gconstpointer data)
{
  static const char line[] = "\"$0\" info --machine >/dev/full";
  char *args[] = { "sh", "-c", (char *)line, TL_CLI_PATH, NULL };
  g_assert_true (g_spawn_sync (NULL, args, NULL, G_SPAWN_SEARCH_PATH, NULL,
                               NULL, &fixture->out, &fixture->err,
                               &fixture->status, NULL));
  fixture->status = WEXITSTATUS (fixture->status);
  cli_assert_refused (fixture, line, 1, "standard output");
}

/* Nothing that exists is replaced without --overwrite, also not what is beside
 * the file that was named, and what a link points to is never written to. */
static void
test_nothing_lost (CliFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a.tiff",          "a.ini",
                                       "a.png",           "a.error.tiff",
                                       "made.h5",         "sweep.svg",
                                       "c/candidates.png" };
  static const char *const lines[] = {
    "recon scan.h5 -o a.tiff --png --precision-cost",
    "phantom made.h5 --size 9 --projections 5",
    "bench --engine host --plot sweep.svg --sizes 32",
    "centre scan.h5 --candidates 3 --around 8 -o c",
  };
  g_autofree char *notes = tl_scratch_path (fixture->folder, "notes");
  g_autofree char *folder = tl_scratch_path (fixture->folder, "c");
  cli_make_phantom (fixture, 13, 3, 17);
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  g_assert_true (g_file_set_contents (notes, "mine", -1, NULL));
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *path = tl_scratch_path (fixture->folder, names[k]);
      const size_t line = k < 4 ? 0 : k - 3;
      g_assert_cmpint (symlink (notes, path), ==, 0);
      cli_run (fixture, lines[line]);
      cli_assert_refused (fixture, lines[line], 1, "--overwrite");
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_autofree char *tiff = tl_scratch_path (fixture->folder, "a.tiff");
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "a.ini");
  g_assert_cmpint (g_mkdir (recipe, 0777), ==, 0);
  cli_run (fixture, "recon scan.h5 -o a.tiff --overwrite");
  cli_assert_refused (fixture, "a folder", 1, "a.ini: this is a folder");
  g_assert_false (g_file_test (tiff, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_rmdir (recipe), ==, 0);
  g_assert_cmpint (symlink (notes, tiff), ==, 0);
  g_assert_cmpint (symlink (notes, recipe), ==, 0);
  cli_run_well (fixture, "recon scan.h5 -o a.tiff --overwrite");
  g_assert_false (g_file_test (tiff, G_FILE_TEST_IS_SYMLINK));
  g_assert_false (g_file_test (recipe, G_FILE_TEST_IS_SYMLINK));
  size_t length;
  g_autofree char *text = cli_read_file (fixture, "notes", &length);
  g_assert_cmpmem (text, length, "mine", 4);
}

/* What cannot be written at the end is refused before the start. */
static void
test_bad_places (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "export scan.h5 -o link", 1, "link: this is a link" },
    { "export scan.h5 -o link --overwrite", 1, "link: this is a link" },
    { "export scan.h5 -o link/", 1, "link: this is a link" },
    { "export scan.h5 -o mine.h5/", 1, "mine.h5" },
    { "export scan.h5 -o dangling", 1, "dangling: this is a link" },
  };
  g_autofree char *folder = tl_scratch_path (fixture->folder, "folder");
  g_autofree char *link = tl_scratch_path (fixture->folder, "link");
  g_autofree char *dangling = tl_scratch_path (fixture->folder, "dangling");
  cli_make_phantom (fixture, 13, 3, 17);
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  g_autofree char *mine = tl_scratch_path (fixture->folder, "mine.h5");
  g_assert_true (g_file_set_contents (mine, "mine", -1, NULL));
  g_assert_cmpint (symlink (folder, link), ==, 0);
  g_assert_cmpint (symlink ("nowhere", dangling), ==, 0);
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  g_autofree char *longest = g_strnfill (242, 'n');
  g_autofree char *line = g_strdup_printf ("export scan.h5 -o %s", longest);
  cli_run_well (fixture, line);
  g_autofree char *longer = g_strconcat (line, "nn", NULL);
  cli_run (fixture, longer);
  cli_assert_refused (fixture, longer, 1, "2 bytes too long");
}

/* A copy of the program loads no module that lies beside it. */
static void
test_module_elsewhere (CliFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) from = g_file_new_for_path (TL_CLI_PATH);
  g_autofree char *bin = tl_scratch_path (fixture->folder, "app");
  g_autofree char *copy = g_build_filename (bin, "tomolens-cli", NULL);
  g_autoptr (GFile) to = g_file_new_for_path (copy);
  g_autofree char *module_folder =
      tl_scratch_path (fixture->folder, "gpu/cuda");
  g_autofree char *module =
      g_build_filename (module_folder, "tomolens-cuda.so", NULL);
  g_autofree char *err = NULL;
  char *args[] = { copy, "recon", "scan.h5", "--engine", "cuda", NULL };
  g_auto (GStrv) variables =
      g_environ_unsetenv (g_get_environ (), "TOMOLENS_MODULE_DIR");
  cli_make_phantom (fixture, 13, 3, 17);
  g_assert_cmpint (g_mkdir (bin, 0777), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (module_folder, 0777), ==, 0);
  g_assert_true (g_file_set_contents (module, "no module", -1, NULL));
  g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_spawn_sync (fixture->folder, args, variables, G_SPAWN_DEFAULT, NULL, NULL,
                NULL, &err, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (err, "module"));
  g_assert_null (strstr (err, fixture->folder));
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli/usage", test_usage },
    { "/cli/help", test_help },
    { "/cli/module-elsewhere", test_module_elsewhere },
    { "/cli/nothing-lost", test_nothing_lost },
    { "/cli/bad-places", test_bad_places },
    { "/cli/bad-input", test_bad_input },
    { "/cli/damaged", test_damaged },
    { "/cli/damaged-hdf5", test_damaged_hdf5 },
    { "/cli/repeated", test_repeated },
    { "/cli/linked-away", test_linked_away },
    { "/cli/info", test_info },
    { "/cli/json-escapes", test_json_escapes },
    { "/cli/recon", test_recon },
    { "/cli/precision-cost", test_precision_cost },
    { "/cli/precision-cost-on-scan", test_precision_cost_on_scan },
    { "/cli/interpolations", test_interpolations },
    { "/cli/paths", test_paths },
    { "/cli/raw", test_raw },
    { "/cli/zarr", test_zarr },
    { "/cli/timing", test_timing },
    { "/cli/full-disk", test_full_disk },
    { "/cli/full-output", test_full_output },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
