/* The difference of two pictures and its figures, and their sum, against plain
 * doubles. */
#include "tests/support/engines.h"
#include "tests/support/scans.h"

#include <math.h>

/* The order of the sums in double differs. */
#define FIGURE_TOLERANCE 1e-9

static TlFrame *
make_noise (TlEngine *engine, size_t n_cols, const TlParams *params)
{
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (5, 2, n_cols);

  return tl_test_reconstruct (engine, &scan->block, params);
}

/* Returns: the parameters for make_noise() with a grid of @reach times the
 * detector's width. */
static TlParams
make_params (size_t n_cols, size_t reach)
{
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (5, 2, n_cols);
  TlParams params = tl_test_params (scan);

  params.grid = tl_grid_full (n_cols * reach);
  return params;
}

static void
assert_close (double got, double want)
{
  if (isfinite (want))
    g_assert_cmpfloat (fabs (got - want), <=, FIGURE_TOLERANCE * fabs (want));
  else
    g_assert_true (isnan (want) ? isnan (got) : got == want);
}

static size_t
count_pixels (TlFrame *frame)
{
  return tl_frame_get_n_slices (frame) * tl_frame_get_n_rows (frame)
         * tl_frame_get_n_cols (frame);
}

/* Compares @map and the figures with plain loops. */
static void
assert_compared (TlFrame *frame, TlFrame *reference, TlFrame *map,
                 const TlComparison *figures)
{
  const float *a = tl_frame_get_pixels (frame);
  const float *b = tl_frame_get_pixels (reference);
  const size_t n = count_pixels (frame);
  const size_t n_cols = tl_frame_get_n_cols (frame);
  const size_t n_rows = tl_frame_get_n_rows (frame);
  g_autoptr (GError) error = NULL;
  double sum = 0, sum_2 = 0, difference_2 = 0, variance = 0;
  size_t n_finite = 0, worst = 0;
  const float *got;

  g_assert_cmpuint (count_pixels (map), ==, n);
  g_assert_cmpuint (tl_frame_get_n_cols (map), ==, n_cols);
  g_assert_true (tl_frame_fetch (map, &error));
  got = tl_frame_get_pixels (map);
  for (size_t i = 0; i < n; i++)
    {
      const float d = a[i] - b[i];

      if (!isfinite (d))
        {
          g_assert_false (isfinite (got[i]));
          continue;
        }
      g_assert_cmpfloat (got[i], ==, d);
      n_finite++;
      sum += b[i];
      sum_2 += (double)b[i] * b[i];
      difference_2 += (double)d * d;
      if (!(fabsf (d) <= fabsf (got[worst])))
        worst = i;
    }
  for (size_t i = 0; i < n; i++)
    if (isfinite (got[i]))
      variance += pow (b[i] - sum / (double)n_finite, 2) / (double)n_finite;
  assert_close (figures->relative_l2, n_finite == 0 || difference_2 > 0
                                          ? sqrt (difference_2 / sum_2)
                                          : 0);
  g_assert_cmpuint (figures->n_left_out, ==, n - n_finite);
  if (n_finite == 0)
    return;
  assert_close (figures->deviation, sqrt (variance));
  g_assert_cmpfloat (figures->max, ==, fabsf (got[worst]));
  if (figures->max > 0)
    g_assert_cmpuint ((figures->slice * n_rows + figures->row) * n_cols
                          + figures->col,
                      ==, worst);
}

static void
check (TlEngine *engine, TlFrame *frame, TlFrame *reference,
       TlComparison *figures)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) map =
      tl_engine_compare (engine, frame, reference, figures, &error);

  g_assert_no_error (error);
  assert_compared (frame, reference, map, figures);
}

static void
test_figures (gconstpointer data)
{
  /* One pixel, more pixels than a block, more pixels than a work item. */
  static const size_t sizes[] = { 1, 37, 301 };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      const TlParams params = make_params (sizes[k], 1);
      g_autoptr (TlFrame) frame = make_noise (engine, sizes[k], &params);
      g_autoptr (TlFrame) reference = make_noise (engine, sizes[k], &params);
      TlComparison figures;

      check (engine, frame, reference, &figures);
      g_assert_cmpfloat (figures.relative_l2, >, 0);
      g_assert_cmpuint (figures.n_left_out, ==, 0);
    }
}

/* Exchanging the pictures changes only the sign of the differences, and a
 * repetition gives the same bits. */
static void
test_repeats (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const TlParams params = make_params (301, 1);
  g_autoptr (TlFrame) a = make_noise (engine, 301, &params);
  g_autoptr (TlFrame) b = make_noise (engine, 301, &params);
  TlComparison first, again, back;

  check (engine, a, b, &first);
  check (engine, a, b, &again);
  check (engine, b, a, &back);
  g_assert_cmpfloat (first.relative_l2, ==, again.relative_l2);
  g_assert_cmpfloat (first.deviation, ==, again.deviation);
  g_assert_cmpfloat (first.max, ==, back.max);
  g_assert_cmpuint (first.row, ==, back.row);
  g_assert_cmpuint (first.col, ==, back.col);
}

static void
test_same (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const TlParams params = make_params (31, 1);
  g_autoptr (TlFrame) frame = make_noise (engine, 31, &params);
  TlComparison figures;

  check (engine, frame, frame, &figures);
  g_assert_cmpfloat (figures.relative_l2, ==, 0);
  g_assert_cmpfloat (figures.max, ==, 0);
}

static void
test_empty_reference (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const TlParams params = make_params (31, 1);
  g_autoptr (TlTestScan) nothing = tl_test_scan_new (5, 2, 31, TL_SAMPLE_F32);
  g_autoptr (TlFrame) frame = make_noise (engine, 31, &params);
  g_autoptr (TlFrame) zero =
      tl_test_reconstruct (engine, &nothing->block, &params);
  TlComparison figures;

  check (engine, frame, zero, &figures);
  g_assert_true (isinf (figures.relative_l2));
  g_assert_cmpfloat (figures.deviation, ==, 0);
  check (engine, zero, zero, &figures);
  g_assert_cmpfloat (figures.relative_l2, ==, 0);
}

/* NaN samples affect the pixels that the detector covers and no others. */
static void
test_not_finite (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t reach = 1; reach <= 2; reach++)
    {
      TlParams params = make_params (31, reach);
      g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (5, 2, 31);
      g_autoptr (TlFrame) reference = NULL;
      g_autoptr (TlFrame) frame = NULL;
      TlComparison figures;

      for (size_t i = 0; i < 5 * 2; i++)
        ((float *)scan->samples)[i * 31 + 15] = NAN;
      if (reach == 1) /* within the detector's width no finite pixel is left */
        params.grid =
            (TlGrid){ .nx = 3, .ny = 3, .x0 = -1, .y0 = 1, .pitch = 1 };
      reference = make_noise (engine, 31, &params);
      frame = tl_test_reconstruct (engine, &scan->block, &params);
      check (engine, frame, reference, &figures);
      g_assert_cmpuint (figures.n_left_out, >, 0);
      if (reach == 1)
        g_assert_cmpuint (figures.n_left_out, ==, 2 * 3 * 3);
    }
}

static void
test_other_shape (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const TlParams params = make_params (31, 1);
  const TlParams wider = make_params (31, 2);
  g_autoptr (TlFrame) frame = make_noise (engine, 31, &params);
  g_autoptr (TlFrame) wide = make_noise (engine, 31, &wider);
  TlComparison figures;

  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_CRITICAL, "*are_alike*");
  g_assert_null (tl_engine_compare (engine, frame, wide, &figures, NULL));
  g_test_assert_expected_messages ();
}

static void
test_sum (gconstpointer data)
{
  static const double factors[] = { 1, 0.37, -2 };
  TlEngine *engine = tl_test_get_engine (data);
  const TlParams params = make_params (301, 1);
  g_autoptr (TlFrame) frame = make_noise (engine, 301, &params);
  g_autoptr (TlFrame) more = make_noise (engine, 301, &params);

  for (size_t k = 0; k < G_N_ELEMENTS (factors); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TlFrame) sum =
          tl_engine_add (engine, frame, factors[k], more, &error);

      g_assert_no_error (error);
      g_assert_true (tl_frame_fetch (sum, &error));
      g_assert_cmpuint (count_pixels (sum), ==, count_pixels (frame));
      for (size_t i = 0; i < count_pixels (frame); i++)
        {
          const double a = factors[k] * tl_frame_get_pixels (frame)[i];
          const double b = tl_frame_get_pixels (more)[i];

          g_assert_cmpfloat (fabs (tl_frame_get_pixels (sum)[i] - (a + b)), <=,
                             2e-7 * (fabs (a) + fabs (b)));
        }
    }
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "compare/figures", test_figures },
    { "compare/repeats", test_repeats },
    { "compare/same", test_same },
    { "compare/empty-reference", test_empty_reference },
    { "compare/not-finite", test_not_finite },
    { "compare/other-shape", test_other_shape },
    { "compare/sum", test_sum },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
