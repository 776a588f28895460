#include "app/recon/recon.h"

#include "app/recon/rows.h"
#include "data/error.h"

#include <glib/gi18n.h>

/* Samples of the rows that are loaded at once, as floats; the engine's results
 * of its stages take several times as much. */
#define MAX_BLOCK_BYTES ((size_t)256 << 20)

/* A block is at least as high as its margin, which would otherwise be read and
 * corrected again for each few rows. */
static size_t
choose_rows (const TlScanInfo *info, const TlParams *params)
{
  const size_t row_bytes = info->n_projections * info->n_cols * sizeof (float);
  const size_t margin =
      tl_params_get_margin (params, info->n_rows, info->n_cols);
  return MAX (MAX (MAX_BLOCK_BYTES / MAX (row_bytes, 1), 1), margin);
}

/* @sum: (transfer full) (nullable). Returns: (transfer full): @sum with the
 * part of the plane that the rows give */
static TlFrame *
add_rows (TlRecon *recon, const TlRecipe *recipe, const TlPlane *plane,
          size_t first, size_t n, TlFrame *sum, GCancellable *cancellable,
          GError **error)
{
  g_autoptr (TlFrame) before = sum;
  g_autoptr (TlFrame) part = tl_recon_run_plane_rows (
      recon, recipe, plane, first, n, cancellable, error);
  if (part == NULL || before == NULL)
    return g_steal_pointer (&part);
  return tl_engine_add (tl_recon_get_engine (recon), before, 1.0, part, error);
}

TlFrame *
tl_recon_run_plane (TlRecon *recon, const TlRecipe *recipe,
                    const TlPlane *plane, size_t max_rows,
                    GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, NULL);
  g_return_val_if_fail (plane != NULL, NULL);
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const size_t at_once =
      max_rows > 0 ? max_rows : choose_rows (info, &recipe->params);
  size_t first, n;
  TlFrame *frame = NULL;
  if (!tl_plane_find_rows (plane, info->n_rows, &first, &n))
    {
      tl_fail (error, TL_ERROR_VALUE,
               _ ("the plane passes beside the detector, whose rows are 0 to "
                  "%zu"),
               info->n_rows - 1);
      tl_rows_name_scan (info, error);
      return NULL;
    }
  for (const size_t end = first + n; first < end; first += n)
    {
      n = MIN (at_once, end - first);
      frame =
          add_rows (recon, recipe, plane, first, n, frame, cancellable, error);
      if (frame == NULL)
        return NULL;
    }
  return frame;
}
