#include "app/session/scan-memory.h"

#include "data/write/part-file.h"

#include <string.h>

/* Older ones are forgotten. */
#define MAX_SCANS 200

static const char *const keys[] = { "angles", "angles-file" };

static char *
dup_file (void)
{
  return g_build_filename (g_get_user_state_dir (), "tomolens", "scans.ini",
                           NULL);
}

static GKeyFile *
load (void)
{
  GKeyFile *scans = g_key_file_new ();
  g_autofree char *file = dup_file ();
  g_key_file_load_from_file (scans, file, G_KEY_FILE_NONE, NULL);
  return scans;
}

static void
save (GKeyFile *scans)
{
  g_autofree char *file = dup_file ();
  g_autofree char *folder = g_path_get_dirname (file);
  g_autofree char *text = g_key_file_to_data (scans, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_mkdir_with_parents (folder, 0700);
  if (!tl_write_file (file, text, strlen (text), TRUE, &error))
    g_info ("the angles are not kept: %s", error->message);
}

/* Returns: (transfer full) (nullable): the name of the scan's group, which has
 * no brackets */
static char *
dup_group (const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  return g_filename_to_uri (absolute, NULL, NULL);
}

gboolean
tl_scan_memory_recall (const char *path, TlRecipe *recipe)
{
  g_autoptr (GKeyFile) scans = load ();
  g_autofree char *group = dup_group (path);
  gboolean found = FALSE;
  for (guint k = 0; group != NULL && k < G_N_ELEMENTS (keys); k++)
    {
      g_autofree char *value =
          g_key_file_get_string (scans, group, keys[k], NULL);
      found |= value != NULL && tl_recipe_set (recipe, keys[k], value, NULL);
    }
  return found;
}

static gboolean
set (GKeyFile *scans, const char *group, const TlRecipe *recipe)
{
  gboolean has_any = FALSE;
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      g_autofree char *value = tl_recipe_get (recipe, keys[k]);
      if (*value == '\0')
        continue;
      g_key_file_set_string (scans, group, keys[k], value);
      has_any = TRUE;
    }
  return has_any;
}

void
tl_scan_memory_note (const char *path, const TlRecipe *recipe)
{
  g_autoptr (GKeyFile) scans = load ();
  g_autofree char *group = dup_group (path);
  if (group == NULL)
    return;
  /* removed first, so that the newest is the last one */
  const gboolean was_there = g_key_file_remove_group (scans, group, NULL);
  if (!set (scans, group, recipe) && !was_there)
    return;
  gsize n;
  g_auto (GStrv) groups = g_key_file_get_groups (scans, &n);
  for (gsize k = 0; k + MAX_SCANS < n; k++)
    g_key_file_remove_group (scans, groups[k], NULL);
  save (scans);
}
