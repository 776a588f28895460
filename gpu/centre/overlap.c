#include "gpu/centre/centre-private.h"
#include "gpu/centre/pairs-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* An axis farther from the middle of the row than this fraction of its width
 * counts as near an edge.
 */
#define MIN_OFFSET (1.0 / 6)

gboolean
tl_centre_by_overlap (const TlCentreData *data, TlCentreEstimate *estimate,
                      GError **error)
{
  g_autoptr (TlCentreRows) rows = tl_centre_rows_begin (
      data, TL_CENTRE_OVERLAP, TL_CENTRE_ALONE, estimate, error);
  if (rows == NULL)
    return FALSE;
  g_auto (TlCentrePairs) pairs = { 0 };
  const double last = (double)rows->n_cols - 1;
  if (!tl_centre_rows_is_full_turn (rows))
    return tl_centre_rows_lack_angles (
        rows, _ ("half acquisition needs a full turn"), estimate);
  tl_centre_pairs_init (&pairs, rows, TRUE, TL_CENTRE_BLOCKS);
  if (!tl_centre_pairs_find (&pairs, rows, data, estimate, error))
    return FALSE;
  if (!estimate->is_found)
    return TRUE;
  const double centre = estimate->centre_col;
  if (fabs (centre - last / 2) < MIN_OFFSET * (double)rows->n_cols)
    return tl_centre_cannot_tell (
        estimate, _ ("the axis is near the middle, so this is no half "
                     "acquisition"));
  if (!tl_centre_pairs_refine (rows, data, estimate, error))
    return FALSE;
  if (!estimate->is_found)
    return TRUE;
  estimate->reason = g_strdup_printf (
      centre < last / 2 ? _ ("the axis is near the left edge; opposite "
                             "projections share %.0f columns")
                        : _ ("the axis is near the right edge; opposite "
                             "projections share %.0f columns"),
      2 * MIN (centre, last - centre) + 1);
  return TRUE;
}
