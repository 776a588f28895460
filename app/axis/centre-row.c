#include "app/axis/centre-row.h"

#include "app/recon/rows.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>

static gboolean
turns_back (const TlRecipe *recipe, const TlScanInfo *info)
{
  return tl_tilt_resamples (recipe->params.tilt_deg, recipe->params.centre_col,
                            info->n_cols);
}

size_t
tl_centre_row_find_seen (const TlRecipe *recipe, const TlScanInfo *info,
                         size_t row)
{
  const double middle = ((double)info->n_rows - 1) / 2;
  const double cosine = cos (recipe->params.tilt_deg * G_PI / 180);
  return turns_back (recipe, info)
             ? (size_t)lround (middle + ((double)row - middle) * cosine)
             : row;
}

/* Returns: the column of the axis in row @seen of the detector */
static double
find_axis (const TlRecipe *recipe, const TlScanInfo *info, size_t seen)
{
  const double rows = (double)seen - ((double)info->n_rows - 1) / 2;
  const double col = tl_tilt_get_axis_col (recipe->params.tilt_deg,
                                           recipe->params.centre_col, rows);
  return turns_back (recipe, info) ? CLAMP (col, 0, (double)info->n_cols - 1)
                                   : col;
}

TlCentreRow *
tl_centre_row_read (TlRecon *recon, const TlRecipe *recipe, size_t row,
                    GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const size_t seen = tl_centre_row_find_seen (recipe, info, row);
  const double axis_col = find_axis (recipe, info, seen);
  g_autoptr (TlCentreRow) made = g_new0 (TlCentreRow, 1);
  made->row = row;
  made->n_projections = info->n_projections;
  made->n_cols = info->n_cols;
  made->lean_col = axis_col - recipe->params.centre_col;
  made->is_turned_back = turns_back (recipe, info);
  made->angles_rad = tl_rows_angles (info, 1, error);
  if (made->angles_rad == NULL)
    return NULL;
  made->range_rad = fabs (info->ends_deg[1] - info->ends_deg[0]) * G_PI / 180;
  made->samples = tl_try_alloc (info->n_projections, info->n_cols, 1,
                                sizeof (float), _ ("a sinogram"), error);
  if (made->samples == NULL
      || !(made->is_turned_back
               ? tl_recon_read_about (recon, recipe, seen, axis_col,
                                      made->samples, cancellable, error)
               : tl_recon_read_corrected (recon, recipe, row, made->samples,
                                          cancellable, error)))
    return NULL;
  return g_steal_pointer (&made);
}

void
tl_centre_row_free (TlCentreRow *row)
{
  if (row == NULL)
    return;
  g_free (row->samples);
  g_free (row->angles_rad);
  g_free (row);
}

TlCentreData
tl_centre_row_lend (const TlCentreRow *row, double first_col, double last_col,
                    GCancellable *cancellable)
{
  return (TlCentreData){
    .n_projections = row->n_projections,
    .n_cols = row->n_cols,
    .rows = row->samples,
    .angles_rad = row->angles_rad,
    .range_rad = row->range_rad,
    .first_col = first_col,
    .last_col = last_col,
    .cancellable = cancellable,
  };
}
