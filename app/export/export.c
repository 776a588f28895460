/* Exports with a reader and a volume at the two ends of a pipeline. Only the
 * reading thread of the pipeline uses the reader. */
#include "app/export/export.h"
#include "app/export/method.h"
#include "app/export/output.h"
#include "app/export/part.h"
#include "app/export/rates.h"
#include "app/export/sampler.h"
#include "app/export/volume-private.h"

#include "app/pipeline/trial.h"
#include "app/recon/recon.h"
#include "app/recon/rows.h"

#include "data/error.h"
#include "data/parallel.h"
#include "data/write/part-file.h"
#include "data/write/staging.h"
#include "data/write/volume/checksums.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* So many blocks may fail before the first one is made. As many in a row that
 * cannot be read end the export: it is the storage that has failed, and what is
 * missing can be made when it is back. */
#define MAX_FAILURES 8

/* The expected time is that of the first slices, written in this time or more.
 */
#define MEASURE_US (300 * 1000)

/* A trial takes at most 1/20 of the export. */
#define TRIAL_PART 20

/* A range that was given is doubtful if the values use a smaller part of its
 * levels, or if it clips more of the pixels: a range in the right unit seldom
 * leaves less than a tenth of a slice. */
#define MIN_USED (8 / 256.)
#define MAX_CLIPPED_PERCENT 90

/* In the hidden folder. */
#define FAILURES "failures" /* rows, and why */
#define RANGE "range"       /* of the samples, found for this recipe */

#define WATCH_US G_USEC_PER_SEC /* between two looks at limit and disk */

typedef struct
{
  const TlExportJob *whole;         /* also where it is shared */
  const TlExportJob *job;           /* of the part */
  const TlExportSettings *settings; /* of the part */
  TlParams params;                  /* the grid is that of the pass */
  TlReader *reader;
  const TlScanInfo *info;
  char *name; /* of the scan */
  double *angles_rad;

  char **engines;
  TlPipeline *pipeline;
  TlRows **rows; /* [n_buffers of the pipeline] */
  guint n_buffers;

  /* tl_export_dup_state() in which the volume may take its place. */
  char *state;
  TlStaging *staging;
  gboolean is_new; /* this export has made the hidden folder */
  gboolean adopts; /* it begins with the slices of the volume in its place */
  TlVolume *volume;
  TlOutput *output;
  TlSampler *sampler;   /* (nullable): takes the slices instead of the output */
  GArray *to_do;        /* of size_t: the rows of the pass that are not there */
  size_t pass, n_to_do; /* n_to_do: rows of the pass */
  gint64 start_us;      /* of the first pass */
  gint64 first_us;      /* after the first n_first rows were made; 0: not yet */
  size_t n_first;
  gint64 watched_us;

  TlExportPlanned planned;
  TlProgress progress;
  gpointer user_data;
  GCancellable *cancellable;

  GMutex mutex;   /* guards the fields below */
  GArray *again;  /* of size_t: rows of blocks that failed as a whole */
  GArray *failed; /* of size_t: rows that cannot be made in this pass */
  GArray *named;  /* of size_t: the rows of report->failures */
  guint n_unread; /* blocks in a row that could not be read */
  size_t n_made;  /* rows of the pass */
  TlExportReport *report;
} Export;

/* Returns: the rows that a slice needs above its own, and as many below */
static size_t
get_margin (const Export *export)
{
  return tl_params_get_margin (&export->params, export->info->n_rows,
                               export->info->n_cols);
}

static void
tell_plan (const Export *export)
{
  if (export->planned != NULL)
    export->planned (&export->report->plan, export->user_data);
}

/* --- one end of the pipeline --- */

static gboolean
read_rows (gpointer data, guint buffer, size_t first_row, size_t n_rows,
           TlBlock *block, GCancellable *cancellable, GError **error)
{
  Export *export = data;
  TlRows *rows = export->rows[buffer];
  const TlScanInfo *info = export->info;
  /* A buffer is pinned only now, so that the later ones are pinned while the
   * first block is computed. */
  if (rows->n_rows == 0 && rows->pinned_by == NULL)
    tl_rows_pin (rows, info, export->engines[0]);
  if (!tl_rows_read (rows, export->reader, NULL, first_row, n_rows,
                     get_margin (export), 1, cancellable, error))
    return FALSE;
  g_mutex_lock (&export->mutex);
  export->n_unread = 0;
  g_mutex_unlock (&export->mutex);
  export->report->n_mended += tl_reader_get_n_mended (export->reader);
  *block = tl_rows_get_block (rows, info, export->angles_rad);
  return TRUE;
}

static size_t
find_index (const Export *export, size_t row)
{
  return (row - export->settings->first_row) / export->settings->row_step;
}

/* --- rows that cannot be made --- */

/* Returns: the place of @row in the list, or that behind its end */
static guint
find_named (const Export *export, size_t row)
{
  guint k = 0;
  while (k < export->named->len
         && g_array_index (export->named, size_t, k) != row)
    k++;
  return k;
}

/* @text: (transfer full): a row that fails in several passes is named once */
static void
name_row (Export *export, size_t row, char *text)
{
  if (find_named (export, row) == export->named->len)
    {
      g_array_append_val (export->named, row);
      g_ptr_array_add (export->report->failures, text);
    }
  else
    g_free (text);
}

/* In slices of other planes the pixels of an earlier pass stay NaN. */
static void
forget_row (Export *export, size_t row)
{
  const guint k = find_named (export, row);
  if (k == export->named->len || export->settings->plane != TL_PLANE_XY)
    return;
  g_array_remove_index (export->named, k);
  g_ptr_array_remove_index (export->report->failures, k);
}

/* Returns: (transfer full): the path of @name in the hidden folder */
static char *
dup_own_path (const Export *export, const char *name)
{
  return g_build_filename (tl_staging_get_path (export->staging), name, NULL);
}

/* Returns: (transfer full): a line of ASCII for each row */
static char *
dup_failures (const Export *export)
{
  GString *text = g_string_new (NULL);
  for (guint k = 0; k < export->named->len; k++)
    {
      const char *line = export->report->failures->pdata[k];
      g_autofree char *quoted = g_strescape (line, NULL);
      g_string_append_printf (text, "%zu %s\n",
                              g_array_index (export->named, size_t, k), quoted);
    }
  return g_string_free (text, FALSE);
}

/* For an export that resumes: to it, slices of NaN are as whole as others. */
static gboolean
save_failures (const Export *export, GError **error)
{
  g_autofree char *path = dup_own_path (export, FAILURES);
  g_autofree char *text = dup_failures (export);
  return tl_write_file (path, text, strlen (text), TRUE, error);
}

/* @text: (nullable): of dup_failures(), see tl_volume_set_failures() */
static void
take_failures (Export *export, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  char *end;
  for (char **line = lines; *line != NULL; line++)
    {
      const size_t row = (size_t)g_ascii_strtoull (*line, &end, 10);
      if (**line == '+')
        export->report->n_unnamed += (guint)row;
      else if (*end == ' ')
        name_row (export, row, g_strcompress (end + 1));
    }
}

static void
load_failures (Export *export)
{
  g_autofree char *path = dup_own_path (export, FAILURES);
  g_autofree char *text = NULL;
  g_file_get_contents (path, &text, NULL, NULL);
  take_failures (export, text);
}

/* --- the other end of the pipeline --- */

static gboolean
write_row (gpointer data, size_t row, const float *pixels, GError **error)
{
  Export *export = data;
  const TlGrid *grid = &export->params.grid;
  if (export->sampler != NULL)
    tl_sampler_take (export->sampler, pixels, grid->ny * grid->nx);
  else if (!tl_output_take (export->output, find_index (export, row), pixels,
                            error))
    return FALSE;
  g_mutex_lock (&export->mutex);
  export->n_made++;
  forget_row (export, row);
  g_mutex_unlock (&export->mutex);
  return TRUE;
}

/* Returns: whether some of the rows of the pass were made before */
static gboolean
was_begun (const Export *export)
{
  return export->n_to_do < export->settings->n_rows;
}

/* Rows that failed together are tried again one by one. */
static gboolean
take_failure (gpointer data, size_t first_row, size_t n_rows,
              const GError *error)
{
  Export *export = data;
  TlExportReport *report = export->report;
  const gboolean is_unread = g_error_matches (error, TL_ERROR, TL_ERROR_FILE);
  const gboolean is_fault_of_data =
      is_unread || g_error_matches (error, TL_ERROR, TL_ERROR_VALUE)
      || g_error_matches (error, TL_ERROR, TL_ERROR_FORMAT)
      || g_error_matches (error, TL_ERROR, TL_ERROR_UNKNOWN);
  if (export->job->is_strict || !is_fault_of_data)
    return FALSE;
  if (export->sampler != NULL)
    return TRUE;
  g_mutex_lock (&export->mutex);
  if (n_rows == 1)
    name_row (export, first_row,
              g_strdup_printf (_ ("slice %zu cannot be made: %s"), first_row,
                               error->message));
  for (size_t k = 0; k < n_rows; k++)
    {
      const size_t row = first_row + k;
      g_array_append_val (n_rows > 1 ? export->again : export->failed, row);
    }
  export->n_unread += is_unread;
  const size_t n_failed =
      export->failed->len + export->again->len / report->plan.block_rows;
  const gboolean goes_on =
      export->n_unread < MAX_FAILURES
      && (export->n_made > 0 || was_begun (export)
          || n_failed < MIN (MAX_FAILURES, export->settings->n_rows));
  g_mutex_unlock (&export->mutex);
  return goes_on;
}

/* --- preparing --- */

/* Checks the room before anything is read, because the first block can take
 * minutes. */
static gboolean
check_room (const Export *export, size_t n_slices, GError **error)
{
  const char *path = export->job->path;
  TlVolumeInfo rest = export->report->volume;
  rest.n_slices = n_slices;
  return n_slices == 0
         || (export->job->resumes
                 ? tl_check_room (path, tl_volume_count_bytes (&rest), error)
                 : tl_export_plan_check_room (path, &rest, error));
}

static gboolean
open_scan (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  TlReaderOptions options;
  tl_recipe_reader_options (job->recipe, &options);
  options.cancellable = export->cancellable;
  export->reader = tl_reader_open (job->scan, &options, error);
  if (export->reader == NULL)
    return FALSE;
  export->info = tl_reader_get_info (export->reader);
  export->angles_rad = tl_rows_angles (export->info, 1, error);
  if (export->angles_rad == NULL)
    return FALSE;
  for (size_t k = 0; k < export->info->n_projections; k++)
    export->angles_rad[k] += export->settings->rotation_deg * G_PI / 180;
  if (!tl_export_settings_check (export->settings, &export->params.grid,
                                 export->info->n_rows, error))
    {
      g_prefix_error (error, "%s: ", export->name);
      return FALSE;
    }
  tl_volume_describe (job, export->settings, &export->params.grid,
                      &export->report->volume);
  return TRUE;
}

/* Returns: the rows of the first block */
static size_t
count_first_rows (const Export *export)
{
  const TlExportSettings *settings = export->settings;
  return settings->row_step == 1
             ? MIN (export->report->plan.block_rows, settings->n_rows)
             : 1;
}

/* Reads what the first block needs once before: then the fields are in memory,
 * and a device that has inflated rows keeps them for the next read. */
static void
read_ahead (Export *export)
{
  const size_t n_rows = count_first_rows (export);
  const size_t margin = get_margin (export);
  g_autoptr (GError) failure = NULL; /* the first block will find it, too */
  g_autoptr (TlRows) rows =
      tl_rows_new (export->info, n_rows, margin, &failure);
  if (rows != NULL)
    tl_rows_read (rows, export->reader, NULL, export->settings->first_row,
                  n_rows, margin, 1, export->cancellable, &failure);
}

/* Runs while the engines open. */
static gpointer
prepare_reader (gpointer data)
{
  Export *export = data;
  const TlExportPlan *plan = &export->report->plan;
  if (plan->ascends)
    tl_reader_ascend (export->reader);
  else
    tl_reader_set_budget (export->reader, plan->kept_bytes);
  if (tl_rows_inflate_on_device (export->reader, export->engines[0],
                                 export->job->gives_way)
      && !export->job->resumes)
    read_ahead (export);
  return NULL;
}

/* Where no earlier export tells the time, a block does, of as many rows as do
 * not make the trial a large part of the export. How much is left of one that
 * resumes is not known yet. */
static void
try_block (Export *export)
{
  const TlExportSettings *settings = export->settings;
  const TlScanInfo *info = export->info;
  TlExportPlan *plan = &export->report->plan;
  TlParams params = export->params;
  const size_t margin = MIN (get_margin (export), (info->n_rows - 1) / 2);
  const size_t most = settings->n_rows / (TRIAL_PART * (plan->n_engines + 1));
  if (export->job->resumes || plan->expected_s > 0 || plan->n_passes > 1
      || most <= 2 * margin)
    return;
  const size_t n_rows = MIN (count_first_rows (export), most - 2 * margin);
  const TlBlock shape = {
    .n_projections = info->n_projections,
    .n_rows = n_rows + 2 * margin,
    .n_cols = info->n_cols,
    .n_above = margin,
    .n_below = margin,
    .middle_row = (double)margin + (double)(n_rows - 1) / 2,
    .type = info->type,
    .angles_rad = export->angles_rad,
    .weights = info->weights,
    .turn_weights = info->turn_weights,
  };
  params.grid = tl_export_settings_get_grid (settings, &params.grid);
  tl_export_plan_expect (
      plan,
      tl_pipeline_try (export->pipeline, &params, &shape, export->cancellable),
      settings->n_rows);
  tell_plan (export);
}

/* Chooses the engines, and tells what the export will take. */
static gboolean
make_plan (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  export->engines =
      tl_pipeline_choose_engines (job->recipe->engine, job->n_devices, error);
  const char *const *engines = (const char *const *)export->engines;
  if (engines == NULL
      || !tl_export_plan_make (export->settings, &export->params, export->info,
                               engines, job->budget_bytes,
                               tl_export_plan_count_gpu_free (engines),
                               &export->report->plan, error)
      || (!job->resumes
          && !check_room (export, export->report->volume.n_slices, error)))
    return FALSE;
  tell_plan (export);
  return TRUE;
}

static gboolean
open_pipeline (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  GThread *preparing = g_thread_new ("reader", prepare_reader, export);
  export->pipeline =
      tl_pipeline_new ((const char *const *)export->engines,
                       export->report->plan.n_writers, job->gives_way, error);
  g_thread_join (preparing);
  if (job->gives_way)
    tl_thread_give_way (TL_WAY_BACKGROUND);
  if (export->pipeline == NULL)
    return FALSE;
  try_block (export);
  return TRUE;
}

static gboolean
make_buffers (Export *export, GError **error)
{
  export->n_buffers = tl_pipeline_get_n_buffers (export->pipeline);
  export->rows = g_new0 (TlRows *, export->n_buffers);
  for (guint k = 0; k < export->n_buffers; k++)
    {
      export->rows[k] =
          tl_rows_new (export->info, export->report->plan.block_rows,
                       get_margin (export), error);
      if (export->rows[k] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* --- running --- */

static void
add_report (TlPipelineReport *sum, const TlPipelineReport *report)
{
  sum->wall_s += report->wall_s;
  for (guint stage = 0; stage < TL_N_PIPELINE_STAGES; stage++)
    sum->busy_s[stage] += report->busy_s[stage];
  sum->n_slices += report->n_slices;
  sum->n_dead += report->n_dead;
  sum->n_engines = report->n_engines;
  sum->engine_bytes = MAX (sum->engine_bytes, report->engine_bytes);
  sum->n_writers = report->n_writers;
}

/* Returns: how many bytes the disk has too few for the rest of the volume, at
 * most: how small a compressed one becomes is not known.
 *
 * @free_bytes: (out) */
static guint64
count_lacking (Export *export, guint64 *free_bytes)
{
  TlVolumeInfo rest = export->report->volume;
  if (export->output == NULL
      || !tl_get_room (tl_staging_get_path (export->staging), free_bytes, NULL))
    return 0;
  rest.n_slices -= tl_output_count_whole (export->output);
  const guint64 bytes = rest.n_slices > 0 ? tl_volume_count_bytes (&rest) : 0;
  return bytes > *free_bytes ? bytes - *free_bytes : 0;
}

/* Expects for all rows the rate after the first block, for which the engines
 * make their tables. Returns: whether that is new */
static gboolean
expect (Export *export, gint64 now_us, size_t n_made)
{
  TlExportPlan *plan = &export->report->plan;
  if (plan->is_measured || n_made == 0)
    return FALSE;
  if (export->first_us == 0)
    {
      export->first_us = now_us;
      export->n_first = n_made;
    }
  if (n_made == export->n_first || now_us < export->first_us + MEASURE_US)
    return FALSE;
  const double row_us =
      (double)(now_us - export->first_us) / (double)(n_made - export->n_first);
  const size_t n_rest = export->n_to_do * plan->n_passes - export->n_first;
  plan->expected_s = (double)(export->first_us - export->start_us) / 1e6
                     + row_us * (double)n_rest / 1e6;
  plan->is_of_slice = FALSE;
  plan->is_measured = TRUE;
  return TRUE;
}

/* Returns: whether limit or disk are not as they were */
static gboolean
watch (Export *export, gint64 now_us)
{
  TlExportPlan *plan = &export->report->plan;
  if (now_us < export->watched_us + WATCH_US)
    return FALSE;
  export->watched_us = now_us;
  const TlPipelineStage limit = tl_pipeline_guess_limit (export->pipeline);
  guint64 free_bytes;
  const guint64 lacking_bytes = export->report->volume.compression > 0
                                    ? 0
                                    : count_lacking (export, &free_bytes);
  if (limit == plan->limit && (lacking_bytes > 0) == (plan->lacking_bytes > 0))
    return FALSE;
  plan->limit = limit;
  plan->lacking_bytes = lacking_bytes;
  return TRUE;
}

/* Tells the plan again if it has changed, and the progress of the export, with
 * what was made before. */
static void
tell_progress (double fraction, gpointer data)
{
  Export *export = data;
  const gint64 now_us = g_get_monotonic_time ();
  if (export->sampler != NULL)
    return;
  g_mutex_lock (&export->mutex);
  const size_t n_made = export->n_made;
  g_mutex_unlock (&export->mutex);
  const gboolean is_expected = expect (export, now_us, n_made);
  if (watch (export, now_us) || is_expected)
    tell_plan (export);
  if (export->progress == NULL)
    return;
  const double n = (double)export->settings->n_rows;
  const double done =
      CLAMP ((n - (double)export->n_to_do + (double)n_made) / n, 0, 1);
  export->progress (((double)export->pass - 1 + done)
                        / (double)export->report->plan.n_passes,
                    export->user_data);
}

/* Makes the slices of @rows, in blocks of @block_rows at most. */
static gboolean
run (Export *export, const size_t *rows, size_t n_rows, size_t block_rows,
     GError **error)
{
  const TlPipelineJob job = {
    .n_rows = n_rows,
    .rows = rows,
    .block_rows = block_rows,
    .params = &export->params,
    .read = read_rows,
    .write = write_row,
    .failed = take_failure,
    .data = export,
    .name = export->name,
  };
  TlPipelineReport report;
  if (n_rows == 0)
    return TRUE;
  const gboolean good =
      tl_pipeline_run (export->pipeline, &job, tell_progress, export,
                       export->cancellable, &report, error);
  add_report (&export->report->pipeline, &report);
  return good;
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const size_t row_a = *(const size_t *)a, row_b = *(const size_t *)b;
  return row_a < row_b ? -1 : row_a > row_b;
}

/* Lists the rows of the pass that are missing. Blocks are made again as a
 * whole: on a GPU the last bit of a slice depends on its neighbours in the
 * block. */
static void
list_rows (Export *export)
{
  const TlExportSettings *settings = export->settings;
  const size_t block_rows =
      settings->row_step == 1 ? export->report->plan.block_rows : 1;
  g_array_set_size (export->to_do, 0);
  for (size_t first = 0, n; first < settings->n_rows; first += n)
    {
      n = MIN (block_rows, settings->n_rows - first);
      for (size_t k = 0; tl_output_needs (export->output, first, n) && k < n;
           k++)
        {
          const size_t row =
              settings->first_row + (first + k) * settings->row_step;
          g_array_append_val (export->to_do, row);
        }
    }
}

/* Rows that cannot be made become NaN at last, so that an export that ends
 * before can try them again. */
static gboolean
end_pass (Export *export, GError **error)
{
  TlPipelineReport *report = &export->report->pipeline;
  const gint64 start_us = g_get_monotonic_time ();
  gboolean good = export->failed->len == 0 || save_failures (export, error);
  for (guint k = 0; good && k < export->failed->len; k++)
    {
      const size_t row = g_array_index (export->failed, size_t, k);
      good = tl_output_take (export->output, find_index (export, row), NULL,
                             error);
    }
  g_array_set_size (export->failed, 0);
  good = good
         && tl_output_end_pass (export->output, export->report->plan.n_writers,
                                export->cancellable, error);
  const double seconds = (double)(g_get_monotonic_time () - start_us) / 1e6;
  report->wall_s += seconds;
  report->busy_s[TL_PIPELINE_WRITE] += seconds;
  return good;
}

static gboolean
run_pass (Export *export, GError **error)
{
  export->pass++;
  list_rows (export);
  export->n_to_do = export->to_do->len;
  export->n_made = 0;
  const size_t *rows = (const size_t *)(gpointer) export->to_do->data;
  if (!run (export, rows, export->to_do->len, export->report->plan.block_rows,
            error))
    return FALSE;
  g_array_sort (export->again, compare_rows);
  g_autoptr (GArray) again = g_steal_pointer (&export->again);
  export->again = g_array_new (FALSE, FALSE, sizeof (size_t));
  if (!run (export, (const size_t *)(gpointer)again->data, again->len, 1,
            error))
    return FALSE;
  if (export->n_made == 0 && !was_begun (export))
    return tl_fail (error, TL_ERROR_VALUE, "%s",
                    (char *)export->report->failures->pdata[0]);
  return end_pass (export, error);
}

/* Records the rate of an export that was long enough to be measured, or much
 * faster than expected, was not resumed and has no failed slice. */
static void
note_rate (const Export *export)
{
  const TlExportReport *report = export->report;
  const TlExportEffort effort = {
    .settings = export->settings,
    .params = &export->job->recipe->params,
    .info = export->info,
    .engines = (const char *const *)export->engines,
    .n_passes = report->plan.n_passes,
  };
  const double seconds =
      (double)(g_get_monotonic_time () - export->start_us) / 1e6;
  if (report->n_resumed == 0 && report->failures->len == 0
      && (report->plan.is_measured
          || (!report->plan.is_of_slice
              && report->plan.expected_s > 2 * seconds)))
    tl_export_rates_note (
        &effort, export->settings->n_rows * report->plan.n_passes, seconds);
}

static gboolean
make_slices (Export *export, GError **error)
{
  GError *failed = NULL;
  gboolean good = TRUE;
  export->start_us = g_get_monotonic_time ();
  while (good
         && tl_output_next_pass (export->output, &export->params.grid, &failed))
    good = run_pass (export, error);
  if (failed != NULL)
    g_propagate_error (error, failed);
  if (!good || failed != NULL)
    return FALSE;
  note_rate (export);
  return TRUE;
}

/* --- the volume --- */

/* Opens the hidden folder: one that an earlier export has left, or a new one.
 */
static gboolean
open_staging (Export *export, GError **error)
{
  export->staging = tl_volume_find_left (export->job, export->state);
  export->is_new = export->staging == NULL;
  if (export->is_new)
    export->staging = tl_staging_new (export->job->path, error);
  return export->staging != NULL;
}

/* Makes some slices for the range of the samples, which all parts share. */
static gboolean
sample_range (Export *export, GError **error)
{
  const TlExportSettings *settings = &export->whole->settings;
  TlVolumeInfo *volume = &export->report->volume;
  size_t rows[TL_SAMPLER_SLICES];
  const size_t n = MIN (settings->n_rows, TL_SAMPLER_SLICES);
  for (size_t k = 0; k < n; k++)
    rows[k] = settings->first_row
              + (2 * k + 1) * settings->n_rows / (2 * n) * settings->row_step;
  const TlGrid whole = export->params.grid;
  g_autoptr (TlSampler) sampler = tl_sampler_new ();
  export->sampler = sampler;
  export->params.grid = tl_export_settings_get_grid (settings, &whole);
  const gboolean good = run (export, rows, n, 1, error);
  export->params.grid = whole;
  export->sampler = NULL;
  return good
         && tl_sampler_find_range (sampler, settings->low_percent,
                                   settings->high_percent, &volume->low,
                                   &volume->high, error);
}

static gboolean
save_range (const Export *export, const char *path, const char *recipe,
            GError **error)
{
  const TlVolumeInfo *volume = &export->report->volume;
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr (low, sizeof low, volume->low);
  g_ascii_dtostr (high, sizeof high, volume->high);
  g_autofree char *text = g_strdup_printf ("%s %s\n%s", low, high, recipe);
  return tl_write_file (path, text, strlen (text), TRUE, error);
}

static gboolean
load_range (Export *export, const char *path, const char *recipe)
{
  TlVolumeInfo *volume = &export->report->volume;
  g_autofree char *text = NULL;
  char *end;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  const double low = g_ascii_strtod (text, &end);
  const double high = g_ascii_strtod (end, &end);
  if (*end != '\n' || strcmp (end + 1, recipe) != 0)
    return FALSE;
  volume->low = low;
  volume->high = high;
  return TRUE;
}

/* Takes the range of the finished volume whose slices are adopted. */
static gboolean
adopt_range (Export *export)
{
  TlVolumeInfo *volume = &export->report->volume;
  return export->adopts
         && tl_volume_read_range (volume->format, export->job->path,
                                  &volume->low, &volume->high);
}

/* An unfinished volume keeps the range with which it was begun: another engine
 * would find one that differs in its last digits. */
static gboolean
find_range (Export *export, GError **error)
{
  const TlExportSettings *settings = &export->whole->settings;
  g_autofree char *path = dup_own_path (export, RANGE);
  g_autofree char *recipe = tl_volume_dup_recipe (export->whole);
  return settings->has_range || tl_volume_sample_max (settings->sample) == 0
         || load_range (export, path, recipe)
         || ((adopt_range (export) || sample_range (export, error))
             && (!export->is_new || save_range (export, path, recipe, error)));
}

/* Adds to the error what differs from the unfinished volume that cannot be
 * resumed. */
static void
name_changes (const Export *export, GError *failed)
{
  if (!g_error_matches (failed, TL_ERROR, TL_ERROR_VALUE))
    return;
  const char *hidden = tl_staging_get_path (export->staging);
  g_autofree char *changes =
      tl_volume_dup_begun_changes (export->whole, hidden);
  g_autofree char *why = failed->message;
  if (tl_volume_is_scan_rewritten (export->whole, hidden))
    failed->message = g_strdup_printf (
        _ ("%s: the scan was changed after this unfinished volume was begun: "
           "start a new one%s%s"),
        export->whole->path,
        export->whole->names_options ? " (--overwrite without --resume)" : "",
        changes);
  else
    failed->message = g_strconcat (why, changes, NULL);
}

/* Opens the volume in the hidden folder, which an earlier export may have
 * begun. */
static gboolean
open_volume (Export *export, GError **error)
{
  TlExportReport *report = export->report;
  g_autofree char *path =
      tl_volume_dup_hidden (export->job, tl_staging_get_path (export->staging));
  g_autofree char *recipe = tl_volume_dup_recipe (export->whole);
  g_autofree char *command = tl_export_dup_command (export->whole);
  TlVolumeInfo info = report->volume;
  info.scan = export->name;
  info.recipe = recipe;
  info.command = command;
  export->volume = export->is_new ? tl_volume_new (path, &info, error)
                                  : tl_volume_resume (path, &info, error);
  if (export->volume == NULL)
    {
      name_changes (export, *error);
      return FALSE;
    }
  if (export->is_new && export->adopts)
    tl_volume_adopt_stack (export->volume, export->job->path);
  export->output = tl_output_new (export->settings, &export->params.grid,
                                  export->volume, report->plan.pass_bytes);
  report->n_resumed = tl_output_count_whole (export->output);
  if (export->adopts && report->n_resumed > 0)
    g_clear_pointer (&report->damaged, g_free); /* not all are made again */
  if (report->damaged == NULL)
    report->damaged = tl_output_dup_damaged (export->output);
  if (!export->is_new)
    load_failures (export);
  g_autofree char *begun = dup_own_path (export, TL_VOLUME_BEGUN);
  if (!check_room (export, info.n_slices - report->n_resumed, error)
      || !tl_write_file (begun, recipe, strlen (recipe), TRUE, error))
    return FALSE;
  if (info.format != TL_VOLUME_TIFF)
    return TRUE;
  g_autofree char *recipe_path =
      g_build_filename (path, TL_EXPORT_RECIPE, NULL);
  tl_part_files_remove (path);
  return tl_write_file (recipe_path, recipe, strlen (recipe), TRUE, error);
}

/* Saves the checksums with which --join finds out whether the part changed.
 * They take their place together with the part. */
static gboolean
save_sums (Export *export, GError **error)
{
  g_autofree char *path =
      tl_volume_dup_hidden (export->job, tl_staging_get_path (export->staging));
  g_autofree char *sums_path = g_strconcat (path, TL_PART_SUMS_SUFFIX, NULL);
  g_autofree char *text = tl_checksums_make (path, export->cancellable, error);
  return text != NULL
         && tl_write_file (sums_path, text, strlen (text), TRUE, error);
}

/* A scan that was written again meanwhile leaves slices of both states. */
static gboolean
check_scan (const Export *export, GError **error)
{
  return !tl_volume_is_scan_rewritten (export->whole,
                                       tl_staging_get_path (export->staging))
         || tl_fail (error, TL_ERROR_DAMAGE,
                     _ ("%s: the scan was changed while it was exported, so "
                        "that slices of both states would be mixed; export it "
                        "again"),
                     export->name);
}

/* The volume takes its place. */
static gboolean
finish (Export *export, GError **error)
{
  g_auto (GStrv) names = tl_volume_dup_names (export->job);
  if (!check_scan (export, error))
    return FALSE;
  g_autofree char *failures = dup_failures (export);
  tl_volume_set_failures (export->volume, failures);
  tl_volume_get_tally (export->volume, &export->report->tally);
  if (!tl_volume_finish (export->volume, error))
    return FALSE;
  g_clear_pointer (&export->volume, tl_volume_free);
  if (export->whole->n_parts > 0
      && (!save_sums (export, error)
          || !tl_export_remove_joined (export->whole, error)))
    return FALSE;
  return tl_staging_commit (export->staging, (const char *const *)names,
                            tl_volume_get_place (export->state), error);
}

/* Users want to know how much room to make. A compressed volume may fit into
 * less than it lacks, unless the disk is full to the last slice. */
static void
add_lacking (Export *export, GError *failed)
{
  TlVolumeInfo slice = export->report->volume;
  const gboolean is_compressed = slice.compression > 0;
  guint64 free_bytes;
  if (export->start_us == 0
      || !g_error_matches (failed, TL_ERROR, TL_ERROR_FILE))
    return;
  const guint64 lacking = count_lacking (export, &free_bytes);
  slice.n_slices = 1;
  if (lacking == 0
      || (is_compressed && free_bytes > tl_volume_count_bytes (&slice)))
    return;
  g_autofree char *size = g_format_size (lacking);
  g_autofree char *why = failed->message;
  failed->message = g_strdup_printf (
      is_compressed
          ? _ ("%s; the rest of the volume needs up to %s more than is free")
          : _ ("%s; the rest of the volume needs %s more than is free"),
      why, size);
}

/* Whole slices stay for an export that resumes, unless they may be wrong. */
static void
keep_slices (Export *export, const GError *failed)
{
  TlExportReport *report = export->report;
  const gboolean is_damaged =
      g_error_matches (failed, TL_ERROR, TL_ERROR_DAMAGE);
  report->has_begun = TRUE;
  if (is_damaged || (export->is_new && report->n_slices == 0))
    {
      report->n_slices = 0;
      tl_staging_remove (export->staging, NULL);
    }
  else
    report->kept_path = g_strdup (tl_staging_get_path (export->staging));
}

static void
clear (Export *export, const GError *failed)
{
  g_clear_pointer (&export->pipeline, tl_pipeline_free);
  for (guint k = 0; k < export->n_buffers; k++)
    tl_rows_free (export->rows[k]);
  g_free (export->rows);
  if (export->output != NULL)
    export->report->n_slices = tl_output_count_whole (export->output);
  g_clear_pointer (&export->output, tl_output_free);
  g_clear_pointer (&export->volume, tl_volume_free);
  if (export->staging != NULL && failed != NULL)
    keep_slices (export, failed);
  tl_staging_free (export->staging);
  g_clear_pointer (&export->reader, tl_reader_close);
  g_strfreev (export->engines);
  g_free (export->name);
  g_free (export->state);
  g_free (export->angles_rad);
  g_array_unref (export->to_do);
  g_array_unref (export->again);
  g_array_unref (export->failed);
  g_array_unref (export->named);
  g_mutex_clear (&export->mutex);
}

static gboolean
make_volume (Export *export, GError **error)
{
  return tl_export_check_joined (export->whole, error)
         && open_scan (export, error) && make_plan (export, error)
         && open_pipeline (export, error) && make_buffers (export, error)
         && open_staging (export, error) && find_range (export, error)
         && open_volume (export, error) && make_slices (export, error)
         && finish (export, error);
}

/* Returns: whether slices of the finished volume can be those of the new one:
 * files of their own, of which none is to be made another time */
static gboolean
can_adopt (const TlExportJob *asked)
{
  const TlVolumeFormat format = asked->settings.format;
  g_autofree char *failures = tl_volume_read_failures (format, asked->path);
  return format == TL_VOLUME_TIFF && failures == NULL;
}

/* The samples of a joined HDF5 file are in those of its parts. */
static gboolean
check_parts (const Export *export, const TlExportJob *asked, GError **error)
{
  g_autoptr (GPtrArray) parts =
      tl_volume_list_parts (asked->settings.format, asked->path);
  g_autofree char *folder = g_path_get_dirname (asked->path);
  gboolean good = TRUE;
  for (guint k = 0; good && k < parts->len; k++)
    {
      g_autofree char *path = g_build_filename (folder, parts->pdata[k], NULL);
      good = tl_export_check_part_sums (path, export->cancellable, error);
    }
  return good;
}

/* Finds out which slices of a finished volume are damaged or could not be made.
 *
 * @settings: of the volume */
static gboolean
examine_slices (Export *export, const TlExportJob *asked,
                const TlExportSettings *settings, GError **error)
{
  TlExportReport *report = export->report;
  const TlVolumeFormat format = asked->settings.format;
  g_autofree char *failures = tl_volume_read_failures (format, asked->path);
  g_autofree char *damaged = NULL;
  tl_volume_describe (asked, settings, &export->params.grid, &report->volume);
  if (!tl_volume_check_sums (asked->path, &report->volume, export->cancellable,
                             &damaged, error)
      || !check_parts (export, asked, error))
    return FALSE;
  take_failures (export, failures);
  if (damaged == NULL)
    return TRUE;
  if (!asked->overwrites)
    return tl_fail (error, TL_ERROR_DAMAGE,
                    _ ("%s: %s was damaged or changed after the export; say "
                       "--overwrite beside --resume to make the volume again, "
                       "or choose another name"),
                    asked->path, damaged);
  report->damaged = g_strdup_printf (
      _ ("%s of the finished volume was damaged or changed, and all slices are "
         "made again"),
      damaged);
  return TRUE;
}

/* Returns: whether the slices of the part are in the joined stack alone.
 *
 * @joined: (out): the job of the joined volume */
static gboolean
is_joined (const Export *export, const TlExportJob *asked, TlExportJob *joined)
{
  g_autofree char *missing = NULL;
  *joined = *export->whole;
  joined->n_parts = 0;
  return asked->n_parts > 0 && asked->settings.format == TL_VOLUME_TIFF
         && !g_file_test (asked->path, G_FILE_TEST_EXISTS)
         && tl_volume_is_whole (joined, &missing);
}

/* @asked: the job with the path of the part */
static gboolean
make_unless_whole (Export *export, const TlExportJob *asked, GError **error)
{
  TlExportReport *report = export->report;
  const TlExportSettings *settings = export->settings;
  g_autofree char *missing = NULL;
  TlExportJob joined;
  if (asked->resumes && is_joined (export, asked, &joined))
    {
      asked = &joined;
      settings = &joined.settings;
    }
  else if (!asked->resumes || !tl_volume_is_whole (asked, &missing))
    {
      export->adopts = missing != NULL && can_adopt (asked);
      return make_volume (export, error);
    }
  if (!examine_slices (export, asked, settings, error))
    return FALSE;
  if (asked->overwrites
      && (report->damaged != NULL || report->failures->len > 0))
    {
      export->adopts = can_adopt (asked) && asked != &joined;
      g_array_set_size (export->named, 0);
      g_ptr_array_set_size (report->failures, 0);
      report->n_unnamed = 0;
      return make_volume (export, error);
    }
  report->was_whole = TRUE;
  report->n_slices = report->n_resumed = report->volume.n_slices;
  return TRUE;
}

gboolean
tl_export (const TlExportJob *job, TlExportPlanned planned, TlProgress progress,
           gpointer user_data, GCancellable *cancellable,
           TlExportReport *report, GError **error)
{
  g_return_val_if_fail (job != NULL && report != NULL, FALSE);
  g_return_val_if_fail (job->recipe->params.method != TL_METHOD_AUTO, FALSE);
  TlExportJob own = *job;
  g_autofree char *part_path =
      job->n_parts > 0 ? tl_export_dup_part_path (job) : NULL;
  if (part_path != NULL)
    own.path = part_path;
  Export export = {
    .whole = job,
    .job = &own,
    .settings = &own.settings,
    .params = job->recipe->params,
    .name = g_filename_display_basename (job->scan),
    .state = job->agreed != NULL ? g_strdup (job->agreed)
                                 : tl_export_dup_state (&own),
    .to_do = g_array_new (FALSE, FALSE, sizeof (size_t)),
    .again = g_array_new (FALSE, FALSE, sizeof (size_t)),
    .failed = g_array_new (FALSE, FALSE, sizeof (size_t)),
    .named = g_array_new (FALSE, FALSE, sizeof (size_t)),
    .planned = planned,
    .progress = progress,
    .user_data = user_data,
    .cancellable = cancellable,
    .report = report,
  };
  *report = (TlExportReport){
    .failures = g_ptr_array_new_with_free_func (g_free),
  };
  TlExportJob asked = *job; /* a part has the recipe of the whole volume */
  GError *failed = NULL;
  asked.path = own.path;
  g_mutex_init (&export.mutex);
  const gboolean good = tl_export_take_part (job, &own.settings, &failed)
                        && tl_export_check_consent (&asked, &failed)
                        && make_unless_whole (&export, &asked, &failed);
  if (export.staging != NULL && failed != NULL)
    {
      tl_staging_name_target (export.staging, failed);
      add_lacking (&export, failed);
    }
  clear (&export, failed);
  if (!good)
    g_propagate_error (error, failed);
  if (good && progress != NULL && !report->was_whole)
    progress (1, user_data);
  return good;
}

void
tl_export_report_clear (TlExportReport *report)
{
  g_clear_pointer (&report->failures, g_ptr_array_unref);
  g_clear_pointer (&report->kept_path, g_free);
  g_clear_pointer (&report->damaged, g_free);
}

double
tl_export_report_get_clipped (const TlExportReport *report)
{
  const TlVolumeInfo *volume = &report->volume;
  const double n = (double)volume->n_slices * (double)volume->n_rows
                   * (double)volume->n_cols;
  return 100 * (double)(report->tally.n_below + report->tally.n_above) / n;
}

/* Returns: to which level @value belongs, from 0 to @n - 1 */
static double
find_level (double value, const TlVolumeInfo *volume, double n)
{
  const double part = (value - volume->low) / (volume->high - volume->low);
  return round (CLAMP (part, 0, 1) * (n - 1));
}

char *
tl_export_report_dup_doubt (const TlExportReport *report,
                            const TlExportSettings *settings)
{
  const TlVolumeInfo *volume = &report->volume;
  const double min = (double)report->tally.min, max = (double)report->tally.max;
  const double n = tl_volume_sample_max (settings->sample) + 1;
  if (n == 1 || !settings->has_range || report->was_whole || !(min <= max))
    return NULL;
  const double n_used =
      find_level (max, volume, n) - find_level (min, volume, n) + 1;
  const double clipped_percent = tl_export_report_get_clipped (report);
  if (clipped_percent > MAX_CLIPPED_PERCENT)
    return g_strdup_printf (
        _ ("%.3g %% of the pixels are clipped: the range is %g to %g, but the "
           "values are %g to %g, in the unit of the samples (1/pixel for "
           "attenuation); check the range and its unit"),
        clipped_percent, volume->low, volume->high, min, max);
  if (n_used < MIN_USED * n)
    return g_strdup_printf (
        _ ("the values use only %.0f of %.0f levels: the range is %g to %g, "
           "but all values are %g to %g, in the unit of the samples (1/pixel "
           "for attenuation); check the unit in which you gave the range"),
        n_used, n, volume->low, volume->high, min, max);
  return NULL;
}

char *
tl_export_report_dup_kept (const TlExportReport *report, const GError *error)
{
  if (!report->has_begun
      || (report->kept_path != NULL
          && strstr (error->message, report->kept_path) != NULL))
    return NULL;
  if (report->kept_path == NULL)
    return g_strdup (report->volume.plane == TL_PLANE_XY
                         ? _ ("nothing is kept")
                         : _ ("nothing is kept, because slices of the planes "
                              "xz and yz are whole only at the end of a pass "
                              "over the scan"));
  if (report->n_slices == 0)
    return g_strdup_printf (_ ("the unfinished volume stays in %s"),
                            report->kept_path);
  return g_strdup_printf (
      g_dngettext (NULL, "%zu of %zu slice is kept in %s",
                   "%zu of %zu slices are kept in %s", report->volume.n_slices),
      report->n_slices, report->volume.n_slices, report->kept_path);
}

static char *
dup_command (const TlExportJob *job, const char *output)
{
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  g_autofree char *options = tl_export_settings_to_options (&job->settings);
  g_autofree char *command =
      tl_recipe_to_command ("export", job->recipe, defaults, job->scan);
  return g_strconcat (command, options, " -o ", output, NULL);
}

char *
tl_export_dup_command (const TlExportJob *job)
{
  const char *suffix = tl_volume_format_get_info (job->settings.format)->suffix;
  g_autofree char *output = g_strconcat ("recon", suffix, NULL);
  return dup_command (job, output);
}

char *
tl_export_dup_own_command (const TlExportJob *job)
{
  g_autofree char *path = g_canonicalize_filename (job->path, NULL);
  g_autofree char *quoted = g_shell_quote (path);
  g_autofree char *command = dup_command (job, quoted);
  return job->n_parts > 0 ? g_strdup_printf ("%s --part %u/%u", command,
                                             job->part, job->n_parts)
                          : g_steal_pointer (&command);
}
