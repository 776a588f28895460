/* What the user has said about scans that their files do not say: their angles.
 * A key file, tomolens/scans.ini in the user's state folder, has a group for
 * each of the last scans. Main thread: the file is small. */
#pragma once

#include "app/recipe/recipe.h"

/** tl_scan_memory_recall: Sets the angles in @recipe to those noted for the
 * scan @path. Returns: whether there were any */
gboolean tl_scan_memory_recall (const char *path, TlRecipe *recipe);

/** tl_scan_memory_note: Notes the angles that @recipe gives the scan @path, or
 * forgets what was noted. A file that cannot be written is left as it is. */
void tl_scan_memory_note (const char *path, const TlRecipe *recipe);
