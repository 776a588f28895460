/* Frames, their figures, and the report. */
#include "data/error.h"
#include "gpu/backend/interop.h"
#include "tests/support/engines.h"
#include "tests/support/scans.h"

#include <malloc.h>
#include <math.h>

static void
test_frame (gconstpointer data)
{
  const char *name = tl_engine_get_name (tl_test_get_engine (data));
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 2, 31);
  const TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) frame = NULL;
  TlEngine *engine = tl_engine_open (name, &error);
  float value;

  g_assert_no_error (error);
  frame = tl_test_reconstruct (engine, &scan->block, &params);
  /* The frame outlives its engine. */
  tl_engine_close (engine);

  g_assert_true (tl_frame_read_pixel (frame, 1, 5, 7, &value, &error));
  g_assert_cmpfloat (value, ==, tl_frame_get_pixels (frame)[(31 + 5) * 31 + 7]);
  g_assert_true (tl_frame_wait (frame, &error));
  tl_frame_unref (tl_frame_ref (frame));
  if (!tl_frame_is_on_device (frame))
    {
      TlInterop *interop = tl_interop_new (1, FALSE);

      g_assert_false (tl_interop_show (interop, frame, 0));
      g_assert_cmpstr (tl_interop_get_path (interop), ==,
                       "copy: in host memory");
      tl_interop_free (interop);
    }
}

/* Of a frame that is not fetched, and of one that is: every 33rd row from the
 * second row of the second slice on. */
static void
test_read_rows (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 3, 31);
  const TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;
  float rows[2][2 * 31 + 1];

  tl_engine_load (engine, &scan->block, &error);
  g_assert_no_error (error);
  g_autoptr (TlFrame) frame =
      tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < 2; k++)
    {
      rows[k][2 * 31] = 4711;
      g_assert_true (tl_frame_read_rows (frame, 32, 33, rows[k], &error));
      g_assert_cmpfloat (rows[k][2 * 31], ==, 4711);
      g_assert_true (tl_frame_fetch (frame, &error));
      for (guint row = 0; row < 2; row++)
        g_assert_cmpmem (rows[k] + row * 31, 31 * sizeof (float),
                         tl_frame_get_pixels (frame) + (32 + 33 * row) * 31,
                         31 * sizeof (float));
    }
}

static void
test_stats (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  /* More pixels than a work item. */
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (5, 2, 301);
  const TlParams params = tl_test_params (scan);
  const size_t n = params.grid.nx * params.grid.ny;
  g_autoptr (TlFrame) frame = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree TlStats *stats = g_new (TlStats, 1);
  const float *pixels;
  float min = INFINITY, max = -INFINITY;
  double sum = 0.0, size = 0.0;
  guint64 total = 0;

  frame = tl_test_reconstruct (engine, &scan->block, &params);
  pixels = tl_frame_get_pixels (frame) + n;
  for (size_t i = 0; i < n; i++)
    {
      min = MIN (min, pixels[i]);
      max = MAX (max, pixels[i]);
      sum += pixels[i];
      size += fabs (pixels[i]);
    }
  g_assert_true (tl_engine_measure (engine, frame, 1, stats, &error));
  g_assert_cmpfloat (stats->min, ==, min);
  g_assert_cmpfloat (stats->max, ==, max);
  g_assert_cmpfloat_with_epsilon (stats->mean, sum / (double)n,
                                  1e-6 * size / (double)n);
  for (size_t bin = 0; bin < TL_HISTOGRAM_BINS; bin++)
    {
      const double step = ((double)max - min) / TL_HISTOGRAM_BINS;
      guint want = 0;

      for (size_t i = 0; i < n; i += 1)
        want += pixels[i] >= min + step * (double)bin
                && pixels[i] < min + step * (double)(bin + 1);
      /* A pixel on the border between two bins may be in either bin. */
      g_assert_cmpint (ABS ((int)want - (int)stats->histogram[bin]), <=,
                       2 + (int)want / 50);
      total += stats->histogram[bin];
    }
  g_assert_cmpuint (total, ==, n);
}

static void
test_stats_flat (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new (5, 1, 31, TL_SAMPLE_F32);
  const TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) frame =
      tl_test_reconstruct (engine, &scan->block, &params);
  g_autofree TlStats *stats = g_new (TlStats, 1);
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_measure (engine, frame, 0, stats, &error));
  g_assert_cmpfloat (stats->min, ==, 0.0f);
  g_assert_cmpfloat (stats->max, ==, 0.0f);
  g_assert_cmpuint (stats->histogram[0], ==, 31 * 31);
}

/* The reader replaces NaN samples; if some remain, the figures are still
 * finite. */
static void
test_stats_nan (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  const TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) frame = NULL;
  g_autofree TlStats *stats = g_new (TlStats, 1);
  g_autoptr (GError) error = NULL;

  for (size_t i = 0; i < 19; i++)
    ((float *)scan->samples)[i * 31 + 15] = NAN;
  frame = tl_test_reconstruct (engine, &scan->block, &params);
  g_assert_true (tl_engine_measure (engine, frame, 0, stats, &error));
  g_assert_true (isfinite (stats->min) && isfinite (stats->max)
                 && isfinite (stats->mean));
}

static void
test_report (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 1, 31);
  const TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) frame =
      tl_test_reconstruct (engine, &scan->block, &params);
  TlEngineReport report;
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_get_report (engine, &report, &error));
  g_assert_cmpuint (report.memory_bytes, >, 19 * 31 * sizeof (float));
  g_assert_cmpuint (report.n_dead, ==, 0);
  g_assert_nonnull (report.variant);
  g_assert_nonnull (tl_frame_get_pixels (frame));
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    g_assert_true (report.last_ms[stage] >= 0.0
                   && report.last_ms[stage] < 10000.0);
}

/* The bytes of blocks so large that malloc() asks the system for each. */
static size_t
count_large_bytes (void)
{
  return mallinfo2 ().hblkhd;
}

/* An export counts on the memory of slices that are written: another thread
 * would free it too late on a busy machine. */
static void
test_freed (gconstpointer data)
{
  const size_t before = count_large_bytes ();
  float *pixels;

  for (guint k = 0; k < 100; k++)
    {
      tl_frame_unref (tl_frame_new (4096, 4096, &pixels, NULL));
      g_assert_cmpuint (count_large_bytes (), <=, before);
    }
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "frame/life", test_frame },
    { "frame/freed", test_freed },
    { "frame/read-rows", test_read_rows },
    { "frame/stats", test_stats },
    { "frame/stats-flat", test_stats_flat },
    { "frame/stats-nan", test_stats_nan },
    { "frame/report", test_report },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
