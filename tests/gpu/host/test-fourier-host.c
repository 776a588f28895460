/* The Fourier method of the host engine: its instruction sets agree, it stops
 * when it is cancelled, and the memory that it keeps. */
#include "gpu/host/host-private.h"
#include "gpu/host/host.h"
#include "gpu/stages/filter.h"
#include "tests/support/compare.h"
#include "tests/support/scans.h"

#include <string.h>

static const TlVariant fourier = { .name = "test", .is_fourier = TRUE };

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

/* Runs the stages up to the filter. Returns: (transfer full) */
static TlHost *
open_filtered (const TlTestScan *scan)
{
  const TlBackend *backend = &tl_host_backend;
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
                                .variant = &fourier };
  g_autoptr (GError) error = NULL;
  TlHost *host = backend->open (0, FALSE, &error);

  g_assert_no_error (error);
  tl_filter_response (&params, length, response);
  for (size_t p = 0; p < scan->block.n_projections; p++)
    weights[p] = 1.0f;
  g_assert_true (backend->upload (host, &scan->block, NULL, &error));
  host->attenuation = scan->samples;
  g_assert_true (backend->transform (host, &transform, NULL, &error));
  g_assert_true (backend->filter (host, &filter, NULL, &error));
  return host;
}

/* Returns: (transfer full): the pixels of @grid */
static float *
invert (TlHost *host, const TlTestScan *scan, const TlGrid *grid)
{
  const TlBackprojectArgs args = { .variant = &fourier,
                                   .axis_col = tl_test_params (scan).centre_col,
                                   .grid = *grid };
  g_autoptr (GError) error = NULL;
  float *pixels = g_new (float, grid->ny * grid->nx);

  g_assert_true (tl_host_invert (host, &args, pixels, NULL, &error));
  g_assert_no_error (error);
  return pixels;
}

static float *
invert_with (const TlTestScan *scan, TlHostSimd simd)
{
  const TlGrid grid = tl_grid_full (scan->block.n_cols);
  TlHost *host = open_filtered (scan);

  host->simd = simd;
  float *pixels = invert (host, scan, &grid);
  tl_host_backend.close (host);
  return pixels;
}

/* Those that this processor supports agree. */
static void
test_simd (void)
{
  const size_t n = 137 * 137;
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (67, 1, 137);
  g_autofree float *plain = invert_with (scan, TL_HOST_SIMD_PLAIN);
  g_autofree double *want = g_new (double, n);

  for (size_t i = 0; i < n; i++)
    want[i] = plain[i];
  for (guint simd = TL_HOST_SIMD_AVX2; simd <= (guint)tl_host_simd_detect ();
       simd++)
    {
      g_autofree float *got = invert_with (scan, simd);

      tl_test_assert_near (got, want, n, TL_TOLERANCE_HOST);
    }
}

/* --- memory --- */

/* A slice and a detail of it in turns keep their plans, and the slice is the
 * same. */
static void
test_shapes (void)
{
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (20, 1, 50);
  const TlGrid whole = tl_grid_full (50);
  const TlGrid detail = { .nx = 30, .ny = 20, .pitch = 0.5 };
  const TlGrid third = { .nx = 20, .ny = 20, .pitch = 1.0 };
  TlHost *host = open_filtered (scan);
  g_autofree float *before = invert (host, scan, &whole);
  const TlHostFourier *first = host->fourier[0];
  g_free (invert (host, scan, &detail));
  const TlHostFourier *second = host->fourier[0];
  g_autofree float *after = invert (host, scan, &whole);

  g_assert_true (second != first && host->fourier[0] == first);
  g_assert_cmpmem (before, 50 * 50 * sizeof *before, after,
                   50 * 50 * sizeof *after);
  g_free (invert (host, scan, &detail));
  g_assert_true (host->fourier[0] == second && host->fourier[1] == first);
  g_free (invert (host, scan, &third));
  g_assert_true (host->fourier[1] == second);
  tl_host_fourier_free (host);
  g_assert_cmpuint (tl_host_fourier_get_memory (host), ==, 0);
  tl_host_backend.close (host);
}

/* What an export plans with. */
static void
test_count (void)
{
  static const size_t sizes[] = { 33, 80, 161 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const size_t n = sizes[i], n_projections = 11;
      g_autoptr (TlTestScan) scan =
          tl_test_scan_new_noise (n_projections, 1, n);
      const TlGrid grid = { .x0 = -(double)n / 2.0,
                            .y0 = (double)n / 4.0,
                            .pitch = 1.0 + i,
                            .nx = n / (1 + i),
                            .ny = n / (2 + 2 * i) };
      TlHost *host = open_filtered (scan);
      const guint64 planned = tl_host_fourier_count_bytes (
          &grid, n, n_projections, tl_host_pool_get_n_workers (host->pool));

      g_free (invert (host, scan, &grid));
      const size_t taken = tl_host_fourier_get_memory (host);
      g_assert_cmpuint (planned, <=, taken);
      /* buffers end with a cache line */
      g_assert_cmpuint (taken, <=, planned + 5 * 64);
      tl_host_backend.close (host);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fourier-host/cancelled", test_cancelled);
  g_test_add_func ("/fourier-host/simd", test_simd);
  g_test_add_func ("/fourier-host/shapes", test_shapes);
  g_test_add_func ("/fourier-host/count", test_count);
  return g_test_run ();
}
