#include "tests/app/scratch.h"

#include "data/read/reader.h"
#include "data/write/writer.h"
#include "tests/support/formats.h"

#include <glib/gstdio.h>

char *
tl_scratch_new (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("tomolens-app-XXXXXX", &error);
  g_assert_no_error (error);
  return folder;
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      remove_all (inner);
    }
  g_assert_cmpint (g_remove (path), ==, 0);
}

void
tl_scratch_free (char *folder)
{
  remove_all (folder);
  g_free (folder);
}

char *
tl_scratch_path (const char *folder, const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(char *const *)a, *(char *const *)b);
}

char *
tl_scratch_list (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strconcat (name, "\n", NULL));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv ("", (char **)names->pdata);
}

char *
tl_scratch_phantom (const char *folder, const char *name, size_t n_projections,
                    size_t n_rows, size_t n_cols)
{
  g_autoptr (GError) error = NULL;
  char *path = tl_scratch_path (folder, name);
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, n_projections, n_rows, n_cols);
  scan.noise_counts = 10000;
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return path;
}

void
tl_scratch_images (const char *folder, const char *prefix, size_t n,
                   size_t n_rows, size_t n_cols, float value)
{
  g_autofree float *pixels = g_new (float, n_rows *n_cols);
  for (size_t k = 0; k < n_rows * n_cols; k++)
    pixels[k] = value;
  for (size_t k = 0; k < n; k++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *name = g_strdup_printf ("%s%03zu.tiff", prefix, k);
      g_autofree char *path = tl_scratch_path (folder, name);
      tl_write_tiff (path, pixels, n_rows, n_cols, NULL, &error);
      g_assert_no_error (error);
    }
}

/* Fuzzing has found what these bytes do: H5Aexists() copies from beyond what
 * was read, and H5Gget_objinfo() reads from NULL. */
char *
tl_scratch_damaged (const char *folder, size_t k)
{
  static const struct
  {
    size_t at;
    char byte;
  } changes[TL_N_DAMAGED][7] = {
    { { 10607, 'n' } },
    { { 10594 },
      { 10602 },
      { 10610 },
      { 10611 },
      { 10612 },
      { 10626 },
      { 10644, 'H' } },
  };
  g_autofree char *from = g_test_build_filename (
      G_TEST_DIST, "files", "fuzz", "scan-hdf5", "nxtomo.h5", NULL);
  g_autofree char *name = g_strdup_printf ("damaged-%zu.h5", k);
  g_autofree char *bytes = NULL;
  char *path = tl_scratch_path (folder, name);
  gsize n;
  g_assert_true (g_file_get_contents (from, &bytes, &n, NULL));
  for (size_t i = 0; i < G_N_ELEMENTS (changes[k]) && changes[k][i].at > 0; i++)
    bytes[changes[k][i].at] = changes[k][i].byte;
  g_assert_true (g_file_set_contents (path, bytes, (gssize)n, NULL));
  return path;
}

/* NRRD: a header, then the samples. */
static char *
write_stack (TlReader *reader, TlFrameKind kind, size_t n, const char *folder,
             const char *name)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const TlSampleType type = tl_reader_get_type (reader, kind);
  const size_t bytes = n * info->n_rows * info->n_cols * tl_sample_size (type);
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) file = g_string_new (NULL);
  char *path = tl_scratch_path (folder, name);
  g_string_printf (file,
                   "NRRD0004\ntype: %s\ndimension: 3\nsizes: %zu %zu %zu\n"
                   "encoding: raw\nendian: %s\n\n",
                   tl_sample_name (type), info->n_cols, info->n_rows, n,
                   G_BYTE_ORDER == G_LITTLE_ENDIAN ? "little" : "big");
  const size_t header_bytes = file->len;
  g_string_set_size (file, header_bytes + bytes);
  tl_reader_read_frames (reader, kind, 0, n, 0, info->n_rows,
                         file->str + header_bytes, &error);
  g_assert_no_error (error);
  g_file_set_contents (path, file->str, (gssize)file->len, &error);
  g_assert_no_error (error);
  return path;
}

char *
tl_scratch_stack (const char *folder, const char *scan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_reader_open (scan, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_free (write_stack (reader, TL_FRAMES_FLATS, info->n_flats, folder,
                       "flat.nrrd"));
  g_free (write_stack (reader, TL_FRAMES_DARKS, info->n_darks, folder,
                       "dark.nrrd"));
  return write_stack (reader, TL_FRAMES_PROJECTIONS, info->n_projections,
                      folder, "stack.nrrd");
}

char *
tl_scratch_decoys (const char *folder, const char *scan)
{
  g_autofree char *script =
      g_test_build_filename (G_TEST_DIST, "support", "decoys.py", NULL);
  g_autofree char *images = tl_scratch_path (folder, "decoys");
  const char *const line[] = {
    "/usr/bin/python3", "-B", script, scan, images, NULL
  };
  return tl_run_or_skip (line) ? g_steal_pointer (&images) : NULL;
}

char *
tl_scratch_shared (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "..",
                                                 "shared", "data", name, NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip_printf ("the real scan %s is not there", path);
  return NULL;
}

/* The reader takes a single image for a sinogram whose rows are projections. */
float *
tl_scratch_load_tiff (const char *path, size_t *n_pixels)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->type, ==, TL_SAMPLE_F32);
  *n_pixels = info->n_projections * info->n_rows * info->n_cols;
  float *pixels = g_new (float, *n_pixels);
  tl_reader_read (reader, 0, info->n_rows, pixels, NULL, &error);
  g_assert_no_error (error);
  return pixels;
}

float *
tl_scratch_read_tiff (const char *path, size_t n_pixels)
{
  size_t n;
  float *pixels = tl_scratch_load_tiff (path, &n);
  g_assert_cmpuint (n, ==, n_pixels);
  return pixels;
}
