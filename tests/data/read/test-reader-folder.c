/* Tests which scan the reader finds in a folder. */
#include "tests/data/read/scan-files.h"

#include "data/error.h"

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
  assert_refuses (folder, "", NULL, TL_ERROR_FORMAT,
                  "*several scans: one, two; open one of them");
  g_autoptr (TlReader) named = assert_opens (folder, "", &options);
  g_assert_cmpuint (tl_reader_get_info (named)->n_projections, ==, 7);
  g_assert_cmpuint (tl_reader_get_info (named)->n_flats, ==, 3);
  g_assert_false (has_note (named, "*not used*"));
  g_autoptr (TlReader) one = assert_opens (folder, "one", NULL);
  g_assert_cmpuint (tl_reader_get_info (one)->n_projections, ==, 7);
  g_assert_cmpuint (tl_reader_get_info (one)->n_flats, ==, 2);
}

static void
test_folder_of_formats (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "one/p", 7, 1, TL_SAMPLE_U16);
  folder_write_text (folder, "two/scan.NXS", "");
  assert_refuses (folder, "", NULL, TL_ERROR_FORMAT,
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
  assert_refuses (folder, "", NULL, TL_ERROR_FORMAT,
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
  assert_refuses (folder, "set", NULL, TL_ERROR_FORMAT,
                  "*set: holds several scans: other.nxs, scan.h5; *");
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/folder/of-scans", test_folder_of_scans);
  g_test_add_func ("/folder/of-formats", test_folder_of_formats);
  g_test_add_func ("/folder/of-deep-scans", test_folder_of_deep_scans);
  g_test_add_func ("/folder/of-hdf5", test_folder_of_hdf5);
  g_test_add_func ("/folder/beside-hdf5", test_folder_beside_hdf5);
  g_test_add_func ("/folder/patterns", test_patterns);
  g_test_add_func ("/folder/patterns-below", test_patterns_below);
  return g_test_run ();
}
