#include "app/session/refused-scan.h"

#include "data/error.h"

/* Returns: whether the file @path has to be described, or has another size than
 * the one that was described */
static gboolean
needs_description (const char *path, const TlRecipe *recipe,
                   const GError *error)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
         && (g_error_matches (error, TL_ERROR, TL_ERROR_UNKNOWN)
             || (recipe->raw != NULL
                 && g_error_matches (error, TL_ERROR, TL_ERROR_SHAPE)));
}

TlAsks
tl_refused_scan_note (TlRefusedScan *refused, const char *path,
                      const TlRecipe *recipe, const GError *error)
{
  const TlAsks asks =
      g_error_matches (error, TL_ERROR, TL_ERROR_ANGLES) ? TL_ASKS_ANGLES
      : needs_description (path, recipe, error)          ? TL_ASKS_RAW
                                                         : TL_ASKS_NOTHING;
  if (asks == TL_ASKS_NOTHING)
    return asks;
  tl_refused_scan_clear (refused);
  refused->path = g_strdup (path);
  refused->recipe = tl_recipe_dup (recipe);
  refused->asks = asks;
  return asks;
}

void
tl_refused_scan_clear (TlRefusedScan *refused)
{
  g_clear_pointer (&refused->path, g_free);
  g_clear_pointer (&refused->recipe, tl_recipe_free);
  refused->asks = TL_ASKS_NOTHING;
}
