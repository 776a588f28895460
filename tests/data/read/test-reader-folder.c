/* Tests which scan the reader finds in a folder. */
#include "tests/data/read/scan-files.h"

#include "data/error.h"
#include "data/read/format/contents.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int n_asked; /* how often a file was asked what it is */

gboolean __wrap_g_file_test (const char *path, GFileTest test);
gboolean __real_g_file_test (const char *path, GFileTest test);

gboolean
__wrap_g_file_test (const char *path, GFileTest test)
{
  n_asked++;
  return __real_g_file_test (path, test);
}

/* If a folder has nothing but scans, the reader must not simply take the
 * largest. */
static void
test_folder_of_scans (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TlReaderOptions options = { .flats = "two/*" };
  folder_write_numbered (folder, "flats/f", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "one/p", 7, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "two/p", 3, 5, TL_SAMPLE_U16);
  assert_refuses (folder, "", NULL, TL_ERROR_LAYOUT,
                  "*several scans: one, two; open one of them");
  g_autoptr (TlReader) named = assert_opens (folder, "", &options);
  g_assert_cmpuint (tl_reader_get_info (named)->n_projections, ==, 7);
  g_assert_cmpuint (tl_reader_get_info (named)->n_flats, ==, 3);
  g_assert_false (has_note (named, "*not used*"));
  g_autoptr (TlReader) one = assert_opens (folder, "one", NULL);
  g_assert_cmpuint (tl_reader_get_info (one)->n_projections, ==, 7);
  g_assert_cmpuint (tl_reader_get_info (one)->n_flats, ==, 2);
}

/* A picture beside the scans does not make them parts of one. */
static void
test_folder_of_scans_and_picture (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "picture", 1, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "one/p", 7, 1, TL_SAMPLE_U16);
  g_autoptr (TlReader) one = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (one)->n_projections, ==, 7);
  folder_write_numbered (folder, "two/p", 3, 5, TL_SAMPLE_U16);
  assert_refuses (folder, "", NULL, TL_ERROR_LAYOUT,
                  "*several scans: one, two; open one of them");
}

/* Opening a pipe would wait for somebody who writes to it. */
static void
test_pipes (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *pipe = folder_path (folder, "p_07.tif");
  folder_write_numbered (folder, "p", 7, 1, TL_SAMPLE_U16);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 7);
}

static void
test_folder_of_formats (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "one/p", 7, 1, TL_SAMPLE_U16);
  folder_write_text (folder, "two/scan.NXS", "");
  assert_refuses (folder, "", NULL, TL_ERROR_LAYOUT,
                  "*several scans: one, two; open one of them");
}

/* A scan whose images lie one folder deeper also counts as a scan. */
static void
test_folder_of_deep_scans (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "one/tiffs/p", 3, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "one/flat", 2, 19, TL_SAMPLE_U16);
  g_autoptr (TlReader) only = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (only)->n_projections, ==, 3);
  g_assert_cmpuint (tl_reader_get_info (only)->n_flats, ==, 2);
  g_assert_true (g_str_has_suffix (tl_reader_get_info (only)->path, "/one"));
  g_assert_true (has_note (only, "opened one, the only scan in *"));
  folder_write_numbered (folder, "two/p", 7, 1, TL_SAMPLE_U16);
  folder_write_text (folder, "three.h5", "");
  folder_write_text (folder, "four/raw/scan.nxs", "");
  folder_write_text (folder, "notes/read.me", "");
  assert_refuses (folder, "", NULL, TL_ERROR_LAYOUT,
                  "*several scans: three.h5, four, one, two; open one of "
                  "them");
}

/* The only HDF5 file in a folder is opened; files derived from it are not. */
static void
test_folder_of_hdf5 (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const H5Shape shape = { .dims = { 4, 3, 5 } };
  hid_t file = h5_create (folder, "set/scan.h5", 0);
  h5_write_frames (file, "/exchange/data", &shape);
  H5Fclose (file);
  folder_write_numbered (folder, "set/recon_0000", 6, 1, TL_SAMPLE_F32);
  g_autoptr (TlReader) below = assert_opens (folder, "", NULL);
  g_assert_true (has_note (below, "opened set/scan.h5, the only scan in *"));
  g_autoptr (TlReader) reader = assert_opens (folder, "set", NULL);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 4);
  g_assert_true (
      g_str_has_suffix (tl_reader_get_info (reader)->path, "/set/scan.h5"));
  g_assert_true (has_note (reader, "opened scan.h5, the only scan in set"));
  folder_write_text (folder, "set/other.nxs", "");
  assert_refuses (folder, "set", NULL, TL_ERROR_LAYOUT,
                  "*set: holds several scans: other.nxs, scan.h5; *");
}

/* A word within another one is no kind of frames, and files that are known by
 * their names alone are named. */
static void
test_other_names (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "Flattop_", 5, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "FlatField_", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "Darks_before_", 3, 0, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 5);
  g_assert_cmpuint (info->n_flats, ==, 2);
  g_assert_cmpuint (info->n_darks, ==, 3);
  g_autoptr (Folder) raw = folder_new ();
  folder_write_text (raw, "p_1.raw", "1");
  assert_refuses (
      raw, "", NULL, TL_ERROR_FORMAT,
      "*: no images of a known format, but files such as p_1.raw may be raw "
      "samples; *--raw 2048x2048:uint16le --projections \"*.raw\"");
  g_autofree char *raw_path = folder_path (raw, "");
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_reader_open (raw_path, NULL, &error));
  g_assert_null (strstr (error->message, "raw="));
  g_assert_null (strstr (error->message, "--raw"));
  g_autoptr (Folder) packed = folder_new ();
  folder_write_text (packed, "p_1.fits.fz", "1");
  assert_refuses (packed, "", NULL, TL_ERROR_FORMAT,
                  "*p_1.fits.fz*unpack them with funpack");
  g_autoptr (Folder) gzipped = folder_new ();
  folder_write_text (gzipped, "p_1.edf.gz", "\037\213\010");
  assert_refuses (gzipped, "", NULL, TL_ERROR_FORMAT,
                  "*files such as p_1.edf.gz are not read: decompress them "
                  "with gunzip*");
  assert_refuses (gzipped, "p_1.edf.gz", NULL, TL_ERROR_FORMAT,
                  "*p_1.edf.gz: *compressed* with gunzip*");
  g_autoptr (Folder) pictures = folder_new ();
  folder_write_text (pictures, "p_1.tif", "\377\330\377\340JFIF");
  folder_write_text (pictures, "p_2.tif", "\377\330\377\340JFIF");
  folder_write_text (pictures, "q", "\211PNG\r\n\032\n");
  assert_refuses (pictures, "", NULL, TL_ERROR_FILE,
                  "p_1.tif: is a JPEG picture*");
  assert_refuses (pictures, "p_1.tif", NULL, TL_ERROR_FORMAT,
                  "*p_1.tif: is a JPEG picture*");
  assert_refuses (pictures, "q", NULL, TL_ERROR_FORMAT,
                  "*q: is a PNG picture*");
  g_autoptr (Folder) brief = folder_new ();
  folder_write_text (brief, "a", "1");
  folder_write_text (brief, ".z", "1");
  assert_refuses (brief, "", NULL, TL_ERROR_FORMAT, "*: no *");
}

/* An HDF5 file about the projections may lie in the same folder. */
static void
test_folder_beside_hdf5 (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_text (folder, "about.h5", "");
  folder_write_numbered (folder, "flats/f", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "images/p", 3, 1, TL_SAMPLE_U16);
  g_autoptr (TlReader) by_folders = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (by_folders)->n_flats, ==, 2);
  folder_write_numbered (folder, "p", 4, 1, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 4);
  g_assert_true (has_note (reader, "1 HDF5 file beside the images is not *"));
}

static void
test_patterns (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlReaderOptions options = { .projections = "white_oak_*.tif",
                              .flats = "beam/*",
                              .darks = "closed" };
  folder_write_numbered (folder, "white_oak_", 6, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "beam/b", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "closed/c", 3, 0, TL_SAMPLE_U16);
  folder_write_numbered (folder, "other", 9, 0, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 6);
  g_assert_cmpuint (info->n_flats, ==, 2);
  g_assert_cmpuint (info->n_darks, ==, 3);
  assert_samples (reader, 1, NULL);
  options.flats = "nothing_*";
  assert_refuses (folder, "", &options, TL_ERROR_FORMAT,
                  "*no file*\"nothing_*\"");
}

static void
assert_counts (Folder *folder, const char *name, const TlReaderOptions *options,
               size_t n_flats, size_t n_darks)
{
  g_autoptr (TlReader) reader = assert_opens (folder, name, options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 6);
  g_assert_cmpuint (info->n_flats, ==, n_flats);
  g_assert_cmpuint (info->n_darks, ==, n_darks);
  assert_samples (reader, 1, NULL);
}

/* The name of the sample has a word for flats or darks; it is no word for the
 * images that have this name, too. */
static void
test_sample_names (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TlReaderOptions bread = { .projections = "flat_bread_#.tif" };
  const TlReaderOptions named = { .projections = "flat_bread_#.tif",
                                  .flats = "flat_bread_open_#.tif" };
  const TlReaderOptions dark = { .projections = "dark_#.tif" };
  folder_write_numbered (folder, "a/flat_bread_", 6, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "a/flat_bread_dark_", 2, 0, TL_SAMPLE_U16);
  folder_write_numbered (folder, "a/flat_bread_open_", 4, 19, TL_SAMPLE_U16);
  assert_counts (folder, "a", &bread, 0, 2);
  assert_counts (folder, "a", &named, 4, 2);
  folder_write_numbered (folder, "a/flat_bread_flat_", 3, 19, TL_SAMPLE_U16);
  assert_counts (folder, "a", &bread, 3, 2);
  folder_write_numbered (folder, "b/flat_bread/flat_bread_", 6, 1,
                         TL_SAMPLE_U16);
  folder_write_numbered (folder, "b/flat/flat_bread_", 3, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "b/darks/flat_bread_", 2, 0, TL_SAMPLE_U16);
  const TlReaderOptions inside = { .projections = "flat_bread/*" };
  assert_counts (folder, "b", &inside, 3, 2);
  folder_write_numbered (folder, "c/flat_bread_", 6, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "c/flat_before_", 3, 19, TL_SAMPLE_U16);
  assert_counts (folder, "c", &bread, 3, 0);
  folder_write_numbered (folder, "d/dark_", 6, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "d/dark_flat_", 3, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "d/dark_dark_", 2, 0, TL_SAMPLE_U16);
  assert_counts (folder, "d", &dark, 3, 2);
}

/* A pattern is applied where the file names are. */
static void
test_patterns_below (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TlReaderOptions options = { .projections = "raw_*.tif" };
  folder_write_numbered (folder, "tiffs/raw_", 5, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "flat_", 2, 19, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", &options);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 5);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_flats, ==, 2);
  assert_samples (reader, 1, NULL);
  folder_write_numbered (folder, "more/raw_", 5, 1, TL_SAMPLE_U16);
  assert_refuses (folder, "", &options, TL_ERROR_FORMAT,
                  "*\"raw_*.tif\" matches files in its sub-folders more and "
                  "tiffs; *");
  const TlReaderOptions none = { .projections = "scan*" };
  assert_refuses (folder, "", &none, TL_ERROR_FORMAT,
                  "*no file in it or in its sub-folders more, tiffs matches "
                  "\"scan*\"");
}

static void
assert_group (TlReader *reader, guint index, const char *pattern,
              TlFrameKind kind, size_t n_images, size_t n_rows)
{
  const GPtrArray *groups = tl_reader_get_info (reader)->groups;
  g_assert_cmpuint (index, <, groups->len);
  const TlImageGroup *group = groups->pdata[index];
  g_assert_cmpstr (group->pattern, ==, pattern);
  g_assert_cmpint (group->kind, ==, kind);
  g_assert_cmpuint (group->n_images, ==, n_images);
  g_assert_cmpuint (group->n_rows, ==, n_rows);
}

/* No image is of two kinds, nor is a group of which a part is named. */
static void
test_patterns_twice (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TlReaderOptions twice = { .flats = "x_*", .darks = "x_#.tif" };
  const TlReaderOptions parts = { .projections = "*", .flats = "x_*" };
  folder_write_numbered (folder, "p_", 6, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "x_", 2, 19, TL_SAMPLE_U16);
  assert_refuses (folder, "", &twice, TL_ERROR_FORMAT,
                  "*all images that \"x_*\" matches are given for the flats "
                  "and for the darks; give each image for one of them");
  assert_counts (folder, "", &parts, 2, 0);
  const TlReaderOptions some = { .projections = "p_#.tif",
                                 .flats = "?_1.tif",
                                 .darks = "p_2*" };
  g_autoptr (TlReader) reader = assert_opens (folder, "", &some);
  g_assert_cmpuint (tl_reader_get_info (reader)->groups->len, ==, 5);
  assert_group (reader, 0, "p_#.tif", TL_FRAMES_PROJECTIONS, 4, 3);
  assert_group (reader, 1, "?_1.tif", TL_FRAMES_FLATS, 1, 3);
  assert_group (reader, 2, "?_1.tif", TL_FRAMES_FLATS, 1, 3);
  assert_group (reader, 3, "p_2*", TL_FRAMES_DARKS, 1, 3);
  assert_group (reader, 4, "x_#.tif", TL_FRAMES_LEFT_OUT, 1, 3);
}

/* The folder above the one that holds the whole scan is opened. */
static void
test_fields_deeper (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "run/scan/p", 4, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "run/scan/flats/p", 3, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "run/scan/ff/flat_", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "run/scan/darks/p", 2, 0, TL_SAMPLE_U16);
  static const char *const names[] = { "", "run", "run/scan" };
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TlReader) reader = assert_opens (folder, names[i], NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpuint (info->n_projections, ==, 4);
      g_assert_cmpuint (info->n_flats, ==, 5);
      g_assert_cmpuint (info->n_darks, ==, 2);
    }
}

/* Images of other kinds lie beside 12 projections, flats and darks: some named
 * as the projections with a word, and some of another size. */
static Folder *
write_decoys (void)
{
  Folder *folder = folder_new ();
  folder_write_numbered (folder, "p_", 12, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "p_bb_", 5, 9, TL_SAMPLE_U16);
  for (size_t i = 0; i < 12; i += 3)
    {
      g_autofree char *name = g_strdup_printf ("p_%zu_bb.tif", i);
      folder_write_tiff (
          folder, name,
          &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U16 });
    }
  for (size_t i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("align%zu.tif", i);
      folder_write_tiff (
          folder, name,
          &(TiffShape){ .dims = { 1, 7, 4 }, .type = TL_SAMPLE_F32 });
    }
  folder_write_numbered (folder, "flat_", 3, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "darks/d", 2, 0, TL_SAMPLE_U16);
  folder_write_numbered (folder, "more/x", 4, 7, TL_SAMPLE_U16);
  return folder;
}

static void
test_decoys (void)
{
  g_autoptr (Folder) folder = write_decoys ();
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 12);
  g_assert_cmpuint (info->n_flats, ==, 3);
  g_assert_cmpuint (info->n_darks, ==, 2);
  assert_samples (reader, 1, NULL);
  for (size_t i = 0; i < 12; i++)
    g_assert_cmpfloat_with_epsilon (info->angles_deg[i], 15.0 * (double)i,
                                    1e-9);
  g_assert_cmpuint (info->groups->len, ==, 7);
  assert_group (reader, 3, "align#.tif", TL_FRAMES_LEFT_OUT, 3, 7);
  assert_group (reader, 2, "darks/d#.tif", TL_FRAMES_DARKS, 2, 3);
  assert_group (reader, 1, "flat_#.tif", TL_FRAMES_FLATS, 3, 3);
  assert_group (reader, 4, "more/x#.tif", TL_FRAMES_LEFT_OUT, 4, 3);
  assert_group (reader, 0, "p_#.tif", TL_FRAMES_PROJECTIONS, 12, 3);
  assert_group (reader, 5, "p_#_bb.tif", TL_FRAMES_LEFT_OUT, 4, 3);
  assert_group (reader, 6, "p_bb_#.tif", TL_FRAMES_LEFT_OUT, 5, 3);
  g_assert_true (has_note (
      reader, "16 image files are left out: align#.tif (3), more/x#.tif (4), "
              "p_#_bb.tif (4), p_bb_#.tif (5); to use them, give such names to "
              "--projections, --flats or --darks"));
}

/* Flats whose names say nothing are brighter than the projections. */
static void
test_other_flats (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TlReaderOptions given = { .flats = "air_#.tif" };
  const TlReaderOptions none = { .flats = "none" };
  folder_write_numbered (folder, "p_", 6, 7, TL_SAMPLE_U16);
  folder_write_tiff (
      folder, "shut.tif",
      &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U16 });
  folder_write_tiff (
      folder, "overview.tif",
      &(TiffShape){ .dims = { 1, 7, 4 }, .type = TL_SAMPLE_U16, .base = 19 });
  g_autoptr (TlReader) without = assert_opens (folder, "", NULL);
  g_assert_false (has_note (without, "*brighter than*"));
  folder_write_numbered (folder, "air_", 2, 19, TL_SAMPLE_U16);
  g_autoptr (TlReader) with = assert_opens (folder, "", NULL);
  g_assert_true (has_note (with, "no flat fields were found by their names, "
                                 "but the images air_#.tif (2) are brighter "
                                 "than the projections; if they are flats, add "
                                 "--flats 'air_#.tif'"));
  g_autoptr (TlReader) named = assert_opens (folder, "", &given);
  g_assert_false (has_note (named, "*brighter than*"));
  g_assert_cmpuint (tl_reader_get_info (named)->n_flats, ==, 2);
  g_autoptr (TlReader) unwanted = assert_opens (folder, "", &none);
  g_assert_false (has_note (unwanted, "*brighter than*"));
  /* of equally bright ones the larger group */
  folder_write_numbered (folder, "beam_", 4, 19, TL_SAMPLE_U16);
  g_autoptr (TlReader) more = assert_opens (folder, "", NULL);
  g_assert_true (has_note (more, "*images beam_#.tif (4) are brighter*"));
}

/* The patterns of the groups choose them, several for one kind, and none. */
static void
test_group_patterns (void)
{
  const TlReaderOptions options = { .projections = "p_#.tif",
                                    .flats = "p_bb_#.tif;flat_#.tif",
                                    .darks = "none" };
  const TlReaderOptions others = { .projections = "p_#_bb.tif" };
  g_autoptr (Folder) folder = write_decoys ();
  g_autoptr (TlReader) reader = assert_opens (folder, "", &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 12);
  g_assert_cmpuint (info->n_flats, ==, 8);
  g_assert_cmpuint (info->n_darks, ==, 0);
  assert_samples (reader, 1, NULL);
  assert_group (reader, 4, "darks/d#.tif", TL_FRAMES_LEFT_OUT, 2, 3);
  assert_group (reader, 2, "p_bb_#.tif", TL_FRAMES_FLATS, 5, 3);
  g_assert_false (has_note (reader, "*left out*")); /* the user knows */
  g_autoptr (TlReader) other = assert_opens (folder, "", &others);
  g_assert_cmpuint (tl_reader_get_info (other)->n_projections, ==, 4);
  g_assert_cmpuint (tl_reader_get_info (other)->n_flats, ==, 3);
}

/* Flats of the folder above are in a group, whose pattern finds them. */
static void
test_groups_above (void)
{
  static const char *const flats[] = { NULL, "../flat_#.tif", "none" };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "set/tiffs/p", 5, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "set/tiffs/align_", 2, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "set/flat_", 2, 19, TL_SAMPLE_U16);
  for (size_t i = 0; i < G_N_ELEMENTS (flats); i++)
    {
      const TlReaderOptions options = { .projections = "p#.tif",
                                        .flats = flats[i] };
      const gboolean has_flats = i < 2;
      g_autoptr (TlReader) reader =
          assert_opens (folder, "set/tiffs", &options);
      g_assert_cmpuint (tl_reader_get_info (reader)->n_flats, ==,
                        has_flats ? 2 : 0);
      assert_group (reader, 1, "../flat_#.tif",
                    has_flats ? TL_FRAMES_FLATS : TL_FRAMES_LEFT_OUT, 2, 3);
      assert_group (reader, 0, "p#.tif", TL_FRAMES_PROJECTIONS, 5, 3);
    }
}

/* Removes p3.tif and p4.tif of ten, and looks at what the others get. */
static void
test_missing (void)
{
  static const double given_deg[] = { 0, 10, 20, 50, 60, 70, 80, 90 };
  g_autoptr (Folder) folder = folder_new ();
  const TlReaderOptions options = { .has_angles = TRUE,
                                    .angles_deg = { 0, 90 } };
  folder_write_numbered (folder, "p", 10, 1, TL_SAMPLE_U16);
  for (guint k = 3; k <= 4; k++)
    {
      g_autofree char *name = g_strdup_printf ("p%u.tif", k);
      g_autofree char *path = folder_path (folder, name);
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_autoptr (TlReader) given = assert_opens (folder, "", &options);
  g_assert_true (has_note (reader,
                           "2 projections are missing*: 3:4; *counted from 0 "
                           "without them; whether images are missing at the "
                           "ends cannot *"));
  g_assert_true (has_note (reader, "*angles that belong to the numbers*"));
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 8);
  for (size_t i = 0; i < G_N_ELEMENTS (given_deg); i++)
    {
      g_assert_cmpfloat_with_epsilon (
          tl_reader_get_info (reader)->angles_deg[i], given_deg[i] * 1.8, 1e-9);
      g_assert_cmpfloat_with_epsilon (tl_reader_get_info (given)->angles_deg[i],
                                      given_deg[i], 1e-9);
    }
  /* a list has the angles of all, or of those that are there */
  folder_write_text (folder, "angles.txt", "0 9 8 7 6 5 4 3 2 1\n");
  g_autoptr (TlReader) listed = assert_opens (folder, "", NULL);
  g_assert_cmpfloat (tl_reader_get_info (listed)->angles_deg[3], ==, 5);
  g_assert_true (has_note (listed, "*angles that belong to the numbers*"));
  folder_write_text (folder, "angles.txt", "0 9 8 7 6 5 4 3\n");
  g_autoptr (TlReader) shorter = assert_opens (folder, "", NULL);
  g_assert_cmpfloat (tl_reader_get_info (shorter)->angles_deg[3], ==, 7);
  g_assert_false (has_note (shorter, "*angles that belong to*"));
  g_assert_true (has_note (shorter, "angles.txt has one angle for each "
                                    "projection that is there*"));
  g_autofree char *list = folder_path (folder, "angles.txt");
  g_assert_cmpint (g_unlink (list), ==, 0);
  /* numbers of other images count only where they continue */
  folder_write_numbered (folder, "dark", 5, 1, TL_SAMPLE_U16);
  g_autoptr (TlReader) own = assert_opens (folder, "", NULL);
  g_assert_true (has_note (own, "2 projections are missing*"));
}

/* Removes images from @first to @last of ten, and looks for a note. */
static void
assert_gaps (guint first, guint last, gboolean is_noted)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p", 10, 1, TL_SAMPLE_U16);
  for (guint k = first; k <= last; k++)
    {
      g_autofree char *name = g_strdup_printf ("p%u.tif", k);
      g_autofree char *path = folder_path (folder, name);
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_cmpint (has_note (reader, "4 of the numbers 0 to 9 in the file "
                                     "names have no image, too many*"),
                   ==, is_noted);
  g_assert_false (has_note (reader, "*projections are missing*"));
}

/* Of so many nobody knows whether they were ever there, but it is said, however
 * wide the gap is. */
static void
test_gaps (void)
{
  assert_gaps (3, 6, TRUE);
  assert_gaps (6, 9, FALSE);
  static const struct
  {
    const char *names[5];
    const char *gap; /* NULL: times are no running numbers */
  } cases[] = {
    { { "p_101530.tif", "p_101537.tif", "p_101538.tif", "p_101551.tif",
        "p_101604.tif" },
      NULL },
    { { "p_1.tif", "p_2.tif", "p_3.tif", "p_4.tif", "p_20261125101530.tif" },
      "20261125101525 of the numbers 1 to 20261125101530 *" },
    { { "p_0001.tif", "p_0002.tif", "p_0003.tif", "p_5004.tif", "p_5005.tif" },
      "5000 of the numbers 1 to 5005 *" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (Folder) folder = folder_new ();
      for (size_t i = 0; i < G_N_ELEMENTS (cases[k].names); i++)
        folder_write_tiff (
            folder, cases[k].names[i],
            &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U16 });
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 5);
      g_assert_cmpint (has_note (reader, "*of the numbers*"), ==,
                       cases[k].gap != NULL);
      if (cases[k].gap != NULL)
        g_assert_true (has_note (reader, cases[k].gap));
    }
}

/* Images that are left out because of their size keep their numbers, at the
 * ends, too. */
static void
test_sizes_at_ends (void)
{
  const TiffShape wide = { .dims = { 1, 3, 6 }, .type = TL_SAMPLE_U16 };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p", 10, 1, TL_SAMPLE_U16);
  folder_write_tiff (folder, "p0.tif", &wide);
  folder_write_tiff (folder, "p9.tif", &wide);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 8);
  g_assert_true (has_note (reader, "2 images are left out*"));
  g_assert_true (has_note (reader, "2 projections are missing*: 0,9; *"));
  g_assert_cmpfloat_with_epsilon (info->angles_deg[0], 18, 1e-9);
  g_assert_cmpfloat_with_epsilon (info->angles_deg[7], 144, 1e-9);
  folder_write_text (folder, "angles.txt", "0 9 8 7 6 5 4 3 2 1\n");
  g_autoptr (TlReader) listed = assert_opens (folder, "", NULL);
  g_assert_cmpfloat (tl_reader_get_info (listed)->angles_deg[0], ==, 9);
  g_assert_cmpfloat (tl_reader_get_info (listed)->angles_deg[7], ==, 2);
  folder_write_text (folder, "angles.txt", "9 8 7 6 5 4 3 2\n");
  g_autoptr (TlReader) shorter = assert_opens (folder, "", NULL);
  g_assert_cmpfloat (tl_reader_get_info (shorter)->angles_deg[0], ==, 9);
  /* one that is far from the others is not of their count */
  folder_write_tiff (folder, "p900.tif", &wide);
  g_autoptr (TlReader) far = assert_opens (folder, "", NULL);
  g_assert_true (has_note (far, "2 projections are missing*: 0,9; *"));
  g_assert_false (has_note (far, "*of the numbers*"));
}

/* More of them than a quarter side by side are no part of the count, not even
 * some of them. */
static void
test_many_at_end (void)
{
  const TiffShape wide = { .dims = { 1, 3, 6 }, .type = TL_SAMPLE_U16 };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p", 10, 1, TL_SAMPLE_U16);
  for (int k = 0; k < 4; k++)
    {
      g_autofree char *name = g_strdup_printf ("p%d.tif", k);
      folder_write_tiff (folder, name, &wide);
    }
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 6);
  g_assert_false (has_note (reader, "*missing*"));
  g_assert_cmpfloat (info->angles_deg[0], ==, 0);
}

/* Writes "p_NN.tif" from @first to @last. Those from @middle on are written
 * @later_s after the others. */
static void
write_times (Folder *folder, guint first, guint last, guint middle,
             time_t later_s)
{
  for (guint k = first; k <= last; k++)
    {
      const struct timespec time = { 1000000000 + (k >= middle ? later_s : 0),
                                     0 };
      const struct timespec times[] = { time, time };
      g_autofree char *name = g_strdup_printf ("p_%02u.tif", k);
      g_autofree char *path = folder_path (folder, name);
      folder_write_tiff (folder, name,
                         &(TiffShape){ .dims = { 1, 3, 5 },
                                       .type = TL_SAMPLE_U16,
                                       .first_frame = k });
      g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
    }
}

static void
remove_file (Folder *folder, const char *name)
{
  g_autofree char *path = folder_path (folder, name);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
assert_first_file (TlReader *reader, const char *name)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_nonnull (info->files);
  g_assert_cmpstr (info->files->pdata[0], ==, name);
}

/* A counter of two digits that begins again at 0 after 99. */
static void
test_wrap (void)
{
  static const struct
  {
    guint end, begin; /* 0 to end, and begin to 99 */
    time_t later_s;   /* the second ones */
    const char *first;
    const char *note; /* NULL: none of the order */
  } cases[] = {
    { 4, 95, 0, "p_95.tif",
      "the numbers in the file names begin again at 0 after 99: the images 95 "
      "to 99 come before 0 to 4, which count as 100 to 104; *" },
    { 4, 95, -60, "p_95.tif", "*begin again at 0 after 99*" },
    { 29, 40, -60, "p_40.tif", "*begin again at 0 after 99*" },
    { 4, 95, 60, "p_00.tif",
      "*are 0 to 4 and 95 to 99: if the counter began again after 99*" },
    { 29, 70, 0, "p_00.tif",
      "*are 0 to 29 and 70 to 99: if the counter began again after 99*" },
    { 29, 40, 0, "p_00.tif", NULL },
    { 29, 40, 60, "p_00.tif", NULL },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_test_message ("%zu", k);
      write_times (folder, 0, cases[k].end, 50, 0);
      write_times (folder, cases[k].begin, 99, 0, cases[k].later_s);
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      assert_first_file (reader, cases[k].first);
      g_assert_cmpint (has_note (reader, "*began again*")
                           || has_note (reader, "*begin again*"),
                       ==, cases[k].note != NULL);
      if (cases[k].note != NULL)
        g_assert_true (has_note (reader, cases[k].note));
    }
  /* 099 is not the largest number of three digits */
  g_autoptr (Folder) folder = folder_new ();
  for (guint k = 0; k < 100; k += k == 4 ? 91 : 1)
    {
      g_autofree char *name = g_strdup_printf ("p_%03u.tif", k);
      folder_write_tiff (
          folder, name,
          &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U16 });
    }
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  assert_first_file (reader, "p_000.tif");
  g_assert_false (has_note (reader, "*beg?n again*"));
}

/* Images are read in the order in which they were taken, and one that is
 * missing is found. */
static void
test_wrap_samples (void)
{
  static const size_t frames[] = { 95, 96, 98, 99, 0, 1, 2, 3, 4 };
  const TlReaderOptions said = { .projections = "p_0*.tif;p_9*.tif" };
  const TlReaderOptions turned = { .projections = "p_9*.tif;p_0*.tif" };
  g_autoptr (Folder) folder = folder_new ();
  write_times (folder, 0, 4, 0, 60);
  write_times (folder, 95, 99, 100, 0);
  remove_file (folder, "p_97.tif");
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  assert_samples (reader, 0, frames);
  g_assert_true (has_note (reader, "1 projection is missing*: 97; *"));
  g_assert_cmpfloat_with_epsilon (tl_reader_get_info (reader)->angles_deg[2],
                                  54, 1e-9);
  /* several patterns say the order */
  g_autoptr (TlReader) by_number = assert_opens (folder, "", &said);
  assert_first_file (by_number, "p_00.tif");
  g_assert_false (has_note (by_number, "*begin again*"));
  g_autoptr (TlReader) by_time = assert_opens (folder, "", &turned);
  assert_samples (by_time, 0, frames);
  g_assert_false (has_note (by_time, "*begin again*"));
  g_assert_true (has_note (by_time, "1 projection is missing*: 97; *"));
}

/* The number that is missing is that of a flat taken between projections. */
static void
test_flat_between (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TiffShape flat = { .dims = { 1, 3, 5 },
                           .type = TL_SAMPLE_U16,
                           .base = 19 };
  folder_write_numbered (folder, "p", 10, 1, TL_SAMPLE_U16);
  g_autofree char *path = folder_path (folder, "p4.tif");
  g_assert_cmpint (g_unlink (path), ==, 0);
  folder_write_tiff (folder, "flat_4.tif", &flat);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_false (has_note (reader, "*missing*"));
  g_assert_cmpfloat_with_epsilon (tl_reader_get_info (reader)->angles_deg[4],
                                  80, 1e-9);
}

/* What is one series of images, and what are several, by their names alone. */
static void
test_series (void)
{
  static const struct
  {
    const char *names[12];
    size_t n_projections;
    const char *pattern;
  } cases[] = {
    { { "1.tif", "2.tif", "10.tif" }, 3, "#.tif" },
    { { "b1_1.tif", "b1_2.tif", "b1_3.tif", "b2_1.tif", "b2_2.tif", "b2_3.tif",
        "b2_4.tif" },
      4,
      "b2_#.tif" },
    /* angles are no series of their own, nor are repeated images */
    { { "t_0.0.tif", "t_0.5.tif", "t_1.0.tif", "t_1.5.tif", "t_2.0.tif" },
      5,
      "t_#.#.tif" },
    { { "t_-1.0.tif", "t_-0.5.tif", "t_0.0.tif", "t_+0.5.tif" },
      4,
      "t_#.#.tif" },
    { { "a0.0_1.tif", "a0.5_2.tif", "a1.0_3.tif", "a1.5_4.tif" },
      4,
      "a#.#_#.tif" },
    { { "p7_1.tif", "p7_2.tif", "p8_1.tif", "p8_2.tif", "p9_1.tif",
        "p9_2.tif" },
      6,
      "p#_#.tif" },
    /* nothing to go by */
    { { "north.tif", "east.tif", "south.tif" }, 3, NULL },
    { { "raw/p1.tif", "raw/p2.tif", "raw/mean.tif", "p1.tif" },
      2,
      "raw/p#.tif" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (Folder) folder = folder_new ();
      gboolean found = cases[k].pattern == NULL;
      for (size_t i = 0; cases[k].names[i] != NULL; i++)
        folder_write_tiff (
            folder, cases[k].names[i],
            &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U16 });
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_test_message ("%s", cases[k].names[0]);
      g_assert_cmpuint (info->n_projections, ==, cases[k].n_projections);
      for (guint i = 0; i < info->groups->len; i++)
        {
          const TlImageGroup *group = info->groups->pdata[i];
          found |= group->kind == TL_FRAMES_PROJECTIONS
                   && g_strcmp0 (group->pattern, cases[k].pattern) == 0;
        }
      g_assert_true (found);
      /* the pattern finds the same images */
      const TlReaderOptions options = { .projections = cases[k].pattern };
      g_autoptr (TlReader) again = assert_opens (folder, "", &options);
      g_assert_cmpuint (tl_reader_get_info (again)->n_projections, ==,
                        cases[k].n_projections);
    }
}

/* Numbers with a sign are ordered by their values. A dash that only separates
 * a number from the rest is no sign. */
static void
test_signs (void)
{
  static const char *const orders[][8] = {
    { "p_-10.50.tif", "p_-10.25.tif", "p_-00.50.tif", "p_+00.00.tif",
      "p_+00.50.tif", "p_+09.125.tif", "p_+09.25.tif" },
    { "p_-90.tif", "p_-5.tif", "p_0.tif", "p_5.tif", "p_90.tif" },
    { "p-0001.tif", "p-0002.tif", "p-0010.tif" },
    { "p -0001.tif", "p -0002.tif", "p -0010.tif" },
    { "2026-11-01.tif", "2026-11-02.tif", "2026-11-03.tif" },
    { "p_1.9.tif", "p_1.10.tif", "p_1.11.tif" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (orders); k++)
    {
      g_autoptr (Folder) folder = folder_new ();
      guint n = 0;
      for (; orders[k][n] != NULL; n++)
        folder_write_tiff (
            folder, orders[k][n],
            &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U16 });
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      const GPtrArray *files = tl_reader_get_info (reader)->files;
      g_assert_cmpuint (files->len, ==, n);
      for (guint i = 0; i < n; i++)
        g_assert_cmpstr (files->pdata[i], ==, orders[k][i]);
    }
}

/* A stack counts by its pages, and not as one file. */
static void
test_stack_and_series (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_tiff (
      folder, "tomo.tif",
      &(TiffShape){ .dims = { 9, 3, 5 }, .type = TL_SAMPLE_U16, .base = 2 });
  folder_write_numbered (folder, "align_", 4, 1, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 9);
  assert_samples (reader, 2, NULL);
  assert_group (reader, 0, "tomo.tif", TL_FRAMES_PROJECTIONS, 9, 3);
}

/* Stacks whose names differ by more than a number are scans of their own. */
static void
test_stacks (void)
{
  static const struct
  {
    const char *stacks[4];
    size_t n_pages[3];
    size_t n_projections; /* 0: several scans */
    const char *pattern;  /* of the projections, or the names of the scans */
  } cases[] = {
    { { "mouse.tif", "bread.tif" }, { 5, 5 }, 0, "bread.tif, mouse.tif" },
    { { "a_1.tif", "a_2.tif", "b.tif" }, { 2, 2, 4 }, 0, "a_#.tif, b.tif" },
    { { "mouse.tif", "bread.tif" }, { 5, 4 }, 5, "mouse.tif" },
    { { "overview.tif", "mouse.tif" }, { 1, 5 }, 5, "mouse.tif" },
    { { "x/mouse.tif", "x/bread.tif" }, { 4, 5 }, 5, "x/bread.tif" },
    /* parts of one stack */
    { { "a_1.tif", "a_2.tif", "b.tif" }, { 3, 3, 4 }, 6, "a_#.tif" },
    { { "a.tif", "a_1.tif", "a_2.tif" }, { 3, 3, 3 }, 9, "a.tif;a_#.tif" },
    { { "a1.ome.tif", "a1_1.ome.tif" },
      { 4, 2 },
      6,
      "a1.ome.tif;a1_1.ome.tif" },
    /* a single image is no part, and no stack */
    { { "a.tif", "a_1.tif", "a_2.tif" }, { 1, 1, 1 }, 2, "a_#.tif" },
    { { "a.tif", "a_1.tif", "b.tif" }, { 1, 1, 1 }, 3, NULL },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (Folder) folder = folder_new ();
      const TlReaderOptions options = { .projections = cases[k].pattern };
      size_t n = 0;
      for (size_t i = 0; cases[k].stacks[i] != NULL; i++)
        {
          folder_write_tiff (
              folder, cases[k].stacks[i],
              &(TiffShape){ .dims = { cases[k].n_pages[i], 3, 5 },
                            .type = TL_SAMPLE_U16,
                            .base = 1,
                            .first_frame = n });
          n += cases[k].n_pages[i];
        }
      folder_write_tiff (
          folder, "flats.tif",
          &(TiffShape){ .dims = { 2, 3, 5 }, .type = TL_SAMPLE_U16 });
      g_test_message ("%zu: %s", k, cases[k].stacks[0]);
      if (cases[k].n_projections == 0)
        {
          g_autofree char *words = g_strdup_printf (
              "*: holds several scans: %s; open one of "
              "them; or name its projections, *--projections '*'",
              cases[k].pattern);
          assert_refuses (folder, "", NULL, TL_ERROR_LAYOUT, words);
          continue;
        }
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpuint (info->n_projections, ==, cases[k].n_projections);
      g_assert_cmpuint (info->n_flats, ==, 2);
      g_assert_cmpint (has_note (reader, "*left out*"), ==,
                       n > cases[k].n_projections);
      if (n == cases[k].n_projections)
        assert_samples (reader, 1, NULL);
      if (cases[k].pattern == NULL)
        continue;
      const TlImageGroup *group = info->groups->pdata[0];
      g_assert_cmpstr (group->pattern, ==, cases[k].pattern);
      g_autoptr (TlReader) again = assert_opens (folder, "", &options);
      g_assert_cmpuint (tl_reader_get_info (again)->n_projections, ==,
                        cases[k].n_projections);
    }
}

/* Each of several scans has the flats and darks beside it. */
static void
test_one_of_stacks (void)
{
  static const TlReaderOptions named = { .projections = "mouse.tif" };
  static const TlReaderOptions both = { .projections = "mouse.tif;bread.tif" };
  static const char *const names[] = { "mouse.tif", "bread.tif" };
  const TiffShape shape = { .dims = { 6, 3, 5 },
                            .type = TL_SAMPLE_U16,
                            .base = 1 };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_tiff (folder, "mouse.tif", &shape);
  folder_write_tiff (folder, "bread.tif", &shape);
  folder_write_numbered (folder, "flat_", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "dark_", 3, 0, TL_SAMPLE_U16);
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    assert_counts (folder, names[i], NULL, 2, 3);
  assert_counts (folder, "", &named, 2, 3);
  g_autoptr (TlReader) reader = assert_opens (folder, "", &both);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 12);
  /* the user has to choose one of them, but no flats */
  g_autofree char *path = folder_path (folder, "");
  g_autoptr (GPtrArray) groups =
      tl_contents_list_groups (path, &(TlReaderOptions){ 0 });
  g_assert_cmpuint (groups->len, ==, 4);
  for (guint i = 0; i < groups->len; i++)
    {
      static const TlFrameKind kinds[] = { TL_FRAMES_FLATS, TL_FRAMES_DARKS,
                                           TL_FRAMES_LEFT_OUT,
                                           TL_FRAMES_LEFT_OUT };
      const TlImageGroup *group = groups->pdata[i];
      g_assert_cmpint (group->kind, ==, kinds[i]);
      g_assert_cmpuint (group->n_images, ==, i == 0 ? 2 : i == 1 ? 3 : 6);
    }
  folder_write_tiff (folder, "mouse_1.tif", &shape);
  g_autoptr (TlReader) part = assert_opens (folder, "mouse.tif", NULL);
  g_assert_cmpuint (tl_reader_get_info (part)->n_flats, ==, 0);
}

/* An image that is opened by itself points to its folder. */
static void
test_one_of_many (void)
{
  g_autoptr (Folder) folder = write_decoys ();
  g_autoptr (TlReader) one = assert_opens (folder, "p_3.tif", NULL);
  g_assert_cmpstr (tl_reader_get_info (one)->format, ==, "TIFF sinogram");
  g_assert_null (tl_reader_get_info (one)->groups);
  g_autofree char *name = g_path_get_basename (folder);
  g_autofree char *words =
      g_strdup_printf ("it is one of 12 images p_#.tif in the folder %s: open "
                       "the folder, if they are the projections",
                       name);
  g_assert_true (has_note (one, words));
  folder_write_numbered (folder, "lone", 1, 1, TL_SAMPLE_U16);
  g_autoptr (TlReader) lone = assert_opens (folder, "lone0.tif", NULL);
  g_assert_false (has_note (lone, "*it is one of*"));
}

/* In a network, each question about a file takes its time. The folder itself
 * says what is a file; links are asked. The folder above it is looked at, too,
 * so it is one of the test's own. */
static void
test_no_questions (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *first = folder_path (folder, "in/p0.tif");
  g_autofree char *last = folder_path (folder, "in/p40.tif");
  folder_write_numbered (folder, "in/p", 40, 1, TL_SAMPLE_U16);
  n_asked = 0;
  g_autoptr (TlReader) reader = assert_opens (folder, "in", NULL);
  g_assert_cmpint (n_asked, <, 40);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 40);
  g_assert_cmpint (symlink (first, last), ==, 0);
  g_autoptr (TlReader) linked = assert_opens (folder, "in", NULL);
  g_assert_cmpuint (tl_reader_get_info (linked)->n_projections, ==, 41);
  const TlReaderOptions options = { .projections = "p?#.tif" };
  g_autoptr (TlReader) matched = assert_opens (folder, "in", &options);
  g_assert_cmpuint (tl_reader_get_info (matched)->n_projections, ==, 31);
}

/* Reading has to look at each file, and tells when the newest was written. */
static void
test_newest (void)
{
  const struct timespec times[] = { { 4102444800, 0 }, { 4102444800, 250000 } };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "p2.tif");
  folder_write_numbered (folder, "p", 4, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "other_a", 2, 1, TL_SAMPLE_U16);
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_cmpint (tl_reader_get_info (reader)->changed_us, ==,
                   G_GINT64_CONSTANT (4102444800000250));
}

static gpointer
cancel_later (gpointer data)
{
  g_usleep (2000);
  g_cancellable_cancel (data);
  return NULL;
}

/* Before the folder is listed, and while its files are opened. */
static void
test_cancelled (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  const TlReaderOptions options = { .cancellable = cancellable };
  g_autofree char *all = folder_path (folder, "");
  g_autofree char *first = folder_path (folder, "p_00000.tif");
  folder_write_tiff (folder, "p_00000.tif",
                     &(TiffShape){ .dims = { 1, 1, 4 } });
  for (int k = 1; k < 20000; k++)
    {
      g_autofree char *name = g_strdup_printf ("p_%05d.tif", k);
      g_autofree char *path = folder_path (folder, name);
      g_assert_cmpint (link (first, path), ==, 0);
    }
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);
  g_assert_null (tl_reader_open (all, &options, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_thread_join (thread);
  g_assert_null (tl_reader_open (all, &options, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_cancellable_reset (cancellable);
  g_autoptr (TlReader) reader = tl_reader_open (all, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 20000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/folder/of-scans-and-picture",
                   test_folder_of_scans_and_picture);
  g_test_add_func ("/folder/of-scans", test_folder_of_scans);
  g_test_add_func ("/folder/of-formats", test_folder_of_formats);
  g_test_add_func ("/folder/pipes", test_pipes);
  g_test_add_func ("/folder/cancelled", test_cancelled);
  g_test_add_func ("/folder/of-deep-scans", test_folder_of_deep_scans);
  g_test_add_func ("/folder/of-hdf5", test_folder_of_hdf5);
  g_test_add_func ("/folder/beside-hdf5", test_folder_beside_hdf5);
  g_test_add_func ("/folder/other-names", test_other_names);
  g_test_add_func ("/folder/patterns", test_patterns);
  g_test_add_func ("/folder/sample-names", test_sample_names);
  g_test_add_func ("/folder/patterns-twice", test_patterns_twice);
  g_test_add_func ("/folder/patterns-below", test_patterns_below);
  g_test_add_func ("/folder/fields-deeper", test_fields_deeper);
  g_test_add_func ("/folder/decoys", test_decoys);
  g_test_add_func ("/folder/other-flats", test_other_flats);
  g_test_add_func ("/folder/group-patterns", test_group_patterns);
  g_test_add_func ("/folder/groups-above", test_groups_above);
  g_test_add_func ("/folder/missing", test_missing);
  g_test_add_func ("/folder/gaps", test_gaps);
  g_test_add_func ("/folder/sizes-at-ends", test_sizes_at_ends);
  g_test_add_func ("/folder/many-at-end", test_many_at_end);
  g_test_add_func ("/folder/wrap", test_wrap);
  g_test_add_func ("/folder/wrap-samples", test_wrap_samples);
  g_test_add_func ("/folder/flat-between", test_flat_between);
  g_test_add_func ("/folder/series", test_series);
  g_test_add_func ("/folder/signs", test_signs);
  g_test_add_func ("/folder/stack-and-series", test_stack_and_series);
  g_test_add_func ("/folder/stacks", test_stacks);
  g_test_add_func ("/folder/one-of-stacks", test_one_of_stacks);
  g_test_add_func ("/folder/one-of-many", test_one_of_many);
  g_test_add_func ("/folder/no-questions", test_no_questions);
  g_test_add_func ("/folder/newest", test_newest);
  return g_test_run ();
}
