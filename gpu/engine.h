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
 * table is in engine-request.c.
 */
#pragma once

#include <gio/gio.h>

#include "data/samples.h"
#include "gpu/backend/frame.h"
#include "gpu/stages/params.h"
#include "gpu/choice/tuning.h"

G_BEGIN_DECLS

typedef struct TlEngine TlEngine;

typedef enum
{
  TL_STAGE_UPLOAD,  /* samples and fields to the engine's memory */
  TL_STAGE_CORRECT, /* flat field, dead pixels, -log unless a phase follows */
  TL_STAGE_ZINGERS, /* nothing where they stay */
  TL_STAGE_TILT,    /* projections turned back; left out where they need not */
  TL_STAGE_PHASE,   /* phase retrieval, -log; left out where it is off */
  TL_STAGE_RINGS,   /* nothing where they stay */
  TL_STAGE_TRANSFORM, /* pad, forward transform */
  TL_STAGE_FILTER,    /* multiply, inverse transform, kernel's own layout */
  TL_STAGE_BACKPROJECT,
  TL_N_STAGES
} TlStage;

extern const char *const tl_stage_names[TL_N_STAGES + 1];

/* How rows are transformed: two of them as the real and the imaginary part of a
 * complex row, or each by itself, so that its rounding is its own. */
typedef enum
{
  TL_TRANSFORM_AUTO, /* the engine's choice */
  TL_TRANSFORM_PAIRS,
  TL_TRANSFORM_REAL,
  TL_N_TRANSFORMS
} TlTransform;

extern const char *const tl_transform_names[TL_N_TRANSFORMS + 1];

/* Raw data of a few detector rows; plain value, all host memory, lent. The
 * first and the last rows may be there for phase retrieval and tilt alone:
 * slices are made of those between. Where rows are missing that it would look
 * at, the outermost ones stand for them, which is right at the border of the
 * detector.
 */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  size_t n_above, n_below; /* of n_rows, before and behind the slices' own */
  double middle_row; /* the detector's, counted from the first of n_rows: where
                        a tilted axis is at the centre */
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
  /* What one projection's contribution to one pixel of all slices of a pass
   * takes: texture fetches, a texel of 16 bytes counting as two, and bytes out
   * of shared memory. A kernel with both takes one or the other for a pixel. 0:
   * none, or not known. */
  double fetches, shared_bytes;
  /* Full precision, and taken for fast too: half precision would gain nothing
   * here, so there is no variant of its own. */
  gboolean serves_fast;
  /* Listed for comparison: taken only where its kernel is asked for by name. */
  gboolean is_reference;
} TlVariant;

/** tl_variant_does: Returns: whether @variant may be taken where @kernel,
 * @interpolation and @precision are asked for. */
static inline gboolean
tl_variant_does (const TlVariant *variant, TlKernel kernel,
                 TlInterpolation interpolation, TlPrecision precision)
{
  return (kernel == TL_KERNEL_AUTO ? !variant->is_reference
                                   : kernel == variant->kernel)
         && interpolation == variant->interpolation
         && (precision == variant->precision
             || (precision == TL_PRECISION_FAST && variant->serves_fast));
}

/* What a device can do at most in a second; 0: not known. Plain value. */
typedef struct
{
  double fetches;           /* interpolated texels of up to 8 bytes, cached */
  double shared_bytes;      /* read from shared memory */
  double lane_instructions; /* multiply-adds of floats */
  double clock_mhz; /* of the multiprocessors, while that was measured */
} TlCeilings;

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

/* Figures of one slice for the histogram and the automatic window. */
#define TL_HISTOGRAM_BINS 512
typedef struct
{
  float min, max; /* of the finite pixels */
  double mean;
  guint32 histogram[TL_HISTOGRAM_BINS]; /* equal steps from min to max */
} TlStats;

/* How far a picture is from another one, its reference, over the pixels whose
 * difference is a finite number; plain value. */
typedef struct
{
  double relative_l2;     /* ||picture - reference|| / ||reference||; 0 where no
                             pixel differs, infinite where the reference is
                             all 0, NaN where no difference is finite */
  double deviation;       /* standard deviation of the reference */
  float max;              /* largest absolute difference */
  size_t slice, row, col; /* of the first pixel that has it */
  size_t n_left_out;      /* pixels whose difference is not finite */
} TlComparison;

/* What a slice looks sharp by; each is larger the better. v is a pixel, of
 * those that the picture has one to the right of and one below. */
typedef enum
{
  TL_SHARPNESS_ENTROPY,    /* less the entropy of the histogram */
  TL_SHARPNESS_NEGATIVITY, /* sum of what is below 0 */
  TL_SHARPNESS_GRADIENT,   /* sum of squared differences from both of these */
  TL_SHARPNESS_DEVIATION,  /* sum of squared deviations from the mean */
  TL_N_SHARPNESSES
} TlSharpnessFigure;

/* Upper left, upper right, lower left, lower right. */
#define TL_N_QUARTERS 4
/* Of the histogram of a quarter; a pixel is shared out between two, by how far
 * it is from their middles, so that the entropy has no steps. */
#define TL_SHARPNESS_BINS 256

/* The figures of each quarter of a slice; plain value. */
typedef struct
{
  double figures[TL_N_SHARPNESSES][TL_N_QUARTERS]; /* the entropy, in nats a
                                                      pixel, times n_pixels */
  size_t n_pixels[TL_N_QUARTERS];                  /* that were looked at */
} TlSharpness;

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
