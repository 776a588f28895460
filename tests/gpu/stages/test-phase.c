/* The stage "phase" of every engine: against transforms in plain doubles,
 * against propagated waves, and in bands of rows against the whole. */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/scans.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Noise up to 1: the error from beyond the margin, doubled by the logarithm of
 * a value of 1/2. */
#define TOLERANCE_NOISE (2.0 * TL_PHASE_ERROR)

/* As a fraction of the greatest thickness: at the edge of a weak object, the
 * equation neglects the square of the phase (measured: 0.2 %). */
#define TOLERANCE_EDGE 0.01

/* A few float roundings of 1; the logarithm at 1/4 multiplies them by four. */
#define TOLERANCE_UNIFORM 2e-6

/* A row in a band against the same row in the whole. The host sums the same
 * numbers in the same order; a device may choose its transforms by their
 * number. */
#define TOLERANCE_BAND_DEVICE 2e-6

static const TlPhase phase = {
  .on = TRUE,
  .energy_kev = 20.0,
  .distance_mm = 100.0,
  .pixel_um = 2.0,
  .delta_beta = 40.0,
};

/* Returns: (transfer full): [n_projections][slices][n_cols]: the retrieved
 * attenuation */
static float *
retrieve (TlEngine *engine, const TlBlock *block, const TlPhase *how)
{
  TlParams params;

  tl_params_init (&params, block->n_cols);
  params.flat_field = block->flat_first != NULL;
  params.phase = *how;
  return tl_test_dup_corrected (engine, block, &params);
}

/* --- plain transforms --- */

/* Transforms @n values, @stride apart, in place. @sign: -1: forward */
static void
transform_line (double complex *line, size_t n, size_t stride, int sign)
{
  g_autofree double complex *turns = g_new (double complex, n);
  g_autofree double complex *sums = g_new0 (double complex, n);

  for (size_t i = 0; i < n; i++)
    turns[i] = cexp (sign * 2.0 * G_PI * I * (double)i / (double)n);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      sums[k] += line[i * stride] * turns[i * k % n];
  for (size_t k = 0; k < n; k++)
    line[k * stride] = sign < 0 ? sums[k] : sums[k] / (double)n;
}

static void
transform_image (double complex *image, size_t ny, size_t nx, int sign)
{
  for (size_t y = 0; y < ny; y++)
    transform_line (image + y * nx, nx, 1, sign);
  for (size_t x = 0; x < nx; x++)
    transform_line (image + x, ny, nx, sign);
}

/* Returns: the frequency of line @k of a transform of length @n, cycles per
 * pixel. */
static double
get_frequency (size_t k, size_t n)
{
  return (k <= n / 2 ? (double)k : (double)k - (double)n) / (double)n;
}

/* Computes equation 12 for one image whose edge values continue for @reach
 * pixels. @retrieved: (out): [@ny][@nx] */
static void
retrieve_plainly (const float *image, size_t ny, size_t nx, size_t reach,
                  double size_2, double *retrieved)
{
  const size_t my = ny + 2 * reach, mx = nx + 2 * reach;
  g_autofree double complex *large = g_new (double complex, my *mx);

  for (size_t y = 0; y < my; y++)
    for (size_t x = 0; x < mx; x++)
      large[y * mx + x] =
          image[CLAMP (y, reach, reach + ny - 1) * nx - reach * nx
                + CLAMP (x, reach, reach + nx - 1) - reach];
  transform_image (large, my, mx, -1);
  for (size_t y = 0; y < my; y++)
    for (size_t x = 0; x < mx; x++)
      {
        const double v = get_frequency (y, my), u = get_frequency (x, mx);

        large[y * mx + x] /= 1.0 + size_2 * (u * u + v * v);
      }
  transform_image (large, my, mx, 1);
  for (size_t y = 0; y < ny; y++)
    for (size_t x = 0; x < nx; x++)
      retrieved[y * nx + x] =
          -log (creal (large[(y + reach) * mx + x + reach]));
}

/* Returns: 4 pi^2 lambda z (delta / beta) / (4 pi) from the user's parameters;
 * hc is 12.398 keV Å. */
static double
get_size_2 (const TlPhase *how)
{
  const double wavelength_um = 12.39842e-4 / how->energy_kev;

  return G_PI * wavelength_um * how->distance_mm * 1e3 * how->delta_beta
         / (how->pixel_um * how->pixel_um);
}

static void
test_plain (gconstpointer data)
{
  enum
  {
    N_ROWS = 29,
    N_COLS = 37
  };
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (3, N_ROWS, N_COLS);
  g_autofree double *want = g_new (double, N_ROWS *N_COLS);
  float *samples = scan->samples;
  g_autofree float *got = NULL;

  for (size_t i = 0; i < 3 * N_ROWS * N_COLS; i++)
    samples[i] = 0.5f + 0.5f * samples[i];
  got = retrieve (tl_test_get_engine (data), &scan->block, &phase);
  for (size_t p = 0; p < 3; p++)
    {
      retrieve_plainly (samples + p * N_ROWS * N_COLS, N_ROWS, N_COLS, 60,
                        get_size_2 (&phase), want);
      for (size_t i = 0; i < N_ROWS * N_COLS; i++)
        g_assert_cmpfloat_with_epsilon (got[p * N_ROWS * N_COLS + i], want[i],
                                        TOLERANCE_NOISE);
    }
}

/* --- waves --- */

#define N_EDGE 108

/* Returns: the absorption mu T of a smooth, slanted edge. */
static double
get_absorption (size_t y, size_t x)
{
  const double middle = N_EDGE / 2.0;
  const double along = 0.8 * ((double)x - middle) + 0.6 * ((double)y - middle);

  return 0.01 * (1.0 - erf (along / 3.0)) / 2.0;
}

/* Computes the intensity of the wave exp (-(1 / 2 + i delta / (2 beta)) mu T)
 * behind the edge, propagated by Fresnel's transfer function. @seen: (out):
 * [@n][@n] */
static void
propagate (const TlPhase *how, size_t n, float *seen)
{
  const double wavelength_um = 12.39842e-4 / how->energy_kev;
  const double turns = G_PI * wavelength_um * how->distance_mm * 1e3
                       / (how->pixel_um * how->pixel_um);
  const size_t m = 2 * n;
  g_autofree double complex *wave = g_new (double complex, m *m);

  /* The object and its mirror image together are periodic without a jump. */
  for (size_t y = 0; y < m; y++)
    for (size_t x = 0; x < m; x++)
      wave[y * m + x] =
          cexp (-(1.0 + I * how->delta_beta) / 2.0
                * get_absorption (MIN (y, m - 1 - y), MIN (x, m - 1 - x)));
  transform_image (wave, m, m, -1);
  for (size_t y = 0; y < m; y++)
    for (size_t x = 0; x < m; x++)
      {
        const double v = get_frequency (y, m), u = get_frequency (x, m);

        wave[y * m + x] *= cexp (-I * turns * (u * u + v * v));
      }
  transform_image (wave, m, m, 1);
  for (size_t y = 0; y < n; y++)
    for (size_t x = 0; x < n; x++)
      seen[y * n + x] = (float)pow (cabs (wave[y * m + x]), 2.0);
}

/* Phase retrieval gives the thickness back, although the intensity has fringes
 * far beyond it. Only pixels far from the border, where the edge ends, are
 * compared. */
static void
test_edge (gconstpointer data)
{
  const size_t n = N_EDGE;
  const TlPhase how = { .on = TRUE,
                        .energy_kev = 20.0,
                        .distance_mm = 50.0,
                        .pixel_um = 2.0,
                        .delta_beta = 300.0 };
  g_autoptr (TlTestScan) scan = tl_test_scan_new (1, n, n, TL_SAMPLE_F32);
  float *seen = scan->samples;
  g_autofree float *got = NULL;
  double brightest = 0.0, worst = 0.0;
  size_t margin;

  propagate (&how, n, seen);
  got = retrieve (tl_test_get_engine (data), &scan->block, &how);
  margin = tl_phase_get_margin (&how);
  g_assert_cmpuint (margin, <, n / 2 - 10);
  for (size_t y = margin; y < n - margin; y++)
    for (size_t x = margin; x < n - margin; x++)
      {
        const double off = fabs (got[y * n + x] - get_absorption (y, x));

        worst = fmax (worst, off / 0.01);
        brightest = fmax (brightest, seen[y * n + x]);
      }
  g_test_message ("seen up to %g, off by up to %g of the thickness", brightest,
                  worst);
  g_assert_cmpfloat (brightest, >, 1.005);
  g_assert_cmpfloat (worst, <, TOLERANCE_EDGE);
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
  return scan;
}

/* A few rows with their margin give the same result as the whole. */
static void
test_band (gconstpointer data)
{
  enum
  {
    N_PROJECTIONS = 3,
    N_ROWS = 97,
    N_COLS = 41
  };
  static const size_t wanted[][2] = {
    { 0, 1 }, { 2, 3 }, { 48, 2 }, { 96, 1 }
  };
  TlEngine *engine = tl_test_get_engine (data);
  const double tolerance = strcmp (tl_engine_get_name (engine), "host") == 0
                               ? 0.0
                               : TOLERANCE_BAND_DEVICE;
  const size_t margin = tl_phase_get_margin (&phase);
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new_noise (N_PROJECTIONS, N_ROWS, N_COLS);
  g_autofree float *whole = retrieve (engine, &scan->block, &phase);

  g_assert_cmpuint (margin, <, 40);
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
      got = retrieve (engine, &band->block, &phase);
      for (size_t p = 0; p < N_PROJECTIONS; p++)
        for (size_t k = 0; k < n * N_COLS; k++)
          {
            const size_t at = (p * N_ROWS + first) * N_COLS + k;

            g_assert_cmpfloat (fabs (got[p * n * N_COLS + k] - whole[at]), <=,
                               tolerance);
          }
    }
}

/* Rows above and below the slices' rows have no effect if the phase is off. */
static void
test_off (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (5, 9, 23);
  g_autoptr (TlTestScan) alone = copy_rows (scan, 3, 2);
  const TlPhase off = { .on = FALSE };
  g_autofree float *got = NULL, *want = NULL;

  scan->block.n_above = 3;
  scan->block.n_below = 4;
  got = retrieve (engine, &scan->block, &off);
  want = retrieve (engine, &alone->block, &off);
  for (size_t i = 0; i < 5 * 2 * 23; i++)
    g_assert_cmpfloat (got[i], ==, want[i]);
}

/* Dead pixels in the rows around a slice are replaced for the phase but not
 * counted as the slice's, because blocks of a volume share these rows. */
static void
test_dead (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (3, 5, 17);
  g_autofree float *got = NULL;
  g_autoptr (GError) error = NULL;
  TlEngineReport report;

  scan->flat_first = g_new (double, 5 * 17);
  for (size_t i = 0; i < 5 * 17; i++)
    scan->flat_first[i] = i == 7 || i == 2 * 17 + 3 ? 0.0 : 1.0;
  scan->block.flat_first = scan->flat_first;
  scan->block.n_above = scan->block.n_below = 2;
  got = retrieve (engine, &scan->block, &phase);
  g_assert_true (tl_engine_get_report (engine, &report, &error));
  g_assert_cmpuint (report.n_dead, ==, 1);
  for (size_t i = 0; i < 3 * 17; i++)
    g_assert_true (isfinite (got[i]) && got[i] > -1.0f && got[i] < 4.0f);
}

/* Uniform projections keep their value, and so do projections without light,
 * which have the smallest transmission. */
static void
test_uniform (gconstpointer data)
{
  static const float values[] = { 1.0f, 0.25f, 0.0f };
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (G_N_ELEMENTS (values), 3, 19, TL_SAMPLE_F32);
  g_autofree float *got = NULL;

  for (size_t i = 0; i < G_N_ELEMENTS (values) * 3 * 19; i++)
    ((float *)scan->samples)[i] = values[i / (3 * 19)];
  got = retrieve (engine, &scan->block, &phase);
  for (size_t i = 0; i < 3 * 19; i++)
    {
      g_assert_cmpfloat_with_epsilon (got[i], 0.0, TOLERANCE_UNIFORM);
      g_assert_cmpfloat_with_epsilon (got[3 * 19 + i], -log (0.25),
                                      TOLERANCE_UNIFORM);
      g_assert_cmpfloat (got[2 * 3 * 19 + i], >, 12.0f);
    }
}

/* --- stages --- */

/* Switching the phase off and on keeps its values, and its parameters repeat no
 * stage while it is off. */
static void
test_stages (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 5, 31);
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  scan->block.n_above = scan->block.n_below = 2;
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  params.minus_log = TRUE;
  params.phase = phase;
  params.phase.on = FALSE;
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  params.phase.delta_beta *= 0.5;
  /* Back-projection always runs. */
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.phase.on = TRUE;
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  params.phase.delta_beta *= 2.0;
  tl_test_assert_first (engine, &params, TL_STAGE_PHASE);
  params.phase.energy_kev += 5.0;
  tl_test_assert_first (engine, &params, TL_STAGE_PHASE);
  params.cutoff = 0.6;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.padding = TL_PADDING_ZERO;
  tl_test_assert_first (engine, &params, TL_STAGE_TRANSFORM);
  for (guint stage = TL_STAGE_CORRECT; stage < TL_N_STAGES; stage++)
    {
      tl_engine_invalidate (engine, stage);
      tl_test_assert_first (engine, &params, stage);
    }
  params.phase.on = FALSE;
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
}

/* --- errors --- */

static void
test_bad_values (gconstpointer data)
{
  static const struct
  {
    TlPhase phase;
    const char *says;
  } bad[] = {
    { { TRUE, 0.0, 100.0, 1.0, 100.0 }, "the photon energy in keV" },
    { { TRUE, -20.0, 100.0, 1.0, 100.0 }, "cannot be -20" },
    { { TRUE, 20.0, NAN, 1.0, 100.0 }, "the distance" },
    { { TRUE, 20.0, 100.0, 0.0, 100.0 }, "the pixel size" },
    { { TRUE, 20.0, 100.0, 1.0, 0.0 }, "delta over beta" },
    { { TRUE, 20.0, 1e9, 1.0, 100.0 }, "more than the 64 of a row" },
  };
  TlParams params;

  tl_params_init (&params, 64);
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      params.phase = bad[i].phase;
      g_assert_false (tl_params_check (&params, 64, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, bad[i].says));
      params.phase.on = FALSE;
      g_assert_true (tl_params_check (&params, 64, NULL));
      g_assert_cmpuint (tl_phase_get_margin (&params.phase), ==, 0);
    }
  params.phase = phase;
  g_assert_true (tl_params_check (&params, 64, NULL));
  params.minus_log = FALSE;
  g_assert_false (tl_params_check (&params, 64, NULL));
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "phase/plain", test_plain },
    { "phase/edge", test_edge },
    { "phase/band", test_band },
    { "phase/off", test_off },
    { "phase/uniform", test_uniform },
    { "phase/stages", test_stages },
    { "phase/bad-values", test_bad_values },
    { "phase/dead", test_dead },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
