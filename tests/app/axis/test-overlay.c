/* An overlay of opposite projections in a session: pictures, registration, and
 * adopting its result. */
#include "app/axis/overlay/overlay.h"

#include "app/axis/centre-search.h"
#include "app/axis/map.h"
#include "app/recipe/recipe.h"
#include "data/error.h"
#include "data/phantom/phantom.h"
#include "data/read/reader.h"
#include "gpu/backend/frame.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/watchdog.h"

#include <math.h>
#include <string.h>

#define CENTRE 51.3
#define TILT 0.6

gboolean __real_tl_register (const float *pixels, const float *opposite,
                             size_t n_rows, size_t n_cols,
                             GCancellable *cancellable,
                             TlRegistration *registration, GError **error);
gboolean __wrap_tl_register (const float *pixels, const float *opposite,
                             size_t n_rows, size_t n_cols,
                             GCancellable *cancellable,
                             TlRegistration *registration, GError **error);

/* Makes the registration fail for lack of memory. */
static gint is_short;

gboolean
__wrap_tl_register (const float *pixels, const float *opposite, size_t n_rows,
                    size_t n_cols, GCancellable *cancellable,
                    TlRegistration *registration, GError **error)
{
  if (!g_atomic_int_get (&is_short))
    return __real_tl_register (pixels, opposite, n_rows, n_cols, cancellable,
                               registration, error);
  g_set_error (error, TL_ERROR, TL_ERROR_MEMORY, "there is too little memory");
  return FALSE;
}

gboolean __real_tl_reader_read_projection (TlReader *reader, size_t projection,
                                           void *dest, GError **error);
gboolean __wrap_tl_reader_read_projection (TlReader *reader, size_t projection,
                                           void *dest, GError **error);

/* Delays each projection that is read. */
static gint delay_ms;

gboolean
__wrap_tl_reader_read_projection (TlReader *reader, size_t projection,
                                  void *dest, GError **error)
{
  g_usleep ((gulong)g_atomic_int_get (&delay_ms) * 1000);
  return __real_tl_reader_read_projection (reader, projection, dest, error);
}

static void
write_scan (TlFixture *fixture, const char *name, double tilt_deg,
            double noise_counts)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, 61, 64, 97);
  scan.end_point = TRUE;
  scan.centre_col = CENTRE;
  scan.tilt_deg = tilt_deg;
  scan.noise_counts = noise_counts;
  scan.pixel_size_um = 2;
  g_free (fixture->scan);
  fixture->scan = tl_scratch_path (fixture->folder, name);
  g_assert_true (
      tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_set_up (fixture, data);
  write_scan (fixture, "pair.h5", TILT, 0);
}

static gboolean
is_measured (TlSession *session)
{
  return tl_overlay_get_registration (tl_session_get_overlay (session)) != NULL;
}

static gboolean
has_pixels (TlSession *session)
{
  size_t n_rows, n_cols;
  return tl_display_get_pixels (session->display, &n_rows, &n_cols) != NULL;
}

/* Returns: whether the exact picture of the present mirror is shown */
static gboolean
is_settled (TlSession *session)
{
  size_t n_rows, n_cols;
  float a, b;
  const float *pixels =
      tl_display_get_pixels (session->display, &n_rows, &n_cols);
  TlOverlay *overlay = tl_session_get_overlay (session);
  if (pixels == NULL || !tl_overlay_read (overlay, 30, 50, &a, &b))
    return FALSE;
  const double want = tl_overlay_get_mode (overlay) == TL_OVERLAY_SUM
                          ? ((double)a + b) / 2
                          : (double)b - a;
  return fabs (pixels[30 * n_cols + 50] - want) < 1e-6;
}

static gboolean
has_notice (TlSession *session)
{
  g_autofree char *notice = NULL;
  g_object_get (session->messages, "notice", &notice, NULL);
  return notice != NULL;
}

static void
set_axis (TlSession *session, double centre_col, double tilt_deg)
{
  TlParameters *parameters = session->parameters;
  char tilt[G_ASCII_DTOSTR_BUF_SIZE];
  tl_parameters_set_centre (parameters, centre_col);
  g_ascii_dtostr (tilt, sizeof tilt, tilt_deg);
  g_assert_true (tl_parameters_set (parameters, "tilt", tilt, NULL));
}

static void
open_overlay (TlFixture *fixture)
{
  tl_fixture_open_scan (fixture);
  tl_display_set_picture (fixture->session->display, TL_PICTURE_OVERLAY);
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

/* Returns: the root mean square difference of A and B */
static double
get_difference (TlSession *session)
{
  size_t n_rows, n_cols, n = 0;
  double sum = 0;
  tl_session_wait_until (session, is_settled);
  const float *pixels =
      tl_display_get_pixels (session->display, &n_rows, &n_cols);
  for (size_t i = 0; i < n_rows * n_cols; i++)
    if (!isnan (pixels[i]))
      {
        n++;
        sum += (double)pixels[i] * pixels[i];
      }
  g_assert_cmpuint (n, >, n_rows * n_cols / 2);
  return sqrt (sum / (double)n);
}

static const TlOpposite *
get_opposite (TlSession *session)
{
  return &tl_display_get_shown_view (session->display, TL_PICTURE_OVERLAY)
              ->pair.opposite;
}

static void
test_measured (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlOverlay *overlay = tl_session_get_overlay (session);
  open_overlay (fixture);
  tl_session_wait_until (session, is_measured);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  const TlOpposite *pair = get_opposite (session);
  g_autofree char *found = tl_overlay_describe_registration (overlay);
  g_autofree char *centre = g_strdup_printf (
      "Centre %.3f ± %.3f (boundary %.3f) ", r->mirror.centre_col,
      r->uncertainty.centre_col, r->mirror.centre_col + 0.5);
  g_assert_true (g_str_has_prefix (found, centre));
  g_assert_true (r->is_found && r->has_roll);
  g_assert_cmpfloat_with_epsilon (r->mirror.centre_col, CENTRE, 0.05);
  g_assert_cmpfloat_with_epsilon (r->mirror.tilt_deg, TILT, 0.1);
  g_assert_cmpuint (pair->projection, ==, 0);
  g_assert_cmpuint (pair->before, ==, 60);
  g_autofree char *words = tl_overlay_describe_pair (overlay);
  g_assert_cmpstr (words, ==, "A: 0 at 0° · B: 60 at 180°");
  g_autofree char *move = tl_overlay_describe_found_move (overlay);
  g_assert_true (g_str_has_prefix (move, "Move the stage by −"));
  g_assert_nonnull (strstr (move, " µm ± "));
  g_assert_nonnull (strstr (move, "(toward lower columns), roll by −"));
  g_autofree char *present = tl_overlay_describe_move (overlay);
  g_assert_cmpstr (present, ==, ""); /* no centre has been given */
}

static gboolean
is_searched (TlSession *session)
{
  return tl_centre_search_get_state (tl_session_get_centre_search (session))
         == TL_CENTRE_SEARCH_DONE;
}

/* Taking the registration is one step of the history, after which A and B are
 * alike; undo restores the axis. */
static void
test_take (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlOverlay *overlay = tl_session_get_overlay (session);
  open_overlay (fixture);
  tl_session_wait_until (session, is_measured);
  const double before = get_difference (session);
  const guint step =
      tl_history_get_present (tl_parameters_get_history (parameters));
  tl_overlay_take (overlay);
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==,
      step + 1);
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters), CENTRE,
                                  0.05);
  g_autofree char *tilt =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "tilt");
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (tilt, NULL), TILT, 0.1);
  g_assert_cmpfloat (get_difference (session), <, before / 4);
  g_autofree char *present = tl_overlay_describe_move (overlay);
  g_test_message ("%s", present);
  g_assert_nonnull (strstr (present, " ± "));
  tl_parameters_undo (parameters);
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==,
      step);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 48);
  g_assert_cmpfloat_with_epsilon (get_difference (session), before, 1e-3);
}

/* The tilt that was measured here does not make the search for the axis old,
 * even in a row where it moves the axis. */
static void
test_take_searched (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlOverlay *overlay = tl_session_get_overlay (session);
  TlCentreSearch *search = tl_session_get_centre_search (session);
  gboolean is_old;
  open_overlay (fixture);
  tl_session_wait_until (session, is_measured);
  tl_parameters_set_slice (session->parameters, 0);
  tl_centre_search_start (search);
  tl_session_wait_until (session, is_searched);
  tl_overlay_take (overlay);
  g_object_get (search, "old", &is_old, NULL);
  g_assert_false (is_old);
  tl_session_wait_for (session, "busy", FALSE);
  set_axis (session, CENTRE, -9);
  g_object_get (search, "old", &is_old, NULL);
  g_assert_true (is_old);
}

/* A tilt that may be the scatter of a true 0 is not taken. */
static void
test_take_upright (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlOverlay *overlay = tl_session_get_overlay (session);
  write_scan (fixture, "upright.h5", 0, 500);
  open_overlay (fixture);
  tl_session_wait_until (session, is_measured);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  g_test_message ("tilt %g° ± %g°", r->mirror.tilt_deg,
                  r->uncertainty.tilt_deg);
  g_assert_true (r->has_roll && fabs (r->mirror.tilt_deg) > 0.01);
  tl_overlay_take (overlay);
  g_assert_cmpfloat (
      tl_parameters_get_recipe (session->parameters)->params.tilt_deg, ==, 0);
  g_assert_cmpfloat_with_epsilon (
      tl_parameters_get_centre (session->parameters), CENTRE, 0.1);
}

/* Returns: the number of uncertainties in the description */
static guint
count_uncertainties (TlOverlay *overlay)
{
  g_autofree char *move = tl_overlay_describe_move (overlay);
  g_auto (GStrv) parts = g_strsplit (move, " ± ", -1);
  g_test_message ("%s", move);
  return g_strv_length (parts) - 1;
}

static gboolean
has_line (TlSession *session)
{
  gboolean is_busy;
  TlAxisMap *map = tl_session_get_axis_map (session);
  g_object_get (map, "busy", &is_busy, NULL);
  return !is_busy && tl_axis_map_can_accept (map);
}

/* Values that were found have uncertainties, others do not. */
static void
test_uncertainty (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlOverlay *overlay = tl_session_get_overlay (session);
  open_overlay (fixture);
  tl_session_wait_until (session, is_measured);
  tl_overlay_take (overlay);
  g_assert_cmpuint (count_uncertainties (overlay), ==, 2);
  const double centre_col = tl_parameters_get_centre (session->parameters);
  set_axis (session, centre_col, 0.2); /* set by hand */
  g_assert_cmpuint (count_uncertainties (overlay), ==, 1);
  set_axis (session, centre_col + 1, 0.2);
  g_assert_cmpuint (count_uncertainties (overlay), ==, 0);
  tl_display_set_page (session->display, TL_PAGE_AXIS);
  tl_session_wait_until (session, has_line);
  g_assert_cmpuint (count_uncertainties (overlay), ==, 0);
  tl_axis_map_accept (tl_session_get_axis_map (session));
  g_assert_cmpuint (count_uncertainties (overlay), ==, 2);
}

/* Pixels and statistics of each mode, while the centre moves. */
static void
test_modes (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlOverlay *overlay = tl_session_get_overlay (session);
  size_t n, n_rows, n_cols;
  float min, max;
  open_overlay (fixture);
  tl_session_wait_until (session, is_settled);
  g_assert_nonnull (tl_display_get_histogram (display, &n, &min, &max));
  g_assert_cmpfloat (min, <, 0);
  tl_parameters_set_centre (session->parameters, 50.25);
  tl_overlay_set_rows (overlay, 1.5);
  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_CRITICAL, "*isfinite*");
  tl_overlay_set_rows (overlay, NAN);
  g_test_assert_expected_messages ();
  g_assert_cmpfloat (tl_overlay_get_rows (overlay), ==, 1.5);
  tl_session_wait_until (session, is_settled);
  tl_overlay_set_mode (overlay, TL_OVERLAY_SUM);
  g_assert_false (has_pixels (session)); /* not those of another mode */
  tl_session_wait_until (session, is_settled);
  tl_overlay_set_mode (overlay, TL_OVERLAY_RED_CYAN);
  g_assert_true (tl_display_get_pixels (display, &n_rows, &n_cols)
                 == tl_frame_get_pixels (tl_display_get_frame (display)));
  tl_overlay_set_mode (overlay, TL_OVERLAY_BLINK);
  g_assert_true (has_pixels (session));
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_false (tl_overlay_is_shown (overlay));
}

/* A and B follow the corrections; a change of the tilt does not read them
 * again. */
static void
test_corrections (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlOverlay *overlay = tl_session_get_overlay (session);
  gboolean busy;
  float a, b, raw_a, raw_b;
  open_overlay (fixture);
  g_assert_true (tl_overlay_read (overlay, 30, 50, &a, &b));
  g_assert_true (tl_parameters_set (parameters, "tilt", "3", NULL));
  g_object_get (session->requests, "busy", &busy, NULL);
  g_assert_false (busy);
  g_assert_true (tl_parameters_set (parameters, "tilt", "0", NULL));
  tl_session_change (session, "minus-log", "off");
  g_assert_true (tl_overlay_read (overlay, 30, 50, &raw_a, &raw_b));
  g_assert_cmpfloat_with_epsilon (exp (-a), raw_a, 1e-4);
  g_assert_cmpfloat_with_epsilon (exp (-b), raw_b, 1e-2);
}

/* Without an opposite projection A is shown alone, with the reason, and another
 * pair can be chosen. */
static void
test_no_pair (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlOverlay *overlay = tl_session_get_overlay (session);
  open_overlay (fixture);
  tl_display_set_projection (display, 20);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (tl_overlay_is_shown (overlay));
  g_assert_null (tl_overlay_get_opposite (overlay));
  g_assert_null (tl_overlay_get_registration (overlay));
  g_assert_true (has_pixels (session));
  g_autofree char *words = tl_overlay_describe_pair (overlay);
  g_assert_cmpstr (words, ==,
                   "the projection at 60° has no opposite: the angles go "
                   "from 0° to 180°");
  tl_overlay_take (overlay);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==, 48);
  tl_display_set_projection (display, 60);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (get_opposite (session)->before, ==, 0);
  /* TL_PICTURE_PROJECTION has its own number. */
  tl_display_set_picture (display, TL_PICTURE_PROJECTION);
  g_assert_cmpuint (tl_display_get_projection (display), ==, 0);
}

/* The times of a pair include both projections. */
static void
test_times (TlFixture *fixture, gconstpointer data)
{
  g_atomic_int_set (&delay_ms, 40);
  open_overlay (fixture);
  g_atomic_int_set (&delay_ms, 0);
  const TlStatus *status = tl_display_get_status (fixture->session->display);
  g_assert_cmpfloat (status->read_ms, >=, 2 * 40);
  g_assert_cmpfloat (status->frame_ms, >=,
                     status->read_ms + status->correct_ms);
}

/* A number of rows is never negative: B is higher, or lower. */
static void
test_higher (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlOverlay *overlay = tl_session_get_overlay (session);
  guint n_higher = 0;
  open_overlay (fixture);
  for (guint i = 0; i < 2; i++)
    {
      tl_display_set_projection (session->display, 60 * i);
      tl_session_wait_for (session, "busy", FALSE);
      tl_session_wait_until (session, is_measured);
      const double rows = tl_overlay_get_registration (overlay)->mirror.rows;
      g_autofree char *words = tl_overlay_describe_registration (overlay);
      g_autofree char *want = g_strdup_printf (
          "B %s by %.2f ", rows < 0 ? "higher" : "lower", fabs (rows));
      g_assert_nonnull (strstr (words, want));
      n_higher += rows < 0 ? 1 : 0;
    }
  g_assert_cmpuint (n_higher, ==, 1);
}

/* A failed registration is not retried for the same pair. */
static void
test_failed (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlOverlay *overlay = tl_session_get_overlay (session);
  g_atomic_int_set (&is_short, TRUE);
  open_overlay (fixture);
  tl_session_wait_until (session, is_measured);
  tl_session_assert_message (session, "there is too little memory");
  g_assert_false (tl_overlay_get_registration (overlay)->is_found);
  g_autofree char *words = tl_overlay_describe_registration (overlay);
  g_assert_cmpstr (words, ==,
                   "The axis cannot be measured: there is too little memory");
  g_atomic_int_set (&is_short, FALSE);
  tl_display_set_projection (session->display, 60);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_wait_until (session, is_measured);
  g_assert_true (tl_overlay_get_registration (overlay)->is_found);
}

/* Opening another scan drops all results. */
static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlOverlay *overlay = tl_session_get_overlay (session);
  g_autofree char *other = tl_scratch_path (fixture->folder, "scan.h5");
  open_overlay (fixture);
  tl_session_wait_until (session, is_measured);
  tl_overlay_set_rows (overlay, 2);
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpfloat (tl_overlay_get_rows (overlay), ==, 0);
  tl_session_wait_until (session, is_measured);
  g_assert_cmpfloat_with_epsilon (
      tl_overlay_get_registration (overlay)->mirror.centre_col, 30, 3);
}

/* An overlay that outlives its session shows nothing. */
static void
test_outlives (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlOverlay) overlay =
      g_object_ref (tl_session_get_overlay (fixture->session));
  TlMirror mirror;
  float a, b;
  tl_fixture_open_scan (fixture);
  tl_display_set_picture (fixture->session->display, TL_PICTURE_OVERLAY);
  tl_session_wait_until (fixture->session, is_measured);
  g_assert_finalize_object (fixture->session);
  tl_overlay_set_mode (overlay, TL_OVERLAY_SUM);
  tl_overlay_set_rows (overlay, 3);
  tl_overlay_take (overlay);
  tl_overlay_get_mirror (overlay, &mirror);
  g_assert_true (isnan (mirror.centre_col) && isnan (mirror.tilt_deg));
  g_assert_false (tl_overlay_is_shown (overlay)
                  || tl_overlay_read (overlay, 30, 50, &a, &b));
  g_assert_null (tl_overlay_get_opposite (overlay));
  g_autofree char *pair = tl_overlay_describe_pair (overlay);
  g_autofree char *registration = tl_overlay_describe_registration (overlay);
  g_autofree char *found = tl_overlay_describe_found_move (overlay);
  g_autofree char *move = tl_overlay_describe_move (overlay);
  g_assert_cmpstr (pair, ==, "");
  g_assert_nonnull (registration); /* the registration stays */
  g_assert_cmpstr (found, ==, "");
  g_assert_cmpstr (move, ==, "");
  fixture->session = tl_session_new ();
}

static void
assert_saved (TlFixture *fixture, double centre_col, double tilt_deg)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  g_autofree char *path = tl_scratch_path (fixture->folder, "overlay.tiff");
  g_autofree char *recipe_path =
      tl_scratch_path (fixture->folder, "overlay.ini");
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  size_t n_rows, n_cols, length;
  tl_session_wait_until (session, is_settled);
  const float *shown = tl_display_get_pixels (display, &n_rows, &n_cols);
  tl_display_save (display, path);
  tl_session_wait_until (session, has_notice);
  tl_session_assert_notice (session, "Overlay of projection 0 written to",
                            path);
  g_assert_true (g_file_get_contents (path, &bytes, &length, &error));
  g_assert_no_error (error);
  g_assert_nonnull (
      memmem (bytes, length, shown, n_rows * n_cols * sizeof *shown));
  g_autoptr (TlRecipe) recipe = tl_recipe_load (recipe_path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (recipe->params.centre_col, ==, centre_col);
  g_assert_cmpfloat (recipe->params.tilt_deg, ==, tilt_deg);
}

/* The file is saved with the axis of its picture; a picture of an outdated axis
 * is not saved. */
static void
test_saved (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlOverlay *overlay = tl_session_get_overlay (session);
  g_autofree char *early = tl_scratch_path (fixture->folder, "early.tiff");
  open_overlay (fixture);
  tl_session_wait_until (session, is_settled);
  set_axis (session, 50.25, 0.5);
  tl_display_save (display, early);
  tl_session_assert_message (session, "The overlay is not saved");
  assert_saved (fixture, 50.25, 0.5);
  g_autofree char *words = tl_overlay_describe_values (overlay);
  g_assert_cmpstr (words, ==,
                   "the opposite one, mirrored about the axis, minus the "
                   "projection: [row][column]");
  tl_messages_dismiss (session->messages);
  tl_overlay_set_mode (overlay, TL_OVERLAY_SUM);
  tl_overlay_set_rows (overlay, 1.5);
  tl_display_save (display, early);
  tl_session_assert_message (session, "The overlay is not saved");
  assert_saved (fixture, 50.25, 0.5);
  g_autofree char *moved = tl_overlay_describe_values (overlay);
  g_assert_cmpstr (moved, ==,
                   "mean of the projection and the opposite one, mirrored "
                   "about the axis and moved up by 1.5 rows: [row][column]");
  g_assert_false (g_file_test (early, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/overlay/measured", test_measured },
    { "/overlay/take", test_take },
    { "/overlay/take-searched", test_take_searched },
    { "/overlay/take-upright", test_take_upright },
    { "/overlay/modes", test_modes },
    { "/overlay/corrections", test_corrections },
    { "/overlay/no-pair", test_no_pair },
    { "/overlay/uncertainty", test_uncertainty },
    { "/overlay/saved", test_saved },
    { "/overlay/times", test_times },
    { "/overlay/higher", test_higher },
    { "/overlay/failed", test_failed },
    { "/overlay/other-scan", test_other_scan },
    { "/overlay/outlives", test_outlives },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
