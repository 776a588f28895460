/* The stages "transform" and "filter" of every engine against a convolution in
 * plain doubles. One projection at angle 0, back-projected onto a line of
 * pixels that lie on the columns, is the filtered row itself. */
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>

typedef struct
{
  TlEngine *engine;
  size_t n_cols;
} Case;

static double
get_norm (const double *row, size_t n)
{
  double sum = 0.0;

  for (size_t i = 0; i < n; i++)
    sum += row[i] * row[i];
  return sqrt (sum);
}

static void
check_row (TlEngine *engine, const TlTestScan *scan, TlParams *params)
{
  const size_t n = scan->block.n_cols;
  const float *samples = scan->samples;
  const double axis = tl_plain_axis (params);
  g_autofree double *row = g_new (double, n), *want = g_new (double, n);
  g_autoptr (TlFrame) frame = NULL;
  double tolerance;

  params->grid =
      (TlGrid){ .ny = 1, .nx = n, .x0 = -axis, .y0 = 0.0, .pitch = 1.0 };
  frame = tl_test_reconstruct (engine, &scan->block, params);
  for (size_t i = 0; i < n; i++)
    row[i] = G_PI * samples[i]; /* one projection stands for half a turn */
  tl_plain_filter (params, n, row, want);
  tolerance = g_str_equal (tl_engine_get_name (engine), "host")
                  ? TL_TOLERANCE_HOST
                  : TL_TOLERANCE_FULL;
  tolerance += TL_TOLERANCE_ROW * get_norm (row, n) / get_norm (want, n);
  tl_test_assert_near (tl_frame_get_pixels (frame), want, n, tolerance);
}

static void
test_filters (gconstpointer data)
{
  static const double cutoffs[] = { 1.0, 0.8, 0.31 };
  const Case *c = data;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (1, 1, c->n_cols, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);

  tl_test_scan_fill_noise (scan);
  for (int filter = 0; filter < TL_N_FILTERS; filter++)
    for (size_t i = 0; i < G_N_ELEMENTS (cutoffs); i++)
      for (int padding = 0; padding < TL_N_PADDINGS; padding++)
        {
          params.filter = filter;
          params.cutoff = cutoffs[i];
          params.padding = padding;
          check_row (c->engine, scan, &params);
        }
}

/* Centres within a quarter column of a multiple of half a column, on both
 * sides of it. */
static void
test_shifts (gconstpointer data)
{
  static const double parts[] = { 0.0, 0.1, -0.1, 0.24, -0.24, 0.4, 0.5, 0.61 };
  const Case *c = data;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (1, 1, c->n_cols, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);
  const double middle = params.centre_col;

  tl_test_scan_fill_noise (scan);
  for (size_t i = 0; i < G_N_ELEMENTS (parts); i++)
    for (int padding = 0; padding < TL_N_PADDINGS; padding++)
      {
        params.centre_col = middle + parts[i];
        params.padding = padding;
        check_row (c->engine, scan, &params);
      }
}

static void
add_cases (TlEngine *engine)
{
  static const size_t sizes[] = { 1, 2, 3, 31, 61, 64, 65, 128, 129 };
  static const struct
  {
    const char *name;
    GTestDataFunc func;
    size_t first; /* a centre beside the middle of one column is outside it */
  } tests[] = { { "filters", test_filters, 0 }, { "shifts", test_shifts, 1 } };

  for (size_t t = 0; t < G_N_ELEMENTS (tests); t++)
    for (size_t i = tests[t].first; i < G_N_ELEMENTS (sizes); i++)
      {
        g_autofree char *path =
            g_strdup_printf ("filtering/%s/%zu", tests[t].name, sizes[i]);
        Case *c = g_new (Case, 1);

        *c = (Case){ engine, sizes[i] };
        tl_test_add (engine, path, tests[t].func, c);
      }
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
