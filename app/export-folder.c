/* What an earlier export has left in a folder. */
#include "app/export.h"

#include "data/error.h"
#include "data/writer.h"

#include <string.h>

/* Returns: (transfer full) (nullable): a slice in @folder outside the range */
static char *
find_other_slice (const char *folder, size_t first_row, size_t n_rows)
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
          && (row < first_row || row - first_row >= n_rows))
        return g_strdup (name);
    }
  return NULL;
}

/* What decides about the numbers in an exported slice. */
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
  g_autofree char *path = g_build_filename (folder, TL_EXPORT_RECIPE, NULL);
  g_autofree char *scan_path = NULL;
  g_autoptr (TlRecipe) there = tl_recipe_load (path, &scan_path, NULL);
  if (there == NULL)
    return FALSE;
  g_autofree char *got = describe (there, scan_path);
  g_autofree char *want = describe (recipe, info->path);
  return strcmp (got, want) == 0;
}

gboolean
tl_export_check_folder (const TlScanInfo *info, const TlRecipe *recipe,
                        size_t first_row, size_t n_rows, const char *folder,
                        GError **error)
{
  g_autofree char *other = find_other_slice (folder, first_row, n_rows);
  if (other == NULL || has_same_recipe (folder, info, recipe))
    return TRUE;
  g_set_error (error, TL_ERROR, TL_ERROR_FILE,
               "%s: it holds slices of another export (%s) that this one would "
               "not replace; choose another folder, or say --overwrite to have "
               "both in it",
               folder, other);
  return FALSE;
}
