/* The words of the volume view's parameters that are several numbers. */
#pragma once

#include "app/recipe/recipe.h"

/** tl_look_set: @key: of %TL_PARAMETER_NUMBERS. Returns: %FALSE if it does not
 * take @value; then nothing was changed */
gboolean tl_look_set (TlRecipe *recipe, const char *key, const char *value);

/** tl_look_get: Returns: (transfer full): as tl_look_set() takes it */
char *tl_look_get (const TlRecipe *recipe, const char *key);
