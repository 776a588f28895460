/* Keeps with which parameters each scan was last worked on, and offers them
 * when it is opened again, unless the scan was written since. Recipes of the
 * last scans are in the folder tomolens/recipes of the user's state folder. A
 * change is written within TL_LAST_RECIPE_MS, so that little is lost if the
 * program is killed. A recipe that was not taken is kept once more when another
 * takes its place, with "~" in its name; it comes back if all changes are
 * undone. Main thread: they are small. */
#pragma once

#include "app/session/session.h"

#define TL_LAST_RECIPE_MS 1000

#define TL_TYPE_LAST_RECIPE (tl_last_recipe_get_type ())
G_DECLARE_FINAL_TYPE (TlLastRecipe, tl_last_recipe, TL, LAST_RECIPE, GObject)

/* Properties:
 *   "offer"     string, nullable, read-only, explicit notify: how the kept
 *               parameters of the open scan differ from the present ones; not
 *               for a scan that was opened with parameters of its own
 *   "is-active" boolean, writable: it keeps and offers them; FALSE at first
 *
 * If only the shown slice or a centre found by the program has changed, nothing
 * is kept or offered. */

/** tl_last_recipe_new: @session: must outlive it. Freeing it keeps what the
 * open scan has. */
TlLastRecipe *tl_last_recipe_new (TlSession *session);

/** tl_last_recipe_take: Gives the open scan the kept parameters, in one step
 * that can be undone. */
void tl_last_recipe_take (TlLastRecipe *self);
void tl_last_recipe_dismiss (TlLastRecipe *self);

/** tl_last_recipe_forget: Removes the kept recipes of all scans, and keeps what
 * the open scan has only if it is changed further. */
void tl_last_recipe_forget (TlLastRecipe *self);
/** tl_last_recipe_dup_folder: Returns: (transfer full): where they are */
char *tl_last_recipe_dup_folder (void);
