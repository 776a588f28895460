/* Projections that are turned back, by every engine: against plain doubles, and
 * bands of rows against the whole. */
#include "tests/support/engines.h"
#include "tests/support/scans.h"

#include <math.h>
#include <string.h>

/* Sixteen float products of noise up to 1. */
#define TOLERANCE_TURNED 4e-6

/* A row in a band against the same row in the whole. With phase retrieval, a
 * device may choose its transforms by their number. */
#define TOLERANCE_BAND_DEVICE 2e-6

static const TlPhase phase = {
  .on = TRUE,
  .energy_kev = 20.0,
  .distance_mm = 100.0,
  .pixel_um = 2.0,
  .delta_beta = 10.0,
};

/* --- turned back --- */

static double
get_convolution (double s)
{
  s = fabs (s);
  if (s < 1.0)
    return 1.0 - 2.5 * s * s + 1.5 * s * s * s;
  return s < 2.0 ? 2.0 - 4.0 * s + 2.5 * s * s - 0.5 * s * s * s : 0.0;
}

static double
turn_plainly (const float *image, size_t n_rows, size_t n_cols, double row,
              double col)
{
  double sum = 0.0;

  for (double i = floor (row) - 2.0; i <= floor (row) + 3.0; i++)
    for (double j = floor (col) - 2.0; j <= floor (col) + 3.0; j++)
      {
        const size_t y = (size_t)CLAMP (i, 0.0, (double)n_rows - 1.0);
        const size_t x = (size_t)CLAMP (j, 0.0, (double)n_cols - 1.0);

        sum += get_convolution (row - i) * get_convolution (col - j)
               * image[y * n_cols + x];
      }
  return sum;
}

static void
test_turned (gconstpointer data)
{
  enum
  {
    N_PROJECTIONS = 5,
    N_ROWS = 23,
    N_COLS = 41
  };
  static const struct
  {
    double tilt_deg, centre_col;
  } cases[] = { { 3.0, 17.3 }, { -9.5, 30.0 }, { 2.0, 20.0 } };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TlTestScan) scan =
          tl_test_scan_new_noise (N_PROJECTIONS, N_ROWS, N_COLS);
      TlParams params = tl_test_params (scan);
      const double tilt = cases[i].tilt_deg * G_PI / 180.0;
      const double centre = cases[i].centre_col;
      g_autofree float *got = NULL;

      scan->block.n_above = 4;
      scan->block.n_below = 3;
      scan->block.middle_row = 9.5;
      params.tilt_deg = cases[i].tilt_deg;
      params.centre_col = centre;
      g_assert_true (tl_tilt_resamples (params.tilt_deg, centre, N_COLS));
      got = tl_test_dup_corrected (engine, &scan->block, &params);
      for (size_t p = 0; p < N_PROJECTIONS; p++)
        for (size_t r = 0; r < N_ROWS - 7; r++)
          for (size_t k = 0; k < N_COLS; k++)
            {
              const double u = (double)k - centre;
              const double w = (double)r + 4.0 - 9.5;
              const double want = turn_plainly (
                  (float *)scan->samples + p * N_ROWS * N_COLS, N_ROWS, N_COLS,
                  9.5 + w * cos (tilt) - u * sin (tilt),
                  centre + w * sin (tilt) + u * cos (tilt));

              g_assert_cmpfloat_with_epsilon (
                  got[(p * (N_ROWS - 7) + r) * N_COLS + k], want,
                  TOLERANCE_TURNED);
            }
    }
}

/* --- bands --- */

static TlTestScan *
copy_rows (const TlTestScan *from, size_t first, size_t n)
{
  const TlBlock *block = &from->block;
  TlTestScan *scan =
      tl_test_scan_new (block->n_projections, n, block->n_cols, TL_SAMPLE_F32);

  for (size_t p = 0; p < block->n_projections; p++)
    memcpy ((float *)scan->samples + p * n * block->n_cols,
            (const float *)from->samples
                + (p * block->n_rows + first) * block->n_cols,
            n * block->n_cols * sizeof (float));
  scan->block.middle_row = block->middle_row - (double)first;
  return scan;
}

/* Asserts that a few rows with their margin give the same result as the whole,
 * also with phase retrieval, which needs a larger margin. */
static void
check_band (TlEngine *engine, const TlPhase *how, double tilt_deg)
{
  enum
  {
    N_PROJECTIONS = 7,
    N_ROWS = 97,
    N_COLS = 41
  };
  static const size_t wanted[][2] = {
    { 0, 1 }, { 2, 3 }, { 48, 2 }, { 60, 1 }, { 96, 1 }
  };
  const gboolean is_host = strcmp (tl_engine_get_name (engine), "host") == 0;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new_noise (N_PROJECTIONS, N_ROWS, N_COLS);
  TlParams params = tl_test_params (scan);
  g_autofree float *whole = NULL;
  size_t margin;

  scan->block.middle_row = (N_ROWS - 1) / 2.0;
  params.minus_log = TRUE;
  params.phase = *how;
  params.tilt_deg = tilt_deg;
  params.centre_col = 15.2;
  params.zingers = TRUE;
  params.zinger_threshold = 0.2;
  margin = tl_params_get_margin (&params, N_ROWS, N_COLS);
  g_assert_cmpuint (margin, >, 2);
  g_assert_cmpuint (margin, <, 40);
  whole = tl_test_dup_corrected (engine, &scan->block, &params);
  for (size_t i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      const size_t first = wanted[i][0], n = wanted[i][1];
      const size_t above = MIN (margin, first);
      const size_t below = MIN (margin, N_ROWS - first - n);
      g_autoptr (TlTestScan) band =
          copy_rows (scan, first - above, above + n + below);
      g_autofree float *got = NULL;

      band->block.n_above = above;
      band->block.n_below = below;
      got = tl_test_dup_corrected (engine, &band->block, &params);
      for (size_t p = 0; p < N_PROJECTIONS; p++)
        for (size_t k = 0; k < n * N_COLS; k++)
          g_assert_cmpfloat (fabs (got[p * n * N_COLS + k]
                                   - whole[(p * N_ROWS + first) * N_COLS + k]),
                             <=, is_host ? 0.0 : TOLERANCE_BAND_DEVICE);
    }
}

static void
test_band (gconstpointer data)
{
  const TlPhase off = { .on = FALSE };
  TlEngine *engine = tl_test_get_engine (data);

  check_band (engine, &off, 4.0);
  check_band (engine, &off, -4.0);
  check_band (engine, &phase, 4.0);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "turn/plain", test_turned },
    { "turn/band", test_band },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
