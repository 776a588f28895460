#include "app/recon/recon.h"

#include "app/recon/rows.h"
#include "app/recon/subsampled-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

struct TlRecon
{
  TlReader *reader;
  TlEngine *engine;
  TlRows *rows;       /* (nullable): read last */
  double *angles_rad; /* (nullable): of the projections that rows has */
  guint load;         /* tl_engine_get_load() of these rows; 0: not loaded */
  TlReconTimes times;
  TlEngine *last; /* (nullable): engine of the last run */
  TlSubsampled subsampled;
  gboolean refuses_subsampled; /* no memory for a second engine */
  TlPrefetch prefetch;
  /* Prefetching has failed. Rows are read one by one, so that the error names
   * the row that cannot be read. */
  gboolean refuses_prefetch;
  gboolean lacks_rows; /* the last run could not read them */
};

static void
use_engine (TlRecon *recon, TlEngine *engine)
{
  g_autofree char *name = tl_engine_dup_device_name (engine);
  recon->engine = engine;
  tl_rows_inflate_on_device (recon->reader, name, FALSE);
}

TlRecon *
tl_recon_new (TlReader *reader, TlEngine *engine)
{
  g_return_val_if_fail (reader != NULL && engine != NULL, NULL);
  TlRecon *recon = g_new0 (TlRecon, 1);
  recon->reader = reader;
  use_engine (recon, engine);
  return recon;
}

void
tl_recon_free (TlRecon *recon)
{
  if (recon == NULL)
    return;
  tl_subsampled_clear (&recon->subsampled);
  tl_prefetch_clear (&recon->prefetch);
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

gboolean
tl_recon_settle_method (TlRecon *recon, const TlParams *params,
                        TlMethod *method, GError **error)
{
  g_return_val_if_fail (recon != NULL && params != NULL, FALSE);
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  g_autofree char *engine = tl_engine_dup_device_name (recon->engine);
  const char *note;
  return tl_engine_settle_method (engine, params, info->n_projections,
                                  info->n_cols, method, &note, error);
}

/* Also forgets the last engine, which may be the one that is closed here. */
static void
clear_subsampled (TlRecon *recon)
{
  recon->last = NULL;
  tl_subsampled_clear (&recon->subsampled);
}

void
tl_recon_set_engine (TlRecon *recon, TlEngine *engine)
{
  use_engine (recon, engine);
  recon->load = 0;
  recon->refuses_subsampled = FALSE;
  clear_subsampled (recon);
}

gboolean
tl_recon_has_rows (TlRecon *recon, size_t first_row, size_t n_rows)
{
  const TlRows *rows = recon->rows;
  return rows != NULL && rows->every == 1 && rows->first_row == first_row
         && rows->n_rows == n_rows && recon->load != 0
         && recon->load == tl_engine_get_load (recon->engine);
}

TlEngine *
tl_recon_get_last_engine (TlRecon *recon)
{
  return recon->last != NULL ? recon->last : recon->engine;
}

/* Returns: whether the rows in memory serve, where @every is 1 those of all
 * projections. Without a margin only the same slices do: the engine loads all
 * rows of @rows, and would compute them all. */
static gboolean
keep_rows (TlRecon *recon, size_t first_row, size_t n_rows, size_t margin,
           guint every)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  TlRows *rows = recon->rows;
  const gboolean is_same =
      rows != NULL && rows->first_row == first_row && rows->n_rows == n_rows;
  if (rows == NULL || (!is_same && margin == 0)
      || (every == 1 && rows->every > 1)
      || !tl_rows_move (rows, info, first_row, n_rows, margin))
    return FALSE;
  recon->load = is_same ? recon->load : 0;
  recon->subsampled.is_loaded = recon->subsampled.is_loaded && is_same;
  return TRUE;
}

/* Returns: the margin to read. If the margin of the same slices has grown,
 * twice as much is read, as far as memory allows: the user may be dragging the
 * parameter that it depends on, and each read would interrupt the drag. */
static size_t
widen_margin (TlRecon *recon, size_t first_row, size_t n_rows, size_t margin)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  const TlRows *rows = recon->rows;
  const gboolean has_grown = rows != NULL && rows->first_row == first_row
                             && rows->n_rows == n_rows && rows->every == 1
                             && rows->n_above + rows->n_below > 0;
  if (has_grown && tl_rows_check_memory (info, n_rows, 2 * margin, 3, NULL))
    return 2 * margin;
  return tl_rows_widen (margin);
}

/* Makes recon->rows hold these rows. @enough: rows with at least this margin
 * are kept instead of reading @margin. @every: as of tl_rows_read() */
static gboolean
read_rows (TlRecon *recon, size_t first_row, size_t n_rows, size_t margin,
           size_t enough, guint every, GCancellable *cancellable,
           GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  const size_t wide = widen_margin (recon, first_row, n_rows, margin);
  recon->lacks_rows = FALSE;
  if (keep_rows (recon, first_row, n_rows, enough, every))
    return TRUE;
  recon->lacks_rows = TRUE;
  recon->load = 0;
  recon->subsampled.is_loaded = FALSE;
  g_clear_pointer (&recon->angles_rad, g_free);
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
  recon->lacks_rows =
      !tl_rows_read (recon->rows, recon->reader, &recon->prefetch, first_row,
                     n_rows, wide, every, cancellable, error);
  return !recon->lacks_rows;
}

gboolean
tl_recon_lacks_rows (const TlRecon *recon)
{
  g_return_val_if_fail (recon != NULL, FALSE);
  return recon->lacks_rows;
}

static gboolean
read_angles (TlRecon *recon, GError **error)
{
  if (recon->angles_rad == NULL)
    recon->angles_rad = tl_rows_angles (tl_reader_get_info (recon->reader),
                                        recon->rows->every, error);
  return recon->angles_rad != NULL;
}

/* @middle_row: row about which the tilt correction rotates */
static gboolean
load_rows (TlRecon *recon, double middle_row, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  if (recon->load != 0 && recon->load == tl_engine_get_load (recon->engine))
    return TRUE;
  if (!read_angles (recon, error)
      || !tl_rows_load (recon->rows, info, middle_row, recon->angles_rad,
                        recon->engine, error))
    return FALSE;
  recon->load = tl_engine_get_load (recon->engine);
  return TRUE;
}

/* Returns: rows that a slice needs above its own, and as many below */
static size_t
get_margin (TlRecon *recon, const TlRecipe *recipe)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  return tl_params_get_margin (&recipe->params, info->n_rows, info->n_cols);
}

/* Times of the run in progress. */
typedef struct
{
  TlEngine *engine;
  TlEngineReport before;
  gint64 start_us, read_us, loaded_us;
} Clock;

static gboolean
start_clock (Clock *clock, TlEngine *engine, GError **error)
{
  clock->engine = engine;
  clock->start_us = g_get_monotonic_time ();
  return tl_engine_get_report (engine, &clock->before, error);
}

static gboolean
note_times (TlRecon *recon, const Clock *clock, GError **error)
{
  const gint64 now_us = g_get_monotonic_time ();
  TlEngineReport now;
  if (!tl_engine_get_report (clock->engine, &now, error))
    return FALSE;
  recon->last = clock->engine;
  recon->times = (TlReconTimes){
    .read_ms = (double)(clock->read_us - clock->start_us) / 1e3,
    .load_ms = (double)(clock->loaded_us - clock->read_us) / 1e3,
    .compute_ms = (double)(now_us - clock->loaded_us) / 1e3,
  };
  for (guint k = 0; k < TL_N_STAGES; k++)
    recon->times.stage_ms[k] = now.total_ms[k] - clock->before.total_ms[k];
  return TRUE;
}

/* Reads and loads the rows, as every run must first; @middle_row: as for
 * load_rows(), @every: as of tl_rows_read() */
static gboolean
prepare_about (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
               size_t n_rows, double middle_row, guint every, Clock *clock,
               GCancellable *cancellable, GError **error)
{
  const size_t margin = get_margin (recon, recipe);
  if (!start_clock (clock, recon->engine, error)
      || !read_rows (recon, first_row, n_rows, margin, margin, every,
                     cancellable, error))
    return FALSE;
  clock->read_us = g_get_monotonic_time ();
  if (!load_rows (recon, middle_row, error))
    return FALSE;
  clock->loaded_us = g_get_monotonic_time ();
  return TRUE;
}

/* A slice is tilted back about the middle row of the detector. */
static gboolean
prepare (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
         size_t n_rows, guint every, Clock *clock, GCancellable *cancellable,
         GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  return prepare_about (recon, recipe, first_row, n_rows,
                        ((double)info->n_rows - 1) / 2, every, clock,
                        cancellable, error);
}

gboolean
tl_recon_prefetch (TlRecon *recon, const TlRecipe *recipe, const size_t *wanted,
                   size_t n, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL && n > 0, FALSE);
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  const size_t margin = tl_rows_widen (get_margin (recon, recipe));
  const size_t first = wanted[0] - MIN (margin, wanted[0]);
  const size_t last = MIN (wanted[0] + margin, info->n_rows - 1);
  g_autoptr (GError) reason = NULL;
  if (recon->refuses_prefetch
      || (!tl_prefetch_lists (&recon->prefetch, first, last - first + 1)
          && !tl_prefetch_plan (&recon->prefetch, recon->reader, wanted, n,
                                margin))
      || tl_prefetch_read (&recon->prefetch, recon->reader, cancellable,
                           &reason))
    return TRUE;
  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  g_info ("rows are read one by one: %s", reason->message);
  recon->refuses_prefetch = TRUE;
  tl_prefetch_clear (&recon->prefetch);
  return TRUE;
}

/* Corrects the one row that the engine has loaded. */
static gboolean
read_corrected (TlRecon *recon, const TlParams *params, const Clock *clock,
                float *dest, GCancellable *cancellable, GError **error)
{
  if (!tl_engine_correct (recon->engine, params, cancellable, error)
      || !tl_engine_read_corrected (recon->engine, dest, error))
    {
      tl_rows_name_scan (tl_reader_get_info (recon->reader), error);
      return FALSE;
    }
  if (recon->prefetch.is_read && recon->prefetch.last == recon->rows->first_row)
    tl_prefetch_clear (&recon->prefetch);
  return note_times (recon, clock, error);
}

gboolean
tl_recon_read_corrected (TlRecon *recon, const TlRecipe *recipe, size_t row,
                         float *dest, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, FALSE);
  Clock clock;
  return prepare (recon, recipe, row, 1, 1, &clock, cancellable, error)
         && read_corrected (recon, &recipe->params, &clock, dest, cancellable,
                            error);
}

gboolean
tl_recon_read_about (TlRecon *recon, const TlRecipe *recipe, size_t row,
                     double centre_col, float *dest, GCancellable *cancellable,
                     GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, FALSE);
  TlParams params = recipe->params;
  Clock clock;
  params.centre_col = centre_col;
  recon->load = 0; /* the tilt is turned back about another row */
  if (!prepare_about (recon, recipe, row, 1, (double)row, 1, &clock,
                      cancellable, error))
    return FALSE;
  recon->load = 0; /* a slice needs the middle row again */
  return read_corrected (recon, &params, &clock, dest, cancellable, error);
}

/* @made: (transfer full) (nullable): by the engine of @clock, and waited for
 * here; %NULL with @error set, to which the scan's name is added */
static TlFrame *
finish (TlRecon *recon, TlFrame *made, const Clock *clock, GError **error)
{
  g_autoptr (TlFrame) frame = made;
  if (frame == NULL)
    {
      tl_rows_name_scan (tl_reader_get_info (recon->reader), error);
      return NULL;
    }
  if (!tl_frame_wait (frame, error) || !note_times (recon, clock, error))
    return NULL;
  return g_steal_pointer (&frame);
}

/* @every: as of tl_rows_read(), @reading: (nullable): cancels the read */
static TlFrame *
run (TlRecon *recon, const TlRecipe *recipe, size_t first_row, size_t n_rows,
     guint every, GCancellable *reading, GCancellable *cancellable,
     GError **error)
{
  Clock clock;
  if (!prepare (recon, recipe, first_row, n_rows, every, &clock, reading,
                error))
    return NULL;
  TlFrame *frame = tl_engine_reconstruct (recon->engine, &recipe->params,
                                          cancellable, error);
  return finish (recon, frame, &clock, error);
}

TlFrame *
tl_recon_run (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
              size_t n_rows, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, NULL);
  return run (recon, recipe, first_row, n_rows, 1, cancellable, cancellable,
              error);
}

TlFrame *
tl_recon_run_plane_rows (TlRecon *recon, const TlRecipe *recipe,
                         const TlPlane *plane, size_t first_row, size_t n_rows,
                         GCancellable *cancellable, GError **error)
{
  TlPlane part = *plane;
  Clock clock;
  part.origin[2] -= (double)first_row;
  if (!prepare (recon, recipe, first_row, n_rows, 1, &clock, cancellable,
                error))
    return NULL;
  TlFrame *frame = tl_engine_reconstruct_plane (
      recon->engine, &part, &recipe->params, cancellable, error);
  return finish (recon, frame, &clock, error);
}

/* With fewer projections, streaks hide the object. */
#define MIN_EARLY_PROJECTIONS 64

static guint
choose_every (size_t n_projections)
{
  guint every = 8;
  while (every > 1 && n_projections / every < MIN_EARLY_PROJECTIONS)
    every /= 2;
  return every;
}

TlFrame *
tl_recon_run_early (TlRecon *recon, const TlRecipe *recipe, size_t row,
                    guint *every, GCancellable *reading,
                    GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, NULL);
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  g_autoptr (GError) reason = NULL;
  TlFrame *frame =
      run (recon, recipe, row, 1, choose_every (info->n_projections), reading,
           cancellable, &reason);
  *every = recon->rows != NULL ? recon->rows->every : 1;
  if (frame == NULL && *every > 1
      && !g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_info ("no preview of a part of the projections: %s", reason->message);
      g_clear_error (&reason);
      *every = 1;
      frame = run (recon, recipe, row, 1, 1, reading, cancellable, &reason);
    }
  if (frame == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return frame;
}

/* tl_recon_run_subsampled() without its fallback: %NULL with the error. Half
 * the margin is enough here: it leaves an error of some 3 %, and the preview
 * does not wait for the file. */
static TlFrame *
try_subsampled (TlRecon *recon, const TlRecipe *recipe, size_t row,
                guint *every, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  const size_t margin = get_margin (recon, recipe);
  TlSubsampled *subsampled = &recon->subsampled;
  Clock clock;
  if (!tl_subsampled_open (subsampled, recon->engine, recipe->engine, error)
      || !start_clock (&clock, subsampled->engine, error)
      || !read_rows (recon, row, 1, margin, margin / 2, *every, cancellable,
                     error))
    return NULL;
  clock.read_us = g_get_monotonic_time ();
  if (!read_angles (recon, error)
      || !tl_subsampled_load (subsampled, recon->rows, info, recon->angles_rad,
                              margin, every, error))
    return NULL;
  clock.loaded_us = g_get_monotonic_time ();
  TlFrame *frame = tl_engine_reconstruct (subsampled->engine, &recipe->params,
                                          cancellable, error);
  return finish (recon, frame, &clock, error);
}

TlFrame *
tl_recon_run_subsampled (TlRecon *recon, const TlRecipe *recipe, size_t row,
                         guint *every, GCancellable *cancellable,
                         GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL && *every > 1, NULL);
  const TlScanInfo *info = tl_reader_get_info (recon->reader);
  g_autoptr (GError) reason = NULL;
  const gboolean is_tried =
      !recon->refuses_subsampled
      && tl_subsampled_check_size (info, &recipe->params, row, *every, &reason);
  TlFrame *frame = is_tried ? try_subsampled (recon, recipe, row, every,
                                              cancellable, &reason)
                            : NULL;
  if (frame != NULL)
    return frame;
  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  if (reason != NULL)
    g_info ("no subsampled preview: %s", reason->message);
  if (is_tried)
    recon->refuses_subsampled =
        g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY)
        || g_error_matches (reason, TL_ERROR, TL_ERROR_DEVICE);
  *every = 1;
  clear_subsampled (recon);
  return tl_recon_run (recon, recipe, row, 1, cancellable, error);
}

gboolean
tl_check_output (const char *scan_path, const char *path, GError **error)
{
  GStatBuf scan, output;
  if (g_stat (scan_path, &scan) != 0 || g_stat (path, &output) != 0
      || scan.st_dev != output.st_dev || scan.st_ino != output.st_ino)
    return TRUE;
  return tl_fail (
      error, TL_ERROR_FILE,
      _ ("%s: this is the scan itself and is not overwritten; choose "
         "another file"),
      path);
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
