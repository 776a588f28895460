#include "tests/data/read/scan-files.h"

#include "data/error.h"

#include <glib/gstdio.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

Folder *
folder_new (void)
{
  g_autoptr (GError) error = NULL;
  Folder *folder = g_dir_make_tmp ("scan-XXXXXX", &error);
  g_assert_no_error (error);
  return folder;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_file_test (path, G_FILE_TEST_IS_DIR)
                             ? g_dir_open (path, 0, NULL)
                             : NULL;
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      remove_tree (child);
    }
  g_remove (path);
}

void
folder_remove (Folder *folder)
{
  remove_tree (folder);
  g_free (folder);
}

char *
folder_path (Folder *folder, const char *name)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  return path;
}

void
folder_write_text (Folder *folder, const char *name, const char *text)
{
  g_autofree char *path = folder_path (folder, name);
  g_autoptr (GError) error = NULL;
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

void
folder_truncate (Folder *folder, const char *name, double fraction)
{
  g_autofree char *path = folder_path (folder, name);
  GStatBuf st;
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  g_assert_cmpint (truncate (path, (off_t)((double)st.st_size * fraction)), ==,
                   0);
}

double
sample_value (size_t base, size_t frame, size_t row, size_t col)
{
  return (double)(base + (frame * 37 + row * 11 + col * 3) % 101);
}

static void
store (TlSampleType type, void *samples, size_t i, double value)
{
  switch (type)
    {
    case TL_SAMPLE_U8:
    case TL_SAMPLE_I8:
      ((guint8 *)samples)[i] = (guint8)value;
      break;
    case TL_SAMPLE_U16:
    case TL_SAMPLE_I16:
      ((guint16 *)samples)[i] = (guint16)value;
      break;
    case TL_SAMPLE_U32:
    case TL_SAMPLE_I32:
      ((guint32 *)samples)[i] = (guint32)value;
      break;
    case TL_SAMPLE_F32:
      ((float *)samples)[i] = (float)value;
      break;
    default:
      ((double *)samples)[i] = value;
    }
}

static void
write_strips (TIFF *tiff, const TiffShape *shape, size_t frame)
{
  size_t size = tl_sample_size (shape->type);
  g_autofree char *row = g_malloc (shape->dims[2] * size);
  TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP,
                shape->strip_rows > 0 ? shape->strip_rows
                                      : (guint32)shape->dims[1]);
  for (size_t r = 0; r < shape->dims[1]; r++)
    {
      for (size_t c = 0; c < shape->dims[2]; c++)
        store (shape->type, row, c, sample_value (shape->base, frame, r, c));
      g_assert_cmpint (TIFFWriteScanline (tiff, row, (guint32)r, 0), ==, 1);
    }
}

static void
write_tiles (TIFF *tiff, const TiffShape *shape, size_t frame)
{
  guint32 n = shape->tile;
  g_autofree char *tile =
      g_malloc ((size_t)n * n * tl_sample_size (shape->type));
  TIFFSetField (tiff, TIFFTAG_TILEWIDTH, n);
  TIFFSetField (tiff, TIFFTAG_TILELENGTH, n);
  for (size_t y = 0; y < shape->dims[1]; y += n)
    for (size_t x = 0; x < shape->dims[2]; x += n)
      {
        for (size_t i = 0; i < (size_t)n * n; i++)
          store (shape->type, tile, i,
                 sample_value (shape->base, frame, y + i / n, x + i % n));
        g_assert_cmpint (
            TIFFWriteTile (tiff, tile, (guint32)x, (guint32)y, 0, 0), >, 0);
      }
}

void
folder_write_tiff (Folder *folder, const char *name, const TiffShape *shape)
{
  static const guint16 formats[TL_N_SAMPLE_TYPES] = {
    [TL_SAMPLE_U8] = SAMPLEFORMAT_UINT,    [TL_SAMPLE_I8] = SAMPLEFORMAT_INT,
    [TL_SAMPLE_U16] = SAMPLEFORMAT_UINT,   [TL_SAMPLE_I16] = SAMPLEFORMAT_INT,
    [TL_SAMPLE_U32] = SAMPLEFORMAT_UINT,   [TL_SAMPLE_I32] = SAMPLEFORMAT_INT,
    [TL_SAMPLE_F32] = SAMPLEFORMAT_IEEEFP, [TL_SAMPLE_F64] = SAMPLEFORMAT_IEEEFP
  };
  g_autofree char *path = folder_path (folder, name);
  TIFF *tiff = TIFFOpen (path, shape->mode != NULL ? shape->mode : "w");
  g_assert_nonnull (tiff);
  for (size_t page = 0; page < shape->dims[0]; page++)
    {
      TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, (guint32)shape->dims[1]);
      TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, (guint32)shape->dims[2]);
      TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE,
                    (int)tl_sample_size (shape->type) * 8);
      TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, formats[shape->type]);
      TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
      TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
      TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
      TIFFSetField (tiff, TIFFTAG_COMPRESSION,
                    shape->compression != 0 ? shape->compression
                                            : COMPRESSION_NONE);
      (shape->tile > 0 ? write_tiles
                       : write_strips) (tiff, shape, shape->first_frame + page);
      g_assert_cmpint (TIFFWriteDirectory (tiff), ==, 1);
    }
  TIFFClose (tiff);
}

hid_t
h5_create (Folder *folder, const char *name, hsize_t user_block)
{
  g_autofree char *path = folder_path (folder, name);
  hid_t plist = H5Pcreate (H5P_FILE_CREATE);
  H5Pset_userblock (plist, user_block);
  hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, plist, H5P_DEFAULT);
  H5Pclose (plist);
  g_assert_cmpint (file, >=, 0);
  return file;
}

static hid_t
create_dataset (hid_t file, const char *path, hid_t type, int n_dims,
                const hsize_t *dims, const H5Shape *shape)
{
  hid_t links = H5Pcreate (H5P_LINK_CREATE);
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple (n_dims, dims, NULL);
  H5Pset_create_intermediate_group (links, 1);
  if (shape != NULL && shape->chunk[0] > 0)
    H5Pset_chunk (plist, n_dims, shape->chunk + 3 - n_dims);
  if (shape != NULL && shape->deflate)
    H5Pset_deflate (plist, 1);
  hid_t dataset =
      H5Dcreate2 (file, path, type, space, links, plist, H5P_DEFAULT);
  g_assert_cmpint (dataset, >=, 0);
  H5Sclose (space);
  H5Pclose (plist);
  H5Pclose (links);
  return dataset;
}

void
h5_write_frames (hid_t file, const char *path, const H5Shape *shape)
{
  const hsize_t *dims = shape->dims;
  size_t n = shape->is_empty ? 0 : dims[0] * dims[1] * dims[2];
  g_autofree double *values = g_new (double, n);
  for (size_t i = 0; i < n; i++)
    values[i] = shape->value != 0
                    ? shape->value
                    : sample_value (shape->base, i / dims[2] / dims[1],
                                    i / dims[2] % dims[1], i % dims[2]);
  hid_t dataset = create_dataset (
      file, path, shape->type != 0 ? shape->type : H5T_NATIVE_UINT16, 3, dims,
      shape);
  if (n > 0)
    g_assert_cmpint (H5Dwrite (dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                               H5P_DEFAULT, values),
                     >=, 0);
  H5Dclose (dataset);
}

/* The text has a fixed length and is padded with zeros, as in real files. */
static void
write_attribute (hid_t object, const char *name, const char *text)
{
  hid_t type = H5Tcopy (H5T_C_S1);
  hid_t space = H5Screate (H5S_SCALAR);
  H5Tset_size (type, strlen (text));
  H5Tset_strpad (type, H5T_STR_NULLPAD);
  hid_t attribute =
      H5Acreate2 (object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  g_assert_cmpint (H5Awrite (attribute, type, text), >=, 0);
  H5Aclose (attribute);
  H5Sclose (space);
  H5Tclose (type);
}

void
h5_write_numbers (hid_t file, const char *path, const double *numbers,
                  hsize_t n, const char *units)
{
  hid_t dataset = create_dataset (file, path, H5T_IEEE_F64LE, 1, &n, NULL);
  g_assert_cmpint (H5Dwrite (dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                             H5P_DEFAULT, numbers),
                   >=, 0);
  if (units != NULL)
    write_attribute (dataset, "units", units);
  H5Dclose (dataset);
}

void
h5_write_class (hid_t file, const char *group, const char *nx_class)
{
  hid_t id = H5Gcreate2 (file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  g_assert_cmpint (id, >=, 0);
  write_attribute (id, "NX_class", nx_class);
  H5Gclose (id);
}

TlReader *
assert_opens (Folder *folder, const char *name, const TlReaderOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = folder_path (folder, name);
  TlReader *reader = tl_reader_open (path, options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (reader);
  return reader;
}

void
assert_refuses (Folder *folder, const char *name,
                const TlReaderOptions *options, int code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = folder_path (folder, name);
  g_assert_null (tl_reader_open (path, options, &error));
  g_assert_error (error, TL_ERROR, code);
  const char *hint = tl_error_get_hint (error);
  g_autofree char *all =
      g_strconcat (error->message, hint != NULL ? "; " : NULL, hint, NULL);
  g_test_message ("%s", all);
  if (!g_pattern_match_simple (words, all))
    g_error ("\"%s\" is not like \"%s\"", all, words);
}

static void
assert_block (const TlScanInfo *info, const void *samples, size_t first_frame,
              size_t n_frames, size_t first_row, size_t n_rows, size_t base,
              const size_t *frames)
{
  size_t n = n_frames * n_rows * info->n_cols;
  g_autofree float *values = g_new (float, n);
  tl_samples_to_float (info->type, samples, n, values);
  for (size_t i = 0; i < n; i++)
    {
      size_t p = first_frame + i / info->n_cols / n_rows;
      size_t row = first_row + i / info->n_cols % n_rows;
      size_t col = i % info->n_cols;
      double want =
          sample_value (base, frames != NULL ? frames[p] : p, row, col);
      if (values[i] != want)
        g_error ("projection %zu row %zu column %zu: %g, not %g", p, row, col,
                 (double)values[i], want);
    }
}

/* Two of three rows: adjacent and separate ones. */
static void
assert_list (TlReader *reader, size_t base, const size_t *frames)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (GError) error = NULL;
  g_autofree size_t *rows = g_new (size_t, info->n_rows);
  size_t n_rows = 0, n_done = 0;
  for (size_t row = 0; row < info->n_rows; row++)
    if (row % 3 != 1)
      rows[n_rows++] = row;
  const size_t row_bytes = info->n_cols * tl_sample_size (info->type);
  g_autofree char *samples =
      g_malloc (info->n_projections * n_rows * row_bytes);
  tl_reader_read_list (reader, rows, n_rows, &n_done, samples, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_done, ==, info->n_projections);
  for (size_t i = 0; i < info->n_projections * n_rows; i++)
    assert_block (info, samples + i * row_bytes, i / n_rows, 1,
                  rows[i % n_rows], 1, base, frames);
}

void
assert_samples (TlReader *reader, size_t base, const size_t *frames)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (GError) error = NULL;
  g_autofree void *samples =
      g_malloc (info->n_projections * info->n_rows * info->n_cols
                * tl_sample_size (info->type));
  tl_reader_read (reader, 0, info->n_rows, samples, NULL, &error);
  g_assert_no_error (error);
  assert_block (info, samples, 0, info->n_projections, 0, info->n_rows, base,
                frames);
  for (size_t row = 0; row < info->n_rows; row++)
    {
      tl_reader_read (reader, row, 1, samples, NULL, &error);
      g_assert_no_error (error);
      assert_block (info, samples, 0, info->n_projections, row, 1, base,
                    frames);
    }
  assert_list (reader, base, frames);
  for (size_t p = 0; p < info->n_projections; p++)
    {
      tl_reader_read_projection (reader, p, samples, &error);
      g_assert_no_error (error);
      assert_block (info, samples, p, 1, 0, info->n_rows, base, frames);
    }
}

gboolean
has_note (TlReader *reader, const char *words)
{
  g_auto (GStrv) notes = tl_notes_list (tl_reader_get_info (reader)->notes);
  for (size_t i = 0; notes[i] != NULL; i++)
    if (g_pattern_match_simple (words, notes[i]))
      return TRUE;
  return FALSE;
}

void
folder_write_numbered (Folder *folder, const char *prefix, size_t n,
                       size_t base, TlSampleType type)
{
  for (size_t i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s%zu.tif", prefix, i);
      folder_write_tiff (folder, name,
                         &(TiffShape){ .dims = { 1, 3, 5 },
                                       .type = type,
                                       .base = base,
                                       .first_frame = i });
    }
}
