/* The axis map in a session: measured while its page is shown, accepted in one
 * step of the history. */
#include "app/axis/map.h"

#include "app/axis/height.h"
#include "app/axis/overlay/overlay.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/watchdog.h"

#include <math.h>
#include <string.h>

enum
{
  N_MAP_ROWS = 64,
  N_MAP_COLS = 96,
  N_MAP_PROJECTIONS = 90
};

#define CENTRE_COL 49.3

/* Replaces a function of the program (see meson.build): a row may run until
 * cancelled. */
gboolean __real_tl_axis_measure_row (TlEngine *engine, const TlCentreRow *row,
                                     const TlAxisQuestion *question,
                                     GCancellable *cancellable,
                                     TlAxisPoint *point,
                                     TlCentreEstimate *curve, GError **error);
gboolean __wrap_tl_axis_measure_row (TlEngine *engine, const TlCentreRow *row,
                                     const TlAxisQuestion *question,
                                     GCancellable *cancellable,
                                     TlAxisPoint *point,
                                     TlCentreEstimate *curve, GError **error);
static gint holds;     /* atomic */
static gint pause_ms;  /* atomic: extra time for each row */
static gint n_begun;   /* atomic */
static gint n_at_work; /* atomic */
static gint too_many;  /* atomic: more than two rows ran at a time */

gboolean
__wrap_tl_axis_measure_row (TlEngine *engine, const TlCentreRow *row,
                            const TlAxisQuestion *question,
                            GCancellable *cancellable, TlAxisPoint *point,
                            TlCentreEstimate *curve, GError **error)
{
  g_atomic_int_inc (&n_begun);
  if (g_atomic_int_add (&n_at_work, 1) >= 2)
    g_atomic_int_set (&too_many, TRUE);
  g_usleep ((gulong)g_atomic_int_get (&pause_ms) * 1000);
  if (g_atomic_int_get (&holds))
    tl_wait_for_cancelling (cancellable);
  const gboolean good = __real_tl_axis_measure_row (
      engine, row, question, cancellable, point, curve, error);
  g_atomic_int_add (&n_at_work, -1);
  return good;
}

static void
make (TlFixture *fixture, double tilt_deg)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, N_MAP_PROJECTIONS, N_MAP_ROWS, N_MAP_COLS);
  scan.centre_col = CENTRE_COL;
  scan.tilt_deg = tilt_deg;
  scan.noise_counts = 20000;
  g_free (fixture->scan);
  fixture->scan = tl_scratch_path (fixture->folder, "leaning.h5");
  tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_fixture_open_scan (fixture);
}

static guint
count_known (TlAxisMap *map)
{
  size_t n_rows, n_cols;
  guint n, n_known;
  return tl_axis_map_get_size (map, &n_rows, &n_cols, &n, &n_known) ? n_known
                                                                    : 0;
}

static void
wait_for_map (TlAxisMap *map)
{
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  gboolean is_busy;
  tl_watchdog_start ();
  for (g_object_get (map, "busy", &is_busy, NULL);
       is_busy || count_known (map) == 0;
       g_object_get (map, "busy", &is_busy, NULL))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpfloat (tl_watchdog_stop (), <,
                     TL_WATCHDOG_MAX_MS * tl_watchdog_measure_slowness ());
  g_source_remove (id);
}

static double
get_tilt (TlSession *session)
{
  g_autofree char *text =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "tilt");
  return g_ascii_strtod (text, NULL);
}

/* While rows are measured, the words say how long it will take. */
static void
test_time_left (TlFixture *fixture, gconstpointer data)
{
  make (fixture, 0.3);
  TlAxisMap *map = tl_session_get_axis_map (fixture->session);
  g_autofree char *left = NULL;
  g_atomic_int_set (&pause_ms, 500);
  tl_display_set_page (fixture->session->display, TL_PAGE_AXIS);
  while (count_known (map) < 1)
    g_main_context_iteration (NULL, TRUE);
  const gint64 begin_us = g_get_monotonic_time ();
  while (left == NULL)
    {
      g_main_context_iteration (NULL, TRUE);
      left = tl_axis_map_dup_time_left (map);
    }
  g_assert_cmpint (g_get_monotonic_time () - begin_us, >, 1500 * 1000);
  g_autofree char *words = tl_axis_map_dup_consequence (map);
  g_test_message ("%s", words);
  g_assert_true (g_str_has_prefix (words, "Measuring rows, "));
  g_assert_nonnull (strstr (words, ", about "));
  g_atomic_int_set (&pause_ms, 0);
  wait_for_map (map);
  g_autofree char *then = tl_axis_map_dup_consequence (map);
  g_assert_null (strstr (then, "about "));
}

/* Rows are measured only while the page is shown. */
static void
test_shown (TlFixture *fixture, gconstpointer data)
{
  make (fixture, 0.3);
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  TlAxisMap *map = tl_session_get_axis_map (session);
  for (guint k = 0; k < 200; k++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (count_known (map), ==, 0);
  g_assert_false (tl_axis_map_can_accept (map));
  g_assert_true (isnan (tl_axis_map_get_fitted_col (map, 3)));
  g_autofree char *move = tl_session_dup_axis_move (session);
  g_assert_cmpstr (move, ==, "");
  tl_axis_map_accept (map); /* has no effect yet */
  g_assert_cmpfloat (get_tilt (session), ==, 0);

  /* Slow enough to leave the page before all rows are measured. */
  g_atomic_int_set (&pause_ms, 100);
  tl_display_set_page (display, TL_PAGE_AXIS);
  /* Two rows run at a time, and the first one may finish later. */
  while (count_known (map) < 3 || tl_axis_map_get_point (map, 0) == NULL)
    g_main_context_iteration (NULL, TRUE);
  /* The first rows are spread over the height, so there is a line. */
  g_assert_nonnull (tl_axis_map_get_line (map));
  tl_display_set_page (display, TL_PAGE_PICTURE);
  const guint n_before = count_known (map);
  for (guint k = 0; k < 50; k++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (2000);
    }
  /* Rows in progress are finished, and no others are started. */
  g_assert_cmpuint (count_known (map), <=, n_before + 3);
  g_assert_cmpuint (count_known (map), <, 32);
  g_atomic_int_set (&pause_ms, 0);
  tl_display_set_page (display, TL_PAGE_AXIS);
  wait_for_map (map);
  g_assert_cmpuint (count_known (map), ==, 32);

  /* The results are kept */
  tl_display_set_page (display, TL_PAGE_PICTURE);
  tl_display_set_page (display, TL_PAGE_AXIS);
  g_assert_cmpuint (count_known (map), ==, 32);
  tl_parameters_set_slice (parameters, 5);
  g_assert_true (tl_parameters_set (parameters, "filter", "hann", NULL));
  g_assert_true (tl_parameters_set (parameters, "engine", "auto", NULL));
  tl_parameters_set_centre (parameters, 47);
  g_assert_cmpuint (count_known (map), ==, 32);
  /* until a correction changes. */
  g_assert_true (tl_parameters_set (parameters, "rings", "sorting", NULL));
  g_assert_cmpuint (count_known (map), <, 32);
  wait_for_map (map);
  tl_axis_map_set_rows (map, 9);
  g_assert_cmpuint (count_known (map), ==, 0);
  wait_for_map (map);
  g_assert_cmpuint (count_known (map), ==, 9);
}

/* While a correction is dragged, outdated measurements are cancelled, and at
 * most two rows run at a time. */
static void
test_cancelled (TlFixture *fixture, gconstpointer data)
{
  static const char *const rings[] = { "sorting", "off", "sorting", "off" };
  make (fixture, 0.3);
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlAxisMap *map = tl_session_get_axis_map (session);
  g_atomic_int_set (&n_begun, 0);
  g_atomic_int_set (&too_many, FALSE);
  g_atomic_int_set (&holds, TRUE);
  tl_display_set_page (display, TL_PAGE_AXIS);
  for (guint k = 0; k < G_N_ELEMENTS (rings); k++)
    {
      while (g_atomic_int_get (&n_begun) < 2 * ((int)k + 1))
        g_main_context_iteration (NULL, FALSE);
      g_assert_true (
          tl_parameters_set (session->parameters, "rings", rings[k], NULL));
    }
  g_atomic_int_set (&holds, FALSE);
  tl_display_set_page (display, TL_PAGE_PICTURE);
  tl_axis_map_set_rows (map, 9);
  tl_display_set_page (display, TL_PAGE_AXIS);
  wait_for_map (map);
  g_assert_cmpuint (count_known (map), ==, 9);
  g_assert_false (g_atomic_int_get (&too_many));
  g_assert_null (tl_axis_map_get_problem (map));
}

static void
count_change (GObject *object, GParamSpec *pspec, guint *n)
{
  ++*n;
}

/* Changing the page is notified once. */
static void
test_page (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  guint n_changes = 0;
  tl_fixture_open_scan (fixture);
  tl_display_set_page (display, TL_PAGE_CANDIDATES);
  g_signal_connect (display, "notify::picture", G_CALLBACK (count_change),
                    &n_changes);
  tl_display_set_page (display, TL_PAGE_AXIS);
  g_assert_cmpuint (n_changes, ==, 1);
  tl_display_set_page (display, TL_PAGE_AXIS);
  g_assert_cmpuint (n_changes, ==, 1);
  tl_display_set_page (display, TL_PAGE_PICTURE);
  g_assert_cmpuint (n_changes, ==, 2);
  g_signal_handlers_disconnect_by_data (session->display, &n_changes);
}

/* Accepting sets centre and tilt in one step of the history, and undo restores
 * both. */
static void
test_accept (TlFixture *fixture, gconstpointer data)
{
  const double tilt_deg = *(const double *)data;
  make (fixture, tilt_deg);
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlAxisMap *map = tl_session_get_axis_map (session);
  tl_parameters_set_centre (parameters, 46.5);
  tl_display_set_page (session->display, TL_PAGE_AXIS);
  wait_for_map (map);
  const guint n_steps =
      tl_history_get_length (tl_parameters_get_history (parameters));
  const TlAxisLine *line = tl_axis_map_get_line (map);
  g_assert_nonnull (line);
  g_assert_true (tl_axis_map_can_accept (map));
  g_autofree char *text = tl_axis_map_dup_text (map);
  g_autofree char *then = tl_axis_map_dup_consequence (map);
  g_test_message ("%s; %s", text, then);
  g_assert_nonnull (strstr (text, "32 rows"));
  g_autofree char *boundary = g_strdup_printf (
      "%.2f (boundary %.2f)", line->centre_col, line->centre_col + 0.5);
  g_assert_nonnull (strstr (text, boundary));
  g_autofree char *move = tl_session_dup_axis_move (session);
  g_test_message ("%s", move);
  g_assert_true (g_str_has_prefix (move, "Move the stage by −"));
  g_assert_nonnull (strstr (move, " µm ± "));
  g_assert_nonnull (
      strstr (move, line->tilt_deg > 0 ? "roll by −" : "roll by +"));
  g_assert_cmpfloat_with_epsilon (line->tilt_deg, tilt_deg,
                                  3 * line->tilt_uncertainty_deg);
  /* The line is at the true axis, and the present axis is elsewhere. */
  g_assert_cmpfloat_with_epsilon (tl_axis_map_get_fitted_col (map, 31.5),
                                  CENTRE_COL, 0.15);
  g_assert_cmpfloat (tl_axis_map_get_present_col (map, 3), ==, 46.5);

  tl_axis_map_accept (map);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==,
      n_steps + 1);
  g_assert_cmpfloat_with_epsilon (get_tilt (session), tilt_deg, 0.15);
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  CENTRE_COL, 0.15);
  wait_for_map (map);
  /* The tilt that remains in the projections corrected by the accepted tilt. */
  const double accepted_deg = get_tilt (session);
  line = tl_axis_map_get_line (map);
  g_test_message ("accepted %.3f, then %.3f +- %.3f", accepted_deg,
                  line->tilt_deg, line->tilt_uncertainty_deg);
  g_assert_cmpfloat_with_epsilon (line->tilt_deg, tilt_deg,
                                  3 * line->tilt_uncertainty_deg);
  g_assert_cmpfloat_with_epsilon (line->tilt_deg, accepted_deg, 0.15);
  const gboolean is_turned = tl_axis_map_get_turned_back (map) != 0;
  g_assert_true (is_turned == (fabs (accepted_deg) > 0.61));
  const double lean = tl_axis_map_get_fitted_col (map, 63)
                      - tl_axis_map_get_fitted_col (map, 0);
  g_assert_cmpfloat_with_epsilon (
      lean, is_turned ? 0 : 63 * tan (tilt_deg * G_PI / 180), 0.15);
  g_assert_cmpfloat_with_epsilon (tl_axis_map_get_fitted_col (map, 20),
                                  tl_axis_map_get_present_col (map, 20), 0.1);

  tl_parameters_undo (parameters);
  g_assert_cmpfloat (get_tilt (session), ==, 0);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 46.5);
}

/* Of a straight axis the centre alone is taken. */
static void
test_straight (TlFixture *fixture, gconstpointer data)
{
  make (fixture, 0);
  TlSession *session = fixture->session;
  TlAxisMap *map = tl_session_get_axis_map (session);
  tl_parameters_set_centre (session->parameters, 46.5);
  tl_display_set_page (session->display, TL_PAGE_AXIS);
  wait_for_map (map);
  g_assert_true (tl_axis_map_can_accept (map));
  const TlAxisLine *line = tl_axis_map_get_line (map);
  g_test_message ("%.3f +- %.3f", line->tilt_deg, line->tilt_uncertainty_deg);
  g_assert_cmpfloat (line->tilt_deg, !=, 0);
  g_autofree char *then = tl_axis_map_dup_consequence (map);
  g_assert_nonnull (strstr (then, "does not differ from zero"));
  tl_axis_map_accept (map);
  g_assert_cmpfloat (get_tilt (session), ==, 0);
  g_assert_cmpfloat_with_epsilon (
      tl_parameters_get_centre (session->parameters), CENTRE_COL, 0.15);
  wait_for_map (map);
  g_assert_true (tl_axis_map_agrees (map));
}

/* A present tilt that the line does not contradict stays to the last digit, and
 * the centre is the one that belongs to it. Words, advice and the line that is
 * drawn are those of the axis that is taken. */
static void
test_keep (TlFixture *fixture, gconstpointer data)
{
  make (fixture, 0.2);
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlAxisMap *map = tl_session_get_axis_map (session);
  tl_display_set_page (session->display, TL_PAGE_AXIS);
  wait_for_map (map);
  const TlAxisLine *line = tl_axis_map_get_line (map);
  const double kept_deg = line->tilt_deg + 1.5 * line->tilt_uncertainty_deg;
  g_test_message ("%.3f +- %.3f, kept %.3f", line->tilt_deg,
                  line->tilt_uncertainty_deg, kept_deg);
  g_assert_true (tl_parameters_set_axis (parameters, 46.5, kept_deg));
  g_autofree char *then = tl_axis_map_dup_consequence (map);
  g_assert_nonnull (strstr (then, "does not differ from the present one of "));
  g_assert_nonnull (strstr (then, "only its centre is taken"));
  g_autofree char *move = tl_session_dup_axis_move (session);
  tl_axis_map_accept (map);
  const TlParams *params = &tl_parameters_get_recipe (parameters)->params;
  g_assert_cmpfloat (params->tilt_deg, ==, kept_deg);
  g_assert_cmpfloat_with_epsilon (
      params->centre_col, tl_axis_line_get_centre (line, kept_deg), 0.001);
  g_assert_true (tl_axis_map_agrees (map));
  g_autofree char *present_move =
      tl_overlay_describe_move (tl_session_get_overlay (session));
  g_assert_cmpstr (present_move, ==, move);
  for (double row = 0; row < N_MAP_ROWS; row += 9)
    g_assert_cmpfloat_with_epsilon (tl_axis_map_get_fitted_col (map, row),
                                    tl_axis_map_get_present_col (map, row),
                                    0.001);

  /* The line contradicts this tilt, and does not differ from zero. */
  tl_parameters_undo (parameters);
  g_assert_true (tl_parameters_set_axis (
      parameters, 46.5, line->tilt_deg - 3 * line->tilt_uncertainty_deg));
  const double proposal_deg = tl_axis_line_get_proposal (line, 0);
  g_autofree char *then_away = tl_axis_map_dup_consequence (map);
  g_test_message ("%s", then_away);
  g_assert_true ((strstr (then_away, "the tilt becomes zero") != NULL)
                 == (proposal_deg == 0));
  tl_axis_map_accept (map);
  g_assert_cmpfloat_with_epsilon (get_tilt (session), proposal_deg, 1e-4);
}

/* A map that outlives its session keeps its results and does no further work.
 */
static void
test_outlives (TlFixture *fixture, gconstpointer data)
{
  make (fixture, 0.3);
  g_autoptr (TlAxisMap) map =
      g_object_ref (tl_session_get_axis_map (fixture->session));
  size_t n_rows, n_cols;
  guint n, n_known;
  tl_display_set_page (fixture->session->display, TL_PAGE_AXIS);
  while (count_known (map) < 3)
    g_main_context_iteration (NULL, TRUE);
  g_assert_finalize_object (fixture->session);
  g_assert_false (tl_axis_map_get_size (map, &n_rows, &n_cols, &n, &n_known));
  g_assert_false (tl_axis_map_is_shown (map) || tl_axis_map_can_accept (map)
                  || tl_axis_map_agrees (map));
  g_assert_cmpfloat (tl_axis_map_get_turned_back (map), ==, 0);
  g_assert_true (isnan (tl_axis_map_get_fitted_col (map, 3))
                 && isnan (tl_axis_map_get_present_col (map, 3)));
  g_autofree char *text = tl_axis_map_dup_text (map);
  g_autofree char *then = tl_axis_map_dup_consequence (map);
  g_assert_cmpstr (text, ==, "No tilt yet");
  g_assert_cmpstr (then, ==, "");
  tl_axis_map_accept (map);
  tl_axis_map_set_rows (map, 9);
  g_assert_cmpuint (tl_axis_map_get_rows (map), ==, 9);
  fixture->session = tl_session_new ();
}

/* If there is no line, no tilt is given, and the error is reported. */
static void
test_none (TlFixture *fixture, gconstpointer data)
{
  tl_scratch_images (fixture->folder, "p", 40, 6, 32, 0.5f);
  tl_session_open (fixture->session, fixture->folder);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  if (!tl_scan_source_is_open (fixture->session->source))
    g_error ("the images do not open");
  TlAxisMap *map = tl_session_get_axis_map (fixture->session);
  tl_display_set_page (fixture->session->display, TL_PAGE_AXIS);
  wait_for_map (map);
  g_assert_cmpuint (count_known (map), ==, 6);
  g_assert_false (tl_axis_map_can_accept (map));
  g_autofree char *then = tl_axis_map_dup_consequence (map);
  g_assert_nonnull (strstr (then, "0 of 6 rows"));
}

static void
test_failed (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_open_bad_row (fixture);
  TlAxisMap *map = tl_session_get_axis_map (fixture->session);
  tl_display_set_page (fixture->session->display, TL_PAGE_AXIS);
  while (tl_axis_map_get_problem (map) == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_autofree char *text = tl_axis_map_dup_text (map);
  g_test_message ("%s", text);
  g_assert_false (tl_axis_map_can_accept (map));
}

/* Opening another scan drops all results. */
static void
test_another (TlFixture *fixture, gconstpointer data)
{
  TlDisplay *display = fixture->session->display;
  make (fixture, 0.3);
  TlAxisMap *map = tl_session_get_axis_map (fixture->session);
  tl_display_set_page (display, TL_PAGE_AXIS);
  while (count_known (map) < 3)
    g_main_context_iteration (NULL, TRUE);
  g_autofree char *other = tl_scratch_phantom (fixture->folder, "other.h5",
                                               N_PROJECTIONS, N_ROWS, N_COLS);
  tl_session_open (fixture->session, other);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  if (tl_display_get_page (display) == TL_PAGE_AXIS)
    {
      size_t n_rows, n_cols;
      guint n, n_known;
      wait_for_map (map);
      g_assert_true (
          tl_axis_map_get_size (map, &n_rows, &n_cols, &n, &n_known));
      g_assert_cmpuint (n_cols, ==, N_COLS);
      g_assert_cmpuint (n, ==, N_ROWS);
    }
  else
    g_assert_false (tl_axis_map_can_accept (map));
}

/* No move of the stage is told from angles that the projections contradict. */
static void
test_angles (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, 31, N_MAP_ROWS, N_MAP_COLS);
  scan.angles_deg[1] = 180;
  scan.end_point = TRUE;
  scan.noise_counts = 0;
  g_free (fixture->scan);
  fixture->scan = tl_scratch_path (fixture->folder, "end.h5");
  tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_fixture_open_scan (fixture);
  TlSession *session = fixture->session;
  TlAxisMap *map = tl_session_get_axis_map (session);
  tl_display_set_page (session->display, TL_PAGE_AXIS);
  wait_for_map (map);
  g_autofree char *right = tl_session_dup_axis_move (session);
  g_assert_cmpstr (right, !=, "");
  tl_parameters_set (session->parameters, "angles", "0:174", &error);
  g_assert_no_error (error);
  tl_session_wait_for (session, "busy", FALSE);
  wait_for_map (map);
  g_assert_true (tl_axis_map_can_accept (map));
  g_autofree char *wrong = tl_session_dup_axis_move (session);
  g_assert_cmpstr (wrong, ==, "");
}

int
main (int argc, char **argv)
{
  static const double small_deg = 0.56, large_deg = -1.2;
  g_test_init (&argc, &argv, NULL);
#define ADD(path, data, func)                                                  \
  g_test_add ("/axis-map/" path, TlFixture, data, tl_fixture_set_up, func,     \
              tl_fixture_tear_down)
  ADD ("time-left", NULL, test_time_left);
  ADD ("shown", NULL, test_shown);
  ADD ("cancelled", NULL, test_cancelled);
  ADD ("page", NULL, test_page);
  ADD ("accept/small", &small_deg, test_accept);
  ADD ("accept/turned-back", &large_deg, test_accept);
  ADD ("accept/straight", NULL, test_straight);
  ADD ("accept/keep", NULL, test_keep);
  ADD ("angles", NULL, test_angles);
  ADD ("none", NULL, test_none);
  ADD ("failed", NULL, test_failed);
  ADD ("another", NULL, test_another);
  ADD ("outlives", NULL, test_outlives);
#undef ADD
  return g_test_run ();
}
