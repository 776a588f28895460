/* What the parts of "tomolens-cli bench" share. An update is one projection's
 * contribution to one pixel of one slice; GU/s are 1e9 of them a second. */
#pragma once

#include "app/cli/cli-private.h"
#include "app/cli/json-private.h"
#include "gpu/engine.h"

G_BEGIN_DECLS

/* Columns, projections and pixels of a side: seconds on two cores, and the size
 * that devices are compared at. */
#define TL_BENCH_HOST_SIZE 256
#define TL_BENCH_DEVICE_SIZE 2048

/* Of many sizes the largest that takes no more than seconds on a few cores. */
#define TL_BENCH_MAX_HOST_SIZE 512

/* Size at which errors are found. */
#define TL_BENCH_ERROR_SIZE 512

/* What is asked for, and the engine whose turn it is. */
typedef struct
{
  const TlRecipe *recipe; /* which filter, kernel, interpolation, precision */
  gboolean any_interpolation, any_precision; /* all there are */
  size_t size, n_projections; /* 0: the engine's own, and as many */
  size_t n_slices;            /* 0: as many as a variant takes at once */
  size_t n_repeats;
  size_t error_size; /* 0: errors are not wanted */
  GArray *sizes;    /* of size_t, for sweep and tune; empty: the engine's own */
  const char *plot; /* (nullable): file for the next sweep's picture */
  gboolean is_trial; /* what is tuned is not kept */

  TlEngine *engine;
  TlJson *json; /* (nullable): all that would be printed */
  GCancellable *cancellable;

  float *noise; /* [n_noise] */
  size_t n_noise;
} TlBench;

/* One thing to measure. */
typedef struct
{
  const TlVariant *variant; /* (nullable): exactly this one, else what the
                               engine chooses for the other three */
  TlKernel kernel;
  TlInterpolation interpolation;
  TlPrecision precision;
  TlTransform transform;
  size_t n_slices, n_cols, n_projections; /* slices are n_cols x n_cols */
} TlBenchCase;

/* Milliseconds of the repeats. */
typedef struct
{
  double min, median, max;
} TlBenchSpread;

/* Of all slices of a case. */
typedef struct
{
  const TlVariant *variant; /* that was used */
  guint n_folded;           /* as TlEngineReport has it */
  TlBenchSpread transform, filter, backproject;
  TlBenchSpread both;  /* transform and filter together */
  TlBenchSpread total; /* of the three together */
} TlBenchTimes;

/** tl_bench_has: Returns: whether the engine has it and it is asked for. */
gboolean tl_bench_has (const TlBench *bench, TlKernel kernel,
                       TlInterpolation interpolation, TlPrecision precision);

/** tl_bench_is_host: Returns: whether the engine is slow. */
gboolean tl_bench_is_host (const TlBench *bench);

/**
 * tl_bench_init_case:
 *
 * One slice of the size that is asked for by the kernel that is, AUTO where
 * none is; linear and full, unless only others are wanted and there.
 */
void tl_bench_init_case (const TlBench *bench, TlBenchCase *c);

/** tl_bench_init_params: What @c is to be, without flat field and -log. */
void tl_bench_init_params (const TlBench *bench, const TlBenchCase *c,
                           TlParams *params);

/**
 * tl_bench_begin:
 * @c: what a device is kept busy with until its clock has settled
 * @before: (out caller-allocates)
 *
 * Says which engine it is, its ceilings and its clock.
 */
gboolean tl_bench_begin (TlBench *bench, const TlBenchCase *c,
                         TlCeilings *before, GError **error);

/** tl_bench_end: Says how far the clock has gone since. */
gboolean tl_bench_end (TlBench *bench, const TlCeilings *before,
                       GError **error);

/** tl_bench_time: On noise, after a warm-up. */
gboolean tl_bench_time (TlBench *bench, const TlBenchCase *c,
                        TlBenchTimes *times, GError **error);

/** tl_bench_rate: Returns: back-projection in GU/s. */
double tl_bench_rate (const TlBenchCase *c, const TlBenchTimes *times);

/** tl_bench_next_random: @state: any number but 0; the same ones follow. */
guint32 tl_bench_next_random (guint32 *state);

/** tl_bench_make_noise: Fills bench->noise with the same numbers every time,
 * between 0.5 and 1.5; @n or more. */
gboolean tl_bench_make_noise (TlBench *bench, size_t n, GError **error);

/** tl_bench_load: @samples: [n_projections][n_slices][n_cols], half a turn. */
gboolean tl_bench_load (TlBench *bench, const TlBenchCase *c,
                        const float *samples, GError **error);

void tl_bench_add_spread (TlJson *json, const char *key,
                          const TlBenchSpread *spread);

/** tl_bench_table: All variants, and the engine's choice. */
gboolean tl_bench_table (TlBench *bench, GError **error);

/** tl_bench_sweep: Kernels over sizes. */
gboolean tl_bench_sweep (TlBench *bench, GError **error);

/** tl_bench_tune: The fastest variants, kept for the engine to choose by. */
gboolean tl_bench_tune (TlBench *bench, GError **error);

/** tl_bench_is_measured: Returns: whether --@key chooses what is measured. */
gboolean tl_bench_is_measured (const TlParameter *key);

/** tl_bench_interactive: "bench interactive", as a command of its own. */
gboolean tl_bench_interactive (char **args, GCancellable *cancellable,
                               GError **error);

/** tl_bench_check_classes: A usage error unless all @sizes can be tuned for. */
gboolean tl_bench_check_classes (const GArray *sizes, GError **error);

/** tl_bench_transforms: Ways to transform rows over sizes. */
gboolean tl_bench_transforms (TlBench *bench, GError **error);

G_END_DECLS
