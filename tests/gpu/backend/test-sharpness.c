/* The figures of sharpness against plain doubles. */
#include "gpu/centre/figures.h"
#include "tests/support/engines.h"
#include "tests/support/plain-sharpness.h"
#include "tests/support/scans.h"

#include <math.h>

/* The order of the sums in double differs. */
#define SUM_TOLERANCE 1e-9
/* Nats per pixel. A device counts in units of 2^-19 pixels; for a bin with h of
 * n pixels, h log (h / n) is off by at most (1 + log (n / h)) units. */
#define ENTROPY_TOLERANCE 3e-5

static TlFrame *
make_noise (TlEngine *engine, const TlGrid *grid)
{
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (5, 2, 61);
  TlParams params = tl_test_params (scan);

  params.grid = *grid;
  return tl_test_reconstruct (engine, &scan->block, &params);
}

static void
judge (TlEngine *engine, TlFrame *frame, size_t slice, double radius, float low,
       float high, TlSharpness *got)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_measure_sharpness (engine, frame, slice, radius, low,
                                              high, got, &error));
  g_assert_no_error (error);
}

static void
assert_same (const TlSharpness *got, const TlSharpness *want)
{
  for (guint q = 0; q < TL_N_QUARTERS; q++)
    {
      const double n = (double)want->n_pixels[q];

      g_assert_cmpuint (got->n_pixels[q], ==, want->n_pixels[q]);
      for (guint f = 0; f < TL_N_SHARPNESSES; f++)
        {
          const double tolerance =
              f == TL_SHARPNESS_ENTROPY
                  ? ENTROPY_TOLERANCE * n
                  : SUM_TOLERANCE * fabs (want->figures[f][q]);

          if (!(fabs (got->figures[f][q] - want->figures[f][q]) <= tolerance))
            g_test_message ("figure %u, quarter %u: got %.17g, want %.17g", f,
                            q, got->figures[f][q], want->figures[f][q]);
          g_assert_cmpfloat (fabs (got->figures[f][q] - want->figures[f][q]),
                             <=, tolerance);
        }
    }
}

/* Compares both slices, in the whole picture and in a disc, with a histogram of
 * the full range, of a part, and of no values. */
static void
check (TlEngine *engine, TlFrame *frame)
{
  const size_t n_rows = tl_frame_get_n_rows (frame);
  const size_t n_cols = tl_frame_get_n_cols (frame);
  const double radii[] = { INFINITY, 0.45 * (double)MIN (n_rows, n_cols), 0 };
  static const float ranges[][2] = { { -10, 10 }, { -0.1f, 0.2f }, { 0, 0 } };

  for (size_t slice = 0; slice < 2; slice++)
    for (guint r = 0; r < G_N_ELEMENTS (radii); r++)
      for (guint k = 0; k < G_N_ELEMENTS (ranges); k++)
        {
          TlSharpness got, want;

          judge (engine, frame, slice, radii[r], ranges[k][0], ranges[k][1],
                 &got);
          tl_plain_sharpness (
              tl_frame_get_pixels (frame) + slice * n_rows * n_cols, n_rows,
              n_cols, radii[r], ranges[k][0], ranges[k][1], &want);
          assert_same (&got, &want);
        }
}

/* The figures are right for all shapes: one pixel, one row and one column
 * without any neighbours; odd, even, wide and high; and quarters larger than a
 * block of a device or a band of the host.
 */
static void
test_figures (gconstpointer data)
{
  static const size_t sizes[][2] = { { 1, 1 },   { 1, 7 },    { 7, 1 },
                                     { 2, 2 },   { 3, 3 },    { 37, 37 },
                                     { 40, 23 }, { 17, 150 }, { 301, 257 } };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      const TlGrid grid = {
        .nx = sizes[k][0], .ny = sizes[k][1], .x0 = -3, .y0 = 2, .pitch = 0.2
      };
      g_autoptr (TlFrame) frame = make_noise (engine, &grid);

      check (engine, frame);
    }
}

static void
test_repeats (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const TlGrid grid = tl_grid_full (301);
  g_autoptr (TlFrame) frame = make_noise (engine, &grid);
  TlSharpness first, again;

  judge (engine, frame, 1, 140, -1, 1, &first);
  for (guint k = 0; k < 4; k++)
    {
      judge (engine, frame, 1, 140, -1, 1, &again);
      g_assert_cmpmem (&again, sizeof again, &first, sizeof first);
    }
}

/* A disc in the upper left quarter changes the figures of that quarter. */
static void
test_quarters (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new (90, 1, 64, TL_SAMPLE_F32);
  const TlTestEllipse shape = { .x = -14, .y = 14, .a = 5, .b = 5, .value = 1 };
  TlParams params = tl_test_params (scan);
  TlSharpness got;

  tl_test_scan_fill_ellipses (scan, params.centre_col, &shape, 1);
  g_autoptr (TlFrame) frame =
      tl_test_reconstruct (engine, &scan->block, &params);
  judge (engine, frame, 0, INFINITY, -1, 1, &got);
  for (guint f = TL_SHARPNESS_GRADIENT; f < TL_N_SHARPNESSES; f++)
    for (guint q = 1; q < TL_N_QUARTERS; q++)
      g_assert_cmpfloat (got.figures[f][0], >, 4 * got.figures[f][q]);
}

/* NaN samples exclude their pixels, or all pixels. */
static void
test_not_finite (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (2, 2, 31);
  TlParams params = tl_test_params (scan);
  TlSharpness got;

  params.grid = tl_grid_full (62); /* pixels beyond the detector stay finite */
  for (size_t i = 0; i < 2 * 2; i++)
    ((float *)scan->samples)[i * 31 + 15] = NAN;
  g_autoptr (TlFrame) frame =
      tl_test_reconstruct (engine, &scan->block, &params);
  check (engine, frame);
  judge (engine, frame, 0, INFINITY, 0, 1, &got);
  g_assert_cmpuint (got.n_pixels[0], >, 0);
  g_assert_cmpuint (got.n_pixels[0], <, 31 * 31);
  judge (engine, frame, 0, 5, 0, 1, &got);
  for (guint q = 0; q < TL_N_QUARTERS; q++)
    {
      g_assert_cmpuint (got.n_pixels[q], ==, 0);
      for (guint f = 0; f < TL_N_SHARPNESSES; f++)
        g_assert_cmpfloat (got.figures[f][q], ==, 0);
    }
}

/* The range goes from the smallest to the largest value; for a constant slice
 * it is one float step. Once found, it is kept for the next slices. */
static void
test_range (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  for (size_t size = 1; size <= 16; size += 15)
    {
      const TlGrid grid = tl_grid_full (size);
      g_autoptr (TlFrame) frame = make_noise (engine, &grid);
      g_autoptr (GError) error = NULL;
      const float *pixels = tl_frame_get_pixels (frame);
      float low = 0, high = 0, least = pixels[0], largest = pixels[0];
      for (size_t k = 1; k < size * size; k++)
        {
          least = fminf (least, pixels[k]);
          largest = fmaxf (largest, pixels[k]);
        }
      g_assert_true (tl_centre_find_range (engine, frame, &low, &high, &error));
      g_assert_no_error (error);
      g_assert_cmpfloat (low, ==, least);
      g_assert_cmpfloat (low, <, high);
      g_assert_cmpfloat (high, >=, largest);
      g_assert_cmpfloat (high, <=, nextafterf (largest, INFINITY));
      low = -2;
      g_assert_true (tl_centre_find_range (engine, frame, &low, &high, &error));
      g_assert_cmpfloat (low, ==, -2);
    }
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "judge/figures", test_figures },
    { "judge/not-finite", test_not_finite },
    { "judge/quarters", test_quarters },
    { "judge/range", test_range },
    { "judge/repeats", test_repeats },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
