#include "app/cli/recon/cost-private.h"
#include "app/cli/follow-private.h"
#include "app/cli/output-private.h"
#include "app/cli/recon/pipe-private.h"
#include "app/cli/recon/plane-private.h"
#include "app/cli/scan-private.h"
#include "app/export/export.h"
#include "app/recon/growing-slice.h"
#include "app/recon/rows.h"
#include "data/array.h"
#include "data/error.h"
#include "data/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_NAME "recon_%05zu.tiff"

/* Seconds; no scan is outside. */
#define MIN_EVERY_S 0.1
#define EVERY_S 5
#define MAX_EVERY_S 86400

/* The options and the state of the command. */
typedef struct
{
  char *slices, *plane, *output, *format, *memory, *record; /* (nullable) */
  gboolean png, precision_cost, timing, follows;
  gboolean pipes; /* the picture goes to the standard output, text to stderr */
  TlCliPipeFormat pipe_format; /* where pipes */
  FILE *report;                /* where to print */
  TlCliFollow follow;          /* where follows */
  TlRecorder *recorder;        /* (nullable): of what is followed */
  TlCliStream said;            /* of what is followed */
  TlGrowingSlice *growing;     /* (nullable): the only slice of it */
  guint grown;                 /* TlStreamScan.serial of growing */
  char *missing; /* (nullable): the projections that its last picture lacks */
  TlHeldWeights *weights; /* (nullable): of its projections, until all have
                             come */

  TlCliRange range;
  TlCliPlane said_plane; /* where plane */
  TlPlane placed;        /* likewise */
  size_t before_dead;    /* dead pixels of what was loaded before it */
  const char *fallback;  /* (nullable): of the engine's report, told last */
  char *folder;          /* (nullable): %NULL: one file */
  TlCliOutput files;
  TlCliScan scan;
  TlEngine *engine;
  TlRecon *recon;

  /* milliseconds, of the first slice */
  double open_ms, engine_ms, compare_ms, fetch_ms, total_ms;
  TlReconTimes times;
  TlEngineReport stages;
  size_t peak_bytes;
} Recon;

static double
ms_since (gint64 start_us)
{
  return (double)(g_get_monotonic_time () - start_us) / 1e3;
}

static gboolean
is_tiff_name (const char *path)
{
  return tl_cli_has_suffix (path, ".tiff") || tl_cli_has_suffix (path, ".tif");
}

static char *
dup_name (const Recon *r, size_t slice)
{
  return r->plane != NULL ? tl_cli_plane_dup_name (r->plane)
                          : g_strdup_printf (SLICE_NAME, slice);
}

/* Decides between one file and a folder of files, for all pictures. */
static gboolean
choose_output (Recon *r, GError **error)
{
  const gboolean one_file =
      r->output != NULL ? is_tiff_name (r->output) : r->slices == NULL;
  if (one_file && r->range.last - r->range.first >= r->range.step)
    return tl_cli_usage_error (
        error, "several slices do not fit into one file, %s; name a folder",
        r->output);
  if (!one_file && r->folder == NULL)
    r->folder = g_strdup (r->output != NULL ? r->output : ".");
  else if (one_file && r->output == NULL)
    r->output = dup_name (r, r->range.first);
  return TRUE;
}

static char *
slice_path (const Recon *r, size_t slice)
{
  g_autofree char *name = dup_name (r, slice);
  return r->folder != NULL ? g_build_filename (r->folder, name, NULL)
                           : g_strdup (r->output);
}

/* Returns: (transfer full): of how many projections a picture of an unfinished
 * scan is, for the end of a line */
static char *
dup_progress (const Recon *r)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (r->recon));
  const size_t n_expected = r->follow.news.scan.n_projections;
  if (!r->follows)
    return g_strdup ("");
  g_autofree char *all = tl_cli_dup_count (
      n_expected > 0 ? n_expected : info->n_projections, "projection");
  return n_expected > 0
             ? g_strdup_printf (", %zu of %s", info->n_projections, all)
             : g_strdup_printf (", %s", all);
}

/* @cost: (nullable) */
static void
report_slice (const Recon *r, const char *path, size_t slice,
              const TlFrame *frame, const TlStats *stats, size_t n_dead,
              gboolean is_fourier, const TlPrecisionCost *cost)
{
  const size_t n_mended =
      tl_reader_get_n_mended (tl_recon_get_reader (r->recon));
  const size_t n_rows = tl_frame_get_n_rows (frame);
  const size_t n_cols = tl_frame_get_n_cols (frame);
  TlJson *json = r->scan.json;
  g_autofree char *axis = tl_cli_scan_dup_axis (&r->scan);
  g_autofree char *mended = tl_cli_dup_mended (n_dead, n_mended);
  g_autofree char *progress = dup_progress (r);
  g_autofree char *what = r->plane != NULL
                              ? g_strconcat ("plane ", r->plane, NULL)
                              : g_strdup_printf ("slice %zu", slice);
  if (json == NULL)
    fprintf (r->report,
             "%s: %s, %zu x %zu pixels, %s, %.6g … %.6g, mean %.6g%s%s%s\n",
             path, what, n_rows, n_cols, axis, stats->min, stats->max,
             stats->mean, is_fourier ? ", Fourier method" : ", back-projection",
             mended, progress);
  tl_json_add (json, "{path: %s", path);
  if (r->plane != NULL)
    tl_cli_plane_add_json (r->plane, &r->placed, json);
  else
    tl_json_add (json, "slice: %zu", slice);
  tl_json_add (json,
               "rows: %zu, columns: %zu, min: %f, max: %f, mean: %f, "
               "dead_pixels: %zu, replaced_samples: %zu",
               n_rows, n_cols, stats->min, stats->max, stats->mean, n_dead,
               n_mended);
  if (cost != NULL)
    tl_cli_cost_report (cost, path, json);
  tl_json_add (json, "}");
}

static char *
recipe_path (const Recon *r)
{
  return r->folder != NULL
             ? g_build_filename (r->folder, TL_EXPORT_RECIPE, NULL)
             : tl_cli_swap_suffix (r->output, ".ini");
}

/* Adds @path, and what is beside it with another suffix. */
static void
add_path (Recon *r, const char *path, const char *suffix)
{
  tl_cli_output_add (&r->files, suffix != NULL
                                    ? tl_cli_swap_suffix (path, suffix)
                                    : g_strdup (path));
}

/* Lists the files to be written. Returns: %FALSE if one of them may not be */
static gboolean
check_files (Recon *r, GError **error)
{
  for (size_t slice = r->range.first; slice <= r->range.last;
       slice += r->range.step)
    {
      g_autofree char *path = slice_path (r, slice);
      add_path (r, path, NULL);
      if (r->png)
        add_path (r, path, ".png");
      if (r->precision_cost)
        add_path (r, path, TL_CLI_COST_MAP_SUFFIX);
      if (r->precision_cost && r->png)
        add_path (r, path, TL_CLI_COST_PNG_SUFFIX);
    }
  g_autofree char *recipe = recipe_path (r);
  g_autofree char *folder = g_path_get_dirname (recipe);
  const char *scan = tl_reader_get_info (r->scan.reader)->path;
  if (!tl_cli_check_recipe (recipe, error)
      || !tl_cli_check_raw_folder (scan, folder, error))
    return FALSE;
  tl_cli_output_add (&r->files, g_steal_pointer (&recipe));
  for (guint k = 0; k < r->files.paths->len; k++)
    if (!tl_check_output (scan, r->files.paths->pdata[k], error))
      return FALSE;
  return tl_cli_output_check (&r->files, error);
}

/* Says that the method or the kernel of a slice is not the preferred one. */
static void
tell_fallback (Recon *r, const TlEngineReport *report)
{
  if (report->fallback != NULL && report->fallback != r->fallback)
    tl_cli_scan_take_note (&r->scan, g_strdup (report->fallback));
  r->fallback = report->fallback;
}

/* Writes the files of a slice, or the picture to the standard output. @cost:
 * (nullable) */
static gboolean
write_pictures (Recon *r, const char *path, TlFrame *frame,
                const TlStats *stats, const TlPrecisionCost *cost,
                GCancellable *cancellable, GError **error)
{
  const size_t n_rows = tl_frame_get_n_rows (frame);
  const size_t n_cols = tl_frame_get_n_cols (frame);
  const float *pixels = tl_frame_get_pixels (frame);
  g_autofree char *description =
      r->plane != NULL ? tl_recon_describe_plane (&r->placed)
                       : g_strdup ("attenuation per pixel length");
  if (r->pipes)
    return tl_cli_pipe_write (r->pipe_format, pixels, n_rows, n_cols,
                              description, cancellable, error);
  g_autofree char *hidden = tl_cli_output_hide (&r->files, path, error);
  if (hidden == NULL)
    return FALSE;
  g_autofree char *png_path = tl_cli_swap_suffix (hidden, ".png");
  return tl_write_tiff (hidden, pixels, n_rows, n_cols, description, error)
         && (!r->png
             || tl_write_png (png_path, pixels, n_rows, n_cols,
                              tl_stats_percentile (stats, TL_CLI_PNG_LOW),
                              tl_stats_percentile (stats, TL_CLI_PNG_HIGH),
                              error))
         && (cost == NULL || tl_cli_cost_write (cost, hidden, r->png, error));
}

/* @cost: (nullable) */
static gboolean
write_slice (Recon *r, size_t slice, TlFrame *frame,
             const TlPrecisionCost *cost, GCancellable *cancellable,
             GError **error)
{
  TlStats stats;
  TlEngineReport report;
  g_autofree char *path = slice_path (r, slice);
  if (!tl_engine_measure (r->engine, frame, 0, &stats, error)
      || !tl_engine_get_report (r->engine, &report, error)
      || !write_pictures (r, path, frame, &stats, cost, cancellable, error))
    return FALSE;
  /* a plane of one block may be made of rows that were loaded before */
  const size_t n_dead =
      r->plane != NULL ? MAX (report.n_dead, report.total_dead - r->before_dead)
                       : report.n_dead;
  report_slice (r, path, slice, frame, &stats, n_dead,
                report.variant->is_fourier, cost);
  tell_fallback (r, &report);
  return TRUE;
}

/* Returns: (transfer full) (nullable): the note for replacing a slice of other
 * parameters; %NULL if there is none */
static char *
describe_replaced (const Recon *r)
{
  if (r->pipes)
    return NULL;
  g_autofree char *path = slice_path (r, r->range.first);
  g_autofree char *recipe = recipe_path (r);
  g_autofree char *changes =
      g_file_test (path, G_FILE_TEST_EXISTS) ? tl_export_dup_changes (
          tl_reader_get_info (tl_recon_get_reader (r->recon))->path,
          r->scan.recipe, recipe)
                                             : NULL;
  return changes == NULL
             ? NULL
             : g_strdup_printf ("%s: an earlier picture and its recipe were "
                                "replaced; these parameters differ: %s",
                                path, changes);
}

/* Returns: (nullable): the scan that the recipe names; %NULL: an address, where
 * it will not be found again */
static const char *
find_file (const Recon *r)
{
  return r->follows && strstr (r->scan.path, "://") != NULL ? NULL
                                                            : r->scan.path;
}

/* The files take their places. */
static gboolean
finish (Recon *r, GError **error)
{
  if (r->pipes)
    return TRUE;
  g_autofree char *path = recipe_path (r);
  g_autofree char *hidden = tl_cli_output_hide (&r->files, path, error);
  return hidden != NULL
         && tl_recipe_save (r->scan.recipe, find_file (r), hidden, error)
         && tl_cli_output_commit (&r->files, error);
}

static TlFrame *
run_plane (Recon *r, GCancellable *cancellable, GError **error)
{
  const TlRecipe *recipe = r->scan.recipe;
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (r->recon));
  TlEngineReport before;
  if (!tl_cli_plane_place (&r->said_plane, info, &recipe->params, &r->placed,
                           error)
      || !tl_engine_get_report (r->engine, &before, error))
    return NULL;
  r->before_dead = before.total_dead;
  return tl_recon_run_plane (r->recon, recipe, &r->placed, 0, cancellable,
                             error);
}

/* Reconstructs a slice, or the plane, and fetches it to host memory. @cost:
 * (nullable) */
static TlFrame *
make_slice (Recon *r, size_t slice, TlPrecisionCost *cost,
            GCancellable *cancellable, GError **error)
{
  const TlRecipe *recipe = r->scan.recipe;
  const gboolean grows = r->weights != NULL && r->range.first == r->range.last;
  if (r->grown != r->follow.news.scan.serial)
    g_clear_pointer (&r->growing, tl_growing_slice_free);
  if (grows && r->growing == NULL)
    r->growing = tl_growing_slice_new (r->engine);
  r->grown = r->follow.news.scan.serial;
  g_autoptr (TlFrame) frame =
      r->plane != NULL ? run_plane (r, cancellable, error)
      : cost != NULL   ? tl_precision_cost_run (r->recon, recipe, slice,
                                                cancellable, cost, error)
      : grows ? tl_growing_slice_make (r->growing, r->recon, r->follow.held,
                                       r->weights, recipe, &r->times,
                                       cancellable, error)
              : tl_recon_run (r->recon, recipe, slice, 1, cancellable, error);
  const gint64 start_us = g_get_monotonic_time ();
  if (frame == NULL || !tl_frame_fetch (frame, error))
    return NULL;
  r->fetch_ms = ms_since (start_us);
  return g_steal_pointer (&frame);
}

static gboolean
run_slices (Recon *r, gint64 start_us, GCancellable *cancellable,
            GError **error)
{
  for (size_t slice = r->range.first; slice <= r->range.last;
       slice += r->range.step)
    {
      const double fetch_ms = r->fetch_ms;
      g_auto (TlPrecisionCost) cost = { 0 };
      TlPrecisionCost *wanted = r->precision_cost ? &cost : NULL;
      g_autoptr (TlFrame) frame =
          make_slice (r, slice, wanted, cancellable, error);
      if (frame == NULL)
        return FALSE;
      if (slice == r->range.first)
        {
          r->total_ms = ms_since (start_us);
          r->peak_bytes = tl_cli_peak_bytes ();
          tl_recon_get_times (r->recon, &r->times);
          if (!tl_engine_get_report (r->engine, &r->stages, error))
            return FALSE;
          if (wanted != NULL)
            {
              r->times = cost.times;
              r->stages = cost.report;
              r->compare_ms = cost.compare_ms;
            }
        }
      else
        r->fetch_ms = fetch_ms;
      if (!write_slice (r, slice, frame, wanted, cancellable, error))
        return FALSE;
    }
  return finish (r, error);
}

static void
print_timing (const Recon *r)
{
  FILE *out = r->report;
  fprintf (out,
           "opening the file     %8.1f ms\n"
           "starting the engine  %8.1f ms (%s: %s)\n"
           "reading the rows     %8.1f ms\n"
           "loading the engine   %8.1f ms\n"
           "computing            %8.1f ms (%s)\n",
           r->open_ms, r->engine_ms, tl_engine_get_name (r->engine),
           tl_engine_get_device (r->engine), r->times.read_ms, r->times.load_ms,
           r->times.compute_ms, r->stages.variant->name);
  if (r->stages.n_folded > 1)
    fprintf (out, "  %u pixels at once by symmetry\n", r->stages.n_folded);
  for (guint k = TL_STAGE_CORRECT; k < TL_N_STAGES; k++)
    fprintf (out, "  %-17s  %8.2f ms\n",
             k == TL_STAGE_BACKPROJECT && r->stages.variant->is_fourier
                 ? "Fourier method"
                 : tl_stage_names[k],
             r->stages.last_ms[k]);
  if (r->precision_cost)
    fprintf (out, "comparing precisions %8.1f ms\n", r->compare_ms);
  fprintf (out,
           "fetching the pixels  %8.1f ms\n"
           "first slice, total   %8.1f ms\n"
           "peak memory          %8.1f MB\n"
           "engine's memory      %8.1f MB\n",
           r->fetch_ms, r->total_ms, (double)r->peak_bytes / 1e6,
           (double)r->stages.memory_bytes / 1e6);
}

static void
add_timing (const Recon *r)
{
  TlJson *json = r->scan.json;
  tl_json_add (json,
               "timing: {open_ms: %f, engine_ms: %f, read_ms: %f, load_ms: %f, "
               "compute_ms: %f, stages_ms: {",
               r->open_ms, r->engine_ms, r->times.read_ms, r->times.load_ms,
               r->times.compute_ms);
  for (guint k = TL_STAGE_CORRECT; k < TL_N_STAGES; k++)
    tl_json_add (json, "%s: %f", tl_stage_names[k], r->stages.last_ms[k]);
  tl_json_add (json, "}");
  if (r->precision_cost)
    tl_json_add (json, "compare_ms: %f", r->compare_ms);
  tl_json_add (
      json,
      "fetch_ms: %f, first_slice_ms: %f, peak_bytes: %zu, engine_bytes: %zu}",
      r->fetch_ms, r->total_ms, r->peak_bytes, r->stages.memory_bytes);
}

/* The report is printed only after success, so that it is one document. */
static gboolean
run_recon (Recon *r, gint64 start_us, GCancellable *cancellable, GError **error)
{
  TlJson *json = r->scan.json;
  g_autofree char *replaced = describe_replaced (r);
  tl_cli_scan_add_json (&r->scan, json);
  tl_json_add (json, "engine: %s, device: %s, slices: [",
               tl_engine_get_name (r->engine),
               tl_engine_get_device (r->engine));
  if (!run_slices (r, start_us, cancellable, error))
    return FALSE;
  if (replaced != NULL)
    tl_cli_scan_take_note (&r->scan, g_steal_pointer (&replaced));
  if (json == NULL && r->timing)
    print_timing (r);
  tl_json_add (json,
               "], method: %s, kernel: %s, variant: %s, folded: %u, "
               "fallback: %s",
               tl_method_names[tl_variant_get_method (r->stages.variant)],
               tl_kernel_names[r->stages.variant->kernel],
               r->stages.variant->name, r->stages.n_folded, r->fallback);
  tl_cli_scan_add_notes (&r->scan, json);
  add_timing (r);
  tl_json_print (json);
  return TRUE;
}

static gboolean
check_last (const Recon *r, size_t last, GError **error)
{
  const size_t n_rows = tl_reader_get_info (r->scan.reader)->n_rows;
  g_autofree char *name = tl_cli_dup_scan_name (r->scan.path);
  return last < n_rows
         || tl_fail (error, TL_ERROR_VALUE,
                     "%s: there is no slice %zu; the rows are 0 to %zu", name,
                     last, n_rows - 1);
}

/* Decides which slices are made, and checks the files that will be written. */
static gboolean
choose_files (Recon *r, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (r->scan.reader);
  const size_t slice = r->scan.recipe->slice;
  if (r->slices == NULL)
    r->range = (TlCliRange){ slice, slice, 1 };
  if (r->pipes)
    return check_last (r, r->range.last, error);
  return check_last (r, r->range.last, error) && choose_output (r, error)
         && tl_check_output (info->path,
                             r->folder != NULL ? r->folder : r->output, error)
         && (r->folder != NULL || tl_cli_check_folder (r->output, error))
         && check_files (r, error);
}

/* Opens the engine, if it is not yet, and finds the axis if asked for. */
static gboolean
prepare (Recon *r, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (r->scan.reader);
  const gint64 engine_us = g_get_monotonic_time ();
  if (r->engine == NULL)
    r->engine = tl_engine_open (r->scan.recipe->engine, error);
  if (r->engine == NULL)
    return FALSE;
  r->engine_ms = ms_since (engine_us);
  /* the blocks of rows of a plane need the same compressed projections */
  if (r->plane != NULL)
    tl_reader_set_budget (r->scan.reader, tl_get_machine_bytes () / 4);
  r->recon = tl_recon_new (g_steal_pointer (&r->scan.reader), r->engine);
  if (!tl_cli_scan_find_centre (&r->scan, r->recon,
                                (r->range.first + r->range.last) / 2,
                                cancellable, error))
    return FALSE;
  tl_cli_scan_note_tilt (&r->scan, info, r->range.first, r->range.last);
  /* Several slices: the saved recipe names the first of them. */
  r->scan.recipe->slice = r->range.first;
  return TRUE;
}

/* Of compressed projections: little beside those of a slice. */
#define CHECK_BYTES ((guint64)64 << 20)

static gboolean
set_up (Recon *r, const TlCliLine *line, const char *file, gint64 start_us,
        GCancellable *cancellable, GError **error)
{
  if (!tl_cli_scan_open (&r->scan, line, file, r->slices == NULL, cancellable,
                         error)
      || !choose_files (r, error))
    return FALSE;
  r->open_ms = ms_since (start_us);
  tl_cli_scan_note_odd (&r->scan, CHECK_BYTES, cancellable);
  return prepare (r, cancellable, error);
}

/* --- a scan that is being taken --- */

/* What decides which rows are kept. */
typedef struct
{
  const TlRecipe *recipe; /* as given */
  gboolean has_range, seeks_centre;
  TlCliRange range;
} Wanted;

static void
choose_rows (const TlStreamScan *scan, size_t max_rows, size_t *first_row,
             size_t *n_rows, gpointer data)
{
  const Wanted *wanted = data;
  const TlRecipe *recipe = wanted->recipe;
  const size_t slice =
      recipe->slice_known ? recipe->slice : (scan->n_rows - 1) / 2;
  const size_t first = wanted->has_range ? wanted->range.first : slice;
  const size_t last = wanted->has_range ? wanted->range.last : slice;
  const size_t margin = tl_rows_widen (
      tl_params_get_margin (&recipe->params, scan->n_rows, scan->n_cols));
  if (last >= scan->n_rows) /* told with the first picture */
    {
      *first_row = 0;
      *n_rows = 1;
      return;
    }
  *first_row = first - MIN (margin, first);
  *n_rows = MIN (last + margin, scan->n_rows - 1) - *first_row + 1;
}

static void
choose_slices (const TlStreamScan *scan, TlHeldSlices *slices, gpointer data)
{
  const Wanted *wanted = data;
  const size_t margin = tl_rows_widen (tl_params_get_margin (
      &wanted->recipe->params, scan->n_rows, scan->n_cols));
  if (wanted->has_range && wanted->range.last < scan->n_rows
      && !wanted->seeks_centre) /* in the middle of them */
    *slices = (TlHeldSlices){ wanted->range.first, wanted->range.step, margin };
}

/* Returns: %FALSE if the recipe says how a file is read, which is not for
 * frames */
static gboolean
check_places (const TlRecipe *recipe, GError **error)
{
  TlReaderOptions options;
  tl_recipe_reader_options (recipe, &options);
  const char *const places[] = {
    options.projections, options.flats,      options.darks,
    options.data_path,   options.keys_path,  options.angles_path,
    options.flats_path,  options.darks_path, options.raw,
    options.leave_out,
  };
  gboolean is_given = options.bin > 1;
  for (size_t k = 0; k < G_N_ELEMENTS (places); k++)
    is_given = is_given || places[k] != NULL;
  return !is_given
         || tl_cli_usage_error (
             error, "--follow takes frames as they come: no options that say "
                    "where they are in a file, none left out, and no bins");
}

static void
begin_report (Recon *r)
{
  const TlFollowNews *news = &r->follow.news;
  const size_t *n = news->counts.n_received;
  tl_json_add (r->scan.json,
               "event: %s, scan: %u, projections: %zu, flats: %zu, darks: %zu, "
               "expected: %zu, missing: %zu, doubled: %zu, dropped: %zu",
               r->follow.is_last ? "end" : "picture", news->scan.serial,
               tl_reader_get_info (r->scan.reader)->n_projections,
               n[TL_FRAMES_FLATS], n[TL_FRAMES_DARKS], news->scan.n_projections,
               tl_stream_count_missing (&news->scan, &news->counts),
               news->counts.n_doubled, news->n_dropped + news->n_without_angle);
  tl_json_add (r->scan.json, "slices: [");
}

/* Adds a note about frames that came, and for which there was no room. */
static void
note_dropped (Recon *r)
{
  const size_t n = r->follow.news.n_dropped;
  g_autofree char *recorded =
      r->record != NULL && tl_recorder_count_failed (r->recorder) == 0
          ? g_strdup_printf ("; what is recorded in %s has them", r->record)
          : g_strdup ("");
  if (n > 0)
    tl_cli_scan_take_note (
        &r->scan, g_strdup_printf (
                      "%zu frame%s came and %s dropped, because the memory "
                      "that frames may take was full; --memory allows "
                      "more%s",
                      n, n == 1 ? "" : "s", n == 1 ? "was" : "were", recorded));
}

/* Returns: (transfer full) (nullable): which projections are not in the last
 * picture, although there was room for them */
static char *
dup_missing (const TlFollowNews *news, size_t n_projections)
{
  const size_t n_received = news->counts.n_received[TL_FRAMES_PROJECTIONS];
  const size_t n_there = news->scan.n_projections > 0
                             ? n_projections + news->n_dropped_projections
                             : n_received;
  const size_t n_expected = tl_stream_count_expected (
      &news->scan, &news->counts, TL_FRAMES_PROJECTIONS);
  const size_t n = n_expected > n_there ? n_expected - n_there : 0;
  const char *verb = n == 1 ? "is" : "are";
  if (n == 0)
    return NULL;
  if (news->scan.n_projections > 0 || news->counts.n_places > n_received)
    return g_strdup_printf ("%zu of %zu projections %s missing", n, n_expected,
                            verb);
  return g_strdup_printf ("%zu projection%s before the last one %s missing", n,
                          n == 1 ? "" : "s", verb);
}

/* Adds notes about frames that are not in the last picture. What is missing is
 * printed at the end. */
static void
note_lost (Recon *r, size_t n_projections)
{
  note_dropped (r);
  r->missing = dup_missing (&r->follow.news, n_projections);
  if (r->missing != NULL)
    tl_cli_scan_add_note (&r->scan, g_strdup (r->missing));
}

/* Makes the picture of what is there: the same files again. */
static gboolean
make_picture (Recon *r, const TlCliLine *line, const TlRecipe *recipe,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (TlJson) json = line->json != NULL ? tl_json_new_line () : NULL;
  r->scan.json = json;
  g_clear_pointer (&r->scan.recipe, tl_recipe_free);
  r->scan.recipe = tl_recipe_dup (recipe);
  r->scan.bin = recipe->bin;
  begin_report (r);
  const TlScanInfo *info = tl_reader_get_info (r->scan.reader);
  const size_t n_projections = info->n_projections;
  gboolean good = tl_cli_scan_settle (&r->scan, line, r->slices == NULL, error);
  if (good
      && r->follow.is_last) /* further ones are printed as they are added */
    tl_cli_scan_print_notes (&r->scan);
  good = good && choose_files (r, error) && prepare (r, cancellable, error)
         && run_slices (r, g_get_monotonic_time (), cancellable, error);
  tl_cli_output_clear (&r->files, error);
  g_clear_pointer (&r->recon, tl_recon_free);
  g_clear_pointer (&r->scan.reader, tl_reader_close);
  if (good)
    {
      r->files.overwrite = TRUE;
      tl_json_add (json, "], back_projected: %zu",
                   r->growing != NULL && r->weights != NULL
                       ? tl_growing_slice_count_added (r->growing)
                       : n_projections);
      if (r->follow.is_last)
        {
          note_lost (r, n_projections);
          tl_cli_scan_add_notes (&r->scan, json);
        }
      tl_json_print (json);
      fflush (stdout); /* another program may read each line as it comes */
    }
  r->scan.json = NULL;
  return good;
}

/* Goes on after a picture that could not be made yet, as of an axis that cannot
 * be found. */
static gboolean
forgive (const Recon *r, GError **failure)
{
  if (r->follow.is_last
      || !g_error_matches (*failure, TL_ERROR, TL_ERROR_VALUE))
    return FALSE;
  g_autofree char *text = tl_cli_dup_error (*failure);
  fprintf (stderr, "note: no picture yet: %s\n", text);
  g_clear_error (failure);
  return TRUE;
}

/* Returns: %FALSE with TL_CLI_INCOMPLETE if the last picture lacks frames */
static gboolean
check_whole (const Recon *r, GError **error)
{
  if (r->follow.news.n_dropped > 0)
    g_set_error (error, TL_CLI_INCOMPLETE, 0,
                 "%s: frames were dropped, because there was no room for them; "
                 "the slice is made of the others",
                 r->follow.name);
  else if (r->missing != NULL)
    g_set_error (error, TL_CLI_INCOMPLETE, 0,
                 "%s: the scan is not complete: %s; its slice is made of what "
                 "has come",
                 r->follow.name, r->missing);
  return r->follow.news.n_dropped == 0 && r->missing == NULL;
}

static gboolean
make_pictures (Recon *r, const TlCliLine *line, const TlRecipe *recipe,
               GCancellable *cancellable, GError **error)
{
  const size_t last = r->slices != NULL     ? r->range.last
                      : recipe->slice_known ? recipe->slice
                                            : 0;
  while (!r->follow.is_last)
    {
      GError *failure = NULL;
      g_clear_pointer (&r->weights, tl_held_weights_unref);
      r->scan.reader = tl_cli_follow_wait (&r->follow, recipe->replace_nan,
                                           &r->weights, cancellable, error);
      if (r->scan.reader == NULL || !check_last (r, last, error))
        return FALSE;
      if (!make_picture (r, line, recipe, cancellable, &failure)
          && !forgive (r, &failure))
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
    }
  return check_whole (r, error);
}

static gboolean
follow (Recon *r, const TlCliLine *line, const char *name,
        GCancellable *cancellable, GError **error)
{
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (line, NULL, NULL, error);
  if (recipe == NULL || !check_places (recipe, error))
    return FALSE;
  Wanted wanted = { recipe, r->slices != NULL, line->wants_auto, r->range };
  TlFollowerOptions options = {
    .max_bytes = tl_held_budget_get_usual (),
    .rows = choose_rows,
    .slices = choose_slices,
    .names_options = TRUE,
    .data = &wanted,
  };
  r->scan.path = g_strdup (name);
  r->follow.name = name;
  r->follow.needs_flats = tl_recipe_needs_flats (recipe);
  if (!tl_cli_parse_bytes ("--memory", r->memory, &options.max_bytes, error)
      || !tl_cli_stream_get_options (&r->said, recipe, &options.stream, error)
      || !tl_cli_record_open (name, r->record, &options.recorder, error))
    return FALSE;
  r->recorder = options.recorder;
  const gboolean good = tl_cli_stream_wait (&r->said, name, r->follow.timeout_s,
                                            cancellable, error)
                        && tl_cli_follow_open (&r->follow, &options, error)
                        && make_pictures (r, line, recipe, cancellable, error);
  tl_cli_follow_clear (&r->follow);
  return tl_cli_record_close (name, options.recorder, line->json != NULL, error)
         && good;
}

static void
clear (Recon *r)
{
  g_clear_pointer (&r->recon, tl_recon_free);
  g_clear_pointer (&r->weights, tl_held_weights_unref);
  g_clear_pointer (&r->growing, tl_growing_slice_free);
  g_clear_pointer (&r->engine, tl_engine_close);
  tl_cli_scan_clear (&r->scan);
  g_free (r->folder);
  g_free (r->missing);
}

static gboolean
check_follow (const Recon *r, GError **error)
{
  const TlCliFollow *follow = &r->follow;
  if (!r->follows
      && (follow->every_s != EVERY_S || follow->timeout_s != 0
          || r->said.expect != NULL || r->said.kinds != NULL || r->said.waits
          || r->memory != NULL || r->record != NULL))
    return tl_cli_usage_error (
        error, "--every, --timeout, --expect, --kind, --wait, --memory and "
               "--record are for --follow");
  if (!(follow->every_s >= MIN_EVERY_S && follow->every_s <= MAX_EVERY_S))
    return tl_cli_usage_error (
        error, "--every takes a number of seconds from %g to %d, not %g",
        MIN_EVERY_S, MAX_EVERY_S, follow->every_s);
  if (!(follow->timeout_s >= 0 && follow->timeout_s <= MAX_EVERY_S))
    return tl_cli_usage_error (
        error, "--timeout takes a number of seconds up to %d, not %g",
        MAX_EVERY_S, follow->timeout_s);
  return !r->follows || (!r->precision_cost && !r->timing)
         || tl_cli_usage_error (
             error,
             "--follow cannot be used with --precision-cost and --timing");
}

/* Returns: %FALSE if several slices would come into one file, which else is
 * told only with the first picture */
static gboolean
check_slices (Recon *r, GError **error)
{
  return r->slices == NULL
         || (tl_cli_parse_range (r->slices, &r->range, error)
             && choose_output (r, error));
}

static gboolean
check_plane (Recon *r, const TlCliLine *line, GError **error)
{
  if (r->plane == NULL)
    return TRUE;
  if (r->slices != NULL || tl_cli_line_has (line, "slice") || r->follows
      || r->precision_cost || r->timing)
    return tl_cli_usage_error (
        error, "--plane cannot be used with --slice, --slices, --follow, "
               "--precision-cost and --timing");
  return tl_cli_plane_parse (r->plane, &r->said_plane, error);
}

/* Decides whether the picture goes to the standard output. */
static gboolean
check_pipe (Recon *r, const TlCliLine *line, GError **error)
{
  r->pipes = g_strcmp0 (r->output, TL_CLI_PIPE) == 0;
  r->report = r->pipes ? stderr : stdout;
  if (!r->pipes)
    return r->format == NULL
           || tl_cli_usage_error (error, "--format is for -o -, the standard "
                                         "output; files are TIFF");
  if (r->slices != NULL || r->png || r->precision_cost || r->follows
      || line->wants_json)
    return tl_cli_usage_error (
        error, "-o - writes one picture and nothing else: it cannot be used "
               "with --slices, --png, --precision-cost, --follow and --json");
  return tl_cli_pipe_format_parse (r->format, &r->pipe_format, error)
         && tl_cli_pipe_check (error);
}

static gboolean
check_options (Recon *r, const TlCliLine *line, GError **error)
{
  if (r->output != NULL && tl_cli_has_suffix (r->output, ".png"))
    return tl_cli_usage_error (
        error,
        "%s: --png writes pictures; the slice itself is a "
        ".tiff",
        r->output);
  if (r->output != NULL
      && (tl_cli_has_suffix (r->output, ".h5")
          || tl_cli_has_suffix (r->output, ".nxs")))
    return tl_cli_usage_error (
        error,
        "%s: recon writes slices as .tiff, and export writes HDF5 and NeXus",
        r->output);
  if (r->output != NULL && tl_cli_has_suffix (r->output, ".npy"))
    return tl_cli_usage_error (
        error,
        "%s: recon writes slices as .tiff; -o - --format npy writes an array "
        "of NumPy to the standard output",
        r->output);
  if (r->slices != NULL && tl_cli_line_has (line, "slice"))
    return tl_cli_usage_error (error,
                               "--slice is one row and --slices are several: "
                               "one of them, not both");
  return check_pipe (r, line, error) && check_plane (r, line, error)
         && check_slices (r, error) && check_follow (r, error);
}

gboolean
tl_cli_recon (char **args, GCancellable *cancellable, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  Recon r = { .follow.every_s = EVERY_S };
  const GOptionEntry own[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &r.output,
      "OUT.tiff, or a folder for recon_00000.tiff and so on (the working "
      "folder); - writes the picture alone to the standard output",
      "OUT" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &r.format,
      "what -o - writes: tiff or npy, an array of NumPy (tiff)", "FORMAT" },
    { "slices", 0, 0, G_OPTION_ARG_STRING, &r.slices,
      "several slices: rows FIRST to LAST, both included, every STEP",
      "FIRST:LAST[:STEP]" },
    { "plane", 0, 0, G_OPTION_ARG_STRING, &r.plane,
      "one plane of the sample in place of a slice: " TL_CLI_PLANE_FORMS
      ", the pixel in the middle and the steps to the next column and row, in "
      "columns, rows and slices",
      "PLANE" },
    { "png", 0, 0, G_OPTION_ARG_NONE, &r.png,
      "write a PNG picture too, from the 0.5th to the 99.5th percentile",
      NULL },
    { "precision-cost", 0, 0, G_OPTION_ARG_NONE, &r.precision_cost,
      "reconstruct in both precisions, print how much fast differs from full, "
      "and write the difference to OUT.error.tiff (with --png to OUT.error.png "
      "too)",
      NULL },
    TL_CLI_OVERWRITE (&r.files.overwrite),
    { "timing", 0, 0, G_OPTION_ARG_NONE, &r.timing,
      "print the time of each step up to the first slice, and the peak memory",
      NULL },
    { "follow", 0, 0, G_OPTION_ARG_NONE, &r.follows,
      "while the scan is being taken: FILE is anything that watch takes, and "
      "the slice is made again and again of what is there",
      NULL },
    { "every", 0, 0, G_OPTION_ARG_DOUBLE, &r.follow.every_s,
      "with --follow: between two slices (5)", "SECONDS" },
    { "timeout", 0, 0, G_OPTION_ARG_DOUBLE, &r.follow.timeout_s,
      "with --follow: the scan is complete when no frame has come for so long; "
      "0: when the sender says so (0)",
      "SECONDS" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &r.memory,
      "with --follow: memory that the frames may take, such as 8G or 500M (a "
      "quarter of the machine's, up to 34G)",
      "SIZE" },
    { "record", 0, 0, G_OPTION_ARG_FILENAME, &r.record,
      "with --follow: keep the scan that comes from an address as a Data "
      "Exchange file in FOLDER, all rows of all frames",
      "FOLDER" },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (
      &line, "FILE",
      "Reconstructs the middle slice, those of --slice or --slices, or the "
      "plane of --plane, to 32-bit float TIFF, with the recipe beside it. FILE "
      "may be a recipe that "
      "names its scan; --recipe alone will do too.",
      NULL, own);
  line.takes_auto = TRUE;
  tl_cli_stream_add_options (&r.said, &line);
  tl_cli_line_add_keys (&line, NULL);
  const gboolean good =
      tl_cli_line_parse (&line, &rest, error)
      && (r.follows ? tl_cli_check_files (rest, 1, 1, error)
                    : tl_cli_line_check_scan (&line, rest, error))
      && check_options (&r, &line, error)
      && (r.follows ? follow (&r, &line, rest[1], cancellable, error)
                    : set_up (&r, &line, rest[1], start_us, cancellable, error)
                          && run_recon (&r, start_us, cancellable, error));
  tl_cli_explain_cancel (error, "%s: the reconstruction was interrupted",
                         r.scan.path);
  tl_cli_output_clear (&r.files, error);
  clear (&r);
  return good;
}
