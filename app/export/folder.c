/* Examines the slices that an earlier export has left in a folder. */
#include "app/export/export.h"

#include "data/error.h"
#include "data/write/writer.h"

#include <glib/gi18n.h>
#include <string.h>

/* @inside: whether to look inside or outside the range. Returns: (transfer
 * full) (nullable): the name of a slice in @folder */
static char *
find_slice (const char *folder, size_t first_row, size_t n_rows,
            gboolean is_inside)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      guint64 row;
      if (!g_str_has_prefix (name, TL_SLICE_PREFIX)
          || !g_str_has_suffix (name, TL_SLICE_SUFFIX))
        continue;
      const char *digits = name + strlen (TL_SLICE_PREFIX);
      g_autofree char *number =
          g_strndup (digits, strlen (digits) - strlen (TL_SLICE_SUFFIX));
      if (g_ascii_string_to_unsigned (number, 10, 0, G_MAXUINT32, &row, NULL)
          && (row >= first_row && row - first_row < n_rows) == is_inside)
        return g_strdup (name);
    }
  return NULL;
}

/* Returns: (transfer full): a text of all that determines the numbers in an
 * exported slice */
static char *
describe (const TlRecipe *recipe, const char *scan_path)
{
  g_autoptr (TlRecipe) copy = tl_recipe_dup (recipe);
  copy->slice_known = FALSE;
  return tl_recipe_to_text (copy, scan_path);
}

static gboolean
has_same_recipe (const char *folder, const TlScanInfo *info,
                 const TlRecipe *recipe)
{
  g_autofree char *scan_path = NULL;
  g_autofree char *path = g_build_filename (folder, TL_EXPORT_RECIPE, NULL);
  g_autoptr (TlRecipe) there = tl_recipe_load (path, &scan_path, NULL);
  if (there == NULL)
    return FALSE;
  g_autofree char *got = describe (there, scan_path);
  g_autofree char *want = describe (recipe, info->path);
  return strcmp (got, want) == 0;
}

char *
tl_export_dup_changes (const TlScanInfo *info, const TlRecipe *recipe,
                       const char *recipe_path)
{
  g_autofree char *scan_path = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (TlRecipe) there = tl_recipe_load (recipe_path, &scan_path, NULL);
  g_autofree char *path = g_canonicalize_filename (info->path, NULL);
  g_autoptr (TlRecipe) now = tl_recipe_dup_given (recipe);
  if (there == NULL)
    return NULL;
  if (scan_path != NULL && strcmp (scan_path, path) != 0)
    g_string_append_printf (text, _ ("scan %s → %s"), scan_path, path);
  there->slice_known = now->slice_known = FALSE;
  tl_recipe_compare (there, now, G_MAXUINT, NULL, text);
  return text->len == 0 ? NULL : g_strdup (text->str);
}

char *
tl_export_dup_replaced (const TlScanInfo *info, const TlRecipe *recipe,
                        size_t first_row, size_t n_rows, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, TL_EXPORT_RECIPE, NULL);
  g_autofree char *slice = find_slice (folder, first_row, n_rows, TRUE);
  g_autofree char *changes =
      slice != NULL ? tl_export_dup_changes (info, recipe, path) : NULL;
  return changes == NULL
             ? NULL
             : g_strdup_printf (
                 _ ("%s: slices of an earlier export (%s and so on) "
                    "and its recipe are replaced; what has changed "
                    "since: %s"),
                 folder, slice, changes);
}

gboolean
tl_export_check_folder (const TlScanInfo *info, const TlRecipe *recipe,
                        size_t first_row, size_t n_rows, const char *folder,
                        GError **error)
{
  g_autofree char *other = find_slice (folder, first_row, n_rows, FALSE);
  if (other == NULL || has_same_recipe (folder, info, recipe))
    return TRUE;
  g_set_error (
      error, TL_ERROR, TL_ERROR_FILE,
      _ ("%s: it holds slices of another export (%s) that this one would "
         "not replace; choose another folder, or say --overwrite to have "
         "both in it"),
      folder, other);
  return FALSE;
}
