/* Scans that cannot be written leave no file, and the error says why. */
#include "data/phantom/phantom.h"

#include "data/error.h"
#include "tests/data/write/full-disk.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void
test_refused (void)
{
  static const struct
  {
    size_t n_projections, n_cols;
    double centre_col, noise, pixel_size_um;
    const char *why;
    double tilt_deg;
  } cases[] = {
    { 0, 64, 31, 0, 1, "0 projections of 4 x 64 pixels do not make a scan" },
    { 3, 64, 64, 0, 1,
      "the centre 64 is outside the detector, columns 0 to 63" },
    { 3, 64, NAN, 0, 1,
      "the centre nan is outside the detector, columns 0 to 63" },
    { 3, 64, 31, -1, 1,
      "noise of -1 photons is not possible; choose 1 to 1e9, or 0 for no "
      "noise" },
    { 3, 64, 31, 0, -2,
      "a pixel size of -2 µm is not possible; choose a positive one, or 0 to "
      "leave it out" },
    { 3, 64, 31, 0, 1, "a tilt of 11 degrees is not between -10 and 10", 11 },
  };
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *want =
          g_strdup_printf ("%s: cannot be made: %s", path, cases[i].why);
      g_autoptr (GError) error = NULL;
      TlPhantomScan scan;

      tl_phantom_scan_init (&scan, cases[i].n_projections, 4, cases[i].n_cols);
      scan.centre_col = cases[i].centre_col;
      scan.noise_counts = cases[i].noise;
      scan.tilt_deg = cases[i].tilt_deg;
      scan.pixel_size_um = cases[i].pixel_size_um;
      g_assert_false (
          tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_cmpstr (error->message, ==, want);
      g_assert_cmpuint (count_files (folder), ==, 0);
    }
  remove_folder (folder);
}

static void
test_no_room (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  const size_t many[] = { 1000000000, G_MAXSIZE / 4 };

  for (size_t i = 0; i < G_N_ELEMENTS (many); i++)
    {
      g_autoptr (GError) error = NULL;
      TlPhantomScan scan;

      tl_phantom_scan_init (&scan, many[i], 2048, 2048);
      g_assert_false (
          tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_assert_nonnull (strstr (error->message, "scan.h5: needs "));
      g_assert_cmpuint (count_files (folder), ==, 0);
    }
  remove_folder (folder);
}

static void
cancel_at_once (double fraction, gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

static void
test_cancelled (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  TlPhantomScan scan;

  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  tl_phantom_scan_init (&scan, 2000, 128, 512); /* 262 MB if it were written */
  g_assert_false (tl_phantom_write_scan (path, &scan, cancel_at_once,
                                         cancellable, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (count_files (folder), ==, 1);
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "old");
  remove_folder (folder);
}

static void
test_no_folder (void)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, 4, 5, 64);
  g_assert_false (tl_phantom_write_scan ("/nowhere/scan.h5", &scan, NULL, NULL,
                                         NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_cmpstr (
      error->message, ==,
      "/nowhere/scan.h5: cannot be written: its folder is not there");
}

/* The limit is reached in the description or in the counts. HDF5 must work
 * as before afterwards. */
static void
test_file_limit (void)
{
  const guint64 limits[] = { 0, 500, 3000, 200000 };
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  TlPhantomScan scan;
  hid_t file;

  tl_phantom_scan_init (&scan, 20, 64, 128); /* 819200 bytes */
  for (size_t i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean ok;

      limit_files (limits[i]);
      ok = tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
      lift_file_limit ();
      g_assert_false (ok);
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "scan.h5: cannot be written: "
                                                "the file is larger than"));
      g_assert_cmpuint (count_files (folder), ==, 0);
      g_assert_cmpint (H5Fget_obj_count (H5F_OBJ_ALL, H5F_OBJ_ALL), ==, 0);
    }
  g_assert_true (tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, NULL));
  file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  g_assert_cmpint (file, >=, 0);
  H5Fclose (file);
  remove_folder (folder);
}

/* There is room at the start; then another file takes it. */
static void
fill_disk (double fraction, gpointer user_data)
{
  const char *path = user_data;
  g_autofree char *junk = g_malloc0 (1 << 20);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      FILE *stream = g_fopen (path, "wb");

      g_assert_nonnull (stream);
      while (fwrite (junk, 1 << 20, 1, stream) == 1)
        ;
      fclose (stream);
    }
}

static void
test_full_disk (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  g_autofree char *junk = g_build_filename (folder, "junk", NULL);
  g_autofree char *want =
      g_strconcat (path, ": cannot be written: the disk is full", NULL);
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;

  if (mount_tiny_disk (folder, "20m"))
    {
      tl_phantom_scan_init (&scan, 120, 128, 512); /* 15.7 MB */
      scan.noise_counts = 25.0; /* noise makes the run long enough */
      g_assert_false (
          tl_phantom_write_scan (path, &scan, fill_disk, junk, NULL, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_assert_cmpstr (error->message, ==, want);
      g_assert_cmpuint (count_files (folder), ==, 1);
      unmount_tiny_disk (folder);
    }
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/values", test_refused);
  g_test_add_func ("/no-room", test_no_room);
  g_test_add_func ("/no-folder", test_no_folder);
  g_test_add_func ("/cancelled", test_cancelled);
  g_test_add_func ("/file-limit", test_file_limit);
  g_test_add_func ("/full-disk", test_full_disk);
  return g_test_run ();
}
