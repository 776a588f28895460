/* The table of one engine: every variant with as many slices as it takes at
 * once, and the engine's own choices for some numbers of slices. A second
 * table compares the rates of kernels and numbers of slices, as in the
 * paper. */
#include "app/cli/bench/errors-private.h"

#include <math.h>
#include <stdio.h>

/* Columns of the second table: the number of slices requested, or powers of
 * two up to the most that a pass takes. */
#define MAX_COUNTS 6

typedef struct
{
  TlBench *bench;
  TlCeilings ceilings;       /* before the measurements */
  TlBenchTruth *truth;       /* (nullable) */
  size_t counts[MAX_COUNTS]; /* [n_counts] */
  guint n_counts;
  /* the best rates in GU/s; 0: none */
  double rates[TL_N_INTERPOLATIONS][TL_N_KERNELS][TL_N_PRECISIONS][MAX_COUNTS];
} Table;

static void
print_head (const Table *table, const TlBenchCase *c)
{
  const TlBench *bench = table->bench;
  tl_json_add (bench->json, "size: %zu, projections: %zu", c->n_cols,
               c->n_projections);
  if (bench->json == NULL)
    printf ("slices of %zu x %zu pixels from %zu projections\n", c->n_cols,
            c->n_cols, c->n_projections);
  if (table->truth == NULL)
    return;
  tl_json_add (bench->json, "error_size: %zu", bench->error_size);
  if (bench->json == NULL)
    printf ("errors: relative L2, each interpolation and the Fourier method "
            "against its own sums in double precision:\n"
            "  rounding, not what interpolation costs; some pixels "
            "of slices of %zu columns and projections,\n"
            "  for nearest and oversampled without those where rounding "
            "decides; * not below the limit, %g full, %g fast\n",
            bench->error_size, tl_bench_find_limit (TL_PRECISION_FULL),
            tl_bench_find_limit (TL_PRECISION_FAST));
}

/* --- rows --- */

/* Returns: the largest rate in GU/s that the ceilings allow @variant; 0 if
 * unknown */
static double
find_ceiling (const TlCeilings *ceilings, const TlVariant *variant)
{
  double rate = 0.0;
  if (variant->fetches > 0.0)
    rate += ceilings->fetches / variant->fetches;
  if (variant->shared_bytes > 0.0)
    rate += ceilings->shared_bytes / variant->shared_bytes;
  if (variant->products > 0.0)
    rate += ceilings->products / variant->products;
  return rate * variant->n_slices / 1e9;
}

static const char *
name_ceiling (const TlVariant *variant)
{
  return variant->products > 0.0        ? "tensor"
         : variant->fetches <= 0.0      ? "shared"
         : variant->shared_bytes <= 0.0 ? "texture"
                                        : "both";
}

static const char *
mark (double error, TlPrecision precision)
{
  return error < tl_bench_find_limit (precision) ? " " : "*";
}

static void
print_errors (const TlBenchErrors *errors, TlPrecision precision)
{
  if (!isnan (errors->noise))
    printf (" %8.1e%s %8.1e%s", errors->noise, mark (errors->noise, precision),
            errors->phantom, mark (errors->phantom, precision));
  putchar ('\n');
  fflush (stdout);
}

/* Prints a line of numbers. Times are of all slices; those of the filter are
 * of one slice. */
static void
print_variant (const Table *table, const TlBenchCase *c,
               const TlBenchTimes *times, const TlBenchErrors *errors)
{
  const double rate = tl_bench_rate (c, times), n = (double)c->n_slices;
  const double ceiling = find_ceiling (&table->ceilings, c->variant);
  printf ("  %-31s %6zu %9.3f %9.3f %9.3f %9.1f ", c->variant->name,
          c->n_slices, times->backproject.median, times->backproject.min,
          times->backproject.max, rate);
  if (ceiling > 0.0)
    printf ("%5.1f %% %-7s", 100.0 * rate / ceiling, name_ceiling (c->variant));
  else
    printf ("%7s %-7s", "-", "");
  printf (" %9.3f %9.3f ", times->transform.median / n,
          times->filter.median / n);
  print_errors (errors, c->precision);
}

/* Prints a line of the engine's choice. All times are divided by the number
 * of slices. n_folded: pixels that are computed together by symmetry. */
static void
print_choice (const TlBenchCase *c, const TlBenchTimes *times,
              const TlBenchErrors *errors)
{
  const double n = (double)c->n_slices;
  printf ("  %-16s %6zu  %-31s %6u %9.3f %9.3f %9.3f %9.3f %9.1f ",
          tl_kernel_names[c->kernel], c->n_slices, times->variant->name,
          times->n_folded, times->transform.median / n,
          times->filter.median / n, times->backproject.median / n,
          times->total.median / n, tl_bench_rate (c, times));
  print_errors (errors, c->precision);
}

static void
add_row (const Table *table, const TlBenchCase *c, const TlBenchTimes *times,
         const TlBenchErrors *errors)
{
  TlJson *json = table->bench->json;
  const double rate = tl_bench_rate (c, times);
  const double ceiling =
      c->variant == NULL ? 0.0 : find_ceiling (&table->ceilings, c->variant);
  const double samples =
      (double)c->n_slices * (double)c->n_projections * (double)c->n_cols;
  tl_json_add (json,
               "{variant: %s, kernel: %s, interpolation: %s, precision: %s, "
               "slices: %zu, folded: %u",
               times->variant->name, tl_kernel_names[c->kernel],
               tl_interpolation_names[c->interpolation],
               tl_precision_names[c->precision], c->n_slices, times->n_folded);
  tl_bench_add_spread (json, "backproject", &times->backproject);
  tl_bench_add_spread (json, "transform", &times->transform);
  tl_bench_add_spread (json, "filter", &times->filter);
  tl_bench_add_spread (json, "total", &times->total);
  tl_json_add (json, "gups: %f, filter_gsamples_per_s: %f", rate,
               samples / (times->transform.median + times->filter.median)
                   / 1e6);
  if (ceiling > 0.0)
    tl_json_add (json, "ceiling: %s, ceiling_gups: %f, share: %f",
                 name_ceiling (c->variant), ceiling, rate / ceiling);
  if (!isnan (errors->noise))
    {
      const double limit = tl_bench_find_limit (c->precision);
      tl_json_add (json,
                   "error_noise: %f, error_phantom: %f, error_limit: %f, "
                   "is_below_limit: %d",
                   errors->noise, errors->phantom, limit,
                   errors->noise < limit && errors->phantom < limit);
    }
  tl_json_add (json, "}");
}

/* Measures one row and prints it or adds it to the JSON. */
static gboolean
do_row (Table *table, const TlBenchCase *c, GError **error)
{
  TlBench *bench = table->bench;
  TlBenchErrors errors;
  TlBenchTimes times;
  if (!tl_bench_truth_compare (table->truth, bench, c, &errors, error)
      || !tl_bench_time (bench, c, &times, error))
    return FALSE;
  if (c->variant != NULL && !c->variant->is_fourier)
    for (guint k = 0; k < table->n_counts; k++)
      if (c->n_slices == table->counts[k])
        {
          double *best =
              &table->rates[c->interpolation][c->kernel][c->precision][k];
          *best = MAX (*best, tl_bench_rate (c, &times));
        }
  if (bench->json != NULL)
    add_row (table, c, &times, &errors);
  else if (c->variant != NULL)
    print_variant (table, c, &times, &errors);
  else
    print_choice (c, &times, &errors);
  return TRUE;
}

/* --- groups of rows --- */

static gboolean
do_variants (Table *table, TlBenchCase c, GError **error)
{
  const TlBench *bench = table->bench;
  size_t n;
  const TlVariant *const *variants =
      tl_engine_list_variants (bench->engine, &n);
  for (guint kernel = TL_KERNEL_STANDARD; kernel < TL_N_KERNELS; kernel++)
    for (size_t k = 0; k < n; k++)
      {
        if (variants[k]->kernel != kernel
            || variants[k]->interpolation != c.interpolation
            || variants[k]->precision != c.precision
            || !tl_bench_takes (bench, variants[k], kernel, c.interpolation,
                                c.precision))
          continue;
        c.variant = variants[k];
        c.kernel = kernel;
        c.n_slices =
            bench->n_slices > 0 ? bench->n_slices : variants[k]->n_slices;
        if (!do_row (table, &c, error))
          return FALSE;
      }
  return TRUE;
}

/* Measures the engine's own choice for 1, 2, 4 … 32 slices, and for one slice
 * with each kernel. */
static gboolean
do_choices (Table *table, TlBenchCase c, GError **error)
{
  const TlBench *bench = table->bench;
  c.variant = NULL;
  c.kernel = bench->recipe->params.kernel;
  for (c.n_slices = 1; c.n_slices <= 32; c.n_slices *= 2)
    if (!do_row (table, &c, error))
      return FALSE;
  c.n_slices = 1;
  for (c.kernel = TL_KERNEL_STANDARD; c.kernel < TL_N_KERNELS; c.kernel++)
    if (bench->recipe->params.kernel == TL_KERNEL_AUTO
        && tl_bench_has (bench, c.kernel, c.interpolation, c.precision)
        && !do_row (table, &c, error))
      return FALSE;
  return TRUE;
}

typedef gboolean (*DoRows) (Table *table, TlBenchCase c, GError **error);

/* Measures the rows for each interpolation, full and fast, each with a
 * heading. */
static gboolean
do_groups (Table *table, TlBenchCase c, DoRows do_rows, const char *head,
           GError **error)
{
  const TlBench *bench = table->bench;
  const TlKernel kernel = bench->recipe->params.kernel;
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
      {
        if (!tl_bench_has (bench, kernel, way, precision))
          continue;
        c.interpolation = way;
        c.precision = precision;
        if (bench->json == NULL)
          printf ("\n%s, %s\n%s%s\n", tl_interpolation_names[way],
                  tl_precision_names[precision], head,
                  table->truth != NULL ? "     noise   phantom" : "");
        if (!do_rows (table, c, error))
          return FALSE;
      }
  return TRUE;
}

/* --- rates of kernels and numbers of slices --- */

static void
print_rates_of (const Table *table, TlInterpolation way, TlKernel kernel)
{
  printf ("  %-16s", tl_kernel_names[kernel]);
  for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
    for (guint k = 0; k < table->n_counts; k++)
      if (table->rates[way][kernel][precision][k] > 0.0)
        printf (" %8.1f", table->rates[way][kernel][precision][k]);
      else
        printf (" %8s", "-");
  putchar ('\n');
}

static void
print_rates (const Table *table)
{
  const TlBench *bench = table->bench;
  const TlKernel wanted = bench->recipe->params.kernel;
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    {
      if (!tl_bench_has (bench, wanted, way, TL_BENCH_ANY_PRECISION))
        continue;
      printf ("\n%s, GU/s\n  %-16s", tl_interpolation_names[way], "slices");
      for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
        for (guint k = 0; k < table->n_counts; k++)
          printf (" %4s %3zu", tl_precision_names[precision], table->counts[k]);
      putchar ('\n');
      for (guint kernel = TL_KERNEL_STANDARD; kernel < TL_N_KERNELS; kernel++)
        if (tl_bench_has (bench, kernel, way, TL_BENCH_ANY_PRECISION))
          print_rates_of (table, way, kernel);
    }
}

/* --- the table --- */

static gboolean
do_table (Table *table, const TlBenchCase *c, GError **error)
{
  TlJson *json = table->bench->json;
  tl_json_add (json, "variants: [");
  if (!do_groups (
          table, *c, do_variants,
          "  variant                         slices median ms    min ms    "
          "max ms      GU/s  of ceiling    "
          "transform    filter ms/slice",
          error))
    return FALSE;
  tl_json_add (json, "], choices: [");
  if (json == NULL)
    puts ("\nThe engine's choice, ms of one slice; folded: so many of its "
          "pixels at once, by symmetry");
  if (!do_groups (
          table, *c, do_choices,
          "  kernel           slices  taken                           folded "
          "transform    filter  back-pr.       all      GU/s",
          error))
    return FALSE;
  tl_json_add (json, "]");
  if (json == NULL && table->bench->recipe->params.method != TL_METHOD_FOURIER)
    print_rates (table);
  return TRUE;
}

gboolean
tl_bench_table (TlBench *bench, GError **error)
{
  Table table = { .bench = bench,
                  .counts = { 1, 2, 4, 8, 16, 32 },
                  .n_counts = MAX_COUNTS };
  TlBenchCase c;
  if (bench->n_slices > 0)
    {
      table.counts[0] = bench->n_slices;
      table.n_counts = 1;
    }
  tl_bench_init_case (bench, &c);
  g_autoptr (TlBenchTruth) truth =
      bench->error_size > 0 ? tl_bench_truth_new (bench, error) : NULL;
  if ((bench->error_size > 0 && truth == NULL)
      || !tl_bench_begin (bench, &c, &table.ceilings, error))
    return FALSE;
  table.truth = truth;
  print_head (&table, &c);
  return do_table (&table, &c, error)
         && tl_bench_end (bench, &table.ceilings, error);
}
