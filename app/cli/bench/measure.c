#include "app/cli/bench/cases-private.h"
#include "data/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Runs before each measurement. On a device they continue for a minimum
 * time, and for longer before the first measurement: after idling, a device
 * starts with a low clock, rises above the clock that it can sustain, and
 * settles. */
#define N_WARM_UPS 2
#define WARM_UP_US 30000
#define HEAT_UP_US 500000

/* Times cannot be compared if the clock has drifted more than this fraction. */
#define MAX_DRIFT 0.02

gboolean
tl_bench_is_host (const TlBench *bench)
{
  return strcmp (tl_engine_get_name (bench->engine), "host") == 0;
}

gboolean
tl_bench_takes (const TlBench *bench, const TlVariant *variant, TlKernel kernel,
                TlInterpolation interpolation, TlPrecision precision)
{
  const TlParams *wanted = &bench->recipe->params;
  const TlInterpolation way = variant->interpolation;
  if ((wanted->kernel != TL_KERNEL_AUTO && wanted->kernel != kernel)
      || (kernel != TL_KERNEL_AUTO && kernel != variant->kernel)
      || (interpolation != TL_BENCH_ANY_INTERPOLATION && interpolation != way)
      || (!bench->any_interpolation && wanted->interpolation != way)
      || (!bench->any_precision && wanted->precision != variant->precision)
      || (wanted->method == TL_METHOD_FOURIER && !variant->is_fourier))
    return FALSE;
  return tl_variant_does (
      variant,
      variant->is_fourier && wanted->method != TL_METHOD_BACKPROJECTION
          ? TL_METHOD_FOURIER
          : TL_METHOD_BACKPROJECTION,
      kernel, way,
      precision == TL_BENCH_ANY_PRECISION ? variant->precision : precision);
}

gboolean
tl_bench_has (const TlBench *bench, TlKernel kernel,
              TlInterpolation interpolation, TlPrecision precision)
{
  size_t n;
  const TlVariant *const *variants =
      tl_engine_list_variants (bench->engine, &n);
  for (size_t k = 0; k < n; k++)
    if (tl_bench_takes (bench, variants[k], kernel, interpolation, precision))
      return TRUE;
  return FALSE;
}

GArray *
tl_bench_list_sizes (const TlBench *bench, const size_t *all, size_t n,
                     size_t max_host)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (size_t));
  if (bench->size > 0)
    g_array_append_val (sizes, bench->size);
  else if (bench->sizes->len > 0)
    g_array_append_vals (sizes, bench->sizes->data, bench->sizes->len);
  else
    for (size_t k = 0; k < n; k++)
      if (!tl_bench_is_host (bench) || all[k] <= max_host)
        g_array_append_val (sizes, all[k]);
  return sizes;
}

void
tl_bench_init_case (const TlBench *bench, TlBenchCase *c)
{
  const TlParams *params = &bench->recipe->params;
  const size_t n = bench->size > 0            ? bench->size
                   : tl_bench_is_host (bench) ? TL_BENCH_HOST_SIZE
                                              : TL_BENCH_DEVICE_SIZE;
  int best = -1;
  *c = (TlBenchCase){
    .kernel = params->kernel,
    .n_slices = 1,
    .n_cols = n,
    .n_projections = bench->n_projections > 0 ? bench->n_projections : n,
  };
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
      {
        const int score = 2 * (way == params->interpolation)
                          + (precision == params->precision);
        if (score <= best || !tl_bench_has (bench, c->kernel, way, precision))
          continue;
        best = score;
        c->interpolation = way;
        c->precision = precision;
      }
}

guint32
tl_bench_next_random (guint32 *state)
{
  /* Marsaglia, Xorshift RNGs (2003): shifts 13, 17, 5 */
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

gboolean
tl_bench_make_noise (TlBench *bench, size_t n, GError **error)
{
  guint32 state = 1;
  if (n <= bench->n_noise)
    return TRUE;
  g_clear_pointer (&bench->noise, g_free);
  bench->n_noise = 0;
  bench->noise = tl_try_alloc (n, 1, 1, sizeof (float),
                               "the noise to measure with", error);
  if (bench->noise == NULL)
    return FALSE;
  for (size_t k = 0; k < n; k++)
    bench->noise[k] = 0.5f + (float)tl_bench_next_random (&state) * 0x1p-32f;
  bench->n_noise = n;
  return TRUE;
}

gboolean
tl_bench_load (TlBench *bench, const TlBenchCase *c, const float *samples,
               GError **error)
{
  g_autofree double *angles_rad = g_new (double, c->n_projections);
  for (size_t p = 0; p < c->n_projections; p++)
    angles_rad[p] = G_PI * (double)p / (double)c->n_projections;
  const TlBlock block = {
    .n_projections = c->n_projections,
    .n_rows = c->n_slices,
    .n_cols = c->n_cols,
    .type = TL_SAMPLE_F32,
    .samples = samples,
    .angles_rad = angles_rad,
  };
  return tl_engine_load (bench->engine, &block, error);
}

void
tl_bench_init_params (const TlBench *bench, const TlBenchCase *c,
                      TlParams *params)
{
  const TlParams *wanted = &bench->recipe->params;
  tl_params_init (params, c->n_cols);
  params->flat_field = params->minus_log = FALSE;
  params->filter = wanted->filter;
  params->method = wanted->method;
  params->kernel = c->kernel;
  params->interpolation = c->interpolation;
  params->precision = c->precision;
}

static gboolean
load_noise (TlBench *bench, const TlBenchCase *c, GError **error)
{
  gsize n;
  if (!g_size_checked_mul (&n, c->n_projections, c->n_slices)
      || !g_size_checked_mul (&n, n, c->n_cols))
    n = G_MAXSIZE;
  return tl_bench_make_noise (bench, n, error)
         && tl_bench_load (bench, c, bench->noise, error);
}

/* Reconstructs once from the forward transform on, and stores the times. */
static gboolean
run_once (TlBench *bench, const TlParams *params, TlEngineReport *report,
          GError **error)
{
  if (g_cancellable_set_error_if_cancelled (bench->cancellable, error))
    return FALSE;
  tl_engine_invalidate (bench->engine, TL_STAGE_TRANSFORM);
  g_autoptr (TlFrame) frame =
      tl_engine_reconstruct (bench->engine, params, bench->cancellable, error);
  return frame != NULL && tl_frame_wait (frame, error)
         && tl_engine_get_report (bench->engine, report, error);
}

static gboolean
warm_up (TlBench *bench, const TlParams *params, guint n_runs, gint64 us,
         GError **error)
{
  const gint64 end_us =
      tl_bench_is_host (bench) ? 0 : g_get_monotonic_time () + us;
  TlEngineReport report;
  for (guint k = 0; k < n_runs || g_get_monotonic_time () < end_us; k++)
    if (!run_once (bench, params, &report, error))
      return FALSE;
  return TRUE;
}

static TlBenchSpread
find_spread (double *ms, size_t n)
{
  tl_sort_doubles (ms, n);
  return (TlBenchSpread){ ms[0], (ms[(n - 1) / 2] + ms[n / 2]) / 2, ms[n - 1] };
}

gboolean
tl_bench_time (TlBench *bench, const TlBenchCase *c, TlBenchTimes *times,
               GError **error)
{
  const size_t n = bench->n_repeats;
  g_autofree double *ms = g_new (double, 5 * n);
  TlEngineReport report;
  TlParams params;
  tl_bench_init_params (bench, c, &params);
  tl_engine_use_variant (bench->engine, c->variant);
  tl_engine_use_transform (bench->engine, c->transform);
  if (!load_noise (bench, c, error)
      || !warm_up (bench, &params, N_WARM_UPS, WARM_UP_US, error))
    return FALSE;
  for (size_t k = 0; k < n; k++)
    {
      if (!run_once (bench, &params, &report, error))
        return FALSE;
      ms[k] = report.last_ms[TL_STAGE_TRANSFORM];
      ms[n + k] = report.last_ms[TL_STAGE_FILTER];
      ms[2 * n + k] = report.last_ms[TL_STAGE_BACKPROJECT];
      ms[3 * n + k] = ms[k] + ms[n + k];
      ms[4 * n + k] = ms[3 * n + k] + ms[2 * n + k];
    }
  *times = (TlBenchTimes){
    .variant = report.variant,
    .n_folded = report.n_folded,
    .transform = find_spread (ms, n),
    .filter = find_spread (ms + n, n),
    .backproject = find_spread (ms + 2 * n, n),
    .both = find_spread (ms + 3 * n, n),
    .total = find_spread (ms + 4 * n, n),
  };
  return TRUE;
}

double
tl_bench_rate (const TlBenchCase *c, const TlBenchTimes *times)
{
  return (double)c->n_slices * (double)c->n_projections * (double)c->n_cols
         * (double)c->n_cols / times->backproject.median / 1e6;
}

void
tl_bench_add_spread (TlJson *json, const char *key, const TlBenchSpread *spread)
{
  tl_json_add (json, "%s: {median_ms: %f, min_ms: %f, max_ms: %f}", key,
               spread->median, spread->min, spread->max);
}

/* --- begin and end of a benchmark --- */

static void
add_ceilings (TlJson *json, const char *key, const TlCeilings *ceilings)
{
  tl_json_add (json,
               "%s: {clock_mhz: %f, fetches_per_s: %f, shared_bytes_per_s: %f, "
               "products_per_s: %f, "
               "multiply_adds_per_s: %f}",
               key, ceilings->clock_mhz, ceilings->fetches,
               ceilings->shared_bytes, ceilings->products,
               ceilings->lane_instructions);
}

static void
print_engine (const TlBench *bench, const TlCeilings *ceilings)
{
  const char *name = tl_engine_get_name (bench->engine);
  const char *device = tl_engine_get_device (bench->engine);
  tl_json_add (bench->json, "engine: %s, device: %s, repeats: %zu", name,
               device, bench->n_repeats);
  if (bench->json == NULL)
    printf ("%s: %s; medians of %zu\n", name, device, bench->n_repeats);
  if (ceilings->clock_mhz <= 0.0)
    return;
  add_ceilings (bench->json, "ceilings_before", ceilings);
  if (bench->json == NULL)
    printf ("%.0f MHz; ceilings as measured: %.1f G texture fetches/s of 8 "
            "bytes, %.2f TB/s from shared memory, %.2f T multiply-adds/s, "
            "%.0f T by tensor cores\n",
            ceilings->clock_mhz, ceilings->fetches / 1e9,
            ceilings->shared_bytes / 1e12, ceilings->lane_instructions / 1e12,
            ceilings->products / 1e12);
}

gboolean
tl_bench_begin (TlBench *bench, const TlBenchCase *c, TlCeilings *before,
                GError **error)
{
  TlParams params;
  tl_bench_init_params (bench, c, &params);
  tl_engine_use_variant (bench->engine, c->variant);
  if (!load_noise (bench, c, error)
      || !warm_up (bench, &params, 0, HEAT_UP_US, error)
      || !tl_engine_measure_ceilings (bench->engine, before, error))
    return FALSE;
  print_engine (bench, before);
  return TRUE;
}

gboolean
tl_bench_end (TlBench *bench, const TlCeilings *before, GError **error)
{
  TlCeilings after;
  if (before->clock_mhz <= 0.0)
    return TRUE;
  if (!tl_engine_measure_ceilings (bench->engine, &after, error))
    return FALSE;
  const double drift = after.clock_mhz / before->clock_mhz - 1.0;
  const gboolean is_steady = fabs (drift) <= MAX_DRIFT;
  add_ceilings (bench->json, "ceilings_after", &after);
  tl_json_add (bench->json, "clock_drift: %f, clock_is_steady: %d", drift,
               is_steady);
  if (bench->json == NULL)
    printf ("\nclock: %.0f MHz before, %.0f MHz after, %+.1f %%%s\n",
            before->clock_mhz, after.clock_mhz, 100.0 * drift,
            is_steady ? "" : ": too far apart, measure again");
  return TRUE;
}
