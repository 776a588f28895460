/* Examines what an export would replace. */
#include "app/export/export.h"
#include "app/export/volume-private.h"
#include "app/recon/recon.h"

#include "data/error.h"
#include "data/write/staging.h"
#include "data/write/writer.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

/* Returns: whether an export makes files of this name */
static gboolean
is_of_export (const char *name)
{
  return g_str_equal (name, TL_EXPORT_RECIPE)
         || (g_str_has_prefix (name, TL_SLICE_PREFIX)
             && g_str_has_suffix (name, TL_SLICE_SUFFIX));
}

/* @n_files: (out): how many files there are
 *
 * Returns: %FALSE with TL_ERROR_FILE if @folder is none, or has something else
 *   than an exported volume */
static gboolean
check_folder (const char *folder, size_t *n_files, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  *n_files = 0;
  if (dir == NULL && !g_file_test (folder, G_FILE_TEST_EXISTS))
    return TRUE;
  if (dir == NULL)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this is not a folder that can be read; choose "
                       "another name"),
                    folder);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      if (!is_of_export (name))
        return tl_fail (error, TL_ERROR_FILE,
                        _ ("%s: it holds files that no export has made (%s); "
                           "choose a new folder"),
                        folder, name);
      ++*n_files;
    }
  return TRUE;
}

/* Returns: (transfer full): a text of all that determines the numbers in an
 * exported slice */
char *
tl_volume_dup_identity (const TlRecipe *recipe, const char *scan)
{
  g_autoptr (TlRecipe) copy = tl_recipe_dup (recipe);
  g_autofree char *path = g_canonicalize_filename (scan, NULL);
  g_autofree char *text = NULL;
  GStatBuf status = { 0 };

  copy->slice_known = FALSE;
  text = tl_recipe_to_text (copy, path);
  g_stat (path, &status);
  return g_strdup_printf ("%s\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, text,
                          (gint64)status.st_size, (gint64)status.st_mtime);
}

char *
tl_export_dup_changes (const char *scan, const TlRecipe *recipe,
                       const char *recipe_path)
{
  g_autofree char *scan_path = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (TlRecipe) there = tl_recipe_load (recipe_path, &scan_path, NULL);
  g_autofree char *path = g_canonicalize_filename (scan, NULL);
  g_autoptr (TlRecipe) now = tl_recipe_dup_given (recipe);

  if (there == NULL)
    return NULL;
  if (scan_path != NULL && strcmp (scan_path, path) != 0)
    g_string_append_printf (text, _ ("scan %s → %s"), scan_path, path);
  there->slice_known = now->slice_known = FALSE;
  tl_recipe_compare (there, now, G_MAXUINT, NULL, text);
  return text->len == 0 ? NULL : g_strdup (text->str);
}

/* Returns: (transfer full): what would be lost if @folder were replaced */
static char *
describe_volume (const TlExportJob *job, size_t n_files)
{
  g_autofree char *path =
      g_build_filename (job->folder, TL_EXPORT_RECIPE, NULL);
  g_autofree char *changes =
      tl_export_dup_changes (job->scan, job->recipe, path);
  const gboolean has_recipe = g_file_test (path, G_FILE_TEST_EXISTS);
  const size_t n = n_files - has_recipe;

  return g_strdup_printf (
      g_dngettext (NULL, "%s holds %zu slice of an earlier export%s%s",
                   "%s holds %zu slices of an earlier export%s%s", n),
      job->folder, n, changes != NULL ? _ ("; what differs: ") : "",
      changes != NULL ? changes : "");
}

gboolean
tl_export_check_target (const TlExportJob *job, char **question,
                        gboolean *can_resume, GError **error)
{
  size_t n_files;

  g_return_val_if_fail (job != NULL && question != NULL, FALSE);

  *question = NULL;
  if (!tl_check_output (job->scan, job->folder, error)
      || !check_folder (job->folder, &n_files, error))
    return FALSE;
  g_autoptr (TlStaging) unfinished = tl_staging_find (job->folder);
  *can_resume = unfinished != NULL;
  if (n_files > 0)
    *question = describe_volume (job, n_files);
  else if (unfinished != NULL && !job->resumes)
    *question = g_strdup_printf (_ ("%s: an export to it was not finished"),
                                 job->folder);
  return TRUE;
}
