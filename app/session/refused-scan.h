/* The scan whose angles are no use, kept so that it can be tried again with
 * others. */
#pragma once

#include "app/recipe/recipe.h"

/* Zero: there is none. */
typedef struct
{
  char *path;       /* (nullable) */
  TlRecipe *recipe; /* (nullable): with what it was tried */
} TlRefusedScan;

/**
 * tl_refused_scan_note:
 * @error: why the scan @path could not be opened with @recipe
 *
 * Returns: whether other angles may help, so that the scan is kept instead of
 *   the one before
 */
gboolean tl_refused_scan_note (TlRefusedScan *refused, const char *path,
                               const TlRecipe *recipe, const GError *error);

void tl_refused_scan_clear (TlRefusedScan *refused);
