/* Finds the fastest variant for the engine to choose: for each
 * interpolation, precision, number of slices in a pass and grid size; among
 * all kernels, and for each kernel that has several variants. */
#include "app/cli/bench/cases-private.h"
#include "data/error.h"

#include <stdio.h>

/* The powers of two from TL_TUNING_SMALLEST to TL_TUNING_LARGEST. */
static const size_t all_sizes[] = { 128, 256, 512, 1024, 2048, 4096 };

typedef struct
{
  const TlVariant *variant;
  double gups, many_gups; /* as in TlTuningRow */
} Rate;

typedef struct
{
  TlBench *bench;
  TlTuning *tuning;
  GPtrArray *skipped; /* sentences about variants left out */
} Tune;

/* --- one case --- */

/* Returns: whether @reason concerns only this variant or size, so that the
 * other measurements can go on */
static gboolean
skip (Tune *tune, const TlBenchCase *c, const GError *reason)
{
  if (!g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY)
      && !g_error_matches (reason, TL_ERROR, TL_ERROR_UNSUPPORTED))
    return FALSE;
  g_ptr_array_add (tune->skipped,
                   g_strdup_printf ("%s at size %zu is left out: %s",
                                    c->variant->name, c->n_cols,
                                    reason->message));
  return TRUE;
}

/* Returns: the rate of the Fourier method with as many projections as columns;
 * 0 if that is not more than in @c, or if it cannot be measured */
static double
measure_many (TlBench *bench, TlBenchCase c)
{
  TlBenchTimes times;
  if (c.n_cols <= c.n_projections)
    return 0.0;
  c.n_projections = c.n_cols;
  return tl_bench_time (bench, &c, &times, NULL) ? tl_bench_rate (&c, &times)
                                                 : 0.0;
}

/* Measures one case. With @is_fourier, that is the variants of the Fourier
 * method, each with the two numbers of projections of TlTuningRow; else all
 * other variants.
 *
 * @rates: of Rate; gets the variants that ran */
static gboolean
measure_case (Tune *tune, TlBenchCase c, gboolean is_fourier, GArray *rates,
              GError **error)
{
  TlBench *bench = tune->bench;
  size_t n;
  if (is_fourier)
    c.n_projections =
        MIN (c.n_projections, tl_tuning_get_n_projections ((guint)c.n_cols));
  const TlVariant *const *list = tl_engine_list_variants (bench->engine, &n);
  for (size_t k = 0; k < n; k++)
    {
      g_autoptr (GError) reason = NULL;
      TlBenchTimes times;
      c.variant = list[k];
      c.kernel = list[k]->kernel;
      if (list[k]->interpolation != c.interpolation
          || list[k]->precision != c.precision
          || list[k]->n_slices != c.n_slices
          || list[k]->is_fourier != is_fourier
          || !tl_bench_has (bench, c.kernel, c.interpolation, c.precision))
        continue;
      if (tl_bench_time (bench, &c, &times, &reason))
        {
          const Rate rate = { list[k], tl_bench_rate (&c, &times),
                              is_fourier ? measure_many (bench, c) : 0.0 };
          g_array_append_val (rates, rate);
        }
      else if (!skip (tune, &c, reason))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
    }
  return TRUE;
}

/* @next: (nullable): the runner-up */
static void
report_choice (TlJson *json, const TlTuningCase *asked, const Rate *best,
               const Rate *next)
{
  const char *way = tl_interpolation_names[asked->interpolation];
  const char *precision = tl_precision_names[asked->precision];
  const char *kernel = tl_kernel_names[asked->kernel];
  if (json == NULL)
    {
      printf ("%5u %6u  %-13s  %-9s  %-16s  %-31s %9.1f", asked->size,
              asked->n_slices, way, precision, kernel, best->variant->name,
              best->gups);
      if (best->many_gups > 0.0)
        printf ("  %9.1f from %u projections", best->many_gups, asked->size);
      if (next != NULL)
        printf ("  %-31s %9.1f", next->variant->name, next->gups);
      putchar ('\n');
      fflush (stdout);
    }
  tl_json_add (json,
               "{size: %u, slices: %u, interpolation: %s, precision: %s, "
               "kernel: %s, variant: %s, gups: %f",
               asked->size, asked->n_slices, way, precision, kernel,
               best->variant->name, best->gups);
  if (asked->is_fourier)
    tl_json_add (json, "many_gups: %f", best->many_gups);
  if (next != NULL)
    tl_json_add (json, "next_variant: %s, next_gups: %f", next->variant->name,
                 next->gups);
  tl_json_add (json, "}");
}

/* Stores the best variant of @kernel if there are several. */
static void
choose (Tune *tune, const TlBenchCase *c, TlKernel kernel, const GArray *rates)
{
  const Rate *best = NULL, *next = NULL;
  for (guint k = 0; k < rates->len; k++)
    {
      const Rate *rate = &g_array_index (rates, Rate, k);
      if (rate->variant->is_reference
          || (kernel != TL_KERNEL_AUTO && rate->variant->kernel != kernel))
        continue;
      if (best == NULL || rate->gups > best->gups)
        {
          next = best;
          best = rate;
        }
      else if (next == NULL || rate->gups > next->gups)
        next = rate;
    }
  if (best == NULL || (next == NULL && kernel != TL_KERNEL_AUTO))
    return;
  const TlTuningRow row = {
    .asked = { kernel, c->interpolation, c->precision, (guint)c->n_slices,
               tl_tuning_get_class (c->n_cols, c->n_cols),
               best->variant->is_fourier },
    .variant = best->variant->name,
    .gups = best->gups,
    .many_gups = best->many_gups,
  };
  tl_tuning_set (tune->tuning, &row);
  report_choice (tune->bench->json, &row.asked, best, next);
}

static gboolean
do_case (Tune *tune, const TlBenchCase *c, GError **error)
{
  const TlKernel wanted = tune->bench->recipe->params.kernel;
  g_autoptr (GArray) rates = g_array_new (FALSE, FALSE, sizeof (Rate));
  g_autoptr (GArray) fourier = g_array_new (FALSE, FALSE, sizeof (Rate));
  if (!measure_case (tune, *c, FALSE, rates, error)
      || !measure_case (tune, *c, TRUE, fourier, error))
    return FALSE;
  /* If only one kernel was measured, the best of all is unknown. */
  if (wanted == TL_KERNEL_AUTO)
    {
      choose (tune, c, TL_KERNEL_AUTO, fourier);
      choose (tune, c, TL_KERNEL_AUTO, rates);
    }
  for (guint kernel = TL_KERNEL_STANDARD; kernel < TL_N_KERNELS; kernel++)
    choose (tune, c, kernel, rates);
  return TRUE;
}

/* --- all cases --- */

static gboolean
do_size (Tune *tune, TlBenchCase c, size_t size, GError **error)
{
  const TlBench *bench = tune->bench;
  const TlKernel wanted = bench->recipe->params.kernel;
  c.n_cols = size;
  c.n_projections = bench->n_projections > 0
                        ? bench->n_projections
                        : tl_tuning_get_n_projections ((guint)size);
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
      for (c.n_slices = 1; c.n_slices <= 32; c.n_slices *= 2)
        {
          c.interpolation = way;
          c.precision = precision;
          if (tl_bench_has (bench, wanted, way, precision)
              && (bench->n_slices == 0 || bench->n_slices == c.n_slices)
              && !do_case (tune, &c, error))
            return FALSE;
        }
  return TRUE;
}

gboolean
tl_bench_check_classes (const GArray *sizes, GError **error)
{
  for (guint k = 0; k < sizes->len; k++)
    {
      const size_t size = g_array_index (sizes, size_t, k);
      if (size == tl_tuning_get_class (size, size))
        continue;
      tl_cli_usage_error (error,
                          "--tune keeps one choice for a class of sizes: "
                          "--sizes takes powers of two from %d to %d, not %zu",
                          TL_TUNING_SMALLEST, TL_TUNING_LARGEST, size);
      return FALSE;
    }
  return TRUE;
}

/* Ends the report. @path: (nullable): file of the saved result */
static void
end (const Tune *tune, const char *path)
{
  TlJson *json = tune->bench->json;
  tl_json_add (json, "], skipped: [");
  for (guint k = 0; k < tune->skipped->len; k++)
    {
      const char *sentence = tune->skipped->pdata[k];
      if (json == NULL)
        puts (sentence);
      tl_json_add (json, "%s", sentence);
    }
  tl_json_add (json, "], path: %s", path);
  if (json == NULL && path != NULL)
    printf ("\nkept in %s\n", path);
  else if (json == NULL)
    puts ("\nnot kept");
}

gboolean
tl_bench_tune (TlBench *bench, GError **error)
{
  g_autoptr (GArray) sizes = tl_bench_list_sizes (
      bench, all_sizes, G_N_ELEMENTS (all_sizes), TL_BENCH_MAX_HOST_SIZE);
  g_autoptr (TlTuning) tuning = tl_engine_dup_tuning (bench->engine);
  g_autoptr (GPtrArray) skipped = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *path = NULL;
  Tune tune = { bench, tuning, skipped };
  TlCeilings ceilings;
  TlBenchCase c;
  tl_bench_init_case (bench, &c);
  if (!tl_bench_begin (bench, &c, &ceilings, error))
    return FALSE;
  tl_json_add (bench->json, "choices: [");
  if (bench->json == NULL)
    printf ("\n%5s %6s  %-13s  %-9s  %-16s  %-31s %9s  %-31s %9s\n", "size",
            "slices", "interpolation", "precision", "kernel", "taken", "GU/s",
            "next", "GU/s");
  for (guint k = 0; k < sizes->len; k++)
    if (!do_size (&tune, c, g_array_index (sizes, size_t, k), error))
      return FALSE;
  if (!bench->is_trial)
    {
      path = tl_tuning_save (tuning, error);
      if (path == NULL)
        return FALSE;
    }
  end (&tune, path);
  return tl_bench_end (bench, &ceilings, error);
}
