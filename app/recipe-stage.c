/* What a change of the recipe costs: the first stage that has to run again. The
 * engine finds it out by itself; this is to know it before. */
#include "app/recipe.h"

static gboolean
resamples (const TlRecipe *recipe, size_t n_cols)
{
  return tl_tilt_resamples (recipe->params.tilt_deg, recipe->params.centre_col,
                            n_cols);
}

/* Where the axis is matters to whatever looks at it first: projections that are
 * turned back, rows that are weighted, or else the filter, which shifts them.
 */
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
                     const TlRecipeKey *key, size_t n_cols)
{
  return key->is_of_axis ? get_axis_stage (from, to, n_cols) : key->stage;
}
