/* The host engine: its state, and a function for each stage. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/host/buffer.h"
#include "gpu/host/plan.h"
#include "gpu/host/pool.h"

/* Instruction sets of back-projection, in ascending order. */
typedef enum
{
  TL_HOST_SIMD_PLAIN, /* the compiler's own vectorisation */
  TL_HOST_SIMD_AVX2,
  TL_HOST_SIMD_AVX512
} TlHostSimd;

/* The number of zeros on both sides of a filtered row. Back-projection reads up
 * to 33 columns, beginning at most 34 columns before the row or one column
 * after it. */
#define TL_HOST_MARGIN 48

/* Plans, tables and memory of the Fourier method for slices of one shape. */
typedef struct TlHostFourier TlHostFourier;

#define TL_HOST_FOURIER_SHAPES 2

typedef struct
{
  TlHostPool *pool;
  TlHostSimd simd;
  /* (nullable): for the length of the last stage "transform". */
  TlHostPlan *plan;
  /* (nullable): for the length of the last stage "phase". */
  TlHostPlan *phase_plan;

  size_t n_projections, n_cols;
  size_t n_block_rows;    /* of the block */
  size_t n_above, n_rows; /* rows above the slices' rows, and the number of the
                             slices' rows */
  TlSampleType type;
  TlHostBuffer samples; /* [n_projections][n_block_rows][n_cols] of type */
  TlHostBuffer angles;  /* double [2][n_projections]: cosines, sines */
  TlHostBuffer fields;  /* double [3][n_block_rows][n_cols]: dark, flat first,
                           last */
  const TlDeadPixels *dead; /* lent by the engine */

  TlHostBuffer corrected; /* float [n_projections][rows][n_cols], of the slices'
                             own rows or all of the block */
  TlHostBuffer zingerless; /* likewise, used if zingers are removed */
  const float *for_tilt;  /* the result of "zingers": zingerless or corrected */
  TlHostBuffer tilted;    /* likewise, used if projections are turned back */
  const float *for_phase; /* tilted or for_tilt */
  TlHostBuffer phase_spectra; /* scratch: one projection for each worker */
  TlHostBuffer retrieved;     /* float [n_projections][n_rows][n_cols] */
  const float *for_rings;     /* retrieved or for_phase */
  TlHostBuffer ringless;      /* likewise, after beam hardening and rings */
  const float *attenuation;   /* the result of "rings": ringless or for_rings */
  size_t row_cols; /* columns of a row from the stage "transform" on */
  size_t spectrum_stride;
  TlHostBuffer weighted; /* double, scratch: one row for each worker */
  TlHostBuffer spectrum; /* complex [n_rows][n_projections][spectrum_stride] */
  size_t n_shifts;
  size_t last_frequency; /* that the filter lets through */
  TlHostBuffer factors;  /* complex [n_shifts][length / 2 + 1]: filter and shift
                          */
  size_t filtered_stride;
  TlHostBuffer filtered; /* float [n_rows][n_projections][filtered_stride];
                            column 0 is at TL_HOST_MARGIN */

  /* Of the Fourier method: the rays, sorted by direction, and complex
   * [n_projections][spectrum_stride], the points on them. */
  TlHostBuffer rays, points;
  /* (nullable): for the last shapes of slices, the newest first. */
  TlHostFourier *fourier[TL_HOST_FOURIER_SHAPES];

  double last_ms[TL_N_STAGES], total_ms[TL_N_STAGES];
} TlHost;

/* Measures one run of a stage. With g_auto it stops at the end of the stage. */
typedef struct
{
  TlHost *host;
  TlStage stage;
  gint64 start_us;
} G_GNUC_UNUSED TlHostTimer;

TlHostTimer tl_host_timer_start (TlHost *host, TlStage stage);
void tl_host_timer_stop (TlHostTimer *timer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlHostTimer, tl_host_timer_stop)

/* --- the stages, as in TlBackend; @impl: a TlHost --- */

gboolean tl_host_correct (gpointer impl, const TlCorrectArgs *args,
                          GError **error);
gboolean tl_host_zingers (gpointer impl, const TlZingersArgs *args,
                          GError **error);
gboolean tl_host_tilt (gpointer impl, const TlTiltArgs *args,
                       GCancellable *cancellable, GError **error);
gboolean tl_host_phase (gpointer impl, const TlPhaseArgs *args,
                        GCancellable *cancellable, GError **error);
gboolean tl_host_rings (gpointer impl, const TlParams *params,
                        GCancellable *cancellable, GError **error);
gboolean tl_host_transform (gpointer impl, const TlTransformArgs *args,
                            GCancellable *cancellable, GError **error);
gboolean tl_host_filter (gpointer impl, const TlFilterArgs *args,
                         GCancellable *cancellable, GError **error);

/** tl_host_sort_rings: Computes host->ringless, which must be allocated, from
 * host->attenuation, which may be the same array. Returns: %FALSE with
 * TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED */
gboolean tl_host_sort_rings (TlHost *host, const TlParams *params,
                             GCancellable *cancellable, GError **error);
/** tl_host_damp_rings: As tl_host_sort_rings(). */
gboolean tl_host_damp_rings (TlHost *host, const TlParams *params,
                             GCancellable *cancellable, GError **error);

/**
 * tl_host_backproject:
 * @pixels: (out caller-allocates): [n_rows][grid.ny][grid.nx]
 */
gboolean tl_host_backproject (TlHost *host, const TlBackprojectArgs *args,
                              float *pixels, GCancellable *cancellable,
                              GError **error);

/** tl_host_backproject_plane: @pixels: (out caller-allocates): [ny][nx] of the
 * plane */
gboolean tl_host_backproject_plane (TlHost *host, const TlPlaneArgs *args,
                                    float *pixels, GCancellable *cancellable,
                                    GError **error);

/**
 * tl_host_invert:
 * @pixels: (out caller-allocates): as of tl_host_backproject()
 *
 * The same sum by the Fourier method, from the spectra of the stage "transform"
 * and the factors of the stage "filter".
 *
 * Returns: %FALSE with TL_ERROR_MEMORY, %G_IO_ERROR_CANCELLED, or
 *   TL_ERROR_VALUE if the grid reaches so far beyond the rows that the picture
 *   repeats itself
 */
gboolean tl_host_invert (TlHost *host, const TlBackprojectArgs *args,
                         float *pixels, GCancellable *cancellable,
                         GError **error);
/** tl_host_fourier_free: Gives back what tl_host_invert() keeps. */
void tl_host_fourier_free (TlHost *host);

/** tl_host_fourier_get_memory: Returns: the bytes that tl_host_invert() keeps.
 */
size_t tl_host_fourier_get_memory (const TlHost *host);

/** tl_host_simd_detect: Returns: the best instruction set that this processor
 * supports. */
TlHostSimd tl_host_simd_detect (void);

/** tl_host_simd_name: Returns: (transfer none): "AVX2" and so on. */
const char *tl_host_simd_name (TlHostSimd simd);

/** tl_host_measure: Computes @stats of @pixels, [@n]; only finite pixels count.
 */
void tl_host_measure (TlHostPool *pool, const float *pixels, size_t n,
                      TlStats *stats);

/**
 * tl_host_measure_sharpness:
 * @pixels: [@n_rows][@n_cols]
 * @sums: (out caller-allocates): [TL_N_QUARTERS]
 */
void tl_host_measure_sharpness (TlHostPool *pool, const float *pixels,
                                size_t n_rows, size_t n_cols,
                                const TlSharpnessArgs *args,
                                TlSharpnessSums *sums);

/**
 * tl_host_compare:
 * @pixels: [@n], as @reference
 * @differences: (out caller-allocates): [@n]
 * @sums: (out caller-allocates)
 */
void tl_host_compare (TlHostPool *pool, const float *pixels,
                      const float *reference, size_t n, float *differences,
                      TlDifferences *sums);

/**
 * tl_host_add:
 * @pixels: [@n], as @more
 * @sum: (out caller-allocates): [@n]: @factor * @pixels + @more
 */
void tl_host_add (TlHostPool *pool, const float *pixels, float factor,
                  const float *more, size_t n, float *sum);
