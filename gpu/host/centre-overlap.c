#include "gpu/host/centre-private.h"

#include <math.h>

/* From here on an axis is near an edge, as a part of the row, from its middle.
 */
#define MIN_OFFSET (1.0 / 6)

gboolean
tl_centre_by_overlap (const TlCentreData *data, TlCentreEstimate *estimate,
                      GError **error)
{
  *estimate = (TlCentreEstimate){ .method = TL_CENTRE_OVERLAP };
  g_autoptr (TlCentreRows) rows =
      tl_centre_rows_new (data, TL_CENTRE_ALONE, error);
  if (rows == NULL)
    return FALSE;
  g_auto (TlCentrePairs) pairs = { 0 };
  const double last = (double)rows->n_cols - 1;
  if (!tl_centre_rows_is_full_turn (rows))
    {
      tl_centre_cannot_tell (estimate,
                             "half acquisition takes a full turn; the scan "
                             "covers %.4g degrees",
                             rows->range_rad * 180 / G_PI);
      return TRUE;
    }
  tl_centre_pairs_init (&pairs, rows, TRUE, TL_CENTRE_BLOCKS);
  if (!tl_centre_pairs_find (&pairs, rows, data, estimate))
    return TRUE;
  const double centre = estimate->centre_col;
  if (fabs (centre - last / 2) < MIN_OFFSET * (double)rows->n_cols)
    {
      tl_centre_cannot_tell (estimate,
                             "the axis is near the middle, so this is no half "
                             "acquisition");
      return TRUE;
    }
  if (!tl_centre_pairs_refine (rows, estimate, error))
    return FALSE;
  estimate->reason = g_strdup_printf (
      "the axis is near the %s edge; opposite projections share %.0f columns",
      centre < last / 2 ? "left" : "right",
      2 * MIN (centre, last - centre) + 1);
  return TRUE;
}
