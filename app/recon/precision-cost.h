/* Compares fast with full precision on one slice. */
#pragma once

#include "app/recon/recon.h"

/* Difference of two slices that differ in precision alone. */
typedef struct
{
  TlFrame *map;            /* fast minus full; owned */
  TlStats stats;           /* of the map */
  TlComparison figures;    /* fast compared with full */
  const char *full, *fast; /* names of the variants that made them; constant */

  /* The slice in the recipe's precision; compare_ms: time of all the rest */
  TlReconTimes times;
  TlEngineReport report;
  double compare_ms;
} TlPrecisionCost;

/**
 * tl_precision_cost_run:
 * @recipe: resolved; its slice is ignored
 * @row: detector row of the slice
 * @cost: (out caller-allocates): untouched after an error
 *
 * Makes one slice in the recipe's precision, as tl_recon_run() does, then in
 * the other precision, and compares them. Times and report in @cost belong to
 * the first. Must be called from the engine's thread.
 *
 * Returns: (transfer full): the slice in the recipe's precision; %NULL with the
 *   errors of tl_recon_run(), and TL_ERROR_UNSUPPORTED if the engine lacks the
 *   other precision
 */
TlFrame *tl_precision_cost_run (TlRecon *recon, const TlRecipe *recipe,
                                size_t row, GCancellable *cancellable,
                                TlPrecisionCost *cost, GError **error);
void tl_precision_cost_clear (TlPrecisionCost *cost);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlPrecisionCost, tl_precision_cost_clear)

/** tl_precision_cost_describe: Returns: (transfer full): one sentence. */
char *tl_precision_cost_describe (const TlPrecisionCost *cost);
