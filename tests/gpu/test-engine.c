/* The engine as a whole: which stages run, errors, cancellation, and the
 * supported variants.
 */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/scans.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

/* --- stages --- */

static void
get_runs (TlEngine *engine, guint n_runs[TL_N_STAGES])
{
  TlEngineReport report;
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_get_report (engine, &report, &error));
  memcpy (n_runs, report.n_runs, sizeof report.n_runs);
}

/* Only the stages that depend on a changed parameter run again. Several rows
 * are never folded. */
static void
test_stages (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 3, 31);
  TlParams params = tl_test_params (scan);
  guint before[TL_N_STAGES], after[TL_N_STAGES];
  g_autoptr (GError) error = NULL;

  get_runs (engine, before);
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  get_runs (engine, after);
  g_assert_cmpuint (after[TL_STAGE_UPLOAD], ==, before[TL_STAGE_UPLOAD] + 1);

  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  /* Back-projection always runs. */
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.centre_col += 0.5;
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.centre_col -= 3.0;
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.centre_col += 0.1;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.cutoff = 0.7;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.band_limit = 0.5;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.filter = TL_FILTER_BUTTERWORTH;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.butterworth_order = 2;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.interpolation = TL_INTERPOLATION_NEAREST;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.interpolation = TL_INTERPOLATION_CUBIC;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  params.padding = TL_PADDING_ZERO;
  tl_test_assert_first (engine, &params, TL_STAGE_TRANSFORM);
  params.minus_log = TRUE;
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  params.grid = tl_grid_full (7);
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.grid.x0 += 0.5;
  params.cutoff = 0.6;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);

  for (guint stage = TL_STAGE_CORRECT; stage < TL_N_STAGES; stage++)
    {
      tl_engine_invalidate (engine, stage);
      tl_test_assert_first (engine, &params, stage);
    }
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
}

/* Returns: (transfer full): [n]: the slices of the block that is loaded */
static float *
dup_slices (TlEngine *engine, const TlParams *params, size_t n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) frame =
      tl_engine_reconstruct (engine, params, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (frame, &error));
  return g_memdup2 (tl_frame_get_pixels (frame), n * sizeof (float));
}

static double
get_distance (const float *got, const float *want, size_t n)
{
  g_autofree double *wanted = g_new (double, n);

  for (size_t i = 0; i < n; i++)
    wanted[i] = want[i];
  return tl_test_distance (got, wanted, n);
}

/* A device keeps spectra in half precision where that is fast, and makes them
 * anew for full precision and for the Fourier method. */
static void
test_halves (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const gboolean is_host = strcmp (tl_engine_get_name (engine), "host") == 0;
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (60, 8, 64);
  const size_t n = 8 * 64 * 64;
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  params.method = TL_METHOD_BACKPROJECTION;
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  g_autofree float *full = dup_slices (engine, &params, n);
  params.precision = TL_PRECISION_FAST;
  tl_test_assert_first (engine, &params,
                        is_host ? TL_STAGE_FILTER : TL_STAGE_TRANSFORM);
  g_autofree float *fast = dup_slices (engine, &params, n);
  g_assert_cmpfloat (get_distance (fast, full, n), <=, TL_TOLERANCE_FAST_ROUGH);
  params.method = TL_METHOD_FOURIER;
  g_autofree float *fourier_fast = dup_slices (engine, &params, n);
  params.precision = TL_PRECISION_FULL;
  g_autofree float *fourier = dup_slices (engine, &params, n);
  g_assert_cmpfloat (get_distance (fourier_fast, fourier, n), <=,
                     TL_TOLERANCE_FOURIER_FAST);
  params.method = TL_METHOD_BACKPROJECTION;
  g_autofree float *again = dup_slices (engine, &params, n);
  g_assert_cmpmem (again, n * sizeof (float), full, n * sizeof (float));
}

/* Two lines share a row of spectra and its unit. A line of 0 beside another one
 * gets the rounding of that one only. */
static void
test_halves_beside (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (60, 8, 64);
  const size_t n = 64 * 64;
  TlParams params = tl_test_params (scan);
  float *samples = scan->samples;
  g_autoptr (GError) error = NULL;
  double empty = 0.0, beside = 0.0;

  params.method = TL_METHOD_BACKPROJECTION;
  params.precision = TL_PRECISION_FAST;
  for (size_t p = 0; p < 60; p++)
    memset (samples + (p * 8 + 3) * 64, 0, 64 * sizeof (float));
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  g_autofree float *slices = dup_slices (engine, &params, 8 * n);
  for (size_t i = 0; i < n; i++)
    {
      empty += pow (slices[3 * n + i], 2.0);
      beside += pow (slices[2 * n + i], 2.0);
    }
  g_assert_cmpfloat (sqrt (empty / beside), <=, TL_TOLERANCE_HALVES);
}

/* A single slice has room for floats. */
static void
test_halves_single (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (60, 1, 64);
  TlParams params = tl_test_params (scan);
  guint before[TL_N_STAGES], after[TL_N_STAGES];
  g_autoptr (GError) error = NULL;

  params.method = TL_METHOD_BACKPROJECTION;
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  g_free (dup_slices (engine, &params, 64 * 64));
  get_runs (engine, before);
  params.precision = TL_PRECISION_FAST;
  g_free (dup_slices (engine, &params, 64 * 64));
  get_runs (engine, after);
  g_assert_cmpuint (after[TL_STAGE_TRANSFORM], ==, before[TL_STAGE_TRANSFORM]);
}

/* With a single row, a moved axis never repeats the transform. It repeats the
 * filter if the row is folded, because a folded row is mirrored about the axis.
 */
static void
test_stages_folded (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (20, 1, 31);
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;
  TlEngineReport report;
  TlStage first;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  g_assert_true (tl_engine_get_report (engine, &report, &error));
  g_test_message ("%u pixels at once", report.n_folded);
  first = report.n_folded > 1 ? TL_STAGE_FILTER : TL_STAGE_BACKPROJECT;
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  params.centre_col += 0.5;
  tl_test_assert_first (engine, &params, first);
  params.centre_col -= 3.0;
  tl_test_assert_first (engine, &params, first);
  params.centre_col += 0.1;
  tl_test_assert_first (engine, &params, TL_STAGE_FILTER);
  /* Without the symmetry of the grid, the row is not folded. */
  params.grid.x0 += 0.5;
  tl_test_assert_first (engine, &params, first);
  params.centre_col += 0.5;
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
}

/* The result from a stage's kept data equals the result of a new computation.
 */
static void
test_kept (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  TlParams params = tl_test_params (scan);
  const size_t n = params.grid.nx * params.grid.ny;
  g_autoptr (TlFrame) first = NULL, kept = NULL, fresh = NULL;
  g_autoptr (GError) error = NULL;

  first = tl_test_reconstruct (engine, &scan->block, &params);
  params.interpolation = TL_INTERPOLATION_CUBIC; /* cubic changes the filter */
  params.centre_col = 14.2;
  kept = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (kept, &error));
  fresh = tl_test_reconstruct (engine, &scan->block, &params);
  g_assert_cmpmem (tl_frame_get_pixels (kept), n * sizeof (float),
                   tl_frame_get_pixels (fresh), n * sizeof (float));
}

static void
test_repeated (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (70, 3, 130);
  const TlParams params = tl_test_params (scan);
  const size_t bytes = 3 * params.grid.nx * params.grid.ny * sizeof (float);
  g_autoptr (TlFrame) first = NULL;

  first = tl_test_reconstruct (engine, &scan->block, &params);
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (TlFrame) again =
          tl_test_reconstruct (engine, &scan->block, &params);

      g_assert_cmpmem (tl_frame_get_pixels (first), bytes,
                       tl_frame_get_pixels (again), bytes);
    }
}

/* --- errors --- */

static void
test_refused (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  params.centre_col = 31.0;
  g_assert_null (tl_engine_reconstruct (engine, &params, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "outside the detector"));
  g_clear_error (&error);

  params = tl_test_params (scan);
  params.flat_field = TRUE;
  g_assert_null (tl_engine_reconstruct (engine, &params, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);

  /* The engine works after the errors. */
  params = tl_test_params (scan);
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
}

/* Asserts that the message of a refusal names what @kernel supports or, if
 * @kernel does not exist, the existing kernels. */
static void
assert_helpful (const char *message, const TlVariant *const *variants, size_t n,
                int kernel)
{
  gboolean is_there = kernel == TL_KERNEL_AUTO;

  g_test_message ("%s", message);
  g_assert_cmpuint (strlen (message), <, 250);
  for (size_t i = 0; i < n; i++)
    is_there |= (int)variants[i]->kernel == kernel;
  for (size_t i = 0; i < n; i++)
    {
      const TlVariant *v = variants[i];

      if (!is_there)
        g_assert_nonnull (strstr (message, tl_kernel_names[v->kernel]));
      else if (kernel == TL_KERNEL_AUTO || (int)v->kernel == kernel)
        {
          g_autofree char *way = g_strconcat (
              tl_interpolation_names[v->interpolation], " (", NULL);

          g_assert_nonnull (strstr (message, way));
          g_assert_nonnull (strstr (message, tl_precision_names[v->precision]));
        }
    }
}

/* Every combination either works or is refused with a message that names
 * working combinations. */
static void
test_variants (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  TlParams params = tl_test_params (scan);
  size_t n;
  const TlVariant *const *variants = tl_engine_list_variants (engine, &n);
  g_autoptr (GError) error = NULL;
  guint n_refused = 0;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  for (int kernel = 0; kernel < TL_N_KERNELS; kernel++)
    for (int way = 0; way < TL_N_INTERPOLATIONS; way++)
      for (int precision = 0; precision < TL_N_PRECISIONS; precision++)
        {
          g_autoptr (TlFrame) frame = NULL;
          gboolean is_listed = FALSE;

          for (size_t i = 0; i < n; i++)
            is_listed |= tl_variant_does (variants[i], TL_METHOD_AUTO, kernel,
                                          way, precision);
          params.kernel = kernel;
          params.interpolation = way;
          params.precision = precision;
          frame = tl_engine_reconstruct (engine, &params, NULL, &error);
          g_assert_cmpint (frame != NULL, ==, is_listed);
          if (is_listed)
            continue;
          g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
          assert_helpful (error->message, variants, n, kernel);
          g_clear_error (&error);
          n_refused++;
        }
  g_test_message ("%u combinations refused", n_refused);
}

static void
test_bad_angle (gconstpointer data)
{
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  g_autoptr (GError) error = NULL;

  scan->angles_rad[3] = NAN;
  g_assert_false (
      tl_engine_load (tl_test_get_engine (data), &scan->block, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "projection 3"));
}

static size_t
get_bytes (TlEngine *engine, const TlParams *params)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) frame G_GNUC_UNUSED =
      tl_engine_reconstruct (engine, params, NULL, &error);
  TlEngineReport report;

  g_assert_no_error (error);
  g_assert_true (tl_engine_get_report (engine, &report, &error));
  return report.memory_bytes;
}

static void
switch_on (TlParams *params, guint feature)
{
  switch (feature)
    {
    case 0:
      params->zingers = TRUE;
      break;
    case 1:
      params->tilt_deg = 2.0;
      break;
    case 2:
      params->phase = (TlPhase){ TRUE, 20.0, 50.0, 1.0, 300.0 };
      break;
    case 3:
      params->rings = TL_RINGS_SORTING;
      break;
    case 4:
      params->beam_hardening = 0.1;
      break;
    default:
      params->method = TL_METHOD_FOURIER; /* host */
    }
}

/* A feature that is switched off gives its memory back: at least its copy of
 * the projections. */
static void
test_gives_back (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (40, 8, 64);
  const size_t copy_bytes = 40 * 8 * 64 * sizeof (float);
  const gboolean is_host = strcmp (tl_engine_get_name (engine), "host") == 0;
  TlParams off = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  off.minus_log = TRUE;
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  get_bytes (engine, &off);
  for (guint feature = 0; feature < (is_host ? 6 : 5); feature++)
    {
      TlParams on = off;

      switch_on (&on, feature);
      const size_t with = get_bytes (engine, &on);
      const size_t without = get_bytes (engine, &off);

      g_test_message ("feature %u: %zu bytes, %zu without", feature, with,
                      without);
      g_assert_cmpuint (without + copy_bytes, <=, with);
    }
}

static size_t
get_held_bytes (TlEngine *engine)
{
  g_autoptr (GError) error = NULL;
  TlEngineReport report;

  g_assert_true (tl_engine_get_report (engine, &report, &error));
  return report.memory_bytes;
}

/* Returns: (transfer full): of @scan, with every feature on. */
static TlFrame *
make_with_all (TlEngine *engine, TlTestScan *scan)
{
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  params.minus_log = TRUE;
  for (guint feature = 0; feature < 5; feature++)
    switch_on (&params, feature);
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  TlFrame *frame = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (frame, &error));
  return frame;
}

static void
assert_same_pixels (TlFrame *frame, const float *want)
{
  const size_t n = tl_frame_get_n_slices (frame) * tl_frame_get_n_rows (frame)
                   * tl_frame_get_n_cols (frame);

  g_assert_cmpmem (tl_frame_get_pixels (frame), n * sizeof *want, want,
                   n * sizeof *want);
}

/* After tl_engine_give_back() an engine has no more memory than a new one, and
 * no less of its results: a frame that is still there keeps its pixels, and the
 * next slices are those of a new engine. */
static void
test_gives_all_back (gconstpointer data)
{
  g_autoptr (TlTestScan) large = tl_test_scan_new_noise (61, 9, 130);
  g_autoptr (TlTestScan) small = tl_test_scan_new_noise (19, 1, 31);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) engine =
      tl_engine_open (tl_engine_get_name (tl_test_get_engine (data)), &error);
  g_assert_no_error (error);
  const size_t empty = get_held_bytes (engine);

  tl_engine_give_back (engine);
  g_assert_cmpuint (get_held_bytes (engine), ==, empty);
  g_autoptr (TlFrame) want = make_with_all (engine, small);
  const size_t with_small = get_held_bytes (engine);
  TlFrame *frame = make_with_all (engine, large);
  const size_t with_large = get_held_bytes (engine);
  const size_t n_bytes = 9 * 130 * 130 * sizeof (float);
  g_autofree float *before = g_memdup2 (tl_frame_get_pixels (frame), n_bytes);

  g_assert_cmpuint (with_large, >, 4 * with_small);
  tl_engine_give_back (engine);
  g_assert_cmpuint (tl_engine_get_load (engine), ==, 0);
  g_assert_cmpuint (get_held_bytes (engine), <=,
                    empty + n_bytes + 31 * 31 * sizeof (float));
  assert_same_pixels (frame, before);
  tl_frame_unref (frame); /* by a thread that frees no memory of devices */
  g_autoptr (TlFrame) again = make_with_all (engine, small);
  assert_same_pixels (again, tl_frame_get_pixels (want));
  g_assert_cmpuint (get_held_bytes (engine), <=,
                    with_small + 31 * 31 * sizeof (float));
  g_clear_pointer (&again, tl_frame_unref);
  g_clear_pointer (&want, tl_frame_unref);
  tl_engine_give_back (engine);
  g_assert_cmpuint (get_held_bytes (engine), <=,
                    empty + 31 * 31 * sizeof (float));
  g_test_message ("%zu bytes, %zu with one slice, %zu with many", empty,
                  with_small, with_large);
}

/* @heap: (out caller-allocates): bytes that the program has allocated
 * @device: (out caller-allocates): bytes in use of the device, by everybody */
static void
count_used (TlEngine *engine, gint64 *heap, gint64 *device)
{
  const struct mallinfo2 info = mallinfo2 ();
  *heap = (gint64)(info.uordblks + info.hblkhd);
  *device = -(gint64)tl_engine_count_free (tl_engine_get_name (engine));
}

/* As a user does who plays with a small scan: another centre each time, and now
 * and then a feature, a scan that is loaded again, a picture that is given up
 * or refused. */
static void
make_frames (TlEngine *engine, TlTestScan *scan, guint n)
{
  g_autoptr (GCancellable) given_up = g_cancellable_new ();
  g_cancellable_cancel (given_up);
  for (guint k = 0; k < n; k++)
    {
      TlParams params = tl_test_params (scan);
      g_autoptr (GError) error = NULL;

      if (k % 50 == 0)
        g_assert_true (tl_engine_load (engine, &scan->block, &error));
      params.centre_col += 0.01 * (k % 100);
      params.minus_log = TRUE;
      if (k % 5 == 0)
        switch_on (&params, k / 5 % 5);
      if (k % 7 == 0)
        params.grid.nx = G_MAXSIZE / 2; /* more than there can be */
      g_autoptr (TlFrame) frame = tl_engine_reconstruct (
          engine, &params, k % 11 == 0 ? given_up : NULL, &error);
      g_assert_true ((frame != NULL) == (k % 7 != 0 && k % 11 != 0));
      if (frame != NULL)
        g_assert_true (tl_frame_fetch (frame, &error));
    }
}

/* 10,000 frames leave nothing behind, in the program and on a device. */
static void
test_many_frames (gconstpointer data)
{
  enum
  {
    N_FRAMES = 10000,
    N_BEFORE = 1000,
    MOST_BYTES = 64 << 10,       /* 7 for each frame */
    MOST_DEVICE_BYTES = 4 << 20, /* CUDA gives no less than 512 for each */
  };
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (8, 1, 24);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) engine =
      tl_engine_open (tl_engine_get_name (tl_test_get_engine (data)), &error);
  g_assert_no_error (error);
  gint64 heap[2], device[2];

  make_frames (engine, scan, N_BEFORE);
  count_used (engine, &heap[0], &device[0]);
  const size_t held = get_held_bytes (engine);
  make_frames (engine, scan, N_FRAMES);
  count_used (engine, &heap[1], &device[1]);
  g_test_message ("%" G_GINT64_FORMAT " bytes more, %" G_GINT64_FORMAT
                  " of the device, %zu held",
                  heap[1] - heap[0], device[1] - device[0], held);
  g_assert_cmpint (heap[1] - heap[0], <, MOST_BYTES);
  g_assert_cmpint (device[1] - device[0], <, MOST_DEVICE_BYTES);
  g_assert_cmpuint (get_held_bytes (engine), ==, held);
}

/* Returns: (transfer full): the slices, in host memory */
static TlFrame *
make_slices (TlEngine *engine, const TlBlock *block, const TlParams *params)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, block, &error));
  TlFrame *frame = tl_engine_reconstruct (engine, params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (frame, &error));
  return frame;
}

/* What an engine in the background is to make. */
typedef struct
{
  const char *engine;
  const TlBlock *block;
  const TlParams *params;
} Background;

static gpointer
make_behind (gpointer data)
{
  const Background *work = data;
  TlBlock block = *work->block;
  const size_t n_bytes = block.n_projections * block.n_rows * block.n_cols
                         * tl_sample_size (block.type);
  g_autofree char *samples = g_malloc (n_bytes);
  g_autoptr (GError) error = NULL;
  TlEngine *engine = tl_engine_open_behind (work->engine, &error);

  g_assert_no_error (error);
  block.is_pinned = tl_engine_pin (work->engine, samples, n_bytes);
  block.samples = memcpy (samples, block.samples, n_bytes);
  TlFrame *frame = make_slices (engine, &block, work->params);
  tl_engine_close (engine);
  if (block.is_pinned)
    tl_engine_unpin (work->engine, samples);
  return frame;
}

/* An engine that gives way to others makes the same slices. It copies the block
 * and the slices in several pieces. Only the Fourier method rounds as in other
 * engines: for back-projection such an engine uses kernels for fewer slices. */
static void
test_behind (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (300, 20, 401);
  TlParams params = tl_test_params (scan);
  const size_t n_pixels = 20 * params.grid.ny * params.grid.nx;
  const Background work = { tl_engine_get_name (engine), &scan->block,
                            &params };

  params.method = TL_METHOD_FOURIER;
  /* The engine host lowers the priority of the thread that opens it. */
  g_autoptr (TlFrame) behind =
      g_thread_join (g_thread_new ("behind", make_behind, (gpointer)&work));
  g_autoptr (TlFrame) frame = make_slices (engine, &scan->block, &params);

  g_assert_cmpuint (tl_frame_get_n_slices (behind), ==, 20);
  g_assert_cmpmem (tl_frame_get_pixels (behind), n_pixels * sizeof (float),
                   tl_frame_get_pixels (frame), n_pixels * sizeof (float));
}

static void
test_too_large (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 3, 31);
  TlParams params = tl_test_params (scan);
  TlEngineReport report;
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  /* For such a grid, another variant with another layout of rows might be
   * chosen. */
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  g_assert_true (tl_engine_get_report (engine, &report, &error));
  tl_engine_use_variant (engine, report.variant);
  /* 10^24 pixels need more bytes than a size_t can count. */
  params.grid = (TlGrid){ .ny = 1000000000000,
                          .nx = 1000000000000,
                          .x0 = 0.0,
                          .y0 = 0.0,
                          .pitch = 1e-6 };
  g_assert_null (tl_engine_reconstruct (engine, &params, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
  params = tl_test_params (scan);
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
  tl_engine_use_variant (engine, NULL);
}

static void
test_cancelled (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  const TlParams params = tl_test_params (scan);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  g_cancellable_cancel (cancellable);
  g_assert_null (tl_engine_reconstruct (engine, &params, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
}

typedef struct
{
  GCancellable *cancellable;
  gint64 delay_us;
} Soon;

static gpointer
cancel_soon (gpointer data)
{
  const Soon *soon = data;

  g_usleep ((gulong)soon->delay_us);
  g_cancellable_cancel (soon->cancellable);
  return NULL;
}

/* After a cancellation at any moment, the next reconstruction gives the usual
 * result. A busy machine may cancel too late, so that there are many tries. */
static void
test_cancelled_midway (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (256, 1, 256);
  const TlParams params = tl_test_params (scan);
  const size_t bytes = 256 * 256 * sizeof (float);
  g_autoptr (TlFrame) want = NULL, got = NULL;
  g_autoptr (GError) error = NULL;
  gint64 began_us, lasts_us = 0;
  guint n_cancelled = 0;

  want = tl_test_reconstruct (engine, &scan->block, &params);
  for (int i = 0; i < 200 && (i < 10 || n_cancelled == 0); i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const Soon soon = { cancellable, lasts_us * (i % 5) / 8 };
      GThread *thread =
          i > 0 ? g_thread_new ("cancel", cancel_soon, (gpointer)&soon) : NULL;
      g_autoptr (TlFrame) frame = NULL;

      tl_engine_invalidate (engine, TL_STAGE_CORRECT);
      began_us = g_get_monotonic_time ();
      frame = tl_engine_reconstruct (engine, &params, cancellable, &error);
      if (thread == NULL)
        lasts_us = g_get_monotonic_time () - began_us;
      else
        g_thread_join (thread);
      if (frame == NULL)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      n_cancelled += frame == NULL && soon.delay_us > 0;
      g_clear_error (&error);
    }
  g_test_message ("lasts %" G_GINT64_FORMAT " us, %u cancelled", lasts_us,
                  n_cancelled);
  g_assert_cmpuint (n_cancelled, >, 0);
  got = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (got, &error));
  g_assert_cmpmem (tl_frame_get_pixels (want), bytes, tl_frame_get_pixels (got),
                   bytes);
}

static void
test_corrected_early (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  g_autofree float *dest = g_new (float, 19 * 31);
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  g_assert_false (tl_engine_read_corrected (engine, dest, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
}

/* --- the machine --- */

static void
test_machine (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autofree char *text = tl_engine_describe_machine ();
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  const guint n = g_strv_length (lines);

  g_test_message ("%s", text);
  g_assert_cmpuint (n, >=, 2);
  g_assert_true (g_str_has_prefix (lines[0], "cuda: "));
  g_assert_true (g_str_has_prefix (lines[n - 1], "host: "));
  for (guint i = 1; i < n - 1; i++)
    {
      g_autofree char *prefix = g_strdup_printf ("cuda:%u: ", i);

      g_assert_true (g_str_has_prefix (lines[i], prefix));
    }
  g_assert_nonnull (strstr (
      lines[g_str_equal (tl_engine_get_name (engine), "cuda") ? 0 : n - 1],
      tl_engine_get_device (engine)));
}

/* Measuring the ceilings leaves the loaded block intact, and the rates are
 * plausible. */
static void
test_ceilings (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const gboolean is_device = g_str_equal (tl_engine_get_name (engine), "cuda");
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  const TlParams params = tl_test_params (scan);
  TlCeilings c;
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  tl_test_assert_first (engine, &params, TL_STAGE_CORRECT);
  g_assert_true (tl_engine_measure_ceilings (engine, &c, &error));
  g_assert_no_error (error);
  g_test_message ("%g fetches, %g bytes, %g instructions a second, %g MHz",
                  c.fetches, c.shared_bytes, c.lane_instructions, c.clock_mhz);
  if (is_device)
    {
      g_assert_true (c.clock_mhz > 100.0 && c.clock_mhz < 1e4);
      g_assert_true (c.fetches > 1e9 && c.fetches < 1e14);
      g_assert_true (c.shared_bytes > 4.0 * c.fetches);
      g_assert_true (c.lane_instructions > c.fetches);
      g_assert_true (c.products == 0.0 || c.products > c.lane_instructions);
    }
  else
    g_assert_true (c.clock_mhz == 0.0 && c.fetches == 0.0
                   && c.shared_bytes == 0.0 && c.lane_instructions == 0.0
                   && c.products == 0.0);
  tl_test_assert_first (engine, &params, TL_STAGE_BACKPROJECT);
}

/* Each variant reports reads only from the memory that its kernel uses. */
static void
test_reads (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const gboolean is_device = g_str_equal (tl_engine_get_name (engine), "cuda");
  size_t n;
  const TlVariant *const *variants = tl_engine_list_variants (engine, &n);

  for (size_t i = 0; i < n; i++)
    {
      const TlVariant *v = variants[i];

      g_test_message ("%s: %g fetches, %g bytes", v->name, v->fetches,
                      v->shared_bytes);
      g_assert_cmpint (v->fetches > 0.0, ==,
                       is_device && !v->is_fourier && v->kernel != TL_KERNEL_ALU
                           && v->kernel != TL_KERNEL_TENSOR);
      g_assert_cmpint (v->products > 0.0, ==, v->kernel == TL_KERNEL_TENSOR);
      g_assert_cmpint (
          v->shared_bytes > 0.0, ==,
          is_device
              && (v->kernel == TL_KERNEL_ALU || v->kernel == TL_KERNEL_HYBRID));
    }
}

static void
test_unknown (gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tl_engine_open ("abacus", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "abacus"));
  g_clear_error (&error);
  g_assert_null (tl_engine_open ("cuda:one", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "cuda:one"));
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "engine/stages", test_stages },
    { "engine/stages-folded", test_stages_folded },
    { "engine/halves", test_halves },
    { "engine/halves-beside", test_halves_beside },
    { "engine/halves-single", test_halves_single },
    { "engine/kept", test_kept },
    { "engine/repeated", test_repeated },
    { "engine/refused", test_refused },
    { "engine/variants", test_variants },
    { "engine/bad-angle", test_bad_angle },
    { "engine/behind", test_behind },
    { "engine/too-large", test_too_large },
    { "engine/gives-back", test_gives_back },
    { "engine/gives-all-back", test_gives_all_back },
    { "engine/many-frames", test_many_frames },
    { "engine/cancelled", test_cancelled },
    { "engine/cancelled-midway", test_cancelled_midway },
    { "engine/corrected-early", test_corrected_early },
    { "engine/machine", test_machine },
    { "engine/ceilings", test_ceilings },
    { "engine/reads", test_reads },
    { "engine/unknown", test_unknown },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
