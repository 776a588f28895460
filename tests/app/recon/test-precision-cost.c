/* The cost of fast precision: figures, words, and the session that shows them.
 * Both precisions are equal on host, so a known error is added to its fast
 * results. */
#include "app/recon/precision-cost.h"
#include "data/error.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/compare.h"
#include "tests/support/wrapped.h"

#include <math.h>
#include <string.h>

#define ERROR_ROW 7
#define ERROR_COL 12
#define ERROR_SIZE 0.25f /* exact in float for all values here */

/* Replaces the engine's function (see meson.build). */
static gint refuse_fast; /* atomic */
static gint refuse_next; /* atomic: with a lost device */

TlFrame *
__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                              GCancellable *cancellable, GError **error)
{
  const gboolean is_fast = params->precision == TL_PRECISION_FAST;
  if (is_fast && g_atomic_int_get (&refuse_fast))
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
                           "there is no such kernel");
      return NULL;
    }
  if (g_atomic_int_compare_and_exchange (&refuse_next, TRUE, FALSE))
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_DEVICE, "it is gone");
      return NULL;
    }
  TlFrame *frame =
      __real_tl_engine_reconstruct (engine, params, cancellable, error);
  if (frame != NULL && is_fast && !tl_frame_is_on_device (frame))
    {
      float *pixels = (float *)tl_frame_get_pixels (frame);
      pixels[ERROR_ROW * tl_frame_get_n_cols (frame) + ERROR_COL] += ERROR_SIZE;
    }
  return frame;
}

/* --- one reconstruction --- */

/* Runs the middle row of the fixture's scan. */
static TlFrame *
run_on (const char *engine_name, const char *path, const char *precision,
        TlPrecisionCost *cost, GError **error)
{
  g_autoptr (TlEngine) engine = tl_engine_open (engine_name, error);
  if (engine == NULL)
    return NULL;
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  TlReader *reader = tl_reader_open (path, NULL, NULL);
  g_autoptr (TlRecon) recon = tl_recon_new (reader, engine);
  g_assert_true (tl_recipe_set (recipe, "precision", precision, NULL));
  g_assert_true (tl_recipe_resolve (recipe, tl_reader_get_info (reader), NULL));
  return tl_precision_cost_run (recon, recipe, recipe->slice, NULL, cost,
                                error);
}

static TlFrame *
run (const char *path, const char *precision, TlPrecisionCost *cost,
     GError **error)
{
  return run_on ("host", path, precision, cost, error);
}

static void
assert_cost (const TlPrecisionCost *cost, const float *full)
{
  const float *map = tl_frame_get_pixels (cost->map);
  double sum_2 = 0;
  for (size_t i = 0; i < N_COLS * N_COLS; i++)
    {
      sum_2 += (double)full[i] * full[i];
      if (i == ERROR_ROW * N_COLS + ERROR_COL)
        g_assert_cmpfloat_with_epsilon (map[i], ERROR_SIZE, 1e-6);
      else
        g_assert_cmpfloat (map[i], ==, 0);
    }
  g_assert_cmpfloat_with_epsilon (cost->figures.relative_l2,
                                  ERROR_SIZE / sqrt (sum_2),
                                  1e-6 * ERROR_SIZE / sqrt (sum_2));
  g_assert_cmpfloat (cost->figures.max, ==,
                     map[ERROR_ROW * N_COLS + ERROR_COL]);
  g_assert_cmpuint (cost->figures.row, ==, ERROR_ROW);
  g_assert_cmpuint (cost->figures.col, ==, ERROR_COL);
  g_assert_cmpfloat (cost->stats.max, ==, cost->figures.max);
}

/* The map is fast - full for either requested precision, and the returned slice
 * has the requested one. */
static void
test_run (TlFixture *fixture, gconstpointer data)
{
  g_auto (TlPrecisionCost) of_full = { 0 };
  g_auto (TlPrecisionCost) of_fast = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) full = run (fixture->scan, "full", &of_full, &error);
  g_assert_no_error (error);
  g_autoptr (TlFrame) fast = run (fixture->scan, "fast", &of_fast, &error);
  g_assert_no_error (error);
  const float *pixels = tl_frame_get_pixels (full);
  assert_cost (&of_full, pixels);
  assert_cost (&of_fast, pixels);
  const size_t worst = ERROR_ROW * N_COLS + ERROR_COL;
  g_assert_cmpfloat (tl_frame_get_pixels (fast)[worst], !=, pixels[worst]);
  g_assert_cmpstr (of_full.full, ==, of_fast.full);
  g_assert_cmpstr (of_full.fast, ==, of_fast.fast);
  g_assert_cmpstr (of_full.full, !=, of_full.fast);
}

static void
test_run_refused (TlFixture *fixture, gconstpointer data)
{
  TlPrecisionCost cost = { 0 };
  g_autoptr (GError) error = NULL;
  g_atomic_int_set (&refuse_fast, TRUE);
  g_assert_null (run (fixture->scan, "full", &cost, &error));
  g_atomic_int_set (&refuse_fast, FALSE);
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "cannot be measured"));
  g_assert_null (cost.map);
}

/* Reports the error of the device's own fast precision. */
static void
test_device (TlFixture *fixture, gconstpointer data)
{
  g_auto (TlPrecisionCost) cost = { 0 };
  g_auto (TlPrecisionCost) again = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) full =
      run_on ("cuda", fixture->scan, "full", &cost, &error);
  if (full == NULL)
    {
      g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
      g_test_skip (error->message);
      return;
    }
  g_autoptr (TlFrame) fast =
      run_on ("cuda", fixture->scan, "fast", &again, &error);
  g_assert_no_error (error);
  g_assert_nonnull (fast);
  g_test_message ("%s and %s", cost.full, cost.fast);
  /* for a small slice one variant may serve both */
  g_assert_cmpint (cost.figures.relative_l2 > 0, ==,
                   strcmp (cost.full, cost.fast) != 0);
  g_assert_cmpfloat (cost.figures.relative_l2, <, TL_TOLERANCE_EIGHT_BITS);
  /* The pictures are equal bit for bit, but sums over their pixels are not. */
  g_assert_cmpfloat (
      fabs (again.figures.relative_l2 - cost.figures.relative_l2), <=,
      1e-6 * cost.figures.relative_l2);
  g_assert_null (tl_frame_get_pixels (cost.map));
}

static void
test_words (void)
{
  static const struct
  {
    TlComparison figures;
    const char *says;
  } cases[] = {
    { { .relative_l2 = 6.2e-4,
        .deviation = 5.1e-3,
        .max = 3.1e-5f,
        .row = 700,
        .col = 12 },
      "fast precision differs from full by 6.2e-04 (relative L2), at most "
      "3.1e-05 at column 12, row 700; the picture's standard deviation is "
      "5.1e-03" },
    { { .deviation = 1 },
      "fast precision has no error here: b gives the same as a in every "
      "pixel" },
    { { .relative_l2 = INFINITY, .max = 1, .n_left_out = 3 },
      "fast precision differs from full, which is 0 everywhere, at most "
      "1.0e+00 "
      "at column 0, row 0; the picture's standard deviation is 0.0e+00; 3 "
      "pixels that are no finite numbers are left out" },
    { { .relative_l2 = NAN, .n_left_out = 9 },
      "fast and full precision cannot be compared: no pixel is a finite "
      "number" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      const TlPrecisionCost cost = { .figures = cases[k].figures,
                                     .full = "a",
                                     .fast = "b" };
      g_autofree char *words = tl_precision_cost_describe (&cost);
      g_assert_cmpstr (words, ==, cases[k].says);
    }
}

/* --- the session --- */

static void
assert_shown (TlFixture *fixture, gboolean is_map)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  g_autofree char *caption = NULL;
  float value;
  g_object_get (display, "caption", &caption, NULL);
  g_assert_cmpint (tl_display_shows_differences (display), ==, is_map);
  g_assert_cmpint (caption != NULL, ==, is_map);
  if (!is_map)
    return;
  g_assert_nonnull (strstr (caption, "differs from full"));
  g_assert_true (
      tl_display_read_pixel (session->display, ERROR_ROW, ERROR_COL, &value));
  g_assert_cmpfloat_with_epsilon (value, ERROR_SIZE, 1e-6);
  g_assert_true (tl_display_read_pixel (display, 0, 0, &value));
  g_assert_cmpfloat (value, ==, 0);
}

static void
assert_wanted (TlFixture *fixture, gboolean wanted)
{
  gboolean is_wanted;
  g_object_get (fixture->session->display, "precision-cost", &is_wanted, NULL);
  g_assert_cmpint (is_wanted, ==, wanted);
}

static void
show (TlFixture *fixture)
{
  g_object_set (fixture->session->display, "precision-cost", TRUE, NULL);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  assert_wanted (fixture, TRUE);
  assert_shown (fixture, TRUE);
}

static void
test_show (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  float min, max;
  size_t n;
  tl_fixture_open_scan (fixture);
  show (fixture);
  g_assert_nonnull (tl_display_get_histogram (display, &n, &min, &max));
  g_assert_cmpfloat (min, ==, 0);
  g_assert_cmpfloat_with_epsilon (max, ERROR_SIZE, 1e-6);
  /* This takes effect at once, without any computation. */
  const guint n_frames = fixture->n_frames;
  g_object_set (display, "precision-cost", FALSE, NULL);
  g_assert_cmpuint (fixture->n_frames, ==, n_frames + 1);
  assert_wanted (fixture, FALSE);
  assert_shown (fixture, FALSE);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  tl_session_assert_message (session, NULL);
}

static void
test_left_by_parameter (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  show (fixture);
  tl_parameters_set_slice (session->parameters, 3);
  assert_wanted (fixture, FALSE);
  assert_shown (fixture, FALSE); /* still the old slice */
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, fixture->scan, "3", "30");
  /* Opening another scan ends it too, even a missing one. */
  show (fixture);
  tl_session_open (session, "missing.h5");
  assert_wanted (fixture, FALSE);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "missing.h5");
  tl_session_assert_shown (session, fixture->scan, "3", "30");
}

/* Newer requests replace the cost. The cost replaces older requests, whose
 * slice is still made. */
static void
test_newest_wins (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  for (int k = 0; k < 20; k++)
    {
      tl_display_set_precision_cost (display, TRUE);
      tl_parameters_set_centre (parameters, 25 + k / 10.);
    }
  tl_parameters_set_centre (parameters, 28.25);
  tl_session_wait_for (session, "busy", FALSE);
  assert_wanted (fixture, FALSE);
  assert_shown (fixture, FALSE);
  tl_session_assert_shown (session, fixture->scan, "9", "28.25");

  tl_parameters_set_slice (parameters, 4);
  tl_parameters_set_centre (parameters, 29.5);
  show (fixture);
  tl_display_set_precision_cost (display, FALSE);
  tl_session_assert_shown (session, fixture->scan, "4", "29.5");
}

/* If the cost is cancelled before it is finished, the request that it replaced
 * is made. */
static void
test_cancelled (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_centre (session->parameters, 27);
  tl_display_set_precision_cost (display, TRUE);
  tl_display_set_precision_cost (display, FALSE);
  tl_session_wait_for (session, "busy", FALSE);
  assert_shown (fixture, FALSE);
  tl_session_assert_shown (session, fixture->scan, "9", "27");
  tl_session_assert_message (session, NULL);
  /* The reply to the first request is not taken for one to the second. */
  tl_display_set_precision_cost (display, TRUE);
  tl_display_set_precision_cost (display, FALSE);
  show (fixture);
}

static void
test_refused (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_display_set_precision_cost (display, TRUE);
  assert_wanted (fixture, FALSE);
  tl_session_assert_message (session, "no scan is open");
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&refuse_fast, TRUE);
  tl_parameters_set_centre (session->parameters, 27);
  tl_display_set_precision_cost (display, TRUE);
  tl_session_wait_for (session, "busy", FALSE);
  g_atomic_int_set (&refuse_fast, FALSE);
  tl_session_assert_message (session, "cannot be measured");
  assert_wanted (fixture, FALSE);
  tl_session_assert_shown (session, fixture->scan, "9", "27");
}

/* After a lost device a new engine computes the cost; a lost host engine is not
 * reported. */
static void
test_lost_device (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&refuse_next, TRUE);
  show (fixture);
  tl_session_assert_message (fixture->session, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/precision-cost/words", test_words);
#define ADD(name, test)                                                        \
  g_test_add ("/precision-cost/" name, TlFixture, NULL, tl_fixture_set_up,     \
              test, tl_fixture_tear_down)
  ADD ("run", test_run);
  ADD ("run-refused", test_run_refused);
  ADD ("device", test_device);
  ADD ("show", test_show);
  ADD ("left-by-parameter", test_left_by_parameter);
  ADD ("newest-wins", test_newest_wins);
  ADD ("cancelled", test_cancelled);
  ADD ("refused", test_refused);
  ADD ("lost-device", test_lost_device);
#undef ADD
  return g_test_run ();
}
