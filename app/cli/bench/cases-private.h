/* Shared by the parts of "tomolens-cli bench". An update is the contribution
 * of one projection to one pixel of one slice; 1 GU/s is 1e9 updates a
 * second. */
#pragma once

#include "app/cli/cli-private.h"
#include "app/cli/json-private.h"
#include "gpu/engine.h"

/* Default number of columns, of projections and of pixels a side. On two
 * cores it takes seconds; on devices it is the size at which they are
 * compared. */
#define TL_BENCH_HOST_SIZE 256
#define TL_BENCH_DEVICE_SIZE 2048

/* The largest size of a sweep on host: it takes only seconds on a few cores. */
#define TL_BENCH_MAX_HOST_SIZE 512

/* The size at which errors are measured. */
#define TL_BENCH_ERROR_SIZE 512

/* What was requested, and the engine that is being measured. */
typedef struct
{
  const TlRecipe *recipe; /* filter, method, kernel, interpolation, precision */
  gboolean any_interpolation, any_precision; /* measure all that exist */
  size_t size, n_projections; /* 0: default of the engine, and as many
                                 projections as columns */
  size_t n_slices;            /* 0: as many as a variant takes at once */
  size_t n_repeats;
  size_t error_size;   /* 0: do not measure errors */
  GArray *sizes;       /* of size_t, for sweep and tune; empty: the default */
  const char *plot;    /* (nullable): file for the plot of the next sweep */
  gboolean overwrites; /* whether that file may be replaced */
  gboolean is_trial;   /* do not keep the result of tuning */

  TlEngine *engine;
  TlJson *json; /* (nullable): gets everything that would be printed */
  GCancellable *cancellable;

  float *noise; /* [n_noise] */
  size_t n_noise;
} TlBench;

/* One measurement. */
typedef struct
{
  /* (nullable): exactly this variant; %NULL: the engine's choice for kernel,
   * interpolation and precision */
  const TlVariant *variant;
  TlKernel kernel;
  TlInterpolation interpolation;
  TlPrecision precision;
  TlTransform transform;
  size_t n_slices, n_cols, n_projections; /* slices are n_cols x n_cols */
} TlBenchCase;

/* Milliseconds over the repeats. */
typedef struct
{
  double min, median, max;
} TlBenchSpread;

/* Times of all slices of a case together. */
typedef struct
{
  const TlVariant *variant; /* the variant that was used */
  guint n_folded;           /* as in TlEngineReport */
  TlBenchSpread transform, filter, backproject;
  TlBenchSpread both;  /* transform and filter */
  TlBenchSpread total; /* transform, filter and back-projection */
} TlBenchTimes;

/* Arguments of tl_bench_has(): whichever interpolation or precision exists. */
#define TL_BENCH_ANY_INTERPOLATION TL_N_INTERPOLATIONS
#define TL_BENCH_ANY_PRECISION TL_N_PRECISIONS

/** tl_bench_has: Returns: whether the engine has this combination and it was
 * requested */
gboolean tl_bench_has (const TlBench *bench, TlKernel kernel,
                       TlInterpolation interpolation, TlPrecision precision);

/** tl_bench_takes: As tl_bench_has(), for one variant. The Fourier method
 * counts among the variants of linear interpolation and of the standard kernel.
 */
gboolean tl_bench_takes (const TlBench *bench, const TlVariant *variant,
                         TlKernel kernel, TlInterpolation interpolation,
                         TlPrecision precision);

/** tl_bench_is_host: Returns: whether the engine is host, and so too slow for
 * large sizes */
gboolean tl_bench_is_host (const TlBench *bench);

/**
 * tl_bench_list_sizes:
 * @all: [@n], the default
 * @max_host: the largest default size on host
 *
 * Returns: (transfer full): of size_t: the requested sizes, or the default
 */
GArray *tl_bench_list_sizes (const TlBench *bench, const size_t *all, size_t n,
                             size_t max_host);

/**
 * tl_bench_init_case:
 *
 * Sets up one slice of the requested size with the requested kernel (AUTO if
 * none was requested). Interpolation and precision are those of the recipe,
 * or the closest that the engine has and that were requested.
 */
void tl_bench_init_case (const TlBench *bench, TlBenchCase *c);

/** tl_bench_init_params: Sets @params for @c, without flat-field correction
 * and -log. */
void tl_bench_init_params (const TlBench *bench, const TlBenchCase *c,
                           TlParams *params);

/**
 * tl_bench_begin:
 * @c: keeps a device busy until its clock has settled
 * @before: (out caller-allocates)
 *
 * Begins the report: the name of the engine, its ceilings and its clock.
 */
gboolean tl_bench_begin (TlBench *bench, const TlBenchCase *c,
                         TlCeilings *before, GError **error);

/** tl_bench_end: Prints how far the clock has changed since @before. */
gboolean tl_bench_end (TlBench *bench, const TlCeilings *before,
                       GError **error);

/** tl_bench_time: Measures @c on noise, after a warm-up. */
gboolean tl_bench_time (TlBench *bench, const TlBenchCase *c,
                        TlBenchTimes *times, GError **error);

/** tl_bench_rate: Returns: rate of the back-projection in GU/s */
double tl_bench_rate (const TlBenchCase *c, const TlBenchTimes *times);

/** tl_bench_next_random: @state: any number but 0; the same state gives the
 * same sequence */
guint32 tl_bench_next_random (guint32 *state);

/** tl_bench_make_noise: Fills bench->noise with at least @n numbers between
 * 0.5 and 1.5, the same ones every time. */
gboolean tl_bench_make_noise (TlBench *bench, size_t n, GError **error);

/** tl_bench_load: Loads @samples, [n_projections][n_slices][n_cols], over
 * half a turn. */
gboolean tl_bench_load (TlBench *bench, const TlBenchCase *c,
                        const float *samples, GError **error);

void tl_bench_add_spread (TlJson *json, const char *key,
                          const TlBenchSpread *spread);

/** tl_bench_table: Measures all variants, and the engine's own choice. */
gboolean tl_bench_table (TlBench *bench, GError **error);

/** tl_bench_sweep: Measures the kernels over a range of sizes. */
gboolean tl_bench_sweep (TlBench *bench, GError **error);

/** tl_bench_tune: Finds the fastest variants and saves them for the engine to
 * choose from. */
gboolean tl_bench_tune (TlBench *bench, GError **error);

/** tl_bench_is_measured: Returns: whether the option --@key selects what is
 * measured */
gboolean tl_bench_is_measured (const TlParamSpec *key);

/** tl_bench_interactive: The command "bench interactive". */
gboolean tl_bench_interactive (char **args, GCancellable *cancellable,
                               GError **error);

/** tl_bench_check_classes: Sets a usage error unless tuning is possible for
 * all @sizes. */
gboolean tl_bench_check_classes (const GArray *sizes, GError **error);

/** tl_bench_transforms: Measures the ways to transform rows over a range of
 * sizes. */
gboolean tl_bench_transforms (TlBench *bench, GError **error);
