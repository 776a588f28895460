/* The engine: from raw samples of a few detector rows to slices.
 *
 * One interface, two backends (gpu/host, and gpu/cuda as a module opened at run
 * time). An engine belongs to the thread that opened it. It runs a
 * chain of stages and keeps the result of each:
 *
 *   upload -> correct -> zingers -> tilt -> phase -> rings -> transform ->
 *   filter -> back-project
 *
 * tl_engine_reconstruct() runs only the stages that a changed parameter
 * invalidates; the table is in request.c.
 */
#pragma once

#include <gio/gio.h>

#include "data/inflater.h"
#include "gpu/backend/figures.h"
#include "gpu/backend/frame.h"
#include "gpu/backend/sharpness.h"
#include "gpu/backend/variant.h"
#include "gpu/choice/tuning.h"
#include "gpu/stages/block.h"
#include "gpu/stages/params.h"
#include "gpu/stages/stage.h"

typedef struct TlEngine TlEngine;

/* What the last reconstruction did; plain value. */
typedef struct
{
  guint n_runs[TL_N_STAGES];    /* since the engine was opened */
  double last_ms[TL_N_STAGES];  /* of the last run of each; device time where
                                   the engine is a device */
  double total_ms[TL_N_STAGES]; /* of all runs since the engine was opened; runs
                                   that failed do not count */
  const TlVariant *variant;     /* (nullable): used last */
  const char *fallback;         /* (nullable), interned: one sentence: which
                                   variant or method was preferred, and why it
                                   could not be used */
  guint n_folded; /* pixels of a slice that share one row position by symmetry:
                     1, 2, 4 */
  size_t n_dead;  /* dead pixels replaced in the slices' own rows */
  size_t total_dead;   /* in all rows loaded since it was opened */
  size_t memory_bytes; /* held by the engine on its device */
} TlEngineReport;

/**
 * tl_engine_open:
 * @name: "auto" (cuda where it works, else host), "cuda", "host", or "cuda:1"
 *   and so on: the CUDA device of that number; "cuda" is number 0
 *
 * The calling thread becomes the owner. The other functions assert that they
 * are called by the owner, unless they say "any thread".
 *
 * Returns: (transfer full): %NULL with TL_ERROR_UNSUPPORTED, which says why the
 * engine cannot be used ("no CUDA device: …")
 */
TlEngine *tl_engine_open (const char *name, GError **error);

/** tl_engine_open_behind: As tl_engine_open(), for work that no one waits for:
 * on a device other engines of the program come first, and host lowers the
 * priority of the calling thread, see tl_thread_give_way(). */
TlEngine *tl_engine_open_behind (const char *name, GError **error);
void tl_engine_close (TlEngine *engine);

/** tl_engine_open_inflater: @name: as for tl_engine_open(); @gives_way: as of
 * tl_engine_open_behind(). Any thread. Returns: (transfer full) (nullable):
 * what inflates compressed projections on the engine's device; %NULL: the
 * processor has to */
TlInflater *tl_engine_open_inflater (const char *name, gboolean gives_way);

/**
 * tl_engine_pin:
 * @name: as for tl_engine_open()
 * @memory: host memory, [@bytes], with nothing in it yet: it is written to
 *
 * Pins @memory, so that every device of the engine's kind copies from it and
 * into it directly, without a copy in between. Several threads touch the pages
 * first, which takes less time than in the one thread that would fill them.
 * This pays where the same memory is filled again and again. No engine has to
 * be open. Any thread but that of an engine of another device: the engine's
 * device becomes the thread's current one.
 *
 * Returns: %FALSE if the engine has no device, or the system does not allow it:
 *   no error, copies take another way
 */
gboolean tl_engine_pin (const char *name, void *memory, size_t bytes);

/** tl_engine_unpin: Ends tl_engine_pin() with the same @name if that returned
 * %TRUE. Call it before @memory is freed, when no load or inflater uses it any
 * more; engines may be open or closed. Threads as of tl_engine_pin(). */
void tl_engine_unpin (const char *name, void *memory);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlEngine, tl_engine_close)

/**
 * tl_engine_list_devices:
 * @name: as for tl_engine_open()
 *
 * Lists the devices that @name stands for, as names for tl_engine_open(). With
 * two CUDA devices, both "cuda" and "auto" give "cuda" and "cuda:1". Any
 * thread.
 *
 * Returns: (transfer full): %NULL-terminated; empty if no device can be used
 */
char **tl_engine_list_devices (const char *name);

/**
 * tl_engine_describe_device:
 * @name: as for tl_engine_open()
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): the text of tl_engine_get_device() for
 * that device; %NULL if the device cannot be used
 */
char *tl_engine_describe_device (const char *name);

/**
 * tl_engine_settle_method:
 * @name: as for tl_engine_open()
 * @params: of the slices
 * @n_projections: of the scan
 * @n_cols: of the detector
 * @method: (out): that of @params, or what TL_METHOD_AUTO stands for
 * @note: (out) (nullable), interned: why it is not the method that the engine
 *   prefers, in one sentence
 *
 * The method is the faster one for as many slices at once as the engine can
 * make; an engine that makes fewer at once may choose another. The answer
 * depends on the machine and its tl_tuning_load(), and on nothing that was
 * computed before. Any thread.
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED if the engine cannot be used, or
 *   has no variant for @params, or with TL_ERROR_VALUE if they are out of range
 */
gboolean tl_engine_settle_method (const char *name, const TlParams *params,
                                  size_t n_projections, size_t n_cols,
                                  TlMethod *method, const char **note,
                                  GError **error);

/** tl_engine_count_free: @name: as for tl_engine_open(). Any thread. Returns:
 * the bytes of the device's own memory that are free; 0 if it has none, or
 * cannot tell */
guint64 tl_engine_count_free (const char *name);

/** tl_engine_get_name: Returns: "cuda" or "host". */
const char *tl_engine_get_name (TlEngine *engine);

/** tl_engine_dup_device_name: Returns: (transfer full): the name by which
 * tl_engine_open() opens the same device: "cuda:1" */
char *tl_engine_dup_device_name (TlEngine *engine);

/** tl_engine_get_device: Returns: "NVIDIA H200", "2 threads, AVX2" … */
const char *tl_engine_get_device (TlEngine *engine);

/** tl_engine_describe_machine: Says for each device of each engine, one line
 * each, whether it can be used, and why not. Any thread. Returns: (transfer
 * full) */
char *tl_engine_describe_machine (void);

/** tl_engine_list_variants: Returns: (transfer none): [@n], preferred first;
 * constant for as long as the program runs. */
const TlVariant *const *tl_engine_list_variants (TlEngine *engine, size_t *n);

/**
 * tl_engine_use_variant:
 * @variant: (nullable): one of tl_engine_list_variants(); %NULL: the engine
 * chooses, which is the default
 *
 * For measurements and tests: the next reconstructions use @variant, whatever
 * kernel, interpolation and precision their parameters name.
 */
void tl_engine_use_variant (TlEngine *engine, const TlVariant *variant);

/** tl_engine_dup_tuning: Returns: (transfer full): a copy of the engine's table
 * of measured variants; an empty table if it has none */
TlTuning *tl_engine_dup_tuning (TlEngine *engine);

/**
 * tl_engine_set_tuning:
 * @tuning: (nullable): copied; %NULL: only the engine's built-in preferences
 *
 * For tests: sets the measurements by which the engine chooses among suitable
 * variants. At first it uses what tl_tuning_load() finds in the user's cache
 * folder, which is all that the program needs.
 */
void tl_engine_set_tuning (TlEngine *engine, const TlTuning *tuning);

/**
 * tl_engine_measure_ceilings:
 * @ceilings: (out caller-allocates): all 0 on the host, which has no such
 *   benchmarks
 *
 * Runs micro-benchmarks, which keep a device busy for some hundredths of a
 * second.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
gboolean tl_engine_measure_ceilings (TlEngine *engine, TlCeilings *ceilings,
                                     GError **error);

/** tl_engine_list_transforms: Returns: (transfer none): the transforms of the
 * engine, the preferred one first; ends with TL_TRANSFORM_AUTO */
const TlTransform *tl_engine_list_transforms (TlEngine *engine);

/** tl_engine_use_transform: For measurements and tests, as
 * tl_engine_use_variant(). If the engine does not have @transform,
 * reconstructions fail with TL_ERROR_UNSUPPORTED. Several slices with a tilted
 * axis whose projections are not turned back always use TL_TRANSFORM_REAL,
 * because their rows are shifted by different distances. */
void tl_engine_use_transform (TlEngine *engine, TlTransform transform);

/**
 * tl_engine_load:
 * @block: samples are copied before the function returns
 *
 * Makes @block the input of the next reconstructions. On a device the transfer
 * overlaps with the reconstruction before it; the call waits for the one before
 * that.
 *
 * Returns: %FALSE with TL_ERROR_VALUE (in some row the flat field is nowhere
 * above the dark field, or an angle is not a number), TL_ERROR_MEMORY or
 *   TL_ERROR_DEVICE; no block is loaded then
 */
gboolean tl_engine_load (TlEngine *engine, const TlBlock *block,
                         GError **error);

/**
 * tl_engine_give_back:
 *
 * Frees the loaded block and all that was made of it: the engine holds no more
 * memory than when it was opened, but for the frames that others have. The
 * memory of these is freed when an engine makes its next frame after they were.
 * Nothing is loaded then, and tl_engine_load() comes next. An engine keeps the
 * memory of the largest block that it had, until this is called: it is for the
 * end of work that took much of it. On a device it waits for the work.
 */
void tl_engine_give_back (TlEngine *engine);

/** tl_engine_get_load: Returns: a number of what is loaded, which nothing else
 * that any engine loads has; 0: nothing is loaded */
guint tl_engine_get_load (TlEngine *engine);

/**
 * tl_engine_reconstruct:
 * @params: copied
 * @cancellable: (nullable): looked at between stages and batches
 *
 * Filters and back-projects the rows of the block, except the n_above and
 * n_below rows, which serve phase retrieval and tilt only. On a device the call
 * returns before the device has finished: call tl_frame_wait() or
 * tl_frame_fetch() before reading pixels.
 *
 * If a variant that the engine chose cannot be started on this device, or needs
 * too much memory, the next best variant takes its place, and the report says
 * so. The failed variant is not tried again until a block of another shape is
 * loaded. Grids coarser than columns keep a list of failures of their own.
 * TL_METHOD_AUTO goes to back-projection in the same way; a method that is
 * named stays.
 *
 * Returns: (transfer full): [slices][grid.ny][grid.nx], attenuation per pixel
 *   length; %NULL with TL_ERROR_VALUE, TL_ERROR_UNSUPPORTED (no such variant:
 *   the message says what there is), TL_ERROR_MEMORY, TL_ERROR_DEVICE
 *   (engine lost) or %G_IO_ERROR_CANCELLED
 */
TlFrame *tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                                GCancellable *cancellable, GError **error);

/**
 * tl_engine_reconstruct_plane:
 * @plane: copied; its z counts from the first of the block's slices
 * @params: copied; the grid does not matter
 * @cancellable: (nullable): as of tl_engine_reconstruct()
 *
 * As tl_engine_reconstruct(), at the pixels of @plane. Between two rows their
 * slices are interpolated linearly, and beyond the first and the last row of
 * the block the value falls to 0 within one row. So the sum of the frames of
 * blocks that share the rows of a scan, each row in one of them, is the plane
 * of the whole scan. Precision is full, and the kernel is the engine's own.
 *
 * Returns: (transfer full): [1][plane.ny][plane.nx], attenuation per pixel
 *   length; %NULL with any error of tl_engine_reconstruct(), TL_ERROR_VALUE
 *   also for a plane without pixels or out of reach, and TL_ERROR_UNSUPPORTED
 *   for the Fourier method and for interpolations that the engine's planes
 *   lack
 */
TlFrame *tl_engine_reconstruct_plane (TlEngine *engine, const TlPlane *plane,
                                      const TlParams *params,
                                      GCancellable *cancellable,
                                      GError **error);

/**
 * tl_engine_correct:
 * @params: copied
 * @cancellable: (nullable): as of tl_engine_reconstruct()
 *
 * Runs the stages before "transform" that are not up to date, so that
 * tl_engine_read_corrected() can be used without making a slice.
 *
 * Returns: %FALSE with any error of tl_engine_reconstruct()
 */
gboolean tl_engine_correct (TlEngine *engine, const TlParams *params,
                            GCancellable *cancellable, GError **error);

/** tl_engine_invalidate: Makes the next reconstruction run @stage and all
 * stages after it: for measurements. */
void tl_engine_invalidate (TlEngine *engine, TlStage stage);

/**
 * tl_engine_measure:
 * @frame: made by this engine
 * @stats: (out caller-allocates)
 *
 * Computes the statistics where the frame is, and waits for them.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
gboolean tl_engine_measure (TlEngine *engine, TlFrame *frame, size_t slice,
                            TlStats *stats, GError **error);

/**
 * tl_engine_measure_sharpness:
 * @frame: made by this engine; of any shape
 * @radius: only pixels within this distance from the middle of the picture
 * count; infinite: all pixels
 * @low: the value where the histogram begins
 * @high: the value where it ends; values beyond an end count in the outermost
 * bin
 * @sharpness: (out caller-allocates)
 *
 * Measures how sharp a slice is. Entropy, negativity and squared gradient are
 * those of Donath, Beckmann, Schreyer, Automated determination of the center of
 * rotation in tomography data, J. Opt. Soc. Am. A 23 (2006) 1048. Pixels that
 * are not finite, or whose neighbours are not, are left out. Computed in
 * doubles where the frame is, and repeatable to the bit. Waits for the result.
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
 * Subtracts @reference from @frame, pixel by pixel, in the engine's memory, and
 * waits for the figures. A pixel that is not finite in either frame is not
 * finite in the result, and does not count in the figures.
 *
 * Returns: (transfer full): the differences as a frame; %NULL with
 *   TL_ERROR_MEMORY or TL_ERROR_DEVICE, and then @figures are undefined
 */
TlFrame *tl_engine_compare (TlEngine *engine, TlFrame *frame,
                            TlFrame *reference, TlComparison *figures,
                            GError **error);

/**
 * tl_engine_add:
 * @frame: made by this engine, as @more, which has the same shape
 *
 * On a device the call returns before the device has finished.
 *
 * Returns: (transfer full): @factor * @frame + @more, pixel by pixel; %NULL
 *   with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
TlFrame *tl_engine_add (TlEngine *engine, TlFrame *frame, double factor,
                        TlFrame *more, GError **error);

/**
 * tl_engine_get_report:
 * @report: (out caller-allocates)
 *
 * Waits for the device if it has not yet reported its times.
 *
 * Returns: %FALSE with TL_ERROR_DEVICE
 */
gboolean tl_engine_get_report (TlEngine *engine, TlEngineReport *report,
                               GError **error);

/** tl_engine_get_free: Owner thread. Returns: the free memory of its device,
 * with what the engine has of it, in bytes; 0: it is no device */
guint64 tl_engine_get_free (TlEngine *engine);

/**
 * tl_engine_read_corrected:
 * @dest: (out caller-allocates): [n_projections][slices][n_cols], host memory:
 * the input of the stage "transform"
 *
 * Returns: %FALSE with TL_ERROR_VALUE before the first tl_engine_reconstruct()
 * or tl_engine_correct(), or with TL_ERROR_DEVICE
 */
gboolean tl_engine_read_corrected (TlEngine *engine, float *dest,
                                   GError **error);
