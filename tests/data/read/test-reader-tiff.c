/* Scans in TIFF: files, folders, names, and what is refused. */
#include "data/error.h"
#include "tests/data/read/scan-files.h"

#include <string.h>
#include <tiffio.h>

static void
test_files (void)
{
  static const TiffShape shapes[] = {
    { .dims = { 3, 5, 7 }, .type = TL_SAMPLE_U8 },
    { .dims = { 3, 5, 7 }, .type = TL_SAMPLE_I8, .base = 1 },
    { .dims = { 3, 5, 7 }, .type = TL_SAMPLE_U16, .base = 2, .mode = "wb" },
    { .dims = { 3, 5, 7 }, .type = TL_SAMPLE_I16, .base = 3, .mode = "w8" },
    { .dims = { 3, 5, 7 }, .type = TL_SAMPLE_U32, .base = 4, .strip_rows = 2 },
    { .dims = { 3, 5, 7 },
      .type = TL_SAMPLE_I32,
      .base = 5,
      .mode = "wb",
      .strip_rows = 1 },
    { .dims = { 3, 5, 7 },
      .type = TL_SAMPLE_F32,
      .base = 6,
      .compression = COMPRESSION_LZW },
    { .dims = { 3, 5, 7 }, .type = TL_SAMPLE_F64, .base = 7, .mode = "wb" },
    { .dims = { 3, 5, 7 },
      .type = TL_SAMPLE_F64,
      .base = 8,
      .mode = "wb",
      .compression = COMPRESSION_LZW,
      .strip_rows = 3 },
    { .dims = { 3, 37, 41 }, .type = TL_SAMPLE_U16, .base = 9, .tile = 16 },
    { .dims = { 3, 37, 41 },
      .type = TL_SAMPLE_F32,
      .base = 10,
      .mode = "wb",
      .tile = 16,
      .compression = COMPRESSION_ADOBE_DEFLATE },
    { .dims = { 2, 1, 1 }, .type = TL_SAMPLE_U16, .base = 11 },
    { .dims = { 101, 3, 5 },
      .type = TL_SAMPLE_U16,
      .base = 12,
      .compression = COMPRESSION_PACKBITS },
  };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      folder_write_tiff (folder, "stack.tif", &shapes[i]);
      g_autoptr (TlReader) reader = assert_opens (folder, "stack.tif", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpstr (info->format, ==, "TIFF stack");
      g_assert_cmpuint (info->n_projections, ==, shapes[i].dims[0]);
      g_assert_cmpuint (info->n_rows, ==, shapes[i].dims[1]);
      g_assert_cmpuint (info->n_cols, ==, shapes[i].dims[2]);
      g_assert_cmpint (info->type, ==, shapes[i].type);
      g_assert_true (info->is_attenuation);
      assert_samples (reader, shapes[i].base, NULL);
    }
}

/* The higher bits first, but three bytes in the order of the file. @row: [@n]
 */
static void
pack_row (const guint32 *row, size_t n, guint bits, guint8 *packed)
{
  for (size_t i = 0; i < n; i++)
    for (guint bit = 0; bit < bits; bit++)
      {
        const size_t at = i * bits
                          + (bits == 24 && G_BYTE_ORDER == G_LITTLE_ENDIAN
                                 ? 16 - bit / 8 * 8 + bit % 8
                                 : bit);
        if ((row[i] >> (bits - 1 - bit) & 1) != 0)
          packed[at / 8] |= (guint8)(128 >> at % 8);
      }
}

/* Uses all bits. */
static guint32
packed_value (guint bits, size_t page, size_t row, size_t col)
{
  return (guint32)sample_value (1, page, row, col) * 1234577u % (1u << bits);
}

static void
write_packed (TIFF *tiff, size_t page, guint bits, guint16 compression,
              guint32 tile)
{
  enum
  {
    N_ROWS = 37,
    N_COLS = 41
  };
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, N_ROWS);
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, N_COLS);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, (int)bits);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, compression);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  if (tile > 0)
    {
      TIFFSetField (tiff, TIFFTAG_TILELENGTH, tile);
      TIFFSetField (tiff, TIFFTAG_TILEWIDTH, tile);
    }
  else
    TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, 5);
  const size_t height = tile > 0 ? tile : 5, width = tile > 0 ? tile : N_COLS;
  guint32 index = 0;
  for (size_t top = 0; top < N_ROWS; top += height)
    for (size_t left = 0; left < N_COLS; left += width, index++)
      {
        const size_t row_bytes = (width * bits + 7) / 8;
        const size_t n = tile > 0 ? height : MIN (height, N_ROWS - top);
        g_autofree guint8 *packed = g_malloc0 (n * row_bytes);
        for (size_t r = 0; r < n; r++)
          {
            guint32 row[N_COLS];
            for (size_t c = 0; c < width; c++)
              row[c] = packed_value (bits, page, top + r, left + c);
            pack_row (row, width, bits, packed + r * row_bytes);
          }
        const tmsize_t bytes = (tmsize_t)(n * row_bytes);
        g_assert_cmpint (
            tile > 0 ? TIFFWriteEncodedTile (tiff, index, packed, bytes)
                     : TIFFWriteEncodedStrip (tiff, index, packed, bytes),
            ==, bytes);
      }
  TIFFWriteDirectory (tiff);
}

static void
assert_packed (TlReader *reader, guint bits)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n = info->n_rows * info->n_cols;
  g_autofree guint32 *wide = g_new (guint32, n);
  g_autofree double *values = g_new (double, n);
  g_assert_cmpint (info->type, ==, bits < 16 ? TL_SAMPLE_U16 : TL_SAMPLE_U32);
  g_assert_cmpuint (info->n_projections, ==, 3);
  for (size_t p = 0; p < 3; p++)
    {
      g_autoptr (GError) error = NULL;
      tl_reader_read_projection (reader, p, wide, &error);
      g_assert_no_error (error);
      tl_samples_to_double (info->type, wide, n, values);
      for (size_t k = 0; k < n; k++)
        g_assert_cmpfloat (
            values[k], ==,
            packed_value (bits, p, k / info->n_cols, k % info->n_cols));
    }
}

static void
test_packed (void)
{
  static const guint bits[] = { 9, 10, 12, 14, 15, 17, 20, 24, 31 };
  static const struct
  {
    const char *mode;
    guint16 compression;
    guint32 tile;
  } cases[] = { { "w", COMPRESSION_NONE, 0 },
                { "wb", COMPRESSION_NONE, 0 },
                { "w", COMPRESSION_LZW, 0 },
                { "wb", COMPRESSION_ADOBE_DEFLATE, 16 },
                { "w", COMPRESSION_NONE, 32 } };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "packed.tif");
  for (size_t i = 0; i < G_N_ELEMENTS (cases) * G_N_ELEMENTS (bits); i++)
    {
      const guint n_bits = bits[i / G_N_ELEMENTS (cases)];
      const size_t k = i % G_N_ELEMENTS (cases);
      TIFF *tiff = TIFFOpen (path, cases[k].mode);
      for (size_t page = 0; page < 3; page++)
        write_packed (tiff, page, n_bits, cases[k].compression, cases[k].tile);
      TIFFClose (tiff);
      g_autoptr (TlReader) reader = assert_opens (folder, "packed.tif", NULL);
      assert_packed (reader, n_bits);
    }
}

static void
test_stack_with_fields (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlReaderOptions options = { .flats = "white_*", .darks = "black.tif" };
  folder_write_tiff (
      folder, "scan.tif",
      &(TiffShape){ .dims = { 4, 3, 5 }, .type = TL_SAMPLE_U16, .base = 2 });
  folder_write_tiff (
      folder, "white_1.tif",
      &(TiffShape){ .dims = { 2, 3, 5 }, .type = TL_SAMPLE_F32, .base = 15 });
  folder_write_tiff (
      folder, "black.tif",
      &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U8, .base = 0 });
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_flats, ==, 2);
  g_assert_cmpuint (info->n_darks, ==, 1);
  g_assert_false (info->is_attenuation);
  assert_samples (reader, 2, NULL);
}

/* A stack that is the projections of its folder uses the files with known names
 * next to it. */
static void
test_stack_beside (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_tiff (
      folder, "scan.tif",
      &(TiffShape){ .dims = { 4, 3, 5 }, .type = TL_SAMPLE_U16, .base = 2 });
  folder_write_tiff (
      folder, "flats.tif",
      &(TiffShape){ .dims = { 2, 3, 5 }, .type = TL_SAMPLE_F32, .base = 15 });
  folder_write_tiff (
      folder, "dark/d.tif",
      &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U8, .base = 0 });
  folder_write_text (folder, "angles.txt", "10\n20\n30\n40\n");
  for (int n_stacks = 1; n_stacks <= 2; n_stacks++)
    {
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpuint (info->n_flats, ==, 2);
      g_assert_cmpuint (info->n_flats_before, ==, 2);
      g_assert_cmpuint (info->n_darks, ==, 1);
      g_assert_cmpfloat (info->angles_deg[1], ==, 20);
      assert_samples (reader, 2, NULL);
      /* a smaller stack is no projections of the folder, and has none of them
       */
      folder_write_tiff (
          folder, "other.tif",
          &(TiffShape){ .dims = { 3, 3, 5 }, .type = TL_SAMPLE_U16 });
    }
  g_autoptr (TlReader) other = assert_opens (folder, "other.tif", NULL);
  g_assert_cmpuint (tl_reader_get_info (other)->n_flats, ==, 0);
  g_assert_cmpuint (tl_reader_get_info (other)->n_darks, ==, 0);
  g_assert_cmpfloat (tl_reader_get_info (other)->angles_deg[1], ==, 60);
}

static void
test_sinogram_beside (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_tiff (
      folder, "one.tif",
      &(TiffShape){ .dims = { 1, 4, 6 }, .type = TL_SAMPLE_F32 });
  folder_write_tiff (
      folder, "flat.tif",
      &(TiffShape){ .dims = { 1, 4, 6 }, .type = TL_SAMPLE_F32 });
  folder_write_text (folder, "theta.txt", "10\n20\n30\n40\n");
  g_autoptr (TlReader) reader = assert_opens (folder, "one.tif", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpstr (info->format, ==, "TIFF sinogram");
  g_assert_cmpuint (info->n_flats, ==, 0);
  g_assert_cmpstr (info->angles_source, ==, "theta.txt");
}

/* A single image is a sinogram: its rows are projections. */
static void
test_sinogram (void)
{
  static const TlSampleType types[] = { TL_SAMPLE_F32, TL_SAMPLE_U16 };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (types); i++)
    {
      folder_write_tiff (
          folder, "one.tif",
          &(TiffShape){ .dims = { 1, 11, 6 }, .type = types[i], .base = 3 });
      g_autoptr (TlReader) reader = assert_opens (folder, "one.tif", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      float values[11 * 6];
      g_autofree char *samples = g_malloc (11 * 6 * 4);
      g_assert_cmpstr (info->format, ==, "TIFF sinogram");
      g_assert_cmpuint (info->n_projections, ==, 11);
      g_assert_cmpuint (info->n_rows, ==, 1);
      g_assert_true (info->is_attenuation);
      g_assert_true (has_note (reader, "*no flat fields*")
                     && has_note (reader, "*cannot be normalised*")
                            == (types[i] == TL_SAMPLE_U16));
      g_assert_true (tl_reader_read (reader, 0, 1, samples, NULL, NULL));
      tl_samples_to_float (types[i], samples, 11 * 6, values);
      for (size_t k = 0; k < 11 * 6; k++)
        g_assert_cmpfloat (values[k], ==, sample_value (3, 0, k / 6, k % 6));
    }
}

/* One page for each detector row: [row][projection][col]. */
static void
test_sinograms (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_tiff (
      folder, "sino_all.tif",
      &(TiffShape){ .dims = { 4, 11, 6 }, .type = TL_SAMPLE_F32, .base = 3 });
  for (size_t page = 0; page < 4; page++)
    {
      g_autofree char *name = g_strdup_printf ("many/sino_%zu.tif", page);
      folder_write_tiff (folder, name,
                         &(TiffShape){ .dims = { 1, 11, 6 },
                                       .type = TL_SAMPLE_F32,
                                       .base = 3,
                                       .first_frame = page });
    }
  static const char *const names[] = { "sino_all.tif", "many" };
  for (size_t n = 0; n < G_N_ELEMENTS (names); n++)
    {
      g_autoptr (TlReader) reader = assert_opens (folder, names[n], NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      float values[11 * 2 * 6];
      g_assert_cmpstr (info->format, ==, "TIFF sinograms");
      g_assert_cmpuint (info->n_projections, ==, 11);
      g_assert_cmpuint (info->n_rows, ==, 4);
      g_assert_true (tl_reader_read (reader, 1, 2, values, NULL, NULL));
      for (size_t k = 0; k < G_N_ELEMENTS (values); k++)
        g_assert_cmpfloat (values[k], ==,
                           sample_value (3, 1 + k / 6 % 2, k / 12, k % 6));
    }
}

/* 12 projections p0 … p11: p10 comes after p9. */
static void
test_folder_names (void)
{
  static const struct
  {
    const char *flats, *darks;
  } spellings[] = {
    { "flat_", "dark_" },
    { "Flats/x", "DARKS/x" },
    { "ff/", "df/" },
    { "white", "dc" },
    { "sample_OB_", "s_dc_" },
    { "open_beam/f", "darkfield/f" },
    { "ref/img", "dark_images/" },
    { "flatfields/1_", "p_dark" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_test_message ("%s %s", spellings[i].flats, spellings[i].darks);
      folder_write_numbered (folder, "p", 12, 1, TL_SAMPLE_U16);
      folder_write_numbered (folder, spellings[i].flats, 3, 19, TL_SAMPLE_F32);
      folder_write_numbered (folder, spellings[i].darks, 2, 0, TL_SAMPLE_U8);
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpstr (info->format, ==, "TIFF folder");
      g_assert_cmpuint (info->n_projections, ==, 12);
      g_assert_cmpuint (info->n_flats, ==, 3);
      g_assert_cmpuint (info->n_flats_before, ==, 3);
      g_assert_cmpuint (info->n_darks, ==, 2);
      g_assert_cmpint (info->type, ==, TL_SAMPLE_U16);
      assert_samples (reader, 1, NULL);
    }
}

static void
test_folder_sub (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "set/tiffs/raw_", 5, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "set/preview/raw_", 2, 7, TL_SAMPLE_U16);
  folder_write_numbered (folder, "set/flat_", 1, 19, TL_SAMPLE_F32);
  folder_write_text (folder, "set/angles.txt",
                     "# degrees\n0\n30\n60\n90\n"
                     "120\n\n");
  static const char *const names[] = { "set", "set/tiffs", "set/tiffs/" };
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TlReader) reader = assert_opens (folder, names[i], NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpuint (info->n_projections, ==, 5);
      g_assert_cmpuint (info->n_flats, ==, 1);
      g_assert_cmpstr (info->angles_source, ==, "angles.txt");
      g_assert_cmpfloat (info->angles_deg[4], ==, 120);
      assert_samples (reader, 1, NULL);
      g_assert_true (has_note (
          reader, i == 0 ? "2 image files are left out: preview/raw_#.tif (2);*"
                         : "*above*"));
    }
  g_autoptr (TlReader) other = assert_opens (folder, "set/preview", NULL);
  g_assert_cmpuint (tl_reader_get_info (other)->n_flats, ==, 0);
}

static void
test_folder_same_size (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "one/p", 3, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "two/p", 3, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "flat", 1, 19, TL_SAMPLE_U16);
  assert_refuses (folder, "", NULL, TL_ERROR_FORMAT, "*one and two have 3*");
}

/* Slices of an export next to the projections do not belong to the scan. */
static void
test_folder_with_slices (void)
{
  static const char *const slices[] = { "volume/recon_", "Recon/s", "rec/x" };
  for (size_t i = 0; i < G_N_ELEMENTS (slices); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      folder_write_numbered (folder, "p", 3, 1, TL_SAMPLE_U16);
      folder_write_numbered (folder, slices[i], 7, 5, TL_SAMPLE_F32);
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 3);
      assert_samples (reader, 1, NULL);
    }
}

static void
test_folder_fields_only (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "white_oak_", 3, 1, TL_SAMPLE_U16);
  assert_refuses (folder, "", NULL, TL_ERROR_FORMAT,
                  "*all images in it, 3,*flats or darks*projections*");
}

static void
test_folder_after (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p", 4, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "flats_after/a", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "flats_before/z", 3, 18, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (GError) error = NULL;
  double dark[5], first[5], last[5];
  g_assert_cmpuint (info->n_flats, ==, 5);
  g_assert_cmpuint (info->n_flats_before, ==, 3);
  tl_reader_read_fields (reader, 1, 1, dark, first, last, NULL, &error);
  g_assert_no_error (error);
  for (size_t c = 0; c < 5; c++)
    {
      double before = (sample_value (18, 0, 1, c) + sample_value (18, 1, 1, c)
                       + sample_value (18, 2, 1, c))
                      / 3;
      double after =
          (sample_value (19, 0, 1, c) + sample_value (19, 1, 1, c)) / 2;
      g_assert_cmpfloat (dark[c], ==, 0);
      g_assert_cmpfloat_with_epsilon (first[c], before, 1e-4);
      g_assert_cmpfloat_with_epsilon (last[c], after, 1e-4);
    }
}

/* The number of the image of another type is missing; the image that cannot be
 * read has no type. */
static void
test_types_differ (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TiffShape other = { .dims = { 1, 3, 5 }, .type = TL_SAMPLE_F32 };
  folder_write_numbered (folder, "p", 10, 1, TL_SAMPLE_U16);
  folder_write_tiff (folder, "p4.tif", &other);
  folder_write_text (folder, "p7.tif", "");
  folder_write_numbered (folder, "flat_", 3, 19, TL_SAMPLE_F32);
  folder_write_tiff (
      folder, "flat_1.tif",
      &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_U16 });
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 8);
  g_assert_cmpuint (info->n_flats, ==, 2);
  g_assert_cmpint (info->type, ==, TL_SAMPLE_U16);
  g_assert_cmpfloat_with_epsilon (info->angles_deg[4], 90, 1e-9);
  g_assert_true (
      has_note (reader, "*samples are float32*other projections are*: p4.tif"));
  g_assert_true (has_note (reader,
                           "1 image is left out, because its samples are "
                           "uint16 and those of the other flats are float32: "
                           "flat_1.tif"));
}

static void
test_sizes_differ (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p", 3, 1, TL_SAMPLE_U16);
  folder_write_tiff (
      folder, "p3.tif",
      &(TiffShape){ .dims = { 1, 4, 5 }, .type = TL_SAMPLE_U16 });
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 3);
  g_assert_true (has_note (reader,
                           "1 image is left out, because it has another "
                           "size than 3 x 5 pixels: p3.tif with 4 x "
                           "5"));
  assert_samples (reader, 1, NULL);
  folder_write_tiff (
      folder, "p3.tif",
      &(TiffShape){ .dims = { 1, 3, 5 }, .type = TL_SAMPLE_F32 });
  g_autoptr (TlReader) typed = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (typed)->n_projections, ==, 3);
  g_assert_true (has_note (typed,
                           "1 image is left out, because its samples are "
                           "float32 and those of the other projections "
                           "are uint16: p3.tif"));
  assert_samples (typed, 1, NULL);
  folder_write_numbered (folder, "p", 4, 1, TL_SAMPLE_U16);
  folder_write_tiff (
      folder, "flat.tif",
      &(TiffShape){ .dims = { 1, 2, 5 }, .type = TL_SAMPLE_U16 });
  assert_refuses (folder, "", NULL, TL_ERROR_SHAPE,
                  "*flats are 2 x 5 pixels but projections 3 x 5; *--flats, or "
                  "leave them out with --flats none");
}

static void
test_truncated (void)
{
  g_autoptr (Folder) folder = folder_new ();
  for (double fraction = 0.01; fraction < 0.9; fraction += 0.14)
    {
      folder_write_numbered (folder, "p", 3, 1, TL_SAMPLE_U16);
      folder_truncate (folder, "p1.tif", fraction);
      g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
      g_assert_true (has_note (reader, "*cannot be read*: 1; *: p1.tif: *"));
    }
  folder_write_text (folder, "p1.tif", "");
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_true (has_note (reader, "*: p1.tif: *empty*"));
}

/* The file is truncated while the reader is open. */
static void
test_truncated_later (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  guint16 samples[4 * 3 * 5];
  folder_write_numbered (folder, "p", 4, 1, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  folder_truncate (folder, "p2.tif", 0.4);
  g_assert_false (tl_reader_read (reader, 0, 3, samples, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_true (g_str_has_prefix (error->message, "p2.tif: "));
  g_assert_true (g_str_has_suffix (error->message,
                                   "; leave-out=2 leaves this projection out"));
}

static void
test_colour (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "rgb.tif");
  guint8 row[3 * 4] = { 0 };
  TIFF *tiff = TIFFOpen (path, "w");
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, 1);
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, 4);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  g_assert_cmpint (TIFFWriteScanline (tiff, row, 0, 0), ==, 1);
  TIFFClose (tiff);
  assert_refuses (folder, "rgb.tif", NULL, TL_ERROR_UNSUPPORTED,
                  "rgb.tif: 3 samples*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiff/files", test_files);
  g_test_add_func ("/tiff/packed", test_packed);
  g_test_add_func ("/tiff/stack-with-fields", test_stack_with_fields);
  g_test_add_func ("/tiff/stack-beside", test_stack_beside);
  g_test_add_func ("/tiff/sinogram-beside", test_sinogram_beside);
  g_test_add_func ("/tiff/sinogram", test_sinogram);
  g_test_add_func ("/tiff/sinograms", test_sinograms);
  g_test_add_func ("/tiff/folder/names", test_folder_names);
  g_test_add_func ("/tiff/folder/sub-folder", test_folder_sub);
  g_test_add_func ("/tiff/folder/same-size", test_folder_same_size);
  g_test_add_func ("/tiff/folder/with-slices", test_folder_with_slices);
  g_test_add_func ("/tiff/folder/fields-only", test_folder_fields_only);
  g_test_add_func ("/tiff/folder/after", test_folder_after);
  g_test_add_func ("/tiff/sizes-differ", test_sizes_differ);
  g_test_add_func ("/tiff/types-differ", test_types_differ);
  g_test_add_func ("/tiff/truncated", test_truncated);
  g_test_add_func ("/tiff/truncated-later", test_truncated_later);
  g_test_add_func ("/tiff/colour", test_colour);
  return g_test_run ();
}
