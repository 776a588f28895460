/* A file that is written under a temporary name and renamed when complete, so
 * that it appears whole or not at all. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Added to the name while the file is being written. */
#define TL_PART_SUFFIX ".part"

typedef struct
{
  char *path;      /* where the file will be */
  char *part_path; /* where it is now: the same folder, so that the rename is
                      one step */
  int fd;          /* readable and writable, owned by this struct */
} TlPartFile;

/**
 * tl_part_file_open:
 *
 * Creates the temporary file, empty; what an interrupted run left under that
 * name is overwritten.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE
 */
TlPartFile *tl_part_file_open (const char *path, GError **error);

/**
 * tl_part_file_try_size:
 *
 * Stretches the file, without writing to it, and empties it again.
 *
 * Returns: %FALSE with TL_ERROR_FILE where files here cannot have @n_bytes
 */
gboolean tl_part_file_try_size (TlPartFile *file, guint64 n_bytes,
                                GError **error);

/**
 * tl_part_file_commit:
 *
 * Closes the file and gives it its name. It is not forced to the platter: a
 * crash of the program leaves a whole file or none, a power cut may not.
 *
 * Returns: %FALSE with TL_ERROR_FILE; tl_part_file_free() then removes it
 */
gboolean tl_part_file_commit (TlPartFile *file, GError **error);

/** tl_part_file_free: removes the temporary file unless it was committed. */
void tl_part_file_free (TlPartFile *file);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlPartFile, tl_part_file_free)

/**
 * tl_set_write_error:
 * @error_number: the system's, or 0 where it said nothing
 * @detail: (nullable): said where @error_number is 0
 *
 * TL_ERROR_FILE: why @path cannot be written.
 */
void tl_set_write_error (GError **error, const char *path, int error_number,
                         const char *detail);

/**
 * tl_check_room:
 * @path: a file or folder, there or not yet
 *
 * Returns: %FALSE with TL_ERROR_FILE where its file system has less than
 *   @needed_bytes free
 */
gboolean tl_check_room (const char *path, guint64 needed_bytes, GError **error);

G_END_DECLS
