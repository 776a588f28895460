#include "app/cli/pipeline-private.h"
#include "app/cli/scan-private.h"
#include "app/export/export.h"
#include "data/error.h"

#include <stdio.h>
#include <string.h>

/* The options. */
typedef struct
{
  char *folder, *slices, *slice, *devices; /* (nullable) */
  gboolean overwrite, resume, strict;
  TlCliRange range;
  guint n_devices; /* 0: all */
} Options;

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
            const Options *o, const char *engine)
{
  tl_cli_scan_add_json (scan, scan->json);
  tl_cli_scan_add_notes (scan, scan->json);
  tl_json_add (scan->json,
               "folder: %s, engine: %s, first: %zu, last: %zu, step: %zu, "
               "slices: %zu, resumed: %zu, dead_pixels: %zu, "
               "replaced_samples: %zu, failures: [",
               o->folder, engine, o->range.first, o->range.last, o->range.step,
               report->n_slices, report->n_resumed, report->pipeline.n_dead,
               report->n_mended);
  for (guint k = 0; k < report->failures->len; k++)
    tl_json_add (scan->json, "%s", (char *)report->failures->pdata[k]);
  tl_json_add (scan->json, "]");
  tl_cli_pipeline_add_json (&report->pipeline, scan->json);
  tl_json_print (scan->json);
}

static void
print_words (const TlCliScan *scan, const TlExportReport *report,
             const char *folder, const char *engine)
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
  printf ("%zu slice%s to %s%s", report->n_slices,
          report->n_slices == 1 ? "" : "s", folder, resumed);
  if (n_made > 0)
    printf (" in %.2f s, %.1f slices/s", pipeline->wall_s,
            (double)n_made / pipeline->wall_s);
  printf ("; engine %s\n%s%s\n", engine, axis, mended);
  if (n_made > 0)
    {
      g_autofree char *times = tl_cli_pipeline_dup_text (pipeline);
      printf ("%s\n", times);
    }
}

static gboolean
check_options (Options *o, GError **error)
{
  if (o->slice != NULL)
    tl_cli_usage_error (error, "export takes --slices FIRST:LAST, not --slice");
  else if (o->folder == NULL)
    tl_cli_usage_error (error, "export needs a folder: -o FOLDER");
  else
    return tl_cli_parse_devices (o->devices, &o->n_devices, error)
           && (o->slices == NULL
               || tl_cli_parse_range (o->slices, &o->range, error));
  return FALSE;
}

/* Checks the folder before an engine is started. */
static gboolean
check_target (const TlExportJob *job, GError **error)
{
  g_autofree char *question = NULL;
  gboolean can_resume;
  if (!tl_export_check_target (job, &question, &can_resume, error))
    return FALSE;
  if (question == NULL || job->overwrites)
    return TRUE;
  return tl_fail (error, TL_ERROR_FILE,
                  "%s; say --overwrite to replace what is there%s, or choose "
                  "another folder",
                  question,
                  can_resume && !job->resumes ? ", --resume to go on" : "");
}

/* Prints once what the export does, then its progress. */
typedef struct
{
  const TlExportJob *job;
  const char *engine;
  gboolean is_announced;
  TlCliProgress progress;
} Announcement;

static void
announce (double fraction, gpointer data)
{
  Announcement *a = data;
  const size_t n = a->job->n_slices;
  if (!a->is_announced)
    fprintf (stderr, "exporting %zu slice%s with %s to %s\n", n,
             n == 1 ? "" : "s", a->engine, a->job->folder);
  a->is_announced = TRUE;
  tl_cli_progress (fraction, &a->progress);
}

/* Finds the centre where it is to be found, with an engine for that alone. */
static gboolean
find_centre (const Options *o, TlCliScan *scan, GCancellable *cancellable,
             GError **error)
{
  if (!scan->wants_centre)
    return TRUE;
  g_autoptr (TlEngine) engine = tl_engine_open (scan->recipe->engine, error);
  if (engine == NULL)
    return FALSE;
  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&scan->reader), engine);
  return tl_cli_scan_find_centre (
      scan, recon, (o->range.first + o->range.last) / 2, cancellable, error);
}

/* The volume is there, but the status of the command says what is missing. */
static gboolean
check_failures (const TlExportReport *report, const TlExportJob *job,
                GError **error)
{
  const guint n = report->failures->len;
  for (guint k = 1; k < n; k++)
    fprintf (stderr, "warning: %s\n", (char *)report->failures->pdata[k]);
  return n == 0
         || tl_fail (error, TL_ERROR_VALUE,
                     "%s: %u of %zu slices %s missing: %s", job->folder, n,
                     job->n_slices, n == 1 ? "is" : "are",
                     (char *)report->failures->pdata[0]);
}

static gboolean
run_export (Options *o, TlCliScan *scan, GCancellable *cancellable,
            GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  g_auto (TlExportReport) report = { 0 };
  if (o->slices == NULL)
    o->range = (TlCliRange){ 0, info->n_rows - 1, 1 };
  const TlExportJob job = {
    .scan = scan->path,
    .recipe = scan->recipe,
    .folder = o->folder,
    .first_row = o->range.first,
    .n_slices = (o->range.last - o->range.first) / o->range.step + 1,
    .step = o->range.step,
    .n_devices = o->n_devices,
    .overwrites = o->overwrite,
    .resumes = o->resume,
    .is_strict = o->strict,
  };
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (scan->recipe->engine, o->n_devices, error);
  if (engines == NULL)
    return FALSE;
  tl_cli_scan_note_tilt (scan, info, o->range.first, o->range.last);
  if ((o->range.last < info->n_rows && !check_target (&job, error))
      || !find_centre (o, scan, cancellable, error))
    return FALSE;
  g_autofree char *engine = describe_engines (engines);
  Announcement announcement = {
    .job = &job,
    .engine = engine,
    .progress = { .word = "exporting", .n_slices = job.n_slices },
  };
  const gboolean good =
      tl_export (&job, announce, &announcement, cancellable, &report, error);
  tl_cli_progress_end (&announcement.progress);
  if (good && scan->json != NULL)
    print_json (scan, &report, o, engine);
  else if (good)
    print_words (scan, &report, o->folder, engine);
  else
    tl_cli_explain_cancel (error,
                           "%s: the export was interrupted; %zu of %zu slices "
                           "are kept, and --resume goes on",
                           o->folder, report.n_slices, job.n_slices);
  return good && check_failures (&report, &job, error);
}

static gboolean
is_not_slice (const TlParamSpec *key)
{
  return strcmp (key->key, "slice") != 0;
}

gboolean
tl_cli_export (char **args, GCancellable *cancellable, GError **error)
{
  Options o = { 0 };
  const GOptionEntry own[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.folder,
      "the folder; created if missing", "FOLDER" },
    { "slices", 0, 0, G_OPTION_ARG_STRING, &o.slices,
      "rows FIRST to LAST, both included, or every STEP-th of them; all "
      "without it",
      "FIRST:LAST[:STEP]" },
    { "slice", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &o.slice, NULL,
      NULL },
    { "devices", 0, 0, G_OPTION_ARG_STRING, &o.devices,
      "number of GPUs that share the work, or all that are like the first "
      "(all)",
      "N|all" },
    { "overwrite", 0, 0, G_OPTION_ARG_NONE, &o.overwrite,
      "replace the volume in the folder, when the new one is whole; without "
      "--resume an unfinished export is given up",
      NULL },
    { "resume", 0, 0, G_OPTION_ARG_NONE, &o.resume,
      "go on with an unfinished export: what is whole is kept", NULL },
    { "strict", 0, 0, G_OPTION_ARG_NONE, &o.strict,
      "end at the first slice that cannot be made, instead of leaving it out",
      NULL },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (TlCliScan) scan = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "FILE -o FOLDER",
                    "Reconstructs a volume to a stack of 32-bit float TIFF "
                    "files, with the recipe beside them. FILE may be a recipe "
                    "that names its scan; --recipe alone will do too.",
                    NULL, own);
  line.takes_auto = TRUE;
  tl_cli_line_add_keys (&line, is_not_slice);
  return tl_cli_line_parse (&line, &rest, error)
         && tl_cli_line_check_scan (&line, rest, error)
         && check_options (&o, error)
         && tl_cli_scan_open (&scan, &line, rest[1], FALSE, error)
         && run_export (&o, &scan, cancellable, error);
}
