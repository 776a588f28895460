#include "data/read/format/change.h"

#include <glib/gstdio.h>

enum
{
  MAX_DEPTH = 6 /* of groups, an array and its chunks; a link may lead back */
};

/* Returns: whether @path is a folder */
static gboolean
add (TlChange *change, const char *path)
{
  GStatBuf file;
  if (g_stat (path, &file) != 0)
    return FALSE;
  change->changed_us = MAX (change->changed_us, tl_change_get_us (&file));
  if (S_ISDIR (file.st_mode))
    return TRUE;
  change->n_bytes += (gint64)file.st_size;
  return FALSE;
}

static void
add_inside (TlChange *change, const char *folder, int depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (add (change, path) && depth < MAX_DEPTH)
        add_inside (change, path, depth + 1);
    }
}

void
tl_change_add_file (TlChange *change, const char *path)
{
  g_return_if_fail (change != NULL && path != NULL);
  add (change, path);
}

void
tl_change_add_inside (TlChange *change, const char *path)
{
  g_return_if_fail (change != NULL && path != NULL);
  add_inside (change, path, 1);
}
