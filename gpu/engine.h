/* The engine: from raw samples of a few detector rows to slices.
 *
 * One interface, two backends (gpu/host, and gpu/cuda as a module opened at run
 * time). An engine belongs to the thread that opened it. The work is a chain of
 * stages whose results are kept:
 *
 *   upload -> correct -> transform -> filter -> back-project
 *
 * tl_engine_reconstruct() runs those that a changed parameter invalidates; the
 * table is in engine.c.
 */
#pragma once

#include <gio/gio.h>

#include "data/samples.h"
#include "gpu/frame.h"
#include "gpu/params.h"

G_BEGIN_DECLS

typedef struct TlEngine TlEngine;

typedef enum
{
  TL_STAGE_UPLOAD,    /* samples and fields to the engine's memory */
  TL_STAGE_CORRECT,   /* flat field, dead pixels, -log */
  TL_STAGE_TRANSFORM, /* pad, forward transform */
  TL_STAGE_FILTER,    /* multiply, inverse transform, kernel's own layout */
  TL_STAGE_BACKPROJECT,
  TL_N_STAGES
} TlStage;

extern const char *const tl_stage_names[TL_N_STAGES + 1];

/* Raw data of a few detector rows; plain value, all host memory, lent. */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  TlSampleType type;
  const void *samples;      /* [n_projections][n_rows][n_cols] */
  const double *angles_rad; /* [n_projections] */
  const float *dark;        /* (nullable) [n_rows][n_cols] */
  const float *flat_first; /* (nullable) [n_rows][n_cols], first projection's */
  const float *flat_last;  /* (nullable) the last one's; those between are
                              interpolated; %NULL: flat_first for all */
} TlBlock;

/* A way to back-project; the lists are the backends'. Plain value. */
typedef struct
{
  const char *name; /* "texture-linear-fast-4" */
  TlKernel kernel;
  TlInterpolation interpolation;
  TlPrecision precision;
  guint n_slices; /* done at once by one pass: 1, 2 or 4 */
} TlVariant;

/* What the last reconstruction did; plain value. */
typedef struct
{
  guint n_runs[TL_N_STAGES];   /* since the engine was opened */
  double last_ms[TL_N_STAGES]; /* of the last run of each; device time where
                                  the engine is a device */
  const TlVariant *variant;    /* (nullable) that was used last */
  size_t n_dead;               /* dead pixels replaced in the loaded rows */
  size_t memory_bytes;         /* held by the engine on its device */
} TlEngineReport;

/* Figures of one slice for the histogram and the automatic window. */
#define TL_HISTOGRAM_BINS 512
typedef struct
{
  float min, max; /* of the finite pixels */
  double mean;
  guint32 histogram[TL_HISTOGRAM_BINS]; /* equal steps from min to max */
} TlStats;

/**
 * tl_engine_open:
 * @name: "auto" (cuda where it works, else host), "cuda" or "host"
 *
 * The calling thread becomes the owner; all other functions want it.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_UNSUPPORTED that says why the
 *   engine is not to be had ("no CUDA device: …")
 */
TlEngine *tl_engine_open (const char *name, GError **error);
void tl_engine_close (TlEngine *engine);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlEngine, tl_engine_close)

/** tl_engine_get_name: Returns: "cuda" or "host". */
const char *tl_engine_get_name (TlEngine *engine);

/** tl_engine_get_device: Returns: "NVIDIA H200", "2 threads, AVX2" … */
const char *tl_engine_get_device (TlEngine *engine);

/**
 * tl_engine_describe_machine:
 *
 * What was found on this machine and why an engine can or cannot be used, one
 * line for each engine. Any thread.
 *
 * Returns: (transfer full)
 */
char *tl_engine_describe_machine (void);

/** tl_engine_list_variants: Returns: (transfer none): [@n]. */
const TlVariant *const *tl_engine_list_variants (TlEngine *engine, size_t *n);

/**
 * tl_engine_use_variant:
 * @variant: (nullable): one of tl_engine_list_variants(); %NULL: the engine
 *   chooses, as it does at first
 *
 * For measuring and for tests: the next reconstructions are done with @variant,
 * whatever kernel, interpolation and precision their parameters name.
 */
void tl_engine_use_variant (TlEngine *engine, const TlVariant *variant);

/**
 * tl_engine_load:
 * @block: samples are copied before the function returns
 *
 * Makes @block the data of the next reconstructions.
 *
 * Returns: %FALSE with TL_ERROR_VALUE (a row whose flat field is nowhere above
 *   its dark field), TL_ERROR_MEMORY or TL_ERROR_DEVICE; nothing is loaded then
 */
gboolean tl_engine_load (TlEngine *engine, const TlBlock *block,
                         GError **error);

/**
 * tl_engine_reconstruct:
 * @params: copied
 * @cancellable: (nullable): looked at between stages and batches
 *
 * Filters and back-projects every row of the block. On a device it returns
 * before the device has finished: whoever reads the pixels calls
 * tl_frame_wait() or tl_frame_fetch().
 *
 * Returns: (transfer full): [n_rows][grid.ny][grid.nx], attenuation per pixel
 *   length; %NULL with TL_ERROR_VALUE, TL_ERROR_UNSUPPORTED (no such variant:
 *   the message lists those there are), TL_ERROR_MEMORY, TL_ERROR_DEVICE
 *   (engine lost) or %G_IO_ERROR_CANCELLED
 */
TlFrame *tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                                GCancellable *cancellable, GError **error);

/**
 * tl_engine_invalidate:
 *
 * Makes the next reconstruction run @stage and all after it: for measuring.
 */
void tl_engine_invalidate (TlEngine *engine, TlStage stage);

/**
 * tl_engine_measure:
 * @stats: (out caller-allocates)
 *
 * Computed where the frame is; waits for the result.
 */
gboolean tl_engine_measure (TlEngine *engine, TlFrame *frame, size_t slice,
                            TlStats *stats, GError **error);

/**
 * tl_engine_get_report:
 * @report: (out caller-allocates)
 *
 * Waits for the device where times are still outstanding.
 */
gboolean tl_engine_get_report (TlEngine *engine, TlEngineReport *report,
                               GError **error);

/**
 * tl_engine_read_corrected:
 * @dest: (out caller-allocates): [n_projections][n_rows][n_cols] of the block,
 *   host memory: what the filter is given
 *
 * For looking and for tests. TL_ERROR_VALUE before the first reconstruction.
 */
gboolean tl_engine_read_corrected (TlEngine *engine, float *dest,
                                   GError **error);

G_END_DECLS
