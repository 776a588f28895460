/* The projections of a scan in host memory at coarser resolutions, for views
 * that need many rows at once.
 *
 * A level has the means of bins as TlReaderOptions.bin describes them. A thread
 * of low priority loads the levels one after the other, from the coarsest on,
 * with a reader of its own. Each level is a scan like any other: TlRecon makes
 * slices and planes of it with all corrections. The levels of a scan that is
 * being taken contain the projections received so far, with their current
 * weights; they can be loaded again. */
#pragma once

#include "app/recipe/recipe.h"
#include "data/read/held/copy.h"
#include "data/read/held/held.h"

#define TL_TYPE_RESIDENT (tl_resident_get_type ())
G_DECLARE_FINAL_TYPE (TlResident, tl_resident, TL, RESIDENT, GObject)

/* Main thread only. Properties, read-only with explicit notify:
 *   "n-loaded"  uint: how many levels are there; also notified when they were
 *               loaded again, or could not be
 *   "progress"  double: of all levels, 0 … 1; it stays when they are loaded
 *               again, as the next one
 *   "busy"      boolean: levels are being loaded
 *   "problem"   string, nullable: why not even the first level came, or came
 *               again, a sentence
 */

/** tl_resident_choose_bin: Returns: the smallest bin, for tl_resident_new(),
 * with which a scan of @n_rows rows and @n_cols columns, opened with @recipe,
 * has at most @max_cols columns; never above TL_MAX_BIN or the height of the
 * scan */
guint tl_resident_choose_bin (const TlRecipe *recipe, size_t n_rows,
                              size_t n_cols, size_t max_cols);

/**
 * tl_resident_new:
 * @path: of the scan, a file or a folder
 * @held: (nullable): its frames, if it is being taken; @path is not read then
 * @recipe: with which it is open; copied
 * @bins: [@n_bins], descending, in pixels of the file: multiples of the
 *   recipe's own
 * @budget: a reference is taken. A level that has no room in it is left out,
 *   and so are those after it
 *
 * Starts a thread that loads the levels. The last unref cancels it; each level
 * is freed when nobody has a reference to it any more.
 *
 * Returns: (transfer full)
 */
TlResident *tl_resident_new (const char *path, TlHeld *held,
                             const TlRecipe *recipe, const guint *bins,
                             size_t n_bins, TlHeldBudget *budget);

/**
 * tl_resident_new_rows:
 * @bin: in pixels of the file: a multiple of the recipe's own
 * @first_row: of the bins
 *
 * As tl_resident_new(), for one level that has only the @n_rows rows from
 * @first_row on (tl_held_copy_new_rows()). Waits some seconds for room in
 * @budget, because a level that was dropped may be in use.
 */
TlResident *tl_resident_new_rows (const char *path, TlHeld *held,
                                  const TlRecipe *recipe, guint bin,
                                  size_t first_row, size_t n_rows,
                                  TlHeldBudget *budget);

/**
 * tl_resident_reload:
 *
 * Loads the levels of a scan that is being taken again, with what has come
 * since. The former ones are there until all are loaded; if the budget has no
 * room for both, they are dropped first. "n-loaded" says when it is done, also
 * if there is a "problem" now.
 *
 * Returns: %FALSE while levels are being loaded
 */
gboolean tl_resident_reload (TlResident *self);
/** tl_resident_is_reloading: Returns: whether tl_resident_reload() goes on */
gboolean tl_resident_is_reloading (TlResident *self);
/** tl_resident_get_growth: Returns: TlHeldState.serial of the frames of which
 * the levels were made, at least; 0 of a scan that is not being taken, or when
 * there are no levels */
guint64 tl_resident_get_growth (TlResident *self);

/** tl_resident_get_level: Returns: (transfer none) (nullable): the level
 * @index, from 0 for the coarsest; %NULL: not loaded, or not yet */
TlHeldCopy *tl_resident_get_level (TlResident *self, guint index);
/** tl_resident_get_bin: @index: below n_bins. Returns: the bin of that level */
guint tl_resident_get_bin (TlResident *self, guint index);
const char *tl_resident_get_problem (TlResident *self);

/**
 * tl_resident_dup_recipe:
 * @recipe: resolved for the whole scan
 * @info: of the level
 *
 * Any thread. Returns: (transfer full): resolved for the level of @bin: centre,
 *   slice and pixel size are in its pixels, and the grid is that of a whole
 *   slice; %NULL with an error of tl_recipe_resolve()
 */
TlRecipe *tl_resident_dup_recipe (const TlRecipe *recipe, guint bin,
                                  const TlScanInfo *info, GError **error);
