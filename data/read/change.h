/* When a file was written last. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/** tl_change_get_us: Returns: microseconds since 1970 */
static inline gint64
tl_change_get_us (const struct stat *file)
{
  return file->st_mtim.tv_sec * G_USEC_PER_SEC + file->st_mtim.tv_nsec / 1000;
}
