/* What fast precision costs on the user's own slice: a map, figures, words. */
#pragma once

#include "app/recon/recon.h"

G_BEGIN_DECLS

/* Of fast against full; all else is the same. */
typedef struct
{
  TlFrame *map;            /* fast less full; owned */
  TlStats stats;           /* of the map */
  TlComparison figures;    /* of the slices */
  const char *full, *fast; /* names of the variants that made them; constant */

  /* of the slice in the recipe's precision, and how long all else took */
  TlReconTimes times;
  TlEngineReport report;
  double compare_ms;
} TlPrecisionCost;

/**
 * tl_precision_cost_run:
 * @recipe: resolved; its slice is ignored
 * @row: the slice wanted
 * @cost: (out caller-allocates): untouched after an error
 *
 * As tl_recon_run() for one slice, which is then made in the other precision
 * too; the times and the report in @cost are of the one that is returned.
 *
 * Returns: (transfer full): the slice in the recipe's precision; %NULL with the
 *   errors of tl_recon_run(), TL_ERROR_UNSUPPORTED also where the engine does
 *   not do the other precision
 */
TlFrame *tl_precision_cost_run (TlRecon *recon, const TlRecipe *recipe,
                                size_t row, GCancellable *cancellable,
                                TlPrecisionCost *cost, GError **error);
void tl_precision_cost_clear (TlPrecisionCost *cost);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlPrecisionCost, tl_precision_cost_clear)

/** tl_precision_cost_describe: Returns: (transfer full): one sentence. */
char *tl_precision_cost_describe (const TlPrecisionCost *cost);

G_END_DECLS
