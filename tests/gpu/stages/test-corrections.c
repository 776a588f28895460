/* The stages "zingers" and "rings" of every engine: against plain doubles,
 * pixel by pixel, and by their effect on a slice. */
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain-corrections.h"
#include "tests/support/scans.h"

#include <math.h>

typedef struct
{
  TlEngine *engine;
  size_t n_projections, n_rows, n_cols;
  gboolean zingers;
  TlRings rings;
  guint ring_size, ring_levels;
  double ring_sigma;
  double beam_hardening;
} Case;

static TlParams
make_params (const Case *c, const TlTestScan *scan)
{
  TlParams params = tl_test_params (scan);

  params.zingers = c->zingers;
  params.beam_hardening = c->beam_hardening;
  params.rings = c->rings;
  if (c->rings == TL_RINGS_SORTING)
    params.ring_size = c->ring_size;
  if (c->rings == TL_RINGS_WAVELET)
    {
      params.ring_levels = c->ring_levels;
      params.ring_sigma = c->ring_sigma;
    }
  return params;
}

/* Makes noise in multiples of 1/64: equal values are frequent, and no sample is
 * so close to a threshold that rounding decides. */
static TlTestScan *
make_noise (size_t n_projections, size_t n_rows, size_t n_cols)
{
  TlTestScan *scan = tl_test_scan_new_noise (n_projections, n_rows, n_cols);
  float *samples = scan->samples;

  for (size_t i = 0; i < n_projections * n_rows * n_cols; i++)
    samples[i] = roundf (samples[i] * 64.0f) / 64.0f;
  return scan;
}

static double *
dup_samples (const TlTestScan *scan)
{
  const TlBlock *block = &scan->block;
  const size_t n = block->n_projections * block->n_rows * block->n_cols;
  double *rows = g_new (double, n);

  for (size_t i = 0; i < n; i++)
    rows[i] = ((const float *)scan->samples)[i];
  return rows;
}

/* The samples are attenuation, so that the engine and the reference have the
 * same values. Methods that only select values must select the same. The
 * squares of the noise, in multiples of 1/4096, are exact in floats. */
static void
test_case (gconstpointer data)
{
  const Case *c = data;
  const size_t n = c->n_projections * c->n_rows * c->n_cols;
  g_autoptr (TlTestScan) scan =
      make_noise (c->n_projections, c->n_rows, c->n_cols);
  const TlParams params = make_params (c, scan);
  const double tolerance =
      c->rings == TL_RINGS_WAVELET ? TL_TOLERANCE_CORRECTED : 0.0;
  g_autofree float *got =
      tl_test_dup_corrected (c->engine, &scan->block, &params);
  g_autofree double *want = dup_samples (scan);

  if (params.zingers)
    tl_plain_remove_zingers (want, c->n_projections, c->n_rows, c->n_cols,
                             params.zinger_threshold, FALSE);
  tl_plain_remove_rings (want, c->n_projections, c->n_rows, c->n_cols, &params);
  for (size_t i = 0; i < n; i++)
    if (!(fabs (got[i] - want[i]) <= tolerance))
      g_error ("value %zu is %.9g, not %.9g", i, got[i], want[i]);
}

/* The rule for zingers applies to transmission, no matter whether the engine
 * takes the logarithm or the file holds attenuation. */
static void
test_transmission (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = make_noise (29, 2, 31);
  TlParams params = tl_test_params (scan);
  g_autofree double *want = dup_samples (scan);
  g_autofree float *got = NULL;

  params.minus_log = TRUE;
  params.zingers = TRUE;
  params.zinger_threshold = 0.7137;
  got = tl_test_dup_corrected (engine, &scan->block, &params);
  tl_plain_remove_zingers (want, 29, 2, 31, params.zinger_threshold, TRUE);
  for (size_t i = 0; i < 29 * 2 * 31; i++)
    g_assert_cmpfloat_with_epsilon (got[i], -log (want[i]),
                                    3.0 * TL_TOLERANCE_CORRECTED);
}

/* With phase retrieval, zingers are removed from transmissions, including the
 * rows above and below the slices' rows. */
static void
test_before_phase (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const size_t n = 11 * 40 * 31;
  g_autoptr (TlTestScan) scan = make_noise (11, 40, 31);
  g_autofree double *cleaned = dup_samples (scan);
  TlParams params = tl_test_params (scan);
  g_autofree float *got = NULL, *want = NULL;

  params.minus_log = TRUE;
  params.phase = (TlPhase){ TRUE, 20.0, 50.0, 1.0, 30.0 };
  params.zinger_threshold = 0.7137;
  scan->block.n_above = scan->block.n_below = 19;
  params.zingers = TRUE;
  got = tl_test_dup_corrected (engine, &scan->block, &params);
  tl_plain_remove_zingers (cleaned, 11, 40, 31, params.zinger_threshold, TRUE);
  for (size_t i = 0; i < n; i++)
    ((float *)scan->samples)[i] = (float)cleaned[i];
  params.zingers = FALSE;
  want = tl_test_dup_corrected (engine, &scan->block, &params);
  g_assert_cmpmem (got, 11 * 2 * 31 * sizeof (float), want,
                   11 * 2 * 31 * sizeof (float));
}

/* --- which stages run --- */

static void
test_stages (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 3, 31);
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  params.zingers = TRUE;
  tl_test_assert_first (engine, &params, TL_STAGE_ZINGERS);
  params.zinger_threshold = 0.6;
  tl_test_assert_first (engine, &params, TL_STAGE_ZINGERS);
  params.zingers = FALSE;
  params.rings = TL_RINGS_SORTING;
  tl_test_assert_first (engine, &params, TL_STAGE_ZINGERS);
  params.ring_size = 5;
  tl_test_assert_first (engine, &params, TL_STAGE_RINGS);
  /* Parameters of a method that is off repeat no stage but back-projection. */
  params.zinger_threshold = 0.4;
  params.ring_levels = 2;
  params.ring_sigma = 2.0;
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.rings = TL_RINGS_WAVELET;
  tl_test_assert_first (engine, &params, TL_STAGE_RINGS);
  params.beam_hardening = 0.1;
  tl_test_assert_first (engine, &params, TL_STAGE_RINGS);
  params.ring_levels = 1;
  tl_test_assert_first (engine, &params, TL_STAGE_RINGS);
  params.ring_sigma = 3.0;
  tl_test_assert_first (engine, &params, TL_STAGE_RINGS);
  params.cutoff = 0.7;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
}

/* After the corrections are switched off again, the slice is as before; this
 * covers the peak by which an engine scales its data. */
static void
test_off_again (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  TlParams params = tl_test_params (scan);
  const size_t bytes = params.grid.nx * params.grid.ny * sizeof (float);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) before = NULL, on = NULL, after = NULL;

  params.precision = TL_PRECISION_FAST;
  before = tl_test_reconstruct (engine, &scan->block, &params);
  params.zingers = TRUE;
  params.beam_hardening = 2.0;
  params.rings = TL_RINGS_WAVELET;
  on = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  params.zingers = FALSE;
  params.beam_hardening = 0.0;
  params.rings = TL_RINGS_OFF;
  after = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (on, &error) && tl_frame_fetch (after, &error));
  g_assert_cmpint (
      memcmp (tl_frame_get_pixels (before), tl_frame_get_pixels (on), bytes),
      !=, 0);
  g_assert_cmpmem (tl_frame_get_pixels (before), bytes,
                   tl_frame_get_pixels (after), bytes);
}

/* --- effect on a slice --- */

#define N_PROJECTIONS 360
#define N_COLS 256

/* Sharp edges without noise are the hardest content to leave unchanged. */
static const TlTestEllipse shapes[] = {
  { 4.0, -6.0, 100.0, 84.0, 0.3, 0.01 },
  { 30.0, 20.0, 28.0, 14.0, 1.1, 0.012 },
  { -40.0, 16.0, 10.0, 18.0, -0.4, -0.008 },
  { -6.0, -44.0, 6.0, 6.0, 0.0, 0.02 },
};

static TlTestScan *
make_phantom (void)
{
  TlTestScan *scan = tl_test_scan_new (N_PROJECTIONS, 1, N_COLS, TL_SAMPLE_F32);

  tl_test_scan_fill_ellipses (scan, (N_COLS - 1) / 2.0, shapes,
                              G_N_ELEMENTS (shapes));
  return scan;
}

/* Adds stripes: columns that are off by up to a tenth of the largest
 * attenuation in all projections. */
static void
add_stripes (TlTestScan *scan)
{
  static const size_t cols[] = {
    9, 30, 51, 74, 97, 120, 143, 166, 188, 203, 235
  };

  for (size_t p = 0; p < N_PROJECTIONS; p++)
    for (size_t i = 0; i < G_N_ELEMENTS (cols); i++)
      ((float *)scan->samples)[p * N_COLS + cols[i]] +=
          i % 2 == 0 ? 0.12f : -0.08f;
}

/* Makes one sample in a thousand two to four times as bright. */
static void
add_zingers (TlTestScan *scan)
{
  for (size_t i = 0; i < N_PROJECTIONS * N_COLS / 1000; i++)
    ((float *)
         scan->samples)[g_test_rand_int_range (0, N_PROJECTIONS * N_COLS)] -=
        (float)log (g_test_rand_double_range (2.0, 4.0));
}

static TlFrame *
reconstruct (TlEngine *engine, const TlTestScan *scan, gboolean zingers,
             TlRings rings)
{
  TlParams params = tl_test_params (scan);

  params.zingers = zingers;
  params.rings = rings;
  return tl_test_reconstruct (engine, &scan->block, &params);
}

/* Returns: the relative L2 distance between the slice of @scan and the
 * uncorrected slice without stripes and zingers */
static double
measure (TlEngine *engine, const TlTestScan *scan, gboolean zingers,
         TlRings rings)
{
  g_autoptr (TlTestScan) ideal = make_phantom ();
  g_autoptr (TlFrame) truth = reconstruct (engine, ideal, FALSE, TL_RINGS_OFF);
  g_autofree double *want = g_new (double, N_COLS *N_COLS);
  g_autoptr (TlFrame) frame = NULL;
  double distance;

  for (size_t i = 0; i < N_COLS * N_COLS; i++)
    want[i] = tl_frame_get_pixels (truth)[i];
  frame = reconstruct (engine, scan, zingers, rings);
  distance =
      tl_test_distance (tl_frame_get_pixels (frame), want, N_COLS * N_COLS);
  g_test_message ("zingers %s, rings %s: off by %.3g",
                  zingers ? "removed" : "left", tl_rings_names[rings],
                  distance);
  return distance;
}

static void
test_zingers (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = make_phantom ();

  g_assert_cmpfloat (measure (engine, scan, TRUE, TL_RINGS_OFF), <, 0.005);
  add_zingers (scan);
  g_assert_cmpfloat (measure (engine, scan, TRUE, TL_RINGS_OFF) * 20.0, <,
                     measure (engine, scan, FALSE, TL_RINGS_OFF));
}

static void
check_rings (TlEngine *engine, TlRings rings)
{
  g_autoptr (TlTestScan) scan = make_phantom ();

  g_assert_cmpfloat (measure (engine, scan, FALSE, rings), <, 0.05);
  add_stripes (scan);
  g_assert_cmpfloat (measure (engine, scan, FALSE, rings) * 2.3, <,
                     measure (engine, scan, FALSE, TL_RINGS_OFF));
}

static void
test_sorting (gconstpointer data)
{
  check_rings (tl_test_get_engine (data), TL_RINGS_SORTING);
}

static void
test_wavelet (gconstpointer data)
{
  check_rings (tl_test_get_engine (data), TL_RINGS_WAVELET);
}

/* Two energies, of which one is attenuated half as much: to second order,
 *
 *   p = -log ((exp (-t) + exp (-t / 2)) / 2) = 3/4 t - t^2 / 32
 *
 * and so 3/4 t = p + p^2 / 18. */
static void
test_hardening (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = make_phantom ();
  TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) truth =
      tl_test_reconstruct (engine, &scan->block, &params);
  g_autofree double *want = g_new (double, N_COLS *N_COLS);
  double distances[2];

  for (size_t i = 0; i < N_COLS * N_COLS; i++)
    want[i] = 0.75 * (double)tl_frame_get_pixels (truth)[i];
  for (size_t i = 0; i < N_PROJECTIONS * N_COLS; i++)
    {
      float *t = (float *)scan->samples + i;

      *t = -logf ((expf (-*t) + expf (-*t / 2.0f)) / 2.0f);
    }
  for (size_t k = 0; k < 2; k++)
    {
      g_autoptr (TlFrame) frame = NULL;

      params.beam_hardening = k == 0 ? 0.0 : 1.0 / 18.0;
      frame = tl_test_reconstruct (engine, &scan->block, &params);
      distances[k] =
          tl_test_distance (tl_frame_get_pixels (frame), want, N_COLS * N_COLS);
      g_test_message ("b = %.3f: off by %.3g", params.beam_hardening,
                      distances[k]);
    }
  g_assert_cmpfloat (distances[0], >, 0.05);
  g_assert_cmpfloat (distances[1] * 5.0, <, distances[0]);
}

static void
add_cases (TlEngine *engine)
{
  static const struct
  {
    const char *path;
    Case shape;
  } cases[] = {
    { "nothing", { NULL, 7, 3, 61, FALSE, TL_RINGS_OFF, 0, 0, 0 } },
    { "zingers/prime", { NULL, 7, 3, 61, TRUE, TL_RINGS_OFF, 0, 0, 0 } },
    { "zingers/past-block", { NULL, 33, 2, 257, TRUE, TL_RINGS_OFF, 0, 0, 0 } },
    { "zingers/few", { NULL, 4, 2, 31, TRUE, TL_RINGS_OFF, 0, 0, 0 } },
    { "zingers/narrow", { NULL, 31, 2, 4, TRUE, TL_RINGS_OFF, 0, 0, 0 } },
    { "zingers/least", { NULL, 5, 2, 5, TRUE, TL_RINGS_OFF, 0, 0, 0 } },
    { "hardening/one-pixel",
      { NULL, 1, 1, 1, FALSE, TL_RINGS_OFF, 0, 0, 0, 0.25 } },
    { "hardening/past-block",
      { NULL, 33, 2, 257, TRUE, TL_RINGS_OFF, 0, 0, 0, 8 } },
    { "hardening/sorting",
      { NULL, 33, 3, 61, FALSE, TL_RINGS_SORTING, 9, 0, 0, 0.25 } },
    { "hardening/wavelet",
      { NULL, 33, 3, 61, FALSE, TL_RINGS_WAVELET, 0, 2, 2.0, 0.25 } },
    { "sorting/one-pixel",
      { NULL, 1, 1, 1, FALSE, TL_RINGS_SORTING, 3, 0, 0 } },
    { "sorting/prime", { NULL, 7, 3, 61, FALSE, TL_RINGS_SORTING, 5, 0, 0 } },
    { "sorting/past-block",
      { NULL, 131, 2, 257, FALSE, TL_RINGS_SORTING, 21, 0, 0 } },
    { "sorting/wide", { NULL, 13, 2, 17, FALSE, TL_RINGS_SORTING, 301, 0, 0 } },
    { "sorting/zingers", { NULL, 33, 3, 61, TRUE, TL_RINGS_SORTING, 9, 0, 0 } },
    { "wavelet/one-pixel",
      { NULL, 1, 1, 1, FALSE, TL_RINGS_WAVELET, 0, 2, 1.0 } },
    { "wavelet/prime", { NULL, 7, 3, 61, FALSE, TL_RINGS_WAVELET, 0, 3, 2.0 } },
    { "wavelet/past-block",
      { NULL, 70, 2, 131, FALSE, TL_RINGS_WAVELET, 0, 2, 2.5 } },
    { "wavelet/deep",
      { NULL, 31, 1, 40, FALSE, TL_RINGS_WAVELET, 0, 10, 0.5 } },
    { "wavelet/strong",
      { NULL, 61, 1, 37, FALSE, TL_RINGS_WAVELET, 0, 1, 20.0 } },
    { "wavelet/zingers",
      { NULL, 33, 3, 61, TRUE, TL_RINGS_WAVELET, 0, 2, 2.0 } },
  };
  static const TlTestCase others[] = {
    { "clean/transmission", test_transmission },
    { "clean/before-phase", test_before_phase },
    { "clean/stages", test_stages },
    { "clean/off-again", test_off_again },
    { "clean/effect/zingers", test_zingers },
    { "clean/effect/hardening", test_hardening },
    { "clean/effect/sorting", test_sorting },
    { "clean/effect/wavelet", test_wavelet },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("clean/%s", cases[i].path);
      Case *c = g_memdup2 (&cases[i].shape, sizeof (Case));

      c->engine = engine;
      tl_test_add (engine, path, test_case, c);
    }
  tl_test_add_cases (engine, others, G_N_ELEMENTS (others));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
