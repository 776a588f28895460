#include "app/export/method.h"

#include "app/export/part.h"
#include "app/export/volume-private.h"
#include "gpu/engine.h"

#include <string.h>

/* Takes the method of the recipe @text of another volume. Returns: whether it
 * has one */
static gboolean
take_method (const char *text, TlRecipe *recipe)
{
  g_autoptr (TlRecipe) there =
      text != NULL ? tl_recipe_from_text (text, strlen (text), "", NULL, NULL)
                   : NULL;
  if (there == NULL || there->params.method == TL_METHOD_AUTO)
    return FALSE;
  recipe->params.method = there->params.method;
  return TRUE;
}

/* @path: of the volume, or of the part */
static gboolean
take_begun (const TlExportJob *job, const char *path, TlRecipe *recipe)
{
  g_autofree char *hidden = tl_staging_look (path);
  g_autofree char *begun = hidden != NULL ? tl_volume_dup_begun (hidden) : NULL;
  g_autofree char *finished = tl_volume_dup_kept_recipe (job, path);
  return take_method (begun, recipe) || take_method (finished, recipe);
}

static gboolean
take_of_parts (TlExportJob part, TlRecipe *recipe)
{
  gboolean found = FALSE;
  for (part.part = 1; !found && part.part <= part.n_parts; part.part++)
    {
      g_autofree char *path = tl_export_dup_part_path (&part);
      found = take_begun (&part, path, recipe);
    }
  return found;
}

gboolean
tl_export_settle_method (const TlExportJob *job, size_t n_projections,
                         size_t n_cols, TlRecipe *recipe, const char **note,
                         GError **error)
{
  g_return_val_if_fail (job != NULL && recipe != NULL && note != NULL, FALSE);
  TlParams *params = &recipe->params;
  g_autofree char *path =
      job->n_parts > 0 ? tl_export_dup_part_path (job) : g_strdup (job->path);
  *note = NULL;
  if (params->method != TL_METHOD_AUTO
      || (job->resumes && take_begun (job, path, recipe))
      || take_of_parts (*job, recipe))
    return TRUE;
  if (job->settings.plane != TL_PLANE_XY
      || (job->n_parts > 0 && strcmp (recipe->engine, "host") != 0))
    {
      params->method = TL_METHOD_BACKPROJECTION;
      return TRUE;
    }
  TlParams own = *params;
  own.grid = tl_export_settings_get_grid (&job->settings, &params->grid);
  return tl_engine_settle_method (recipe->engine, &own, n_projections, n_cols,
                                  &params->method, note, error);
}
