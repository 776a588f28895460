/* A slice of a scan that is being taken, to which what is new is added: it is
 * the slice that is made at once, and no projection is back-projected twice. */
#include "app/recon/growing-slice.h"

#include "tests/app/recon/recon-fixture.h"

#include <math.h>
#include <string.h>

enum
{
  N_PROJECTIONS = 90,
  N_ROWS = 5,
  N_COLS = 41,
  N_FLATS = 3,
  ROW = N_ROWS / 2,
  N_FIRST = 20, /* projections of the first slice */
  N_MORE = 3    /* of each of the next ones */
};

/* Relative L2 distance: sums of floats in another order. */
#define TOLERANCE 1e-5

typedef struct
{
  const char *name;
  size_t stride; /* projection k * stride comes as the k-th */
  gboolean is_announced;
  double angle_deg;
  const char *settings[14]; /* keys and values */
  gboolean adds; /* FALSE: each slice has to be made of all projections */
} Case;

#define PHASE                                                                  \
  "phase", "on", "energy", "20", "distance", "10", "delta-beta", "10",         \
      "pixel-size", "1"

static const Case cases[] = {
  { "in-order", 1, TRUE, 180, { NULL }, TRUE },
  { "in-order-unknown", 1, FALSE, 180, { NULL }, TRUE },
  { "interlaced", 37, TRUE, 180, { NULL }, TRUE },
  { "turn", 1, TRUE, 360, { NULL }, TRUE },
  { "half", 7, TRUE, 360, { "half", "on", "centre", "9.4" }, TRUE },
  { "tilt", 1, TRUE, 180, { "tilt", "3" }, TRUE },
  { "phase", 1, TRUE, 180, { PHASE }, TRUE },
  { "zingers", 1, TRUE, 180, { "zingers", "on" }, FALSE },
  { "rings", 1, TRUE, 180, { "rings", "sorting" }, FALSE },
};

typedef struct
{
  const Case *c;
  TlReconFixture fixture;
  TlHeld *held;
  TlGrowingSlice *slice;
  size_t n; /* projections that have come */
} Growing;

static void
put (Growing *growing, TlFrameKind kind, size_t number)
{
  guint16 pixels[N_ROWS * N_COLS];
  const double angle_deg =
      growing->c->angle_deg * (double)number / N_PROJECTIONS;
  for (size_t k = 0; k < G_N_ELEMENTS (pixels); k++)
    pixels[k] = kind == TL_FRAMES_DARKS ? 100
                : kind == TL_FRAMES_FLATS
                    ? (guint16)(50000 + k * 13 % 97)
                    : (guint16)g_test_rand_int_range (9000, 40000);
  g_assert_true (tl_held_put (growing->held, kind, number, angle_deg, pixels));
}

static gboolean
set_up (Growing *growing, const Case *c, const char *engine)
{
  double angles_deg[N_PROJECTIONS];
  g_autoptr (GError) error = NULL;
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (1 << 24);
  *growing = (Growing){ .c = c };
  if (!tl_recon_fixture_init (&growing->fixture, engine))
    return FALSE;
  for (size_t k = 0; k < N_PROJECTIONS; k++)
    angles_deg[k] = c->angle_deg * (double)k / N_PROJECTIONS;
  const TlHeldLayout layout = {
    .name = "zmq+json://nowhere:1",
    .n_rows = N_ROWS,
    .n_cols = N_COLS,
    .n_kept = N_ROWS,
    .type = TL_SAMPLE_U16,
    .n_expected = c->is_announced ? N_PROJECTIONS : 0,
    .angles_deg = c->is_announced ? angles_deg : NULL,
  };
  growing->held = tl_held_new (&layout, budget, &error);
  g_assert_no_error (error);
  growing->slice = tl_growing_slice_new (growing->fixture.engine);
  put (growing, TL_FRAMES_DARKS, 0);
  for (size_t k = 0; k < N_FLATS; k++)
    put (growing, TL_FRAMES_FLATS, k);
  tl_recon_fixture_set (&growing->fixture, "slice", "middle");
  tl_recon_fixture_set (&growing->fixture, "centre", "20.3");
  for (size_t k = 0; c->settings[k] != NULL; k += 2)
    tl_recon_fixture_set (&growing->fixture, c->settings[k],
                          c->settings[k + 1]);
  return TRUE;
}

static void
tear_down (Growing *growing)
{
  tl_growing_slice_free (growing->slice);
  tl_held_unref (growing->held);
  tl_recon_fixture_clear (&growing->fixture);
}

static void
take (Growing *growing, size_t n)
{
  for (size_t k = 0; k < n; k++, growing->n++)
    put (growing, TL_FRAMES_PROJECTIONS,
         growing->n * growing->c->stride % N_PROJECTIONS);
}

/* Makes the slice at once, and adds to the one before.
 *
 * Returns: whether it could be added to */
static gboolean
look (Growing *growing)
{
  TlReconFixture *fixture = &growing->fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlHeldWeights) weights = NULL;
  TlReconTimes times;
  TlReader *reader = tl_held_open (growing->held, NULL, &weights, &error);
  g_assert_no_error (error);
  g_assert_nonnull (weights);
  tl_recipe_resolve (fixture->recipe, tl_reader_get_info (reader), &error);
  g_assert_no_error (error);
  g_clear_pointer (&fixture->recon, tl_recon_free);
  fixture->recon = tl_recon_new (reader, fixture->engine);
  g_autoptr (TlFrame) want = tl_recon_fixture_run (fixture, ROW, 1);
  g_autoptr (TlFrame) got =
      tl_growing_slice_run (growing->slice, growing->held, weights,
                            fixture->recipe, &times, NULL, &error);
  g_assert_no_error (error);
  if (got == NULL)
    {
      tl_growing_slice_keep (growing->slice, fixture->recipe, weights, want);
      return FALSE;
    }
  g_assert_true (tl_frame_fetch (got, &error));
  const double distance = tl_recon_distance (
      tl_frame_get_pixels (got), tl_frame_get_pixels (want),
      tl_frame_get_n_rows (want) * tl_frame_get_n_cols (want));
  g_assert_cmpfloat (distance, <, TOLERANCE);
  return TRUE;
}

/* In the order of their angles over half a turn each projection is
 * back-projected once. Otherwise those that get nearer neighbours count less,
 * and so are back-projected again, as are the ends of holes when the median
 * step changes.
 */
static void
assert_added (const Growing *growing)
{
  const size_t n = tl_growing_slice_count_added (growing->slice);
  if (growing->c->stride == 1 && growing->c->angle_deg == 180)
    g_assert_cmpuint (n, ==, N_MORE);
  else
    g_assert_cmpuint (n, <=, 3 * N_MORE + 4);
}

static void
test_case (const Case *c, const char *engine)
{
  Growing growing;
  if (!set_up (&growing, c, engine))
    return;
  take (&growing, N_FIRST);
  g_assert_false (look (&growing));
  while (growing.n + N_MORE < N_PROJECTIONS)
    {
      take (&growing, N_MORE);
      g_assert_cmpint (look (&growing), ==, c->adds);
      if (c->adds)
        assert_added (&growing);
    }
  tear_down (&growing);
}

/* Other flats change all projections, and so does another parameter; half as
 * many new projections are no small change. */
static void
test_anew (const char *engine)
{
  Growing growing;
  if (!set_up (&growing, &cases[0], engine))
    return;
  take (&growing, N_FIRST);
  g_assert_false (look (&growing));
  put (&growing, TL_FRAMES_FLATS, N_FLATS);
  take (&growing, 1);
  g_assert_false (look (&growing));
  take (&growing, 1);
  g_assert_true (look (&growing));
  tl_recon_fixture_set (&growing.fixture, "filter", "hann");
  take (&growing, 1);
  g_assert_false (look (&growing));
  take (&growing, growing.n);
  g_assert_false (look (&growing));
  take (&growing, growing.n / 3);
  g_assert_true (look (&growing));
  tear_down (&growing);
}

/* A slice of nothing but noise: its variance falls with the number of
 * projections, and so does what the next ones change. */
static void
test_change (const char *engine)
{
  static const Case c = { "noise", 37, TRUE, 180, { NULL }, TRUE };
  Growing growing;
  g_autoptr (GError) error = NULL;
  double unit = 0;
  if (!set_up (&growing, &c, engine))
    return;
  take (&growing, N_FIRST);
  look (&growing);
  g_assert_true (
      tl_growing_slice_measure_change (growing.slice, N_FIRST, &unit, &error));
  g_assert_true (isnan (unit));
  take (&growing, N_FIRST / 5);
  look (&growing);
  g_assert_true (tl_growing_slice_measure_change (growing.slice, growing.n,
                                                  &unit, &error));
  g_assert_true (isnan (unit)); /* too few more */
  take (&growing, N_FIRST / 5);
  look (&growing);
  g_assert_true (tl_growing_slice_measure_change (growing.slice, growing.n,
                                                  &unit, &error));
  g_assert_cmpfloat_with_epsilon (unit / sqrt ((double)growing.n), 1, 0.25);
  /* another slice is not compared with it */
  tl_recon_fixture_set (&growing.fixture, "filter", "hann");
  take (&growing, N_FIRST);
  look (&growing);
  g_assert_true (tl_growing_slice_measure_change (growing.slice, growing.n,
                                                  &unit, &error));
  g_assert_true (isnan (unit));
  tear_down (&growing);
}

/* Flats that have come since the snapshot: it is not added to. */
static void
test_late_flats (const char *engine)
{
  Growing growing;
  g_autoptr (GError) error = NULL;
  if (!set_up (&growing, &cases[0], engine))
    return;
  take (&growing, N_FIRST);
  g_assert_false (look (&growing));
  take (&growing, N_MORE);
  g_autoptr (TlHeldWeights) weights = NULL;
  TlReconTimes times;
  g_autoptr (TlReader) reader =
      tl_held_open (growing.held, NULL, &weights, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, growing.n);
  put (&growing, TL_FRAMES_FLATS, N_FLATS);
  g_assert_null (tl_growing_slice_run (growing.slice, growing.held, weights,
                                       growing.fixture.recipe, &times, NULL,
                                       &error));
  g_assert_no_error (error);
  tear_down (&growing);
}

/* Lets the host choose the Fourier method for such small slices. */
static void
prefer_fourier (TlEngine *engine)
{
  g_autoptr (TlTuning) tuning = tl_tuning_new ("host", "");
  TlTuningRow row = { { TL_KERNEL_AUTO, TL_INTERPOLATION_LINEAR,
                        TL_PRECISION_FULL, 1, TL_TUNING_SMALLEST },
                      "host-linear",
                      1 };
  tl_tuning_set (tuning, &row);
  row.asked.is_fourier = TRUE;
  row.variant = "host-fourier";
  row.gups = 1e6;
  tl_tuning_set (tuning, &row);
  tl_engine_set_tuning (engine, tuning);
}

/* Makes the slice of all that has come, as a command does. Returns: the variant
 * that made it */
static const char *
make (Growing *growing)
{
  TlReconFixture *fixture = &growing->fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlHeldWeights) weights = NULL;
  TlEngineReport report;
  TlReconTimes times;
  TlReader *reader = tl_held_open (growing->held, NULL, &weights, &error);
  g_assert_no_error (error);
  tl_recipe_resolve (fixture->recipe, tl_reader_get_info (reader), &error);
  g_assert_no_error (error);
  g_clear_pointer (&fixture->recon, tl_recon_free);
  fixture->recon = tl_recon_new (reader, fixture->engine);
  g_autoptr (TlFrame) frame G_GNUC_UNUSED =
      weights == NULL
          ? tl_recon_run (fixture->recon, fixture->recipe, ROW, 1, NULL, &error)
          : tl_growing_slice_make (growing->slice, fixture->recon,
                                   growing->held, weights, fixture->recipe,
                                   &times, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_engine_get_report (fixture->engine, &report, &error));
  return report.variant->name;
}

/* A scan is back-projected while it grows; the slice of the whole scan is made
 * as the engine prefers. */
static void
test_method (const char *engine)
{
  Growing growing;
  if (!g_str_equal (engine, "host") || !set_up (&growing, &cases[0], engine))
    return;
  prefer_fourier (growing.fixture.engine);
  take (&growing, N_FIRST);
  g_assert_cmpstr (make (&growing), ==, "host-linear");
  take (&growing, N_MORE);
  g_assert_cmpstr (make (&growing), ==, "host-linear");
  assert_added (&growing);
  tl_recon_fixture_set (&growing.fixture, "method", "fourier");
  g_assert_cmpstr (make (&growing), ==, "host-fourier");
  tl_recon_fixture_set (&growing.fixture, "method", "auto");
  tl_held_end (growing.held);
  g_assert_cmpstr (make (&growing), ==, "host-fourier");
  tear_down (&growing);
}

typedef struct
{
  const Case *c; /* (nullable) */
  void (*test) (const char *engine);
  const char *engine;
} Run;

static void
run (gconstpointer data)
{
  const Run *r = data;
  if (r->c != NULL)
    test_case (r->c, r->engine);
  else
    r->test (r->engine);
}

static void
add (const char *engine, const char *name, const Run *r)
{
  g_autofree char *path = g_strdup_printf ("/%s/growing/%s", engine, name);
  g_test_add_data_func_full (path, g_memdup2 (r, sizeof *r), run, g_free);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  g_test_init (&argc, &argv, NULL);
  for (size_t e = 0; e < G_N_ELEMENTS (engines); e++)
    {
      for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
        add (engines[e], cases[k].name,
             &(Run){ .c = &cases[k], .engine = engines[e] });
      add (engines[e], "anew",
           &(Run){ .test = test_anew, .engine = engines[e] });
      add (engines[e], "change",
           &(Run){ .test = test_change, .engine = engines[e] });
      add (engines[e], "method",
           &(Run){ .test = test_method, .engine = engines[e] });
      add (engines[e], "late-flats",
           &(Run){ .test = test_late_flats, .engine = engines[e] });
    }
  return g_test_run ();
}
