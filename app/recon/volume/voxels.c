#include "app/recon/volume/voxels.h"

#include "data/array.h"
#include "gpu/stages/half-acquisition.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Of the rows that are loaded at once, and of their slices: all of a volume of
 * 256 x 256 x 256 voxels, so that an engine keeps the rows between two. */
#define BLOCK_BYTES ((size_t)160 << 20)

/* Returns: a whole slice, of which the grid of @params may be a part */
static TlGrid
get_whole (const TlScanInfo *info, const TlParams *params)
{
  return tl_grid_full (
      tl_half_span (params->half, params->centre_col, info->n_cols).n_cols);
}

static void
init (TlVoxels *voxels, const TlGrid *grid, const TlGrid *whole,
      size_t n_slices)
{
  *voxels = (TlVoxels){
    .factor = 1,
    .n = { grid->nx, grid->ny, n_slices },
    .circle = { -grid->x0 / grid->pitch, grid->y0 / grid->pitch,
                0.5 * (double)whole->nx * whole->pitch / grid->pitch },
  };
}

static gboolean
alloc_values (TlVoxels *voxels, GError **error)
{
  const size_t *n = voxels->n;
  voxels->values =
      tl_try_alloc (n[2], n[1], n[0], sizeof (float), _ ("the volume"), error);
  return voxels->values != NULL;
}

static size_t
choose_block (const TlScanInfo *info, const TlGrid *grid)
{
  const size_t row = info->n_projections * info->n_cols * sizeof (float);
  const size_t slice = grid->nx * grid->ny * sizeof (float);
  return CLAMP (BLOCK_BYTES / MAX (row + slice, 1), 1, info->n_rows);
}

static void
mask (float *slice, const TlGrid *grid, const TlGrid *whole)
{
  for (size_t row = 0; row < grid->ny; row++)
    {
      float *values = slice + row * grid->nx;
      size_t first, end;
      tl_grid_find_seen (grid, whole, row, &first, &end);
      for (size_t col = 0; col < first; col++)
        values[col] = NAN;
      for (size_t col = end; col < grid->nx; col++)
        values[col] = NAN;
    }
}

/* Copies the slices of a frame.
 * @whole: slice of which @grid is a part
 * @to: (out caller-allocates): as many slices */
static gboolean
take_slices (float *to, TlFrame *frame, const TlGrid *grid, const TlGrid *whole,
             GError **error)
{
  const size_t slice = grid->nx * grid->ny;
  const size_t n = tl_frame_get_n_slices (frame);
  if (!tl_frame_fetch (frame, error))
    return FALSE;
  memcpy (to, tl_frame_get_pixels (frame), n * slice * sizeof (float));
  for (size_t k = 0; k < n; k++)
    mask (to + k * slice, grid, whole);
  return TRUE;
}

static gboolean
make_block (float *to, TlRecon *recon, const TlRecipe *recipe,
            const TlGrid *whole, size_t first, size_t n_rows,
            GCancellable *cancellable, GError **error)
{
  g_autoptr (TlFrame) frame =
      tl_recon_run (recon, recipe, first, n_rows, cancellable, error);
  return frame != NULL
         && take_slices (to, frame, &recipe->params.grid, whole, error);
}

gboolean
tl_voxels_make (TlVoxels *voxels, TlRecon *recon, const TlRecipe *recipe,
                TlProgress progress, gpointer progress_data,
                GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  return tl_voxels_make_part (voxels, recon, recipe, 0, info->n_rows, progress,
                              progress_data, cancellable, error);
}

gboolean
tl_voxels_make_part (TlVoxels *voxels, TlRecon *recon, const TlRecipe *recipe,
                     size_t first, size_t n_slices, TlProgress progress,
                     gpointer progress_data, GCancellable *cancellable,
                     GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const TlParams *params = &recipe->params;
  const TlGrid *grid = &params->grid;
  const TlGrid whole = get_whole (info, params);
  const size_t block = choose_block (info, grid);
  g_autoptr (TlRecipe) own = tl_recipe_dup (recipe);
  gboolean good;
  init (voxels, grid, &whole, n_slices);
  if (!alloc_values (voxels, error))
    {
      tl_voxels_clear (voxels);
      return FALSE;
    }
  /* All blocks are made by the same method. */
  good = tl_recon_settle_method (recon, &recipe->params, &own->params.method,
                                 error);
  for (size_t k = 0; good && k < n_slices; k += block)
    {
      if (progress != NULL)
        progress ((double)k / (double)n_slices, progress_data);
      good = make_block (voxels->values + k * grid->nx * grid->ny, recon, own,
                         &whole, first + k, MIN (block, n_slices - k),
                         cancellable, error);
    }
  if (!good)
    tl_voxels_clear (voxels);
  else if (progress != NULL)
    progress (1, progress_data);
  return good;
}

gboolean
tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                        const TlRecipe *recipe, size_t first, size_t n_slices,
                        GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const TlGrid *grid = &recipe->params.grid;
  const TlGrid whole = get_whole (info, &recipe->params);
  g_autoptr (TlFrame) frame =
      tl_recon_run (recon, recipe, first, n_slices, cancellable, error);
  *voxels = (TlVoxels){ 0 };
  if (frame == NULL)
    return FALSE;
  init (voxels, grid, &whole, n_slices);
  if (tl_frame_is_on_device (frame))
    voxels->frame = g_steal_pointer (&frame);
  else if (!alloc_values (voxels, error)
           || !take_slices (voxels->values, frame, grid, &whole, error))
    {
      tl_voxels_clear (voxels);
      return FALSE;
    }
  return TRUE;
}

void
tl_voxels_clear (TlVoxels *voxels)
{
  g_clear_pointer (&voxels->frame, tl_frame_unref);
  g_free (voxels->values);
  *voxels = (TlVoxels){ 0 };
}
