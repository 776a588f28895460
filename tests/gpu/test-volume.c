/* The engines as volumes use them: several blocks in flight, and several
 * devices. */
#include "data/error.h"
#include "tests/support/engines.h"
#include "tests/support/scans.h"

/* Makes noise with its own fields and a dead pixel in each row. */
static TlTestScan *
make_scan (size_t n_projections, size_t n_rows, size_t n_cols)
{
  TlTestScan *scan = tl_test_scan_new_noise (n_projections, n_rows, n_cols);

  scan->dark = g_new0 (double, n_rows *n_cols);
  scan->flat_first = g_new (double, n_rows *n_cols);
  for (size_t i = 0; i < n_rows * n_cols; i++)
    scan->flat_first[i] = g_test_rand_double_range (1.5, 2.5);
  for (size_t row = 0; row < n_rows; row++)
    scan->flat_first[row * n_cols
                     + (size_t)g_test_rand_int_range (0, (gint32)n_cols)] = 0;
  scan->block.dark = scan->dark;
  scan->block.flat_first = scan->flat_first;
  return scan;
}

/* Chooses slices so large that a device is still busy when the next block is
 * loaded. */
static TlParams
make_params (TlEngine *engine, const TlTestScan *scan)
{
  TlParams params = tl_test_params (scan);

  params.flat_field = params.minus_log = TRUE;
  if (!g_str_equal (tl_engine_get_name (engine), "host"))
    params.grid = tl_grid_full (1200);
  return params;
}

static TlFrame *
load_and_reconstruct (TlEngine *engine, const TlTestScan *scan,
                      const TlParams *params)
{
  g_autoptr (GError) error = NULL;
  TlFrame *frame;

  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  frame = tl_engine_reconstruct (engine, params, NULL, &error);
  g_assert_no_error (error);
  return frame;
}

static void
assert_same (TlFrame *got, TlFrame *want)
{
  const size_t bytes = tl_frame_get_n_slices (want) * tl_frame_get_n_rows (want)
                       * tl_frame_get_n_cols (want) * sizeof (float);
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_frame_fetch (got, &error));
  g_assert_cmpuint (tl_frame_get_n_slices (got), ==,
                    tl_frame_get_n_slices (want));
  g_assert_cmpmem (tl_frame_get_pixels (got), bytes, tl_frame_get_pixels (want),
                   bytes);
}

/* As in a volume, the next block is loaded before the last frame is finished,
 * and every frame is right. All blocks differ; the last one has the sizes of
 * the first. */
static void
test_overlapping (gconstpointer data)
{
  static const size_t sizes[][3] = {
    { 120, 4, 150 }, { 120, 4, 150 }, { 97, 1, 131 },
    { 120, 3, 150 }, { 120, 4, 150 },
  };
  enum
  {
    N = G_N_ELEMENTS (sizes)
  };
  TlEngine *engine = tl_test_get_engine (data);
  TlTestScan *scans[N];
  TlFrame *want[N], *got[N];

  for (size_t i = 0; i < N; i++)
    {
      TlParams params;

      scans[i] = make_scan (sizes[i][0], sizes[i][1], sizes[i][2]);
      tl_test_scan_set_angles (scans[i], 10.0 * (double)i, 180.0, FALSE);
      params = make_params (engine, scans[i]);
      want[i] = tl_test_reconstruct (engine, &scans[i]->block, &params);
    }
  for (size_t i = 0; i < N; i++)
    {
      const TlParams params = make_params (engine, scans[i]);

      got[i] = load_and_reconstruct (engine, scans[i], &params);
    }
  for (size_t i = 0; i < N; i++)
    {
      assert_same (got[i], want[i]);
      tl_frame_unref (got[i]);
      tl_frame_unref (want[i]);
      tl_test_scan_free (scans[i]);
    }
}

/* A changed parameter recomputes the block that was loaded last, even if an
 * earlier block is still in flight. */
static void
test_changed_behind (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) a = make_scan (120, 4, 150);
  g_autoptr (TlTestScan) b = make_scan (120, 4, 150);
  const TlParams params = make_params (engine, a);
  TlParams changed = make_params (engine, a);
  g_autoptr (TlFrame) want_b = NULL, want_a = NULL;
  g_autoptr (TlFrame) got_b = NULL, got_a = NULL;
  g_autoptr (TlFrame) first = NULL, second = NULL;
  g_autoptr (GError) error = NULL;

  changed.minus_log = FALSE; /* repeats the stages from "correct" on */
  want_a = tl_test_reconstruct (engine, &a->block, &changed);
  want_b = tl_test_reconstruct (engine, &b->block, &changed);

  first = load_and_reconstruct (engine, a, &params);
  second = load_and_reconstruct (engine, b, &params);
  got_b = tl_engine_reconstruct (engine, &changed, NULL, &error);
  g_assert_no_error (error);
  got_a = load_and_reconstruct (engine, a, &changed);
  assert_same (got_b, want_b);
  assert_same (got_a, want_a);
}

/* The total times cover all runs, including runs whose times were never read.
 */
static void
test_totals (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = make_scan (97, 3, 131);
  TlParams params = make_params (engine, scan);
  TlEngineReport before, after;
  g_autoptr (GError) error = NULL;

  /* Every stage has work. */
  params.zingers = params.minus_log = TRUE;
  params.phase = (TlPhase){ TRUE, 20.0, 20.0, 1.0, 20.0 };
  params.rings = TL_RINGS_SORTING;
  params.tilt_deg = 1.0;
  g_assert_true (tl_engine_get_report (engine, &before, &error));
  for (int i = 0; i < 11; i++)
    tl_frame_unref (load_and_reconstruct (engine, scan, &params));
  g_assert_true (tl_engine_get_report (engine, &after, &error));
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    g_assert_cmpfloat (after.total_ms[stage] - before.total_ms[stage], >,
                       after.last_ms[stage]);
  g_assert_cmpuint (after.n_dead, ==, 3);
  g_assert_cmpuint (after.total_dead - before.total_dead, ==, 33);
}

/* Every listed name opens a device, and listing that name gives this name only.
 */
static void
test_devices (gconstpointer data)
{
  const char *name = tl_engine_get_name (tl_test_get_engine (data));
  g_auto (GStrv) devices = tl_engine_list_devices (name);

  g_assert_nonnull (devices[0]);
  g_assert_cmpstr (devices[0], ==, name);
  for (char **device = devices; *device != NULL; device++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TlEngine) engine = tl_engine_open (*device, &error);
      g_auto (GStrv) alone = tl_engine_list_devices (*device);
      g_autofree char *description = tl_engine_describe_device (*device);

      g_assert_no_error (error);
      g_assert_cmpstr (tl_engine_get_name (engine), ==, name);
      g_assert_cmpstr (tl_engine_get_device (engine), ==, description);
      if (device > devices)
        g_assert_cmpuint (g_strv_length (alone), ==, 1);
    }
}

/* A device number that does not exist is an error. */
static void
test_no_device (gconstpointer data)
{
  g_autofree char *name = g_strconcat (
      tl_engine_get_name (tl_test_get_engine (data)), ":999", NULL);
  g_auto (GStrv) devices = tl_engine_list_devices (name);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (g_strv_length (devices), ==, 0);
  g_assert_null (tl_engine_describe_device (name));
  g_assert_null (tl_engine_open (name, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "999"));
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "volume/overlapping", test_overlapping },
    { "volume/changed-behind", test_changed_behind },
    { "volume/totals", test_totals },
    { "volume/devices", test_devices },
    { "volume/no-device", test_no_device },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
