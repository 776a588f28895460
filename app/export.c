/* Three threads and two bounded queues:
 *
 *   in (reads rows) --full--> engine's thread (computes) --frames--> out
 * (writes)
 *        ^--------empty--------'           ^--------slots---------'
 *
 * The queues are GAsyncQueues that never hold more than the blocks and slots
 * that exist, N_BLOCKS and N_SLOTS of them; each goes round for ever. Only the
 * in thread touches the reader, only the out thread the writer.
 */
#include "app/export.h"

#include "app/recon-private.h"
#include "app/rows-private.h"

#include "data/error.h"
#include "data/writer.h"

#include <glib/gstdio.h>

/* One being read, one being computed. */
#define N_BLOCKS 2
/* One frame being written, one waiting: an engine makes three, shown frame and
 * the one in work included. */
#define N_SLOTS 2

/* Rows per block: enough for a kernel that takes four at once, and for files
 * that are read row by row; fewer where their sinograms would take more than
 * this much memory as floats. */
#define MAX_BLOCK_ROWS 8
#define MAX_BLOCK_BYTES ((size_t)256 << 20)

/* Goes down a queue where its reader is to stop. */
static char stop_mark;
#define STOP ((gpointer)&stop_mark)

typedef struct
{
  TlRows *rows;
  GError *error; /* of reading it; then it is the last */
} Block;

/* A finished frame on its way to disk. */
typedef struct
{
  TlFrame *frame;
  size_t first_row;
} Slot;

typedef struct
{
  TlRecon *recon;
  const TlScanInfo *info;
  const TlRecipe *recipe;
  const char *folder;
  size_t first_row, n_rows, block_rows;
  double *angles_rad;
  GCancellable *cancellable; /* the caller's, and the first error */

  Block blocks[N_BLOCKS];
  Slot slots[N_SLOTS];
  GAsyncQueue *empty, *full;  /* of Block */
  GAsyncQueue *free, *frames; /* of Slot */
  GThread *in, *out;

  gboolean made_folder;
  TlWriter *writer;         /* out thread's once that runs */
  GError *out_error;        /* read after joining */
  gint out_failed;          /* atomic */
  gint n_written;           /* atomic */
  gint64 read_us, write_us; /* of the threads; read after joining */
  gint64 compute_us;
  size_t n_mended; /* of the in thread; read after joining */
  size_t n_dead;
} Export;

static gpointer
read_blocks (gpointer data)
{
  Export *export = data;
  TlReader *reader = tl_recon_get_reader (export->recon);
  const size_t end = export->first_row + export->n_rows;
  for (size_t row = export->first_row; row < end; row += export->block_rows)
    {
      Block *block = g_async_queue_pop (export->empty);
      if ((gpointer)block == STOP)
        break;
      const gint64 start_us = g_get_monotonic_time ();
      const gboolean good = tl_rows_read (block->rows, reader, row,
                                          MIN (export->block_rows, end - row),
                                          export->cancellable, &block->error);
      export->read_us += g_get_monotonic_time () - start_us;
      export->n_mended += good ? tl_reader_get_n_mended (reader) : 0;
      g_async_queue_push (export->full, block);
      if (!good)
        break;
    }
  return NULL;
}

static gboolean
save_recipe (const Export *export, GError **error)
{
  g_autofree char *path =
      g_build_filename (export->folder, TL_EXPORT_RECIPE, NULL);
  return tl_recipe_save_export (export->recipe, export->info->path,
                                export->first_row, export->n_rows, path, error);
}

static gboolean
write_slot (Export *export, const Slot *slot, GError **error)
{
  const size_t n_pixels =
      tl_frame_get_n_rows (slot->frame) * tl_frame_get_n_cols (slot->frame);
  const float *pixels = tl_frame_get_pixels (slot->frame);
  for (size_t k = 0; k < tl_frame_get_n_slices (slot->frame); k++)
    {
      if (g_cancellable_set_error_if_cancelled (export->cancellable, error)
          || !tl_writer_write (export->writer, slot->first_row + k,
                               pixels + k * n_pixels, error))
        return FALSE;
      /* only now: a recipe without a slice would be half an export */
      if (g_atomic_int_add (&export->n_written, 1) == 0
          && !save_recipe (export, error))
        return FALSE;
    }
  return TRUE;
}

/* After an error it only empties the slots, so that nobody waits for one. */
static gpointer
write_slots (gpointer data)
{
  Export *export = data;
  for (Slot *slot; (slot = g_async_queue_pop (export->frames)) != STOP;)
    {
      const gint64 start_us = g_get_monotonic_time ();
      if (export->out_error == NULL
          && !write_slot (export, slot, &export->out_error))
        g_atomic_int_set (&export->out_failed, TRUE);
      export->write_us += g_get_monotonic_time () - start_us;
      g_clear_pointer (&slot->frame, tl_frame_unref);
      g_async_queue_push (export->free, slot);
    }
  return NULL;
}

/* Loads, reconstructs and fetches; gives @block back as soon as it can. */
static TlFrame *
compute_block (Export *export, Block *block, GError **error)
{
  TlEngine *engine = tl_recon_get_engine (export->recon);
  TlEngineReport report;
  const gint64 start_us = g_get_monotonic_time ();
  const gboolean loaded = tl_rows_load (block->rows, export->info,
                                        export->angles_rad, engine, error);
  g_async_queue_push (export->empty, block);
  if (!loaded)
    return NULL;
  g_autoptr (TlFrame) frame = tl_engine_reconstruct (
      engine, &export->recipe->params, export->cancellable, error);
  if (frame == NULL)
    {
      tl_rows_name_scan (export->info, error);
      return NULL;
    }
  if (!tl_frame_fetch (frame, error)
      || !tl_engine_get_report (engine, &report, error))
    return NULL;
  export->n_dead += report.n_dead;
  export->compute_us += g_get_monotonic_time () - start_us;
  return g_steal_pointer (&frame);
}

/* The folder is made with the first frame in hand, so that whatever is wrong
 * with the scan, the recipe or the machine leaves nothing behind. */
static gboolean
open_output (Export *export, const TlFrame *frame, GError **error)
{
  const char *folder = export->folder;
  export->made_folder = !g_file_test (folder, G_FILE_TEST_EXISTS);
  export->writer = tl_writer_open (
      folder, export->first_row, export->n_rows, tl_frame_get_n_rows (frame),
      tl_frame_get_n_cols (frame), "attenuation per pixel length", error);
  if (export->writer == NULL)
    return FALSE;
  export->out = g_thread_new ("export-out", write_slots, export);
  return TRUE;
}

static gboolean
compute_all (Export *export, TlProgress progress, gpointer user_data,
             GError **error)
{
  const size_t end = export->first_row + export->n_rows;
  for (size_t row = export->first_row; row < end; row += export->block_rows)
    {
      Block *block = g_async_queue_pop (export->full);
      if (block->error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&block->error));
          return FALSE;
        }
      g_autoptr (TlFrame) frame = compute_block (export, block, error);
      if (frame == NULL
          || (export->writer == NULL && !open_output (export, frame, error)))
        return FALSE;
      Slot *slot = g_async_queue_pop (export->free);
      slot->frame = g_steal_pointer (&frame);
      slot->first_row = row;
      g_async_queue_push (export->frames, slot);
      if (g_atomic_int_get (&export->out_failed))
        return FALSE; /* its error is taken after joining */
      if (progress != NULL)
        progress ((double)g_atomic_int_get (&export->n_written)
                      / (double)export->n_rows,
                  user_data);
    }
  return TRUE;
}

/* Stops and joins both threads; @good: what is still queued is to be written.
 */
static void
join_threads (Export *export, gboolean good)
{
  if (!good)
    g_cancellable_cancel (export->cancellable);
  g_async_queue_push (export->empty, STOP);
  g_thread_join (export->in);
  if (export->out != NULL)
    {
      g_async_queue_push (export->frames, STOP);
      g_thread_join (export->out);
    }
}

static size_t
choose_block_rows (const TlScanInfo *info)
{
  const size_t row_bytes = info->n_projections * info->n_cols * sizeof (float);
  return CLAMP (MAX_BLOCK_BYTES / MAX (row_bytes, 1), 1, MAX_BLOCK_ROWS);
}

static gboolean
set_up (Export *export, GError **error)
{
  export->info = tl_reader_get_info (tl_recon_get_reader (export->recon));
  export->block_rows = MIN (choose_block_rows (export->info), export->n_rows);
  if (!tl_check_output (export->info, export->folder, error))
    return FALSE;
  if (export->first_row >= export->info->n_rows
      || export->n_rows > export->info->n_rows - export->first_row)
    {
      g_autofree char *name = g_filename_display_basename (export->info->path);
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   "%s: there are no slices %zu to %zu; the rows are 0 to %zu",
                   name, export->first_row,
                   export->first_row + export->n_rows - 1,
                   export->info->n_rows - 1);
      return FALSE;
    }
  export->angles_rad = tl_rows_angles (export->info, error);
  if (export->angles_rad == NULL)
    return FALSE;
  for (size_t k = 0; k < N_BLOCKS; k++)
    {
      export->blocks[k].rows =
          tl_rows_new (export->info, export->block_rows, error);
      if (export->blocks[k].rows == NULL)
        return FALSE;
      g_async_queue_push (export->empty, &export->blocks[k]);
    }
  for (size_t k = 0; k < N_SLOTS; k++)
    g_async_queue_push (export->free, &export->slots[k]);
  return TRUE;
}

static void
clear_export (Export *export)
{
  for (size_t k = 0; k < N_BLOCKS; k++)
    {
      tl_rows_free (export->blocks[k].rows);
      g_clear_error (&export->blocks[k].error);
    }
  g_clear_pointer (&export->writer, tl_writer_close);
  g_clear_error (&export->out_error);
  g_free (export->angles_rad);
  g_object_unref (export->cancellable);
  g_async_queue_unref (export->empty);
  g_async_queue_unref (export->full);
  g_async_queue_unref (export->free);
  g_async_queue_unref (export->frames);
}

static void
pass_cancel_on (GCancellable *cancellable, gpointer data)
{
  g_cancellable_cancel (data);
}

/* Runs the threads; the first error is the one reported. */
static gboolean
run_export (Export *export, TlProgress progress, gpointer user_data,
            GError **error)
{
  g_autoptr (GError) engine_error = NULL;
  if (!set_up (export, error))
    return FALSE;
  export->in = g_thread_new ("export-in", read_blocks, export);
  gboolean good = compute_all (export, progress, user_data, &engine_error);
  join_threads (export, good);
  if (export->out_error != NULL
      && (engine_error == NULL
          || !g_error_matches (export->out_error, G_IO_ERROR,
                               G_IO_ERROR_CANCELLED)))
    g_propagate_error (error, g_steal_pointer (&export->out_error));
  else if (engine_error != NULL)
    g_propagate_error (error, g_steal_pointer (&engine_error));
  else
    return TRUE;
  /* fails, rightly, where something is in it */
  if (export->made_folder && export->n_written == 0)
    g_rmdir (export->folder);
  return FALSE;
}

gboolean
tl_export (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
           size_t n_rows, const char *folder, TlProgress progress,
           gpointer user_data, GCancellable *cancellable,
           TlExportReport *report, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL && folder != NULL,
                        FALSE);
  g_return_val_if_fail (n_rows > 0, FALSE);
  const gint64 start_us = g_get_monotonic_time ();
  Export export = {
    .recon = recon,
    .recipe = recipe,
    .folder = folder,
    .first_row = first_row,
    .n_rows = n_rows,
    .cancellable = g_cancellable_new (),
    .empty = g_async_queue_new (),
    .full = g_async_queue_new (),
    .free = g_async_queue_new (),
    .frames = g_async_queue_new (),
  };
  const gulong handler =
      cancellable != NULL ? g_cancellable_connect (
          cancellable, G_CALLBACK (pass_cancel_on), export.cancellable, NULL)
                          : 0;
  const gboolean good = run_export (&export, progress, user_data, error);
  if (cancellable != NULL)
    g_cancellable_disconnect (cancellable, handler);
  if (good && progress != NULL)
    progress (1, user_data);
  if (report != NULL)
    *report = (TlExportReport){
      .wall_s = (double)(g_get_monotonic_time () - start_us) / 1e6,
      .read_s = (double)export.read_us / 1e6,
      .compute_s = (double)export.compute_us / 1e6,
      .write_s = (double)export.write_us / 1e6,
      .n_slices = (size_t) export.n_written,
      .n_dead = export.n_dead,
      .n_mended = export.n_mended,
    };
  /* The engine holds the rows of the last block now. */
  tl_recon_set_engine (recon, tl_recon_get_engine (recon));
  clear_export (&export);
  return good;
}
