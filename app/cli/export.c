#include "app/cli/export-private.h"
#include "app/cli/pipeline-private.h"
#include "app/cli/scan-private.h"
#include "app/cli/slurm-private.h"
#include "app/export/join.h"
#include "app/export/method.h"
#include "app/export/part.h"
#include "data/error.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the export runs on: "host (2 threads, AVX2)", "cuda (NVIDIA H200) and 1
 * more". */
static char *
describe_engines (char **engines)
{
  const guint n = g_strv_length (engines);
  g_autofree char *device = tl_engine_describe_device (engines[0]);
  g_autofree char *more =
      n > 1 ? g_strdup_printf (" and %u more", n - 1) : g_strdup ("");
  return device != NULL ? g_strdup_printf ("%s%s", device, more)
                        : g_strdup (engines[0]);
}

static void
print_json (const TlCliScan *scan, const TlExportReport *report,
            const TlExportJob *job, const char *path, const char *engine,
            const char *fallback)
{
  const TlExportSettings *settings = &job->settings;
  const TlVolumeInfo *volume = &report->volume;
  const TlVolumeTally *tally = &report->tally;
  tl_cli_scan_add_json (scan, scan->json);
  tl_cli_scan_add_notes (scan, scan->json);
  tl_json_add (scan->json,
               "output: %s, engine: %s, method: %s, fallback: %s, first: %zu, "
               "last: %zu, step: %zu, "
               "slices: %zu, resumed: %zu, dead_pixels: %zu, "
               "replaced_samples: %zu",
               path, engine, tl_method_names[job->recipe->params.method],
               fallback, settings->first_row,
               settings->first_row
                   + (settings->n_rows - 1) * settings->row_step,
               settings->row_step, report->n_slices, report->n_resumed,
               report->pipeline.n_dead, report->n_mended);
  tl_json_add (scan->json,
               "volume: {format: %s, sample: %s, plane: %s, size: [%zu, %zu, "
               "%zu], pixel_size_um: %f",
               tl_volume_format_get_info (volume->format)->name,
               tl_volume_sample_name (volume->sample),
               tl_volume_plane_name (volume->plane), volume->n_slices,
               volume->n_rows, volume->n_cols, volume->pixel_um);
  if (tl_volume_sample_max (volume->sample) > 0 && !report->was_whole)
    tl_json_add (scan->json,
                 "low: %f, high: %f, clipped_below: %zu, clipped_above: %zu",
                 volume->low, volume->high, (size_t)tally->n_below,
                 (size_t)tally->n_above);
  tl_json_add (scan->json,
               "}, plan: {memory_bytes: %zu, peak_bytes: %zu, gpu_bytes: %zu, "
               "engine_bytes: %zu, passes: %zu, expected_s: %f, writers: "
               "%u}",
               (size_t)report->plan.memory_bytes, tl_cli_peak_bytes (),
               (size_t)report->plan.gpu_bytes, report->pipeline.engine_bytes,
               report->plan.n_passes, report->plan.expected_s,
               report->pipeline.n_writers);
  tl_json_add (scan->json, "failures: [");
  for (guint k = 0; k < report->failures->len; k++)
    tl_json_add (scan->json, "%s", (char *)report->failures->pdata[k]);
  tl_json_add (scan->json, "]");
  tl_cli_pipeline_add_json (&report->pipeline,
                            report->n_slices - report->n_resumed, scan->json);
  tl_json_print (scan->json);
}

/* Returns: (transfer full): ", 0.1 % of the samples clipped" and so on */
static char *
dup_range (const TlExportReport *report)
{
  const TlVolumeInfo *volume = &report->volume;
  const TlVolumeTally *tally = &report->tally;
  if (tl_volume_sample_max (volume->sample) == 0)
    return g_strdup ("");
  return g_strdup_printf (
      "%s: 0 is %g, %.0f is %g; samples clipped: %zu below, %zu above (%.3g "
      "%%)\n",
      tl_volume_sample_name (volume->sample), volume->low,
      tl_volume_sample_max (volume->sample), volume->high,
      (size_t)tally->n_below, (size_t)tally->n_above,
      tl_export_report_get_clipped (report));
}

static void
warn_of_range (const TlExportJob *job, const TlExportReport *report)
{
  g_autofree char *doubt = tl_export_report_dup_doubt (report, &job->settings);
  if (doubt != NULL)
    fprintf (stderr, "warning: %s\n", doubt);
}

static void
print_words (const TlCliScan *scan, const TlExportReport *report,
             const TlExportJob *job, const char *path, const char *engine)
{
  const TlPipelineReport *pipeline = &report->pipeline;
  const size_t n_made = report->n_slices - report->n_resumed;
  g_autofree char *mended =
      tl_cli_dup_mended (pipeline->n_dead, report->n_mended);
  g_autofree char *resumed =
      report->n_resumed > 0
          ? g_strdup_printf (", %zu of them made before", report->n_resumed)
          : g_strdup ("");
  g_autofree char *axis = tl_cli_scan_dup_axis (scan);
  g_autofree char *range = dup_range (report);
  printf ("%zu slice%s to %s%s", report->n_slices,
          report->n_slices == 1 ? "" : "s", path, resumed);
  if (n_made > 0)
    printf (" in %.2f s, %.1f slices/s", pipeline->wall_s,
            (double)n_made / pipeline->wall_s);
  printf ("; engine %s, %s\n%s%s\n%s", engine,
          tl_method_names[job->recipe->params.method], axis, mended, range);
  if (n_made > 0)
    {
      g_autofree char *times = tl_cli_pipeline_dup_text (pipeline);
      printf ("%s\n", times);
    }
}

/* Checks the folder before an engine is started. @path: of the volume, or of
 * the part */
static gboolean
check_target (const TlExportJob *job, const char *path, GError **error)
{
  TlExportJob asked = *job;
  g_autofree char *question = NULL;
  gboolean can_resume;
  asked.path = path;
  if (path == job->path) /* the parts are another matter */
    asked.n_parts = 0;
  if (!tl_export_check_target (&asked, &question, &can_resume, error))
    return FALSE;
  if (question == NULL || job->overwrites)
    return TRUE;
  return tl_fail (error, TL_ERROR_FILE,
                  "%s; say %s--overwrite to replace what is there, or choose "
                  "another name",
                  question,
                  can_resume && !job->resumes ? "--resume to go on, " : "");
}

/* --- the log --- */

/* Returns: whether an export has begun the file, or it is empty */
static gboolean
is_log (const char *path)
{
  static const char what[] = "tomolens-cli export ";
  char line[64] = "";
  FILE *file = g_fopen (path, "r");
  if (file == NULL)
    return FALSE;
  const gboolean has_line = fgets (line, sizeof line, file) != NULL;
  fclose (file);
  char *rest = strchr (line, ' ');
  if (!has_line || rest == NULL)
    return !has_line;
  *rest = '\0';
  g_autoptr (GDateTime) time = g_date_time_new_from_iso8601 (line, NULL);
  return time != NULL && g_str_has_prefix (rest + 1, what);
}

/* Returns: whether the file or folder is @path, also by another name */
static gboolean
is_same_place (const char *place, const char *path)
{
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  return strcmp (place, canonical) == 0 || !tl_check_output (path, place, NULL);
}

/* Returns: whether a log at @log harms nothing in the scan @place, a folder
 * above it: it lies in a sub-folder with nothing but logs */
static gboolean
is_aside (const char *log, const char *place)
{
  g_autofree char *canonical = g_canonicalize_filename (log, NULL);
  g_autofree char *folder = g_path_get_dirname (canonical);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  gboolean has_logs = dir != NULL && strlen (folder) > strlen (place);
  while (has_logs && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      has_logs = g_file_test (path, G_FILE_TEST_IS_REGULAR) && is_log (path);
    }
  return has_logs;
}

/* Lines of the log are appended only to a log. @volume: its path, or that of
 * the part */
static gboolean
check_log (const TlCliExport *o, const TlExportJob *job, const char *volume,
           GError **error)
{
  const char *log = o->log;
  GStatBuf status;
  if (log == NULL)
    return TRUE;
  g_autofree char *side_path =
      tl_volume_dup_side_path (job->settings.format, job->path);
  g_autofree char *place = g_canonicalize_filename (log, NULL);
  if (side_path != NULL && is_same_place (place, side_path))
    return tl_fail (error, TL_ERROR_FILE,
                    "%s: the volume is written there; choose another log", log);
  while (strlen (place) > 1)
    {
      const gboolean is_scan =
          is_same_place (place, job->scan) && !is_aside (log, place);
      if (is_scan || is_same_place (place, volume))
        return tl_fail (error, TL_ERROR_FILE, "%s: %s; choose another log", log,
                        is_scan ? "this is the scan, or is among its files"
                                : "the volume is written there");
      char *parent = g_path_get_dirname (place);
      g_free (place);
      place = parent;
    }
  if (g_stat (log, &status) != 0 || strcmp (log, "/dev/null") == 0)
    return tl_export_check_outside (log, error);
  /* a pipe that nobody reads would block the export */
  if (!S_ISREG (status.st_mode))
    return tl_fail (error, TL_ERROR_FILE,
                    "%s: this is no regular file, and no log is written to it; "
                    "choose another log",
                    log);
  if (is_log (log))
    return tl_export_check_outside (log, error);
  return tl_fail (error, TL_ERROR_FILE,
                  "%s: this file is no log of an export, and nothing is "
                  "appended to it; choose another log",
                  log);
}

/* Appends a line, if there is a log. */
static gboolean append_line (const char *path, GError **error,
                             const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
append_line (const char *path, GError **error, const char *format, ...)
{
  va_list args;
  if (path == NULL)
    return TRUE;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format_iso8601 (now);
  FILE *file = g_fopen (path, "a");
  gboolean good = file != NULL && fprintf (file, "%s %s\n", time, text) >= 0;
  const int error_number = errno;
  good = (file == NULL || fclose (file) == 0) && good;
  return good
         || tl_fail (error, TL_ERROR_FILE, "%s: the log cannot be written: %s",
                     path, g_strerror (error_number));
}

static void
log_result (const char *log, const char *path, const TlExportReport *report,
            const GError *error)
{
  const TlPipelineReport *pipeline = &report->pipeline;
  g_autofree char *limit = pipeline->wall_s > 0
                               ? tl_pipeline_describe_limit (pipeline)
                               : g_strdup ("nothing to do");
  g_autofree char *slices = tl_cli_dup_count (report->n_slices, "slice");
  for (guint k = 0; k < report->failures->len; k++)
    append_line (log, NULL, "%s", (char *)report->failures->pdata[k]);
  g_autofree char *line =
      error != NULL ? tl_cli_dup_error (error)
                    : g_strdup_printf ("%s to %s in %.2f s, %s", slices, path,
                                       pipeline->wall_s, limit);
  append_line (log, NULL, "%s", line);
}

/* --- the run --- */

/* Prints what the export does and will take, as soon as it has begun, then its
 * progress. */
typedef struct
{
  const char *path, *engine, *log; /* log: (nullable) */
  TlExportPlan plan;
  gboolean is_announced;
  TlCliProgress progress;
} Announcement;

/* @text: (transfer full) */
static void
note (Announcement *a, char *text)
{
  tl_cli_progress_end (&a->progress);
  fprintf (stderr, "note: %s\n", text);
  append_line (a->log, NULL, "%s", text);
  g_free (text);
}

static void
take_plan (const TlExportPlan *plan, gpointer data)
{
  Announcement *a = data;
  const TlExportPlan before = a->plan;
  a->plan = *plan;
  a->progress.n_slices = plan->n_slices;
  if (plan->is_measured && !before.is_measured)
    note (a, g_strdup_printf ("the export takes about %.3g s in all",
                              plan->expected_s));
  if (plan->lacking_bytes > 0 && before.lacking_bytes == 0)
    {
      g_autofree char *lacking = g_format_size (plan->lacking_bytes);
      note (a, g_strdup_printf (
                   "the disk has %s too little for the rest of the volume: "
                   "free some, or the export will stop, and --resume go on",
                   lacking));
    }
}

static void
announce (double fraction, gpointer data)
{
  Announcement *a = data;
  g_autofree char *plan = tl_export_plan_describe (&a->plan, TRUE);
  g_autofree char *text = g_strdup_printf (
      "exporting %zu slice%s with %s to %s: %s", a->plan.n_slices,
      a->plan.n_slices == 1 ? "" : "s", a->engine, a->path, plan);
  if (!a->is_announced)
    {
      fprintf (stderr, "%s\n", text);
      append_line (a->log, NULL, "%s", text);
    }
  a->is_announced = TRUE;
  tl_cli_progress (fraction, &a->progress);
}

/* Finds the centre where it is to be found, with an engine for that alone. */
static gboolean
find_centre (const TlCliExport *o, TlCliScan *scan, GCancellable *cancellable,
             GError **error)
{
  if (!scan->wants_centre)
    return TRUE;
  g_autoptr (TlEngine) engine = tl_engine_open (scan->recipe->engine, error);
  if (engine == NULL)
    return FALSE;
  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&scan->reader), engine);
  return tl_cli_scan_find_centre (scan, recon,
                                  o->settings.first_row
                                      + (o->settings.n_rows - 1) / 2
                                            * o->settings.row_step,
                                  cancellable, error);
}

/* The volume is there, but the status of the command says what is missing. */
static gboolean
check_failures (const TlExportReport *report, const TlExportJob *job,
                const char *path, GError **error)
{
  const guint n = report->failures->len + report->n_unnamed;
  const gboolean has_nan = tl_volume_sample_max (job->settings.sample) == 0;
  g_autofree char *rows = tl_cli_dup_count (job->settings.n_rows, "row");
  for (guint k = 1; k < report->failures->len; k++)
    {
      const char *failure = report->failures->pdata[k];
      g_autofree char *spelt = tl_cli_spell_options (failure);
      fprintf (stderr, "warning: %s\n", spelt != NULL ? spelt : failure);
    }
  return n == 0
         || tl_fail (error, TL_ERROR_VALUE,
                     "%s: %u of %s could not be made, and %s %s: %s%s", path, n,
                     rows, n == 1 ? "is" : "are", has_nan ? "NaN" : "0",
                     (char *)report->failures->pdata[0],
                     report->was_whole ? "; say --resume --overwrite to make "
                                         "all slices again"
                                       : "");
}

/* Says what is kept of an export that has failed. */
static void
explain_failure (const TlExportJob *job, const char *path,
                 const TlExportReport *report, GError **error)
{
  if (*error == NULL)
    return;
  g_autofree char *kept = tl_export_report_dup_kept (report, *error);
  const char *how = report->n_slices == 0 ? ""
                    : job->overwrites && g_file_test (path, G_FILE_TEST_EXISTS)
                        ? ", and --resume --overwrite goes on"
                        : ", and --resume goes on";
  g_autofree char *text = g_strconcat (kept != NULL ? "; " : "",
                                       kept != NULL ? kept : "", how, NULL);
  if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_cli_explain_cancel (error, "%s: the export was interrupted%s", path,
                           text);
  else
    {
      g_autofree char *message = tl_cli_dup_error (*error);
      GError *explained =
          g_error_new ((*error)->domain, (*error)->code, "%s%s", message, text);
      g_error_free (*error);
      *error = explained;
    }
}

/* @path: of the volume, or of the part
 * @fallback: (nullable): of tl_export_settle_method() */
static gboolean
make_volume (const TlExportJob *job, const char *path, const char *log,
             TlCliScan *scan, char **engines, const char *fallback,
             GCancellable *cancellable, GError **error)
{
  g_auto (TlExportReport) report = { 0 };
  g_autofree char *engine = describe_engines (engines);
  Announcement announcement = {
    .path = path,
    .engine = engine,
    .log = log,
    .progress = { .word = "exporting" },
  };
  g_autofree char *command = tl_export_dup_own_command (job);
  if (!append_line (log, error, "%s", command))
    return FALSE;
  const gboolean good = tl_export (job, take_plan, announce, &announcement,
                                   cancellable, &report, error);
  if (report.damaged != NULL)
    note (&announcement, g_strdup (report.damaged));
  tl_cli_progress_end (&announcement.progress);
  if (good && scan->json != NULL)
    print_json (scan, &report, job, path, engine, fallback);
  else if (report.was_whole && report.failures->len == 0)
    printf (report.n_slices == 1
                ? "%s is whole: its %zu slice was made before, as it would be "
                  "made now\n"
                : "%s is whole: its %zu slices were made before, as they would "
                  "be made now\n",
            g_file_test (path, G_FILE_TEST_EXISTS) ? path : job->path,
            report.n_slices);
  else if (good && !report.was_whole)
    print_words (scan, &report, job, path, engine);
  else if (!good)
    explain_failure (job, path, &report, error);
  if (good)
    warn_of_range (job, &report);
  log_result (log, path, &report, error != NULL ? *error : NULL);
  return good && check_failures (&report, job, path, error);
}

/* Returns: whether @job, which is asked to resume, finds its volume whole */
static gboolean
is_whole (const TlExportJob *job)
{
  g_autofree char *question = NULL;
  gboolean can_resume;
  return g_file_test (job->path, G_FILE_TEST_EXISTS)
         && tl_export_check_target (job, &question, &can_resume, NULL)
         && question == NULL;
}

static gboolean
join_parts (const TlExportJob *job, TlCliScan *scan, GCancellable *cancellable,
            GError **error)
{
  if (!tl_export_join (job, cancellable, error))
    return FALSE;
  if (scan->json != NULL)
    {
      tl_json_add (scan->json, "output: %s, parts: %u", job->path,
                   job->n_parts);
      tl_json_print (scan->json);
    }
  g_autofree char *parts = tl_cli_dup_count (job->n_parts, "part");
  if (scan->json == NULL)
    printf ("%s joined to %s\n", parts, job->path);
  return TRUE;
}

/* A joined volume that shows the part goes before the part changes. */
static gboolean
check_joined (const TlExportJob *job, GError **error)
{
  g_autofree char *joined = tl_export_dup_joined (job);
  if (!tl_export_check_joined (job, error))
    return FALSE;
  if (joined != NULL)
    fprintf (stderr,
             "note: %s shows the slices of this part and is removed: join "
             "again when the part is made\n",
             joined);
  return TRUE;
}

static gboolean
set_rows (TlCliExport *o, const TlCliScan *scan, GError **error)
{
  const size_t n_rows = tl_reader_get_info (scan->reader)->n_rows;
  const TlCliRange all = { 0, n_rows - 1, 1 };
  const TlCliRange *rows = o->slices != NULL ? &o->rows : &all;
  if (tl_export_settings_set_rows (&o->settings, rows->first, rows->last,
                                   rows->step, n_rows, error))
    return TRUE;
  g_prefix_error (error, "%s: ", scan->path);
  return FALSE;
}

/* Says why the method is not the one that the engine prefers. @n_jobs: that
 * will make the parts; 0: none */
static gboolean
settle_method (TlExportJob job, guint n_jobs, TlCliScan *scan,
               size_t n_projections, size_t n_cols, const char **fallback,
               GError **error)
{
  if (n_jobs > 0)
    {
      job.n_parts = n_jobs;
      job.part = 1;
    }
  if (!tl_export_settle_method (&job, n_projections, n_cols, scan->recipe,
                                fallback, error))
    return FALSE;
  if (*fallback != NULL)
    tl_cli_scan_take_note (scan, g_strdup (*fallback));
  return TRUE;
}

static gboolean
run_export (TlCliExport *o, TlCliScan *scan, GCancellable *cancellable,
            GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  /* What is needed after the search of the centre, which closes the reader. */
  const TlScanInfo shape = { .n_projections = info->n_projections,
                             .n_rows = info->n_rows,
                             .n_cols = info->n_cols,
                             .type = info->type,
                             .decoding = info->decoding };
  if (!set_rows (o, scan, error))
    return FALSE;
  const size_t last_row =
      o->settings.first_row + (o->settings.n_rows - 1) * o->settings.row_step;
  const TlExportJob job = {
    .scan = scan->path,
    .recipe = scan->recipe,
    .path = o->path,
    .settings = o->settings,
    .part = o->part,
    .n_parts = o->n_parts,
    .n_devices = o->n_devices,
    .budget_bytes = o->budget_bytes,
    .overwrites = o->overwrite,
    .resumes = o->resume && o->join == 0,
    .is_strict = o->strict,
    .names_options = TRUE,
  };
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (scan->recipe->engine, o->n_devices, error);
  if (engines == NULL)
    return FALSE;
  tl_cli_scan_note_tilt (scan, info, o->settings.first_row, last_row);
  if (o->share != NULL && !o->resume && !check_joined (&job, error))
    return FALSE;
  g_autofree char *part =
      o->share != NULL ? tl_export_dup_part_path (&job) : NULL;
  const char *path = part != NULL ? part : job.path;
  const char *fallback;
  /* Whether an unfinished export can be resumed depends on the centre and on
   * the method. */
  if (!check_log (o, &job, path, error)
      || !find_centre (o, scan, cancellable, error)
      || !settle_method (job, (guint)MAX (o->slurm, 0), scan,
                         shape.n_projections, shape.n_cols, &fallback, error))
    return FALSE;
  TlExportJob joined = job;
  joined.n_parts = 0;
  joined.resumes = o->resume && !o->overwrite && o->join > 0;
  if (joined.resumes && is_whole (&joined)) /* nothing is left to be joined */
    return make_volume (&joined, path, o->log, scan, engines, fallback,
                        cancellable, error);
  if (!check_target (&job, path, error))
    return FALSE;
  if (o->slurm > 0)
    return tl_cli_slurm_check (&job, &shape, (const char *const *)engines,
                               error)
           && tl_cli_slurm_write (&job, o->log, o->sbatch, o->submit, error);
  return o->join > 0 ? join_parts (&job, scan, cancellable, error)
                     : make_volume (&job, path, o->log, scan, engines, fallback,
                                    cancellable, error);
}

/* With --memory, larger buffers go back to the system when they are freed: the
 * C library would keep some in an arena for each thread, beyond what is
 * allowed. Exports that compute little become slower by up to a tenth. The
 * default leaves a quarter of the free memory, which is enough for that.
 * Exports from the window use the default: the slower allocation would slow the
 * pictures too. */
#define KEPT_BYTES (128 * 1024)

static void
keep_within (guint64 budget_bytes)
{
  if (budget_bytes > 0)
    mallopt (M_MMAP_THRESHOLD, KEPT_BYTES);
}

/* Of compressed projections: little beside all, which are decompressed. */
#define CHECK_BYTES ((guint64)512 << 20)

static gboolean
is_not_slice (const TlParamSpec *key)
{
  return strcmp (key->key, "slice") != 0;
}

/* @sizes: (nullable): with max_cols, of the command "volume" */
static gboolean
run (char **args, const char *summary, const TlCliSize *sizes,
     const size_t *max_cols, GCancellable *cancellable, GError **error)
{
  TlCliExport options = { .join = -1, .slurm = -1 };
  g_auto (TlCliLine) line = { 0 };
  g_auto (TlCliScan) scan = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "FILE -o NAME", summary, sizes, NULL);
  tl_cli_export_add_options (&options, &line);
  line.takes_auto = TRUE;
  line.chooses_bin = max_cols != NULL;
  tl_cli_line_add_keys (&line, is_not_slice);
  if (!tl_cli_line_parse (&line, &rest, error)
      || !tl_cli_line_check_scan (&line, rest, error)
      || !tl_cli_export_check (&options, error))
    return FALSE;
  line.max_cols = max_cols != NULL ? *max_cols : 0;
  keep_within (options.budget_bytes);
  if (!tl_cli_scan_open (&scan, &line, rest[1], FALSE, cancellable, error))
    return FALSE;
  if (options.slurm <= 0 && options.join <= 0)
    tl_cli_scan_note_odd (&scan, CHECK_BYTES, cancellable);
  return run_export (&options, &scan, cancellable, error);
}

gboolean
tl_cli_export (char **args, GCancellable *cancellable, GError **error)
{
  return run (args,
              "Reconstructs a volume to a folder or a file. FILE may be a "
              "recipe that names its scan; --recipe alone will do too.",
              NULL, NULL, cancellable, error);
}

gboolean
tl_cli_volume (char **args, GCancellable *cancellable, GError **error)
{
  size_t max_cols = 0;
  const TlCliSize sizes[] = {
    { "size", &max_cols,
      "columns and rows of a slice, at most (256; up to 512 in the bins of a "
      "recipe)" },
    { 0 },
  };
  return run (args,
              "Reconstructs a small volume of the whole sample, in a fraction "
              "of the time of an export: pixels and projections are read in "
              "bins, as large as --size needs or a recipe says. --centre and "
              "--pixel-size count the pixels of the scan, --slices and "
              "--region those of the volume.",
              sizes, &max_cols, cancellable, error);
}
