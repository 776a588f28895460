#include "app/session/refused-scan.h"

#include "data/error.h"

gboolean
tl_refused_scan_note (TlRefusedScan *refused, const char *path,
                      const TlRecipe *recipe, const GError *error)
{
  if (!g_error_matches (error, TL_ERROR, TL_ERROR_ANGLES))
    return FALSE;
  tl_refused_scan_clear (refused);
  refused->path = g_strdup (path);
  refused->recipe = tl_recipe_dup (recipe);
  return TRUE;
}

void
tl_refused_scan_clear (TlRefusedScan *refused)
{
  g_clear_pointer (&refused->path, g_free);
  g_clear_pointer (&refused->recipe, tl_recipe_free);
}
