/* Reads with a budget of memory for later reads: the same samples, fields and
 * errors, and each image is decoded once where the budget has room for all. */
#include "data/error.h"
#include "data/inflation.h"
#include "tests/data/read/scan-files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
  N_FRAMES = 23,
  N_ROWS = 7,
  N_COLS = 11,
  ROW_BYTES = N_FRAMES * N_COLS * sizeof (float),
  FIELD_BYTES = 6 * N_ROWS * N_COLS * sizeof (double) /* 3 are sums */
};

/* A scan whose projections have a NaN in row 6. */
static void
write_scan (Folder *folder, const hsize_t *chunk)
{
  H5Shape shape = { .dims = { N_FRAMES, N_ROWS, N_COLS },
                    .type = H5T_NATIVE_FLOAT,
                    .chunk = { chunk[0], chunk[1], chunk[2] },
                    .deflate = TRUE };
  const float bad = NAN;
  const hsize_t one = 1, at[] = { 20, 6, 3 };
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data", &shape);
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  hid_t space = H5Dget_space (dataset);
  hid_t memory = H5Screate_simple (1, &one, NULL);
  H5Sselect_elements (space, H5S_SELECT_SET, 1, at);
  H5Dwrite (dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, &bad);
  H5Sclose (memory);
  H5Sclose (space);
  H5Dclose (dataset);
  shape.dims[0] = 3;
  shape.chunk[0] = 1;
  shape.base = 1;
  h5_write_frames (file, "/exchange/data_dark", &shape);
  shape.base = 15;
  h5_write_frames (file, "/exchange/data_white", &shape);
  H5Fclose (file);
}

/* Rows and fields, or what the reader says instead. */
typedef struct
{
  float samples[N_FRAMES * N_ROWS * N_COLS];
  double fields[3][N_ROWS * N_COLS];
  size_t n_mended;
  char *message, *fields_message;
} Answer;

static void
ask (TlReader *reader, size_t first_row, size_t n_rows, Answer *answer)
{
  g_autoptr (GError) error = NULL, fields_error = NULL;
  double (*fields)[N_ROWS * N_COLS] = answer->fields;
  *answer = (Answer){ .n_mended = 0 };
  if (!tl_reader_read_fields (reader, first_row, n_rows, fields[0], fields[1],
                              fields[2], NULL, &fields_error))
    answer->fields_message = g_strdup (fields_error->message);
  if (tl_reader_read (reader, first_row, n_rows, answer->samples, NULL, &error))
    answer->n_mended = tl_reader_get_n_mended (reader);
  else
    answer->message = g_strdup (error->message);
}

static void
assert_same_answers (TlReader *reader, TlReader *plain, size_t first_row,
                     size_t n_rows)
{
  g_autofree Answer *got = g_new (Answer, 1), *want = g_new (Answer, 1);
  ask (plain, first_row, n_rows, want);
  ask (reader, first_row, n_rows, got);
  g_assert_cmpstr (got->message, ==, want->message);
  g_assert_cmpstr (got->fields_message, ==, want->fields_message);
  g_assert_cmpuint (got->n_mended, ==, want->n_mended);
  if (want->message == NULL)
    g_assert_cmpmem (got->samples, n_rows * ROW_BYTES, want->samples,
                     n_rows * ROW_BYTES);
  g_assert_cmpmem (got->fields, sizeof got->fields, want->fields,
                   sizeof want->fields);
  g_free (got->message);
  g_free (got->fields_message);
  g_free (want->message);
  g_free (want->fields_message);
}

/* Blocks of rows that overlap or not, upwards and at random. */
static void
test_same (void)
{
  static const hsize_t chunks[][3] = { { 1, N_ROWS, N_COLS },
                                       { 5, 3, 4 },
                                       { N_FRAMES, 2, N_COLS } };
  static const size_t budgets[] = { 1,
                                    FIELD_BYTES - 1,
                                    FIELD_BYTES,
                                    FIELD_BYTES + ROW_BYTES,
                                    FIELD_BYTES + 3 * ROW_BYTES,
                                    FIELD_BYTES + 5 * ROW_BYTES,
                                    FIELD_BYTES + N_ROWS * ROW_BYTES,
                                    G_MAXSIZE };
  for (size_t i = 0; i < 2 * G_N_ELEMENTS (chunks); i++)
    {
      const TlReaderOptions options = { .replace_nan = i % 2 == 0 };
      g_autoptr (Folder) folder = folder_new ();
      write_scan (folder, chunks[i / 2]);
      g_autoptr (TlReader) plain = assert_opens (folder, "scan.h5", &options);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
      for (size_t k = 0; k < G_N_ELEMENTS (budgets); k++)
        {
          for (size_t n = 1; n <= 3; n++)
            {
              tl_reader_set_budget (reader, budgets[k]);
              for (size_t row = 0; row + n <= N_ROWS; row += (n + 1) / 2)
                assert_same_answers (reader, plain, row, n);
            }
          const size_t row = (size_t)g_test_rand_int_range (0, N_ROWS);
          assert_same_answers (reader, plain, row, N_ROWS - row);
        }
    }
}

/* What was kept is not read again: the file is empty by then. */
static void
test_once (void)
{
  static const struct
  {
    size_t budget, first, n_kept; /* rows */
  } cases[] = { { G_MAXSIZE, 0, N_ROWS },
                { FIELD_BYTES + N_ROWS * ROW_BYTES, 4, N_ROWS },
                { FIELD_BYTES + N_ROWS * ROW_BYTES - 1, 0, N_ROWS - 1 },
                { FIELD_BYTES + 3 * ROW_BYTES, 0, 3 } };
  const TlReaderOptions options = { .replace_nan = TRUE };
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_autofree Answer *answer = g_new (Answer, 1);
      write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
      const TlDecoding *decoding = &tl_reader_get_info (reader)->decoding;
      g_assert_cmpuint (decoding->fields_bytes, ==, FIELD_BYTES);
      g_assert_cmpuint (decoding->row_bytes, ==, ROW_BYTES);
      tl_reader_set_budget (reader, cases[i].budget);
      ask (reader, cases[i].first, 1, answer);
      g_assert_null (answer->message);
      folder_truncate (folder, "scan.h5", 0);
      for (size_t row = 0; row < N_ROWS; row++)
        {
          ask (reader, row, 1, answer);
          g_assert_true ((answer->message == NULL) == (row < cases[i].n_kept));
          g_assert_true ((answer->fields_message == NULL)
                         == (row <= cases[i].n_kept));
          g_free (answer->message);
          g_free (answer->fields_message);
        }
    }
}

/* A chunk that cannot be inflated spoils its own rows alone. */
static void
test_damaged (void)
{
  static const char nonsense[] = "nonsense";
  const hsize_t at[] = { 10, 3, 0 };
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autoptr (Folder) folder = folder_new ();
  write_scan (folder, (hsize_t[]){ 5, 3, N_COLS });
  g_autofree char *path = folder_path (folder, "scan.h5");
  hid_t file = H5Fopen (path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  H5Dwrite_chunk (dataset, H5P_DEFAULT, 0, at, sizeof nonsense, nonsense);
  H5Dclose (dataset);
  H5Fclose (file);
  g_autoptr (TlReader) plain = assert_opens (folder, "scan.h5", &options);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  tl_reader_set_budget (reader, G_MAXSIZE);
  for (size_t row = 0; row < N_ROWS; row++)
    {
      g_autofree Answer *answer = g_new (Answer, 1);
      assert_same_answers (reader, plain, row, 1);
      ask (reader, row, 1, answer);
      g_assert_true ((answer->message == NULL) == (row / 3 != 1));
      if (answer->message != NULL)
        g_assert_true (g_str_has_prefix (answer->message, "scan.h5: "));
      g_free (answer->message);
    }
}

/* A read that was cancelled keeps nothing that is wrong. */
static void
test_cancelled (void)
{
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Answer *answer = g_new (Answer, 1);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  g_autoptr (TlReader) plain = assert_opens (folder, "scan.h5", &options);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  tl_reader_set_budget (reader, G_MAXSIZE);
  g_cancellable_cancel (cancellable);
  for (int run = 0; run < 2; run++)
    {
      g_autoptr (GError) error = NULL, fields_error = NULL;
      g_assert_false (
          tl_reader_read (reader, 2, 1, answer->samples, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_false (tl_reader_read_fields (
          reader, 2, 1, answer->fields[0], answer->fields[1], answer->fields[2],
          cancellable, &fields_error));
      g_assert_error (fields_error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
  for (size_t row = 0; row < N_ROWS; row++)
    assert_same_answers (reader, plain, row, 1);
}

/* --- rows in any order --- */

static void
test_browsing (void)
{
  static const struct
  {
    size_t asked, first_kept, end_kept; /* rows */
  } cases[] = { { 3, 2, 5 }, { 0, 0, 3 }, { 6, 4, 7 } };
  const TlReaderOptions options = { .replace_nan = TRUE };
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_autofree Answer *answer = g_new (Answer, 1);
      write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
      g_autoptr (TlReader) plain = assert_opens (folder, "scan.h5", &options);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
      tl_reader_browse (reader, FIELD_BYTES + 3 * ROW_BYTES);
      for (size_t n = 1; n <= N_ROWS; n++)
        for (size_t row = 0; row + n <= N_ROWS; row++)
          assert_same_answers (reader, plain, row * 5 % (N_ROWS - n + 1), n);
      tl_reader_browse (reader, FIELD_BYTES + 3 * ROW_BYTES);
      ask (reader, cases[i].asked, 1, answer);
      g_assert_null (answer->message);
      folder_truncate (folder, "scan.h5", 0);
      for (size_t row = cases[i].first_kept; row < cases[i].end_kept; row++)
        {
          ask (reader, row, 1, answer);
          g_assert_null (answer->message);
          g_assert_null (answer->fields_message);
        }
      ask (reader, (cases[i].first_kept + 3) % N_ROWS, 1, answer);
      g_assert_nonnull (answer->message);
      g_free (answer->message);
      g_free (answer->fields_message);
    }
}

/* Rows that the budget cannot keep leave those that are kept. */
static void
test_browsing_wide (void)
{
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Answer *answer = g_new (Answer, 1);
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  g_autoptr (TlReader) plain = assert_opens (folder, "scan.h5", &options);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  tl_reader_browse (reader, FIELD_BYTES + 3 * ROW_BYTES);
  assert_same_answers (reader, plain, 3, 1);
  assert_same_answers (reader, plain, 0, N_ROWS);
  folder_truncate (folder, "scan.h5", 0);
  ask (reader, 4, 1, answer);
  g_assert_null (answer->message);
}

/* --- ascending rows --- */

/* Finds the stored bytes of the chunk of frame 10. Not while a reader is open.
 */
static void
find_chunk (Folder *folder, haddr_t *offset, hsize_t *bytes)
{
  const hsize_t coord[] = { 10, 0, 0 };
  unsigned skipped;
  g_autofree char *path = folder_path (folder, "scan.h5");
  hid_t file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  g_assert_cmpint (
      H5Dget_chunk_info_by_coord (dataset, coord, &skipped, offset, bytes), >=,
      0);
  H5Dclose (dataset);
  H5Fclose (file);
}

static void
overwrite (Folder *folder, haddr_t offset)
{
  static const char wrong[4] = { 1, 2, 3, 4 };
  g_autofree char *path = folder_path (folder, "scan.h5");
  FILE *stream = fopen (path, "r+");
  fseek (stream, (long)offset, SEEK_SET);
  g_assert_cmpuint (fwrite (wrong, 1, sizeof wrong, stream), ==, sizeof wrong);
  fclose (stream);
}

/* Blocks with and without gaps, from any first row, and back again. */
static void
test_ascending (void)
{
  static const struct
  {
    hsize_t chunk[3];
    size_t n_open; /* images that are open at a time */
  } cases[] = { { { 1, N_ROWS, N_COLS }, N_FRAMES },
                { { 1, 3, N_COLS }, N_FRAMES },
                { { 1, 4, 5 }, 0 },
                { { 5, N_ROWS, N_COLS }, 0 } };
  for (size_t i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      const TlReaderOptions options = { .replace_nan = i % 2 == 0 };
      g_autoptr (Folder) folder = folder_new ();
      write_scan (folder, cases[i / 2].chunk);
      g_autoptr (TlReader) plain = assert_opens (folder, "scan.h5", &options);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
      const TlDecoding *decoding = &tl_reader_get_info (reader)->decoding;
      g_assert_true (decoding->can_ascend == (cases[i / 2].n_open > 0));
      if (cases[i / 2].n_open == 0)
        continue;
      g_assert_cmpuint (decoding->fields_bytes, ==, FIELD_BYTES);
      g_assert_cmpuint (decoding->ascending_bytes, ==,
                        cases[i / 2].n_open * TL_INFLATION_BYTES);
      tl_reader_ascend (reader);
      for (size_t n = 1; n <= 3; n++)
        for (size_t gap = 0; gap <= 2; gap++)
          for (size_t row = gap; row + n <= N_ROWS; row += n + gap)
            assert_same_answers (reader, plain, row, n);
      assert_same_answers (reader, plain, 0, N_ROWS);
    }
}

/* What was inflated once is not inflated again: it is not there any more. */
static void
test_ascending_once (void)
{
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Answer *answers = g_new (Answer, 2);
  haddr_t offset;
  hsize_t bytes;
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  find_chunk (folder, &offset, &bytes);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  ask (reader, 4, 3, &answers[1]);
  tl_reader_ascend (reader);
  ask (reader, 0, 4, &answers[0]);
  overwrite (folder, offset);
  ask (reader, 4, 3, &answers[0]);
  g_assert_null (answers[0].message);
  g_assert_cmpmem (answers[0].samples, 3 * ROW_BYTES, answers[1].samples,
                   3 * ROW_BYTES);
  ask (reader, 0, 1, &answers[0]);
  g_assert_nonnull (answers[0].message);
  g_free (answers[0].message);
}

/* What stands behind the rows is not decoded, so that damage there shows when
 * the last row is read. */
static void
test_browsing_damaged (void)
{
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Answer *answer = g_new (Answer, 1);
  haddr_t offset;
  hsize_t bytes;
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  find_chunk (folder, &offset, &bytes);
  overwrite (folder, offset + bytes - 4);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  ask (reader, 2, 1, answer);
  g_assert_nonnull (answer->message);
  g_free (answer->message);
  tl_reader_browse (reader, FIELD_BYTES);
  ask (reader, 2, 1, answer);
  g_assert_null (answer->message);
  ask (reader, N_ROWS - 1, 1, answer);
  g_assert_nonnull (answer->message);
  g_free (answer->message);
}

/* Where a checksum is wrong, the error says that the rows before may be wrong,
 * too, and which projection it is. */
static void
test_ascending_damaged (void)
{
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Answer *answer = g_new (Answer, 1);
  g_autoptr (GError) error = NULL, plain_error = NULL;
  haddr_t offset;
  hsize_t bytes;
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  find_chunk (folder, &offset, &bytes);
  overwrite (folder, offset + bytes - 4);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  tl_reader_ascend (reader);
  ask (reader, 0, N_ROWS - 1, answer);
  g_assert_null (answer->message);
  g_assert_false (
      tl_reader_read (reader, N_ROWS - 1, 1, answer->samples, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_DAMAGE);
  g_assert_true (g_str_has_prefix (error->message, "scan.h5: "));
  g_assert_true (g_str_has_suffix (
      error->message, "; leave-out=10 leaves this projection out"));
  g_assert_false (
      tl_reader_read (reader, 0, N_ROWS, answer->samples, NULL, &plain_error));
  g_assert_error (plain_error, TL_ERROR, TL_ERROR_FILE);
}

/* --- a device --- */

/* Inflates as one does, with GIO. */
typedef struct
{
  TlInflater base;
  gboolean fails, cancels;
  gint n_calls; /* atomic */
  size_t n_prepared;
  guint *n_forgotten, *n_freed;
} Device;

static gboolean
inflate_stream (const TlInflaterRequest *request, size_t k, char *plain)
{
  g_autoptr (GZlibDecompressor) decompressor =
      g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  const size_t n = (size_t)request->stored_bytes[k];
  g_autofree char *stored = g_malloc (n);
  gsize n_read, n_written;
  return request->read (request->data, request->first + k, 0, n, stored)
         && g_converter_convert (G_CONVERTER (decompressor), stored, n, plain,
                                 (gsize)request->bytes,
                                 G_CONVERTER_INPUT_AT_END, &n_read, &n_written,
                                 NULL)
                != G_CONVERTER_ERROR
         && n_written == request->bytes;
}

static gboolean
device_inflate (TlInflater *base, const TlInflaterRequest *request)
{
  Device *device = (Device *)base;
  g_autofree char *plain = g_malloc ((gsize)request->bytes);
  g_atomic_int_inc (&device->n_calls);
  if (device->cancels)
    g_cancellable_cancel (base->cancellable);
  for (size_t k = 0; k < request->n; k++)
    {
      if (device->fails || device->cancels
          || !inflate_stream (request, k, plain))
        return FALSE;
      memcpy (request->dest + k * request->stride, plain + request->first_byte,
              request->n_bytes);
    }
  return TRUE;
}

static void
device_prepare (TlInflater *base, size_t n)
{
  ((Device *)base)->n_prepared = n;
}

static void
device_forget (TlInflater *base)
{
  (*((Device *)base)->n_forgotten)++;
}

static void
device_free (TlInflater *base)
{
  (*((Device *)base)->n_freed)++;
  g_free (base);
}

static Device *
device_new (guint *n_forgotten, guint *n_freed)
{
  Device *device = g_new0 (Device, 1);
  device->base = (TlInflater){ .prepare = device_prepare,
                               .inflate = device_inflate,
                               .forget = device_forget,
                               .free = device_free };
  device->n_forgotten = n_forgotten;
  device->n_freed = n_freed;
  return device;
}

/* The same samples with a device, also where it fails; it is used only where a
 * part of an image may be inflated without the rest. */
static void
test_device (void)
{
  static const struct
  {
    hsize_t chunk[3];
    gboolean is_used;
  } cases[] = { { { 1, N_ROWS, N_COLS }, TRUE },
                { { 1, 3, N_COLS }, TRUE },
                { { 1, 4, 5 }, FALSE },
                { { 5, N_ROWS, N_COLS }, FALSE } };
  for (size_t i = 0; i < 3 * G_N_ELEMENTS (cases); i++)
    {
      const TlReaderOptions options = { .replace_nan = TRUE };
      guint n_forgotten = 0, n_freed = 0;
      g_autoptr (Folder) folder = folder_new ();
      write_scan (folder, cases[i / 3].chunk);
      g_autoptr (TlReader) plain = assert_opens (folder, "scan.h5", &options);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
      Device *device = device_new (&n_forgotten, &n_freed);
      device->fails = i % 3 == 2;
      if (i % 3 == 0 && cases[i / 3].is_used)
        tl_reader_ascend (reader);
      else
        tl_reader_browse (reader, 0);
      tl_reader_use_inflater (reader, &device->base);
      for (size_t n = 1; n <= 3; n++)
        for (size_t row = 0; row + n <= N_ROWS; row += n)
          assert_same_answers (reader, plain, row, n);
      g_assert_true ((device->n_calls > 0) == cases[i / 3].is_used);
      /* After a failure it is not asked again. */
      g_assert_true (!device->fails || device->n_calls <= 1);
      const guint n_before = n_forgotten;
      tl_reader_refresh (reader);
      g_assert_cmpuint (n_forgotten, >, n_before);
      assert_same_answers (reader, plain, 1, 2);
      tl_reader_close (g_steal_pointer (&reader));
      g_assert_cmpuint (n_freed, ==, 1);
    }
}

/* Another device takes the place of the first, and none that of another. */
static void
test_device_replaced (void)
{
  guint n_forgotten = 0, n_freed = 0;
  g_autoptr (Folder) folder = folder_new ();
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_autofree Answer *answer = g_new (Answer, 1);
  tl_reader_browse (reader, 0);
  tl_reader_use_inflater (reader, &device_new (&n_forgotten, &n_freed)->base);
  tl_reader_use_inflater (reader, &device_new (&n_forgotten, &n_freed)->base);
  g_assert_cmpuint (n_freed, ==, 1);
  tl_reader_use_inflater (reader, NULL);
  g_assert_cmpuint (n_freed, ==, 2);
  ask (reader, 1, 1, answer);
  g_assert_null (answer->message);
}

/* A read that is cancelled on the device does not go on without it. */
static void
test_device_cancelled (void)
{
  guint n_forgotten = 0, n_freed = 0;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Answer *answer = g_new (Answer, 1);
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  Device *device = device_new (&n_forgotten, &n_freed);
  device->cancels = TRUE;
  tl_reader_browse (reader, 0);
  tl_reader_use_inflater (reader, &device->base);
  g_assert_false (
      tl_reader_read (reader, 1, 1, answer->samples, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  device->cancels = FALSE;
  ask (reader, 1, 1, answer);
  g_assert_null (answer->message);
  g_assert_cmpint (device->n_calls, ==, 2);
}

/* Elsewhere each image is inflated as a whole, and its checksum compared. */
static void
test_device_whole (void)
{
  const TlReaderOptions options = { .replace_nan = TRUE };
  guint n_forgotten = 0, n_freed = 0;
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Answer *answer = g_new (Answer, 1);
  write_scan (folder, (hsize_t[]){ 1, N_ROWS, N_COLS });
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  Device *device = device_new (&n_forgotten, &n_freed);
  tl_reader_use_inflater (reader, &device->base);
  ask (reader, 2, 1, answer);
  g_assert_null (answer->message);
  g_assert_cmpint (device->n_calls, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/budget/same", test_same);
  g_test_add_func ("/budget/once", test_once);
  g_test_add_func ("/budget/damaged", test_damaged);
  g_test_add_func ("/budget/cancelled", test_cancelled);
  g_test_add_func ("/budget/browsing", test_browsing);
  g_test_add_func ("/budget/browsing-wide", test_browsing_wide);
  g_test_add_func ("/budget/browsing-damaged", test_browsing_damaged);
  g_test_add_func ("/budget/ascending", test_ascending);
  g_test_add_func ("/budget/ascending-once", test_ascending_once);
  g_test_add_func ("/budget/ascending-damaged", test_ascending_damaged);
  g_test_add_func ("/budget/device", test_device);
  g_test_add_func ("/budget/device-replaced", test_device_replaced);
  g_test_add_func ("/budget/device-cancelled", test_device_cancelled);
  g_test_add_func ("/budget/device-whole", test_device_whole);
  return g_test_run ();
}
