/* A Data Exchange file can be read as a scan while it grows and afterwards, is
 * named unfinished until it is complete, and never replaces another file. */
#include "data/write/exchange-file.h"

#include "data/error.h"
#include "data/read/reader.h"
#include "tests/data/write/full-disk.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 3,
  N_COLS = 5,
  N_PIXELS = N_ROWS * N_COLS,
  MAX_BYTES = N_PIXELS * sizeof (double),
  SPARE_BYTES = 256 << 10 /* that are taken before each frame */
};

typedef struct
{
  char *folder, *path, *unfinished;
  TlSampleType type;
  TlExchangeFile *file;
} Fixture;

static TlExchangeFile *
open_file (const Fixture *fixture, GError **error)
{
  const TlExchangeFileLayout layout = {
    .n_rows = N_ROWS,
    .n_cols = N_COLS,
    .type = fixture->type,
    .title = "zmq+json://detector:9610",
    .start = "2026-01-02T03:04:05Z",
  };
  return tl_exchange_file_open (fixture->path, &layout, error);
}

static void
set_up (Fixture *fixture, gconstpointer type)
{
  g_autoptr (GError) error = NULL;
  fixture->folder = make_folder ();
  fixture->path = g_build_filename (fixture->folder, "scan.h5", NULL);
  fixture->unfinished =
      g_build_filename (fixture->folder, "scan.unfinished.h5", NULL);
  fixture->type = (TlSampleType)GPOINTER_TO_INT (type);
  fixture->file = open_file (fixture, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer type)
{
  remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
  g_free (fixture->unfinished);
}

/* Any bytes but NaN, and no counts that have more digits than a float. */
static void
make_frame (guint8 *bytes, TlSampleType type, guint8 seed)
{
  const gboolean is_wide = type == TL_SAMPLE_U32 || type == TL_SAMPLE_I32;
  for (size_t k = 0; k < MAX_BYTES; k++)
    bytes[k] = is_wide && k % 4 >= 2 ? 0 : (guint8)((seed * 31 + k * 7) & 63);
}

static void
append (const Fixture *fixture, TlImageKey key, guint8 seed, double angle_deg)
{
  g_autoptr (GError) error = NULL;
  guint8 bytes[MAX_BYTES];
  make_frame (bytes, fixture->type, seed);
  tl_exchange_file_append (fixture->file, key, bytes, angle_deg, &error);
  g_assert_no_error (error);
}

static void
close_file (Fixture *fixture, size_t n_missing, gboolean is_complete,
            const char *want)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_exchange_file_close (
      g_steal_pointer (&fixture->file), n_missing, is_complete, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, want);
  g_assert_true (g_file_test (want, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

static TlReader *
open_reader (const char *path)
{
  g_autoptr (GError) error = NULL;
  TlReader *reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  return reader;
}

static void
assert_frame (TlReader *reader, TlFrameKind kind, size_t frame, guint8 seed)
{
  guint8 want[MAX_BYTES], got[MAX_BYTES];
  const TlSampleType type = tl_reader_get_type (reader, kind);
  const size_t n_bytes = N_PIXELS * tl_sample_size (type);
  make_frame (want, type, seed);
  g_assert_true (
      tl_reader_read_frames (reader, kind, frame, 1, 0, N_ROWS, got, NULL));
  g_assert_cmpmem (got, n_bytes, want, n_bytes);
}

/* The frames of the scan that fill_scan() writes. */
static void
assert_scan (const char *path, TlSampleType type)
{
  g_autoptr (TlReader) reader = open_reader (path);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpstr (info->format, ==, "Data Exchange HDF5");
  g_assert_cmpint (info->type, ==, type);
  g_assert_cmpuint (info->n_projections, ==, 3);
  g_assert_cmpuint (info->n_flats, ==, 3);
  g_assert_cmpuint (info->n_flats_before, ==, 2);
  g_assert_cmpuint (info->n_darks, ==, 1);
  for (guint8 k = 0; k < 3; k++)
    {
      assert_frame (reader, TL_FRAMES_PROJECTIONS, k, (guint8)(10 + k));
      assert_frame (reader, TL_FRAMES_FLATS, k, (guint8)(20 + k));
    }
  assert_frame (reader, TL_FRAMES_DARKS, 0, 30);
  g_assert_cmpfloat (info->angles_deg[0], ==, 90);
  g_assert_cmpfloat (info->angles_deg[1], ==, 0.1);
  g_assert_cmpfloat (info->angles_deg[2], ==, 45);
}

static void
fill_scan (const Fixture *fixture)
{
  append (fixture, TL_IMAGE_KEY_DARK, 30, NAN);
  append (fixture, TL_IMAGE_KEY_FLAT, 20, NAN);
  append (fixture, TL_IMAGE_KEY_FLAT, 21, NAN);
  append (fixture, TL_IMAGE_KEY_PROJECTION, 10, 90);
  append (fixture, TL_IMAGE_KEY_PROJECTION, 11, 0.1);
  append (fixture, TL_IMAGE_KEY_FLAT, 22, NAN);
  append (fixture, TL_IMAGE_KEY_PROJECTION, 12, 45);
}

static void
test_types (Fixture *fixture, gconstpointer type)
{
  fill_scan (fixture);
  assert_scan (fixture->unfinished, fixture->type);
  close_file (fixture, 0, TRUE, fixture->path);
  assert_scan (fixture->path, fixture->type);
}

/* Each frame can be read when it has been appended. */
static void
test_grows (Fixture *fixture, gconstpointer type)
{
  append (fixture, TL_IMAGE_KEY_FLAT, 20, NAN);
  for (guint8 k = 0; k < 40; k++)
    {
      append (fixture, TL_IMAGE_KEY_PROJECTION, k, k);
      g_autoptr (TlReader) reader = open_reader (fixture->unfinished);
      g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, k + 1);
      assert_frame (reader, TL_FRAMES_PROJECTIONS, k, k);
      g_assert_cmpfloat (tl_reader_get_info (reader)->angles_deg[k], ==, k);
    }
  close_file (fixture, 0, FALSE, fixture->unfinished);
}

/* A projection whose angle nobody knows is in the file, but not in the scan. */
static void
test_without_angle (Fixture *fixture, gconstpointer type)
{
  const TlReaderOptions given = { .has_angles = TRUE, .angles_deg = { 0, 90 } };
  append (fixture, TL_IMAGE_KEY_PROJECTION, 1, 10);
  append (fixture, TL_IMAGE_KEY_PROJECTION, 2, NAN);
  append (fixture, TL_IMAGE_KEY_PROJECTION, 3, 20);
  close_file (fixture, 0, TRUE, fixture->path);
  g_autoptr (TlReader) reader = open_reader (fixture->path);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 2);
  assert_frame (reader, TL_FRAMES_PROJECTIONS, 1, 3);
  g_autoptr (TlReader) all = tl_reader_open (fixture->path, &given, NULL);
  g_assert_cmpuint (tl_reader_get_info (all)->n_projections, ==, 3);
  assert_frame (all, TL_FRAMES_PROJECTIONS, 1, 2);
}

static void
assert_there (GError *error, const char *path)
{
  g_autofree char *want =
      g_strdup_printf ("%s: cannot be written: there is a file or folder of "
                       "this name: choose another",
                       path);
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_cmpstr (error->message, ==, want);
}

/* Neither the unfinished nor the complete file replaces what is there. */
static void
test_existing (Fixture *fixture, gconstpointer type)
{
  g_autoptr (GError) first = NULL, second = NULL;
  g_autofree char *contents = NULL;
  g_assert_null (open_file (fixture, &first));
  assert_there (first, fixture->unfinished);
  append (fixture, TL_IMAGE_KEY_PROJECTION, 1, 10);
  g_assert_true (g_file_set_contents (fixture->path, "precious", -1, NULL));
  g_assert_null (tl_exchange_file_close (g_steal_pointer (&fixture->file), 0,
                                         TRUE, &second));
  assert_there (second, fixture->path);
  g_assert_true (g_file_get_contents (fixture->path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "precious");
  g_assert_cmpuint (count_files (fixture->folder), ==, 2);
  g_autoptr (TlReader) reader = open_reader (fixture->unfinished);
  assert_frame (reader, TL_FRAMES_PROJECTIONS, 0, 1);
}

/* The full disk is noticed before HDF5 fails to write. */
static void
test_full_disk (Fixture *fixture, gconstpointer type)
{
  g_autoptr (GError) error = NULL;
  guint8 bytes[MAX_BYTES];
  guint8 n = 0;
  GStatBuf status;
  make_frame (bytes, fixture->type, 0);
  g_assert_cmpint (g_stat (fixture->unfinished, &status), ==, 0);
  limit_files ((guint64)status.st_size + SPARE_BYTES + 20 * sizeof bytes);
  while (n < 255
         && tl_exchange_file_append (fixture->file, TL_IMAGE_KEY_PROJECTION,
                                     bytes, n, &error))
    n++;
  lift_file_limit ();
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, fixture->unfinished));
  g_assert_cmpuint (n, >, 0);
  close_file (fixture, 0, FALSE, fixture->unfinished);
  g_autoptr (TlReader) reader = open_reader (fixture->unfinished);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int type = 0; type < TL_N_SAMPLE_TYPES; type++)
    {
      g_autofree char *path = g_strconcat (
          "/exchange-file/types/", tl_sample_name ((TlSampleType)type), NULL);
      g_test_add (path, Fixture, GINT_TO_POINTER (type), set_up, test_types,
                  tear_down);
    }
  const gconstpointer u16 = GINT_TO_POINTER (TL_SAMPLE_U16);
  g_test_add ("/exchange-file/grows", Fixture, u16, set_up, test_grows,
              tear_down);
  g_test_add ("/exchange-file/without-angle", Fixture, u16, set_up,
              test_without_angle, tear_down);
  g_test_add ("/exchange-file/existing", Fixture, u16, set_up, test_existing,
              tear_down);
  g_test_add ("/exchange-file/full-disk", Fixture, u16, set_up, test_full_disk,
              tear_down);
  return g_test_run ();
}
