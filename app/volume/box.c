#include "app/volume/box.h"

#include "app/recon/rows.h"
#include "gpu/choice/device-memory.h"
#include "gpu/stages/half-acquisition.h"

#include <math.h>

/* Of a voxel: an end so close to the side of a voxel is meant to be there. */
#define ON_SIDE 1e-3

/* tl_box_fits(). One volume is shown, one waits, one is being made, and one is
 * the last one. */
#define N_VOLUMES 4

/* A scan in bins. */
typedef struct
{
  guint bin;
  TlRecipe *recipe; /* in its pixels */
  size_t n_cols;    /* of the detector */
  size_t n[3];      /* of the whole volume */
} Level;

static void
level_clear (Level *level)
{
  tl_recipe_free (level->recipe);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Level, level_clear)

static void
level_init (Level *level, const TlRecipe *recipe, const TlScanSummary *scan,
            guint bin)
{
  const guint bins = bin / recipe->bin;
  level->bin = bin;
  level->recipe = tl_recipe_dup (recipe);
  tl_recipe_set_bin (level->recipe, bin, NULL);
  const TlParams *params = &level->recipe->params;
  level->n_cols = scan->n_cols / bins;
  level->n[0] = level->n[1] =
      tl_half_span (params->half, params->centre_col, level->n_cols).n_cols;
  level->n[2] = scan->n_rows / bins;
}

void
tl_box_init_whole (TlBox *box, guint bin)
{
  *box = (TlBox){ .bin = bin, .part = { { 0, 1 }, { 0, 1 }, { 0, 1 } } };
}

/* Finds the voxels of @level that have a share in @part of @whole. Slices have
 * the axis in their middle, and the first row is the same in all bins. */
static void
find_voxels (TlBox *box, const Level *level, const Level *whole,
             const double (*part)[2])
{
  box->bin = level->bin;
  for (guint k = 0; k < 3; k++)
    {
      const double bin = level->bin;
      const double width = (double)(whole->n[k] * whole->bin) / bin;
      const double shift = k < 2 ? ((double)level->n[k] - width) / 2 : 0;
      const double last = (double)level->n[k];
      const double from = floor (part[k][0] * width + shift + ON_SIDE);
      const double to = ceil (part[k][1] * width + shift - ON_SIDE);
      const double first = CLAMP (from, 0, last - 1);
      const double end = CLAMP (to, first + 1, last);
      box->first[k] = (size_t)first;
      box->n[k] = (size_t)(end - first);
      box->part[k][0] = (first - shift) / width;
      box->part[k][1] = (end - shift) / width;
    }
}

/* Phase retrieval and tilt need more rows than the box has. */
static void
find_rows (TlBox *box, const Level *level)
{
  const size_t margin = tl_rows_widen (tl_params_get_margin (
      &level->recipe->params, level->n[2], level->n_cols));
  const size_t above = MIN (margin, box->first[2]);
  const size_t end = MIN (box->first[2] + box->n[2] + margin, level->n[2]);
  box->first_row = box->first[2] - above;
  box->n_rows = end - box->first_row;
}

static TlScanInfo
describe (const Level *level, const TlRecipe *recipe, const TlScanSummary *scan)
{
  const guint bins = level->bin / recipe->bin;
  return (TlScanInfo){
    .n_projections = scan->steps.in_order
                         ? (scan->n_projections + bins - 1) / bins
                         : scan->n_projections,
    .n_rows = level->n[2],
    .n_cols = level->n_cols,
    .type = bins > 1 ? TL_SAMPLE_F32 : scan->type,
    .n_flats = scan->n_flats,
  };
}

/* @info: of the level of @box */
static gboolean
fits (const TlBox *box, const Level *level, const TlScanInfo *info,
      guint64 free_bytes)
{
  const gboolean is_whole = box->n[0] == 0;
  const size_t n_slices = is_whole ? level->n[2] : box->n[2];
  const TlDeviceLoad load = {
    .n_projections = info->n_projections,
    .n_cols = info->n_cols,
    .n_rows = n_slices,
    .n_extra_rows = is_whole ? 0 : box->n_rows - n_slices,
    .type = info->type,
    .n_frames = N_VOLUMES,
  };
  TlParams params = level->recipe->params;
  params.grid = tl_grid_full (level->n[0]);
  if (!is_whole)
    {
      params.grid.nx = box->n[0];
      params.grid.ny = box->n[1];
    }
  return (double)tl_device_memory_estimate (&params, &load)
         <= TL_DEVICE_MEMORY_PART * (double)free_bytes;
}

gboolean
tl_box_fits (const TlBox *box, const TlRecipe *recipe,
             const TlScanSummary *scan, guint64 free_bytes)
{
  g_auto (Level) level = { 0 };
  level_init (&level, recipe, scan, box->bin);
  const TlScanInfo info = describe (&level, recipe, scan);
  return fits (box, &level, &info, free_bytes);
}

gboolean
tl_box_plan (TlBox *box, const TlRecipe *recipe, const TlScanSummary *scan,
             guint whole_bin, const double (*part)[2],
             const TlBoxLimits *limits)
{
  g_auto (Level) whole = { 0 };
  const size_t most = limits->device_bytes > 0
                          ? MAX (limits->n_voxels, limits->n_device_voxels)
                          : limits->n_voxels;
  gboolean is_limited = FALSE;
  level_init (&whole, recipe, scan, whole_bin);
  for (guint bin = recipe->bin; bin < whole_bin; bin += recipe->bin)
    {
      g_auto (Level) level = { 0 };
      level_init (&level, recipe, scan, bin);
      find_voxels (box, &level, &whole, part);
      const size_t n_voxels = box->n[0] * box->n[1] * box->n[2];
      if (n_voxels > most)
        continue;
      find_rows (box, &level);
      box->is_limited = is_limited;
      is_limited = TRUE;
      const TlScanInfo info = describe (&level, recipe, scan);
      if (tl_held_copy_count_row_bytes (&info, box->n_rows) <= limits->n_bytes
          && (n_voxels <= limits->n_voxels
              || fits (box, &level, &info, limits->device_bytes)))
        return TRUE;
    }
  tl_box_init_whole (box, whole_bin);
  box->is_limited = is_limited;
  return FALSE;
}

gboolean
tl_box_make (const TlBox *box, TlVoxels *voxels, TlRecon *recon,
             const TlRecipe *recipe, gboolean is_at_once,
             GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const gboolean is_whole = box->n[0] == 0;
  const size_t first = is_whole ? 0 : box->first[2];
  const size_t n_slices = is_whole ? info->n_rows : box->n[2];
  g_autoptr (TlRecipe) own = tl_recipe_dup (recipe);
  TlGrid *grid = &own->params.grid;
  if (!is_whole)
    {
      grid->x0 += (double)box->first[0] * grid->pitch;
      grid->y0 -= (double)box->first[1] * grid->pitch;
      grid->nx = box->n[0];
      grid->ny = box->n[1];
    }
  return is_at_once ? tl_voxels_make_at_once (voxels, recon, own, first,
                                              n_slices, cancellable, error)
                    : tl_voxels_make_part (voxels, recon, own, first, n_slices,
                                           NULL, NULL, cancellable, error);
}

gboolean
tl_box_rows_have (const TlBoxRows *rows, const TlBox *box)
{
  return rows->resident != NULL && rows->bin == box->bin
         && rows->first <= box->first_row
         && rows->first + rows->n >= box->first_row + box->n_rows;
}

gboolean
tl_box_rows_follow (TlBoxRows *rows, const TlBox *box, const char *path,
                    TlHeld *held, const TlRecipe *recipe, TlHeldBudget *budget)
{
  if (tl_box_rows_have (rows, box))
    return FALSE;
  tl_box_rows_clear (rows);
  rows->bin = box->bin;
  rows->first = box->first_row;
  rows->n = box->n_rows;
  rows->resident = tl_resident_new_rows (path, held, recipe, box->bin,
                                         rows->first, rows->n, budget);
  return TRUE;
}

TlHeldCopy *
tl_box_rows_get_level (const TlBoxRows *rows)
{
  return rows->resident != NULL ? tl_resident_get_level (rows->resident, 0)
                                : NULL;
}

void
tl_box_rows_clear (TlBoxRows *rows)
{
  g_clear_object (&rows->resident);
  *rows = (TlBoxRows){ 0 };
}
