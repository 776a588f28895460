/* The Fourier method of the host engine: its instruction sets agree, and it can
 * be stopped within a slice. */
#include "gpu/host/host-private.h"
#include "gpu/host/host.h"
#include "gpu/stages/filter.h"
#include "tests/support/compare.h"
#include "tests/support/scans.h"

#include <string.h>

static void
test_cancelled (void)
{
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (9, 1, 32);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  TlHost *host = tl_host_backend.open (0, FALSE, &error);
  float pixels[32 * 32];
  TlBackprojectArgs args = { .axis_col = 15.5, .grid = tl_grid_full (32) };

  g_assert_no_error (error);
  g_assert_true (tl_host_backend.upload (host, &scan->block, NULL, &error));
  host->row_cols = 32;
  host->n_shifts = 1;
  host->spectrum_stride = 40;
  g_assert_true (tl_host_plan_prepare (&host->plan, host->pool, 64, &error));
  g_assert_true (tl_host_buffer_resize (&host->factors, 1, 1, 33,
                                        sizeof (fftwf_complex), "it", &error));
  memset (host->factors.data, 0, host->factors.bytes);
  g_cancellable_cancel (cancellable);
  g_assert_false (tl_host_invert (host, &args, pixels, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  tl_host_backend.close (host);
}

/* --- instruction sets --- */

static float *
invert (const TlTestScan *scan, TlHostSimd simd)
{
  const TlBackend *backend = &tl_host_backend;
  const TlVariant variant = { .name = "test", .is_fourier = TRUE };
  const TlParams params = tl_test_params (scan);
  const size_t n = scan->block.n_cols, length = tl_filter_length (n);
  const double shift = 0.0;
  g_autofree float *response = g_new (float, length / 2 + 1);
  g_autofree float *weights = g_new (float, scan->block.n_projections);
  const TlTransformArgs transform = { .length = length,
                                      .span = { n, 0 },
                                      .weights = weights };
  const TlFilterArgs filter = { .length = length,
                                .response = response,
                                .shift_cols = &shift,
                                .n_shifts = 1,
                                .variant = &variant };
  const TlBackprojectArgs args = { .variant = &variant,
                                   .axis_col = params.centre_col,
                                   .grid = params.grid };
  g_autoptr (GError) error = NULL;
  TlHost *host = backend->open (0, FALSE, &error);
  float *pixels = g_new (float, n *n);

  g_assert_no_error (error);
  host->simd = simd;
  tl_filter_response (&params, length, response);
  for (size_t p = 0; p < scan->block.n_projections; p++)
    weights[p] = 1.0f;
  g_assert_true (backend->upload (host, &scan->block, NULL, &error));
  host->attenuation = scan->samples;
  g_assert_true (backend->transform (host, &transform, NULL, &error));
  g_assert_true (backend->filter (host, &filter, NULL, &error));
  g_assert_true (tl_host_invert (host, &args, pixels, NULL, &error));
  backend->close (host);
  return pixels;
}

/* Those that this processor supports agree. */
static void
test_simd (void)
{
  const size_t n = 137 * 137;
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (67, 1, 137);
  g_autofree float *plain = invert (scan, TL_HOST_SIMD_PLAIN);
  g_autofree double *want = g_new (double, n);

  for (size_t i = 0; i < n; i++)
    want[i] = plain[i];
  for (guint simd = TL_HOST_SIMD_AVX2; simd <= (guint)tl_host_simd_detect ();
       simd++)
    {
      g_autofree float *got = invert (scan, simd);

      tl_test_assert_near (got, want, n, TL_TOLERANCE_HOST);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fourier-host/cancelled", test_cancelled);
  g_test_add_func ("/fourier-host/simd", test_simd);
  return g_test_run ();
}
