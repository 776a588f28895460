#include "data/write/part-file.h"

#include "data/error.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/statvfs.h>

/* Bytes of the final name that its temporary name repeats, so that a long
 * name stays within the limit of file systems, 255 bytes. */
#define NAME_BYTES 200

static gboolean
has_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  return g_file_test (folder, G_FILE_TEST_IS_DIR);
}

gboolean
tl_set_write_error (GError **error, const char *path, int error_number,
                    const char *detail)
{
  g_autofree char *name = g_filename_display_name (path);
  const char *why = error_number != 0 ? g_strerror (error_number) : detail;

  if (error_number == ENOSPC)
    why = _ ("the disk is full");
  else if (error_number == EDQUOT)
    why = _ ("the disk quota is used up");
  else if (error_number == EFBIG)
    why = _ ("the file is larger than this system allows");
  else if (error_number == EEXIST)
    why = _ ("there is a file or folder of this name: choose another");
  else if (error_number == ENOTDIR)
    why = _ ("a folder in its path is a file; choose another folder");
  else if (error_number == EACCES || error_number == EPERM)
    why = _ ("you may not write there; choose another folder");
  else if (error_number == EROFS)
    why = _ ("this disk can only be read; choose another folder");
  else if (error_number == ENOENT)
    why = has_folder (path) ? _ ("its folder takes no new files")
                            : _ ("its folder is not there");
  return tl_fail (error, TL_ERROR_FILE, _ ("%s: cannot be written: %s"), name,
                  why != NULL ? why : _ ("the system did not say why"));
}

/* Returns: the descriptor of a new file, or -1 with errno */
static int
create_part (const char *path, char **part_path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  int fd;

  do
    {
      guint64 bits;

      if (getrandom (&bits, sizeof bits, 0) != sizeof bits)
        return -1;
      g_free (*part_path);
      *part_path =
          g_strdup_printf ("%s/.%.*s.%016" G_GINT64_MODIFIER "x" TL_PART_SUFFIX,
                           folder, NAME_BYTES, name, bits);
      fd = g_open (*part_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
  while (fd < 0 && errno == EEXIST);
  return fd;
}

TlPartFile *
tl_part_file_open (const char *path, GError **error)
{
  g_autofree char *part_path = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      tl_set_write_error (error, path, EISDIR, NULL);
      return NULL;
    }
  int fd = create_part (path, &part_path);
  if (fd < 0)
    {
      tl_set_write_error (error, path, errno, NULL);
      return NULL;
    }
  TlPartFile *file = g_new (TlPartFile, 1);
  file->path = g_strdup (path);
  file->part_path = g_steal_pointer (&part_path);
  file->fd = fd;
  return file;
}

gboolean
tl_part_file_try_size (TlPartFile *file, guint64 n_bytes, GError **error)
{
  if (ftruncate (file->fd, (off_t)MIN (n_bytes, G_MAXINT64)) == 0
      && ftruncate (file->fd, 0) == 0)
    return TRUE;
  return tl_set_write_error (error, file->path, errno, NULL);
}

gboolean
tl_write_at (int fd, const char *path, const void *bytes, size_t n,
             guint64 offset, GError **error)
{
  const char *left = bytes;

  while (n > 0)
    {
      const ssize_t written = pwrite (fd, left, n, (off_t)offset);

      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return tl_set_write_error (error, path, written < 0 ? errno : ENOSPC,
                                   NULL);
      left += written;
      offset += (guint64)written;
      n -= (size_t)written;
    }
  return TRUE;
}

int
tl_rename_new (const char *from, const char *to)
{
  GStatBuf status;

  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  if (g_lstat (to, &status) == 0)
    return EEXIST;
  return g_rename (from, to) == 0 ? 0 : errno;
}

/* Some file systems cannot sync a folder; the file is whole there too. */
static void
sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = g_open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  if (fsync (fd) != 0)
    g_info ("%s: the folder cannot be synced: %s", folder, g_strerror (errno));
  close (fd);
}

gboolean
tl_part_file_rename (TlPartFile *file, gboolean replaces, GError **error)
{
  int error_number = 0;

  if (!replaces)
    error_number = tl_rename_new (file->part_path, file->path);
  else if (g_rename (file->part_path, file->path) != 0)
    error_number = errno;
  if (error_number != 0)
    return tl_set_write_error (error, file->path, error_number, NULL);
  g_clear_pointer (&file->part_path, g_free);
  return TRUE;
}

gboolean
tl_part_file_commit (TlPartFile *file, gboolean replaces, GError **error)
{
  /* A network file system may report a full disk only here. */
  if (fsync (file->fd) != 0)
    return tl_set_write_error (error, file->path, errno, NULL);
  if (!tl_part_file_rename (file, replaces, error))
    return FALSE;
  sync_folder (file->path);
  return TRUE;
}

void
tl_part_file_free (TlPartFile *file)
{
  if (file == NULL)
    return;
  if (file->part_path != NULL)
    g_unlink (file->part_path);
  close (file->fd);
  g_free (file->part_path);
  g_free (file->path);
  g_free (file);
}

void
tl_part_files_remove (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (*name == '.' && g_str_has_suffix (name, TL_PART_SUFFIX))
        g_unlink (path);
    }
}

gboolean
tl_write_file (const char *path, const void *bytes, size_t n, gboolean replaces,
               GError **error)
{
  g_return_val_if_fail (path != NULL && (bytes != NULL || n == 0), FALSE);

  g_autoptr (TlPartFile) file = tl_part_file_open (path, error);
  return file != NULL && tl_write_at (file->fd, path, bytes, n, 0, error)
         && tl_part_file_commit (file, replaces, error);
}

gboolean
tl_get_room (const char *path, guint64 *free_bytes, GError **error)
{
  g_autofree char *there = g_strdup (path);
  struct statvfs room;

  while (!g_file_test (there, G_FILE_TEST_EXISTS) && strcmp (there, ".") != 0
         && strcmp (there, "/") != 0)
    {
      char *parent = g_path_get_dirname (there);

      g_free (there);
      there = parent;
    }
  if (statvfs (there, &room) != 0)
    return tl_set_write_error (error, path, errno, NULL);
  if (room.f_blocks == 0) /* /proc and the like */
    return tl_set_write_error (error, path, 0,
                               _ ("this place belongs to the system and keeps "
                                  "no files; choose another folder"));
  *free_bytes = (guint64)room.f_bavail * room.f_frsize;
  return TRUE;
}

gboolean
tl_check_room (const char *path, guint64 needed_bytes, GError **error)
{
  guint64 free_bytes;

  if (!tl_get_room (path, &free_bytes, error))
    return FALSE;
  if (free_bytes < needed_bytes)
    {
      g_autofree char *name = g_filename_display_name (path);
      g_autofree char *needed = g_format_size (needed_bytes);
      g_autofree char *left = g_format_size (free_bytes);

      return tl_fail (error, TL_ERROR_FILE, _ ("%s: needs %s, %s free"), name,
                      needed, left);
    }
  return TRUE;
}
