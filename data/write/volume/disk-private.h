/* Plain files: whole writes and checksums. Errors are TL_ERROR_FILE and name
 * the path. Any thread. */
#pragma once

#include <glib.h>
#include <sys/uio.h>

/** tl_disk_create: Creates a file, readable and writable; it must not exist,
 * not even as a link. Returns: the descriptor, or -1 */
int tl_disk_create (const char *path, GError **error);

/** tl_disk_open: Opens an existing file, readable and maybe writable, but no
 * link. Returns: the descriptor, or -1 */
int tl_disk_open (const char *path, gboolean is_writable, GError **error);

/** tl_disk_make_folder: Creates a folder.
 * @may_exist: whether an existing folder is as good */
gboolean tl_disk_make_folder (const char *path, gboolean may_exist,
                              GError **error);

/** tl_disk_close: Closes @fd in any case. Returns: %FALSE if the system reports
 * only now, as network file systems do, that the disk is full */
gboolean tl_disk_close (int fd, const char *path, GError **error);

/* A part that is made, summed and written while it is in the processor's cache.
 * Of checksums alone, parts of 128 kB were as fast, and those of 4 MB 3 %
 * slower. */
#define TL_DISK_PART_BYTES ((size_t)1 << 19)

/**
 * TlDiskFill:
 * @data: of the caller of tl_disk_write_parts()
 * @done: bytes of the parts before
 * @n: TL_DISK_PART_BYTES, or what is left for the last part
 *
 * Makes the next part.
 *
 * Returns: (transfer none): [@n] bytes, valid until the next call
 */
typedef const void *(*TlDiskFill) (gpointer data, size_t done, size_t n);

/** tl_disk_write_parts: Writes @n bytes at @offset, in parts that @fill makes,
 * and has the system begin to bring them to the disk.
 * @crc32: (inout) (optional): is continued over them, as zlib does */
gboolean tl_disk_write_parts (int fd, const char *path, TlDiskFill fill,
                              gpointer data, size_t n, guint64 offset,
                              guint32 *crc32, GError **error);

/** tl_disk_write: The same with @n @bytes that are there already. */
gboolean tl_disk_write (int fd, const char *path, const void *bytes, size_t n,
                        guint64 offset, guint32 *crc32, GError **error);

/** tl_disk_write_file: Makes @path a file of @n_parts one after the other.
 * Replaces the content of an existing file, but follows no link. @crc32:
 * (inout) (optional): is continued over them */
gboolean tl_disk_write_file (const char *path, const struct iovec *parts,
                             size_t n_parts, guint32 *crc32, GError **error);

/** tl_disk_read: Returns: whether @n bytes could be read at @offset */
gboolean tl_disk_read (int fd, void *bytes, size_t n, guint64 offset);

/** tl_disk_sum: Continues @crc32 (at first 0) over @n bytes at @offset, as zlib
 * does. Returns: whether they could be read */
gboolean tl_disk_sum (int fd, guint64 offset, guint64 n, guint32 *crc32);

/** tl_disk_sum_file: The same over a whole file, which is no link. */
gboolean tl_disk_sum_file (const char *path, guint32 *crc32, GError **error);
