/* A row of a scan, read and corrected, for the axis estimators. */
#pragma once

#include "app/recon/recon.h"
#include "gpu/centre/centre.h"

/* In host memory. */
typedef struct
{
  size_t row, n_projections, n_cols;
  float *samples;     /* [n_projections][n_cols] */
  double *angles_rad; /* [n_projections] */
  double range_rad;   /* as of TlCentreData */
  /* Columns from the axis in the middle row of the detector to the axis in this
   * row, see gpu/stages/tilt.h. */
  double lean_col;
  gboolean
      is_turned_back; /* its projections were resampled to correct the tilt */
} TlCentreRow;

/**
 * tl_centre_row_find_seen:
 * @recipe: resolved; its slice is ignored
 *
 * Returns: the row of the detector where the axis crosses slice @row; the same
 *   row unless projections are resampled to correct the tilt
 */
size_t tl_centre_row_find_seen (const TlRecipe *recipe, const TlScanInfo *info,
                                size_t row);

/**
 * tl_centre_row_read:
 * @recipe: resolved: how the row is corrected; its slice is ignored
 *
 * Reads the row as tl_recon_read_about() does if projections are resampled to
 * correct the tilt. Engine's thread.
 *
 * Returns: (transfer full): %NULL with any error of tl_recon_read_corrected()
 */
TlCentreRow *tl_centre_row_read (TlRecon *recon, const TlRecipe *recipe,
                                 size_t row, GCancellable *cancellable,
                                 GError **error);
void tl_centre_row_free (TlCentreRow *row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCentreRow, tl_centre_row_free)

/** tl_centre_row_lend: Returns: the row as input of the estimators, which
 * search from @first_col to @last_col; borrows @row and @cancellable
 * (nullable) */
TlCentreData tl_centre_row_lend (const TlCentreRow *row, double first_col,
                                 double last_col, GCancellable *cancellable);
