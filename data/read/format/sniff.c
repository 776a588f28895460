/* Whether a path is a folder, a Zarr folder, an HDF5 file or a file of images.
 */
#include "data/read/format/format.h"

#include "data/error.h"
#include "data/read/format/contents.h"
#include "data/read/format/formats.h"
#include "data/read/format/image-format.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* HDF5 allows a user block before its signature: the signature stands at 0,
 * 512, 1024, 2048 and so on (HDF5 File Format Specification, section II.A). */
static gboolean
has_hdf5_signature (int fd, guint64 size)
{
  static const guint8 signature[8] = { 0x89, 'H', 'D', 'F', 13, 10, 26, 10 };
  guint8 bytes[8];
  for (guint64 at = 0; at + 8 <= size; at = at == 0 ? 512 : 2 * at)
    if (pread (fd, bytes, 8, (off_t)at) == 8
        && memcmp (bytes, signature, 8) == 0)
      return TRUE;
  return FALSE;
}

/* How files begin that are recognised but not read, and what to say of them. */
static const struct
{
  size_t n;
  guint8 signature[4];
  const char *why;
} others[] = {
  { 3,
    { 0x1f, 0x8b, 8 }, /* 8: deflate */
    N_ ("%s: is compressed; decompress it with gunzip") },
  { 3,
    { 0xff, 0xd8, 0xff },
    N_ ("%s: is a JPEG picture, which is not read; save the images as TIFF") },
  { 4,
    { 0x89, 'P', 'N', 'G' },
    N_ ("%s: is a PNG picture, which is not read; save the images as TIFF") },
};

/* Returns: (nullable): what to say of a file that is not read */
static const char *
find_other (int fd)
{
  guint8 bytes[4];
  for (size_t i = 0; i < G_N_ELEMENTS (others); i++)
    if (pread (fd, bytes, others[i].n, 0) == (ssize_t)others[i].n
        && memcmp (bytes, others[i].signature, others[i].n) == 0)
      return _ (others[i].why);
  return NULL;
}

gboolean
tl_container_is_other (const char *path, GError **error)
{
  g_autofree char *name = tl_path_dup_name (path);
  const int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  const char *why = fd >= 0 ? find_other (fd) : NULL;
  if (fd >= 0)
    close (fd);
  if (why != NULL)
    tl_fail (error, TL_ERROR_FILE, why, name);
  return why != NULL;
}

/* Returns: (transfer full): "HDF5, TIFF" and so on */
static char *
list_formats (void)
{
  GString *names = g_string_new (NULL);
  TlFormatInfo info;
  for (guint i = 0; tl_format_get_info (i, &info); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", info.name);
  return g_string_free (names, FALSE);
}

static gboolean
is_zarr (const char *folder)
{
  static const char *const names[] = { ".zarray", ".zgroup", "zarr.json" };
  gboolean found = FALSE;
  for (size_t i = 0; i < G_N_ELEMENTS (names) && !found; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      found = g_file_test (path, G_FILE_TEST_IS_REGULAR);
    }
  return found;
}

/* Returns: (transfer full) (nullable): the name of the header beside the raw
 * samples @path */
static char *
find_header (const char *path)
{
  const char *dot = strrchr (path, '.');
  if (dot == NULL || strchr (dot, G_DIR_SEPARATOR) != NULL)
    return NULL;
  g_autofree char *header =
      g_strdup_printf ("%.*s.nhdr", (int)(dot - path), path);
  return g_file_test (header, G_FILE_TEST_IS_REGULAR)
             ? tl_path_dup_name (header)
             : NULL;
}

gboolean
tl_container_sniff (const char *path, TlContainer *container, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  struct stat st;
  if (fd < 0 || fstat (fd, &st) != 0)
    {
      tl_fail (error, TL_ERROR_FILE, _ ("%s: cannot be opened: %s"), shown,
               g_strerror (errno));
      if (fd >= 0)
        close (fd);
      return FALSE;
    }
  gboolean found = TRUE;
  if (S_ISDIR (st.st_mode))
    *container = is_zarr (path) ? TL_CONTAINER_ZARR : TL_CONTAINER_FOLDER;
  else if (!S_ISREG (st.st_mode))
    found = FALSE;
  else if (has_hdf5_signature (fd, (guint64)st.st_size))
    *container = TL_CONTAINER_HDF5;
  else if (tl_image_format_of_file (path) != NULL)
    *container = TL_CONTAINER_IMAGES;
  else
    found = FALSE;
  const char *why = !found && S_ISREG (st.st_mode) ? find_other (fd) : NULL;
  close (fd);
  if (why != NULL)
    return tl_fail (error, TL_ERROR_FORMAT, why, shown);
  g_autofree char *header = found ? NULL : find_header (path);
  if (header != NULL)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: is neither a file of a known format nor a folder; "
                       "%s beside it describes its samples: open that file"),
                    shown, header);
  if (!found && S_ISREG (st.st_mode) && st.st_size == 0)
    tl_fail (error, TL_ERROR_FORMAT, _ ("%s: the file is empty"), shown);
  else if (!found)
    {
      g_autofree char *names = list_formats ();
      tl_fail_with_hint (
          error, S_ISREG (st.st_mode) ? TL_ERROR_UNKNOWN : TL_ERROR_FORMAT,
          _ ("raw samples are opened with their shape and type, as --raw "
             "2048x2048x1800:uint16le"),
          _ ("%s: is neither a file of a known format (%s) nor a folder"),
          shown, names);
    }
#ifndef TL_HAVE_JSON
  if (found && *container == TL_CONTAINER_ZARR)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: is a %s file, but this program was built without "
                       "%s; install it and build again"),
                    shown, "Zarr", "libjson-glib-dev");
#endif
  return found;
}

char *
tl_container_find (const char *place, const char *scan, gboolean is_given,
                   TlContainer container, char **inside, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (scan);
  g_autofree char *here = g_get_current_dir ();
  const char *const folders[] = { here, parent };
  *inside = NULL;
  for (guint k = is_given ? 0 : 1; k < G_N_ELEMENTS (folders); k++)
    {
      g_autofree char *file = tl_contents_split_in (folders[k], place, inside);
      TlContainer its = container;
      if (*inside == NULL)
        continue;
      /* of a file of no format, the format of the scan says what is wrong */
      tl_container_sniff (file, &its, NULL);
      if (its == container)
        return g_canonicalize_filename (file, NULL);
      g_clear_pointer (inside, g_free);
      return tl_fail_null (error, TL_ERROR_FORMAT,
                           container == TL_CONTAINER_ZARR
                               ? _ ("%s: is no Zarr folder; flats, darks and "
                                    "angles of a scan in Zarr can only be in "
                                    "Zarr, too")
                               : _ ("%s: is no HDF5 file; flats, darks, keys "
                                    "and angles of a scan in HDF5 can only be "
                                    "in HDF5, too"),
                           place);
    }
  return tl_fail_null (error, TL_ERROR_FILE, _ ("%s: there is no such file"),
                       place);
}
