/* Half acquisition by every engine: against plain doubles, against closed forms
 * over the full width, and against the same rows reconstructed differently. */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>
#include <string.h>

/* Relative to the true value, at the seam: the mean of a ring of a few pixels
 * around the axis, which has fewer values than a disc. */
#define TOLERANCE_SEAM 0.01

/* Relative to a detector of the full width, which samples edges differently
 * (measured: 0.013). */
#define TOLERANCE_WIDE 0.02

/* Several slices at once against single slices: the order of the sums differs.
 */
#define TOLERANCE_TOGETHER 1e-5

static TlTestScan *
new_turn (size_t n_projections, size_t n_rows, size_t n_cols)
{
  TlTestScan *scan =
      tl_test_scan_new (n_projections, n_rows, n_cols, TL_SAMPLE_F32);

  tl_test_scan_set_angles (scan, 0.7, 360.0, FALSE);
  return scan;
}

static TlTestScan *
new_noisy_turn (size_t n_projections, size_t n_rows, size_t n_cols)
{
  TlTestScan *scan = new_turn (n_projections, n_rows, n_cols);

  tl_test_scan_fill_noise (scan);
  return scan;
}

static TlParams
make_params (const TlTestScan *scan, double centre_col)
{
  TlParams params = tl_test_params (scan);

  params.half = TRUE;
  params.centre_col = centre_col;
  params.grid =
      tl_grid_full (tl_half_span (TRUE, centre_col, scan->block.n_cols).n_cols);
  return params;
}

/* --- against plain doubles --- */

typedef struct
{
  double centre_col, feather_cols;
  TlPadding padding;
} Shape;

static const Shape shapes[] = {
  { 5.25, 0.0, TL_PADDING_EDGE },  { 5.25, 4.0, TL_PADDING_ZERO },
  { 33.6, 0.0, TL_PADDING_EDGE },  { 33.6, 1000.0, TL_PADDING_EDGE },
  { 20.0, 0.0, TL_PADDING_EDGE },  { 0.0, 0.0, TL_PADDING_EDGE },
  { -0.5, 0.0, TL_PADDING_EDGE },  { 40.5, 3.0, TL_PADDING_ZERO },
  { 12.75, 0.5, TL_PADDING_EDGE },
};

static void
check_plain (TlEngine *engine, const TlTestScan *scan, const TlParams *params)
{
  g_autoptr (TlFrame) frame =
      tl_test_reconstruct (engine, &scan->block, params);
  g_autofree double *want = tl_plain_reconstruct (&scan->block, params);
  g_autofree double *ties = tl_plain_find_ties (
      &scan->block, params,
      tl_test_rounding (tl_engine_get_name (engine), params->precision));
  g_autoptr (GError) error = NULL;
  TlEngineReport report;

  g_assert_true (tl_engine_get_report (engine, &report, &error));
  tl_test_assert_slices (tl_frame_get_pixels (frame), want, ties,
                         scan->block.n_rows * params->grid.nx * params->grid.ny,
                         tl_test_tolerance (tl_engine_get_name (engine),
                                            report.variant,
                                            scan->block.n_projections, TRUE));
}

static void
test_plain (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (TlTestScan) scan = new_noisy_turn (37 + i % 2, 1 + i % 3, 41);
      TlParams params = make_params (scan, shapes[i].centre_col);

      params.feather_cols = shapes[i].feather_cols;
      params.padding = shapes[i].padding;
      check_plain (engine, scan, &params);
    }
}

/* Every variant reads the wider rows, also for a slice around the axis that is
 * folded. */
static void
test_variants (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  size_t n;
  const TlVariant *const *variants = tl_engine_list_variants (engine, &n);

  /* gpu/test-fourier.c tests the Fourier method. */
  for (size_t i = 0; i < n; i++)
    for (size_t n_rows = 1; n_rows <= 5 && !variants[i]->is_fourier;
         n_rows += 4)
      {
        g_autoptr (TlTestScan) scan = new_noisy_turn (36, n_rows, 35);
        TlParams params = make_params (scan, i % 2 == 0 ? 6.2 : 28.9);

        params.kernel = variants[i]->kernel;
        params.interpolation = variants[i]->interpolation;
        params.precision = variants[i]->precision;
        tl_engine_use_variant (engine, variants[i]);
        check_plain (engine, scan, &params);
      }
  tl_engine_use_variant (engine, NULL);
}

static void
test_transforms (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);

  for (const TlTransform *t = tl_engine_list_transforms (engine);
       *t != TL_TRANSFORM_AUTO; t++)
    {
      g_autoptr (TlTestScan) scan = new_noisy_turn (37, 3, 41);
      const TlParams params = make_params (scan, 8.4);

      tl_engine_use_transform (engine, *t);
      check_plain (engine, scan, &params);
    }
  tl_engine_use_transform (engine, TL_TRANSFORM_AUTO);
}

/* --- against closed forms --- */

/* Returns: the mean over the pixels of a shape between two distances from a
 * point. */
static double
get_mean (const float *pixels, const TlGrid *grid, const TlTestEllipse *shape,
          double x, double y, double low, double high)
{
  double sum = 0.0;
  size_t n = 0;

  for (size_t i = 0; i < grid->ny; i++)
    for (size_t j = 0; j < grid->nx; j++)
      {
        const double u = grid->x0 + (double)j, v = grid->y0 - (double)i;
        const double distance = hypot (u - x, v - y);

        if (distance < low || distance >= high
            || !tl_test_ellipse_contains (shape, u, v, 5.0))
          continue;
        sum += pixels[i * grid->nx + j];
        n++;
      }
  g_assert_cmpuint (n, >, 20);
  return sum / (double)n;
}

/* A disc of nearly twice the detector's width has its value in every ring
 * around the axis, including the seam between the two views. */
static void
test_disc (gconstpointer data)
{
  static const double centres[] = { 15.3, 112.6, 40.0 };
  static const int numbers[] = { 480, 481 };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t i = 0; i < G_N_ELEMENTS (centres); i++)
    {
      const double far = fmax (centres[i], 128.0 - centres[i]);
      const TlTestEllipse disc = {
        2.0, -3.0, far - 6.0, far - 6.0, 0.0, 0.0125
      };
      g_autoptr (TlTestScan) scan = new_turn (numbers[i % 2], 1, 129);
      const TlParams params = make_params (scan, centres[i]);
      g_autoptr (TlFrame) frame = NULL;
      double worst = 0.0;

      tl_test_scan_fill_ellipses (scan, centres[i], &disc, 1);
      frame = tl_test_reconstruct (engine, &scan->block, &params);
      for (double r = 0.0; r + 4.0 < far - 16.0; r += 4.0)
        {
          const double mean = get_mean (tl_frame_get_pixels (frame),
                                        &params.grid, &disc, 0, 0, r, r + 4.0);

          worst = fmax (worst, fabs (mean / disc.value - 1.0));
        }
      g_test_message ("centre %g: %zu pixels, off by up to %g", centres[i],
                      params.grid.nx, worst);
      g_assert_cmpfloat (worst, <, TOLERANCE_SEAM);
    }
}

static const TlTestEllipse things[] = {
  { -8.0, 14.0, 80.0, 62.0, 0.4, 0.010 },
  { 45.0, 20.0, 14.0, 9.0, 1.1, 0.008 },
  { -50.0, 3.0, 12.0, 20.0, 0.2, -0.004 },
  { 9.0, -18.0, 8.0, 8.0, 0.0, 0.012 },
};

/* Objects without symmetry are in their places, and the slice equals that of a
 * detector as wide as the slice. */
static void
test_asymmetric (gconstpointer data)
{
  static const double centres[] = { 18.4, 109.1 };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t i = 0; i < G_N_ELEMENTS (centres); i++)
    {
      g_autoptr (TlTestScan) scan = new_turn (480, 1, 129);
      const TlParams params = make_params (scan, centres[i]);
      const size_t n = params.grid.nx;
      g_autoptr (TlTestScan) wide = new_turn (480, 1, n);
      TlParams wide_params = tl_test_params (wide);
      g_autoptr (TlFrame) frame = NULL, whole = NULL;
      double off = 0.0, all = 0.0;

      wide_params.centre_col =
          (double)tl_half_span (TRUE, centres[i], 129).first_col + centres[i];
      tl_test_scan_fill_ellipses (scan, centres[i], things,
                                  G_N_ELEMENTS (things));
      tl_test_scan_fill_ellipses (wide, wide_params.centre_col, things,
                                  G_N_ELEMENTS (things));
      frame = tl_test_reconstruct (engine, &scan->block, &params);
      whole = tl_test_reconstruct (engine, &wide->block, &wide_params);
      for (size_t k = 0; k < n * n; k++)
        {
          const double x = params.grid.x0 + (double)(k % n);
          const double y = params.grid.y0 - (double)(k / n);
          const double want = tl_frame_get_pixels (whole)[k];

          if (hypot (x, y) > (double)n / 2.0 - 10.0)
            continue;
          off += pow (tl_frame_get_pixels (frame)[k] - want, 2.0);
          all += want * want;
        }
      g_test_message ("centre %g: off by %g", centres[i], sqrt (off / all));
      g_assert_cmpfloat (sqrt (off / all), <, TOLERANCE_WIDE);
      for (size_t t = 1; t < G_N_ELEMENTS (things); t++)
        g_assert_cmpfloat_with_epsilon (
            get_mean (tl_frame_get_pixels (frame), &params.grid, &things[t],
                      things[t].x, things[t].y, 0.0, 100.0),
            things[0].value + things[t].value,
            TL_TOLERANCE_DISC * things[0].value);
    }
}

/* --- several slices --- */

static void
test_together (gconstpointer data)
{
  enum
  {
    N_ROWS = 7,
    N_COLS = 41
  };
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_noisy_turn (60, N_ROWS, N_COLS);
  const TlParams params = make_params (scan, 7.3);
  const size_t n = params.grid.nx * params.grid.ny;
  g_autoptr (TlFrame) together = NULL;

  together = tl_test_reconstruct (engine, &scan->block, &params);
  for (size_t row = 0; row < N_ROWS; row++)
    {
      g_autoptr (TlTestScan) one = new_turn (60, 1, N_COLS);
      g_autoptr (TlFrame) alone = NULL;
      double off = 0.0, all = 0.0;

      for (size_t p = 0; p < 60; p++)
        memcpy ((float *)one->samples + p * N_COLS,
                (const float *)scan->samples + (p * N_ROWS + row) * N_COLS,
                N_COLS * sizeof (float));
      alone = tl_test_reconstruct (engine, &one->block, &params);
      for (size_t i = 0; i < n; i++)
        {
          const double want = tl_frame_get_pixels (alone)[i];

          off += pow (tl_frame_get_pixels (together)[row * n + i] - want, 2.0);
          all += want * want;
        }
      g_assert_cmpfloat (sqrt (off / all), <=, TOLERANCE_TOGETHER);
    }
}

/* --- stages --- */

/* A moved centre changes the column weights, so the transform runs again but no
 * earlier stage does. */
static void
test_stages (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_noisy_turn (60, 1, 41);
  TlParams params = make_params (scan, 7.0);
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  params.centre_col += 0.125;
  tl_test_assert_first (engine, &params, TL_STAGE_TRANSFORM);
  params.feather_cols = 6.0;
  tl_test_assert_first (engine, &params, TL_STAGE_TRANSFORM);
  params.cutoff = 0.5;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.half = FALSE;
  tl_test_assert_first (engine, &params, TL_STAGE_TRANSFORM);
  params.feather_cols = 8.0;
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.centre_col += 0.125;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
}

/* A slice does not depend on what was shown before it: in fast precision, the
 * unit of half floats is that of its own rows. With @half off the largest value
 * counts whole; with it on, this value is where the weights are small. */
static void
test_again (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_noisy_turn (60, 1, 41);
  TlParams params = make_params (scan, 7.0);
  const size_t bytes = params.grid.nx * params.grid.ny * sizeof (float);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) before = NULL, other = NULL, after = NULL;

  for (size_t p = 0; p < 60; p++)
    ((float *)scan->samples)[p * 41 + 1] = 3000.0f;
  params.precision = TL_PRECISION_FAST;
  before = tl_test_reconstruct (engine, &scan->block, &params);
  params.half = FALSE;
  other = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  params.half = TRUE;
  after = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (after, &error));
  g_assert_cmpmem (tl_frame_get_pixels (before), bytes,
                   tl_frame_get_pixels (after), bytes);
}

/* --- what is refused --- */

static void
test_half_turn (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (60, 1, 41);
  TlParams params = make_params (scan, 7.0);
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  g_assert_null (tl_engine_reconstruct (engine, &params, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "full turn"));
  params.feather_cols = NAN;
  g_assert_false (tl_params_check (&params, 41, NULL));
  params.feather_cols = -1.0;
  g_assert_false (tl_params_check (&params, 41, NULL));
}

/* --- the rule --- */

static void
test_span (gconstpointer data)
{
  for (size_t n_cols = 1; n_cols < 90; n_cols += 11)
    for (double centre = -0.5; centre <= (double)n_cols - 0.5; centre += 0.25)
      {
        const TlHalfSpan span = tl_half_span (TRUE, centre, n_cols);
        const TlHalfSpan off = tl_half_span (FALSE, centre, n_cols);
        const double far = fmax (centre, (double)n_cols - 1.0 - centre);
        const double axis = (double)span.first_col + centre;

        g_assert_cmpuint (off.n_cols, ==, n_cols);
        g_assert_cmpuint (off.first_col, ==, 0);
        g_assert_cmpuint (span.n_cols % 16, ==, 0);
        g_assert_cmpfloat ((double)span.n_cols, >=, 2.0 * far + 1.0);
        g_assert_cmpfloat ((double)span.n_cols, <, 2.0 * far + 18.0);
        g_assert_cmpuint (span.first_col + n_cols, <=, span.n_cols);
        /* The row reaches at least as far on the near side. */
        g_assert_cmpfloat (fmin (axis, (double)span.n_cols - 1.0 - axis), >=,
                           far - 1e-9);
      }
  g_assert_true (tl_half_suits (20.0, 100));
  g_assert_true (tl_half_suits (70.0, 100));
  g_assert_false (tl_half_suits (34.0, 100));
  g_assert_false (tl_half_suits (49.5, 100));
}

static void
test_weights (gconstpointer data)
{
  double weights[101], mirrored[101];

  /* With the axis on a column, opposite rays lie on columns too. */
  tl_half_weights (20.0, 20.0, 20.0, 0.0, 101, weights);
  tl_half_weights (80.0, 80.0, 20.0, 0.0, 101, mirrored);
  for (size_t col = 0; col <= 100; col++)
    {
      if (col <= 40)
        g_assert_cmpfloat_with_epsilon (weights[col] + weights[40 - col], 1.0,
                                        1e-15);
      else
        g_assert_cmpfloat (weights[col], ==, 1.0);
      g_assert_cmpfloat_with_epsilon (mirrored[100 - col], weights[col], 1e-15);
    }
  g_assert_cmpfloat (weights[0], ==, 0.0);
  tl_half_weights (20.0, 20.0, 20.0, 10.0, 101, weights);
  g_assert_cmpfloat (weights[15], ==, 0.0);
  g_assert_cmpfloat (weights[16], >, 0.0);
  g_assert_cmpfloat (weights[24], <, 1.0);
  g_assert_cmpfloat (weights[25], ==, 1.0);
  /* Without columns on the near side, the weights are a step. */
  tl_half_weights (0.0, 3.0, -2.0, 0.0, 101, weights);
  g_assert_cmpfloat (weights[2], ==, 0.0);
  g_assert_cmpfloat (weights[3], ==, 0.5);
  g_assert_cmpfloat (weights[4], ==, 1.0);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "half/plain", test_plain },           { "half/variants", test_variants },
    { "half/transforms", test_transforms }, { "half/disc", test_disc },
    { "half/asymmetric", test_asymmetric }, { "half/together", test_together },
    { "half/again", test_again },           { "half/stages", test_stages },
    { "half/half-turn", test_half_turn },   { "half/span", test_span },
    { "half/weights", test_weights },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
