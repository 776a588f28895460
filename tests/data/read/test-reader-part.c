/* Reads of a part of the projections before the others: which projections they
 * are, and that none of them is decoded again. */
#include "data/error.h"
#include "data/inflation.h"
#include "data/read/reader-private.h"
#include "tests/data/read/scan-files.h"

#include <math.h>
#include <tiffio.h>

enum
{
  N_FRAMES = 23,
  N_ROWS = 64,
  N_COLS = 1024, /* as large as one task decodes */
  ROW_BYTES = N_COLS * sizeof (float),
  N_IMAGES = 9
};

/* Never reached by the others, whatever they take. */
#define PATIENT_S 1e9

/* Replaces a function of the program (see meson.build): counts the chunks that
 * are inflated, and cancels a read. */
static gint n_inflated;  /* atomic */
static gint n_until_end; /* atomic: chunks until it cancels */
static GCancellable *cancellable;

gboolean __wrap_tl_inflate (const void *stored, size_t n_stored,
                            gboolean is_gzip, void *dest, size_t n_wanted,
                            size_t n);
gboolean __real_tl_inflate (const void *stored, size_t n_stored,
                            gboolean is_gzip, void *dest, size_t n_wanted,
                            size_t n);

gboolean
__wrap_tl_inflate (const void *stored, size_t n_stored, gboolean is_gzip,
                   void *dest, size_t n_wanted, size_t n)
{
  g_atomic_int_inc (&n_inflated);
  if (g_atomic_int_dec_and_test (&n_until_end))
    g_cancellable_cancel (cancellable);
  return __real_tl_inflate (stored, n_stored, is_gzip, dest, n_wanted, n);
}

static void
write_scan (Folder *folder, hsize_t chunk_frames)
{
  const H5Shape shape = { .dims = { N_FRAMES, N_ROWS, N_COLS },
                          .type = H5T_NATIVE_FLOAT,
                          .chunk = { chunk_frames, N_ROWS, N_COLS },
                          .deflate = TRUE };
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data", &shape);
  H5Fclose (file);
}

static TlReader *
open_scan (Folder *folder)
{
  TlReader *reader = assert_opens (folder, "scan.h5", NULL);
  tl_reader_browse (reader, G_MAXUINT64);
  g_atomic_int_set (&n_inflated, 0);
  return reader;
}

/* Asserts that @samples are row @row of each @every-th projection. */
static void
assert_row (const float *samples, size_t row, size_t every)
{
  for (size_t p = 0; p < N_FRAMES; p += every)
    for (size_t col = 0; col < N_COLS; col++)
      g_assert_cmpfloat (samples[p / every * N_COLS + col], ==,
                         (float)sample_value (0, p, row, col));
}

static void
assert_whole (TlReader *reader, size_t row)
{
  g_autoptr (GError) error = NULL;
  g_autofree float *samples = g_malloc (N_FRAMES * ROW_BYTES);
  tl_reader_read (reader, row, 1, samples, NULL, &error);
  g_assert_no_error (error);
  assert_row (samples, row, 1);
}

/* Returns: the stride of the projections that were read */
static guint
read_part (TlReader *reader, size_t row, guint every, double patience_s)
{
  g_autoptr (GError) error = NULL;
  g_autofree float *samples = g_malloc (N_FRAMES * ROW_BYTES);
  tl_reader_read_part (reader, row, 1, &every, patience_s, samples, NULL,
                       &error);
  g_assert_no_error (error);
  assert_row (samples, row, every);
  return every;
}

/* Each projection is decoded once, whichever parts are read before. */
static void
test_once (void)
{
  static const guint strides[] = { 2, 4, 5, 8, N_FRAMES, 100 };
  g_autoptr (Folder) folder = folder_new ();
  write_scan (folder, 1);
  for (size_t i = 0; i < 2 * G_N_ELEMENTS (strides); i++)
    {
      const guint every = strides[i / 2];
      const gint n_part = (gint)((N_FRAMES + every - 1) / every);
      g_autoptr (TlReader) reader = open_scan (folder);
      tl_reader_fix_n_threads (reader, i % 2 == 0 ? 1 : 3);
      g_assert_cmpuint (read_part (reader, 20, every, 0), ==, every);
      g_assert_cmpint (n_inflated, ==, n_part);
      g_assert_cmpuint (read_part (reader, 21, every, 0), ==, every);
      g_assert_cmpint (n_inflated, ==, n_part);
      assert_whole (reader, 20);
      assert_whole (reader, 60);
      g_assert_cmpint (n_inflated, ==, N_FRAMES);
      /* nothing remains */
      g_assert_cmpuint (read_part (reader, 21, every, 0), ==, 1);
      g_assert_cmpint (n_inflated, ==, N_FRAMES);
    }
}

/* Parts of other strides share projections. */
static void
test_strides (void)
{
  g_autoptr (Folder) folder = folder_new ();
  write_scan (folder, 1);
  g_autoptr (TlReader) reader = open_scan (folder);
  g_assert_cmpuint (read_part (reader, 3, 8, 0), ==, 8);
  g_assert_cmpint (n_inflated, ==, 3);
  g_assert_cmpuint (read_part (reader, 3, 4, 0), ==, 4);
  g_assert_cmpint (n_inflated, ==, 6);
  g_assert_cmpuint (read_part (reader, 3, 3, 0), ==, 3);
  g_assert_cmpint (n_inflated, ==, 12); /* 0 and 12 were there */
  assert_whole (reader, 3);
  g_assert_cmpint (n_inflated, ==, N_FRAMES);
}

/* Where the others take no time, or would be decoded twice, all are read. */
static void
test_all (void)
{
  static const struct
  {
    hsize_t chunk_frames;
    guint64 budget;
    double patience_s;
    gint n_chunks;
  } cases[] = {
    { 1, G_MAXUINT64, PATIENT_S, N_FRAMES },
    { 1, ROW_BYTES, 0, N_FRAMES },
    { 1, 0, 0, N_FRAMES },
    { 5, G_MAXUINT64, 0, 5 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      write_scan (folder, cases[i].chunk_frames);
      g_autoptr (TlReader) reader = open_scan (folder);
      tl_reader_browse (reader, cases[i].budget);
      g_assert_cmpuint (read_part (reader, 9, 4, cases[i].patience_s), ==, 1);
      g_assert_cmpint (n_inflated, ==, cases[i].n_chunks);
    }
}

/* What was decoded before a read was cancelled is kept. */
static void
test_cancelled (void)
{
  static const guint strides[] = { 2, 1 };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree float *samples = g_malloc (N_FRAMES * ROW_BYTES);
  write_scan (folder, 1);
  for (guint n_threads = 1; n_threads <= 3; n_threads++)
    {
      gint n_before = 0;
      g_autoptr (TlReader) reader = open_scan (folder);
      tl_reader_fix_n_threads (reader, n_threads);
      for (size_t i = 0; i < 2 * G_N_ELEMENTS (strides); i++)
        {
          g_autoptr (GError) error = NULL;
          guint every = strides[i / 2];
          cancellable = g_cancellable_new ();
          g_atomic_int_set (&n_until_end, 2);
          g_assert_false (tl_reader_read_part (reader, 7, 1, &every, 0, samples,
                                               cancellable, &error));
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
          g_clear_object (&cancellable);
          g_assert_cmpint (n_inflated, >=, n_before + 2);
          n_before = n_inflated;
        }
      g_assert_cmpint (n_inflated, <, N_FRAMES);
      assert_whole (reader, 7);
      g_assert_cmpint (n_inflated, ==, N_FRAMES);
    }
}

/* The error is that of all projections, whether the part has bad samples or
 * not. */
static void
test_bad (void)
{
  static const char *const refusals[] = {
    "scan.h5: 2 samples are NaN or infinite, the first in projection 4, *",
    NULL, /* the part has neither 4 nor 9 */
  };
  const float bad = NAN;
  const hsize_t two = 2, at[] = { 4, 7, 3, 9, 7, 2 };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree float *samples = g_malloc (N_FRAMES * ROW_BYTES);
  write_scan (folder, 1);
  g_autofree char *path = folder_path (folder, "scan.h5");
  hid_t file = H5Fopen (path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  hid_t space = H5Dget_space (dataset);
  hid_t memory = H5Screate_simple (1, &two, NULL);
  H5Sselect_elements (space, H5S_SELECT_SET, 2, at);
  H5Dwrite (dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT,
            (float[]){ bad, bad });
  H5Sclose (memory);
  H5Sclose (space);
  H5Dclose (dataset);
  H5Fclose (file);
  for (size_t i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TlReader) reader = open_scan (folder);
      guint every = i == 0 ? 4 : 5;
      const gboolean good =
          tl_reader_read_part (reader, 7, 1, &every, 0, samples, NULL, &error);
      g_assert_true (good == (refusals[i] == NULL));
      g_assert_cmpuint (every, ==, good ? 5 : 1);
      if (!good)
        {
          g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
          g_assert_true (g_pattern_match_simple (refusals[i], error->message));
        }
      g_assert_false (tl_reader_read (reader, 7, 1, samples, NULL, NULL));
      g_assert_cmpint (n_inflated, ==, N_FRAMES);
    }
}

/* Images of a folder: those of the part are empty when the others are read. */
static void
test_images (void)
{
  static const guint16 compressions[] = { COMPRESSION_ADOBE_DEFLATE,
                                          COMPRESSION_LZW, COMPRESSION_NONE };
  for (size_t i = 0; i < G_N_ELEMENTS (compressions); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      for (size_t k = 0; k < N_IMAGES; k++)
        {
          g_autofree char *name = g_strdup_printf ("p%zu.tif", k);
          const TiffShape shape = { .dims = { 1, 5, 7 },
                                    .type = TL_SAMPLE_U16,
                                    .first_frame = k,
                                    .compression = compressions[i] };
          folder_write_tiff (folder, name, &shape);
        }
      guint every = 4;
      guint16 samples[N_IMAGES * 7];
      g_autoptr (GError) error = NULL;
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      tl_reader_browse (reader, G_MAXUINT64);
      tl_reader_read_part (reader, 2, 1, &every, 0, samples, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (every, ==, 4);
      for (size_t k = 0; k < 3; k++)
        g_assert_cmpuint (samples[k * 7 + 6], ==,
                          sample_value (0, k * 4, 2, 6));
      folder_truncate (folder, "p0.tif", 0);
      folder_truncate (folder, "p4.tif", 0);
      folder_truncate (folder, "p8.tif", 0);
      assert_samples (reader, 0, NULL);
    }
}

/* Sinograms, [row][frame][col], @chunk_rows of them in a chunk. */
static TlReader *
open_sinograms (Folder *folder, hsize_t chunk_rows)
{
  const TlReaderOptions options = { .data_path = "/run/sino",
                                    .angles_path = "/run/theta" };
  const H5Shape shape = { .dims = { N_ROWS, N_FRAMES, N_COLS },
                          .type = H5T_NATIVE_FLOAT,
                          .chunk = { chunk_rows, N_FRAMES, N_COLS },
                          .deflate = TRUE };
  double angles[N_FRAMES];
  for (size_t p = 0; p < N_FRAMES; p++)
    angles[p] = (double)p;
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/run/sino", &shape);
  h5_write_numbers (file, "/run/theta", angles, N_FRAMES, NULL);
  H5Fclose (file);
  TlReader *reader = assert_opens (folder, "scan.h5", &options);
  g_atomic_int_set (&n_inflated, 0);
  return reader;
}

/* Asserts that rows of sinograms are read from @n_chunks chunks, each of which
 * is inflated once. */
static void
assert_sinograms (TlReader *reader, const size_t *rows, size_t n_rows,
                  gint n_chunks)
{
  g_autoptr (GError) error = NULL;
  g_autofree float *samples = g_malloc (n_rows * N_FRAMES * ROW_BYTES);
  size_t n_done = 0;
  g_atomic_int_set (&n_inflated, 0);
  tl_reader_read_list (reader, rows, n_rows, &n_done, samples, NULL, &error);
  g_assert_no_error (error);
  for (size_t i = 0; i < N_FRAMES * n_rows; i++)
    for (size_t col = 0; col < N_COLS; col++)
      g_assert_cmpfloat (
          samples[i * N_COLS + col], ==,
          (float)sample_value (0, rows[i % n_rows], i / n_rows, col));
  g_assert_cmpint (n_inflated, ==, n_chunks);
}

/* A file that has changed is read as fast as before. */
static void
test_sinograms_again (void)
{
  static const size_t rows[] = { 5, 9, 10 };
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (TlReader) reader = open_sinograms (folder, 1);
  assert_sinograms (reader, rows, G_N_ELEMENTS (rows), 3);
  g_assert_true (tl_reader_refresh (reader));
  assert_sinograms (reader, rows, G_N_ELEMENTS (rows), 3);
}

/* Rows that are not one run have a chunk in common. */
static void
test_sinograms_together (void)
{
  static const size_t rows[] = { 1, 3, 4, 7, 15, 16, 17, 40 };
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (TlReader) reader = open_sinograms (folder, 8);
  assert_sinograms (reader, rows, G_N_ELEMENTS (rows), 4);
  assert_sinograms (reader, rows, 4, 1);
  assert_sinograms (reader, rows + 4, 3, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/part/once", test_once);
  g_test_add_func ("/part/strides", test_strides);
  g_test_add_func ("/part/all", test_all);
  g_test_add_func ("/part/cancelled", test_cancelled);
  g_test_add_func ("/part/bad", test_bad);
  g_test_add_func ("/part/images", test_images);
  g_test_add_func ("/part/sinograms-again", test_sinograms_again);
  g_test_add_func ("/part/sinograms-together", test_sinograms_together);
  return g_test_run ();
}
