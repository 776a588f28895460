/* A file that is written under a temporary name and renamed when it is
 * complete, so that a partly written file never has the final name. */
#pragma once

#include <glib.h>

/* Suffix of the temporary name. */
#define TL_PART_SUFFIX ".part"

typedef struct
{
  char *path;      /* final name */
  char *part_path; /* temporary name, in the same folder, so that the rename is
                      atomic */
  int fd;          /* readable and writable, owned by this struct */
} TlPartFile;

/** tl_part_file_open: Creates a temporary file, empty, under a
 * hidden and random name that did not exist, ".slice.tiff.RANDOM.part" for
 * "slice.tiff". Returns: (transfer full): %NULL with TL_ERROR_FILE */
TlPartFile *tl_part_file_open (const char *path, GError **error);

/** tl_part_file_try_size: Tests whether the file may become @n_bytes long:
 * extends it without writing data, then truncates it to 0 bytes. Returns:
 * %FALSE with TL_ERROR_FILE if the file system does not allow @n_bytes */
gboolean tl_part_file_try_size (TlPartFile *file, guint64 n_bytes,
                                GError **error);

/** tl_write_at: Writes all @n bytes at @offset of a file. @path: its name, for
 * the message. Any thread. Returns: %FALSE with TL_ERROR_FILE */
gboolean tl_write_at (int fd, const char *path, const void *bytes, size_t n,
                      guint64 offset, GError **error);

/** tl_part_file_commit: Syncs the file, renames it to its final name, and
 * syncs the folder, so that not even a power cut leaves half a file under the
 * final name. A symbolic link of this name is replaced; the file that it points
 * to stays. @replaces: whether what has this name may be replaced. Returns:
 * %FALSE with TL_ERROR_FILE; tl_part_file_free() then removes the temporary
 * file */
gboolean tl_part_file_commit (TlPartFile *file, gboolean replaces,
                              GError **error);

/** tl_part_file_rename: As tl_part_file_commit(), but without waiting for the
 * disk: for files that follow one another quickly, or grow. The caller may go
 * on writing to it. */
gboolean tl_part_file_rename (TlPartFile *file, gboolean replaces,
                              GError **error);

/** tl_part_file_free: Removes the temporary file unless it was committed. */
void tl_part_file_free (TlPartFile *file);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlPartFile, tl_part_file_free)

/** tl_part_files_remove: Removes the temporary files that a killed program has
 * left in @folder. Nobody else may be writing to it. */
void tl_part_files_remove (const char *folder);

/** tl_write_file: Writes a small file: whole, or not at all. @replaces: whether
 * what has this name may be replaced. Any thread. Returns: %FALSE with
 * TL_ERROR_FILE */
gboolean tl_write_file (const char *path, const void *bytes, size_t n,
                        gboolean replaces, GError **error);

/** tl_rename_new: Renames @from, unless there is something at @to, be it a
 * link. Returns: 0 or errno */
int tl_rename_new (const char *from, const char *to);

/**
 * tl_set_write_error:
 * @error_number: errno, or 0 if the system gave no reason
 * @detail: (nullable): the reason to print if @error_number is 0
 *
 * Sets TL_ERROR_FILE that says why @path cannot be written.
 *
 * Returns: %FALSE
 */
gboolean tl_set_write_error (GError **error, const char *path, int error_number,
                             const char *detail);

/**
 * tl_get_room:
 * @path: a file or folder; it need not exist
 * @free_bytes: (out): what the file system of @path has free for this user
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_get_room (const char *path, guint64 *free_bytes, GError **error);

/**
 * tl_check_room:
 *
 * Returns: %FALSE with TL_ERROR_FILE if tl_get_room() finds less
 *   than @needed_bytes free
 */
gboolean tl_check_room (const char *path, guint64 needed_bytes, GError **error);
