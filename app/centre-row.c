#include "app/centre-row.h"

#include "app/find-centre.h"
#include "app/rows-private.h"

#include "data/array.h"

#include <glib/gi18n.h>

TlCentreRow *
tl_centre_row_read (TlRecon *recon, const TlRecipe *recipe, size_t row,
                    GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  g_autoptr (TlCentreRow) made = g_new0 (TlCentreRow, 1);
  made->row = row;
  made->n_projections = info->n_projections;
  made->n_cols = info->n_cols;
  made->lean_col = tl_centre_find_lean (recipe, info, row);
  made->angles_rad = tl_rows_angles (info, error);
  if (made->angles_rad == NULL)
    return NULL;
  made->samples = tl_try_alloc (info->n_projections, info->n_cols, 1,
                                sizeof (float), _ ("a sinogram"), error);
  if (made->samples == NULL
      || !tl_recon_read_corrected (recon, recipe, row, made->samples,
                                   cancellable, error))
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
    .first_col = first_col,
    .last_col = last_col,
    .cancellable = cancellable,
  };
}
