/* Written slices can be read back, and a failed write leaves no file. */
#include "data/write/writer.h"

#include "data/error.h"
#include "data/write/part-file.h"
#include "tests/data/write/full-disk.h"

#include <glib/gstdio.h>
#include <math.h>
#include <png.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

static float *
random_pixels (size_t n)
{
  float *pixels = g_new (float, n);

  for (size_t i = 0; i < n; i++)
    pixels[i] = (float)g_test_rand_double_range (-1.0, 1.0);
  return pixels;
}

static void
assert_write_error (GError *error, const char *path, const char *why)
{
  g_autofree char *want =
      g_strdup_printf ("%s: cannot be written: %s", path, why);

  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_cmpstr (error->message, ==, want);
}

/* --- one TIFF --- */

static void
assert_tiff (const char *path, const float *want, size_t n_rows, size_t n_cols,
             const char *description)
{
  TIFF *tiff = TIFFOpen (path, "r");
  g_autofree float *row_pixels = g_new (float, n_cols);
  guint32 width = 0, height = 0;
  guint16 bits = 0, format = 0;
  char *text = NULL;

  g_assert_nonnull (tiff);
  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField (tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetField (tiff, TIFFTAG_SAMPLEFORMAT, &format);
  g_assert_cmpuint (width, ==, n_cols);
  g_assert_cmpuint (height, ==, n_rows);
  g_assert_cmpuint (bits, ==, 32);
  g_assert_cmpuint (format, ==, SAMPLEFORMAT_IEEEFP);
  TIFFGetField (tiff, TIFFTAG_IMAGEDESCRIPTION, &text);
  g_assert_cmpstr (text, ==, description);
  for (size_t row = 0; row < n_rows; row++)
    {
      g_assert_cmpint (TIFFReadScanline (tiff, row_pixels, (guint32)row, 0), ==,
                       1);
      g_assert_cmpmem (row_pixels, n_cols * sizeof *want, want + row * n_cols,
                       n_cols * sizeof *want);
    }
  g_assert_false (TIFFReadDirectory (tiff));
  TIFFClose (tiff);
}

typedef struct
{
  const char *path;
  size_t n_rows, n_cols;
  const char *description;
} SizeCase;

/* A strip has 2^20 bytes. */
static const SizeCase size_cases[] = {
  { "one", 1, 1, NULL },
  { "prime", 61, 37, "filter shepp-logan, centre 31.5" },
  { "row", 1, 1031, "" },
  { "column", 257, 1, NULL },
  { "one-strip", 256, 1024, NULL },
  { "one-row-past-a-strip", 257, 1024, "µm" },
  { "row-longer-than-a-strip", 3, 262147, NULL },
};

static void
test_tiff_size (gconstpointer data)
{
  const SizeCase *c = data;
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "slice.tiff", NULL);
  g_autofree float *pixels = random_pixels (c->n_rows * c->n_cols);
  g_autoptr (GError) error = NULL;

  pixels[0] = NAN;
  pixels[c->n_rows * c->n_cols - 1] = INFINITY;
  tl_write_tiff (path, pixels, c->n_rows, c->n_cols, c->description, &error);
  g_assert_no_error (error);
  assert_tiff (path, pixels, c->n_rows, c->n_cols, c->description);
  g_assert_cmpuint (count_files (folder), ==, 1);
  remove_folder (folder);
}

/* Replaces an older file, but neither a file that a link points to, nor one
 * behind a link that was planted under a temporary name. */
static void
test_tiff_replaces (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "slice.tiff", NULL);
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autofree char *target = g_build_filename (folder, "target", NULL);
  g_autofree char *contents = NULL;
  g_autofree float *pixels = random_pixels (6);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (target, "notes", -1, NULL));
  g_assert_cmpint (symlink ("target", path), ==, 0);
  g_assert_cmpint (symlink ("target", part), ==, 0);
  for (int i = 0; i < 2; i++)
    {
      tl_write_tiff (path, pixels, 2, 3, NULL, &error);
      g_assert_no_error (error);
      assert_tiff (path, pixels, 2, 3, NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_IS_SYMLINK));
    }
  g_assert_true (g_file_get_contents (target, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "notes");
  g_assert_cmpuint (count_files (folder), ==, 3);
  remove_folder (folder);
}

/* Two writers of one file have a temporary file each, with the mode of any new
 * file, and the second replaces the first one's only if it may. */
static void
test_part_files (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "recon_00004.tiff", NULL);
  const mode_t mask = umask (027);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlPartFile) one = tl_part_file_open (path, &error);
  g_autoptr (TlPartFile) two = tl_part_file_open (path, &error);
  GStatBuf status;

  umask (mask);
  g_assert_no_error (error);
  g_assert_cmpstr (one->part_path, !=, two->part_path);
  g_assert_cmpint (write (one->fd, "one", 3), ==, 3);
  g_assert_true (tl_part_file_commit (one, FALSE, &error));
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0640);
  g_assert_cmpint (status.st_size, ==, 3);
  g_assert_false (tl_part_file_commit (two, FALSE, &error));
  assert_write_error (error, path,
                      "there is a file or folder of this name: choose another");
  g_clear_error (&error);
  g_assert_true (tl_part_file_commit (two, TRUE, &error));
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_size, ==, 0);
  g_assert_cmpuint (count_files (folder), ==, 1);
  remove_folder (folder);
}

/* A small file is replaced only if it may be, and a link to it never followed.
 */
static void
test_file (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "notes", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_write_file (path, "mine", 4, FALSE, &error));
  g_assert_cmpint (symlink ("notes", link), ==, 0);
  g_assert_false (tl_write_file (path, "new", 3, FALSE, &error));
  g_clear_error (&error);
  g_assert_false (tl_write_file (link, "new", 3, FALSE, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_clear_error (&error);
  g_assert_true (tl_write_file (link, "new", 3, TRUE, &error));
  g_assert_false (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "mine");
  g_assert_cmpuint (count_files (folder), ==, 2);
  remove_folder (folder);
}

/* --- failures --- */

/* TIFF and PNG fail in the same way. */
static gboolean
write_either (gboolean png, const char *path, const float *pixels,
              size_t n_rows, size_t n_cols, GError **error)
{
  if (png)
    return tl_write_png (path, pixels, n_rows, n_cols, 0.0f, 1.0f, error);
  return tl_write_tiff (path, pixels, n_rows, n_cols, "text", error);
}

static void
test_no_place (gconstpointer data)
{
  const gboolean png = GPOINTER_TO_INT (data);
  const float pixel = 1.0f;
  g_autofree char *folder = make_folder ();
  g_autofree char *missing = g_build_filename (folder, "no", "a.tiff", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (write_either (png, missing, &pixel, 1, 1, &error));
  assert_write_error (error, missing, "its folder is not there");
  g_clear_error (&error);

  g_assert_false (write_either (png, folder, &pixel, 1, 1, &error));
  assert_write_error (error, folder, "Is a directory");
  g_assert_cmpuint (count_files (folder), ==, 0);
  remove_folder (folder);
}

static void
test_file_limit (gconstpointer data)
{
  const gboolean png = GPOINTER_TO_INT (data);
  const size_t n_rows = 67, n_cols = 1021;
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "slice", NULL);
  g_autofree float *pixels = random_pixels (n_rows * n_cols);
  g_autofree char *whole = NULL;
  gsize whole_size = 0;

  g_assert_true (write_either (png, path, pixels, n_rows, n_cols, NULL));
  g_assert_true (g_file_get_contents (path, &whole, &whole_size, NULL));
  {
    /* The write fails in the header, in the pixels, or at the last byte. */
    const gsize limits[] = { 0, 7, whole_size / 2, whole_size - 1 };

    for (size_t i = 0; i < G_N_ELEMENTS (limits); i++)
      {
        g_autoptr (GError) error = NULL;
        g_autofree char *contents = NULL;
        gsize size = 0;
        gboolean ok;

        g_assert_true (g_file_set_contents (path, "old", -1, NULL));
        limit_files (limits[i]);
        ok = write_either (png, path, pixels, n_rows, n_cols, &error);
        lift_file_limit ();
        g_assert_false (ok);
        assert_write_error (error, path,
                            "the file is larger than this system allows");
        g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
        g_assert_cmpmem (contents, size, "old", 3);
        g_assert_cmpuint (count_files (folder), ==, 1);
      }
  }
  limit_files (whole_size);
  g_assert_true (write_either (png, path, pixels, n_rows, n_cols, NULL));
  lift_file_limit ();
  remove_folder (folder);
}

static void
test_full_disk (gconstpointer data)
{
  const gboolean png = GPOINTER_TO_INT (data);
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "slice", NULL);
  g_autofree float *pixels = random_pixels (300 * 1024);
  g_autoptr (GError) error = NULL;

  if (mount_tiny_disk (folder, "64k"))
    {
      g_assert_false (write_either (png, path, pixels, 300, 1024, &error));
      assert_write_error (error, path, "the disk is full");
      g_assert_cmpuint (count_files (folder), ==, 0);
      unmount_tiny_disk (folder);
    }
  remove_folder (folder);
}

/* --- PNG --- */

static void
test_png_grey (void)
{
  const float pixels[] = { -5.0f, 1.0f, 1.5f,     2.0f,      3.0f,
                           9.0f,  NAN,  INFINITY, -INFINITY, 2.996f };
  const guint8 want[] = { 0, 0, 64, 128, 255, 255, 0, 255, 0, 254 };
  const guint8 want_flat[] = { 0, 0, 255, 255, 255, 255, 0, 255, 0, 255 };
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "slice.png", NULL);

  for (int flat = 0; flat <= 1; flat++)
    {
      png_image image = { .version = PNG_IMAGE_VERSION };
      guint8 grey[10];
      g_autoptr (GError) error = NULL;

      tl_write_png (path, pixels, 2, 5, 1.0f, flat ? 1.0f : 3.0f, &error);
      g_assert_no_error (error);
      g_assert_true (png_image_begin_read_from_file (&image, path));
      g_assert_cmpuint (image.width, ==, 5);
      g_assert_cmpuint (image.height, ==, 2);
      g_assert_cmpuint (image.format, ==, PNG_FORMAT_GRAY);
      g_assert_true (png_image_finish_read (&image, NULL, grey, 0, NULL));
      g_assert_cmpmem (grey, sizeof grey, flat ? want_flat : want, sizeof grey);
    }
  g_assert_cmpuint (count_files (folder), ==, 1);
  remove_folder (folder);
}

static void
test_png_colours (void)
{
  const guint8 rgba[] = { 1, 2, 3,   4,   50, 60, 70, 80, 90, 91, 92, 0,
                          0, 0, 255, 255, 7,  8,  9,  10, 11, 12, 13, 14 };
  const guint8 want[] = { 1, 2, 3,   50, 60, 70, 90, 91, 92,
                          0, 0, 255, 7,  8,  9,  11, 12, 13 };
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "volume.png", NULL);
  png_image image = { .version = PNG_IMAGE_VERSION };
  guint8 rgb[sizeof want];
  g_autoptr (GError) error = NULL;

  tl_write_png_colours (path, rgba, 3, 2, &error);
  g_assert_no_error (error);
  g_assert_true (png_image_begin_read_from_file (&image, path));
  g_assert_cmpuint (image.width, ==, 2);
  g_assert_cmpuint (image.height, ==, 3);
  g_assert_cmpuint (image.format, ==, PNG_FORMAT_RGB);
  g_assert_true (png_image_finish_read (&image, NULL, rgb, 0, NULL));
  g_assert_cmpmem (rgb, sizeof rgb, want, sizeof want);
  g_assert_cmpuint (count_files (folder), ==, 1);
  remove_folder (folder);
}

/* A killed program leaves its temporary files. */
static void
test_left_files (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *kept = g_build_filename (folder, "kept.part", NULL);
  g_autofree char *path = g_build_filename (folder, "recipe.ini", NULL);
  g_autoptr (GError) error = NULL;
  TlPartFile *lost = tl_part_file_open (path, &error);

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (kept, "", 0, NULL));
  g_assert_cmpuint (count_files (folder), ==, 2);
  tl_part_files_remove (folder);
  g_assert_cmpuint (count_files (folder), ==, 1);
  g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
  tl_part_file_free (lost);
  remove_folder (folder);
}

/* --- the room on the disk --- */

static void
test_no_room (void)
{
  g_autofree char *top = make_folder ();
  g_autofree char *folder = g_build_filename (top, "no", "export", NULL);
  g_autofree char *pattern =
      g_strdup_printf ("^%s: needs 1\\S*.PB, [0-9.]+.[kMGTP]?B free$", folder);
  const guint64 many[] = { 1000000000000000, G_MAXUINT64 };

  for (size_t i = 0; i < G_N_ELEMENTS (many); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (tl_check_room (folder, many[i], &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_test_message ("%s", error->message);
      g_assert_true (i > 0
                     || g_regex_match_simple (pattern, error->message, 0, 0));
    }
  g_assert_true (tl_check_room (folder, 1, NULL));
  g_assert_cmpuint (count_files (top), ==, 0);
  remove_folder (top);
}

static void
add_for_both (const char *name, GTestDataFunc test)
{
  for (int png = 0; png <= 1; png++)
    {
      g_autofree char *path =
          g_strdup_printf ("/%s/%s", png ? "png" : "tiff", name);

      g_test_add_data_func (path, GINT_TO_POINTER (png), test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (size_cases); i++)
    {
      g_autofree char *path =
          g_strconcat ("/tiff/size/", size_cases[i].path, NULL);

      g_test_add_data_func (path, &size_cases[i], test_tiff_size);
    }
  g_test_add_func ("/tiff/replaces", test_tiff_replaces);
  g_test_add_func ("/write/part-files", test_part_files);
  g_test_add_func ("/write/file", test_file);
  g_test_add_func ("/write/left-files", test_left_files);
  g_test_add_func ("/png/grey", test_png_grey);
  g_test_add_func ("/png/colours", test_png_colours);
  add_for_both ("no-place", test_no_place);
  add_for_both ("file-limit", test_file_limit);
  add_for_both ("full-disk", test_full_disk);
  g_test_add_func ("/no-room", test_no_room);
  return g_test_run ();
}
