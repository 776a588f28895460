/* Many rows to slices: reading, uploading, computing, downloading and writing
 * at the same time, on one engine or several.
 *
 * The rows go in blocks. A thread reads them, each engine has a thread that
 * loads and reconstructs and one that fetches, and others write. The next free
 * engine takes the next block, so that engines of different speed are all busy;
 * what a block becomes does not depend on who takes it, for its rows are the
 * same whatever the number of engines.
 */
#pragma once

#include "data/progress.h"
#include "gpu/engine.h"

G_BEGIN_DECLS

typedef struct TlPipeline TlPipeline;

typedef enum
{
  TL_PIPELINE_READ,
  TL_PIPELINE_UPLOAD,
  TL_PIPELINE_COMPUTE,
  TL_PIPELINE_DOWNLOAD,
  TL_PIPELINE_WRITE,
  TL_N_PIPELINE_STAGES
} TlPipelineStage;

/* "reading", "uploading" … */
extern const char *const tl_pipeline_stage_names[TL_N_PIPELINE_STAGES + 1];

/**
 * TlPipelineRead:
 * @buffer: 0 … tl_pipeline_get_n_buffers() - 1: the memory to read into
 * @block: (out caller-allocates): whatever it points to stays as it is until
 *   the same @buffer is to be read again, or the run ends
 *
 * Called in the reading thread, for block after block in order.
 */
typedef gboolean (*TlPipelineRead) (gpointer data, guint buffer,
                                    size_t first_row, size_t n_rows,
                                    TlBlock *block, GCancellable *cancellable,
                                    GError **error);

/**
 * TlPipelineWrite:
 * @frame: (transfer none): fetched, the slices from @first_row on
 *
 * Called in a writing thread, for blocks in any order.
 */
typedef gboolean (*TlPipelineWrite) (gpointer data, size_t first_row,
                                     TlFrame *frame, GCancellable *cancellable,
                                     GError **error);

/* What a run is to do; all lent. */
typedef struct
{
  size_t first_row, n_rows;
  size_t block_rows; /* of all blocks but the last */
  const TlParams *params;
  TlPipelineRead read;
  TlPipelineWrite write;
  guint n_writers;  /* threads that call write at once, 1 or more */
  gpointer data;    /* for both */
  const char *name; /* (nullable): of the data, for errors that blame them */
} TlPipelineJob;

/* Where the time went. */
typedef struct
{
  double wall_s; /* of the run: the engines were open before */
  /* The stages overlap. Of uploading, computing and downloading the mean of all
   * engines, of writing that of all writing threads; on a device the first two
   * are its own times. */
  double busy_s[TL_N_PIPELINE_STAGES];
  size_t n_slices; /* of the blocks that were written */
  size_t n_dead;   /* dead pixels replaced, see TlEngineReport */
  guint n_engines;
} TlPipelineReport;

/**
 * tl_pipeline_choose_engines:
 * @name: as for tl_engine_open()
 * @n_wanted: how many devices; 0: all that are like the first, for one with
 *   less memory could end what the others can do
 *
 * Returns: (transfer full): names for tl_pipeline_new(); %NULL with
 *   TL_ERROR_UNSUPPORTED where there are fewer
 */
char **tl_pipeline_choose_engines (const char *name, guint n_wanted,
                                   GError **error);

/**
 * tl_pipeline_choose_rows:
 *
 * Returns: rows of a block, as many as kernels take at once or twice that, and
 *   fewer where their projections would take too much memory
 */
size_t tl_pipeline_choose_rows (size_t n_projections, size_t n_cols);

/**
 * tl_pipeline_new:
 * @engines: %NULL-terminated; the same may be there more than once
 *
 * Opens them, each in a thread of its own, and waits for that.
 *
 * Returns: (transfer full): %NULL with an error of tl_engine_open()
 */
TlPipeline *tl_pipeline_new (const char *const *engines, GError **error);
void tl_pipeline_free (TlPipeline *pipeline);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlPipeline, tl_pipeline_free)

/**
 * tl_pipeline_get_n_buffers:
 *
 * Returns: how many blocks are in memory at once at most, before they are
 *   loaded. Of frames there are at most 4 for each engine.
 */
guint tl_pipeline_get_n_buffers (TlPipeline *pipeline);

/**
 * tl_pipeline_run:
 * @progress: (nullable) (scope call): in the calling thread, before a block is
 *   written, and while none comes ten times a second: a block that comes after
 *   a cancelled call is not written
 * @report: (out caller-allocates) (optional): filled after an error too
 *
 * May be called again, one run at a time. The first error stops all threads.
 *
 * Returns: %FALSE with the first error, of read, write or an engine, or
 *   %G_IO_ERROR_CANCELLED
 */
gboolean tl_pipeline_run (TlPipeline *pipeline, const TlPipelineJob *job,
                          TlProgress progress, gpointer user_data,
                          GCancellable *cancellable, TlPipelineReport *report,
                          GError **error);

/** tl_pipeline_find_limit: Returns: the stage that was busy for longest. */
TlPipelineStage tl_pipeline_find_limit (const TlPipelineReport *report);

/**
 * tl_pipeline_describe_limit:
 *
 * Returns: (transfer full): "limited by writing: 92 % of the time busy"
 */
char *tl_pipeline_describe_limit (const TlPipelineReport *report);

G_END_DECLS
