/* Measures the kernels over a range of sizes: for each kernel and precision
 * the variants that the engine chooses for four slices and for one. */
#include "app/cli/bench/plot-private.h"

#include <math.h>
#include <stdio.h>

static const size_t all_sizes[] = { 128,  192,  256,  384,  512, 768,
                                    1024, 1536, 2048, 3072, 4096 };

/* One curve of the sweep. */
typedef struct
{
  TlBenchCase wanted;
  TlBenchSeries series;
} Line;

static void
clear_line (gpointer data)
{
  Line *line = data;
  g_free (line->series.label);
  g_free (line->series.values);
}

/* Returns: whether a variant of the kernel takes several slices at once */
static gboolean
takes_more (const TlBench *bench, const TlBenchCase *c)
{
  size_t n;
  const TlVariant *const *variants =
      tl_engine_list_variants (bench->engine, &n);
  for (size_t k = 0; k < n; k++)
    if (variants[k]->kernel == c->kernel
        && variants[k]->interpolation == c->interpolation
        && variants[k]->precision == c->precision && variants[k]->n_slices > 1)
      return TRUE;
  return FALSE;
}

static void
add_line (GArray *lines, const TlBenchCase *c, TlMethod method, size_t n_sizes)
{
  const Line line = {
    .wanted = *c,
    .series = {
      .label = g_strdup_printf ("%s %s, %zu slice%s",
                                method == TL_METHOD_FOURIER
                                    ? tl_method_names[method]
                                    : tl_kernel_names[c->kernel],
                                tl_precision_names[c->precision], c->n_slices,
                                c->n_slices > 1 ? "s" : ""),
      .kernel = c->kernel,
      .is_dashed = c->precision == TL_PRECISION_FULL,
      .is_hollow = c->n_slices == 1,
      .values = g_new (double, n_sizes),
    },
  };
  g_array_append_val (lines, line);
}

static GArray *
choose_lines (const TlBench *bench, TlBenchCase c, size_t n_sizes)
{
  const TlMethod method = bench->recipe->params.method;
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (lines, clear_line);
  for (guint kernel = TL_KERNEL_STANDARD; kernel < TL_N_KERNELS; kernel++)
    for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
      {
        if (!tl_bench_has (bench, kernel, c.interpolation, precision))
          continue;
        c.kernel = kernel;
        c.precision = precision;
        c.n_slices = bench->n_slices > 0 ? bench->n_slices : 4;
        if (bench->n_slices > 0 || takes_more (bench, &c))
          add_line (lines, &c, method, n_sizes);
        c.n_slices = 1;
        if (bench->n_slices == 0)
          add_line (lines, &c, method, n_sizes);
      }
  return lines;
}

static void
begin_line (const TlBench *bench, const Line *line)
{
  const TlBenchCase *c = &line->wanted;
  if (bench->json == NULL)
    printf ("%-32s", line->series.label);
  tl_json_add (bench->json,
               "{kernel: %s, interpolation: %s, precision: %s, slices: %zu, "
               "points: [",
               tl_kernel_names[c->kernel],
               tl_interpolation_names[c->interpolation],
               tl_precision_names[c->precision], c->n_slices);
}

static void
add_point (TlJson *json, const TlBenchCase *c, const TlBenchTimes *times)
{
  const double rate = tl_bench_rate (c, times);
  if (json == NULL)
    printf (" %8.1f", rate);
  fflush (stdout);
  tl_json_add (json, "{size: %zu, projections: %zu, method: %s, variant: %s",
               c->n_cols, c->n_projections,
               tl_method_names[tl_variant_get_method (times->variant)],
               times->variant->name);
  tl_bench_add_spread (json, "backproject", &times->backproject);
  tl_bench_add_spread (json, "total", &times->total);
  tl_json_add (json, "gups: %f}", rate);
}

static gboolean
measure_line (TlBench *bench, Line *line, const GArray *sizes, GError **error)
{
  gboolean good = TRUE;
  begin_line (bench, line);
  for (guint k = 0; k < sizes->len; k++)
    {
      TlBenchCase c = line->wanted;
      TlBenchTimes times;
      c.n_cols = g_array_index (sizes, size_t, k);
      c.n_projections =
          bench->n_projections > 0 ? bench->n_projections : c.n_cols;
      good = tl_bench_time (bench, &c, &times, error);
      if (!good)
        break;
      line->series.values[k] = tl_bench_rate (&c, &times);
      add_point (bench->json, &c, &times);
    }
  /* Also after an error, so that the message starts on a line of its own. */
  if (bench->json == NULL)
    putchar ('\n');
  tl_json_add (bench->json, "]}");
  return good;
}

static gboolean
measure_lines (TlBench *bench, GArray *lines, const GArray *sizes,
               GError **error)
{
  if (bench->json == NULL)
    {
      printf ("\n%-32s", "GU/s, columns");
      for (guint k = 0; k < sizes->len; k++)
        printf (" %8zu", g_array_index (sizes, size_t, k));
      putchar ('\n');
    }
  tl_json_add (bench->json, "sweep: [");
  for (guint k = 0; k < lines->len; k++)
    if (!measure_line (bench, &g_array_index (lines, Line, k), sizes, error))
      return FALSE;
  tl_json_add (bench->json, "]");
  return TRUE;
}

static gboolean
plot_lines (const TlBench *bench, TlInterpolation interpolation,
            const GArray *lines, const GArray *sizes, GError **error)
{
  g_autofree TlBenchSeries *series = g_new (TlBenchSeries, lines->len);
  g_autofree char *title =
      g_strdup_printf ("%s, %s", tl_engine_get_device (bench->engine),
                       tl_interpolation_names[interpolation]);
  for (guint k = 0; k < lines->len; k++)
    series[k] = g_array_index (lines, Line, k).series;
  return tl_bench_plot (bench->plot, bench->overwrites, title,
                        (const size_t *)sizes->data, sizes->len, series,
                        lines->len, error);
}

gboolean
tl_bench_sweep (TlBench *bench, GError **error)
{
  g_autoptr (GArray) sizes = tl_bench_list_sizes (
      bench, all_sizes, G_N_ELEMENTS (all_sizes), TL_BENCH_MAX_HOST_SIZE);
  TlCeilings before;
  TlBenchCase c;
  tl_bench_init_case (bench, &c);
  g_autoptr (GArray) lines = choose_lines (bench, c, sizes->len);
  if (!tl_bench_begin (bench, &c, &before, error)
      || !measure_lines (bench, lines, sizes, error)
      || !tl_bench_end (bench, &before, error))
    return FALSE;
  if (bench->plot == NULL)
    return TRUE;
  if (!plot_lines (bench, c.interpolation, lines, sizes, error))
    return FALSE;
  bench->plot = NULL;
  return TRUE;
}
