/* What a change of the recipe costs: the first stage that has to run again, and
 * whether the corrections do. The engine determines this by itself; these
 * functions predict it. */
#include "app/recipe/recipe.h"

#include <string.h>

static gboolean
resamples (const TlRecipe *recipe, size_t n_cols)
{
  return tl_tilt_resamples (recipe->params.tilt_deg, recipe->params.centre_col,
                            n_cols);
}

/* A change of the axis first affects the stage that uses it first: projections
 * that are turned back, rows that are weighted, or else the filter, which
 * shifts them. */
static TlStage
get_axis_stage (const TlRecipe *from, const TlRecipe *to, size_t n_cols)
{
  const gboolean did_resample = resamples (from, n_cols);
  if (did_resample != resamples (to, n_cols))
    return TL_STAGE_CORRECT; /* of other rows */
  if (did_resample)
    return TL_STAGE_TILT;
  return from->params.half || to->params.half ? TL_STAGE_TRANSFORM
                                              : TL_STAGE_FILTER;
}

TlStage
tl_recipe_get_stage (const TlRecipe *from, const TlRecipe *to,
                     const TlParamSpec *key, size_t n_cols)
{
  return key->is_of_axis ? get_axis_stage (from, to, n_cols) : key->stage;
}

/* Returns: whether the input of the filter depends on @key, for the same turn
 * of the projections by the tilt. Engines decide in the same way. */
static gboolean
decides_rows (const TlParamSpec *key)
{
  return !key->is_alias && strcmp (key->key, "slice") != 0
         && strcmp (key->key, "engine") != 0
         && (key->stage < TL_STAGE_TRANSFORM || key->reopens);
}

/* The size of a pixel also scales the picture, so it is always relevant; rows
 * depend on it with phase retrieval alone. */
static gboolean
affects_rows (const TlRecipe *recipe, const TlParamSpec *key)
{
  return tl_recipe_is_relevant (recipe, key)
         && (key->stage != TL_STAGE_PHASE || recipe->params.phase.on);
}

gboolean
tl_recipe_corrects_alike (const TlRecipe *a, const TlRecipe *b)
{
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    {
      if (decides_rows (&keys[k]) && !tl_recipe_is_equal (a, b, &keys[k])
          && (affects_rows (a, &keys[k]) || affects_rows (b, &keys[k])))
        return FALSE;
    }
  return TRUE;
}

gboolean
tl_recipe_reads_alike (const TlRecipe *a, const TlRecipe *b)
{
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    {
      if (keys[k].reopens && !tl_recipe_is_equal (a, b, &keys[k]))
        return FALSE;
    }
  return TRUE;
}
