/* Which files of a folder the process has open. */
#pragma once

#include <glib.h>

/* @spared: (nullable): a file that may be open
 *
 * Returns: (transfer full) (nullable): a file in @folder that is open, also one
 * that was removed: a network file system keeps it there */
static inline char *
find_open_file (const char *folder, const char *spared)
{
  g_autofree char *start = g_strconcat (folder, "/", NULL);
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *link = g_build_filename ("/proc/self/fd", name, NULL);
      g_autofree char *file = g_file_read_link (link, NULL);

      if (file != NULL && g_str_has_prefix (file, start)
          && g_strcmp0 (file, spared) != 0)
        return g_steal_pointer (&file);
    }
  return NULL;
}
