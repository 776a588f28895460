/* What the files of app/export share about a volume. */
#pragma once

#include "app/recipe/recipe.h"

/** tl_volume_dup_recipe: Returns: (transfer full): the text of recipe.ini, with
 * all that determines the numbers in the slices: a scan that was replaced gives
 * another text */
char *tl_volume_dup_recipe (const TlRecipe *recipe, const char *scan);
