/* The engine: from raw samples of a few detector rows to slices.
 *
 * One interface, two backends (gpu/host, and gpu/cuda as a module opened at run
 * time). An engine belongs to the thread that opened it. The work is a chain of
 * stages whose results are kept:
 *
 *   upload -> correct -> zingers -> tilt -> phase -> rings -> transform ->
 *   filter -> back-project
 *
 * tl_engine_reconstruct() runs those that a changed parameter invalidates; the
 * table is in request.c.
 */
#pragma once

#include <gio/gio.h>

#include "gpu/backend/ceilings.h"
#include "gpu/backend/comparison.h"
#include "gpu/backend/frame.h"
#include "gpu/backend/sharpness.h"
#include "gpu/backend/stats.h"
#include "gpu/backend/variant.h"
#include "gpu/choice/tuning.h"
#include "gpu/stages/block.h"
#include "gpu/stages/params.h"
#include "gpu/stages/stage.h"

G_BEGIN_DECLS

typedef struct TlEngine TlEngine;

/* What the last reconstruction did; plain value. */
typedef struct
{
  guint n_runs[TL_N_STAGES];    /* since the engine was opened */
  double last_ms[TL_N_STAGES];  /* of the last run of each; device time where
                                   the engine is a device */
  double total_ms[TL_N_STAGES]; /* of all runs since the engine was opened; runs
                                   that failed do not count */
  const TlVariant *variant;     /* (nullable) that was used last */
  const char *fallback;         /* (nullable), interned: one sentence, which one
                                   should have been and why it was not */
  guint n_folded; /* pixels of one slice done together by symmetry: 1, 2 or 4 */
  size_t n_dead;  /* dead pixels replaced in the slices' own rows */
  size_t total_dead;   /* in all rows loaded since it was opened */
  size_t memory_bytes; /* held by the engine on its device */
} TlEngineReport;

/**
 * tl_engine_open:
 * @name: "auto" (cuda where it works, else host), "cuda", "host", or "cuda:1"
 *   and so on: the CUDA device of that number; "cuda" is number 0
 *
 * The calling thread becomes the owner; all other functions want it.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_UNSUPPORTED that says why the
 *   engine is not to be had ("no CUDA device: …")
 */
TlEngine *tl_engine_open (const char *name, GError **error);
void tl_engine_close (TlEngine *engine);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlEngine, tl_engine_close)

/**
 * tl_engine_list_devices:
 * @name: as for tl_engine_open()
 *
 * What @name could mean on this machine, a name for tl_engine_open() for each
 * device that can be used: "cuda" and "cuda:1" for both "cuda" and "auto" where
 * there are two. Any thread.
 *
 * Returns: (transfer full): %NULL-terminated; empty where there is none
 */
char **tl_engine_list_devices (const char *name);

/**
 * tl_engine_describe_device:
 * @name: as for tl_engine_open()
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): what tl_engine_get_device() would say,
 *   %NULL where it cannot be used
 */
char *tl_engine_describe_device (const char *name);

/** tl_engine_get_name: Returns: "cuda" or "host". */
const char *tl_engine_get_name (TlEngine *engine);

/** tl_engine_get_device: Returns: "NVIDIA H200", "2 threads, AVX2" … */
const char *tl_engine_get_device (TlEngine *engine);

/**
 * tl_engine_describe_machine:
 *
 * What was found on this machine and why an engine can or cannot be used, one
 * line for each device of each engine. Any thread.
 *
 * Returns: (transfer full)
 */
char *tl_engine_describe_machine (void);

/** tl_engine_list_variants: Returns: (transfer none): [@n], preferred first;
 * constant for as long as the program runs. */
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
 * tl_engine_dup_tuning:
 *
 * Returns: (transfer full): what the engine chooses by, for more to be added;
 *   empty where there is nothing
 */
TlTuning *tl_engine_dup_tuning (TlEngine *engine);

/**
 * tl_engine_set_tuning:
 * @tuning: (nullable): copied; %NULL: the engine's own preferences alone
 *
 * How the engine chooses among the variants that do what is asked. At first it
 * is what tl_tuning_load() finds in the user's cache folder.
 */
void tl_engine_set_tuning (TlEngine *engine, const TlTuning *tuning);

/**
 * tl_engine_measure_ceilings:
 * @ceilings: (out caller-allocates): all 0 on the host, where nothing of it is
 *   known
 *
 * Keeps a device busy for some hundredths of a second, with micro-benchmarks.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
gboolean tl_engine_measure_ceilings (TlEngine *engine, TlCeilings *ceilings,
                                     GError **error);

/**
 * tl_engine_list_transforms:
 *
 * Returns: (transfer none): those the engine has, its choice first; ended by
 *   TL_TRANSFORM_AUTO
 */
const TlTransform *tl_engine_list_transforms (TlEngine *engine);

/**
 * tl_engine_use_transform:
 *
 * For measuring and for tests, as tl_engine_use_variant(). One that the engine
 * does not have makes reconstructions fail with TL_ERROR_UNSUPPORTED. A block
 * of several slices whose axis is tilted, and not turned back, is transformed
 * by TL_TRANSFORM_REAL whatever is asked for: its rows are moved by different
 * distances.
 */
void tl_engine_use_transform (TlEngine *engine, TlTransform transform);

/**
 * tl_engine_load:
 * @block: samples are copied before the function returns
 *
 * Makes @block the data of the next reconstructions. On a device it does not
 * wait for those before, so that the transfer and their computing overlap, but
 * it does wait for the last but one.
 *
 * Returns: %FALSE with TL_ERROR_VALUE (a row whose flat field is nowhere above
 *   its dark field, an angle that is not a number), TL_ERROR_MEMORY or
 *   TL_ERROR_DEVICE; nothing is loaded then
 */
gboolean tl_engine_load (TlEngine *engine, const TlBlock *block,
                         GError **error);

/**
 * tl_engine_reconstruct:
 * @params: copied
 * @cancellable: (nullable): looked at between stages and batches
 *
 * Filters and back-projects every row of the block but those above and below
 * that are for phase retrieval and tilt alone. On a device it returns
 * before the device has finished: whoever reads the pixels calls
 * tl_frame_wait() or tl_frame_fetch().
 *
 * A variant of the engine's own choice that cannot be started, for what the
 * device is or for its size, is replaced by the next best that can, and not
 * tried again before a block of another shape is loaded; what fails on grids
 * coarser than columns is not tried again on those. The report says so.
 *
 * Returns: (transfer full): [slices][grid.ny][grid.nx], attenuation per pixel
 *   length; %NULL with TL_ERROR_VALUE, TL_ERROR_UNSUPPORTED (no such variant:
 *   the message says what there is), TL_ERROR_MEMORY, TL_ERROR_DEVICE
 *   (engine lost) or %G_IO_ERROR_CANCELLED
 */
TlFrame *tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                                GCancellable *cancellable, GError **error);

/**
 * tl_engine_correct:
 * @params: copied
 * @cancellable: (nullable): as of tl_engine_reconstruct()
 *
 * Runs the stages before the first transform, where they have not run with
 * @params: for tl_engine_read_corrected() without a slice.
 *
 * Returns: %FALSE with any error of tl_engine_reconstruct()
 */
gboolean tl_engine_correct (TlEngine *engine, const TlParams *params,
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
 * tl_engine_measure_sharpness:
 * @frame: made by this engine; of any shape, so that a region has figures too
 * @radius: pixels within this distance of the picture's middle are looked at;
 *   infinite: all
 * @low: where the histogram begins, and @high, where it ends; what is beyond
 *   counts as of the end
 * @sharpness: (out caller-allocates)
 *
 * How sharp a slice looks. Entropy, negativity and squared gradient are those
 * of Donath, Beckmann, Schreyer, Automated determination of the center of
 * rotation in tomography data, J. Opt. Soc. Am. A 23 (2006) 1048. Pixels that
 * are not finite, or whose neighbours are not, are left out. Computed where the
 * frame is, in doubles, the same to the bit each time; waits for the result.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
gboolean tl_engine_measure_sharpness (TlEngine *engine, TlFrame *frame,
                                      size_t slice, double radius, float low,
                                      float high, TlSharpness *sharpness,
                                      GError **error);

/**
 * tl_engine_compare:
 * @frame: made by this engine, as @reference
 * @reference: of the same shape; may be @frame itself
 * @figures: (out caller-allocates)
 *
 * Takes @reference from @frame, pixel by pixel, in the engine's own memory;
 * waits for the figures. A pixel that is not finite in either is not finite in
 * the result, and is left out of the figures. Both frames stay the caller's.
 *
 * Returns: (transfer full): the differences, a frame like any other; %NULL with
 *   TL_ERROR_MEMORY or TL_ERROR_DEVICE, and then @figures are undefined
 */
TlFrame *tl_engine_compare (TlEngine *engine, TlFrame *frame,
                            TlFrame *reference, TlComparison *figures,
                            GError **error);

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
 * @dest: (out caller-allocates): [n_projections][slices][n_cols], host memory:
 *   what the filter is given
 *
 * For looking and for tests. TL_ERROR_VALUE before the first
 * tl_engine_reconstruct() or tl_engine_correct().
 */
gboolean tl_engine_read_corrected (TlEngine *engine, float *dest,
                                   GError **error);

G_END_DECLS
