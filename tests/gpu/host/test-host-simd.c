/* The back-projections of the host engine for different instruction sets. Those
 * that this processor supports but does not choose must agree with the plain
 * one; the other tests check the chosen one. */
#include "gpu/host/host-private.h"
#include "gpu/host/host.h"
#include "tests/support/compare.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>

#define AXIS_COL 68.5

typedef struct
{
  TlHostSimd simd;
  TlInterpolation interpolation;
  double pitch; /* both sides of the steps at which the kernel changes */
} Case;

/* Returns: (transfer full): [ny][nx] of @plane, back-projected with @simd. */
static float *
backproject (const TlTestScan *scan, const Case *c, TlHostSimd simd,
             const TlPlane *plane)
{
  const TlBackend *backend = &tl_host_backend;
  const TlVariant variant = { .name = "test",
                              .kernel = TL_KERNEL_STANDARD,
                              .interpolation = c->interpolation,
                              .n_slices = 1 };
  const TlPlaneArgs args = { &variant, AXIS_COL, *plane };
  const size_t stride = scan->block.n_cols + 2 * TL_HOST_MARGIN;
  g_autoptr (GError) error = NULL;
  TlHost *host = backend->open (0, FALSE, &error);
  float *pixels = g_new (float, plane->ny * plane->nx);

  g_assert_no_error (error);
  host->simd = simd;
  g_assert_true (backend->upload (host, &scan->block, NULL, &error));
  host->row_cols = scan->block.n_cols;
  host->filtered_stride = stride;
  g_assert_true (tl_host_buffer_resize (&host->filtered,
                                        scan->block.n_projections, stride, 1,
                                        sizeof (float), "the test", &error));
  memset (host->filtered.data, 0, host->filtered.bytes);
  for (size_t p = 0; p < scan->block.n_projections; p++)
    memcpy ((float *)host->filtered.data + p * stride + TL_HOST_MARGIN,
            (const float *)scan->samples + p * scan->block.n_cols,
            scan->block.n_cols * sizeof (float));
  g_assert_true (tl_host_backproject_plane (host, &args, pixels, NULL, &error));
  backend->close (host);
  return pixels;
}

/* Returns: (transfer full): by how much ties can change each pixel */
static double *
find_ties (const TlTestScan *scan, const Case *c, const TlPlane *plane)
{
  const size_t n_cols = scan->block.n_cols;
  double *ties = g_new0 (double, plane->ny * plane->nx);
  g_autofree double *row = g_new (double, n_cols);

  for (size_t p = 0; p < scan->block.n_projections; p++)
    {
      const double cosine = cos (scan->angles_rad[p]);
      const double sine = sin (scan->angles_rad[p]);

      for (size_t i = 0; i < n_cols; i++)
        row[i] = ((const float *)scan->samples)[p * n_cols + i];
      for (size_t k = 0; k < plane->ny * plane->nx; k++)
        {
          const double i = (double)(k / plane->nx);
          const double j = (double)(k % plane->nx);
          const double x = plane->origin[0] + j * plane->u[0] + i * plane->v[0];
          const double y = plane->origin[1] + j * plane->u[1] + i * plane->v[1];

          ties[k] +=
              tl_plain_tie (c->interpolation, row, n_cols,
                            AXIS_COL + x * cosine + y * sine, TL_ROUNDING_HOST);
        }
    }
  return ties;
}

static void
check_plane (const Case *c, const TlPlane *plane)
{
  const size_t n = plane->ny * plane->nx;
  g_autoptr (TlTestScan) scan = tl_test_scan_new (131, 1, 137, TL_SAMPLE_F32);
  g_autofree float *got = NULL, *plain = NULL;
  g_autofree double *want = g_new (double, n), *ties = NULL;

  tl_test_scan_fill_noise (scan);
  plain = backproject (scan, c, TL_HOST_SIMD_PLAIN, plane);
  got = backproject (scan, c, c->simd, plane);
  for (size_t i = 0; i < n; i++)
    want[i] = plain[i];
  ties = find_ties (scan, c, plane);
  tl_test_assert_slices (got, want, ties, n, TL_TOLERANCE_HOST);
}

/* A slice, the same turned about the axis, and the same with a slope. */
static void
test_case (gconstpointer data)
{
  const Case *c = data;
  const TlGrid grid = {
    .ny = 33, .nx = 131, .x0 = -64.7 * c->pitch, .y0 = 15.9, .pitch = c->pitch
  };
  TlPlane plane = tl_plane_xy (&grid, 0.0);

  check_plane (c, &plane);
  plane.u[2] = 0.004;
  check_plane (c, &plane);
  plane.u[2] = 0.0;
  plane.u[0] = c->pitch * cos (0.6);
  plane.u[1] = c->pitch * sin (0.6);
  check_plane (c, &plane);
}

/* Rounding keeps samples inside their window. The step is one rounding below a
 * column, and windows begin one rounding below a column: the last pixel reads
 * the last sample of its window, not the one after it. */
static void
test_rounding (gconstpointer data)
{
  const Case *c = data;
  const TlGrid grid = {
    .ny = 3, .nx = 64, .x0 = -32.5, .y0 = 1.0, .pitch = c->pitch
  };
  const TlPlane plane = tl_plane_xy (&grid, 0.0);
  const size_t n = grid.ny * grid.nx;
  g_autoptr (TlTestScan) scan = tl_test_scan_new (1, 1, 137, TL_SAMPLE_F32);
  g_autofree float *got = NULL, *plain = NULL;
  g_autofree double *want = g_new (double, n);

  scan->angles_rad[0] = -5e-8;
  tl_test_scan_fill_noise (scan);
  plain = backproject (scan, c, TL_HOST_SIMD_PLAIN, &plane);
  got = backproject (scan, c, c->simd, &plane);
  for (size_t i = 0; i < n; i++)
    want[i] = plain[i];
  tl_test_assert_near (got, want, n, TL_TOLERANCE_HOST);
}

static void
test_missing (void)
{
  g_test_skip ("this processor has no AVX2, so that there is one kernel only");
}

int
main (int argc, char **argv)
{
  static const double pitches[] = { 0.013, 0.5, 1.0, 1.001, 2.0, 2.001, 9.0 };
  const TlHostSimd last = tl_host_simd_detect ();

  g_test_init (&argc, &argv, NULL);
  if (last == TL_HOST_SIMD_PLAIN)
    g_test_add_func ("/host-simd/available", test_missing);
  for (guint simd = TL_HOST_SIMD_AVX2; simd <= (guint)last; simd++)
    for (int way = 0; way < TL_N_INTERPOLATIONS; way++)
      for (size_t i = 0; i < G_N_ELEMENTS (pitches); i++)
        {
          g_autofree char *path =
              g_strdup_printf ("/host-simd/%s/%s/%g", tl_host_simd_name (simd),
                               tl_interpolation_names[way], pitches[i]);
          Case *c = g_new (Case, 1);

          *c = (Case){ simd, way, pitches[i] };
          g_test_add_data_func_full (path, c, test_case, g_free);
        }
  for (guint simd = TL_HOST_SIMD_AVX2; simd <= (guint)last; simd++)
    {
      g_autofree char *path =
          g_strdup_printf ("/host-simd/%s/rounding", tl_host_simd_name (simd));
      Case *c = g_new (Case, 1);

      *c = (Case){ simd, TL_INTERPOLATION_LINEAR, 1.0 };
      g_test_add_data_func_full (path, c, test_rounding, g_free);
    }
  return g_test_run ();
}
