/* Measures the reconstruction of volumes without files and disks: 16-bit
 * counts in memory go through the pipeline twice. The first time the slices are
 * added up, so that those of one engine and of several can be compared; the
 * second time is measured, and the slices are discarded. */
#include "app/cli/bench/volume-private.h"

#include "app/cli/pipeline-private.h"
#include "data/array.h"

#include <stdio.h>
#include <string.h>

#define HOST_ROWS 64
#define DEVICE_ROWS 256

/* Different blocks of counts, so that large ones exceed the processor's
 * cache. */
#define N_BLOCKS 3

#define DARK 100
#define FLAT 60000

typedef struct
{
  size_t n_cols, n_projections, n_rows, block_rows;
  TlParams params;
  const char *engine;        /* for which the counts are pinned */
  guint16 *counts[N_BLOCKS]; /* [n_projections][block_rows][n_cols] */
  gboolean is_pinned[N_BLOCKS];
  double *dark, *flat; /* [block_rows][n_cols] */
  double *angles_rad;  /* [n_projections] */
  size_t *rows;        /* [n_rows]: 0, 1, … */
  guint64 *sums;       /* [n_rows] sums of the pixels' bits */
  TlJson *json;        /* (nullable) */
} Volume;

/* --- the two ends of the pipeline --- */

static size_t
count_block (const Volume *volume)
{
  return volume->n_projections * volume->block_rows * volume->n_cols;
}

/* Lends the counts in memory: they are copied only to the device. */
static gboolean
lend_counts (gpointer data, guint buffer, size_t first_row, size_t n_rows,
             TlBlock *block, GCancellable *cancellable, GError **error)
{
  const Volume *volume = data;
  const size_t k = first_row / volume->block_rows % N_BLOCKS;
  *block = (TlBlock){
    .n_projections = volume->n_projections,
    .n_rows = n_rows,
    .n_cols = volume->n_cols,
    .type = TL_SAMPLE_U16,
    .samples = volume->counts[k],
    .is_pinned = volume->is_pinned[k],
    .angles_rad = volume->angles_rad,
    .dark = volume->dark,
    .flat_first = volume->flat,
  };
  return TRUE;
}

/* Adds two pixels at a time, which is as fast as the memory. */
static guint64
add_bits (const float *pixels, size_t n)
{
  guint64 sum = 0, bits = 0;
  for (size_t k = 0; k + 2 <= n; k += 2)
    {
      memcpy (&bits, pixels + k, sizeof bits);
      sum += bits;
    }
  bits = 0;
  if (n % 2 == 1)
    memcpy (&bits, pixels + n - 1, sizeof *pixels);
  return sum + bits;
}

/* Not in the run that is measured: to read the 65 GB/s that two GPUs make would
 * take all of the memory's bandwidth. */
static gboolean
add_up (gpointer data, size_t row, const float *pixels, GError **error)
{
  Volume *volume = data;
  volume->sums[row] = add_bits (pixels, volume->n_cols * volume->n_cols);
  return TRUE;
}

/* --- the data --- */

/* Fills in counts of transmissions between 0.1 and 1, the same every time. */
static void
fill_counts (guint16 *counts, size_t n, guint32 *state)
{
  for (size_t k = 0; k < n; k++)
    counts[k] = (guint16)(DARK + FLAT / 10
                          + (tl_bench_next_random (state) >> 16)
                                * (FLAT / 10 * 9 >> 4) / (65536 >> 4));
}

static gboolean
make_scan (Volume *volume, GError **error)
{
  static const char what[] = "the counts to measure with";
  const size_t n_pixels = volume->block_rows * volume->n_cols;
  guint32 state = 1;
  for (size_t k = 0; k < N_BLOCKS; k++)
    {
      volume->counts[k] = tl_try_alloc (volume->n_projections, n_pixels, 1,
                                        sizeof (guint16), what, error);
      if (volume->counts[k] == NULL)
        return FALSE;
      volume->is_pinned[k] =
          tl_engine_pin (volume->engine, volume->counts[k],
                         count_block (volume) * sizeof (guint16));
      fill_counts (volume->counts[k], count_block (volume), &state);
    }
  volume->sums = tl_try_alloc (volume->n_rows, 1, 1, sizeof (guint64),
                               "the sums of the slices", error);
  if (volume->sums == NULL)
    return FALSE;
  volume->dark = g_new (double, n_pixels);
  volume->flat = g_new (double, n_pixels);
  for (size_t k = 0; k < n_pixels; k++)
    {
      volume->dark[k] = DARK;
      volume->flat[k] = DARK + FLAT;
    }
  volume->rows = g_new (size_t, volume->n_rows);
  for (size_t k = 0; k < volume->n_rows; k++)
    volume->rows[k] = k;
  volume->angles_rad = g_new (double, volume->n_projections);
  for (size_t p = 0; p < volume->n_projections; p++)
    volume->angles_rad[p] = G_PI * (double)p / (double)volume->n_projections;
  return TRUE;
}

static void
clear_scan (Volume *volume)
{
  for (size_t k = 0; k < N_BLOCKS; k++)
    {
      if (volume->is_pinned[k])
        tl_engine_unpin (volume->engine, volume->counts[k]);
      g_free (volume->counts[k]);
    }
  g_free (volume->dark);
  g_free (volume->flat);
  g_free (volume->angles_rad);
  g_free (volume->rows);
  g_free (volume->sums);
}

/* --- measuring --- */

static gboolean
run_all (Volume *volume, TlPipeline *pipeline, TlPipelineWrite write,
         TlPipelineReport *report, GCancellable *cancellable, GError **error)
{
  const TlPipelineJob job = {
    .n_rows = volume->n_rows,
    .rows = volume->rows,
    .block_rows = MIN (volume->block_rows, volume->n_rows),
    .params = &volume->params,
    .read = lend_counts,
    .write = write,
    .data = volume,
  };
  return tl_pipeline_run (pipeline, &job, NULL, NULL, cancellable, report,
                          error);
}

/* Runs the pipeline twice: the first time the slices are added up, and the
 * engines allocate their memory; the second time is measured. */
static gboolean
measure (Volume *volume, TlPipeline *pipeline, TlPipelineReport *report,
         GCancellable *cancellable, GError **error)
{
  return run_all (volume, pipeline, add_up, NULL, cancellable, error)
         && run_all (volume, pipeline, NULL, report, cancellable, error);
}

/* Returns: GB/s that cross the bus, or on host would cross it */
static double
find_rate (const TlPipelineReport *report, size_t slice_bytes)
{
  return (double)report->n_slices * (double)slice_bytes / report->wall_s / 1e9;
}

static void
print_run (const char *const *engines, const TlPipelineReport *report,
           double up, double down)
{
  g_autofree char *limit = tl_pipeline_describe_limit (report);
  g_autofree char *names = g_strjoinv (", ", (char **)engines);
  printf ("%-30s %9.1f  %8.2f %8.2f ", names,
          (double)report->n_slices / report->wall_s, up, down);
  for (guint stage = 0; stage < TL_N_PIPELINE_STAGES; stage++)
    printf (" %10.0f%%", 100 * report->busy_s[stage] / report->wall_s);
  printf ("  %s, %s\n",
          tl_method_names[tl_variant_get_method (report->variant)], limit);
}

static void
report_run (const Volume *volume, const char *const *engines,
            const TlPipelineReport *report)
{
  const double up = find_rate (report, volume->n_projections * volume->n_cols
                                           * sizeof (guint16));
  const double down =
      find_rate (report, volume->n_cols * volume->n_cols * sizeof (float));
  TlJson *json = volume->json;
  if (json == NULL)
    print_run (engines, report, up, down);
  tl_json_add (json, "{");
  tl_json_add_strings (json, "engines", engines);
  tl_cli_pipeline_add_json (report, report->n_slices, json);
  tl_json_add (json,
               "method: %s, variant: %s, up_gb_per_s: %f, down_gb_per_s: %f, "
               "busy: {",
               tl_method_names[tl_variant_get_method (report->variant)],
               report->variant->name, up, down);
  for (guint stage = 0; stage < TL_N_PIPELINE_STAGES; stage++)
    tl_json_add (json, "%s: %f", tl_pipeline_stage_names[stage],
                 report->busy_s[stage] / report->wall_s);
  tl_json_add (json, "}}");
}

static void
print_head (const Volume *volume)
{
  if (volume->json == NULL)
    {
      printf ("%zu slices of %zu x %zu pixels from %zu projections, 16-bit "
              "counts in memory, %zu slices a block\n"
              "%-30s %9s  %8s %8s ",
              volume->n_rows, volume->n_cols, volume->n_cols,
              volume->n_projections, volume->block_rows, "engines", "slices/s",
              "GB/s up", "down");
      for (guint stage = 0; stage < TL_N_PIPELINE_STAGES; stage++)
        printf (" %11s", tl_pipeline_stage_names[stage]);
      printf ("\n");
      fflush (stdout);
    }
  tl_json_add (volume->json,
               "version: %s, size: %zu, projections: %zu, slices: %zu, "
               "block_rows: %zu, runs: [",
               TL_VERSION, volume->n_cols, volume->n_projections,
               volume->n_rows, volume->block_rows);
}

static void
print_comparison (const Volume *volume, guint n_engines, double ratio,
                  gboolean are_equal)
{
  if (volume->json == NULL)
    printf ("%u engines are %.2f times as fast as one; %s\n", n_engines, ratio,
            are_equal ? "their slices are the same to the bit"
                      : "their slices differ in the last bits");
  tl_json_add (volume->json, "], ratio: %f, equal: %d", ratio, are_equal);
}

/* Measures the first engine alone, then all together. */
static gboolean
measure_all (Volume *volume, char **engines, GCancellable *cancellable,
             GError **error)
{
  const guint n = g_strv_length (engines);
  const char *const first[] = { engines[0], NULL };
  TlPipelineReport one, all;
  g_autoptr (TlPipeline) pipeline =
      tl_pipeline_new (first, TL_MAX_WRITERS, FALSE, error);
  if (pipeline == NULL)
    return FALSE;
  print_head (volume);
  if (!measure (volume, pipeline, &one, cancellable, error))
    return FALSE;
  report_run (volume, first, &one);
  if (n == 1)
    return TRUE;
  g_autofree guint64 *sums =
      g_memdup2 (volume->sums, volume->n_rows * sizeof *sums);
  g_clear_pointer (&pipeline, tl_pipeline_free);
  pipeline = tl_pipeline_new ((const char *const *)engines, TL_MAX_WRITERS,
                              FALSE, error);
  if (pipeline == NULL || !measure (volume, pipeline, &all, cancellable, error))
    return FALSE;
  report_run (volume, (const char *const *)engines, &all);
  print_comparison (volume, n, one.wall_s / all.wall_s,
                    memcmp (sums, volume->sums, volume->n_rows * sizeof *sums)
                        == 0);
  return TRUE;
}

gboolean
tl_bench_volume (const TlBenchVolume *options, const TlBench *bench,
                 GError **error)
{
  const TlParams *wanted = &bench->recipe->params;
  const char *note;
  guint n_devices;
  if (!tl_cli_parse_devices (options->devices, &n_devices, error))
    return FALSE;
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (bench->recipe->engine, n_devices, error);
  if (engines == NULL)
    return FALSE;
  const gboolean is_host = strcmp (engines[0], "host") == 0;
  const size_t n_cols = bench->size > 0 ? bench->size
                        : is_host       ? TL_BENCH_HOST_SIZE
                                        : TL_BENCH_DEVICE_SIZE;
  const size_t n_projections =
      bench->n_projections > 0 ? bench->n_projections : n_cols;
  Volume volume = {
    .n_cols = n_cols,
    .n_projections = n_projections,
    .n_rows = is_host ? HOST_ROWS : DEVICE_ROWS,
    .engine = engines[0],
    .json = bench->json,
  };
  if (options->rows != NULL
      && !tl_cli_parse_size ("--rows", options->rows, 1, &volume.n_rows, error))
    return FALSE;
  tl_params_init (&volume.params, n_cols);
  volume.params.filter = wanted->filter;
  volume.params.method = wanted->method;
  volume.params.kernel = wanted->kernel;
  volume.params.interpolation = wanted->interpolation;
  volume.params.precision = wanted->precision;
  if (!tl_engine_settle_method (engines[0], &volume.params, n_projections,
                                n_cols, &volume.params.method, &note, error))
    return FALSE;
  volume.block_rows = tl_pipeline_choose_rows (n_projections, n_cols, is_host,
                                               volume.params.method);
  const gboolean good =
      make_scan (&volume, error)
      && measure_all (&volume, engines, bench->cancellable, error);
  if (good)
    tl_json_print (volume.json);
  clear_scan (&volume);
  return good;
}

void
tl_bench_volume_add_options (TlBenchVolume *options, TlCliLine *line)
{
  const GOptionEntry entries[] = {
    { "volume", 0, 0, G_OPTION_ARG_NONE, &options->is_wanted,
      "measure whole volumes instead: transfers and computing at once", NULL },
    { "rows", 0, 0, G_OPTION_ARG_STRING, &options->rows,
      "slices of a volume (" G_STRINGIFY (HOST_ROWS) " on host, " G_STRINGIFY (
          DEVICE_ROWS) " on a device)",
      "N" },
    { "devices", 0, 0, G_OPTION_ARG_STRING, &options->devices,
      "number of GPUs that share the work, or all that are like the first "
      "(all)",
      "N|all" },
    { 0 },
  };
  tl_cli_line_add_own (line, entries);
}
