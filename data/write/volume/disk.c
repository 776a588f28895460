#include "data/write/volume/disk-private.h"

#include "data/error.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <isa-l/crc.h>
#include <sys/stat.h>

/* Bytes read at a time for a checksum. */
#define READ_BYTES ((size_t)1 << 18)

static int
open_file (const char *path, int flags, GError **error)
{
  int fd = g_open (path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);

  if (fd < 0)
    tl_set_write_error (error, path, errno, NULL);
  return fd;
}

int
tl_disk_create (const char *path, GError **error)
{
  return open_file (path, O_RDWR | O_CREAT | O_EXCL, error);
}

int
tl_disk_open (const char *path, gboolean is_writable, GError **error)
{
  return open_file (path, is_writable ? O_RDWR : O_RDONLY, error);
}

gboolean
tl_disk_make_folder (const char *path, gboolean may_exist, GError **error)
{
  return g_mkdir (path, 0777) == 0 || (may_exist && errno == EEXIST)
         || tl_set_write_error (error, path, errno, NULL);
}

gboolean
tl_disk_close (int fd, const char *path, GError **error)
{
  return close (fd) == 0 || tl_set_write_error (error, path, errno, NULL);
}

gboolean
tl_disk_write_parts (int fd, const char *path, TlDiskFill fill, gpointer data,
                     size_t n, guint64 offset, guint32 *crc, GError **error)
{
  for (size_t done = 0, part; done < n; done += part)
    {
      part = MIN (n - done, TL_DISK_PART_BYTES);
      const void *from = fill (data, done, part);
      if (crc != NULL)
        *crc = crc32_gzip_refl (*crc, from, part);
      if (!tl_write_at (fd, path, from, part, offset + done, error))
        return FALSE;
    }
  /* The system would begin only when the file is flushed, or when much of the
   * memory waits for the disk. What fails here fails there, too. */
  sync_file_range (fd, (off_t)offset, (off_t)n, SYNC_FILE_RANGE_WRITE);
  return TRUE;
}

static const void *
find_part (gpointer data, size_t done, size_t n)
{
  return (const char *)data + done;
}

gboolean
tl_disk_write (int fd, const char *path, const void *bytes, size_t n,
               guint64 offset, guint32 *crc, GError **error)
{
  return tl_disk_write_parts (fd, path, find_part, (gpointer)bytes, n, offset,
                              crc, error);
}

gboolean
tl_disk_write_file (const char *path, const struct iovec *parts, size_t n_parts,
                    guint32 *crc, GError **error)
{
  int fd = open_file (path, O_WRONLY | O_CREAT | O_TRUNC, error);
  guint64 offset = 0;
  gboolean ok = fd >= 0;

  for (size_t i = 0; i < n_parts && ok; i++)
    {
      ok = tl_disk_write (fd, path, parts[i].iov_base, parts[i].iov_len, offset,
                          crc, error);
      offset += parts[i].iov_len;
    }
  if (fd >= 0)
    ok = tl_disk_close (fd, path, ok ? error : NULL) && ok;
  return ok;
}

gboolean
tl_disk_read (int fd, void *bytes, size_t n, guint64 offset)
{
  char *next = bytes;

  while (n > 0)
    {
      const ssize_t done = pread (fd, next, n, (off_t)offset);

      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return FALSE;
      next += done;
      offset += (guint64)done;
      n -= (size_t)done;
    }
  return TRUE;
}

gboolean
tl_disk_sum (int fd, guint64 offset, guint64 n, guint32 *crc)
{
  g_autofree guint8 *bytes = g_malloc (READ_BYTES);

  while (n > 0)
    {
      const size_t part = (size_t)MIN (n, READ_BYTES);

      if (!tl_disk_read (fd, bytes, part, offset))
        return FALSE;
      *crc = crc32_gzip_refl (*crc, bytes, part);
      offset += part;
      n -= part;
    }
  return TRUE;
}

/* @error_number: errno, or 0 */
static gboolean
set_read_error (GError **error, const char *path, int error_number)
{
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: cannot be read: %s; check the file or make it again"),
                  path,
                  error_number != 0 ? g_strerror (error_number)
                                    : _ ("it is not a file, or has become "
                                         "shorter meanwhile"));
}

gboolean
tl_disk_sum_file (const char *path, guint32 *crc, GError **error)
{
  struct stat status;
  int fd = g_open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);

  if (fd < 0)
    return set_read_error (error, path, errno);
  errno = 0;
  const gboolean ok = fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
                      && tl_disk_sum (fd, 0, (guint64)status.st_size, crc);
  const int error_number = errno;
  close (fd);
  return ok || set_read_error (error, path, error_number);
}
