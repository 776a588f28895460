/* Blocks and slots circulate; a queue never holds more than exist:
 *
 *             .------------ empty <------------.
 *             v                                |
 *   read --full--> load and reconstruct (each engine's thread)
 *                    ^         |
 *                  free    computed --> fetch (one for each engine)
 *                    |                    |
 *                 writers <------------ caller <--fetched--'
 *
 * After an error or a cancellation no more blocks are read. Blocks on their
 * way pass through the queues without work, and so do their slots, so that no
 * thread waits forever.
 *
 * These are threads and queues rather than GTask, because each thread handles
 * many blocks, and an engine must stay in the thread that opened it. One
 * GCancellable stops all of them. The threads that use engines keep their
 * priority where the others give way: a device's driver lets one thread in at a
 * time, and one that has to wait for a processor would keep the others out. */
#include "app/pipeline/pipeline.h"

#include "data/error.h"
#include "data/parallel.h"

#define PROGRESS_US (100 * 1000) /* between two progress reports */

/* A stage that is busy for this fraction of the time holds up the others. */
#define LIMIT_SHARE 0.8

/* Marks that travel through the queues like blocks and slots. A thread that
 * takes STOP ends. REPORT makes an engine's thread report, see
 * collect_reports(). After ALL_READ, Run.n_read is final. */
static char stop_mark, report_mark, all_read_mark;
#define STOP ((gpointer)&stop_mark)
#define REPORT ((gpointer)&report_mark)
#define ALL_READ ((gpointer)&all_read_mark)

typedef struct Run Run;
typedef struct Worker Worker;

typedef struct
{
  Run *run;
  guint buffer;
  size_t first_row, n_rows;
  gboolean is_read; /* block is valid */
  TlBlock block;
} Block;

typedef struct
{
  Run *run;
  Worker *worker;
  size_t first_row;
  TlFrame *frame; /* (nullable): %NULL: nothing to write */
} Slot;

/* An engine and its threads. */
struct Worker
{
  TlPipeline *pipeline;
  char *name;
  GThread *computing, *fetching;
  Slot slots[TL_PIPELINE_N_SLOTS];
  GAsyncQueue *free, *computed; /* queues of Slot */
  GAsyncQueue *resume;          /* lets the thread continue after its report */
  gint64 download_us;           /* in this run; guarded by Run.lock */

  /* what the engine reported last */
  TlEngineReport report;
  GError *error; /* (nullable): of opening the engine or of its last report */
};

struct TlPipeline
{
  guint n_workers, n_blocks;
  gboolean gives_way;
  Worker *workers;
  Block *blocks;
  GAsyncQueue *empty, *full; /* queues of Block */
  GAsyncQueue *fetched;      /* queue of Slot, with ALL_READ once in a run */
  GAsyncQueue *reported;     /* queue of Worker: opened, or has reported */
  TlWriters *writers;        /* of slots; a part is a slice */
  Run *run; /* (nullable): of the thread in tl_pipeline_run() */
};

struct Run
{
  TlPipeline *pipeline;
  const TlPipelineJob *job;
  GCancellable *cancellable; /* cancelled by the caller or by the first error */
  double written_s;          /* of the writers, before the run */
  gint64 start_us;
  size_t n_read; /* blocks that were pushed to full */

  GMutex lock; /* guards the fields below */
  GError *error;
  gint64 read_us;
  size_t n_written;
};

/* --- threads --- */

static gboolean
is_stopped (const Run *run)
{
  return g_cancellable_is_cancelled (run->cancellable);
}

/* Takes @error. Only the first error is kept. */
static void
stop_run (Run *run, GError *error)
{
  g_mutex_lock (&run->lock);
  if (run->error == NULL)
    run->error = error;
  else
    g_error_free (error);
  g_mutex_unlock (&run->lock);
  g_cancellable_cancel (run->cancellable);
}

/* Takes @error, of reading or computing rows. Stops the run unless it goes on
 * without them. */
static void
take_failure (Run *run, const Block *block, GError *error)
{
  const TlPipelineJob *job = run->job;
  if (!is_stopped (run) && job->failed != NULL
      && job->failed (job->data, block->first_row, block->n_rows, error))
    g_error_free (error);
  else
    stop_run (run, error);
}

static void
read_block (Run *run, Block *block)
{
  const TlPipelineJob *job = run->job;
  const gint64 start_us = g_get_monotonic_time ();
  GError *error = NULL;
  block->is_read =
      job->read (job->data, block->buffer, block->first_row, block->n_rows,
                 &block->block, run->cancellable, &error);
  if (!block->is_read)
    take_failure (run, block, error);
  g_mutex_lock (&run->lock);
  run->read_us += g_get_monotonic_time () - start_us;
  g_mutex_unlock (&run->lock);
}

/* Returns: how many of the rows from index @first on make a block */
static size_t
count_rows (const TlPipelineJob *job, size_t first)
{
  const size_t most = MIN (job->block_rows, job->n_rows - first);
  size_t n = 1;
  while (n < most && job->rows[first + n] == job->rows[first] + n)
    n++;
  return n;
}

static gpointer
read_blocks (gpointer data)
{
  Run *run = data;
  const TlPipelineJob *job = run->job;
  if (run->pipeline->gives_way)
    tl_thread_give_way (TL_WAY_BACKGROUND);
  for (size_t k = 0; k < job->n_rows && !is_stopped (run);)
    {
      Block *block = g_async_queue_pop (run->pipeline->empty);
      block->run = run;
      block->first_row = job->rows[k];
      block->n_rows = count_rows (job, k);
      block->is_read = FALSE;
      if (!is_stopped (run))
        read_block (run, block);
      k += block->n_rows;
      g_async_queue_push (run->pipeline->full, block);
      run->n_read++;
    }
  g_async_queue_push (run->pipeline->fetched, ALL_READ);
  return NULL;
}

/* Prefixes an error that the data caused with the name of the data. */
static void
name_data (const TlPipelineJob *job, GError **error)
{
  if (job->name != NULL && g_error_matches (*error, TL_ERROR, TL_ERROR_VALUE))
    g_prefix_error (error, "%s: ", job->name);
}

/* Returns @block to the empty queue as soon as it is loaded. */
static void
compute_block (Worker *worker, TlEngine *engine, Block *block)
{
  Run *run = block->run;
  Slot *slot = g_async_queue_pop (worker->free);
  GError *error = NULL;
  const Block rows = *block;
  slot->run = run;
  slot->first_row = block->first_row;
  const gboolean loaded = block->is_read && !is_stopped (run)
                          && tl_engine_load (engine, &block->block, &error);
  g_async_queue_push (worker->pipeline->empty, block);
  if (loaded)
    slot->frame = tl_engine_reconstruct (engine, run->job->params,
                                         run->cancellable, &error);
  if (error != NULL)
    {
      name_data (run->job, &error);
      take_failure (run, &rows, error);
    }
  g_async_queue_push (worker->computed, slot);
}

/* Runs in the engine's thread: stores the report of the engine, then waits
 * until all engines have reported. */
static void
send_report (Worker *worker, TlEngine *engine)
{
  g_clear_error (&worker->error);
  tl_engine_get_report (engine, &worker->report, &worker->error);
  g_async_queue_push (worker->pipeline->reported, worker);
  g_async_queue_pop (worker->resume);
}

static gpointer
compute_blocks (gpointer data)
{
  Worker *worker = data;
  TlPipeline *pipeline = worker->pipeline;
  TlEngine *engine =
      (pipeline->gives_way ? tl_engine_open_behind
                           : tl_engine_open) (worker->name, &worker->error);
  g_async_queue_push (pipeline->reported, worker);
  if (engine == NULL)
    return NULL;
  for (gpointer got; (got = g_async_queue_pop (pipeline->full)) != STOP;)
    if (got == REPORT)
      send_report (worker, engine);
    else
      compute_block (worker, engine, got);
  tl_engine_close (engine);
  return NULL;
}

/* The wait for the computation does not count as download time. */
static void
fetch_frame (Worker *worker, Slot *slot)
{
  GError *error = NULL;
  gboolean good = tl_frame_wait (slot->frame, &error);
  const gint64 start_us = g_get_monotonic_time ();
  good = good && tl_frame_fetch (slot->frame, &error);
  g_mutex_lock (&slot->run->lock);
  worker->download_us += g_get_monotonic_time () - start_us;
  g_mutex_unlock (&slot->run->lock);
  if (!good)
    stop_run (slot->run, error);
}

static gpointer
fetch_frames (gpointer data)
{
  Worker *worker = data;
  for (Slot *slot; (slot = g_async_queue_pop (worker->computed)) != STOP;)
    {
      if (slot->frame != NULL && !is_stopped (slot->run))
        fetch_frame (worker, slot);
      g_async_queue_push (worker->pipeline->fetched, slot);
    }
  return NULL;
}

/* Called by a writer. */
static void
write_slice (gpointer item, size_t slice)
{
  const Slot *slot = item;
  Run *run = slot->run;
  const TlPipelineJob *job = run->job;
  const size_t n_pixels =
      tl_frame_get_n_rows (slot->frame) * tl_frame_get_n_cols (slot->frame);
  GError *error = NULL;
  if (is_stopped (run))
    return;
  const gboolean good =
      job->write == NULL
      || job->write (job->data, slot->first_row + slice,
                     tl_frame_get_pixels (slot->frame) + slice * n_pixels,
                     &error);
  g_mutex_lock (&run->lock);
  run->n_written += good;
  g_mutex_unlock (&run->lock);
  if (!good)
    stop_run (run, error);
}

/* Called by a writer, and for a slot without slices. */
static void
return_slot (gpointer item)
{
  Slot *slot = item;
  g_clear_pointer (&slot->frame, tl_frame_unref);
  g_async_queue_push (slot->worker->free, slot);
}

/* --- opening and closing --- */

static void
start_worker (TlPipeline *pipeline, Worker *worker, const char *name)
{
  *worker = (Worker){
    .pipeline = pipeline,
    .name = g_strdup (name),
    .free = g_async_queue_new (),
    .computed = g_async_queue_new (),
    .resume = g_async_queue_new (),
  };
  for (guint k = 0; k < TL_PIPELINE_N_SLOTS; k++)
    {
      worker->slots[k].worker = worker;
      g_async_queue_push (worker->free, &worker->slots[k]);
    }
  worker->computing = g_thread_new ("engine", compute_blocks, worker);
  worker->fetching = g_thread_new ("download", fetch_frames, worker);
}

/* Returns: (transfer none) (nullable): the first error of opening or of the
 * last reports */
static GError *
find_error (TlPipeline *pipeline)
{
  for (guint k = 0; k < pipeline->n_workers; k++)
    if (pipeline->workers[k].error != NULL)
      return pipeline->workers[k].error;
  return NULL;
}

TlPipeline *
tl_pipeline_new (const char *const *engines, guint n_writers,
                 gboolean gives_way, GError **error)
{
  g_return_val_if_fail (engines != NULL && engines[0] != NULL, NULL);
  g_autoptr (TlPipeline) pipeline = g_new0 (TlPipeline, 1);
  pipeline->gives_way = gives_way;
  pipeline->empty = g_async_queue_new ();
  pipeline->full = g_async_queue_new ();
  pipeline->fetched = g_async_queue_new ();
  pipeline->reported = g_async_queue_new ();
  pipeline->writers =
      tl_writers_new (write_slice, return_slot, n_writers, gives_way);
  pipeline->n_workers = g_strv_length ((char **)engines);
  pipeline->workers = g_new0 (Worker, pipeline->n_workers);
  pipeline->n_blocks = pipeline->n_workers + TL_PIPELINE_SPARE_BLOCKS;
  pipeline->blocks = g_new0 (Block, pipeline->n_blocks);
  for (guint k = 0; k < pipeline->n_blocks; k++)
    {
      pipeline->blocks[k].buffer = k;
      g_async_queue_push (pipeline->empty, &pipeline->blocks[k]);
    }
  for (guint k = 0; k < pipeline->n_workers; k++)
    start_worker (pipeline, &pipeline->workers[k], engines[k]);
  for (guint k = 0; k < pipeline->n_workers; k++)
    g_async_queue_pop (pipeline->reported);
  if (find_error (pipeline) == NULL)
    return g_steal_pointer (&pipeline);
  g_propagate_error (error, g_error_copy (find_error (pipeline)));
  return NULL;
}

void
tl_pipeline_free (TlPipeline *pipeline)
{
  for (guint k = 0; k < pipeline->n_workers; k++)
    g_async_queue_push (pipeline->full, STOP);
  for (guint k = 0; k < pipeline->n_workers; k++)
    {
      Worker *worker = &pipeline->workers[k];
      g_async_queue_push (worker->computed, STOP);
      g_thread_join (worker->computing);
      g_thread_join (worker->fetching);
      g_async_queue_unref (worker->free);
      g_async_queue_unref (worker->computed);
      g_async_queue_unref (worker->resume);
      g_clear_error (&worker->error);
      g_free (worker->name);
    }
  tl_writers_free (pipeline->writers);
  g_free (pipeline->workers);
  g_free (pipeline->blocks);
  g_async_queue_unref (pipeline->empty);
  g_async_queue_unref (pipeline->full);
  g_async_queue_unref (pipeline->fetched);
  g_async_queue_unref (pipeline->reported);
  g_free (pipeline);
}

guint
tl_pipeline_get_n_buffers (TlPipeline *pipeline)
{
  return pipeline->n_blocks;
}

/* --- running --- */

/* Called between runs. Each engine's thread takes exactly one REPORT mark,
 * because it waits until all engines have reported. */
static void
collect_reports (TlPipeline *pipeline)
{
  for (guint k = 0; k < pipeline->n_workers; k++)
    g_async_queue_push (pipeline->full, REPORT);
  for (guint k = 0; k < pipeline->n_workers; k++)
    g_async_queue_pop (pipeline->reported);
  for (guint k = 0; k < pipeline->n_workers; k++)
    g_async_queue_push (pipeline->workers[k].resume, REPORT);
}

static double
get_fraction (Run *run)
{
  g_mutex_lock (&run->lock);
  const double fraction = (double)run->n_written / (double)run->job->n_rows;
  g_mutex_unlock (&run->lock);
  return fraction;
}

/* Passes fetched slots on to the writers. Each block that was read
 * gives one slot, possibly after a long time. */
static void
pass_on_slots (Run *run, TlProgress progress, gpointer user_data)
{
  GAsyncQueue *queue = run->pipeline->fetched;
  gboolean all_read = FALSE;
  for (size_t n = 0; !all_read || n < run->n_read;)
    {
      gpointer got = g_async_queue_timeout_pop (queue, PROGRESS_US);
      all_read = all_read || got == ALL_READ;
      if (got != ALL_READ && progress != NULL && !is_stopped (run))
        progress (get_fraction (run), user_data);
      if (got == NULL || got == ALL_READ)
        continue;
      Slot *slot = got;
      if (slot->frame != NULL)
        tl_writers_push (run->pipeline->writers, slot,
                         tl_frame_get_n_slices (slot->frame));
      else
        return_slot (slot);
      n++;
    }
}

/* Reads in a thread of its own, and waits until all is written. */
static void
run_threads (Run *run, TlProgress progress, gpointer user_data)
{
  GThread *reader = g_thread_new ("read", read_blocks, run);
  pass_on_slots (run, progress, user_data);
  g_thread_join (reader);
  tl_writers_wait (run->pipeline->writers);
}

/* The times that the threads know by themselves.
 * @report: (out caller-allocates) */
static void
measure_threads (Run *run, TlPipelineReport *report)
{
  const TlPipeline *pipeline = run->pipeline;
  const guint n = pipeline->n_workers;
  *report = (TlPipelineReport){
    .wall_s = (double)(g_get_monotonic_time () - run->start_us) / 1e6,
    .n_engines = n,
  };
  g_mutex_lock (&run->lock);
  report->busy_s[TL_PIPELINE_READ] = (double)run->read_us / 1e6;
  for (guint k = 0; k < n; k++)
    report->busy_s[TL_PIPELINE_DOWNLOAD] +=
        (double)pipeline->workers[k].download_us / 1e6 / n;
  report->busy_s[TL_PIPELINE_WRITE] =
      tl_writers_get_busy_s (pipeline->writers, &report->n_writers)
      - run->written_s;
  report->n_slices = run->n_written;
  g_mutex_unlock (&run->lock);
}

TlPipelineStage
tl_pipeline_guess_limit (TlPipeline *pipeline)
{
  TlPipelineReport report;
  g_return_val_if_fail (pipeline->run != NULL, TL_PIPELINE_COMPUTE);
  measure_threads (pipeline->run, &report);
  const TlPipelineStage limit = tl_pipeline_find_limit (&report);
  return report.busy_s[limit] > LIMIT_SHARE * report.wall_s
             ? limit
             : TL_PIPELINE_COMPUTE;
}

/* Adds the times of an engine between two reports. */
static void
add_times (const TlEngineReport *before, const Worker *worker,
           TlPipelineReport *report)
{
  const double n = report->n_engines;
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    report->busy_s[stage == TL_STAGE_UPLOAD ? TL_PIPELINE_UPLOAD
                                            : TL_PIPELINE_COMPUTE] +=
        (worker->report.total_ms[stage] - before->total_ms[stage]) / 1e3 / n;
  report->engine_bytes =
      MAX (report->engine_bytes, worker->report.memory_bytes);
  report->n_dead += worker->report.total_dead - before->total_dead;
  report->variant = worker->report.variant;
}

/* Runs, and collects the reports of the engines before and after. */
static void
run_and_report (Run *run, TlProgress progress, gpointer user_data,
                TlPipelineReport *report)
{
  TlPipeline *pipeline = run->pipeline;
  const guint n = pipeline->n_workers;
  g_autofree TlEngineReport *before = g_new (TlEngineReport, n);
  collect_reports (pipeline);
  for (guint k = 0; k < n; k++)
    {
      before[k] = pipeline->workers[k].report;
      pipeline->workers[k].download_us = 0;
    }
  run->start_us = g_get_monotonic_time ();
  run->written_s = tl_writers_get_busy_s (pipeline->writers, NULL);
  pipeline->run = run;
  run_threads (run, progress, user_data);
  pipeline->run = NULL;
  measure_threads (run, report);
  collect_reports (pipeline);
  for (guint k = 0; k < n; k++)
    add_times (&before[k], &pipeline->workers[k], report);
  if (find_error (pipeline) != NULL)
    stop_run (run, g_error_copy (find_error (pipeline)));
}

static void
pass_cancel_on (GCancellable *cancellable, gpointer data)
{
  g_cancellable_cancel (data);
}

gboolean
tl_pipeline_run (TlPipeline *pipeline, const TlPipelineJob *job,
                 TlProgress progress, gpointer user_data,
                 GCancellable *cancellable, TlPipelineReport *report,
                 GError **error)
{
  g_return_val_if_fail (pipeline != NULL && job != NULL, FALSE);
  g_return_val_if_fail (job->n_rows > 0 && job->block_rows > 0, FALSE);
  TlPipelineReport unwanted;
  Run run = {
    .pipeline = pipeline,
    .job = job,
    .cancellable = g_cancellable_new (),
  };
  g_mutex_init (&run.lock);
  const gulong handler =
      cancellable != NULL ? g_cancellable_connect (
          cancellable, G_CALLBACK (pass_cancel_on), run.cancellable, NULL)
                          : 0;
  run_and_report (&run, progress, user_data,
                  report != NULL ? report : &unwanted);
  if (cancellable != NULL)
    g_cancellable_disconnect (cancellable, handler);
  /* A cancellation after all rows were written is not an error. */
  if (run.error == NULL && run.n_written < job->n_rows)
    g_cancellable_set_error_if_cancelled (run.cancellable, &run.error);
  const gboolean good = run.error == NULL;
  if (!good)
    g_propagate_error (error, run.error);
  g_object_unref (run.cancellable);
  g_mutex_clear (&run.lock);
  return good;
}
