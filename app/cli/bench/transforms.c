/* Compares the ways of one engine to transform rows over a range of sizes:
 * forward transform, filter, and both. */
#include "app/cli/bench/cases-private.h"

#include <stdio.h>

static const size_t all_sizes[] = { 256, 512, 1024, 2048, 4096 };
static const size_t all_slices[] = { 1, 4 };

/* The largest size on host: it takes only seconds on a few cores, including
 * the back-projection. */
#define MAX_HOST_SIZE 256

#define N_SPREADS 3
static const char *const spread_names[N_SPREADS] = { "transform", "filter",
                                                     "both" };

/* Times of all slices. */
typedef struct
{
  TlTransform transform;
  TlBenchSpread spreads[N_SPREADS];
} Result;

/* Returns: the fastest of @results */
static const Result *
find_fastest (const Result *results, size_t n)
{
  const Result *fastest = results;
  for (size_t k = 1; k < n; k++)
    if (results[k].spreads[2].median < fastest->spreads[2].median)
      fastest = &results[k];
  return fastest;
}

static void
print_results (const TlBenchCase *c, const Result *results, size_t n)
{
  const double n_slices = (double)c->n_slices;
  for (size_t k = 0; k < n; k++)
    {
      printf ("%6zu %6zu  %-6s", c->n_cols, c->n_slices,
              tl_transform_names[results[k].transform]);
      for (size_t i = 0; i < N_SPREADS; i++)
        printf ("  %8.4f (%.4f … %.4f)",
                results[k].spreads[i].median / n_slices,
                results[k].spreads[i].min / n_slices,
                results[k].spreads[i].max / n_slices);
      puts (n > 1 && find_fastest (results, n) == &results[k] ? "  *" : "");
    }
}

static void
add_results (TlJson *json, const TlBenchCase *c, const Result *results,
             size_t n)
{
  tl_json_add (json,
               "{size: %zu, projections: %zu, slices: %zu, fastest: %s, "
               "ways: [",
               c->n_cols, c->n_projections, c->n_slices,
               tl_transform_names[find_fastest (results, n)->transform]);
  for (size_t k = 0; k < n; k++)
    {
      tl_json_add (json, "{name: %s", tl_transform_names[results[k].transform]);
      for (size_t i = 0; i < N_SPREADS; i++)
        tl_bench_add_spread (json, spread_names[i], &results[k].spreads[i]);
      tl_json_add (json, "}");
    }
  tl_json_add (json, "]}");
}

static gboolean
measure_case (TlBench *bench, TlBenchCase *c, GError **error)
{
  Result results[TL_N_TRANSFORMS];
  size_t n = 0;
  for (const TlTransform *t = tl_engine_list_transforms (bench->engine);
       *t != TL_TRANSFORM_AUTO; t++)
    {
      TlBenchTimes times;
      c->transform = *t;
      if (!tl_bench_time (bench, c, &times, error))
        return FALSE;
      results[n++] =
          (Result){ *t, { times.transform, times.filter, times.both } };
    }
  if (bench->json != NULL)
    add_results (bench->json, c, results, n);
  else
    print_results (c, results, n);
  return TRUE;
}

static gboolean
measure_size (TlBench *bench, TlBenchCase c, size_t size, GError **error)
{
  const gboolean is_given = bench->n_slices > 0;
  c.n_cols = size;
  c.n_projections = bench->n_projections > 0 ? bench->n_projections : size;
  for (size_t k = 0; k < (is_given ? 1 : G_N_ELEMENTS (all_slices)); k++)
    {
      c.n_slices = is_given ? bench->n_slices : all_slices[k];
      if (!measure_case (bench, &c, error))
        return FALSE;
    }
  return TRUE;
}

static void
print_head (void)
{
  printf ("\nmilliseconds a slice: median (min … max); * the fastest\n"
          "%6s %6s  %-6s",
          "size", "slices", "rows");
  for (size_t i = 0; i < N_SPREADS; i++)
    printf ("  %-26s", spread_names[i]);
  putchar ('\n');
}

gboolean
tl_bench_transforms (TlBench *bench, GError **error)
{
  g_autoptr (GArray) sizes = tl_bench_list_sizes (
      bench, all_sizes, G_N_ELEMENTS (all_sizes), MAX_HOST_SIZE);
  TlCeilings before;
  TlBenchCase c;
  tl_bench_init_case (bench, &c);
  if (!tl_bench_begin (bench, &c, &before, error))
    return FALSE;
  if (bench->json == NULL)
    print_head ();
  tl_json_add (bench->json, "transforms: [");
  for (guint k = 0; k < sizes->len; k++)
    if (!measure_size (bench, c, g_array_index (sizes, size_t, k), error))
      return FALSE;
  tl_json_add (bench->json, "]");
  return tl_bench_end (bench, &before, error);
}
