/* The scan that could not be opened because the user has to say something of
 * it, kept so that it can be tried again with that. */
#pragma once

#include "app/messages/messages.h"
#include "app/recipe/recipe.h"

/* Zero: there is none. */
typedef struct
{
  char *path;        /* (nullable) */
  TlRecipe *recipe;  /* (nullable): with what it was tried */
  GPtrArray *groups; /* (nullable): of TlImageGroup, of a folder */
  TlAsks asks;       /* what may help */
} TlRefusedScan;

/**
 * tl_refused_scan_note:
 * @error: why the scan @path could not be opened with @recipe
 * @groups: (nullable): of its images, if it is a folder
 * @is_choice: it is known that other parts of the file may help
 *
 * Returns: what the user may say so that the scan can be opened; it is kept
 *   then instead of the one before
 */
TlAsks tl_refused_scan_note (TlRefusedScan *refused, const char *path,
                             const TlRecipe *recipe, const GError *error,
                             GPtrArray *groups, gboolean is_choice);

void tl_refused_scan_clear (TlRefusedScan *refused);
