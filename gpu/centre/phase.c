#include "gpu/centre/pairs-private.h"

#include <glib/gi18n.h>

gboolean
tl_centre_by_phase (const TlCentreData *data, TlCentreEstimate *estimate,
                    GError **error)
{
  g_autoptr (TlCentreRows) rows = tl_centre_rows_begin (
      data, TL_CENTRE_PHASE, TL_CENTRE_ALONE, estimate, error);
  if (rows == NULL)
    return FALSE;
  g_auto (TlCentrePairs) pairs = { 0 };
  tl_centre_pairs_init (&pairs, rows, TRUE, TL_CENTRE_BLOCKS);
  if (pairs.n_pairs == 0)
    return tl_centre_rows_lack_angles (
        rows, _ ("no two projections are half a turn apart"), estimate);
  if (!tl_centre_pairs_locate (&pairs, rows, data, estimate, error))
    return FALSE;
  if (!estimate->is_found)
    return TRUE;
  const gulong n = (gulong)pairs.n_pairs;
  estimate->reason = g_strdup_printf (
      pairs.is_extrapolated
          ? g_dngettext (NULL,
                         "%zu pair of opposite projections, continued to half "
                         "a turn",
                         "%zu pairs of opposite projections, continued to half "
                         "a turn",
                         n)
          : g_dngettext (NULL, "%zu pair of opposite projections",
                         "%zu pairs of opposite projections", n),
      pairs.n_pairs);
  return TRUE;
}
