/* A row of a scan, read and corrected, for the estimators of the axis. */
#pragma once

#include "app/recon/recon.h"
#include "gpu/centre/centre.h"

G_BEGIN_DECLS

/* In host memory. */
typedef struct
{
  size_t row, n_projections, n_cols;
  float *samples;     /* [n_projections][n_cols] */
  double *angles_rad; /* [n_projections] */
  /* Columns from where the axis is in the middle row of the detector to where
   * it is in this one, as gpu/stages/tilt.h has it. */
  double lean_col;
  gboolean is_turned_back; /* it is a row of projections that are */
} TlCentreRow;

/**
 * tl_centre_row_find_seen:
 * @recipe: resolved; its slice is ignored
 *
 * Returns: the row of the detector where the axis is that @row has it in: the
 *   same unless projections are turned back
 */
size_t tl_centre_row_find_seen (const TlRecipe *recipe, const TlScanInfo *info,
                                size_t row);

/**
 * tl_centre_row_read:
 * @recipe: resolved: how the row is corrected; its slice is ignored
 *
 * Where projections are turned back, as by tl_recon_read_about(). The engine's
 * thread.
 *
 * Returns: (transfer full): %NULL with any error of tl_recon_read_corrected()
 */
TlCentreRow *tl_centre_row_read (TlRecon *recon, const TlRecipe *recipe,
                                 size_t row, GCancellable *cancellable,
                                 GError **error);
void tl_centre_row_free (TlCentreRow *row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCentreRow, tl_centre_row_free)

/** tl_centre_row_lend: Returns: the row for the estimators, which look between
 * @first_col and @last_col; of @row and @cancellable (nullable), as long as
 * those are there */
TlCentreData tl_centre_row_lend (const TlCentreRow *row, double first_col,
                                 double last_col, GCancellable *cancellable);

G_END_DECLS
