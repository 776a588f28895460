/* What the files of app/export share about a volume. */
#pragma once

#include "app/recipe/recipe.h"

char *tl_volume_dup_identity (const TlRecipe *recipe, const char *scan);
