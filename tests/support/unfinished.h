/* Finds what an export that is not finished has made. */
#pragma once

#include <gio/gio.h>
#include <glib/gstdio.h>

/* Returns: (transfer full) (nullable): the folder of the slices in the hidden
 * folder of an export to @name in @folder */
static inline char *
find_unfinished (const char *folder, const char *name)
{
  g_autofree char *prefix = g_strconcat (".", name, ".part-", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *found;

  while (dir != NULL && (found = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (found, prefix))
      return g_build_filename (folder, found, name, NULL);
  return NULL;
}

/* @folder: (nullable): may not exist */
static inline guint
count_slices_in (const char *folder)
{
  g_autoptr (GDir) dir = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_suffix (name, ".tiff");
  return n;
}

/* Returns: how many slices @folder has. Asserts that all are complete and that
 * the folder has nothing else but recipe and metadata. */
static inline guint
count_whole_slices (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  goffset size = 0;
  guint n = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      GStatBuf there;

      if (g_str_equal (name, "recipe.ini") || g_str_equal (name, "volume.json"))
        continue;
      if (!g_str_has_suffix (name, ".tiff"))
        g_error ("%s is left", path);
      g_assert_cmpint (g_stat (path, &there), ==, 0);
      if (n++ == 0)
        size = there.st_size;
      /* the metadata have more digits or fewer */
      g_assert_cmpint (ABS (there.st_size - size), <, 64);
    }
  return n;
}
