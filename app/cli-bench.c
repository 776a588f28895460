/* Measures every way to back-project that the engines have, and the filter
 * before it, on noise. An update is one projection's contribution to one pixel
 * of one slice. */
#include "app/cli-private.h"

#include "data/array.h"
#include "data/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds on two cores, and the size that devices are compared at. */
#define HOST_SIZE 512
#define DEVICE_SIZE 2048
#define WARM_UPS 2

typedef struct
{
  char *size, *projections, *repeat, *slices; /* as typed (nullable) */
  gboolean json;

  const TlRecipe *recipe; /* which engine, kernel, interpolation, precision */
  gboolean any_kernel, any_interpolation, any_precision;
  size_t n_repeats, n_slices; /* n_slices 0: as many as the variant likes */
  size_t n_wanted;            /* variants found that are */
  TlJson *report;             /* (nullable) */
} Bench;

/* Milliseconds of the repeats. */
typedef struct
{
  double min, median, max;
} Spread;

static Spread
find_spread (double *ms, size_t n)
{
  tl_sort_doubles (ms, n);
  return (Spread){ ms[0], (ms[(n - 1) / 2] + ms[n / 2]) / 2, ms[n - 1] };
}

/* Uniform noise between 0.5 and 1.5, the same every time. */
static float *
make_noise (size_t n_projections, size_t n_rows, size_t n_cols, GError **error)
{
  float *noise = tl_try_alloc (n_projections, n_rows, n_cols, sizeof (float),
                               "the noise to measure with", error);
  guint32 state = 1;
  for (size_t k = 0; noise != NULL && k < n_projections * n_rows * n_cols; k++)
    {
      /* Marsaglia, Xorshift RNGs (2003): shifts 13, 17, 5 */
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      noise[k] = 0.5f + (float)state * 0x1p-32f;
    }
  return noise;
}

static gboolean
load_noise (TlEngine *engine, size_t n_projections, size_t n_rows,
            size_t n_cols, GError **error)
{
  g_autofree float *noise = make_noise (n_projections, n_rows, n_cols, error);
  if (noise == NULL)
    return FALSE;
  g_autofree double *angles_rad = g_new (double, n_projections);
  for (size_t p = 0; p < n_projections; p++)
    angles_rad[p] = G_PI * (double)p / (double)n_projections;
  const TlBlock block = {
    .n_projections = n_projections,
    .n_rows = n_rows,
    .n_cols = n_cols,
    .type = TL_SAMPLE_F32,
    .samples = noise,
    .angles_rad = angles_rad,
  };
  return tl_engine_load (engine, &block, error);
}

/* One reconstruction from the forward transform on; its times. */
static gboolean
run_once (TlEngine *engine, const TlParams *params, GCancellable *cancellable,
          TlEngineReport *report, GError **error)
{
  tl_engine_invalidate (engine, TL_STAGE_TRANSFORM);
  g_autoptr (TlFrame) frame =
      tl_engine_reconstruct (engine, params, cancellable, error);
  return frame != NULL && tl_frame_wait (frame, error)
         && tl_engine_get_report (engine, report, error);
}

static void
report_variant (const Bench *bench, const TlVariant *variant, size_t n_slices,
                size_t n_cols, size_t n_projections, const Spread *filter,
                const Spread *backproject)
{
  const double samples =
      (double)n_slices * (double)n_projections * (double)n_cols;
  const double filter_rate = samples / filter->median / 1e6;
  const double rate = samples * (double)n_cols / backproject->median / 1e6;
  if (bench->report == NULL)
    {
      printf ("%-26s %6zu  %9.3f %9.3f %9.3f  %9.1f  %9.3f %9.3f\n",
              variant->name, n_slices, backproject->median, backproject->min,
              backproject->max, rate, filter->median, filter_rate);
      return;
    }
  TlJson *json = bench->report;
  const Spread *spreads[] = { backproject, filter };
  const char *const names[] = { "backproject", "filter" };
  tl_json_begin_object (json, NULL);
  tl_json_add_string (json, "name", variant->name);
  tl_json_add_string (json, "kernel", tl_kernel_names[variant->kernel]);
  tl_json_add_string (json, "interpolation",
                      tl_interpolation_names[variant->interpolation]);
  tl_json_add_string (json, "precision",
                      tl_precision_names[variant->precision]);
  tl_json_add_size (json, "slices", n_slices);
  for (size_t k = 0; k < G_N_ELEMENTS (spreads); k++)
    {
      tl_json_begin_object (json, names[k]);
      tl_json_add_number (json, "median_ms", spreads[k]->median);
      tl_json_add_number (json, "min_ms", spreads[k]->min);
      tl_json_add_number (json, "max_ms", spreads[k]->max);
      tl_json_add_number (json, k == 0 ? "gups" : "gsamples_per_s",
                          k == 0 ? rate : filter_rate);
      tl_json_end (json);
    }
  tl_json_end (json);
}

static gboolean
measure_variant (const Bench *bench, TlEngine *engine, const TlVariant *variant,
                 size_t n_cols, size_t n_projections, GCancellable *cancellable,
                 GError **error)
{
  const size_t n_slices =
      bench->n_slices > 0 ? bench->n_slices : variant->n_slices;
  g_autofree double *filter_ms = g_new (double, bench->n_repeats);
  g_autofree double *backproject_ms = g_new (double, bench->n_repeats);
  TlParams params;
  TlEngineReport report;
  tl_params_init (&params, n_cols);
  params.flat_field = params.minus_log = FALSE;
  params.filter = bench->recipe->params.filter;
  params.kernel = variant->kernel;
  params.interpolation = variant->interpolation;
  params.precision = variant->precision;
  if (!load_noise (engine, n_projections, n_slices, n_cols, error))
    return FALSE;
  for (size_t k = 0; k < WARM_UPS + bench->n_repeats; k++)
    {
      if (!run_once (engine, &params, cancellable, &report, error))
        return FALSE;
      if (report.variant != variant)
        return TRUE; /* the engine takes another one for so many slices */
      if (k < WARM_UPS)
        continue;
      filter_ms[k - WARM_UPS] =
          report.last_ms[TL_STAGE_TRANSFORM] + report.last_ms[TL_STAGE_FILTER];
      backproject_ms[k - WARM_UPS] = report.last_ms[TL_STAGE_BACKPROJECT];
    }
  const Spread filter = find_spread (filter_ms, bench->n_repeats);
  const Spread backproject = find_spread (backproject_ms, bench->n_repeats);
  report_variant (bench, variant, n_slices, n_cols, n_projections, &filter,
                  &backproject);
  return TRUE;
}

static gboolean
is_wanted (const Bench *bench, const TlVariant *variant)
{
  const TlParams *params = &bench->recipe->params;
  return (bench->any_kernel || variant->kernel == params->kernel)
         && (bench->any_interpolation
             || variant->interpolation == params->interpolation)
         && (bench->any_precision || variant->precision == params->precision);
}

static gboolean
find_size (const Bench *bench, TlEngine *engine, size_t *n_cols,
           size_t *n_projections, GError **error)
{
  const gboolean is_host = strcmp (tl_engine_get_name (engine), "host") == 0;
  *n_cols = is_host ? HOST_SIZE : DEVICE_SIZE;
  if (bench->size != NULL
      && !tl_cli_parse_size ("--size", bench->size, 1, n_cols, error))
    return FALSE;
  *n_projections = *n_cols;
  return bench->projections == NULL
         || tl_cli_parse_size ("--projections", bench->projections, 1,
                               n_projections, error);
}

static void
begin_engine (const Bench *bench, TlEngine *engine, size_t n_cols,
              size_t n_projections)
{
  const char *name = tl_engine_get_name (engine);
  const char *device = tl_engine_get_device (engine);
  if (bench->report == NULL)
    {
      printf ("%s: %s; slices of %zu x %zu pixels from %zu projections, %zu "
              "repeats\n"
              "%-26s %6s  %9s %9s %9s  %9s  %9s %9s\n",
              name, device, n_cols, n_cols, n_projections, bench->n_repeats,
              "back-projection", "slices", "median ms", "min ms", "max ms",
              "GU/s", "filter ms", "GS/s");
      return;
    }
  TlJson *json = bench->report;
  tl_json_begin_object (json, NULL);
  tl_json_add_string (json, "engine", name);
  tl_json_add_string (json, "device", device);
  tl_json_add_size (json, "size", n_cols);
  tl_json_add_size (json, "projections", n_projections);
  tl_json_add_size (json, "repeats", bench->n_repeats);
  tl_json_begin_array (json, "variants");
}

static gboolean
measure_engine (Bench *bench, TlEngine *engine, GCancellable *cancellable,
                GError **error)
{
  size_t n_variants, n_cols, n_projections, n_wanted = 0;
  const TlVariant *const *variants =
      tl_engine_list_variants (engine, &n_variants);
  for (size_t k = 0; k < n_variants; k++)
    n_wanted += is_wanted (bench, variants[k]);
  bench->n_wanted += n_wanted;
  if (n_wanted == 0)
    return TRUE;
  if (!find_size (bench, engine, &n_cols, &n_projections, error))
    return FALSE;
  begin_engine (bench, engine, n_cols, n_projections);
  for (size_t k = 0; k < n_variants; k++)
    if (is_wanted (bench, variants[k])
        && !measure_variant (bench, engine, variants[k], n_cols, n_projections,
                             cancellable, error))
      return FALSE;
  if (bench->report != NULL)
    {
      tl_json_end (bench->report);
      tl_json_end (bench->report);
    }
  return TRUE;
}

/* "auto" measures every engine that works here. */
static gboolean
measure_engines (Bench *bench, GCancellable *cancellable, GError **error)
{
  const char *const all[] = { "cuda", "host", NULL };
  const char *const one[] = { bench->recipe->engine, NULL };
  const gboolean any = strcmp (bench->recipe->engine, "auto") == 0;
  for (const char *const *name = any ? all : one; *name != NULL; name++)
    {
      g_autoptr (GError) reason = NULL;
      g_autoptr (TlEngine) engine = tl_engine_open (*name, &reason);
      if (engine == NULL && any)
        {
          g_info ("%s", reason->message);
          continue;
        }
      if (engine == NULL)
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      if (!measure_engine (bench, engine, cancellable, error))
        return FALSE;
    }
  if (bench->n_wanted > 0)
    return TRUE;
  g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
               "the engine %s has no such kernel, interpolation and precision",
               bench->recipe->engine);
  return FALSE;
}

static gboolean
was_given (const TlCliLine *line, const char *key)
{
  return tl_cli_line_has (line, key) || line->recipe_path != NULL;
}

static gboolean
run_bench (Bench *bench, const TlCliLine *line, GCancellable *cancellable,
           GError **error)
{
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (line, NULL, NULL, error);
  if (recipe == NULL
      || (bench->repeat != NULL
          && !tl_cli_parse_size ("--repeat", bench->repeat, 1,
                                 &bench->n_repeats, error))
      || (bench->slices != NULL
          && !tl_cli_parse_size ("--slices", bench->slices, 1, &bench->n_slices,
                                 error)))
    return FALSE;
  g_autoptr (TlJson) report = bench->json ? tl_json_new () : NULL;
  bench->recipe = recipe;
  bench->report = report;
  bench->any_kernel = recipe->params.kernel == TL_KERNEL_AUTO;
  bench->any_interpolation = !was_given (line, "interpolation");
  bench->any_precision = !was_given (line, "precision");
  if (report != NULL)
    {
      tl_json_add_string (report, "version", TL_VERSION);
      tl_json_begin_array (report, "engines");
    }
  if (!measure_engines (bench, cancellable, error))
    return FALSE;
  if (report != NULL)
    tl_json_print (report);
  return TRUE;
}

static gboolean
is_measured (const TlRecipeKey *key)
{
  static const char *const keys[] = { "engine",        "kernel", "precision",
                                      "interpolation", "filter", NULL };
  return g_strv_contains (keys, key->key);
}

gboolean
tl_cli_bench (char **args, GCancellable *cancellable, GError **error)
{
  Bench bench = { .n_repeats = 5 };
  const GOptionEntry own[] = {
    { "size", 0, 0, G_OPTION_ARG_STRING, &bench.size,
      "columns, and pixels of a slice's side (" G_STRINGIFY (
          HOST_SIZE) " on host, " G_STRINGIFY (DEVICE_SIZE) " on a device)",
      "N" },
    { "projections", 0, 0, G_OPTION_ARG_STRING, &bench.projections,
      "projections (as many)", "N" },
    { "repeat", 0, 0, G_OPTION_ARG_STRING, &bench.repeat,
      "measurements of each, after a warm-up (5)", "N" },
    { "slices", 0, 0, G_OPTION_ARG_STRING, &bench.slices,
      "slices at once (as many as the kernel takes in one pass)", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &bench.json, "print JSON", NULL },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, NULL,
                    "Measures the engines' kernels and filters on noise; "
                    "--engine, --kernel, --interpolation and --precision "
                    "choose among them.",
                    own);
  tl_cli_line_add_keys (&line, is_measured);
  const gboolean good = tl_cli_line_parse (&line, &rest, error)
                        && tl_cli_check_files (rest, 0, 0, error)
                        && run_bench (&bench, &line, cancellable, error);
  tl_cli_explain_cancel (error, "the measurement was interrupted");
  g_free (bench.size);
  g_free (bench.projections);
  g_free (bench.repeat);
  g_free (bench.slices);
  return good;
}
