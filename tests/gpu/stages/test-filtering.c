/* The stages "transform" and "filter" of every engine against a convolution in
 * plain doubles. One projection at angle 0, back-projected onto a line of
 * pixels that lie on the columns, is the filtered row itself. */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>

typedef struct
{
  TlEngine *engine;
  TlTransform transform;
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
check_row (const Case *c, const TlTestScan *scan, TlParams *params)
{
  TlEngine *engine = c->engine;
  const size_t n = scan->block.n_cols;
  const float *samples = scan->samples;
  const double axis = tl_plain_axis (params);
  g_autofree double *row = g_new (double, n), *want = g_new (double, n);
  g_autoptr (TlFrame) frame = NULL;
  double tolerance;

  params->grid =
      (TlGrid){ .ny = 1, .nx = n, .x0 = -axis, .y0 = 0.0, .pitch = 1.0 };
  tl_engine_use_transform (engine, c->transform);
  frame = tl_test_reconstruct (engine, &scan->block, params);
  tl_engine_use_transform (engine, TL_TRANSFORM_AUTO);
  /* A single projection has the weight of half a turn. */
  for (size_t i = 0; i < n; i++)
    row[i] = G_PI * samples[i];
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
  static const struct
  {
    double cutoff, band_limit;
  } bands[] = { { 1.0, 1.0 }, { 0.8, 1.0 }, { 0.31, 1.0 }, { 1.0, 0.43 } };
  const Case *c = data;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (1, 1, c->n_cols, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);

  tl_test_scan_fill_noise (scan);
  for (int filter = 0; filter < TL_N_FILTERS; filter++)
    for (size_t i = 0; i < G_N_ELEMENTS (bands); i++)
      for (int padding = 0; padding < TL_N_PADDINGS; padding++)
        {
          params.filter = filter;
          params.cutoff = bands[i].cutoff;
          params.band_limit = bands[i].band_limit;
          params.padding = padding;
          check_row (c, scan, &params);
        }
}

/* The filter shifts rows for centres within a quarter column of a multiple of
 * half a column, on both sides. */
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
        check_row (c, scan, &params);
      }
}

/* --- transforms --- */

static guint
count_transforms_run (TlEngine *engine)
{
  TlEngineReport report;

  g_assert_true (tl_engine_get_report (engine, &report, NULL));
  return report.n_runs[TL_STAGE_TRANSFORM];
}

/* All transforms give the same slices, also in several batches of a device with
 * an odd last batch: 2103 lines of 2048 values. The grid is small, so that
 * back-projection takes no time. */
static void
test_ways (gconstpointer data)
{
  enum
  {
    SIDE = 9,
    N = 3 * SIDE * SIDE
  };
  TlEngine *engine = tl_test_get_engine (data);
  const TlTransform *ways = tl_engine_list_transforms (engine);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (701, 3, 1000);
  TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) chosen = NULL;
  double want[N];
  g_autoptr (GError) error = NULL;

  params.grid = tl_grid_full (SIDE);
  params.centre_col += 0.2;
  chosen = tl_test_reconstruct (engine, &scan->block, &params);
  for (int i = 0; i < N; i++)
    want[i] = (double)tl_frame_get_pixels (chosen)[i];
  for (const TlTransform *t = ways; *t != TL_TRANSFORM_AUTO; t++)
    {
      const guint n_before = count_transforms_run (engine);
      g_autoptr (TlFrame) frame = NULL;

      tl_engine_use_transform (engine, *t);
      frame = tl_engine_reconstruct (engine, &params, NULL, &error);
      tl_engine_use_transform (engine, TL_TRANSFORM_AUTO);
      g_assert_no_error (error);
      g_assert_true (tl_frame_fetch (frame, &error));
      tl_test_assert_near (tl_frame_get_pixels (frame), want, N,
                           TL_TOLERANCE_FULL);
      /* The engine chooses the first transform by itself, so that it does not
       * run again. */
      g_assert_cmpuint (count_transforms_run (engine) - n_before, ==,
                        t == ways ? 0 : 1);
    }
}

/* With real rows, a slice is the same to the bit whatever slices are
 * reconstructed with it. */
static void
test_neighbours (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 2, 31);
  const TlParams params = tl_test_params (scan);
  const size_t bytes = 31 * 31 * sizeof (float);
  float *samples = scan->samples;
  g_autoptr (TlFrame) first = NULL, second = NULL;

  tl_engine_use_transform (engine, TL_TRANSFORM_REAL);
  first = tl_test_reconstruct (engine, &scan->block, &params);
  for (size_t line = 1; line < 19 * 2; line += 2)
    for (size_t i = 0; i < 31; i++)
      samples[line * 31 + i] *= -1e3f;
  second = tl_test_reconstruct (engine, &scan->block, &params);
  tl_engine_use_transform (engine, TL_TRANSFORM_AUTO);
  g_assert_cmpmem (tl_frame_get_pixels (first), bytes,
                   tl_frame_get_pixels (second), bytes);
}

static void
test_no_such_way (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  const TlParams params = tl_test_params (scan);
  gboolean has[TL_N_TRANSFORMS] = { TRUE };
  g_autoptr (GError) error = NULL;

  for (const TlTransform *t = tl_engine_list_transforms (engine);
       *t != TL_TRANSFORM_AUTO; t++)
    has[*t] = TRUE;
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  for (int t = 0; t < TL_N_TRANSFORMS; t++)
    {
      g_autoptr (TlFrame) frame = NULL;

      tl_engine_use_transform (engine, t);
      frame = tl_engine_reconstruct (engine, &params, NULL, &error);
      g_assert_cmpint (frame != NULL, ==, has[t]);
      if (has[t])
        continue;
      g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, tl_transform_names[t]));
      g_clear_error (&error);
    }
  tl_engine_use_transform (engine, TL_TRANSFORM_AUTO);
}

static void
add_cases (TlEngine *engine)
{
  static const size_t sizes[] = { 1, 2, 3, 31, 61, 64, 65, 128, 129 };
  static const struct
  {
    const char *name;
    GTestDataFunc func;
    size_t first; /* a single column allows no centre beside its middle */
  } tests[] = { { "filters", test_filters, 0 }, { "shifts", test_shifts, 1 } };

  static const TlTestCase ways[] = {
    { "filtering/ways", test_ways },
    { "filtering/neighbours", test_neighbours },
    { "filtering/no-such-way", test_no_such_way },
  };

  tl_test_add_cases (engine, ways, G_N_ELEMENTS (ways));
  for (const TlTransform *transform = tl_engine_list_transforms (engine);
       *transform != TL_TRANSFORM_AUTO; transform++)
    for (size_t t = 0; t < G_N_ELEMENTS (tests); t++)
      for (size_t i = tests[t].first; i < G_N_ELEMENTS (sizes); i++)
        {
          g_autofree char *path = g_strdup_printf (
              "filtering/%s/%s/%zu", tl_transform_names[*transform],
              tests[t].name, sizes[i]);
          Case *c = g_new (Case, 1);

          *c = (Case){ engine, *transform, sizes[i] };
          tl_test_add (engine, path, tests[t].func, c);
        }
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
