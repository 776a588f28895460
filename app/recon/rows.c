#include "app/recon/rows.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Seconds: a shorter wait for the other projections is not worth a preview. */
#define PATIENCE_S 0.5

static size_t
count_projections (const TlScanInfo *info, guint every)
{
  return (info->n_projections + every - 1) / every;
}

gboolean
tl_rows_check_memory (const TlScanInfo *info, size_t n_rows, size_t margin,
                      guint n_copies, GError **error)
{
  const size_t n_all = MIN (n_rows + 2 * margin, info->n_rows);
  const double machine_bytes = (double)tl_get_machine_bytes ();
  const double sample_bytes =
      (n_copies + 1.0) * (double)tl_sample_size (info->type) + sizeof (float);
  const double bytes = (double)info->n_projections * (double)n_all
                       * (double)info->n_cols * sample_bytes;
  if (margin == 0 || bytes < machine_bytes)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("with this phase retrieval or tilt a slice needs %zu rows "
                     "above and below it, and %zu rows of %zu projections take "
                     "%.1f GB, more than the %.1f GB of this machine"),
                  margin, n_all, info->n_projections, bytes / 1e9,
                  machine_bytes / 1e9);
}

TlRows *
tl_rows_new (const TlScanInfo *info, size_t n_rows, size_t margin,
             GError **error)
{
  const size_t max_rows = MIN (n_rows + 2 * margin, info->n_rows);
  g_autoptr (TlRows) rows = g_new0 (TlRows, 1);
  rows->max_rows = max_rows;
  rows->every = 1;
  rows->samples =
      tl_try_alloc (info->n_projections, max_rows, info->n_cols,
                    tl_sample_size (info->type), _ ("the projections"), error);
  if (rows->samples == NULL)
    return NULL;
  if (info->n_flats > 0)
    {
      double **fields[] = { &rows->dark, &rows->flat_first, &rows->flat_last };
      for (size_t k = 0; k < G_N_ELEMENTS (fields); k++)
        {
          *fields[k] = tl_try_alloc (1, max_rows, info->n_cols, sizeof (double),
                                     _ ("the flat and dark fields"), error);
          if (*fields[k] == NULL)
            return NULL;
        }
    }
  return g_steal_pointer (&rows);
}

void
tl_rows_free (TlRows *rows)
{
  if (rows == NULL)
    return;
  if (rows->pinned_by != NULL)
    tl_engine_unpin (rows->pinned_by, rows->samples);
  g_free (rows->pinned_by);
  g_free (rows->samples);
  g_free (rows->dark);
  g_free (rows->flat_first);
  g_free (rows->flat_last);
  g_free (rows);
}

void
tl_rows_pin (TlRows *rows, const TlScanInfo *info, const char *engine)
{
  g_return_if_fail (rows->n_rows == 0 && rows->pinned_by == NULL);
  if (tl_engine_pin (engine, rows->samples,
                     info->n_projections * rows->max_rows * info->n_cols
                         * tl_sample_size (info->type)))
    rows->pinned_by = g_strdup (engine);
}

/* Clips the margin to the detector. For rows outside the detector the margin
 * is 0: the reader refuses them with a message of its own. */
static void
clip_margin (const TlScanInfo *info, size_t first_row, size_t n_rows,
             size_t margin, size_t *n_above, size_t *n_below)
{
  const gboolean is_inside =
      first_row < info->n_rows && n_rows <= info->n_rows - first_row;
  *n_above = is_inside ? MIN (margin, first_row) : 0;
  *n_below = is_inside ? MIN (margin, info->n_rows - first_row - n_rows) : 0;
}

gboolean
tl_rows_inflate_on_device (TlReader *reader, const char *engine,
                           gboolean gives_way)
{
  return tl_reader_get_info (reader)->decoding.can_ascend
         && tl_reader_use_inflater (
             reader, tl_engine_open_inflater (engine, gives_way));
}

gboolean
tl_rows_move (TlRows *rows, const TlScanInfo *info, size_t first_row,
              size_t n_rows, size_t margin)
{
  const size_t first_read = rows->first_row - rows->n_above;
  const size_t end_read = rows->first_row + rows->n_rows + rows->n_below;
  const size_t end_row = first_row + n_rows;
  size_t n_above, n_below;
  clip_margin (info, first_row, n_rows, margin, &n_above, &n_below);
  if (rows->n_rows == 0 || first_row - n_above < first_read
      || end_row + n_below > end_read)
    return FALSE;
  rows->first_row = first_row;
  rows->n_rows = n_rows;
  rows->n_above = first_row - first_read;
  rows->n_below = end_read - end_row;
  return TRUE;
}

gboolean
tl_rows_read (TlRows *rows, TlReader *reader, const TlPrefetch *prefetch,
              size_t first_row, size_t n_rows, size_t margin, guint every,
              GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  size_t n_above, n_below;
  clip_margin (info, first_row, n_rows, margin, &n_above, &n_below);
  const size_t first = first_row - n_above, n = n_above + n_rows + n_below;
  g_return_val_if_fail (n_rows > 0 && n <= rows->max_rows, FALSE);
  rows->n_rows = 0;
  rows->every = 1;
  const gboolean is_there =
      prefetch != NULL
      && tl_prefetch_copy (prefetch, info, first, n, rows->samples, rows->dark,
                           rows->flat_first, rows->flat_last);
  if (!is_there && rows->dark != NULL
      && !tl_reader_read_fields (reader, first, n, rows->dark, rows->flat_first,
                                 rows->flat_last, cancellable, error))
    return FALSE;
  if (!is_there
      && !tl_reader_read_part (reader, first, n, &every, PATIENCE_S,
                               rows->samples, cancellable, error))
    return FALSE;
  rows->every = is_there ? 1 : every;
  rows->first_row = first_row;
  rows->n_rows = n_rows;
  rows->n_above = n_above;
  rows->n_below = n_below;
  return TRUE;
}

void
tl_rows_name_scan (const TlScanInfo *info, GError **error)
{
  if (error != NULL && g_error_matches (*error, TL_ERROR, TL_ERROR_VALUE))
    {
      g_autofree char *name = g_filename_display_basename (info->path);
      g_prefix_error (error, "%s: ", name);
    }
}

TlBlock
tl_rows_get_block (const TlRows *rows, const TlScanInfo *info,
                   const double *angles_rad)
{
  return (TlBlock){
    .n_projections = count_projections (info, rows->every),
    .n_rows = rows->n_above + rows->n_rows + rows->n_below,
    .n_above = rows->n_above,
    .n_below = rows->n_below,
    .middle_row = ((double)info->n_rows - 1) / 2
                  - (double)(rows->first_row - rows->n_above),
    .n_cols = info->n_cols,
    .type = info->type,
    .samples = rows->samples,
    .is_pinned = rows->pinned_by != NULL,
    .angles_rad = angles_rad,
    .weights = rows->every == 1 ? info->weights : NULL,
    .turn_weights = rows->every == 1 ? info->turn_weights : NULL,
    .dark = rows->dark,
    .flat_first = rows->flat_first,
    .flat_last = rows->flat_last,
  };
}

gboolean
tl_rows_load (const TlRows *rows, const TlScanInfo *info, double middle_row,
              const double *angles_rad, TlEngine *engine, GError **error)
{
  TlBlock block = tl_rows_get_block (rows, info, angles_rad);
  block.middle_row = middle_row - (double)(rows->first_row - rows->n_above);
  if (tl_engine_load (engine, &block, error))
    return TRUE;
  tl_rows_name_scan (info, error);
  return FALSE;
}

size_t
tl_rows_widen (size_t margin)
{
  return margin + margin / 4;
}

double *
tl_rows_angles (const TlScanInfo *info, guint every, GError **error)
{
  const size_t n = count_projections (info, every);
  double *angles_rad =
      tl_try_alloc (1, 1, n, sizeof (double), _ ("the angles"), error);
  for (size_t p = 0; angles_rad != NULL && p < n; p++)
    angles_rad[p] = info->angles_deg[p * every] * G_PI / 180;
  return angles_rad;
}
