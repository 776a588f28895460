/* Reads in several threads: they give what one thread gives, in samples and
 * errors, whatever the layout of the file. */
#include "data/error.h"
#include "data/read/reader-private.h"
#include "tests/data/read/scan-files.h"

#include <math.h>
#include <string.h>
#include <tiffio.h>

enum
{
  /* Enough frames for several tasks of 64. */
  N_FRAMES = 201,
  N_ROWS = 7,
  N_COLS = 19
};

static const guint thread_counts[] = { 1, 2, 5 };

/* A dataset of random bits. */
typedef struct
{
  const char *name;
  hid_t type;          /* in the file; 0: native uint16 */
  hsize_t chunk[3];    /* 0: contiguous */
  const char *filters; /* s: shuffle, z: deflate, f: Fletcher's checksum; %NULL:
                          none */
  hsize_t user_block;
  gboolean is_new;  /* latest format, which stores chunks in other indices */
  gboolean has_gap; /* half of the frames are not written */
  gboolean is_raw;  /* every second chunk is stored without its filters */
} Layout;

static void
fill_random (void *samples, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    ((guint8 *)samples)[i] = (guint8)g_test_rand_int_range (0, 4);
}

/* Stores a chunk as it is in memory; the mask says that all filters are left
 * out. */
static void
write_raw_chunks (hid_t dataset, const hsize_t *chunk, size_t sample_bytes)
{
  const size_t bytes = chunk[0] * chunk[1] * chunk[2] * sample_bytes;
  g_autofree char *samples = g_malloc (bytes);
  for (hsize_t f = 0; f < N_FRAMES; f += 2 * chunk[0])
    {
      const hsize_t at[] = { f, 0, 0 };
      fill_random (samples, bytes);
      g_assert_cmpint (
          H5Dwrite_chunk (dataset, H5P_DEFAULT, 3, at, bytes, samples), >=, 0);
    }
}

static void
write_layout (Folder *folder, const Layout *layout)
{
  const hsize_t dims[] = { N_FRAMES, N_ROWS, N_COLS };
  const hsize_t written[] = { layout->has_gap ? N_FRAMES / 2 : N_FRAMES, N_ROWS,
                              N_COLS };
  const hid_t type = layout->type != 0 ? layout->type : H5T_NATIVE_UINT16;
  const size_t bytes = N_FRAMES * N_ROWS * N_COLS * H5Tget_size (type);
  g_autofree void *samples = g_malloc (bytes);
  g_autofree char *path = folder_path (folder, "scan.h5");
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);
  hid_t creation = H5Pcreate (H5P_FILE_CREATE);
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  hid_t links = H5Pcreate (H5P_LINK_CREATE);
  H5Pset_create_intermediate_group (links, 1);
  H5Pset_userblock (creation, layout->user_block);
  if (layout->is_new)
    H5Pset_libver_bounds (access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  if (layout->chunk[0] > 0)
    H5Pset_chunk (plist, 3, layout->chunk);
  for (const char *f = layout->filters; f != NULL && *f != '\0'; f++)
    if (*f == 's')
      H5Pset_shuffle (plist);
    else if (*f == 'z')
      H5Pset_deflate (plist, 4);
    else
      H5Pset_fletcher32 (plist);
  hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, creation, access);
  hid_t space = H5Screate_simple (3, dims, NULL);
  hid_t memory = H5Screate_simple (3, written, NULL);
  hid_t dataset = H5Dcreate2 (file, "/exchange/data", type, space, links, plist,
                              H5P_DEFAULT);
  fill_random (samples, bytes);
  H5Sselect_hyperslab (space, H5S_SELECT_SET, (hsize_t[]){ 0, 0, 0 }, NULL,
                       written, NULL);
  g_assert_cmpint (
      H5Dwrite (dataset, type, memory, space, H5P_DEFAULT, samples), >=, 0);
  if (layout->is_raw)
    write_raw_chunks (dataset, layout->chunk, H5Tget_size (type));
  H5Dclose (dataset);
  H5Sclose (memory);
  H5Sclose (space);
  H5Fclose (file);
  H5Pclose (links);
  H5Pclose (plist);
  H5Pclose (creation);
  H5Pclose (access);
}

/* Returns: (transfer full): all samples, read by HDF5 alone */
static char *
read_plainly (Folder *folder)
{
  g_autofree char *path = folder_path (folder, "scan.h5");
  hid_t file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  hid_t type = H5Dget_type (dataset);
  hid_t native = H5Tget_native_type (type, H5T_DIR_ASCEND);
  char *samples = g_malloc (N_FRAMES * N_ROWS * N_COLS * H5Tget_size (native));
  g_assert_cmpint (
      H5Dread (dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples), >=, 0);
  H5Tclose (native);
  H5Tclose (type);
  H5Dclose (dataset);
  H5Fclose (file);
  return samples;
}

/* Some rows: random ones, single and adjacent. Returns: their number */
static size_t
choose_rows (size_t *rows)
{
  size_t n = 0;
  while (n == 0)
    for (size_t row = 0; row < N_ROWS; row++)
      if (g_test_rand_bit ())
        rows[n++] = row;
  return n;
}

/* @all: [N_FRAMES][N_ROWS][N_COLS], what the file holds */
static void
assert_rows (TlReader *reader, const char *all, const size_t *rows,
             size_t n_rows)
{
  const size_t row_bytes =
      N_COLS * tl_sample_size (tl_reader_get_info (reader)->type);
  const size_t bytes = N_FRAMES * n_rows * row_bytes;
  g_autofree char *want = g_malloc (bytes);
  g_autofree char *samples = g_malloc (bytes);
  g_autoptr (GError) error = NULL;
  for (size_t i = 0; i < N_FRAMES * n_rows; i++)
    memcpy (want + i * row_bytes,
            all + (i / n_rows * N_ROWS + rows[i % n_rows]) * row_bytes,
            row_bytes);
  for (size_t t = 0; t < 2 * G_N_ELEMENTS (thread_counts); t++)
    {
      size_t n_done = 0;
      memset (samples, 0xee, bytes);
      tl_reader_fix_n_threads (reader, thread_counts[t / 2]);
      tl_reader_set_budget (reader, t % 2 * N_FRAMES * 4 * row_bytes);
      tl_reader_read_list (reader, rows, n_rows, &n_done, samples, NULL,
                           &error);
      g_assert_no_error (error);
      g_assert_cmpuint (n_done, ==, N_FRAMES);
      g_assert_cmpmem (samples, bytes, want, bytes);
    }
}

static void
assert_all_rows (TlReader *reader, const char *all)
{
  size_t rows[N_ROWS] = { 0, 1, 2, 3, 4, 5, 6 };
  assert_rows (reader, all, rows, N_ROWS);
  for (int run = 0; run < 3; run++)
    {
      const size_t n_rows = choose_rows (rows);
      assert_rows (reader, all, rows, n_rows);
    }
}

static void
test_hdf5 (void)
{
  const Layout layouts[] = {
    { "contiguous" },
    { "contiguous, behind a user block", .user_block = 512 },
    { "contiguous, big-endian", .type = H5T_STD_U16BE },
    { "a frame", .chunk = { 1, N_ROWS, N_COLS } },
    { "odd chunks that overhang", .chunk = { 3, 4, 5 } },
    { "some rows of a frame", .chunk = { 1, 3, N_COLS }, .filters = "z" },
    { "deflate", .chunk = { 1, N_ROWS, N_COLS }, .filters = "z" },
    { "all frames of a row", .chunk = { N_FRAMES, 1, N_COLS }, .filters = "z" },
    { "overhang, deflate", .chunk = { 5, 4, 8 }, .filters = "z" },
    { "overhang, shuffle", .chunk = { 5, 4, 8 }, .filters = "s" },
    { "overhang, shuffle, deflate", .chunk = { 2, 5, 10 }, .filters = "sz" },
    { "a byte", H5T_NATIVE_UINT8, .chunk = { 2, 5, 10 }, .filters = "sz" },
    { "4 bytes", H5T_NATIVE_UINT32, .chunk = { 64, 7, 19 }, .filters = "sz" },
    { "deflate, then shuffle", .chunk = { 2, 5, 10 }, .filters = "zs" },
    { "with checksum", .chunk = { 2, 5, 10 }, .filters = "szf" },
    { "checksum only", .chunk = { 2, 5, 10 }, .filters = "f" },
    { "chunks, big-endian", H5T_STD_U16BE, .chunk = { 2, 5, 10 },
      .filters = "sz" },
    { "chunks behind a user block", .chunk = { 2, 5, 10 }, .filters = "sz",
      .user_block = 1024 },
    { "chunks, behind a user block, not filtered", .chunk = { 2, 5, 10 },
      .user_block = 1024 },
    { "too many chunks for a list", .chunk = { 1, 1, 2 }, .filters = "sz" },
    { "too many chunks, not filtered", .chunk = { 1, 1, 2 } },
    { "latest format", .chunk = { 2, 5, 10 }, .filters = "sz", .is_new = TRUE },
    { "latest format, not filtered", .chunk = { 2, 5, 10 }, .is_new = TRUE },
    { "latest format, one chunk", .chunk = { N_FRAMES, N_ROWS, N_COLS },
      .filters = "z", .is_new = TRUE },
    { "missing frames", .chunk = { 2, 5, 10 }, .filters = "sz",
      .has_gap = TRUE },
    { "missing frames, not filtered", .chunk = { 1, 7, 19 }, .has_gap = TRUE },
    { "filters left out", .chunk = { 2, 5, 10 }, .filters = "sz",
      .is_raw = TRUE },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_test_message ("%s", layouts[i].name);
      write_layout (folder, &layouts[i]);
      g_autofree char *all = read_plainly (folder);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      assert_all_rows (reader, all);
    }
}

static void
test_tiff (void)
{
  static const TiffShape shapes[] = {
    { .type = TL_SAMPLE_U16 },
    { .type = TL_SAMPLE_U16, .mode = "wb", .strip_rows = 2 },
    { .type = TL_SAMPLE_F32, .strip_rows = 3, .compression = COMPRESSION_LZW },
    { .type = TL_SAMPLE_U16, .tile = 16 },
    { .type = TL_SAMPLE_F32,
      .tile = 16,
      .compression = COMPRESSION_ADOBE_DEFLATE },
  };
  const size_t n_samples = N_FRAMES * N_ROWS * N_COLS;
  for (size_t i = 0; i < 2 * G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      TiffShape shape = shapes[i / 2];
      const gboolean is_stack = i % 2 == 1;
      const size_t dims[] = { is_stack ? N_FRAMES : 1, N_ROWS, N_COLS };
      memcpy (shape.dims, dims, sizeof dims);
      for (size_t p = 0; p < N_FRAMES / dims[0]; p++)
        {
          g_autofree char *name = g_strdup_printf ("p%03zu.tif", p);
          shape.first_frame = p;
          folder_write_tiff (folder, name, &shape);
        }
      g_autoptr (TlReader) reader =
          assert_opens (folder, is_stack ? "p000.tif" : "", NULL);
      g_autofree char *all = g_malloc (n_samples * tl_sample_size (shape.type));
      for (size_t k = 0; k < n_samples; k++)
        {
          const double value = sample_value (0, k / N_COLS / N_ROWS,
                                             k / N_COLS % N_ROWS, k % N_COLS);
          if (shape.type == TL_SAMPLE_U16)
            ((guint16 *)all)[k] = (guint16)value;
          else
            ((float *)all)[k] = (float)value;
        }
      assert_all_rows (reader, all);
    }
}

/* A read fails with a message like @words. */
static void
assert_read_fails (TlReader *reader, int code, const char *words)
{
  const size_t bytes = tl_sample_size (tl_reader_get_info (reader)->type);
  g_autofree void *samples = g_malloc (N_FRAMES * N_ROWS * N_COLS * bytes);
  g_autoptr (GError) error = NULL;
  g_assert_false (tl_reader_read (reader, 0, N_ROWS, samples, NULL, &error));
  g_assert_error (error, TL_ERROR, code);
  if (!g_pattern_match_simple (words, error->message))
    g_error ("\"%s\" is not like \"%s\"", error->message, words);
}

/* All reads do so, in any number of threads. */
static void
assert_fails (TlReader *reader, int code, const char *words)
{
  for (size_t t = 0; t < G_N_ELEMENTS (thread_counts); t++)
    {
      tl_reader_fix_n_threads (reader, thread_counts[t]);
      assert_read_fails (reader, code, words);
    }
}

static void
test_truncated (void)
{
  g_autoptr (Folder) folder = folder_new ();
  write_layout (folder,
                &(Layout){ .chunk = { 1, N_ROWS, N_COLS }, .filters = "z" });
  g_autoptr (TlReader) chunked = assert_opens (folder, "scan.h5", NULL);
  folder_truncate (folder, "scan.h5", 0.6);
  assert_read_fails (chunked, TL_ERROR_FILE,
                     "scan.h5: frame * cannot be read: *");
  assert_fails (chunked, TL_ERROR_FILE,
                "scan.h5: another program has changed it, *");
  g_autoptr (Folder) other = folder_new ();
  write_layout (other, &(Layout){ .name = "contiguous" });
  g_autoptr (TlReader) contiguous = assert_opens (other, "scan.h5", NULL);
  folder_truncate (other, "scan.h5", 0.6);
  assert_fails (contiguous, TL_ERROR_FILE,
                "scan.h5: frame 1?? cannot be read: the file ends before it; "
                "leave-out=1??:* leaves out all of the projections*");
}

static void
test_tiff_unreadable (void)
{
  g_autoptr (Folder) folder = folder_new ();
  for (size_t p = 0; p < N_FRAMES; p++)
    {
      g_autofree char *name = g_strdup_printf ("p%03zu.tif", p);
      folder_write_tiff (folder, name,
                         &(TiffShape){ .dims = { 1, N_ROWS, N_COLS },
                                       .type = TL_SAMPLE_U16,
                                       .first_frame = p });
    }
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  folder_truncate (folder, "p101.tif", 0.4);
  folder_truncate (folder, "p102.tif", 0.4);
  folder_truncate (folder, "p190.tif", 0.4);
  assert_fails (reader, TL_ERROR_FILE, "p101.tif: *");
}

/* Sets samples to NaN. @rows: the same column of each is set */
static void
damage (Folder *folder, size_t frame, size_t n_rows, size_t col)
{
  const float bad[N_ROWS] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
  const hsize_t start[] = { frame, N_ROWS - n_rows, col };
  const hsize_t count[] = { 1, n_rows, 1 };
  g_autofree char *path = folder_path (folder, "scan.h5");
  hid_t file = H5Fopen (path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  hid_t space = H5Dget_space (dataset);
  hid_t memory = H5Screate_simple (3, count, NULL);
  H5Sselect_hyperslab (space, H5S_SELECT_SET, start, NULL, count, NULL);
  g_assert_cmpint (
      H5Dwrite (dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, bad), >=,
      0);
  H5Sclose (memory);
  H5Sclose (space);
  H5Dclose (dataset);
  H5Fclose (file);
}

static void
test_damaged (void)
{
  const size_t bytes = N_FRAMES * N_ROWS * N_COLS * sizeof (float);
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autofree char *samples = g_malloc (bytes), *first = g_malloc (bytes);
  g_autoptr (Folder) folder = folder_new ();
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data",
                   &(H5Shape){ .dims = { N_FRAMES, N_ROWS, N_COLS },
                               .type = H5T_NATIVE_FLOAT,
                               .chunk = { 2, 5, 10 },
                               .deflate = TRUE });
  H5Fclose (file);
  damage (folder, 190, 2, 7);
  damage (folder, 131, 3, 4);
  damage (folder, 130, 1, 18);
  g_autoptr (TlReader) strict = assert_opens (folder, "scan.h5", NULL);
  assert_fails (strict, TL_ERROR_VALUE,
                "scan.h5: 6 samples are NaN or infinite, the first in "
                "projection 130, row 6, column 18; *");
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  for (size_t t = 0; t < G_N_ELEMENTS (thread_counts); t++)
    {
      g_autoptr (GError) error = NULL;
      tl_reader_fix_n_threads (reader, thread_counts[t]);
      tl_reader_read (reader, 0, N_ROWS, samples, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (tl_reader_get_n_mended (reader), ==, 6);
      if (t == 0)
        memcpy (first, samples, bytes);
      g_assert_cmpmem (samples, bytes, first, bytes);
    }
  g_clear_pointer (&strict, tl_reader_close);
  g_clear_pointer (&reader, tl_reader_close);
  for (size_t col = 0; col < N_COLS; col++)
    {
      damage (folder, 150, 1, col);
      damage (folder, 180, 1, col);
    }
  g_autoptr (TlReader) worse = assert_opens (folder, "scan.h5", &options);
  assert_fails (worse, TL_ERROR_VALUE,
                "scan.h5: row 6 of projection 150 has no sample that is a "
                "number; leave-out=150,180 leaves out all of the projections "
                "that cannot be read");
}

static gpointer
cancel (gpointer cancellable)
{
  g_usleep ((gulong)g_test_rand_int_range (0, 800));
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* A read that was cancelled at any time is continued. */
static void
test_cancelled (void)
{
  const size_t rows[] = { 1, 2, 5 };
  const size_t bytes =
      N_FRAMES * G_N_ELEMENTS (rows) * N_COLS * sizeof (guint16);
  g_autofree char *want = g_malloc (bytes), *samples = g_malloc (bytes);
  g_autoptr (Folder) folder = folder_new ();
  write_layout (folder,
                &(Layout){ .chunk = { 1, N_ROWS, N_COLS }, .filters = "sz" });
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  size_t n_done = 0;
  g_assert_true (
      tl_reader_read_list (reader, rows, 3, &n_done, want, NULL, NULL));
  for (int run = 0; run < 30; run++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      tl_reader_fix_n_threads (
          reader, thread_counts[run % G_N_ELEMENTS (thread_counts)]);
      tl_reader_set_budget (reader, run % 2 == 0 ? 0 : G_MAXSIZE);
      memset (samples, 0xee, bytes);
      n_done = 0;
      if (run < 3)
        g_cancellable_cancel (cancellable);
      GThread *thread = g_thread_new ("cancel", cancel, cancellable);
      const gboolean is_read = tl_reader_read_list (
          reader, rows, 3, &n_done, samples, cancellable, &error);
      g_thread_join (thread);
      g_assert_true (is_read == (error == NULL) && (run >= 3 || !is_read));
      if (!is_read)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_true (is_read ? n_done == N_FRAMES : n_done < N_FRAMES);
      g_assert_true (
          tl_reader_read_list (reader, rows, 3, &n_done, samples, NULL, NULL));
      g_assert_cmpmem (samples, bytes, want, bytes);
    }
}

/* Readers in different threads do not disturb each other. */
static gpointer
read_all (gpointer data)
{
  for (int run = 0; run < 5; run++)
    {
      g_autoptr (TlReader) reader = assert_opens (data, "scan.h5", NULL);
      g_autofree char *all = g_malloc (N_FRAMES * N_ROWS * N_COLS * 2);
      tl_reader_fix_n_threads (reader, 2);
      g_assert_true (tl_reader_read (reader, 0, N_ROWS, all, NULL, NULL));
    }
  return NULL;
}

static void
test_two_readers (void)
{
  static const char *const filters[] = { "sz", "szf" };
  for (size_t i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      write_layout (folder,
                    &(Layout){ .chunk = { 2, 5, 10 }, .filters = filters[i] });
      GThread *thread = g_thread_new ("reader", read_all, folder);
      read_all (folder);
      g_thread_join (thread);
    }
}

/* --- speed --- */

enum
{
  N = 512 /* frames, rows and columns of the scan that is timed */
};

/* Smooth images with noise of 8 bits. */
static void
make_frame (guint16 *frame, GRand *rand)
{
  for (size_t i = 0; i < (size_t)N * N; i++)
    frame[i] =
        (guint16)(20000 + i / N * 10 + (size_t)g_rand_int_range (rand, 0, 256));
}

static void
write_timed (Folder *folder, const hsize_t *chunk, guint level)
{
  const hsize_t dims[] = { N, N, N }, count[] = { 1, N, N };
  g_autofree guint16 *frame = g_new (guint16, (size_t)N * N);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  hid_t file = h5_create (folder, "scan.h5", 0);
  H5Gclose (
      H5Gcreate2 (file, "/exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  if (chunk != NULL)
    H5Pset_chunk (plist, 3, chunk);
  if (level > 0)
    H5Pset_deflate (plist, level);
  hid_t space = H5Screate_simple (3, dims, NULL);
  hid_t memory = H5Screate_simple (3, count, NULL);
  hid_t dataset = H5Dcreate2 (file, "/exchange/data", H5T_NATIVE_UINT16, space,
                              H5P_DEFAULT, plist, H5P_DEFAULT);
  for (hsize_t f = 0; f < N; f++)
    {
      make_frame (frame, rand);
      H5Sselect_hyperslab (space, H5S_SELECT_SET, (hsize_t[]){ f, 0, 0 }, NULL,
                           count, NULL);
      H5Dwrite (dataset, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, frame);
    }
  H5Dclose (dataset);
  H5Sclose (memory);
  H5Sclose (space);
  H5Pclose (plist);
  H5Fclose (file);
}

static void
write_timed_tiff (Folder *folder, guint16 compression)
{
  g_autofree guint16 *frame = g_new (guint16, (size_t)N * N);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (int p = 0; p < N; p++)
    {
      g_autofree char *name = g_strdup_printf ("p%03d.tif", p);
      g_autofree char *path = folder_path (folder, name);
      TIFF *tiff = TIFFOpen (path, "w");
      make_frame (frame, rand);
      TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, N);
      TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, N);
      TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 16);
      TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
      TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
      TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, 16);
      TIFFSetField (tiff, TIFFTAG_COMPRESSION, compression);
      for (guint32 row = 0; row < N; row++)
        TIFFWriteScanline (tiff, frame + (size_t)row * N, row, 0);
      TIFFClose (tiff);
    }
}

/* Prints how fast rows from the middle arrive, the page cache being warm. */
static void
time_rows (Folder *folder, const char *name, const char *layout)
{
  static const size_t counts[] = { 1, 8, 64 };
  for (size_t i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      const size_t n = counts[i];
      g_autoptr (TlReader) reader = assert_opens (folder, name, NULL);
      g_autofree guint16 *samples = g_new (guint16, N * n * N);
      double best_s = INFINITY, sum_s = 0;
      for (int run = 0; run < 5 || (run < 400 && sum_s < 2); run++)
        {
          g_test_timer_start ();
          g_assert_true (
              tl_reader_read (reader, N / 2, n, samples, NULL, NULL));
          sum_s += g_test_timer_elapsed ();
          best_s = fmin (best_s, g_test_timer_last ());
        }
      g_test_maximized_result ((double)(N * n * N * 2) / best_s / 1e9,
                               "%s, %zu rows: %.3f GB/s, %.2f ms in %u threads",
                               layout, n,
                               (double)(N * n * N * 2) / best_s / 1e9,
                               best_s * 1e3, tl_reader_get_n_threads (reader));
    }
}

static void
test_speed (void)
{
  const hsize_t chunk[] = { 1, N, N };
  g_autoptr (Folder) folder = folder_new ();
  write_timed (folder, NULL, 0);
  time_rows (folder, "scan.h5", "contiguous");
  write_timed (folder, chunk, 0);
  time_rows (folder, "scan.h5", "chunks of a frame");
  write_timed (folder, chunk, 4);
  time_rows (folder, "scan.h5", "chunks of a frame, gzip 4");
  g_autoptr (Folder) plain = folder_new ();
  write_timed_tiff (plain, COMPRESSION_NONE);
  time_rows (plain, "", "TIFF folder");
  g_autoptr (Folder) lzw = folder_new ();
  write_timed_tiff (lzw, COMPRESSION_LZW);
  time_rows (lzw, "", "TIFF folder, LZW");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/threads/hdf5", test_hdf5);
  g_test_add_func ("/threads/tiff", test_tiff);
  g_test_add_func ("/threads/truncated", test_truncated);
  g_test_add_func ("/threads/tiff-unreadable", test_tiff_unreadable);
  g_test_add_func ("/threads/damaged", test_damaged);
  g_test_add_func ("/threads/cancelled", test_cancelled);
  g_test_add_func ("/threads/two-readers", test_two_readers);
  if (g_test_perf ())
    g_test_add_func ("/threads/speed", test_speed);
  return g_test_run ();
}
