/* Parameters, their names, and the filter curves. Needs no engine. */
#include "gpu/stages/filter.h"
#include "data/error.h"
#include "tests/support/plain.h"

#include <math.h>

static void
test_defaults (void)
{
  TlParams params;
  g_autoptr (GError) error = NULL;

  /* The middle of an odd and of an even detector, by the index of columns.
   * Counted from the edge of the detector, the same positions are 31.5 and 32.
   */
  tl_params_init (&params, 63);
  g_assert_cmpfloat (params.centre_col, ==, 31.0);
  g_assert_cmpfloat (tl_centre_to_boundary (params.centre_col), ==, 31.5);
  tl_params_init (&params, 64);
  g_assert_cmpfloat (params.centre_col, ==, 31.5);
  g_assert_cmpfloat (params.grid.x0, ==, -31.5);
  g_assert_cmpfloat (params.grid.y0, ==, 31.5);
  g_assert_true (tl_params_check (&params, 64, &error));
  g_assert_no_error (error);
}

static void
assert_refused (const TlParams *params, size_t n_cols, const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (tl_params_check (params, n_cols, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_refused (void)
{
  static const double centres[] = { -0.51, 63.51, 1e9, NAN, INFINITY };
  static const double cutoffs[] = { 0.0, -1.0, 1.001, NAN };
  static const double pitches[] = { 0.0, -1.0, NAN, INFINITY };
  TlParams good, params;

  tl_params_init (&good, 64);
  for (size_t i = 0; i < G_N_ELEMENTS (centres); i++)
    {
      params = good;
      params.centre_col = centres[i];
      assert_refused (&params, 64, "outside the detector");
    }
  for (size_t i = 0; i < G_N_ELEMENTS (cutoffs); i++)
    {
      params = good;
      params.cutoff = cutoffs[i];
      assert_refused (&params, 64, "cutoff takes");
      params = good;
      params.band_limit = cutoffs[i];
      assert_refused (&params, 64, "band limit");
    }
  for (size_t i = 0; i < G_N_ELEMENTS (pitches); i++)
    {
      params = good;
      params.grid.pitch = pitches[i];
      assert_refused (&params, 64, i < 3 ? "distance" : "reaches");
    }
  params = good;
  params.butterworth_order = 0;
  assert_refused (&params, 64, "butterworth-order takes");
  params.butterworth_order = 65;
  assert_refused (&params, 64, "not \"65\"");
  params = good;
  params.zinger_threshold = 0.0;
  assert_refused (&params, 64, "zinger-threshold takes");
  params = good;
  params.ring_size = 4;
  assert_refused (&params, 64, "an odd number from 3 to 301");
  params.ring_size = 303;
  assert_refused (&params, 64, "not \"303\"");
  params = good;
  params.ring_levels = 11;
  assert_refused (&params, 64, "ring-levels takes");
  params = good;
  params.ring_sigma = NAN;
  assert_refused (&params, 64, "ring-sigma takes");
  params = good;
  params.grid.nx = 0;
  assert_refused (&params, 64, "64 x 0");
  params = good;
  params.grid.y0 = NAN;
  assert_refused (&params, 64, "reaches");
}

static void
test_edges_accepted (void)
{
  TlParams params;
  g_autoptr (GError) error = NULL;

  tl_params_init (&params, 64);
  params.centre_col = -0.5;
  g_assert_true (tl_params_check (&params, 64, &error));
  params.centre_col = 63.5;
  g_assert_true (tl_params_check (&params, 64, &error));
  tl_params_init (&params, 1);
  g_assert_true (tl_params_check (&params, 1, &error));
  g_assert_no_error (error);
}

static void
test_names (void)
{
  static const struct
  {
    const char *const *names;
    int n;
  } tables[] = {
    { tl_filter_names, TL_N_FILTERS },
    { tl_interpolation_names, TL_N_INTERPOLATIONS },
    { tl_kernel_names, TL_N_KERNELS },
    { tl_precision_names, TL_N_PRECISIONS },
    { tl_padding_names, TL_N_PADDINGS },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      for (int k = 0; k < tables[i].n; k++)
        {
          g_autoptr (GError) error = NULL;
          int value = -1;

          g_assert_true (tl_name_find (tables[i].names, "thing",
                                       tables[i].names[k], &value, &error));
          g_assert_cmpint (value, ==, k);
        }
      g_assert_null (tables[i].names[tables[i].n]);
    }
}

static void
test_name_unknown (void)
{
  g_autoptr (GError) error = NULL;
  int value = 7;

  g_assert_false (
      tl_name_find (tl_filter_names, "filter", "Hann", &value, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "filter \"Hann\""));
  g_assert_nonnull (strstr (error->message, "shepp-logan"));
  g_assert_cmpint (value, ==, 7);
}

static void
test_length (void)
{
  g_assert_cmpuint (tl_filter_length (1), ==, 2);
  g_assert_cmpuint (tl_filter_length (2), ==, 4);
  g_assert_cmpuint (tl_filter_length (3), ==, 8);
  g_assert_cmpuint (tl_filter_length (64), ==, 128);
  g_assert_cmpuint (tl_filter_length (65), ==, 256);
}

static void
test_windows (void)
{
  for (int filter = 0; filter < TL_N_FILTERS; filter++)
    {
      g_assert_cmpfloat (tl_filter_window (filter, 8, 0.0), ==, 1.0);
      if (filter != TL_FILTER_BUTTERWORTH)
        g_assert_cmpfloat (tl_filter_window (filter, 8, 1.0001), ==, 0.0);
      for (double u = 0.0; u < 1.5; u += 0.01)
        g_assert_cmpfloat_with_epsilon (tl_filter_window (filter, 3, u),
                                        tl_plain_window (filter, 3, u), 1e-14);
    }
  /* These values can be computed by hand. */
  g_assert_cmpfloat_with_epsilon (
      tl_filter_window (TL_FILTER_SHEPP_LOGAN, 8, 1.0), 2.0 / G_PI, 1e-15);
  g_assert_cmpfloat_with_epsilon (tl_filter_window (TL_FILTER_HAMMING, 8, 1.0),
                                  0.08, 1e-15);
  g_assert_cmpfloat_with_epsilon (tl_filter_window (TL_FILTER_HANN, 8, 0.5),
                                  0.5, 1e-15);
  g_assert_cmpfloat_with_epsilon (tl_filter_window (TL_FILTER_PARZEN, 8, 0.5),
                                  0.25, 1e-15);
  g_assert_cmpfloat (tl_filter_window (TL_FILTER_BUTTERWORTH, 8, 1.0), ==, 0.5);
}

/* The response at frequency 0 is the sum of the kernel and falls as 1 / length.
 * Far from 0 the ramp differs from |f| by about as much. */
static void
test_response (void)
{
  const size_t length = 1024;
  g_autofree float *response = g_new (float, length / 2 + 1);
  TlParams params;
  double at_zero = 0.25;

  for (size_t n = 1; n <= length / 2; n += 2)
    at_zero -= 2.0 / (G_PI * G_PI * (double)(n * n));
  tl_params_init (&params, 512);
  tl_filter_response (&params, length, response);
  g_assert_cmpfloat_with_epsilon (response[0], at_zero, 1e-9);
  for (size_t k = 8; k <= length / 2; k++)
    g_assert_cmpfloat_with_epsilon (response[k], (double)k / length,
                                    1.01 * at_zero);

  params.cutoff = 0.5;
  tl_filter_response (&params, length, response);
  g_assert_cmpfloat_with_epsilon (response[256], 0.25, 1e-5);
  g_assert_cmpfloat (response[257], ==, 0.0f);

  params.cutoff = 1.0;
  params.interpolation = TL_INTERPOLATION_CUBIC;
  tl_filter_response (&params, length, response);
  g_assert_cmpfloat_with_epsilon (response[0], at_zero, 1e-9);
  g_assert_cmpfloat_with_epsilon (response[256], 1.5 * 0.25, 1e-5);
  g_assert_cmpfloat_with_epsilon (response[512], 3.0 * 0.5, 1e-3);
  params.interpolation = TL_INTERPOLATION_LINEAR;

  /* The shortest row: h[0] = 1/4 and h[1] = -1 / pi^2. */
  tl_filter_response (&params, 2, response);
  g_assert_cmpfloat_with_epsilon (response[0], 0.25 - 1.0 / (G_PI * G_PI),
                                  1e-7);
}

/* The kept response equals a new computation, whatever parameter changed. */
static void
test_kept_response (void)
{
  size_t length = 64;
  TlKeptResponse kept = { 0 };
  TlParams params;
  float fresh[128 / 2 + 1];
  const float *response, *before = NULL;

  tl_params_init (&params, 32);
  for (int change = 0; change < 8; change++)
    {
      if (change == 1)
        params.filter = TL_FILTER_BUTTERWORTH;
      if (change == 2)
        params.cutoff = 0.6;
      if (change == 3)
        params.butterworth_order = 3;
      if (change == 4)
        length = 128;
      if (change == 5)
        params.interpolation = TL_INTERPOLATION_CUBIC;
      if (change == 6)
        params.band_limit = 0.3;
      if (change == 7)
        params.centre_col = 11.3; /* does not affect the response */
      response = tl_kept_response_get (&kept, &params, length);
      tl_filter_response (&params, length, fresh);
      g_assert_cmpmem (response, (length / 2 + 1) * sizeof (float), fresh,
                       (length / 2 + 1) * sizeof (float));
      if (change == 7)
        g_assert_true (response == before);
      before = response;
    }
  tl_kept_response_clear (&kept);
  g_assert_null (kept.response);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/params/defaults", test_defaults);
  g_test_add_func ("/params/refused", test_refused);
  g_test_add_func ("/params/edges-accepted", test_edges_accepted);
  g_test_add_func ("/params/names", test_names);
  g_test_add_func ("/params/name-unknown", test_name_unknown);
  g_test_add_func ("/filter/length", test_length);
  g_test_add_func ("/filter/windows", test_windows);
  g_test_add_func ("/filter/response", test_response);
  g_test_add_func ("/filter/kept-response", test_kept_response);
  return g_test_run ();
}
