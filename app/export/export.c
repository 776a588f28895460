/* Exports with a reader and a writer at the two ends of a pipeline. Only the
 * reading thread of the pipeline uses the reader. */
#include "app/export/export.h"

#include "app/recon/recon.h"
#include "app/recon/rows.h"

#include "data/error.h"
#include "data/write/writer.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#define DESCRIPTION "attenuation per pixel length"
#define MAX_WRITERS 8

typedef struct
{
  TlRecon *recon;
  const TlScanInfo *info;
  const TlRecipe *recipe;
  const char *folder;
  size_t first_row, n_rows, block_rows;
  size_t margin; /* extra rows around a block */
  double *angles_rad;

  TlPipeline *pipeline;
  TlRows **rows; /* [n_buffers of the pipeline] */
  guint n_buffers;

  /* used by the reading thread while it runs */
  size_t n_mended;
  GMutex mutex; /* of the writing threads, for the fields below */
  gboolean made_folder;
  TlWriter *writer; /* (nullable): opened when the first slice is ready */
  size_t n_written;
} Export;

static gboolean
read_rows (gpointer data, guint buffer, size_t first_row, size_t n_rows,
           TlBlock *block, GCancellable *cancellable, GError **error)
{
  Export *export = data;
  TlReader *reader = tl_recon_get_reader (export->recon);
  TlRows *rows = export->rows[buffer];
  if (!tl_rows_read (rows, reader, NULL, first_row, n_rows, export->margin,
                     cancellable, error))
    return FALSE;
  export->n_mended += tl_reader_get_n_mended (reader);
  *block = tl_rows_get_block (rows, export->info, export->angles_rad);
  block->kept_bytes = block->n_projections * rows->max_rows * block->n_cols
                      * tl_sample_size (block->type);
  return TRUE;
}

static gboolean
save_recipe (const Export *export, GError **error)
{
  g_autofree char *path =
      g_build_filename (export->folder, TL_EXPORT_RECIPE, NULL);
  return tl_recipe_save (export->recipe, export->info->path, path, error);
}

/* Creates the folder only when the first slice is ready, so that an error in
 * the scan, the recipe or the machine leaves nothing behind. */
static gboolean
open_output (Export *export, GError **error)
{
  const TlGrid *grid = &export->recipe->params.grid;
  if (export->writer != NULL)
    return TRUE;
  export->made_folder = !g_file_test (export->folder, G_FILE_TEST_EXISTS);
  export->writer =
      tl_writer_open (export->folder, export->first_row, export->n_rows,
                      grid->ny, grid->nx, DESCRIPTION, error);
  return export->writer != NULL;
}

/* Saves the recipe after the first slice: a folder with a recipe but no slice
 * would look like half an export. */
static gboolean
count_slice (Export *export, GError **error)
{
  return export->n_written++ > 0 || save_recipe (export, error);
}

static gboolean
write_slice (gpointer data, size_t row, const float *pixels, GError **error)
{
  Export *export = data;
  g_mutex_lock (&export->mutex);
  gboolean good = open_output (export, error);
  g_mutex_unlock (&export->mutex);
  if (!good || !tl_writer_write (export->writer, row, pixels, error))
    return FALSE;
  g_mutex_lock (&export->mutex);
  good = count_slice (export, error);
  g_mutex_unlock (&export->mutex);
  return good;
}

static gboolean
check_rows (const Export *export, GError **error)
{
  const size_t n_rows = export->info->n_rows;
  if (export->first_row < n_rows
      && export->n_rows <= n_rows - export->first_row)
    return TRUE;
  g_autofree char *name = g_filename_display_basename (export->info->path);
  return tl_fail (
      error, TL_ERROR_VALUE,
      _ ("%s: there are no slices %zu to %zu; the rows are 0 to %zu"), name,
      export->first_row, export->first_row + export->n_rows - 1, n_rows - 1);
}

/* Checks the room before anything is read, because the first block can take
 * minutes. */
static gboolean
check_room (const Export *export, GError **error)
{
  const TlGrid *grid = &export->recipe->params.grid;
  return tl_writer_check_room (export->folder, export->first_row,
                               export->n_rows, grid->ny, grid->nx, DESCRIPTION,
                               error);
}

/* Opens the pipeline on the engines of the recipe, or on host if the recon
 * has fallen back to host. */
static gboolean
open_pipeline (Export *export, guint n_devices, GError **error)
{
  const char *used = tl_engine_get_name (tl_recon_get_engine (export->recon));
  const char *wanted =
      strcmp (used, "host") == 0 ? used : export->recipe->engine;
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (wanted, n_devices, error);
  if (engines == NULL)
    return FALSE;
  export->pipeline = tl_pipeline_new ((const char *const *)engines, error);
  return export->pipeline != NULL;
}

static gboolean
set_up (Export *export, guint n_devices, GError **error)
{
  export->info = tl_reader_get_info (tl_recon_get_reader (export->recon));
  export->margin = tl_params_get_margin (
      &export->recipe->params, export->info->n_rows, export->info->n_cols);
  /* Opposite projections can make rows, and so slices, wider. */
  export->block_rows =
      MIN (tl_pipeline_choose_rows (export->info->n_projections,
                                    export->recipe->params.grid.nx),
           export->n_rows);
  /* Margins are read again for every block: with fewer blocks, fewer margins
   * are read. */
  if (export->margin > 0)
    export->block_rows = MIN (2 * export->block_rows, export->n_rows);
  if (!tl_check_output (export->info, export->folder, error)
      || !check_rows (export, error) || !check_room (export, error))
    return FALSE;
  export->angles_rad = tl_rows_angles (export->info, error);
  if (export->angles_rad == NULL || !open_pipeline (export, n_devices, error))
    return FALSE;
  export->n_buffers = tl_pipeline_get_n_buffers (export->pipeline);
  export->rows = g_new0 (TlRows *, export->n_buffers);
  /* The recon keeps its own rows in memory as well. */
  if (!tl_rows_check_memory (export->info, export->block_rows, export->margin,
                             export->n_buffers + 1, error))
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

static void
clear_export (Export *export)
{
  g_clear_pointer (&export->pipeline, tl_pipeline_free);
  for (guint k = 0; k < export->n_buffers; k++)
    tl_rows_free (export->rows[k]);
  g_free (export->rows);
  g_clear_pointer (&export->writer, tl_writer_close);
  g_free (export->angles_rad);
  g_mutex_clear (&export->mutex);
}

gboolean
tl_export (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
           size_t n_rows, const char *folder, guint n_devices,
           TlProgress progress, gpointer user_data, GCancellable *cancellable,
           TlExportReport *report, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL && folder != NULL,
                        FALSE);
  g_return_val_if_fail (n_rows > 0, FALSE);
  Export export = {
    .recon = recon,
    .recipe = recipe,
    .folder = folder,
    .first_row = first_row,
    .n_rows = n_rows,
  };
  TlExportReport done = { 0 };
  g_mutex_init (&export.mutex);
  gboolean good = set_up (&export, n_devices, error);
  if (good)
    {
      g_autofree char *name = g_filename_display_basename (export.info->path);
      const TlPipelineJob job = {
        .first_row = first_row,
        .n_rows = n_rows,
        .block_rows = export.block_rows,
        .params = &recipe->params,
        .read = read_rows,
        .write = write_slice,
        .n_writers = MIN (g_get_num_processors (), MAX_WRITERS),
        .data = &export,
        .name = name,
      };
      if (progress != NULL)
        progress (0, user_data);
      good = tl_pipeline_run (export.pipeline, &job, progress, user_data,
                              cancellable, &done.pipeline, error);
    }
  if (good && progress != NULL)
    progress (1, user_data);
  done.n_slices = export.n_written;
  done.n_mended = export.n_mended;
  if (report != NULL)
    *report = done;
  clear_export (&export);
  /* Fails if the folder is not empty, as it should. */
  if (export.made_folder && export.n_written == 0)
    g_rmdir (folder);
  return good;
}
