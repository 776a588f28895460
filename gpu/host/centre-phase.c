#include "gpu/host/centre-private.h"

#include <math.h>

gboolean
tl_centre_by_phase (const TlCentreData *data, TlCentreEstimate *estimate,
                    GError **error)
{
  *estimate = (TlCentreEstimate){ .method = TL_CENTRE_PHASE };
  g_autoptr (TlCentreRows) rows =
      tl_centre_rows_new (data, TL_CENTRE_ALONE, error);
  if (rows == NULL)
    return FALSE;
  g_auto (TlCentrePairs) pairs = { 0 };
  tl_centre_pairs_init (&pairs, rows, TRUE, TL_CENTRE_BLOCKS);
  if (pairs.n_pairs == 0)
    tl_centre_cannot_tell (estimate,
                           "no two projections are half a turn apart; the "
                           "scan covers %.4g degrees",
                           rows->range_rad * 180 / G_PI);
  else if (tl_centre_pairs_find (&pairs, rows, data, estimate))
    {
      if (!tl_centre_pairs_refine (rows, estimate, error))
        return FALSE;
      estimate->reason = g_strdup_printf (
          "%zu pair%s of opposite projections%s", pairs.n_pairs,
          pairs.n_pairs == 1 ? "" : "s",
          pairs.is_extrapolated ? ", continued to half a turn" : "");
    }
  return TRUE;
}
