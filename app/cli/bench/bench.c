/* Measures the engines on noise: every way of back-projection that they
 * have, and the filter before it. This file handles the options and selects
 * the engines; the other files of the room measure. */

#include "app/cli/bench/plot-private.h"
#include "app/cli/bench/volume-private.h"
#include "app/cli/output-private.h"
#include "data/error.h"

#include <string.h>

/* Largest number of slices at once: many times what a pass takes, and the
 * noise for them still fits into memory. */
#define MAX_SLICES 64

/* The options as typed; all strings are nullable, and 0: not given. */
typedef struct
{
  size_t size, n_projections, n_repeats, n_slices, error_size;
  char *sizes, *plot;
  gboolean overwrite;
  gboolean sweeps, tunes, transforms, is_trial, has_no_errors;
  TlBenchVolume volume;
} Options;

typedef gboolean (*Way) (TlBench *bench, GError **error);

static gboolean
is_sweep (const Options *options)
{
  return options->sweeps || options->plot != NULL
         || (options->sizes != NULL && !options->tunes && !options->transforms);
}

/* Returns: the table, unless another measurement was requested */
static Way
choose_way (const Options *options)
{
  return options->tunes        ? tl_bench_tune
         : options->transforms ? tl_bench_transforms
         : is_sweep (options)  ? tl_bench_sweep
                               : tl_bench_table;
}

/* --- engines --- */

/* @n_measured: incremented if the engine has what was requested */
static gboolean
measure_engine (TlBench *bench, Way way, guint *n_measured, GError **error)
{
  if (!tl_bench_has (bench, bench->recipe->params.kernel,
                     TL_BENCH_ANY_INTERPOLATION, TL_BENCH_ANY_PRECISION))
    return TRUE;
  tl_json_add (bench->json, "{");
  if (!way (bench, error))
    return FALSE;
  tl_json_add (bench->json, "}");
  ++*n_measured;
  return TRUE;
}

/* Measures the engine of the recipe; "auto" means every engine that works
 * here. */
static gboolean
measure_engines (TlBench *bench, Way way, GError **error)
{
  const char *wanted = bench->recipe->engine;
  const char *const all[] = { "cuda", "host", NULL };
  const char *const one[] = { wanted, NULL };
  const gboolean any = strcmp (wanted, "auto") == 0;
  guint n_measured = 0;
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
      bench->engine = engine;
      if (!measure_engine (bench, way, &n_measured, error))
        return FALSE;
    }
  if (n_measured > 0)
    return TRUE;
  return tl_fail (
      error, TL_ERROR_UNSUPPORTED,
      "the engine %s has no such method, kernel, interpolation and precision",
      wanted);
}

/* --- options --- */

/* Parses a list such as "128,256,512". */
static gboolean
parse_sizes (const char *text, GArray *sizes, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (char **word = words; *word != NULL; word++)
    {
      size_t size;
      if (!tl_cli_parse_size ("--sizes", *word, 1, &size, error))
        return FALSE;
      if (sizes->len > 0
          && size <= g_array_index (sizes, size_t, sizes->len - 1))
        return tl_cli_usage_error (
            error,
            "--sizes takes ascending numbers with commas "
            "between them, not \"%s\"",
            text);
      g_array_append_val (sizes, size);
    }
  if (sizes->len == 0)
    tl_cli_usage_error (error, "--sizes takes at least one number");
  return sizes->len > 0;
}

/* Refuses more than one kind of measurement, and options that the requested
 * kind would ignore. */
static gboolean
check_options (const Options *options, const TlCliLine *line, TlMethod method,
               GError **error)
{
  const TlBenchVolume *volume = &options->volume;
  if (is_sweep (options) + options->tunes + options->transforms
          + volume->is_wanted
      > 1)
    tl_cli_usage_error (error, "--sweep (or --sizes, or --plot), --tune, "
                               "--transforms and --volume go one at a time");
  else if (options->size > 0 && (is_sweep (options) || options->tunes))
    tl_cli_usage_error (error, "--size is one size; a sweep and --tune take "
                               "--sizes");
  else if (options->n_slices > MAX_SLICES)
    tl_cli_usage_error (error, "--slices takes %d at most, not %zu", MAX_SLICES,
                        options->n_slices);
  else if (options->is_trial && !options->tunes)
    tl_cli_usage_error (error, "--dry-run is for --tune");
  else if (!volume->is_wanted
           && (volume->rows != NULL || volume->devices != NULL))
    tl_cli_usage_error (error, "--rows and --devices are for --volume");
  else if (volume->is_wanted
           && (options->n_slices > 0 || options->n_repeats > 0
               || options->error_size > 0 || options->has_no_errors))
    tl_cli_usage_error (error, "--volume does not go with --slices, --repeat, "
                               "--error-size and --no-errors");
  else if (options->transforms && tl_cli_line_has (line, "interpolation"))
    tl_cli_usage_error (error, "--transforms does not go with --interpolation");
  else if (method == TL_METHOD_FOURIER
           && (tl_cli_line_has (line, "kernel")
               || tl_cli_line_has (line, "interpolation")))
    tl_cli_usage_error (error, "the Fourier method has one kernel and an "
                               "interpolation of its own; leave out --kernel "
                               "and --interpolation");
  else
    return TRUE;
  return FALSE;
}

static gboolean
was_given (const TlCliLine *line, const char *key)
{
  return tl_cli_line_has (line, key) || line->recipe_path != NULL;
}

static gboolean
run_bench (const Options *options, const TlCliLine *line,
           GCancellable *cancellable, GError **error)
{
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (line, NULL, NULL, error);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (size_t));
  TlBench bench = {
    .recipe = recipe,
    .any_interpolation = !was_given (line, "interpolation"),
    .any_precision = !was_given (line, "precision"),
    .size = options->size,
    .n_projections = options->n_projections,
    .n_slices = options->n_slices,
    .n_repeats = options->n_repeats > 0 ? options->n_repeats : 5,
    .error_size = options->has_no_errors    ? 0
                  : options->error_size > 0 ? options->error_size
                                            : TL_BENCH_ERROR_SIZE,
    .sizes = sizes,
    .plot = options->plot,
    .overwrites = options->overwrite,
    .is_trial = options->is_trial,
    .json = line->json,
    .cancellable = cancellable,
  };
  if (recipe == NULL
      || !check_options (options, line, recipe->params.method, error)
      || (options->sizes != NULL && !parse_sizes (options->sizes, sizes, error))
      || (options->tunes && !tl_bench_check_classes (sizes, error))
      || (options->plot != NULL
          && (!tl_bench_check_plot (options->plot, error)
              || !tl_cli_check_new (options->plot, options->overwrite, error))))
    return FALSE;
  if (options->volume.is_wanted)
    return tl_bench_volume (&options->volume, &bench, error);
  tl_json_add (bench.json, "version: %s, engines: [", TL_VERSION);
  const gboolean good = measure_engines (&bench, choose_way (options), error);
  g_free (bench.noise);
  if (good)
    tl_json_print (bench.json);
  return good;
}

gboolean
tl_bench_is_measured (const TlParamSpec *key)
{
  static const char *const keys[] = { "engine",    "method",        "kernel",
                                      "precision", "interpolation", "filter",
                                      NULL };
  return g_strv_contains (keys, key->key);
}

gboolean
tl_cli_bench (char **args, GCancellable *cancellable, GError **error)
{
  if (g_strcmp0 (args[1], "interactive") == 0)
    return tl_bench_interactive (args + 1, cancellable, error);
  Options options = { 0 };
  const TlCliSize sizes[] = {
    { "size", &options.size,
      "columns, and pixels of a slice's side (" G_STRINGIFY (
          TL_BENCH_HOST_SIZE) " on host, " G_STRINGIFY (TL_BENCH_DEVICE_SIZE) " on a device)" },
    { "projections", &options.n_projections, "projections (as many)" },
    { "repeat", &options.n_repeats,
      "measurements of each, after a warm-up (5)" },
    { "slices", &options.n_slices,
      "slices at once (as many as a variant takes in one pass; 4 and 1 in a "
      "sweep)" },
    { "error-size", &options.error_size,
      "columns and projections for the errors (" G_STRINGIFY (
          TL_BENCH_ERROR_SIZE) ")" },
    { 0 },
  };
  const GOptionEntry own[] = {
    { "no-errors", 0, 0, G_OPTION_ARG_NONE, &options.has_no_errors,
      "leave the errors out", NULL },
    { "sweep", 0, 0, G_OPTION_ARG_NONE, &options.sweeps,
      "measure kernels over sizes, not all variants at one", NULL },
    { "tune", 0, 0, G_OPTION_ARG_NONE, &options.tunes,
      "find the fastest variants, and keep them for the engine to choose by",
      NULL },
    { "dry-run", 0, 0, G_OPTION_ARG_NONE, &options.is_trial,
      "with --tune: do not store the result", NULL },
    { "transforms", 0, 0, G_OPTION_ARG_NONE, &options.transforms,
      "measure transforms of rows over sizes, not variants", NULL },
    { "sizes", 0, 0, G_OPTION_ARG_STRING, &options.sizes,
      "sizes of the sweep, of --tune or of --transforms (128 … 4096, or 256 … "
      "4096 for the last; to 512, or 256, on host)",
      "N,N…" },
    { "plot", 0, 0, G_OPTION_ARG_FILENAME, &options.plot,
      "draw the sweep of the first engine", "FILE.svg" },
    TL_CLI_OVERWRITE (&options.overwrite),
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (
      &line, NULL,
      "Measures the engines' kernels and filters on noise; "
      "--engine, --method, --kernel, --interpolation and "
      "--precision choose among them. \"bench interactive --help\" lists the "
      "options to measure how fast the picture follows a change.",
      sizes, own);
  tl_cli_line_add_keys (&line, tl_bench_is_measured);
  tl_bench_volume_add_options (&options.volume, &line);
  const gboolean good = tl_cli_line_parse (&line, &rest, error)
                        && tl_cli_check_files (rest, 0, 0, error)
                        && run_bench (&options, &line, cancellable, error);
  tl_cli_explain_cancel (error, "the measurement was interrupted");
  return good;
}
