#include "app/recon.h"

#include "app/recon-private.h"
#include "app/rows-private.h"

#include "data/error.h"

#include <glib/gstdio.h>

struct TlRecon
{
  TlReader *reader;
  TlEngine *engine;
  TlRows *rows;       /* what was read last; NULL at first */
  double *angles_rad; /* [n_projections]; NULL at first */
  gboolean is_loaded; /* rows are the engine's data */
  TlReconTimes times;
};

TlRecon *
tl_recon_new (TlReader *reader, TlEngine *engine)
{
  g_return_val_if_fail (reader != NULL && engine != NULL, NULL);
  TlRecon *recon = g_new0 (TlRecon, 1);
  recon->reader = reader;
  recon->engine = engine;
  return recon;
}

void
tl_recon_free (TlRecon *recon)
{
  if (recon == NULL)
    return;
  tl_rows_free (recon->rows);
  g_free (recon->angles_rad);
  tl_reader_close (recon->reader);
  g_free (recon);
}

TlReader *
tl_recon_get_reader (TlRecon *recon)
{
  return recon->reader;
}

TlEngine *
tl_recon_get_engine (TlRecon *recon)
{
  return recon->engine;
}

void
tl_recon_set_engine (TlRecon *recon, TlEngine *engine)
{
  recon->engine = engine;
  recon->is_loaded = FALSE;
}

/* Keeps what was read where that will do; for slices of their own rows alone
 * only where they are the same, for the engine is given all of it. */
static gboolean
keep_rows (TlRecon *recon, size_t first_row, size_t n_rows, size_t margin)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  TlRows *rows = recon->rows;
  const gboolean is_same =
      rows != NULL && rows->first_row == first_row && rows->n_rows == n_rows;
  if (rows == NULL || (!is_same && margin == 0)
      || !tl_rows_move (rows, info, first_row, n_rows, margin))
    return FALSE;
  recon->is_loaded = recon->is_loaded && is_same;
  return TRUE;
}

/* Makes recon->rows hold the rows wanted. A margin is read somewhat larger than
 * it has to be, so that the next slices find theirs there. */
static gboolean
read_rows (TlRecon *recon, size_t first_row, size_t n_rows, size_t margin,
           GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  const size_t wide = margin + margin / 4;
  if (keep_rows (recon, first_row, n_rows, margin))
    return TRUE;
  recon->is_loaded = FALSE;
  if (recon->rows == NULL
      || recon->rows->max_rows < MIN (n_rows + 2 * wide, info->n_rows))
    {
      if (!tl_rows_check_memory (info, n_rows, wide, 1, error))
        return FALSE;
      g_clear_pointer (&recon->rows, tl_rows_free);
      recon->rows = tl_rows_new (info, n_rows, wide, error);
      if (recon->rows == NULL)
        return FALSE;
    }
  return tl_rows_read (recon->rows, recon->reader, first_row, n_rows, wide,
                       cancellable, error);
}

static gboolean
load_rows (TlRecon *recon, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  if (recon->is_loaded)
    return TRUE;
  if (recon->angles_rad == NULL)
    recon->angles_rad = tl_rows_angles (info, error);
  if (recon->angles_rad == NULL
      || !tl_rows_load (recon->rows, info, recon->angles_rad, recon->engine,
                        error))
    return FALSE;
  recon->is_loaded = TRUE;
  return TRUE;
}

/* Rows that a slice looks at above its own, and as many below. */
static size_t
get_margin (TlRecon *recon, const TlRecipe *recipe)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  return tl_params_get_margin (&recipe->params, info->n_rows, info->n_cols);
}

/* Called when the result is there. */
static void
note_times (TlRecon *recon, gint64 start_us, gint64 read_us, gint64 loaded_us)
{
  recon->times = (TlReconTimes){
    .read_ms = (double)(read_us - start_us) / 1e3,
    .load_ms = (double)(loaded_us - read_us) / 1e3,
    .compute_ms = (double)(g_get_monotonic_time () - loaded_us) / 1e3,
  };
}

gboolean
tl_recon_read_corrected (TlRecon *recon, const TlRecipe *recipe, size_t row,
                         float *dest, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, FALSE);
  const gint64 start_us = g_get_monotonic_time ();
  const size_t margin = get_margin (recon, recipe);
  if (!read_rows (recon, row, 1, margin, cancellable, error))
    return FALSE;
  const gint64 read_us = g_get_monotonic_time ();
  if (!load_rows (recon, error))
    return FALSE;
  const gint64 loaded_us = g_get_monotonic_time ();
  if (!tl_engine_correct (recon->engine, &recipe->params, cancellable, error)
      || !tl_engine_read_corrected (recon->engine, dest, error))
    {
      tl_rows_name_scan (tl_reader_get_info (recon->reader), error);
      return FALSE;
    }
  note_times (recon, start_us, read_us, loaded_us);
  return TRUE;
}

TlFrame *
tl_recon_run (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
              size_t n_rows, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, NULL);
  const gint64 start_us = g_get_monotonic_time ();
  const size_t margin = get_margin (recon, recipe);
  if (!read_rows (recon, first_row, n_rows, margin, cancellable, error))
    return NULL;
  const gint64 read_us = g_get_monotonic_time ();
  if (!load_rows (recon, error))
    return NULL;
  const gint64 loaded_us = g_get_monotonic_time ();
  g_autoptr (TlFrame) frame = tl_engine_reconstruct (
      recon->engine, &recipe->params, cancellable, error);
  if (frame == NULL)
    {
      tl_rows_name_scan (tl_reader_get_info (recon->reader), error);
      return NULL;
    }
  if (!tl_frame_wait (frame, error))
    return NULL;
  note_times (recon, start_us, read_us, loaded_us);
  return g_steal_pointer (&frame);
}

gboolean
tl_check_output (const TlScanInfo *info, const char *path, GError **error)
{
  GStatBuf scan, output;
  if (g_stat (info->path, &scan) != 0 || g_stat (path, &output) != 0
      || scan.st_dev != output.st_dev || scan.st_ino != output.st_ino)
    return TRUE;
  g_set_error (error, TL_ERROR, TL_ERROR_FILE,
               "%s: nothing is written there: this is the scan itself", path);
  return FALSE;
}

void
tl_recon_get_times (TlRecon *recon, TlReconTimes *times)
{
  *times = recon->times;
}

float
tl_stats_percentile (const TlStats *stats, double part)
{
  double total = 0, below = 0;
  for (size_t k = 0; k < TL_HISTOGRAM_BINS; k++)
    total += stats->histogram[k];
  const double wanted = CLAMP (part, 0, 1) * total;
  const double step = ((double)stats->max - stats->min) / TL_HISTOGRAM_BINS;
  for (size_t k = 0; k < TL_HISTOGRAM_BINS; k++)
    {
      const double here = stats->histogram[k];
      if (here > 0 && below + here >= wanted)
        return (float)(stats->min
                       + ((double)k + (wanted - below) / here) * step);
      below += here;
    }
  return stats->max;
}
