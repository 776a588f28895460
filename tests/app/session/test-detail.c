/* Sharp zoom: which part is made and when, and that it always matches the
 * picture below it. */
#include "app/session/session.h"

#include "app/recon/recon.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/wrapped.h"

#include <math.h>

/* Replaces a function of the program (see meson.build). */
static gint holds_details; /* atomic: details run until cancelled */
static gint n_held;        /* atomic */

/* Of a machine that makes whole pictures at once, and details later. */
static const TlPreviewScheduler without_detail = { .n_whole = 2,
                                                   .whole_sums_ms = 1e6 };
/* Of one that makes both at once. */
static const TlPreviewScheduler fast = { .n_whole = 2 };
/* Of one that reduces the whole picture by 8 and the detail by 3. */
static const TlPreviewScheduler slow = {
  .n_whole = 2, .whole_ms = 850, .whole_sums_ms = 850, .reduced_sums_ms = 850
};

TlFrame *
__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                              GCancellable *cancellable, GError **error)
{
  if (params->grid.pitch < 1 && g_atomic_int_get (&holds_details))
    {
      g_atomic_int_inc (&n_held);
      tl_wait_for_cancelling (cancellable);
    }
  return __real_tl_engine_reconstruct (engine, params, cancellable, error);
}

/* Two pixels of the screen per pixel of the picture; every other one coincides
 * with a pixel of the picture. */
static const TlVisible visible = {
  .row = 10, .col = 20, .pitch = 0.5, .n_rows = 30, .n_cols = 41
};

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  g_atomic_int_set (&holds_details, FALSE);
  g_atomic_int_set (&n_held, 0);
  tl_fixture_set_up (fixture, data);
  tl_session_pretend (fixture->session, &without_detail);
  tl_fixture_open_scan (fixture);
}

static void
set_flag (gboolean *flag)
{
  *flag = TRUE;
}

/* Runs the main loop until @property is notified. */
static void
wait_for (TlSession *session, const char *property)
{
  TlDisplay *display = session->display;
  g_autofree char *name = g_strconcat ("notify::", property, NULL);
  gboolean is_there = FALSE;
  const gulong handler = g_signal_connect_swapped (
      display, name, G_CALLBACK (set_flag), &is_there);
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  while (!is_there)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
  g_signal_handler_disconnect (display, handler);
}

/* Asserts that pixels at the same position are equal in the detail and the
 * picture. */
static void
assert_detail (TlSession *session)
{
  TlDisplay *display = session->display;
  TlFrame *detail = tl_display_get_detail (display);
  TlFrame *whole = tl_display_get_frame (display);
  double row, col, pitch;
  g_assert_nonnull (detail);
  g_assert_cmpuint (tl_frame_get_n_rows (detail), ==, 30);
  g_assert_cmpuint (tl_frame_get_n_cols (detail), ==, 41);
  g_assert_cmpuint (tl_frame_get_n_cols (whole), ==, N_COLS);
  tl_display_get_detail_place (display, &row, &col, &pitch);
  g_assert_cmpfloat (row, ==, 10);
  g_assert_cmpfloat (col, ==, 20);
  g_assert_cmpfloat (pitch, ==, 0.5);
  for (size_t i = 0; i < 15; i++)
    for (size_t j = 0; j < 21; j++)
      g_assert_cmpfloat_with_epsilon (
          tl_frame_get_pixels (detail)[2 * i * 41 + 2 * j],
          tl_frame_get_pixels (whole)[(10 + i) * N_COLS + 20 + j], 1e-6);
}

/* Recipe, histogram and pixel values remain those of the whole picture. */
static void
test_zoom (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  const TlRecipe *recipe = tl_parameters_get_recipe (parameters);
  float before, after, min, max;
  size_t n, total = 0;
  g_assert_true (tl_display_read_pixel (display, 12, 21, &before));
  tl_display_set_visible (display, &visible);
  wait_for (session, "detail");
  assert_detail (session);
  g_assert_true (tl_display_read_pixel (display, 12, 21, &after));
  g_assert_cmpfloat (before, ==, after);
  const guint32 *histogram = tl_display_get_histogram (display, &n, &min, &max);
  for (size_t k = 0; k < n; k++)
    total += histogram[k];
  g_assert_cmpuint (total, ==, N_COLS * N_COLS);

  g_object_set (display, "sharp-zoom", FALSE, NULL);
  wait_for (session, "detail");
  g_assert_null (tl_display_get_detail (display));
  g_object_set (display, "sharp-zoom", TRUE, NULL);
  wait_for (session, "detail");
  assert_detail (session);
  g_assert_true (tl_parameters_get_recipe (parameters) == recipe);
  g_assert_cmpuint (fixture->n_frames, ==, 1);

  TlVisible whole = visible;
  whole.pitch = 1;
  tl_display_set_visible (display, &whole);
  wait_for (session, "detail");
  g_assert_null (tl_display_get_detail (display));
}

/* The detail covers only the picture, up to its edges. */
static void
test_edges (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlVisible wide = {
    .row = -3, .col = 50, .pitch = 0.25, .n_rows = 40, .n_cols = 100
  };
  double row, col, pitch;
  tl_display_set_visible (display, &wide);
  wait_for (session, "detail");
  TlFrame *detail = tl_display_get_detail (display);
  tl_display_get_detail_place (display, &row, &col, &pitch);
  g_assert_cmpfloat (row, ==, -0.5);
  g_assert_cmpfloat (col, ==, 50);
  g_assert_cmpuint (tl_frame_get_n_rows (detail), ==, 30);
  /* from 50 to 60.5 */
  g_assert_cmpuint (tl_frame_get_n_cols (detail), ==, 43);
  wide.row = 100;
  tl_display_set_visible (display, &wide);
  wait_for (session, "detail");
  g_assert_null (tl_display_get_detail (display));
}

/* On a fast machine each picture of a drag has its own detail. */
static void
test_together (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_session_pretend (session, &fast);
  tl_display_set_visible (session->display, &visible);
  wait_for (session, "detail");
  for (guint k = 0; k < 5; k++)
    {
      tl_parameters_set_slice (session->parameters, k);
      wait_for (session, "frame");
      assert_detail (session);
    }
}

/* On a slow machine a preview has a coarse detail of the same part, and the
 * whole picture has a sharp one. */
static void
test_preview (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  double row, col, pitch;
  tl_display_set_visible (display, &visible);
  wait_for (session, "detail");
  tl_session_pretend (session, &slow);
  tl_parameters_set_slice (session->parameters, 3);
  wait_for (session, "frame");
  g_assert_true (tl_display_shows_preview (display));
  TlFrame *detail = tl_display_get_detail (display);
  g_assert_cmpuint (tl_frame_get_n_rows (detail), ==, 10);
  g_assert_cmpuint (tl_frame_get_n_cols (detail), ==, 13);
  tl_display_get_detail_place (display, &row, &col, &pitch);
  g_assert_cmpfloat (pitch, ==, 1.5);
  g_assert_cmpfloat (row - pitch / 2, ==, 10 - 0.5 / 2);
  g_assert_cmpfloat (col - pitch / 2, ==, 20 - 0.5 / 2);
  tl_session_wait_for (session, "busy", FALSE);
  assert_detail (session);
  tl_session_assert_shown (session, fixture->scan, "3", "30");
}

/* A request for a picture cancels a running detail, which is not shown. */
static void
test_gives_way (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  g_atomic_int_set (&holds_details, TRUE);
  tl_display_set_visible (display, &visible);
  while (g_atomic_int_get (&n_held) == 0)
    g_main_context_iteration (NULL, FALSE);
  tl_parameters_set_slice (session->parameters, 5);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_null (tl_display_get_detail (display));
  g_atomic_int_set (&holds_details, FALSE);
  wait_for (session, "detail");
  assert_detail (session);
  tl_session_assert_message (session, NULL);
}

/* A detail requested before the picture changed is not shown. */
static void
test_stale (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_display_set_visible (display, &visible);
  wait_for (session, "detail");
  g_autoptr (TlReply) reply = g_new0 (TlReply, 1);
  TlFrame *detail = tl_display_get_detail (display);
  reply->kind = TL_JOB_DETAIL;
  reply->serial = tl_requests_get_newest (session->requests) + 1;
  reply->detail = tl_frame_ref (tl_display_get_frame (display));
  tl_session_take_reply (reply, session);
  g_assert_true (tl_display_get_detail (display) == detail);
}

/* The cost of fast precision is shown without a detail. */
static void
test_cost (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_display_set_visible (display, &visible);
  wait_for (session, "detail");
  tl_display_set_precision_cost (display, TRUE);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (tl_display_shows_differences (display));
  g_assert_null (tl_display_get_detail (display));
  tl_display_set_precision_cost (display, FALSE);
  wait_for (session, "detail");
  assert_detail (session);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/detail/zoom", test_zoom },
    { "/detail/edges", test_edges },
    { "/detail/together", test_together },
    { "/detail/preview", test_preview },
    { "/detail/gives-way", test_gives_way },
    { "/detail/stale", test_stale },
    { "/detail/cost", test_cost },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
