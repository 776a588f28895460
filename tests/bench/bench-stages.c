/* Rates of every variant of an engine: bench-stages ENGINE [COLUMNS
 * [PROJECTIONS]]. Medians; the engine's own clock, which is the device's where
 * there is one. */
#include "tests/support/scans.h"

#include <stdlib.h>

#define N_RUNS 5

static int
compare_doubles (const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static double
get_median (double *values)
{
  qsort (values, N_RUNS, sizeof (double), compare_doubles);
  return values[N_RUNS / 2];
}

static gboolean
measure (TlEngine *engine, const TlVariant *variant, size_t n_cols,
         size_t n_projections, GError **error)
{
  const size_t n_rows = variant->n_slices;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (n_projections, n_rows, n_cols, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);
  const double r = (double)n_cols / 2.0;
  const TlTestEllipse disc = { 0.1 * r, 0.2 * r, 0.7 * r, 0.5 * r, 0.3, 0.01 };
  double filter_ms[N_RUNS], backproject_ms[N_RUNS], updates;

  params.kernel = variant->kernel;
  params.interpolation = variant->interpolation;
  params.precision = variant->precision;
  tl_test_scan_fill_ellipses (scan, params.centre_col, &disc, 1);
  if (!tl_engine_load (engine, &scan->block, error))
    return FALSE;
  /* the first run warms up */
  for (int run = -1; run < N_RUNS; run++)
    {
      TlEngineReport report;
      g_autoptr (TlFrame) frame = NULL;

      tl_engine_invalidate (engine, TL_STAGE_FILTER);
      frame = tl_engine_reconstruct (engine, &params, NULL, error);
      if (frame == NULL || !tl_engine_get_report (engine, &report, error))
        return FALSE;
      if (run < 0)
        continue;
      filter_ms[run] = report.last_ms[TL_STAGE_FILTER];
      backproject_ms[run] = report.last_ms[TL_STAGE_BACKPROJECT];
    }
  updates = (double)(n_cols * n_cols * n_projections * n_rows);
  g_print ("%-28s %zu x %zu x %zu from %zu: back-project %.2f ms, %.2f GU/s; "
           "filter %.2f ms\n",
           variant->name, n_rows, n_cols, n_cols, n_projections,
           get_median (backproject_ms),
           updates / get_median (backproject_ms) / 1e6, get_median (filter_ms));
  return TRUE;
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "auto";
  const size_t n_cols = argc > 2 ? strtoul (argv[2], NULL, 10) : 1024;
  const size_t n_projections = argc > 3 ? strtoul (argv[3], NULL, 10) : 900;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) engine = tl_engine_open (name, &error);
  const TlVariant *const *variants;
  size_t n_variants;

  if (engine == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 77; /* skipped, for Meson */
    }
  g_print ("%s\n", tl_engine_get_device (engine));
  variants = tl_engine_list_variants (engine, &n_variants);
  for (size_t i = 0; i < n_variants; i++)
    {
      if (!measure (engine, variants[i], n_cols, n_projections, &error))
        {
          g_printerr ("%s: %s\n", variants[i]->name, error->message);
          return 1;
        }
    }
  return 0;
}
