#include "app/cli/output-private.h"

#include "app/export/export.h"
#include "app/recipe/recipe.h"

#include "data/error.h"

#include <glib/gstdio.h>

void
tl_cli_output_add (TlCliOutput *output, char *path)
{
  if (output->paths == NULL)
    output->paths = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (output->paths, path);
}

gboolean
tl_cli_check_new (const char *path, gboolean overwrite, GError **error)
{
  GStatBuf status;
  if (g_lstat (path, &status) != 0)
    return TRUE;
  if (S_ISDIR (status.st_mode))
    return tl_fail (error, TL_ERROR_FILE,
                    "%s: this is a folder, which no file replaces; choose "
                    "another name",
                    path);
  return overwrite
         || tl_fail (error, TL_ERROR_FILE,
                     "%s: is there already; choose another name, or say "
                     "--overwrite to replace it",
                     path);
}

gboolean
tl_cli_output_check (const TlCliOutput *output, GError **error)
{
  if (!tl_export_check_outside (output->paths->pdata[0], error))
    return FALSE;
  for (guint k = 0; k < output->paths->len; k++)
    if (!tl_cli_check_new (output->paths->pdata[k], output->overwrite, error))
      return FALSE;
  return TRUE;
}

char *
tl_cli_dup_real_path (const char *path)
{
  char *real = realpath (path, NULL);
  if (real == NULL)
    return g_canonicalize_filename (path, NULL);
  char *copy = g_strdup (real);
  free (real);
  return copy;
}

gboolean
tl_cli_check_folder (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  return g_file_test (folder, G_FILE_TEST_IS_DIR)
         || tl_fail (error, TL_ERROR_FILE, "%s: there is no folder %s", path,
                     folder);
}

gboolean
tl_cli_check_recipe (const char *path, GError **error)
{
  g_autoptr (TlRecipe) there = NULL;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return TRUE;
  there = tl_recipe_load (path, NULL, NULL);
  return there != NULL
         || tl_fail (error, TL_ERROR_FILE,
                     "%s: this is not a recipe, and the recipe of the output "
                     "would replace it; choose another name",
                     path);
}

gboolean
tl_cli_check_raw_folder (const char *scan, const char *folder, GError **error)
{
  g_autofree char *outer = tl_cli_dup_real_path (scan);
  g_autofree char *below = g_strconcat (outer, "/", NULL);
  g_autofree char *inner = tl_cli_dup_real_path (folder);
  g_autofree char *recipe = g_build_filename (inner, TL_EXPORT_RECIPE, NULL);
  g_autoptr (GDir) dir = NULL;
  if (!g_str_has_prefix (inner, below)
      || (dir = g_dir_open (inner, 0, NULL)) == NULL
      || g_dir_read_name (dir) == NULL
      || g_file_test (recipe, G_FILE_TEST_EXISTS))
    return TRUE;
  return tl_fail (error, TL_ERROR_FILE,
                  "%s: the folder has files of the scan; choose another one",
                  folder);
}

char *
tl_cli_output_hide (TlCliOutput *output, const char *path, GError **error)
{
  g_autofree char *name = g_path_get_basename (path);
  if (output->staging == NULL)
    output->staging = tl_staging_new (output->paths->pdata[0], error);
  return output->staging != NULL ? g_build_filename (
             tl_staging_get_path (output->staging), name, NULL)
                                 : NULL;
}

gboolean
tl_cli_output_commit (TlCliOutput *output, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < output->paths->len; k++)
    g_ptr_array_add (names, g_path_get_basename (output->paths->pdata[k]));
  g_ptr_array_add (names, NULL);
  const char *const *list = (const char *const *)names->pdata;
  g_autofree char *state =
      output->overwrite ? tl_staging_dup_state (output->paths->pdata[0], list)
                        : NULL;
  const gboolean good = tl_staging_commit (output->staging, list, state, error);
  g_clear_pointer (&output->staging, tl_staging_free);
  return good;
}

void
tl_cli_output_clear (TlCliOutput *output, GError **error)
{
  if (output->staging != NULL && error != NULL && *error != NULL)
    tl_staging_name_target (output->staging, *error);
  if (output->staging != NULL)
    tl_staging_remove (output->staging, NULL);
  g_clear_pointer (&output->staging, tl_staging_free);
  g_clear_pointer (&output->paths, g_ptr_array_unref);
}
