/* The search for the axis in the background: its results, and when they become
 * the centre. */
#include "app/axis/centre-search.h"
#include "app/axis/map.h"
#include "app/axis/overlay/overlay.h"
#include "app/axis/accepted-axis.h"
#include "app/session/session.h"

#include "data/write/writer.h"
#include "gpu/centre/centre.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

enum
{
  N_SCAN_COLS = 96,
  N_SCAN_ROWS = 5
};

#define CENTRE 46.25
#define MIDDLE 47.5

/* Columns: possible error of an estimate in such small scans. */
#define NEAR 0.1

#define TILT_DEG 10 /* moves the axis by a third of a column at the end */

static void
write_scan (TlFixture *fixture, const char *name, double centre_col,
            void (*change) (TlPhantomScan *scan))
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, 120, N_SCAN_ROWS, N_SCAN_COLS);
  scan.angles_deg[1] = 360; /* needed for certainty in such a small scan */
  scan.centre_col = centre_col;
  if (change != NULL)
    change (&scan);
  g_free (fixture->scan);
  fixture->scan = tl_scratch_path (fixture->folder, name);
  tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static TlCentreSearch *
get_search (TlFixture *fixture)
{
  return tl_session_get_centre_search (fixture->session);
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_set_up (fixture, data);
  write_scan (fixture, "centre.h5", CENTRE, NULL);
  g_object_set (get_search (fixture), "seeks", TRUE, NULL);
}

static gboolean
is_over (TlSession *session)
{
  const TlCentreSearchState state =
      tl_centre_search_get_state (tl_session_get_centre_search (session));
  return state == TL_CENTRE_SEARCH_DONE || state == TL_CENTRE_SEARCH_FAILED;
}

static gboolean
is_old (TlFixture *fixture)
{
  gboolean old;
  g_object_get (get_search (fixture), "old", &old, NULL);
  return old;
}

static gboolean
is_busy_again (TlSession *session)
{
  return !is_over (session);
}

static TlCentreAgreement
wait (TlFixture *fixture)
{
  TlCentreAgreement agreement = { 0 };
  tl_session_wait_until (fixture->session, is_over);
  g_assert_true (
      tl_centre_search_get_agreement (get_search (fixture), &agreement));
  tl_session_wait_for (fixture->session, "busy", FALSE);
  return agreement;
}

static void
assert_notice (TlFixture *fixture, const char *part)
{
  g_autofree char *notice = NULL;
  g_object_get (fixture->session->messages, "notice", &notice, NULL);
  g_assert_nonnull (notice);
  if (strstr (notice, part) == NULL)
    g_test_fail_printf ("the notice is \"%s\", which does not say \"%s\"",
                        notice, part);
}

static void
count (guint *n)
{
  ++*n;
}

/* Results are shown as they arrive, then adopted in one step of the history
 * with its own words. */
static void
test_found (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlCentreSearch *search = get_search (fixture);
  guint n_changes = 0;
  g_signal_connect_swapped (search, "changed", G_CALLBACK (count), &n_changes);
  tl_fixture_open_scan (fixture);
  TlCentreAgreement agreement = wait (fixture);
  g_assert_cmpuint (n_changes, >=, TL_N_CENTRE_METHODS);
  g_assert_cmpuint (tl_centre_search_count (search), ==, TL_N_CENTRE_METHODS);
  g_assert_cmpuint (tl_centre_search_get_row (search), ==, 2);
  g_assert_true (agreement.is_certain);
  g_assert_cmpfloat (fabs (agreement.centre_col - CENTRE), <, NEAR);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     agreement.centre_col);
  /* The recipe has the value that was shown, in thousandths. */
  g_autofree char *centre =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "centre");
  g_assert_cmpuint (strlen (strchr (centre, '.')), <=, 4);
  assert_notice (fixture, "found by");

  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==, 2);
  g_autofree char *words =
      g_strdup_printf ("axis found: centre %g → %.10g (boundary %.10g)", MIDDLE,
                       agreement.centre_col, agreement.centre_col + 0.5);
  g_assert_nonnull (strstr (
      tl_history_get_words (tl_parameters_get_history (parameters), 1), words));
  tl_parameters_undo (parameters);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, MIDDLE);
  tl_parameters_redo (parameters);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     agreement.centre_col);
}

/* The step is separate from the ones before and after it. */
static void
test_own_step (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  wait (fixture);
  tl_parameters_set_centre (parameters, 44);
  tl_parameters_set_centre (parameters, 45);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==, 3);
}

static void
test_each (TlFixture *fixture, gconstpointer data)
{
  TlCentreSearch *search = get_search (fixture);
  guint n_found = 0;
  tl_fixture_open_scan (fixture);
  TlCentreAgreement agreement = wait (fixture);
  for (guint k = 0; k < tl_centre_search_count (search); k++)
    {
      TlCentreFound found;
      tl_centre_search_get (search, k, &found);
      g_assert_nonnull (found.reason);
      g_assert_cmpint (isnan (found.centre_col), ==, !found.is_found);
      n_found += found.is_found;
      for (size_t i = 1; i < found.n_points; i++)
        g_assert_cmpfloat (found.positions[i], >, found.positions[i - 1]);
    }
  g_assert_cmpuint (n_found, ==, agreement.n_found);
}

/* Steps through all results and back, wrapping around. */
static void
test_next (TlFixture *fixture, gconstpointer data)
{
  TlCentreSearch *search = get_search (fixture);
  g_assert_true (isnan (tl_centre_search_find_next (search, 0, 1)));
  tl_fixture_open_scan (fixture);
  const guint n = wait (fixture).n_found + 1;
  double cols[TL_N_CENTRE_METHODS + 2], low = INFINITY;
  g_assert_cmpuint (n, <, G_N_ELEMENTS (cols));
  cols[0] = tl_centre_search_find_next (search, -0.5, 1);
  for (guint k = 1; k < n; k++)
    {
      cols[k] = tl_centre_search_find_next (search, cols[k - 1], 1);
      if (cols[k] < cols[k - 1])
        break; /* two results are equal to a thousandth */
      low = fmin (low, cols[k] - cols[k - 1]);
      g_assert_cmpfloat (tl_centre_search_find_next (search, cols[k], -1), ==,
                         cols[k - 1]);
    }
  g_assert_cmpfloat (low, >, 0);
  g_assert_cmpfloat (tl_centre_search_find_next (search, N_SCAN_COLS, 1), ==,
                     cols[0]);
  g_assert_cmpfloat (tl_centre_search_find_next (search, cols[0], -1), >,
                     cols[0]);
}

/* A centre that the user moves during the search is kept, even if it is moved
 * back. */
static void
test_touched (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  const gboolean moves_back = GPOINTER_TO_INT (data);
  tl_fixture_open_scan (fixture);
  g_assert_false (is_over (session));
  tl_parameters_set_centre (parameters, 40);
  if (moves_back)
    tl_parameters_undo (parameters);
  wait (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     moves_back ? MIDDLE : 40);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==, 2);
  assert_notice (fixture, "the centre that was set stays");
}

/* A result for one scan is not adopted in another. */
static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  g_assert_false (is_over (session));
  write_scan (fixture, "other.h5", 52, NULL);
  tl_fixture_open_scan (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, MIDDLE);
  TlCentreAgreement agreement = wait (fixture);
  g_assert_cmpfloat (fabs (agreement.centre_col - 52), <, NEAR);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     agreement.centre_col);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==, 2);
}

/* A scan that cannot be opened does not end the search. */
static void
test_bad_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  tl_session_open (session, "missing.h5");
  tl_session_wait_for (session, "busy", FALSE);
  TlCentreAgreement agreement = wait (fixture);
  g_assert_true (agreement.is_certain);
}

static void
open_missing (TlCentreSearch *search, GParamSpec *pspec, TlSession *session)
{
  if (tl_centre_search_get_state (search) == TL_CENTRE_SEARCH_DONE)
    tl_session_open (session, "missing.h5");
}

/* A result that arrives while another scan is being opened is not lost. */
static void
test_late (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  g_signal_connect (get_search (fixture), "notify::state",
                    G_CALLBACK (open_missing), session);
  TlCentreAgreement agreement = wait (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     agreement.centre_col);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==, 2);
  assert_notice (fixture, "found by");
}

/* No axis is found in random images. */
static void
test_noise (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "noise");
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  float pixels[2 * 64];
  g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
  for (guint p = 0; p < 60; p++)
    {
      g_autofree char *name = g_strdup_printf ("p%03u.tiff", p);
      g_autofree char *path = tl_scratch_path (folder, name);
      for (guint k = 0; k < G_N_ELEMENTS (pixels); k++)
        pixels[k] = (float)g_rand_double_range (rand, 0.4, 0.6);
      g_assert_true (tl_write_tiff (path, pixels, 2, 64, NULL, NULL));
    }
  g_free (fixture->scan);
  fixture->scan = g_strdup (folder);
  tl_fixture_open_scan (fixture);
  TlCentreAgreement agreement = wait (fixture);
  g_assert_false (agreement.is_found);
  g_assert_false (agreement.is_certain);
  g_assert_true (isnan (agreement.centre_col));
  g_assert_nonnull (agreement.sentence);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 31.5);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==, 1);
  assert_notice (fixture, "The axis cannot be found in slice 0; check the "
                          "angles (0° to 177°) or try another slice");
}

/* Steps of many columns, so that such a small scan can tell. */
static void
end_on_half_turn (TlPhantomScan *scan)
{
  scan->n_projections = 31;
  scan->angles_deg[1] = 180;
  scan->end_point = TRUE;
  scan->noise_counts = 0;
}

/* If angles and projections contradict each other, the result is only
 * preliminary. */
static void
test_look (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  write_scan (fixture, "end.h5", CENTRE, end_on_half_turn);
  tl_session_open (session, fixture->scan);
  g_assert_true (tl_session_set_opening (session, "angles", "0:174", NULL));
  /* the search may begin with the scan as it was opened first */
  tl_session_wait_for (session, "busy", FALSE);
  TlCentreAgreement agreement = wait (fixture);
  g_assert_true (agreement.is_found);
  g_assert_false (agreement.is_certain);
  g_assert_nonnull (strstr (tl_centre_search_get_note (get_search (fixture)),
                            "mirror image"));
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==,
                     agreement.centre_col);
  assert_notice (fixture, "the angles contradict the projections");
  g_autofree char *move =
      tl_overlay_describe_move (tl_session_get_overlay (session));
  g_assert_cmpstr (move, ==, "");
}

static void
end_early (TlPhantomScan *scan)
{
  scan->angles_deg[1] = 40;
  scan->noise_counts = 1000;
}

/* The slice is not to blame if there are too few angles. */
static void
test_few_angles (TlFixture *fixture, gconstpointer data)
{
  write_scan (fixture, "few.h5", CENTRE, end_early);
  tl_session_open (fixture->session, fixture->scan);
  g_assert_false (wait (fixture).is_found);
  assert_notice (fixture, "the angles span 40°");
}

static void
tilt (TlPhantomScan *scan)
{
  scan->tilt_deg = TILT_DEG;
}

#define OPENED_US 300000 /* longer than opening takes */

/* A centre that the user gave is searched only on demand, and stays. With @data
 * it is given after the scan has opened, but before the session knows. */
static void
test_given (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_session_open (session, fixture->scan);
  if (GPOINTER_TO_INT (data))
    g_usleep (OPENED_US);
  /* Even the middle counts as given. */
  g_assert_true (tl_session_set_opening (session, "centre", "47.5", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpint (tl_centre_search_get_state (get_search (fixture)), ==,
                   TL_CENTRE_SEARCH_IDLE);
  tl_parameters_set_slice (parameters, 3);
  tl_centre_search_start (get_search (fixture));
  TlCentreAgreement agreement = wait (fixture);
  g_assert_cmpfloat (fabs (agreement.centre_col - CENTRE), <, NEAR);
  g_assert_cmpuint (tl_centre_search_get_row (get_search (fixture)), ==, 3);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, MIDDLE);
  assert_notice (fixture, "the centre that was set stays");
}

/* A search in another slice replaces what the program has found before, but no
 * centre of the user's. */
static void
test_again (TlFixture *fixture, gconstpointer data)
{
  TlParameters *parameters = fixture->session->parameters;
  write_scan (fixture, "tilted.h5", CENTRE, tilt);
  tl_fixture_open_scan (fixture);
  const TlCentreAgreement first = wait (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     first.centre_col);
  tl_parameters_set_slice (parameters, N_SCAN_ROWS - 1);
  tl_centre_search_start (get_search (fixture));
  const TlCentreAgreement second = wait (fixture);
  g_assert_cmpfloat (fabs (second.centre_col - first.centre_col), >, NEAR);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     second.centre_col);
  tl_parameters_set_centre (parameters, 44);
  tl_centre_search_start (get_search (fixture));
  wait (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 44);
}

static void
test_recipe (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "given.ini");
  g_autofree char *text =
      g_strdup_printf ("[scan]\npath=%s\n[recipe]\ncentre=44\n", fixture->scan);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==, 44);
  g_assert_cmpint (tl_centre_search_get_state (get_search (fixture)), ==,
                   TL_CENTRE_SEARCH_IDLE);
}

static void
reopen (TlFixture *fixture, const char *key, const char *value)
{
  g_assert_true (
      tl_parameters_set (fixture->session->parameters, key, value, NULL));
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

/* A centre that was found with other angles or projections is looked for again;
 * one that the user has set is not. */
static void
test_reopened (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_session_open (session, fixture->scan);
  g_assert_true (tl_session_set_opening (session, "angles", "0:179", NULL));
  wait (fixture);
  g_assert_true (tl_parameters_is_centre_found (parameters));
  g_assert_cmpfloat (fabs (tl_parameters_get_centre (parameters) - CENTRE), >,
                     NEAR);
  reopen (fixture, "angles", "0:357");
  wait (fixture);
  g_assert_cmpfloat (fabs (tl_parameters_get_centre (parameters) - CENTRE), <,
                     NEAR);
  tl_parameters_set_centre (parameters, 44);
  reopen (fixture, "leave-out", "3");
  g_assert_true (is_over (session) && is_old (fixture));
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 44);
  /* Binned columns are other ones. */
  reopen (fixture, "bin", "2");
  g_assert_cmpint (tl_centre_search_get_state (get_search (fixture)), ==,
                   TL_CENTRE_SEARCH_IDLE);
  g_assert_false (is_old (fixture));
}

static void
assert_centre (TlFixture *fixture, double centre_col, guint step)
{
  TlParameters *parameters = fixture->session->parameters;
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, centre_col);
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==,
      step);
}

/* The centre that is found after a change of how the scan is read belongs to
 * the step of that change, even if the user has gone on meanwhile. */
static void
test_joined (TlFixture *fixture, gconstpointer data)
{
  const gboolean goes_on = GPOINTER_TO_INT (data);
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlHistory *history = tl_parameters_get_history (parameters);
  tl_session_open (session, fixture->scan);
  g_assert_true (tl_session_set_opening (session, "angles", "0:179", NULL));
  const double first_col = wait (fixture).centre_col;
  assert_centre (fixture, first_col, 1);
  reopen (fixture, "angles", "0:357");
  g_assert_false (is_over (session));
  if (goes_on)
    g_assert_true (tl_parameters_set (parameters, "filter", "hann", NULL));
  const double second_col = wait (fixture).centre_col;
  assert_centre (fixture, second_col, goes_on ? 3 : 2);
  g_assert_cmpfloat (second_col, !=, first_col);
  g_autofree char *words = g_strdup_printf (
      "Centre %.10g → %.10g, Angles 0:179 → 0:357", first_col, second_col);
  g_assert_cmpstr (tl_history_get_words (history, 2), ==, words);
  if (goes_on)
    {
      g_assert_cmpstr (tl_history_get_words (history, 3), ==,
                       "Filter Ramp → Hann");
      tl_parameters_undo (parameters);
      assert_centre (fixture, second_col, 2);
    }
  tl_parameters_undo (parameters);
  assert_centre (fixture, first_col, 1);
  tl_session_assert_value (session, "angles", "0:179");
  tl_parameters_redo (parameters);
  assert_centre (fixture, second_col, 2);
  tl_session_assert_value (session, "angles", "0:357");
  g_assert_cmpuint (tl_history_get_length (history), ==, goes_on ? 4 : 3);
}

/* The centre that is found does not hide that the scan is another one. */
static void
test_replaced (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_open_scan (fixture);
  wait (fixture);
  write_scan (fixture, "centre.h5", 52, NULL);
  tl_session_reload (fixture->session);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  wait (fixture);
  assert_notice (fixture, "now holds another scan");
  assert_notice (fixture, "found by");
}

/* A centre off the detector in a recipe counts as not given. */
static void
test_misfit (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_session_open (session, fixture->scan);
  g_assert_true (tl_session_set_opening (session, "centre", "999", NULL));
  TlCentreAgreement agreement = wait (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==,
                     agreement.centre_col);
}

/* The search starts by itself only if "seeks" is set. */
static void
test_off (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlSession) session = tl_session_new ();
  gboolean seeks;
  g_object_get (tl_session_get_centre_search (session), "seeks", &seeks, NULL);
  g_assert_false (seeks);
  g_object_set (get_search (fixture), "seeks", FALSE, NULL);
  tl_centre_search_start (get_search (fixture)); /* no effect without a scan */
  tl_fixture_open_scan (fixture);
  g_assert_cmpint (tl_centre_search_get_state (get_search (fixture)), ==,
                   TL_CENTRE_SEARCH_IDLE);
}

/* Returns: whether another value of @key makes the results old; the first is
 * set again */
static gboolean
makes_old (TlFixture *fixture, const char *key, const char *value)
{
  TlParameters *parameters = fixture->session->parameters;
  g_autofree char *back =
      tl_recipe_get (tl_parameters_get_recipe (parameters), key);
  g_test_message ("%s", key);
  g_assert_true (tl_parameters_set (parameters, key, value, NULL));
  const gboolean was_old = is_old (fixture);
  g_assert_true (tl_parameters_set (parameters, key, back, NULL));
  g_assert_false (is_old (fixture));
  return was_old;
}

/* Results stay valid for another slice or filter, for corrections, which do not
 * move the axis, and for a tilt that moves it by less than its uncertainty. */
static void
test_old (TlFixture *fixture, gconstpointer data)
{
  static const char *const changes[][2] = {
    { "slice", "4" },       { "filter", "hann" },   { "centre", "44" },
    { "energy", "20" },     { "minus-log", "off" }, { "zingers", "on" },
    { "rings", "sorting" }, { "tilt", "9" },        { "engine", "auto" },
  };
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  wait (fixture);
  for (guint k = 0; k < G_N_ELEMENTS (changes); k++)
    g_assert_false (makes_old (fixture, changes[k][0], changes[k][1]));
  /* The tilt moves the axis between the first row and the middle one. */
  tl_parameters_set_slice (parameters, 0);
  tl_centre_search_start (get_search (fixture));
  wait (fixture);
  g_assert_true (makes_old (fixture, "tilt", "9"));
  g_assert_false (makes_old (fixture, "zingers", "on"));
  const TlAcceptedAxis axis = { .centre_col = 45, .tilt_deg = 9 };
  tl_accepted_axis_set (session, &axis);
  g_assert_false (is_old (fixture));
  /* It stays accepted with another centre. */
  tl_parameters_set_centre (parameters, 44);
  g_assert_false (is_old (fixture));
  /* A refused axis leaves the accepted one in place. */
  const TlAcceptedAxis wrong = { .centre_col = 45, .tilt_deg = 20 };
  tl_accepted_axis_set (session, &wrong);
  g_assert_true (tl_accepted_axis_has_tilt (session));
  g_assert_true (tl_parameters_set (parameters, "tilt", "-9", NULL));
  g_assert_true (is_old (fixture));
  g_assert_true (tl_parameters_set (parameters, "tilt", "0", NULL));
  g_assert_false (is_old (fixture));
  /* Other angles read the scan again. */
  g_assert_true (tl_parameters_set (parameters, "angles", "0:340", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (is_over (session));
  g_assert_true (is_old (fixture));
  g_assert_cmpuint (tl_centre_search_get_row (get_search (fixture)), ==, 0);
}

/* A change during the search does not lose the axis: with another tilt it is
 * searched anew. */
static void
test_switched (TlFixture *fixture, gconstpointer data)
{
  TlParameters *parameters = fixture->session->parameters;
  tl_fixture_open_scan (fixture);
  g_assert_false (is_over (fixture->session));
  tl_parameters_set_slice (parameters, 0);
  tl_centre_search_start (get_search (fixture));
  g_assert_true (tl_parameters_set (parameters, "rings", "sorting", NULL));
  g_assert_false (is_old (fixture));
  g_assert_true (tl_parameters_set (parameters, "tilt", "0.2", NULL));
  g_assert_true (is_old (fixture));
  TlCentreAgreement agreement = wait (fixture);
  g_assert_false (is_old (fixture));
  g_assert_cmpfloat (fabs (agreement.centre_col - CENTRE), <, NEAR);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     agreement.centre_col);
  assert_notice (fixture, "found by");
}

static void
lean (TlPhantomScan *scan)
{
  scan->n_rows = 41;
  scan->tilt_deg = 0.5;
  scan->noise_counts = 0;
}

/* With a tilted axis the result is the centre in the middle row; in the first
 * and last row the axis is 0.17 columns away. */
static void
test_tilt (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  write_scan (fixture, "tilt.h5", CENTRE, lean);
  g_object_set (get_search (fixture), "seeks", FALSE, NULL);
  tl_fixture_open_scan (fixture);
  g_assert_true (tl_parameters_set (parameters, "tilt", "0.5", NULL));
  for (guint row = 0; row <= 40; row += 40)
    {
      tl_parameters_set_slice (parameters, row);
      tl_session_wait_for (session, "busy", FALSE);
      tl_centre_search_start (get_search (fixture));
      TlCentreAgreement agreement = wait (fixture);
      g_assert_cmpfloat (fabs (agreement.centre_col - CENTRE), <, 0.09);
      for (guint k = 0; k < tl_centre_search_count (get_search (fixture)); k++)
        {
          TlCentreFound found;
          tl_centre_search_get (get_search (fixture), k, &found);
          if (found.agrees)
            g_assert_cmpfloat (fabs (found.centre_col - CENTRE), <,
                               0.09 + found.uncertainty_col);
        }
    }
}

/* The session is freed during the search; a remaining reference does not wait
 * for anything. */
static void
test_end (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlCentreSearch) search = g_object_ref (get_search (fixture));
  tl_fixture_open_scan (fixture);
  g_assert_false (is_over (fixture->session));
  g_assert_finalize_object (fixture->session);
  tl_centre_search_start (search);
  g_assert_cmpuint (tl_centre_search_count (search), <=, TL_N_CENTRE_METHODS);
  fixture->session = tl_session_new ();
}

/* --- a scan that is being taken --- */

enum
{
  N_ALL = 120,  /* projections over a full turn */
  N_FEW = 20,   /* too few for a search */
  N_EARLY = 70, /* of more than half of it */
  N_SOON = 80,
  N_LATE = 105, /* of a quarter turn more than those */
  MOVED = 3     /* columns, which no uncertainty explains */
};

typedef struct
{
  TlHeld *held;
  size_t n_cols;
  double turn_deg;      /* that all of them cover */
  guint16 *projections; /* [N_ALL][n_cols] */
} Taken;

static void
put (Taken *taken, TlFrameKind kind, size_t number, const guint16 *pixels)
{
  g_assert_true (tl_held_put (taken->held, kind, number,
                              taken->turn_deg * (double)number / N_ALL,
                              pixels));
}

static void
put_fields (Taken *taken, TlReader *reader, size_t row)
{
  const size_t n = taken->n_cols;
  g_autoptr (GError) error = NULL;
  g_autofree double *fields = g_new (double, 3 * n);
  g_autofree guint16 *pixels = g_new (guint16, n);
  tl_reader_read_fields (reader, row, 1, fields, fields + n, fields + 2 * n,
                         NULL, &error);
  g_assert_no_error (error);
  for (int k = 0; k < 2; k++)
    {
      for (size_t i = 0; i < n; i++)
        pixels[i] = (guint16)lround (fields[(size_t)k * n + i]);
      put (taken, k == 0 ? TL_FRAMES_DARKS : TL_FRAMES_FLATS, 0, pixels);
    }
}

/* Begins to take the middle row of the fixture's scan. */
static void
begin (TlFixture *fixture, Taken *taken)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_reader_open (fixture->scan, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (1 << 24);
  g_autofree char *folder = tl_scratch_path (fixture->folder, "live");
  const size_t row = info->n_rows / 2;
  const TlHeldLayout layout = {
    .name = folder,
    .n_rows = 1,
    .n_cols = info->n_cols,
    .n_kept = 1,
    .type = info->type,
    .n_expected = N_ALL,
    .angles_deg = info->angles_deg,
  };
  g_assert_cmpuint (info->n_projections, ==, N_ALL);
  g_assert_cmpuint (info->type, ==, TL_SAMPLE_U16);
  taken->n_cols = info->n_cols;
  taken->turn_deg = 360;
  taken->projections = g_new (guint16, N_ALL * info->n_cols);
  tl_reader_read (reader, row, 1, taken->projections, NULL, &error);
  g_assert_no_error (error);
  taken->held = tl_held_new (&layout, budget, &error);
  g_assert_no_error (error);
  put_fields (taken, reader, row);
}

/* The axis has moved by @moved columns. */
static void
take (Taken *taken, size_t first, size_t end, size_t moved)
{
  g_autofree guint16 *pixels = g_new (guint16, taken->n_cols);
  for (size_t p = first; p < end; p++)
    {
      const guint16 *from = taken->projections + p * taken->n_cols;
      for (size_t i = 0; i < taken->n_cols; i++)
        pixels[i] = from[i < moved ? 0 : i - moved];
      put (taken, TL_FRAMES_PROJECTIONS, p, pixels);
    }
}

/* Shows the first part of the fixture's scan, of which the axis has moved by
 * @moved columns. */
static TlCentreAgreement
show_first (TlFixture *fixture, Taken *taken, size_t moved)
{
  TlSession *session = fixture->session;
  begin (fixture, taken);
  take (taken, 0, N_EARLY, moved);
  g_signal_emit_by_name (session->growth, "begun", taken->held);
  tl_session_wait_until (session, is_busy_again);
  const TlCentreAgreement early = wait (fixture);
  g_assert_true (tl_scan_source_get_summary (session->source)->is_growing);
  return early;
}

static TlCentreAgreement
follow (TlFixture *fixture, Taken *taken)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "live");
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  tl_growth_follow (fixture->session->growth, folder, NULL, &error);
  g_assert_no_error (error);
  return show_first (fixture, taken, 0);
}

static void
leave (Taken *taken)
{
  tl_held_unref (taken->held);
  g_free (taken->projections);
}

/* The axis has moved by @moved columns. */
static TlCentreAgreement
grow (TlFixture *fixture, Taken *taken, size_t moved)
{
  TlSession *session = fixture->session;
  take (taken, N_EARLY, N_LATE, moved);
  tl_display_grow (session->display);
  tl_session_wait_until (session, is_busy_again);
  const TlCentreAgreement late = wait (fixture);
  g_assert_true (tl_scan_source_get_summary (session->source)->is_growing);
  return late;
}

static void
test_taken (TlFixture *fixture, gconstpointer data)
{
  const size_t moved = GPOINTER_TO_SIZE (data);
  TlSession *session = fixture->session;
  Taken taken;
  g_autofree char *message = NULL;
  g_autofree char *notice = NULL;
  const TlCentreAgreement early = follow (fixture, &taken);
  g_assert_cmpfloat (fabs (early.centre_col - CENTRE), <, NEAR);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==,
                     early.centre_col);

  g_autofree char *line = tl_session_dup_centre_line (session);
  g_assert_nonnull (line);
  g_assert_true (g_str_has_prefix (line, "Axis "));
  g_assert_nonnull (strstr (line, " ± "));
  g_assert_nonnull (strstr (line, "stage"));

  const TlCentreAgreement late = grow (fixture, &taken, moved);
  g_object_get (session->messages, "message", &message, NULL);
  g_object_get (session->messages, "notice", &notice, NULL);
  if (moved > 0)
    {
      g_assert_nonnull (strstr (message, "it may have moved"));
      g_assert_null (notice); /* that of the centre before */
    }
  else
    {
      /* it is within the uncertainty */
      g_assert_cmpfloat (fabs (late.centre_col - early.centre_col), <=,
                         late.uncertainty_col);
      g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==,
                         early.centre_col);
    }
  tl_messages_dismiss (session->messages);
  g_clear_pointer (&message, g_free);

  take (&taken, N_LATE, N_ALL, moved);
  tl_held_end (taken.held);
  tl_display_grow (session->display);
  tl_session_wait_until (session, is_busy_again);
  const TlCentreAgreement all = wait (fixture);
  g_test_message ("by all of it: %g ± %g, certain: %d", all.centre_col,
                  all.uncertainty_col, all.is_certain);
  g_object_get (session->messages, "message", &message, NULL);
  if (moved > 0)
    g_assert_nonnull (strstr (message, "it may have moved"));
  else
    {
      g_assert_null (message);
      g_assert_cmpfloat (fabs (all.centre_col - CENTRE), <, NEAR);
    }
  leave (&taken);
}

/* What another one has told stays when the axis is found elsewhere. */
static void
test_other_notice (TlFixture *fixture, gconstpointer data)
{
  const size_t moved = GPOINTER_TO_SIZE (data);
  TlSession *session = fixture->session;
  Taken taken;
  follow (fixture, &taken);
  tl_messages_tell (session->messages, "something else");
  grow (fixture, &taken, moved);
  take (&taken, N_LATE, N_ALL, moved);
  tl_held_end (taken.held);
  tl_display_grow (session->display);
  tl_session_wait_until (session, is_busy_again);
  wait (fixture);
  assert_notice (fixture, "something else");
  leave (&taken);
}

static void
be_noisy (TlPhantomScan *scan)
{
  scan->noise_counts = 200;
}

/* Returns: (transfer full): the move of the stage to @axis */
static char *
dup_move (TlSession *session, const TlCentreAgreement *axis)
{
  const TlStagePlace place = {
    .centre_col = axis->centre_col,
    .centre_uncertainty_col = axis->uncertainty_col,
    .tilt_deg = NAN,
    .tilt_uncertainty_deg = NAN,
  };
  return tl_session_describe_stage_move (session, &place);
}

/* An uncertain centre stays, too, if it is within the uncertainty of the next
 * one, which is not told. */
static void
test_unsure (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  Taken taken;
  g_autofree char *notice = NULL;
  write_scan (fixture, "noisy.h5", CENTRE, be_noisy);
  const TlCentreAgreement early = follow (fixture, &taken);
  g_assert_true (early.is_found);
  g_assert_false (early.is_certain);
  assert_notice (fixture, "check it before you use it");
  tl_messages_dismiss (session->messages);

  const TlCentreAgreement late = grow (fixture, &taken, 0);
  g_assert_cmpfloat (late.centre_col, !=, early.centre_col);
  g_assert_cmpfloat (fabs (late.centre_col - early.centre_col), <=,
                     late.uncertainty_col);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==,
                     early.centre_col);
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_null (notice);

  /* The move is that of the axis that is named. */
  g_autofree char *line = tl_session_dup_centre_line (session);
  g_autofree char *move = dup_move (session, &late);
  g_test_message ("%s, and the move %s", line, move);
  g_assert_true (g_str_has_suffix (line, move));
  leave (&taken);
}

/* Of an uncertain centre, few more projections are enough. */
static void
test_sooner (TlFixture *fixture, gconstpointer data)
{
  Taken taken;
  write_scan (fixture, "noisy.h5", CENTRE, be_noisy);
  const TlCentreAgreement early = follow (fixture, &taken);
  g_assert_false (early.is_certain);
  take (&taken, N_EARLY, N_SOON, 0);
  tl_display_grow (fixture->session->display);
  tl_session_wait_until (fixture->session, is_busy_again);
  const TlCentreAgreement soon = wait (fixture);
  g_assert_cmpfloat (soon.centre_col, !=, early.centre_col);
  leave (&taken);
}

/* Takes the rest of the scan. */
static TlCentreAgreement
complete (TlFixture *fixture, Taken *taken, size_t moved)
{
  take (taken, N_EARLY, N_ALL, moved);
  tl_held_end (taken->held);
  tl_display_grow (fixture->session->display);
  tl_session_wait_until (fixture->session, is_busy_again);
  return wait (fixture);
}

/* The line says the axis, the centre that the user has set, and the same move
 * of the stage as the Centre group: that of the axis. */
static void
assert_set_line (TlSession *session, const char *given)
{
  g_autofree char *line = tl_session_dup_centre_line (session);
  g_autofree char *move =
      tl_overlay_describe_move (tl_session_get_overlay (session));
  TlCentreAgreement agreement;
  const double middle =
      (double)(tl_scan_source_get_summary (session->source)->n_cols - 1) / 2;
  tl_centre_search_get_agreement (tl_session_get_centre_search (session),
                                  &agreement);
  g_test_message ("%s", line);
  g_assert_nonnull (strstr (line, given));
  g_assert_true (agreement.is_certain);
  g_assert_true (g_str_has_suffix (line, move));
  g_assert_nonnull (strstr (move, " ± "));
  g_assert_nonnull (
      strstr (move, middle > agreement.centre_col ? "higher" : "lower"));
}

/* The next scan of a stream is searched again, also when the one before was
 * complete; one whose centre the user has set is searched, too, and keeps it.
 */
static void
test_next_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  Taken first, second, third;
  follow (fixture, &first);
  complete (fixture, &first, 0);
  g_assert_cmpfloat (fabs (tl_parameters_get_centre (parameters) - CENTRE), <,
                     NEAR);
  show_first (fixture, &second, 2);
  g_assert_cmpfloat (fabs (tl_parameters_get_centre (parameters) - CENTRE - 2),
                     <, NEAR);
  assert_notice (fixture, "found by");

  tl_parameters_set_centre (parameters, 44);
  tl_session_wait_for (session, "busy", FALSE);
  tl_messages_dismiss (session->messages);
  const TlCentreAgreement given = show_first (fixture, &third, 0);
  g_assert_cmpfloat (fabs (given.centre_col - CENTRE), <, NEAR);
  complete (fixture, &third, 0);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 44);
  assert_set_line (session, "; the centre is set to 44. ");
  g_autofree char *notice = NULL;
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_null (notice);
  leave (&first);
  leave (&second);
  leave (&third);
}

/* Begins another scan, of too few projections for a search. Returns: its
 * centre */
static double
show_few (TlFixture *fixture, Taken *taken)
{
  TlSession *session = fixture->session;
  begin (fixture, taken);
  take (taken, 0, N_FEW, 0);
  g_signal_emit_by_name (session->growth, "begun", taken->held);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (tl_scan_source_get_summary (session->source)->n_projections,
                    ==, N_FEW);
  return tl_parameters_get_centre (session->parameters);
}

/* A scan begins with the last certain centre, or with the middle, after one in
 * which the search was uncertain; and a certain centre stays until the user
 * asks. */
static void
test_spoilt (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  Taken taken[5];
  write_scan (fixture, "noisy.h5", CENTRE, be_noisy);
  const TlCentreAgreement noisy = follow (fixture, &taken[0]);
  g_assert_false (noisy.is_certain);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     noisy.centre_col);
  g_assert_cmpfloat (show_few (fixture, &taken[1]), ==, MIDDLE);

  write_scan (fixture, "clean.h5", CENTRE, NULL);
  const TlCentreAgreement clean = show_first (fixture, &taken[2], 0);
  g_assert_true (clean.is_certain);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     clean.centre_col);

  write_scan (fixture, "noisy-again.h5", CENTRE, be_noisy);
  const TlCentreAgreement moved = show_first (fixture, &taken[3], MOVED);
  g_assert_false (moved.is_certain);
  g_assert_cmpfloat (fabs (moved.centre_col - clean.centre_col), >,
                     moved.uncertainty_col);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     clean.centre_col);
  tl_centre_search_start (get_search (fixture));
  wait (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     moved.centre_col);
  g_assert_cmpfloat (show_few (fixture, &taken[4]), ==, clean.centre_col);
  g_assert_true (tl_parameters_is_centre_found (parameters));
  for (guint k = 0; k < G_N_ELEMENTS (taken); k++)
    leave (&taken[k]);
}

/* A recording takes the place of its scan, and is searched in its stead. */
static void
test_recording (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  Taken taken;
  follow (fixture, &taken);
  tl_messages_dismiss (session->messages);
  session->recording = g_strdup (fixture->scan);
  tl_session_open (session, fixture->scan);
  tl_session_wait_until (session, is_busy_again);
  const TlCentreAgreement all = wait (fixture);
  g_assert_false (tl_scan_source_get_summary (session->source)->is_growing);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==,
                     all.centre_col);
  assert_notice (fixture, "found by");
  leave (&taken);
}

/* So is one in which the user has set the centre. */
static void
test_set_recording (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  Taken taken;
  follow (fixture, &taken);
  tl_parameters_set_centre (session->parameters, 44);
  tl_session_wait_for (session, "busy", FALSE);
  complete (fixture, &taken, 0);
  session->recording = g_strdup (fixture->scan);
  tl_session_open (session, fixture->scan);
  tl_session_wait_until (session, is_busy_again);
  wait (fixture);
  g_assert_false (tl_scan_source_get_summary (session->source)->is_growing);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==, 44);
  assert_set_line (session, "; the centre is set to 44. ");
  leave (&taken);
}

static void
turn_half (TlPhantomScan *scan)
{
  scan->angles_deg[1] = 180;
}

static gboolean
is_shown (TlSession *session)
{
  return tl_scan_source_is_open (session->source)
         && tl_scan_source_get_summary (session->source)->is_growing;
}

/* One projection before half a turn is there, the estimators would not have
 * enough. */
static void
test_half (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlCentreSearch *search = get_search (fixture);
  Taken taken;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "live");
  write_scan (fixture, "half.h5", CENTRE, turn_half);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  tl_growth_follow (session->growth, folder, NULL, &error);
  g_assert_no_error (error);
  begin (fixture, &taken);
  taken.turn_deg = 180;
  take (&taken, 0, N_ALL - 1, 0);
  g_signal_emit_by_name (session->growth, "begun", taken.held);
  tl_session_wait_until (session, is_shown);
  g_assert_cmpint (tl_centre_search_get_state (search), ==,
                   TL_CENTRE_SEARCH_IDLE);
  take (&taken, N_ALL - 1, N_ALL, 0);
  tl_display_grow (session->display);
  tl_session_wait_until (session, is_over);
  for (guint k = 0; k < tl_centre_search_count (search); k++)
    {
      TlCentreFound found;
      tl_centre_search_get (search, k, &found);
      g_assert_null (strstr (found.reason, "half a turn;"));
    }
  leave (&taken);
}

/* Half a turn is there when the first of two passes is, to within its step. */
static void
test_interlaced (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  Taken taken;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "live");
  write_scan (fixture, "interlaced.h5", CENTRE, turn_half);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  tl_growth_follow (session->growth, folder, NULL, &error);
  g_assert_no_error (error);
  begin (fixture, &taken);
  taken.turn_deg = 180;
  for (size_t p = 0; p < N_ALL; p += 2)
    take (&taken, p, p + 1, 0);
  for (size_t p = 1; p < 9; p += 2)
    take (&taken, p, p + 1, 0);
  g_signal_emit_by_name (session->growth, "begun", taken.held);
  tl_session_wait_until (session, is_busy_again);
  wait (fixture);
  g_assert_true (tl_scan_source_get_summary (session->source)->is_growing);
  leave (&taken);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (TlFixture *, gconstpointer);
    gint data;
  } cases[] = {
    { "/centre-search/found", test_found, FALSE },
    { "/centre-search/own-step", test_own_step, FALSE },
    { "/centre-search/each", test_each, FALSE },
    { "/centre-search/next", test_next, FALSE },
    { "/centre-search/touched", test_touched, FALSE },
    { "/centre-search/moved-back", test_touched, TRUE },
    { "/centre-search/other-scan", test_other_scan, FALSE },
    { "/centre-search/bad-scan", test_bad_scan, FALSE },
    { "/centre-search/late", test_late, FALSE },
    { "/centre-search/noise", test_noise, FALSE },
    { "/centre-search/look", test_look, FALSE },
    { "/centre-search/few-angles", test_few_angles, FALSE },
    { "/centre-search/given", test_given, FALSE },
    { "/centre-search/given-late", test_given, TRUE },
    { "/centre-search/recipe", test_recipe, FALSE },
    { "/centre-search/again", test_again, FALSE },
    { "/centre-search/reopened", test_reopened, FALSE },
    { "/centre-search/joined", test_joined, FALSE },
    { "/centre-search/joined-late", test_joined, TRUE },
    { "/centre-search/replaced", test_replaced, FALSE },
    { "/centre-search/misfit", test_misfit, FALSE },
    { "/centre-search/off", test_off, FALSE },
    { "/centre-search/old", test_old, FALSE },
    { "/centre-search/switched", test_switched, FALSE },
    { "/centre-search/tilt", test_tilt, FALSE },
    { "/centre-search/end", test_end, FALSE },
    { "/centre-search/taken", test_taken, 0 },
    { "/centre-search/moved", test_taken, 2 },
    { "/centre-search/other-notice", test_other_notice, 2 },
    { "/centre-search/unsure", test_unsure, 0 },
    { "/centre-search/next-scan", test_next_scan, 0 },
    { "/centre-search/spoilt", test_spoilt, 0 },
    { "/centre-search/recording", test_recording, 0 },
    { "/centre-search/set-recording", test_set_recording, 0 },
    { "/centre-search/sooner", test_sooner, 0 },
    { "/centre-search/half", test_half, 0 },
    { "/centre-search/interlaced", test_interlaced, 0 },
  };
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    g_test_add (cases[k].path, TlFixture, GINT_TO_POINTER (cases[k].data),
                set_up, cases[k].func, tl_fixture_tear_down);
  return g_test_run ();
}
