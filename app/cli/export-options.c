#include "app/cli/export-private.h"
#include "app/cli/pipeline-private.h"

#include <math.h>
#include <string.h>

static const char *
get_option_name (TlExportField field)
{
  return tl_export_field_get_info (field)->option;
}

void
tl_cli_export_add_options (TlCliExport *o, TlCliLine *line)
{
  const GOptionEntry what[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o->path,
      "the volume: a folder, or a file where --format makes one", "NAME" },
    { get_option_name (TL_EXPORT_FIELD_SLICES), 0, 0, G_OPTION_ARG_STRING,
      &o->slices,
      "rows FIRST to LAST, both included, or every STEP-th of them; all "
      "without it",
      "FIRST:LAST[:STEP]" },
    { "slice", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &o->slice, NULL,
      NULL },
    { get_option_name (TL_EXPORT_FIELD_PLANE), 0, 0, G_OPTION_ARG_STRING,
      &o->plane,
      "what a slice shows: xy, xz or yz; z counts detector rows (xy)",
      "PLANE" },
    { get_option_name (TL_EXPORT_FIELD_ROTATION), 0, 0, G_OPTION_ARG_DOUBLE,
      &o->rotation_deg, "turn the slice about the axis, counter-clockwise",
      "DEGREES" },
    { get_option_name (TL_EXPORT_FIELD_REGION), 0, 0, G_OPTION_ARG_STRING,
      &o->region,
      "reconstruct WIDTH x HEIGHT pixels from column X and row Y of the slice "
      "on",
      "X,Y,WIDTH,HEIGHT" },
    { get_option_name (TL_EXPORT_FIELD_MASK), 0, 0, G_OPTION_ARG_NONE,
      &o->masks, "set pixels outside the largest circle in the slice to 0",
      NULL },
    { get_option_name (TL_EXPORT_FIELD_BINNING), 0, 0, G_OPTION_ARG_INT,
      &o->binning, "means of N x N x N voxels; N is 1, 2, 4 or 8 (1)", "N" },
    { get_option_name (TL_EXPORT_FIELD_FORMAT), 0, 0, G_OPTION_ARG_STRING,
      &o->format,
      "tiff (a folder, a file for each slice), bigtiff (one file), hdf5 (Data "
      "Exchange), nexus (NXtomoproc), zarr (OME-Zarr) or raw; without it as "
      "the suffix of NAME says: .tif or .tiff, .h5, .nxs, .zarr, .raw, else "
      "tiff",
      "FORMAT" },
    { get_option_name (TL_EXPORT_FIELD_SAMPLES), 0, 0, G_OPTION_ARG_STRING,
      &o->sample, "float32, float16, uint16 or uint8 (float32)", "TYPE" },
    { get_option_name (TL_EXPORT_FIELD_RANGE), 0, 0, G_OPTION_ARG_STRING,
      &o->range,
      "values that become the smallest and the largest integer, or "
      "percentiles of five slices (0.1%:99.9%)",
      "LOW:HIGH" },
    { get_option_name (TL_EXPORT_FIELD_COMPRESSION), 0, 0, G_OPTION_ARG_INT,
      &o->compression, "0 (none) to 9 (smallest), for hdf5, nexus and zarr (0)",
      "N" },
    { 0 },
  };
  const GOptionEntry how[] = {
    { "devices", 0, 0, G_OPTION_ARG_STRING, &o->devices,
      "number of GPUs that share the work, or all that are like the first "
      "(all)",
      "N|all" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &o->memory,
      "memory that the export may take, such as 8G or 500M (three quarters of "
      "what is available)",
      "SIZE" },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &o->log,
      "append to a text what was done, with the time", "FILE" },
    { "overwrite", 0, 0, G_OPTION_ARG_NONE, &o->overwrite,
      "replace what is there, when the new volume is whole; without --resume "
      "an unfinished export is discarded",
      NULL },
    { "resume", 0, 0, G_OPTION_ARG_NONE, &o->resume,
      "go on with an unfinished export: what is whole is kept, also a volume "
      "that is finished",
      NULL },
    { "strict", 0, 0, G_OPTION_ARG_NONE, &o->strict,
      "end at the first slice that cannot be made, instead of leaving it empty "
      "(NaN, or 0 in integers)",
      NULL },
    { 0 },
  };
  const GOptionEntry share[] = {
    { "part", 0, 0, G_OPTION_ARG_STRING, &o->share,
      "make the K-th of N parts, so that several machines share the work; "
      "tiff, hdf5 and nexus",
      "K/N" },
    { "join", 0, 0, G_OPTION_ARG_INT, &o->join,
      "check N parts that --part has made, and join them", "N" },
    { "slurm", 0, 0, G_OPTION_ARG_INT, &o->slurm,
      "write a Slurm job array of N parts, and the job that joins them, beside "
      "the volume",
      "N" },
    { "submit", 0, 0, G_OPTION_ARG_NONE, &o->submit,
      "hand in the jobs of --slurm", NULL },
    { "sbatch", 0, 0, G_OPTION_ARG_STRING, &o->sbatch,
      "more options for each job of --slurm, such as \"--partition=gpu "
      "--gres=gpu:1\"",
      "OPTIONS" },
    { 0 },
  };
  tl_export_settings_init (&o->settings, 1);
  o->binning = 1;
  tl_cli_line_add_own (line, what);
  tl_cli_line_add_own (line, how);
  tl_cli_line_add_own (line, share);
}

/* "w.h5/" is the file w.h5, as the shell completes the name of a folder. */
static void
strip_slashes (char *path)
{
  for (size_t n = strlen (path); n > 1 && path[n - 1] == '/'; n--)
    path[n - 1] = '\0';
}

static gboolean
parse_format (TlCliExport *o, GError **error)
{
  TlExportSettings *s = &o->settings;
  g_autoptr (GError) failed = NULL;
  strip_slashes (o->path);
  if (o->format == NULL)
    s->format = tl_volume_format_from_path (o->path);
  else if (!tl_volume_format_from_name (o->format, &s->format))
    return tl_cli_usage_error (error,
                               "--format takes tiff, bigtiff, hdf5, nexus, "
                               "zarr or raw, not \"%s\"",
                               o->format);
  if (!tl_volume_check_suffix (s->format, o->path, &failed))
    return tl_cli_usage_error (error, "%s", failed->message);
  if (o->sample != NULL && !tl_volume_sample_from_name (o->sample, &s->sample))
    return tl_cli_usage_error (
        error, "--sample takes float32, float16, uint16 or uint8, not \"%s\"",
        o->sample);
  if (o->compression < 0 || o->compression > 9)
    return tl_cli_usage_error (error, "--compression takes 0 to 9, not %d",
                               o->compression);
  if (o->compression > 0
      && !tl_volume_format_get_info (s->format)->is_compressible)
    return tl_cli_usage_error (
        error,
        "--compression: %s is written without compression: take hdf5, nexus "
        "or zarr, or leave --compression out",
        tl_volume_format_get_info (s->format)->name);
  s->compression = o->compression;
  return TRUE;
}

/* Returns: whether @text is a number, with or without "%" behind it */
static gboolean
parse_end (const char *text, double *value, gboolean *is_percent)
{
  *is_percent = g_str_has_suffix (text, "%");
  g_autofree char *number = g_strndup (text, strlen (text) - *is_percent);
  return tl_export_parse_number (number, value);
}

static gboolean
parse_sample_range (TlCliExport *o, GError **error)
{
  TlExportSettings *s = &o->settings;
  double low = 0, high = 0;
  gboolean low_is_percent, high_is_percent;
  g_autoptr (GError) failed = NULL;
  if (o->range == NULL)
    return TRUE;
  g_auto (GStrv) ends = g_strsplit (o->range, ":", -1);
  if (tl_volume_sample_max (s->sample) == 0)
    return tl_cli_usage_error (
        error, "--range is for integers: say --sample uint16 or uint8");
  if (g_strv_length (ends) != 2 || !parse_end (ends[0], &low, &low_is_percent)
      || !parse_end (ends[1], &high, &high_is_percent)
      || low_is_percent != high_is_percent)
    return tl_cli_usage_error (
        error, "--range takes LOW:HIGH or LOW%%:HIGH%%, not \"%s\"", o->range);
  return tl_export_settings_set_range (s, low_is_percent, low, high, &failed)
         || tl_cli_usage_error (error, "--range %s: %s", o->range,
                                failed->message);
}

static gboolean
parse_place (TlCliExport *o, GError **error)
{
  TlExportSettings *s = &o->settings;
  if (o->plane != NULL && !tl_volume_plane_from_name (o->plane, &s->plane))
    return tl_cli_usage_error (error, "--plane takes xy, xz or yz, not \"%s\"",
                               o->plane);
  if (o->binning != 1 && o->binning != 2 && o->binning != 4 && o->binning != 8)
    return tl_cli_usage_error (error, "--binning takes 1, 2, 4 or 8, not %d",
                               o->binning);
  s->binning = (guint)o->binning;
  s->masks = o->masks;
  if (!isfinite (o->rotation_deg))
    return tl_cli_usage_error (error, "--rotate takes an angle in degrees");
  s->rotation_deg = o->rotation_deg;
  if (o->region == NULL)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (o->region, ",", -1);
  guint64 numbers[4];
  gboolean good = g_strv_length (words) == 4;
  for (guint k = 0; good && k < 4; k++)
    good = g_ascii_string_to_unsigned (words[k], 10, k < 2 ? 0 : 1, G_MAXUINT32,
                                       &numbers[k], NULL);
  if (!good)
    return tl_cli_usage_error (
        error, "--region takes X,Y,WIDTH,HEIGHT in pixels, not \"%s\"",
        o->region);
  s->region_col = numbers[0];
  s->region_row = numbers[1];
  s->region_n_cols = numbers[2];
  s->region_n_rows = numbers[3];
  return TRUE;
}

static gboolean
parse_share (TlCliExport *o, GError **error)
{
  if (o->join == 0 || o->slurm == 0 || o->join > G_MAXUINT16
      || o->slurm > G_MAXUINT16)
    return tl_cli_usage_error (error, "--join and --slurm take a whole number "
                                      "of parts, 1 or more");
  o->join = MAX (o->join, 0);
  o->slurm = MAX (o->slurm, 0);
  if ((o->share != NULL) + (o->join > 0) + (o->slurm > 0) > 1)
    return tl_cli_usage_error (error, "take one of --part, --join and --slurm");
  if ((o->submit || o->sbatch != NULL) && o->slurm == 0)
    return tl_cli_usage_error (error, "--submit and --sbatch are for --slurm");
  if (o->share == NULL)
    {
      o->n_parts = (guint)MAX (o->join, o->slurm);
      o->part = 1;
      return TRUE;
    }
  g_auto (GStrv) words = g_strsplit (o->share, "/", -1);
  guint64 part = 0, n_parts = 0;
  if (g_strv_length (words) != 2
      || !g_ascii_string_to_unsigned (words[1], 10, 1, G_MAXUINT16, &n_parts,
                                      NULL)
      || !g_ascii_string_to_unsigned (words[0], 10, 1, n_parts, &part, NULL))
    return tl_cli_usage_error (
        error, "--part takes K/N, with K from 1 to N, not \"%s\"", o->share);
  o->part = (guint)part;
  o->n_parts = (guint)n_parts;
  return TRUE;
}

gboolean
tl_cli_export_check (TlCliExport *o, GError **error)
{
  if (o->slice != NULL)
    return tl_cli_usage_error (error,
                               "export takes --slices FIRST:LAST, not --slice");
  if (o->path == NULL || *o->path == '\0')
    return tl_cli_usage_error (error, "export needs a name: -o NAME");
  if (g_str_equal (o->path, "-"))
    return tl_cli_usage_error (
        error, "export does not write to the standard output: -o NAME");
  return tl_cli_parse_devices (o->devices, &o->n_devices, error)
         && (o->slices == NULL
             || tl_cli_parse_range (o->slices, &o->rows, error))
         && parse_format (o, error) && parse_sample_range (o, error)
         && parse_place (o, error)
         && tl_cli_parse_bytes ("--memory", o->memory, &o->budget_bytes, error)
         && parse_share (o, error);
}
