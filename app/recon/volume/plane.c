#include "app/recon/recon.h"

#include "app/recon/rows.h"
#include "data/error.h"
#include "gpu/choice/device-memory.h"

#include <glib/gi18n.h>
#include <string.h>

/* Samples of the rows that are loaded at once, as floats; the engine's results
 * of its stages take several times as much. */
#define MAX_BLOCK_BYTES ((size_t)256 << 20)

/* A block is at least as high as its margin, which would otherwise be read and
 * corrected again for each few rows. */
static size_t
choose_rows (TlRecon *recon, const TlParams *params)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
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

static void
add_times (TlReconTimes *sum, const TlReconTimes *times)
{
  sum->read_ms += times->read_ms;
  sum->load_ms += times->load_ms;
  sum->compute_ms += times->compute_ms;
  for (guint k = 0; k < TL_N_STAGES; k++)
    sum->stage_ms[k] += times->stage_ms[k];
}

/* Finds the rows that a plane needs. Returns: %FALSE if it needs none */
static gboolean
find_rows (const TlPlane *plane, size_t n_rows, size_t *first, size_t *end)
{
  size_t n;
  if (plane->nx == 0 || plane->ny == 0
      || !tl_plane_find_rows (plane, n_rows, first, &n))
    return FALSE;
  *end = *first + n;
  return TRUE;
}

/* Several planes and what has been made of them. */
typedef struct
{
  const TlPlane *planes; /* [n] */
  guint n;
  TlFrame **frames; /* [n] */
  TlReconTimes *times;
} Planes;

/* Adds to each frame what the rows from @first to @end give. */
static gboolean
add_block (TlRecon *recon, const TlRecipe *recipe, const Planes *planes,
           size_t first, size_t end, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  size_t its_first, its_end;
  for (guint k = 0; k < planes->n; k++)
    {
      TlFrame **frame = &planes->frames[k];
      TlReconTimes times;
      if (!find_rows (&planes->planes[k], info->n_rows, &its_first, &its_end)
          || its_first >= end || its_end <= first)
        continue;
      *frame = add_rows (recon, recipe, &planes->planes[k], first, end - first,
                         g_steal_pointer (frame), cancellable, error);
      if (*frame == NULL)
        return FALSE;
      tl_recon_get_times (recon, &times);
      add_times (planes->times, &times);
    }
  return TRUE;
}

/* Finds the rows that all planes need together. */
static void
find_all_rows (const Planes *planes, size_t n_rows, size_t *first, size_t *end)
{
  size_t its_first, its_end;
  *first = n_rows;
  *end = 0;
  for (guint k = 0; k < planes->n; k++)
    if (find_rows (&planes->planes[k], n_rows, &its_first, &its_end))
      {
        *first = MIN (*first, its_first);
        *end = MAX (*end, its_end);
      }
}

/* @part: of the memory. Returns: whether the engine is a device with room for
 * all rows */
static gboolean
fits (TlRecon *recon, const TlParams *params, double part)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const TlDeviceLoad load = { .n_projections = info->n_projections,
                              .n_cols = info->n_cols,
                              .n_rows = info->n_rows,
                              .type = info->type,
                              .for_planes = TRUE };
  TlParams own = *params;
  own.method = TL_METHOD_BACKPROJECTION;
  return (double)tl_device_memory_estimate (&own, &load)
         <= part * (double)tl_engine_get_free (tl_recon_get_engine (recon));
}

/* Returns: whether all rows are loaded, so that they stay in the engine and
 * only what has changed is done again: if they are no more than a block, or a
 * device has room for them and half of them are needed. Once it has them, a
 * quarter is enough, and less room. */
static gboolean
takes_all (TlRecon *recon, const TlParams *params, size_t n_needed,
           size_t at_once)
{
  const size_t n_rows =
      tl_reader_get_info (tl_recon_get_reader (recon))->n_rows;
  if (n_needed == 0 || at_once >= n_rows)
    return n_needed > 0;
  const gboolean has_them = tl_recon_has_rows (recon, 0, n_rows);
  return (has_them ? 4 : 2) * n_needed >= n_rows
         && fits (recon, params,
                  has_them ? TL_DEVICE_MEMORY_KEPT_PART
                           : TL_DEVICE_MEMORY_PART);
}

/* Makes the planes of the rows from @first to @end, @at_once at a time. */
static gboolean
run_blocks (TlRecon *recon, const TlRecipe *recipe, const Planes *planes,
            size_t first, size_t end, size_t at_once, GCancellable *cancellable,
            GError **error)
{
  memset (planes->frames, 0, planes->n * sizeof *planes->frames);
  *planes->times = (TlReconTimes){ 0 };
  for (; first < end; first += at_once)
    if (!add_block (recon, recipe, planes, first, MIN (first + at_once, end),
                    cancellable, error))
      {
        for (guint k = 0; k < planes->n; k++)
          g_clear_pointer (&planes->frames[k], tl_frame_unref);
        return FALSE;
      }
  return TRUE;
}

gboolean
tl_recon_run_planes (TlRecon *recon, const TlRecipe *recipe,
                     const TlPlane *planes, guint n, size_t max_rows,
                     TlFrame **frames, TlReconTimes *times,
                     GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, FALSE);
  g_return_val_if_fail (planes != NULL && frames != NULL, FALSE);
  const size_t n_rows =
      tl_reader_get_info (tl_recon_get_reader (recon))->n_rows;
  const size_t at_once =
      max_rows > 0 ? max_rows : choose_rows (recon, &recipe->params);
  const Planes all = { planes, n, frames, times };
  g_autoptr (GError) reason = NULL;
  size_t first, end;
  find_all_rows (&all, n_rows, &first, &end);
  if (takes_all (recon, &recipe->params, end > first ? end - first : 0,
                 at_once))
    {
      if (run_blocks (recon, recipe, &all, 0, n_rows, n_rows, cancellable,
                      &reason))
        return TRUE;
      if (!g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
    }
  return run_blocks (recon, recipe, &all, first, end, MIN (at_once, n_rows),
                     cancellable, error);
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
      max_rows > 0 ? max_rows : choose_rows (recon, &recipe->params);
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

char *
tl_recon_describe_plane (const TlPlane *plane)
{
  const double *o = plane->origin, *u = plane->u, *v = plane->v;
  return g_strdup_printf (
      "attenuation per pixel length; origin %.9g %.9g %.9g; u %.9g %.9g %.9g; "
      "v %.9g %.9g %.9g: the pixel in row i and column j is at origin + j u + "
      "i v, x and y in pixels from the axis, y up, z in detector rows",
      o[0], o[1], o[2], u[0], u[1], u[2], v[0], v[1], v[2]);
}
