/* Every variant of an engine against the host engine, at a size for which plain
 * loops are too slow: a scan of the demonstration phantom without noise, 16-bit
 * counts with flat and dark fields, the axis off the middle. Phase retrieval
 * and tilted axes near an edge are compared on noise. */
#include "data/phantom/phantom.h"
#include "data/read/reader.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <glib/gstdio.h>
#include <math.h>

#define N_PROJECTIONS 200
#define N_ROWS 4
#define N_COLS 256
#define CENTRE_COL 121.3

typedef struct
{
  TlEngine *engine;
  const TlVariant *variant;
} Case;

/* Returns: (transfer full): an open reader of the phantom; its file is deleted
 * already */
static TlReader *
open_phantom (size_t n_rows)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("against-host-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  TlPhantomScan phantom;
  TlReader *reader;

  tl_phantom_scan_init (&phantom, N_PROJECTIONS, n_rows, N_COLS);
  phantom.centre_col = CENTRE_COL;
  phantom.noise_counts = 0.0;
  /* With an odd first angle, no pixel lies exactly between two columns. */
  phantom.angles_deg[0] = 0.7;
  phantom.angles_deg[1] = 180.7;
  tl_phantom_write_scan (path, &phantom, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
  return reader;
}

/* Returns: (transfer full): @n_rows raw rows of the file */
static TlTestScan *
read_rows (TlReader *reader, size_t first_row, size_t n_rows)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  TlTestScan *scan =
      tl_test_scan_new (N_PROJECTIONS, n_rows, N_COLS, info->type);
  g_autoptr (GError) error = NULL;

  scan->dark = g_new (double, n_rows *N_COLS);
  scan->flat_first = g_new (double, n_rows *N_COLS);
  scan->flat_last = g_new (double, n_rows *N_COLS);
  scan->block.dark = scan->dark;
  scan->block.flat_first = scan->flat_first;
  scan->block.flat_last = scan->flat_last;
  tl_reader_read (reader, first_row, n_rows, scan->samples, NULL, &error);
  g_assert_no_error (error);
  tl_reader_read_fields (reader, first_row, n_rows, scan->dark,
                         scan->flat_first, scan->flat_last, NULL, &error);
  g_assert_no_error (error);
  for (size_t p = 0; p < N_PROJECTIONS; p++)
    scan->angles_rad[p] = info->angles_deg[p] * G_PI / 180.0;
  return scan;
}

/* Returns: (transfer full): the slices of @scan from the host engine in full
 * precision */
static double *
reconstruct_on_host (const TlTestScan *scan, TlParams params, size_t n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) host = tl_engine_open ("host", &error);
  g_autoptr (TlFrame) frame = NULL;
  double *pixels = g_new (double, n);

  g_assert_no_error (error);
  params.kernel = TL_KERNEL_AUTO;
  params.precision = TL_PRECISION_FULL;
  frame = tl_test_reconstruct (host, &scan->block, &params);
  for (size_t i = 0; i < n; i++)
    pixels[i] = tl_frame_get_pixels (frame)[i];
  return pixels;
}

/* Compares as many rows as the variant reconstructs in one pass. */
static void
check_rows (const Case *c, TlReader *reader, size_t first_row)
{
  const TlVariant *variant = c->variant;
  const size_t n_rows = variant->n_slices, n = n_rows * N_COLS * N_COLS;
  const double tolerance = tl_test_tolerance (tl_engine_get_name (c->engine),
                                              variant, N_PROJECTIONS, FALSE);
  g_autoptr (TlTestScan) scan = read_rows (reader, first_row, n_rows);
  g_autoptr (TlFrame) frame = NULL;
  g_autofree double *want = NULL, *ties = NULL;
  g_autoptr (GError) error = NULL;
  TlEngineReport report;
  TlParams params;

  tl_params_init (&params, N_COLS);
  params.centre_col = CENTRE_COL;
  params.method = tl_variant_get_method (variant);
  params.kernel = variant->kernel;
  params.interpolation = variant->interpolation;
  params.precision = variant->precision;
  want = reconstruct_on_host (scan, params, n);
  tl_engine_use_variant (c->engine, variant);
  frame = tl_test_reconstruct (c->engine, &scan->block, &params);
  g_assert_true (tl_engine_get_report (c->engine, &report, &error));
  g_assert_cmpstr (report.variant->name, ==, variant->name);
  g_assert_cmpuint (tl_frame_get_n_slices (frame), ==, n_rows);
  g_test_message ("row %zu: relative L2 distance %.3g, up to %g", first_row,
                  tl_test_distance (tl_frame_get_pixels (frame), want, n),
                  tolerance);
  ties = tl_plain_find_ties (
      &scan->block, &params,
      tl_test_rounding (tl_engine_get_name (c->engine), params.precision));
  tl_test_assert_slices (tl_frame_get_pixels (frame), want, ties, n, tolerance);
}

static void
test_variant (gconstpointer data)
{
  const Case *c = data;
  const size_t n_rows = MAX (N_ROWS, c->variant->n_slices);
  g_autoptr (TlReader) reader = open_phantom (n_rows);

  for (size_t row = 0; row < n_rows; row += c->variant->n_slices)
    check_rows (c, reader, row);
}

/* Returns: (transfer full): the rows of @scan after @engine removed zingers and
 * rings. The samples are raw whole numbers, which are the same in both engines.
 */
static float *
clean (TlEngine *engine, const TlTestScan *scan, TlRings rings)
{
  TlParams params = tl_test_params (scan);

  params.zingers = TRUE;
  params.rings = rings;
  return tl_test_dup_corrected (engine, &scan->block, &params);
}

static void
test_clean (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const size_t n = N_PROJECTIONS * N_ROWS * N_COLS;
  g_autoptr (TlReader) reader = open_phantom (N_ROWS);
  g_autoptr (TlTestScan) scan = read_rows (reader, 0, N_ROWS);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) host = tl_engine_open ("host", &error);

  g_assert_no_error (error);
  tl_engine_use_variant (engine, NULL);
  for (TlRings rings = TL_RINGS_OFF; rings < TL_N_RINGS; rings++)
    {
      g_autofree float *got = clean (engine, scan, rings);
      g_autofree float *want = clean (host, scan, rings);
      g_autofree double *exact = g_new (double, n);

      for (size_t i = 0; i < n; i++)
        exact[i] = want[i];
      g_test_message ("rings %s: relative L2 distance %.3g",
                      tl_rings_names[rings], tl_test_distance (got, exact, n));
      /* Both methods but the wavelet only select values, so they are exact. */
      tl_test_assert_near (got, exact, n,
                           rings == TL_RINGS_WAVELET ? TL_TOLERANCE_HOST : 0.0);
    }
}

/* The tolerance of a retrieved value: two transforms of a thousand floats up to
 * 1, and the logarithm of a value of at least 1/4. */
#define TOLERANCE_PHASE 4e-6

/* Phase retrieval agrees for slices with fewer rows below them than they need,
 * and for more projections than one batch of transforms holds. */
static void
test_phase (gconstpointer data)
{
  static const size_t shapes[][3] = { { 67, 150, 1000 }, { 5, 97, 61 } };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) host = tl_engine_open ("host", &error);
  TlEngine *const engines[] = { host, tl_test_get_engine (data) };

  g_assert_no_error (error);
  for (size_t k = 0; k < G_N_ELEMENTS (shapes); k++)
    {
      const size_t n_projections = shapes[k][0], n_cols = shapes[k][2];
      const size_t n = n_projections * 3 * n_cols;
      g_autoptr (TlTestScan) scan =
          tl_test_scan_new_noise (n_projections, shapes[k][1], n_cols);
      TlParams params = tl_test_params (scan);
      g_autofree float *values = g_new (float, 2 * n);

      params.minus_log = TRUE;
      params.grid = tl_grid_full (16);
      params.phase = (TlPhase){ TRUE, 20.0, 100.0, 1.0, 40.0 };
      for (size_t i = 0; i < n_projections * shapes[k][1] * n_cols; i++)
        ((float *)scan->samples)[i] = 0.3f + 0.7f * ((float *)scan->samples)[i];
      scan->block.n_above = shapes[k][1] - 13;
      scan->block.n_below = 10;
      for (size_t e = 0; e < G_N_ELEMENTS (engines); e++)
        {
          g_autoptr (TlFrame) frame = NULL;

          tl_engine_use_variant (engines[e], NULL);
          frame = tl_test_reconstruct (engines[e], &scan->block, &params);
          g_assert_true (
              tl_engine_read_corrected (engines[e], values + e * n, &error));
        }
      for (size_t i = 0; i < n; i++)
        g_assert_cmpfloat (fabsf (values[n + i] - values[i]), <,
                           TOLERANCE_PHASE);
    }
}

/* Half acquisitions agree with a centre for each row and with projections
 * turned back, for more projections than one batch of transforms holds. The
 * grid lies partly beyond the near edge of the detector. */
static void
test_axis (gconstpointer data)
{
  static const struct
  {
    size_t n_projections;
    double tilt_deg;
    size_t margin;
  } cases[] = { { 1100, 0.03, 0 }, { 301, -0.5, 10 } };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      const size_t n = 5 * 64 * 64;
      g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (
          cases[k].n_projections, 5 + 2 * cases[k].margin, 1000);
      TlParams params = tl_test_params (scan);
      g_autoptr (TlFrame) frame = NULL;
      g_autofree double *want = NULL;

      tl_test_scan_set_angles (scan, 0.7, 360.0, FALSE);
      scan->block.n_above = scan->block.n_below = cases[k].margin;
      scan->block.middle_row = 300.0;
      params.centre_col = 130.2;
      params.tilt_deg = cases[k].tilt_deg;
      params.half = TRUE;
      params.grid = tl_grid_full (64);
      params.grid.x0 = -600.0;
      g_assert_cmpuint (
          tl_tilt_get_margin (params.tilt_deg, params.centre_col, 601, 1000),
          ==, cases[k].margin);
      want = reconstruct_on_host (scan, params, n);
      tl_engine_use_variant (engine, NULL);
      frame = tl_test_reconstruct (engine, &scan->block, &params);
      g_test_message ("%g degrees: relative L2 distance %.3g", params.tilt_deg,
                      tl_test_distance (tl_frame_get_pixels (frame), want, n));
      tl_test_assert_near (tl_frame_get_pixels (frame), want, n,
                           TL_TOLERANCE_FULL);
    }
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase others[] = {
    { "against-host/clean", test_clean },
    { "against-host/phase", test_phase },
    { "against-host/axis", test_axis },
  };
  size_t n_variants;
  const TlVariant *const *variants =
      tl_engine_list_variants (engine, &n_variants);

  for (size_t v = 0; v < n_variants; v++)
    {
      g_autofree char *path =
          g_strdup_printf ("against-host/%s", variants[v]->name);
      Case *c = g_new (Case, 1);

      *c = (Case){ engine, variants[v] };
      tl_test_add (engine, path, test_variant, c);
    }
  tl_test_add_cases (engine, others, G_N_ELEMENTS (others));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
