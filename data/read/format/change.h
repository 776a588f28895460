/* When files were written last. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/* What tells whether files were changed. A zeroed struct is of no file. */
typedef struct
{
  gint64 n_bytes;    /* of all files together */
  gint64 changed_us; /* when the newest was written: microseconds since 1970 */
} TlChange;

/** tl_change_get_us: Returns: microseconds since 1970 */
static inline gint64
tl_change_get_us (const struct stat *file)
{
  return file->st_mtim.tv_sec * G_USEC_PER_SEC + file->st_mtim.tv_nsec / 1000;
}

/** tl_change_add_file: Adds the file or folder @path; nothing where there is
 * none. */
void tl_change_add_file (TlChange *change, const char *path);

/** tl_change_add_inside: Adds all that is in the folder @path and below it, as
 * the chunks of a Zarr scan: a chunk may be written again in place, which does
 * not change its folder. Adds nothing if @path is no folder. */
void tl_change_add_inside (TlChange *change, const char *path);
