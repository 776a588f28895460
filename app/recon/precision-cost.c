#include "app/recon/precision-cost.h"

#include "app/recon/recon.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Makes one slice in @precision. @report: (out caller-allocates): the engine's
 * report on it */
static TlFrame *
run_in (TlRecon *recon, const TlRecipe *recipe, TlPrecision precision,
        size_t row, GCancellable *cancellable, TlEngineReport *report,
        GError **error)
{
  g_autoptr (TlRecipe) changed = tl_recipe_dup (recipe);
  changed->params.precision = precision;
  g_autoptr (TlFrame) frame =
      tl_recon_run (recon, changed, row, 1, cancellable, error);
  if (frame == NULL
      || !tl_engine_get_report (tl_recon_get_engine (recon), report, error))
    return NULL;
  return g_steal_pointer (&frame);
}

/* The recipe's precision runs first, so that the times in the report are not
 * changed by the comparison. */
TlFrame *
tl_precision_cost_run (TlRecon *recon, const TlRecipe *recipe, size_t row,
                       GCancellable *cancellable, TlPrecisionCost *cost,
                       GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL && cost != NULL, NULL);
  TlEngine *engine = tl_recon_get_engine (recon);
  const gboolean is_fast = recipe->params.precision == TL_PRECISION_FAST;
  g_auto (TlPrecisionCost) result = { 0 };
  TlEngineReport report;
  g_autoptr (TlFrame) own = run_in (recon, recipe, recipe->params.precision,
                                    row, cancellable, &result.report, error);
  if (own == NULL)
    return NULL;
  tl_recon_get_times (recon, &result.times);
  const gint64 start_us = g_get_monotonic_time ();
  g_autoptr (TlFrame) other =
      run_in (recon, recipe, is_fast ? TL_PRECISION_FULL : TL_PRECISION_FAST,
              row, cancellable, &report, error);
  if (other == NULL)
    {
      if (error != NULL
          && g_error_matches (*error, TL_ERROR, TL_ERROR_UNSUPPORTED))
        g_prefix_error (error,
                        _ ("The error of fast precision cannot be measured: "));
      return NULL;
    }
  result.full = (is_fast ? &report : &result.report)->variant->name;
  result.fast = (is_fast ? &result.report : &report)->variant->name;
  result.map =
      tl_engine_compare (engine, is_fast ? own : other, is_fast ? other : own,
                         &result.figures, error);
  if (result.map == NULL
      || !tl_engine_measure (engine, result.map, 0, &result.stats, error))
    return NULL;
  result.compare_ms = (double)(g_get_monotonic_time () - start_us) / 1e3;
  *cost = result;
  result.map = NULL;
  return g_steal_pointer (&own);
}

void
tl_precision_cost_clear (TlPrecisionCost *cost)
{
  g_clear_pointer (&cost->map, tl_frame_unref);
}

char *
tl_precision_cost_describe (const TlPrecisionCost *cost)
{
  const TlComparison *figures = &cost->figures;
  g_autoptr (GString) text = g_string_new (NULL);
  if (isnan (figures->relative_l2))
    return g_strdup (
        _ ("fast and full precision cannot be compared: no pixel is "
           "a finite number"));
  if (figures->relative_l2 == 0)
    g_string_append_printf (text,
                            _ ("fast precision has no error here: %s gives the "
                               "same as %s in every pixel"),
                            cost->fast, cost->full);
  else
    {
      if (isinf (figures->relative_l2))
        g_string_append (
            text,
            _ ("fast precision differs from full, which is 0 everywhere,"));
      else
        g_string_append_printf (
            text, _ ("fast precision differs from full by %.1e (relative L2),"),
            figures->relative_l2);
      g_string_append_printf (
          text,
          _ (" at most %.1e at column %zu, row %zu; the picture's standard "
             "deviation is %.1e"),
          (double)figures->max, figures->col, figures->row, figures->deviation);
    }
  if (figures->n_left_out > 0)
    g_string_append_printf (
        text, _ ("; %zu pixels that are no finite numbers are left out"),
        figures->n_left_out);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
