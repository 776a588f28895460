#include "app/cli/pipeline-private.h"
#include "app/cli/scan-private.h"
#include "app/export/export.h"

#include <stdio.h>
#include <string.h>

static void
print_json (const TlCliScan *scan, const TlExportReport *report,
            const TlCliRange *range, const char *folder, TlEngine *engine)
{
  tl_cli_scan_add_json (scan, scan->json);
  tl_json_add (scan->json,
               "folder: %s, engine: %s, device: %s, first: %zu, last: %zu, "
               "slices: %zu, dead_pixels: %zu, replaced_samples: %zu",
               folder, tl_engine_get_name (engine),
               tl_engine_get_device (engine), range->first, range->last,
               report->n_slices, report->pipeline.n_dead, report->n_mended);
  tl_cli_pipeline_add_json (&report->pipeline, scan->json);
  tl_json_print (scan->json);
}

static void
print_words (const TlCliScan *scan, const TlExportReport *report,
             const char *folder, TlEngine *engine)
{
  const TlPipelineReport *pipeline = &report->pipeline;
  g_autofree char *mended =
      tl_cli_dup_mended (pipeline->n_dead, report->n_mended);
  g_autofree char *others =
      pipeline->n_engines > 1
          ? g_strdup_printf (" and %u more", pipeline->n_engines - 1)
          : g_strdup ("");
  g_autofree char *axis = tl_cli_scan_dup_axis (scan);
  g_autofree char *times = tl_cli_pipeline_dup_text (pipeline);
  printf ("%zu slice%s to %s in %.2f s, %.1f slices/s; engine %s, %s%s\n"
          "%s%s\n"
          "%s\n",
          report->n_slices, report->n_slices == 1 ? "" : "s", folder,
          pipeline->wall_s, (double)report->n_slices / pipeline->wall_s,
          tl_engine_get_name (engine), tl_engine_get_device (engine), others,
          axis, mended, times);
}

/* The options. */
typedef struct
{
  char *folder, *slices, *slice, *devices; /* (nullable) */
  gboolean overwrite;
  TlCliRange range;
  guint n_devices; /* 0: all */
} Options;

static gboolean
check_options (Options *o, GError **error)
{
  if (o->slice != NULL)
    tl_cli_usage_error (error, "export takes --slices FIRST:LAST, not --slice");
  else if (o->folder == NULL)
    tl_cli_usage_error (error, "export needs a folder: -o FOLDER");
  else if (!tl_cli_parse_devices (o->devices, &o->n_devices, error))
    return FALSE;
  else if (o->slices == NULL)
    return TRUE;
  else if (!tl_cli_parse_range (o->slices, &o->range, error))
    return FALSE;
  else if (o->range.step == 1)
    return TRUE;
  else
    tl_cli_usage_error (error, "export takes every slice of a range; --slices "
                               "of recon takes a step");
  return FALSE;
}

/* Checks the range and the folder before an engine is started. */
static gboolean
check_range (const Options *o, TlCliScan *scan, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  const size_t first = o->range.first, n = o->range.last - first + 1;
  if (o->range.last >= info->n_rows)
    return TRUE; /* tl_export() will refuse it */
  if (!o->overwrite
      && !tl_export_check_folder (info, scan->recipe, first, n, o->folder,
                                  error))
    return FALSE;
  char *note = tl_export_dup_replaced (info, scan->recipe, first, n, o->folder);
  if (note != NULL)
    tl_cli_scan_take_note (scan, note);
  return TRUE;
}

/* Prints once what the export does, then its progress. */
typedef struct
{
  const Options *options;
  const TlParams *params;
  TlEngine *engine;
  gboolean is_announced;
  TlCliProgress progress;
} Announcement;

/* Returns: whether the engine has the requested variant; if not, it will
 * refuse to run */
static gboolean
has_variant (TlEngine *engine, const TlParams *params)
{
  size_t n;
  const TlVariant *const *list = tl_engine_list_variants (engine, &n);
  for (size_t k = 0; k < n; k++)
    if (tl_variant_does (list[k], params->kernel, params->interpolation,
                         params->precision))
      return TRUE;
  return FALSE;
}

static void
announce (double fraction, gpointer data)
{
  Announcement *a = data;
  const TlCliRange *range = &a->options->range;
  const size_t n_slices = range->last - range->first + 1;
  if (!has_variant (a->engine, a->params))
    return;
  if (!a->is_announced)
    fprintf (stderr, "exporting %zu slice%s with %s (%s) to %s\n", n_slices,
             n_slices == 1 ? "" : "s", tl_engine_get_name (a->engine),
             tl_engine_get_device (a->engine), a->options->folder);
  a->is_announced = TRUE;
  tl_cli_progress (fraction, &a->progress);
}

static gboolean
run_export (Options *o, TlCliScan *scan, GCancellable *cancellable,
            GError **error)
{
  TlExportReport report = { 0 };
  if (o->slices == NULL)
    o->range =
        (TlCliRange){ 0, tl_reader_get_info (scan->reader)->n_rows - 1, 1 };
  if (!check_range (o, scan, error))
    return FALSE;
  g_autoptr (TlEngine) engine = tl_engine_open (scan->recipe->engine, error);
  if (engine == NULL)
    return FALSE;
  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&scan->reader), engine);
  if (o->range.last < tl_reader_get_info (tl_recon_get_reader (recon))->n_rows
      && !tl_cli_scan_find_centre (scan, recon,
                                   (o->range.first + o->range.last) / 2,
                                   cancellable, error))
    return FALSE;
  tl_cli_scan_note_tilt (scan, tl_reader_get_info (tl_recon_get_reader (recon)),
                         o->range.first, o->range.last);
  const size_t n_slices = o->range.last - o->range.first + 1;
  Announcement announcement = {
    .options = o,
    .params = &scan->recipe->params,
    .engine = engine,
    .progress = { .word = "exporting", .n_slices = n_slices },
  };
  const gboolean good = tl_export (recon, scan->recipe, o->range.first,
                                   n_slices, o->folder, o->n_devices, announce,
                                   &announcement, cancellable, &report, error);
  tl_cli_progress_end (&announcement.progress);
  if (good && scan->json != NULL)
    print_json (scan, &report, &o->range, o->folder, engine);
  else if (good)
    print_words (scan, &report, o->folder, engine);
  else
    tl_cli_explain_cancel (
        error, "%s: the export was interrupted; %zu of %zu slices are there",
        o->folder, report.n_slices, n_slices);
  return good;
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
      "rows FIRST to LAST, both included; all without it", "FIRST:LAST" },
    { "slice", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &o.slice, NULL,
      NULL },
    { "devices", 0, 0, G_OPTION_ARG_STRING, &o.devices,
      "number of GPUs that share the work, or all that are like the first "
      "(all)",
      "N|all" },
    { "overwrite", 0, 0, G_OPTION_ARG_NONE, &o.overwrite,
      "export even if the folder holds slices of another export; those stay",
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
