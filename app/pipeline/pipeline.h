/* Reconstructs many rows: reading, uploading, computing, downloading and
 * writing at the same time, on one engine or several.
 *
 * The rows are split into blocks. One thread reads them. Each engine has a
 * thread that loads and reconstructs, and one that fetches; as many others
 * write as pay. The next free engine takes the next
 * block, so that engines of different speed are all busy. The result of a block
 * does not depend on the engine that takes it: its rows are the same for any
 * number of engines. */
#pragma once

#include "app/pipeline/writers.h"
#include "data/progress.h"
#include "gpu/engine.h"

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

/* The names "reading", "uploading" and so on; %NULL-terminated. */
extern const char *const tl_pipeline_stage_names[TL_N_PIPELINE_STAGES + 1];

/**
 * TlPipelineRead:
 * @buffer: 0 … tl_pipeline_get_n_buffers() - 1: the memory to read into
 * @block: (out caller-allocates): what it points to must stay unchanged until
 *   the same @buffer is read again or the run ends
 *
 * Called in the reading thread, for each block in order.
 */
typedef gboolean (*TlPipelineRead) (gpointer data, guint buffer,
                                    size_t first_row, size_t n_rows,
                                    TlBlock *block, GCancellable *cancellable,
                                    GError **error);

/**
 * TlPipelineWrite:
 * @pixels: [grid.ny][grid.nx], the slice of @row
 *
 * Called in a writing thread, for the slices in any order and for several at
 * the same time.
 */
typedef gboolean (*TlPipelineWrite) (gpointer data, size_t row,
                                     const float *pixels, GError **error);

/**
 * TlPipelineFailed:
 * @error: of reading or computing the rows
 *
 * Called in a reading or computing thread.
 *
 * Returns: whether the run goes on without these rows
 */
typedef gboolean (*TlPipelineFailed) (gpointer data, size_t first_row,
                                      size_t n_rows, const GError *error);

/* What a run has to do. All pointers are borrowed. */
typedef struct
{
  size_t n_rows;
  const size_t *rows; /* [n_rows], ascending */
  size_t block_rows;  /* the most rows of a block, which are consecutive */
  const TlParams *params;
  TlPipelineRead read;
  TlPipelineWrite write;   /* (nullable): %NULL: slices are discarded */
  TlPipelineFailed failed; /* (nullable): %NULL: an error ends the run */
  gpointer data;           /* user data of read, write and failed */
  const char *name;        /* (nullable): of the data, for error messages */
} TlPipelineJob;

/* How long each stage was busy. */
typedef struct
{
  double wall_s; /* of the run, without opening the engines */
  /* Busy time of each stage; the stages overlap. For uploading, computing
   * and downloading it is the mean of all engines, for writing that of the
   * threads that may write at once. On a device, uploading and
   * computing are times of the device. */
  double busy_s[TL_N_PIPELINE_STAGES];
  size_t n_slices; /* written */
  size_t n_dead;   /* dead pixels replaced, see TlEngineReport */
  guint n_engines;
  size_t engine_bytes;      /* the most that an engine held on its device */
  const TlVariant *variant; /* (nullable): that an engine used last */
  guint n_writers;          /* threads that might write at once at the end */
} TlPipelineReport;

/**
 * tl_pipeline_choose_engines:
 * @name: as for tl_engine_open()
 * @n_wanted: number of devices; 0: all devices like the first one (a device
 *   with less memory could fail and so stop the others)
 *
 * Returns: (transfer full): names for tl_pipeline_new(); %NULL with
 *   TL_ERROR_UNSUPPORTED if there are fewer devices
 */
char **tl_pipeline_choose_engines (const char *name, guint n_wanted,
                                   GError **error);

/**
 * tl_pipeline_choose_rows:
 * @is_slow: on the host, or if a device inflates the rows
 * @method: not TL_METHOD_AUTO
 *
 * Returns: rows of a block: 8 if @is_slow, 16 by the Fourier method, else 32;
 *   fewer if their projections would take too much memory
 */
size_t tl_pipeline_choose_rows (size_t n_projections, size_t n_cols,
                                gboolean is_slow, TlMethod method);

/**
 * tl_pipeline_new:
 * @engines: %NULL-terminated; a name may appear more than once
 * @n_writers: how many threads may write at once, up to TL_MAX_WRITERS
 * @gives_way: reading, computing and writing leave processors and devices to
 *   others
 *
 * Opens each engine in a thread of its own, and waits until all are open.
 *
 * Returns: (transfer full): %NULL with an error of tl_engine_open()
 */
TlPipeline *tl_pipeline_new (const char *const *engines, guint n_writers,
                             gboolean gives_way, GError **error);

/** tl_pipeline_free: Closes the engines and waits for their threads. */
void tl_pipeline_free (TlPipeline *pipeline);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlPipeline, tl_pipeline_free)

/* Blocks in memory at once, before they are loaded, beyond one for each
 * engine: while each engine has a block, another is ready. */
#define TL_PIPELINE_SPARE_BLOCKS 1

/* Blocks of slices of an engine: one each is computed, waits, is fetched, is
 * written. */
#define TL_PIPELINE_N_SLOTS 4

/** tl_pipeline_get_n_buffers: Returns: the largest number of blocks in memory
 * at once, before they are loaded */
guint tl_pipeline_get_n_buffers (TlPipeline *pipeline);

/**
 * tl_pipeline_run:
 * @progress: (nullable) (scope call): called in the calling thread before
 *   each block is written, and ten times a second while no block arrives. If
 *   it cancels, the blocks after it are not written
 * @report: (out caller-allocates) (optional): also filled after an error
 *
 * May be called again, one run at a time. The first error stops all threads.
 *
 * Returns: %FALSE with the first error of read, write or an engine, or
 *   %G_IO_ERROR_CANCELLED
 */
gboolean tl_pipeline_run (TlPipeline *pipeline, const TlPipelineJob *job,
                          TlProgress progress, gpointer user_data,
                          GCancellable *cancellable, TlPipelineReport *report,
                          GError **error);

/**
 * tl_pipeline_guess_limit:
 *
 * For the progress callback of tl_pipeline_run(). Uploading counts as
 * computing, because a device tells its times only at the end of a run.
 *
 * Returns: the stage that was busy nearly all of the time until now, computing
 *   if no other was
 */
TlPipelineStage tl_pipeline_guess_limit (TlPipeline *pipeline);

/** tl_pipeline_find_limit: Returns: the stage that was busy longest */
TlPipelineStage tl_pipeline_find_limit (const TlPipelineReport *report);

/**
 * tl_pipeline_describe_limit:
 *
 * Returns: (transfer full): "limited by writing: 92 % of the time busy"
 */
char *tl_pipeline_describe_limit (const TlPipelineReport *report);
