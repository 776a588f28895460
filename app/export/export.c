/* Exports with a reader and a folder of files at the two ends of a pipeline.
 * Only the reading thread of the pipeline uses the reader. */
#include "app/export/export.h"
#include "app/export/journal.h"
#include "app/export/volume-private.h"

#include "app/recon/recon.h"
#include "app/recon/rows.h"

#include "data/error.h"
#include "data/write/part-file.h"
#include "data/write/staging.h"
#include "data/write/writer.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#define DESCRIPTION "attenuation per pixel length"
#define MAX_WRITERS 8

/* So many slices may fail before the first one is made. */
#define MAX_FIRST_FAILURES 8

typedef struct
{
  const TlExportJob *job;
  const TlParams *params;
  TlReader *reader;
  const TlScanInfo *info;
  char *name;    /* of the scan */
  size_t margin; /* extra rows around a block */
  double *angles_rad;

  TlPipeline *pipeline;
  TlRows **rows; /* [n_buffers of the pipeline] */
  guint n_buffers;
  size_t block_rows;

  TlStaging *staging;
  gboolean is_new; /* this export has made the hidden folder */
  char *folder;    /* in the hidden folder */
  TlJournal *journal;
  GArray *to_do; /* of size_t: the rows of the slices that are not there */

  GMutex mutex;  /* guards the fields below */
  GArray *again; /* of size_t: rows of blocks that failed as a whole */
  TlExportReport *report;
} Export;

/* --- the two ends of the pipeline --- */

static gboolean
read_rows (gpointer data, guint buffer, size_t first_row, size_t n_rows,
           TlBlock *block, GCancellable *cancellable, GError **error)
{
  Export *export = data;
  TlRows *rows = export->rows[buffer];
  if (!tl_rows_read (rows, export->reader, NULL, first_row, n_rows,
                     export->margin, cancellable, error))
    return FALSE;
  export->report->n_mended += tl_reader_get_n_mended (export->reader);
  *block = tl_rows_get_block (rows, export->info, export->angles_rad);
  block->kept_bytes = block->n_projections * rows->max_rows * block->n_cols
                      * tl_sample_size (block->type);
  return TRUE;
}

static char *
dup_slice_path (const Export *export, size_t row)
{
  g_autofree char *name = g_strdup_printf (
      TL_SLICE_PREFIX "%05" G_GSIZE_FORMAT TL_SLICE_SUFFIX, row);
  return g_build_filename (export->folder, name, NULL);
}

static gboolean
write_slice (gpointer data, size_t row, const float *pixels, GError **error)
{
  Export *export = data;
  const TlGrid *grid = &export->params->grid;
  g_autofree char *path = dup_slice_path (export, row);
  if (!tl_write_tiff (path, pixels, grid->ny, grid->nx, DESCRIPTION, error)
      || !tl_journal_add (export->journal, row, path, error))
    return FALSE;
  g_mutex_lock (&export->mutex);
  export->report->n_slices++;
  g_mutex_unlock (&export->mutex);
  return TRUE;
}

/* Rows that failed together are tried again one by one. */
static gboolean
take_failure (gpointer data, size_t first_row, size_t n_rows,
              const GError *error)
{
  Export *export = data;
  const gboolean is_fault_of_data =
      g_error_matches (error, TL_ERROR, TL_ERROR_VALUE)
      || g_error_matches (error, TL_ERROR, TL_ERROR_FILE)
      || g_error_matches (error, TL_ERROR, TL_ERROR_FORMAT);
  if (export->job->is_strict || !is_fault_of_data)
    return FALSE;
  g_mutex_lock (&export->mutex);
  TlExportReport *report = export->report;
  if (n_rows == 1)
    g_ptr_array_add (report->failures,
                     g_strdup_printf (_ ("slice %zu cannot be made: %s"),
                                      first_row, error->message));
  for (size_t k = 0; n_rows > 1 && k < n_rows; k++)
    {
      const size_t row = first_row + k;
      g_array_append_val (export->again, row);
    }
  const gboolean goes_on =
      report->n_slices > 0
      || report->failures->len + export->again->len / export->block_rows
             < MIN (MAX_FIRST_FAILURES, export->job->n_slices);
  g_mutex_unlock (&export->mutex);
  return goes_on;
}

/* --- preparing --- */

static size_t
get_row (const Export *export, size_t slice)
{
  return export->job->first_row + slice * export->job->step;
}

static gboolean
check_rows (const Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  const size_t n_rows = export->info->n_rows;
  const size_t last = get_row (export, job->n_slices - 1);
  if (last < n_rows)
    return TRUE;
  return tl_fail (
      error, TL_ERROR_VALUE,
      _ ("%s: there are no slices %zu to %zu; the rows are 0 to %zu"),
      export->name, job->first_row, last, n_rows - 1);
}

/* Checks the room before anything is read, because the first block can take
 * minutes. */
static gboolean
check_room (const Export *export, size_t n_slices, GError **error)
{
  const TlGrid *grid = &export->params->grid;
  const guint64 slice_bytes = (guint64)grid->nx * grid->ny * sizeof (float);
  return tl_check_room (export->job->folder,
                        (slice_bytes + TL_SLICE_OVERHEAD_BYTES) * n_slices,
                        error);
}

static gboolean
open_scan (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  TlReaderOptions options;
  tl_recipe_reader_options (job->recipe, &options);
  export->reader = tl_reader_open (job->scan, &options, error);
  if (export->reader == NULL)
    return FALSE;
  export->info = tl_reader_get_info (export->reader);
  export->angles_rad = tl_rows_angles (export->info, error);
  export->margin = tl_params_get_margin (export->params, export->info->n_rows,
                                         export->info->n_cols);
  return export->angles_rad != NULL && check_rows (export, error);
}

static gboolean
open_pipeline (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (job->recipe->engine, job->n_devices, error);
  if (engines == NULL)
    return FALSE;
  export->pipeline = tl_pipeline_new ((const char *const *)engines, error);
  if (export->pipeline == NULL)
    return FALSE;
  /* Opposite projections can make rows, and so slices, wider. */
  export->block_rows =
      MIN (tl_pipeline_choose_rows (export->info->n_projections,
                                    export->params->grid.nx),
           job->n_slices);
  /* Margins are read again for every block: with fewer blocks, fewer margins
   * are read. */
  if (export->margin > 0)
    export->block_rows = MIN (2 * export->block_rows, job->n_slices);
  return TRUE;
}

static gboolean
make_buffers (Export *export, GError **error)
{
  export->n_buffers = tl_pipeline_get_n_buffers (export->pipeline);
  export->rows = g_new0 (TlRows *, export->n_buffers);
  if (!tl_rows_check_memory (export->info, export->block_rows, export->margin,
                             export->n_buffers, error))
    return FALSE;
  for (guint k = 0; k < export->n_buffers; k++)
    {
      export->rows[k] =
          tl_rows_new (export->info, export->block_rows, export->margin, error);
      if (export->rows[k] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Opens the hidden folder: one that an earlier export has left, or a new one.
 */
static gboolean
open_staging (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  export->staging = tl_staging_find (job->folder);
  if (export->staging != NULL && !job->resumes)
    {
      if (!tl_staging_remove (export->staging, error))
        return FALSE;
      g_clear_pointer (&export->staging, tl_staging_free);
    }
  export->is_new = export->staging == NULL;
  if (export->is_new)
    export->staging = tl_staging_new (job->folder, error);
  return export->staging != NULL;
}

static gboolean
has_block (const Export *export, size_t first_slice, size_t n)
{
  for (size_t k = first_slice; k < first_slice + n; k++)
    {
      const size_t row = get_row (export, k);
      g_autofree char *path = dup_slice_path (export, row);
      if (!tl_journal_has (export->journal, row, path))
        return FALSE;
    }
  return TRUE;
}

/* Creates the folder of the slices, and makes the list of those that are not
 * there. Blocks are made again as a whole: on a GPU the last bit of a slice
 * depends on its neighbours in the block. */
static gboolean
open_volume (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  const char *hidden = tl_staging_get_path (export->staging);
  size_t n;
  g_autofree char *canonical = g_canonicalize_filename (job->folder, NULL);
  g_autofree char *name = g_path_get_basename (canonical);
  g_autofree char *identity =
      tl_volume_dup_identity (job->recipe, export->info->path);
  export->folder = g_build_filename (hidden, name, NULL);
  if (g_mkdir (export->folder, 0777) != 0 && errno != EEXIST)
    return tl_set_write_error (error, job->folder, errno, NULL);
  g_autofree char *recipe =
      g_build_filename (export->folder, TL_EXPORT_RECIPE, NULL);
  export->journal = tl_journal_open (hidden, identity, error);
  if (export->journal == NULL)
    {
      g_prefix_error (error, "%s: ", job->folder);
      return FALSE;
    }
  for (size_t k = 0; k < job->n_slices; k += n)
    {
      n = job->step == 1 ? MIN (export->block_rows, job->n_slices - k) : 1;
      if (!has_block (export, k, n))
        for (size_t i = k; i < k + n; i++)
          {
            const size_t row = get_row (export, i);
            g_array_append_val (export->to_do, row);
          }
    }
  export->report->n_resumed = job->n_slices - export->to_do->len;
  export->report->n_slices = export->report->n_resumed;
  return check_room (export, export->to_do->len, error)
         && tl_recipe_save (job->recipe, export->info->path, recipe, error);
}

static gboolean
check_consent (const TlExportJob *job, GError **error)
{
  g_autofree char *question = NULL;
  gboolean can_resume;
  return tl_export_check_target (job, &question, &can_resume, error)
         && (question == NULL || job->overwrites
             || tl_fail (error, TL_ERROR_FILE, "%s", question));
}

static gboolean
set_up (Export *export, GError **error)
{
  const TlExportJob *job = export->job;
  return check_consent (job, error) && open_scan (export, error)
         && (job->resumes || check_room (export, job->n_slices, error))
         && open_pipeline (export, error) && make_buffers (export, error)
         && open_staging (export, error) && open_volume (export, error);
}

/* --- running --- */

/* Makes the slices of @rows, in blocks of @block_rows at most. */
static gboolean
run (Export *export, GArray *rows, size_t block_rows, TlProgress progress,
     gpointer user_data, GCancellable *cancellable, GError **error)
{
  const TlPipelineJob job = {
    .n_rows = rows->len,
    .rows = (const size_t *)(gpointer)rows->data,
    .block_rows = block_rows,
    .params = export->params,
    .read = read_rows,
    .write = write_slice,
    .failed = take_failure,
    .n_writers = MIN (g_get_num_processors (), MAX_WRITERS),
    .data = export,
    .name = export->name,
  };
  return rows->len == 0
         || tl_pipeline_run (export->pipeline, &job, progress, user_data,
                             cancellable, &export->report->pipeline, error);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const size_t row_a = *(const size_t *)a, row_b = *(const size_t *)b;
  return row_a < row_b ? -1 : row_a > row_b;
}

static gboolean
make_slices (Export *export, TlProgress progress, gpointer user_data,
             GCancellable *cancellable, GError **error)
{
  if (!run (export, export->to_do, export->block_rows, progress, user_data,
            cancellable, error))
    return FALSE;
  g_array_sort (export->again, compare_rows);
  g_autoptr (GArray) again = g_steal_pointer (&export->again);
  export->again = g_array_new (FALSE, FALSE, sizeof (size_t));
  if (!run (export, again, 1, progress, user_data, cancellable, error))
    return FALSE;
  if (export->report->n_slices > 0)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE, "%s",
                  (char *)export->report->failures->pdata[0]);
}

/* The folder with the slices takes its place. */
static gboolean
finish (Export *export, GError **error)
{
  g_autofree char *name = g_path_get_basename (export->folder);
  const char *const names[] = { name, NULL };
  return tl_staging_commit (export->staging, names, export->job->overwrites,
                            error);
}

/* What was made stays for an export that resumes. */
static void
clear (Export *export)
{
  g_clear_pointer (&export->pipeline, tl_pipeline_free);
  for (guint k = 0; k < export->n_buffers; k++)
    tl_rows_free (export->rows[k]);
  g_free (export->rows);
  g_clear_pointer (&export->journal, tl_journal_close);
  if (export->staging != NULL && export->is_new
      && export->report->n_slices == 0)
    tl_staging_remove (export->staging, NULL);
  tl_staging_free (export->staging);
  g_clear_pointer (&export->reader, tl_reader_close);
  g_free (export->folder);
  g_free (export->name);
  g_free (export->angles_rad);
  g_array_unref (export->to_do);
  g_array_unref (export->again);
  g_mutex_clear (&export->mutex);
}

gboolean
tl_export (const TlExportJob *job, TlProgress progress, gpointer user_data,
           GCancellable *cancellable, TlExportReport *report, GError **error)
{
  g_return_val_if_fail (job != NULL && report != NULL, FALSE);
  g_return_val_if_fail (job->n_slices > 0 && job->step > 0, FALSE);
  Export export = {
    .job = job,
    .params = &job->recipe->params,
    .name = g_filename_display_basename (job->scan),
    .to_do = g_array_new (FALSE, FALSE, sizeof (size_t)),
    .again = g_array_new (FALSE, FALSE, sizeof (size_t)),
    .report = report,
  };
  *report = (TlExportReport){
    .failures = g_ptr_array_new_with_free_func (g_free),
  };
  g_mutex_init (&export.mutex);
  const gboolean good =
      set_up (&export, error)
      && make_slices (&export, progress, user_data, cancellable, error)
      && finish (&export, error);
  clear (&export);
  if (good && progress != NULL)
    progress (1, user_data);
  return good;
}

void
tl_export_report_clear (TlExportReport *report)
{
  g_clear_pointer (&report->failures, g_ptr_array_unref);
}
