#include "data/write/writer.h"

#include "data/error.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

/* Bytes of one file besides its pixels and its description: tags, table of
 * strips, and the rest of the last block. */
#define OVERHEAD_BYTES 8192

struct TlWriter
{
  char *folder;
  size_t first_slice, n_slices;
  size_t n_rows, n_cols;
  char *description;
};

static char *
slice_path (const char *folder, size_t slice)
{
  g_autofree char *name = g_strdup_printf (
      TL_SLICE_PREFIX "%05" G_GSIZE_FORMAT TL_SLICE_SUFFIX, slice);

  return g_build_filename (folder, name, NULL);
}

/* The bytes of the files that this export replaces; they become free again. */
static guint64
count_replaced_bytes (const char *folder, size_t first_slice, size_t n_slices)
{
  guint64 bytes = 0;

  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return 0;
  for (size_t i = 0; i < n_slices; i++)
    {
      g_autofree char *path = slice_path (folder, first_slice + i);
      GStatBuf status;

      if (g_stat (path, &status) == 0)
        bytes += (guint64)status.st_blocks * 512;
    }
  return bytes;
}

gboolean
tl_writer_check_room (const char *folder, size_t first_slice, size_t n_slices,
                      size_t n_rows, size_t n_cols, const char *description,
                      GError **error)
{
  const size_t text = description != NULL ? strlen (description) : 0;
  guint64 slice_bytes = 0, bytes = 0;

  g_return_val_if_fail (folder != NULL, FALSE);

  if (!g_uint64_checked_mul (&slice_bytes, n_rows, n_cols)
      || !g_uint64_checked_mul (&slice_bytes, slice_bytes, sizeof (float))
      || !g_uint64_checked_add (&slice_bytes, slice_bytes,
                                OVERHEAD_BYTES + text)
      || !g_uint64_checked_mul (&bytes, slice_bytes, n_slices))
    bytes = G_MAXUINT64;
  guint64 replaced = count_replaced_bytes (folder, first_slice, n_slices);
  /* While a slice is written, its old and its temporary file exist at the
   * same time. */
  return tl_check_room (
      folder, MAX (bytes - MIN (replaced, bytes), MIN (slice_bytes, bytes)),
      error);
}

/* Removes temporary files of this range that a dead process left. */
static void
remove_leftovers (TlWriter *writer)
{
  g_autoptr (GDir) dir = g_dir_open (writer->folder, 0, NULL);
  const char *name;

  if (dir == NULL)
    return;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      char *end = NULL;

      if (!g_str_has_prefix (name, "." TL_SLICE_PREFIX))
        continue;
      guint64 slice =
          g_ascii_strtoull (name + strlen ("." TL_SLICE_PREFIX), &end, 10);
      if (g_str_has_prefix (end, TL_SLICE_SUFFIX ".")
          && g_str_has_suffix (end, TL_PART_SUFFIX)
          && slice >= writer->first_slice
          && slice - writer->first_slice < writer->n_slices)
        {
          g_autofree char *path = g_build_filename (writer->folder, name, NULL);

          tl_part_file_remove_leftover (path);
        }
    }
}

TlWriter *
tl_writer_open (const char *folder, size_t first_slice, size_t n_slices,
                size_t n_rows, size_t n_cols, const char *description,
                GError **error)
{
  g_return_val_if_fail (folder != NULL, NULL);
  g_return_val_if_fail (n_slices > 0 && n_rows > 0 && n_cols > 0, NULL);

  /* Checked before the folder is created, so that a lack of room leaves
   * nothing behind. */
  if (!tl_writer_check_room (folder, first_slice, n_slices, n_rows, n_cols,
                             description, error))
    return NULL;
  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_autofree char *name = g_filename_display_name (folder);

      return tl_fail_null (error, TL_ERROR_FILE,
                           _ ("%s: the folder cannot be made: %s"), name,
                           g_strerror (errno));
    }
  if (g_access (folder, W_OK | X_OK) != 0)
    {
      tl_set_write_error (error, folder, errno, NULL);
      return NULL;
    }

  TlWriter *writer = g_new (TlWriter, 1);
  writer->folder = g_strdup (folder);
  writer->first_slice = first_slice;
  writer->n_slices = n_slices;
  writer->n_rows = n_rows;
  writer->n_cols = n_cols;
  writer->description = g_strdup (description);
  remove_leftovers (writer);
  return writer;
}

gboolean
tl_writer_write (TlWriter *writer, size_t slice, const float *pixels,
                 GError **error)
{
  g_return_val_if_fail (writer != NULL && pixels != NULL, FALSE);
  g_return_val_if_fail (slice >= writer->first_slice, FALSE);
  g_return_val_if_fail (slice - writer->first_slice < writer->n_slices, FALSE);

  g_autofree char *path = slice_path (writer->folder, slice);
  return tl_write_tiff (path, pixels, writer->n_rows, writer->n_cols,
                        writer->description, error);
}

void
tl_writer_close (TlWriter *writer)
{
  if (writer == NULL)
    return;
  g_free (writer->folder);
  g_free (writer->description);
  g_free (writer);
}
