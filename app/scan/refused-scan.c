#include "app/scan/refused-scan.h"

#include "data/error.h"
#include "data/read/format/contents.h"

/* Returns: whether the file @path has to be described, or has another size than
 * the one that was described */
static gboolean
needs_description (const char *path, const TlRecipe *recipe,
                   const GError *error)
{
  return (g_error_matches (error, TL_ERROR, TL_ERROR_UNKNOWN)
          || (recipe->raw != NULL
              && g_error_matches (error, TL_ERROR, TL_ERROR_SHAPE)))
         && g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* Returns: whether other datasets of the file may help */
static gboolean
needs_places (const char *path, const GError *error)
{
  return (g_error_matches (error, TL_ERROR, TL_ERROR_SHAPE)
          || g_error_matches (error, TL_ERROR, TL_ERROR_VALUE))
         && tl_contents_can_list (path);
}

TlAsks
tl_refused_scan_note (TlRefusedScan *refused, const char *path,
                      const TlRecipe *recipe, const GError *error,
                      GPtrArray *groups, gboolean is_choice)
{
  TlAsks asks = TL_ASKS_NOTHING;
  if (g_error_matches (error, TL_ERROR, TL_ERROR_ANGLES))
    asks |= TL_ASKS_ANGLES;
  else if (needs_description (path, recipe, error))
    asks |= TL_ASKS_RAW;
  if (groups != NULL) /* images of other groups may help */
    asks |= TL_ASKS_FILES;
  if (is_choice || needs_places (path, error))
    asks |= TL_ASKS_PLACES;
  if (asks == TL_ASKS_NOTHING)
    return asks;
  tl_refused_scan_clear (refused);
  refused->path = g_strdup (path);
  refused->recipe = tl_recipe_dup (recipe);
  refused->groups = groups != NULL ? g_ptr_array_ref (groups) : NULL;
  refused->asks = asks;
  return asks;
}

void
tl_refused_scan_clear (TlRefusedScan *refused)
{
  g_clear_pointer (&refused->path, g_free);
  g_clear_pointer (&refused->recipe, tl_recipe_free);
  g_clear_pointer (&refused->groups, g_ptr_array_unref);
  refused->asks = TL_ASKS_NOTHING;
}
