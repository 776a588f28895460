/* Undo and redo of a session's parameters, and whole recipes. */
#include "app/session/session.h"

#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <string.h>

static void
set (TlFixture *fixture, const char *key, const char *value)
{
  g_assert_true (
      tl_parameters_set (fixture->session->parameters, key, value, NULL));
}

static void
wait (TlFixture *fixture)
{
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

static void
assert_step (TlFixture *fixture, guint present, guint n)
{
  TlParameters *parameters = fixture->session->parameters;
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==,
      present);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==, n);
}

static void
assert_words (TlFixture *fixture, guint index, const char *want)
{
  g_assert_cmpstr (
      tl_history_get_words (
          tl_parameters_get_history (fixture->session->parameters), index),
      ==, want);
}

static void
test_undo (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  assert_step (fixture, 0, 0);
  tl_parameters_undo (parameters);
  tl_parameters_redo (parameters);
  tl_fixture_open_scan (fixture);
  assert_step (fixture, 0, 1);
  for (int k = 1; k <= 8; k++)
    tl_parameters_set_centre (parameters, 30 + k / 16.);
  set (fixture, "preset", "smooth");
  assert_step (fixture, 2, 3);
  assert_words (fixture, 1, "Centre 30 → 30.5");
  assert_words (fixture, 2, "Filter Ramp → Hann, Cut-off 1 → 0.5");
  tl_parameters_undo (parameters);
  tl_session_assert_value (fixture->session, "preset", "plain");
  tl_parameters_undo (parameters);
  tl_parameters_undo (parameters);
  assert_step (fixture, 0, 3);
  wait (fixture);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  tl_parameters_redo (parameters);
  wait (fixture);
  tl_session_assert_shown (session, fixture->scan, "9", "30.5");
  tl_parameters_go_to_step (parameters, 2);
  tl_parameters_redo (parameters);
  tl_session_assert_value (fixture->session, "cutoff", "0.5");
  assert_step (fixture, 2, 3);
  wait (fixture);
}

/* Zingers, phase and rings are steps like the others, also while a sinogram is
 * shown. */
static void
test_corrections (TlFixture *fixture, gconstpointer data)
{
  static const char *const values[][3] = {
    { "zingers", "off", "on" },    { "pixel-size", NULL, "2" },
    { "energy", "", "20" },        { "distance", "", "40" },
    { "delta-beta", "", "50" },    { "phase", "off", "on" },
    { "rings", "off", "sorting" },
  };
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_fixture_open_scan (fixture);
  for (size_t k = 0; k < G_N_ELEMENTS (values); k++)
    set (fixture, values[k][0], values[k][2]);
  tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
  wait (fixture);
  for (size_t k = G_N_ELEMENTS (values); k-- > 0;)
    {
      tl_session_assert_value (fixture->session, values[k][0], values[k][2]);
      tl_parameters_undo (session->parameters);
      if (values[k][1] != NULL)
        tl_session_assert_value (fixture->session, values[k][0], values[k][1]);
    }
  assert_step (fixture, 0, G_N_ELEMENTS (values) + 1);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  wait (fixture);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
}

/* Going to a step may read the scan again; the following steps wait for it. */
static void
test_reopen (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  set (fixture, "filter", "hann");
  set (fixture, "angles", "10:90");
  tl_parameters_set_centre (parameters, 31); /* while it is read */
  wait (fixture);
  assert_step (fixture, 3, 4);
  assert_words (fixture, 2, "Angles default → 10:90");
  assert_words (fixture, 3, "Centre 30 → 31");
  tl_parameters_undo (parameters);
  tl_parameters_undo (parameters); /* reads the scan again */
  tl_parameters_undo (parameters);
  wait (fixture);
  assert_step (fixture, 0, 4);
  tl_session_assert_value (fixture->session, "angles", "");
  tl_session_assert_value (fixture->session, "filter", "ramp");
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  tl_parameters_go_to_step (parameters, 2);
  wait (fixture);
  assert_step (fixture, 2, 4);
  g_assert_cmpfloat_with_epsilon (
      tl_scan_source_get_summary (session->source)->first_angle_deg, 10, 1e-9);
  /* A file that cannot be read leaves the history unchanged. */
  tl_parameters_undo (parameters);
  wait (fixture);
  set (fixture, "angles-file", "missing.txt");
  wait (fixture);
  tl_session_assert_message (session, "missing.txt");
  assert_step (fixture, 1, 4);
}

static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autofree char *other = tl_scratch_phantom (fixture->folder, "b.h5",
                                               N_PROJECTIONS, N_ROWS, N_COLS);
  tl_fixture_open_scan (fixture);
  tl_parameters_set_centre (parameters, 31);
  tl_session_open (session, fixture->scan);
  wait (fixture);
  assert_step (fixture, 1, 2);
  tl_session_open (session, other);
  wait (fixture);
  assert_step (fixture, 0, 1);
  tl_parameters_undo (parameters);
  tl_session_assert_value (fixture->session, "centre", "30");
}

/* A kernel that the engine does not have gives a message and the previous step;
 * the failed step is kept, to be tried again. */
static void
test_unsupported (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_open_scan (fixture);
  set (fixture, "kernel", "texture");
  wait (fixture);
  tl_session_assert_value (fixture->session, "kernel", "auto");
  assert_step (fixture, 0, 2);
  assert_words (fixture, 1, "Kernel Automatic → Texture");
}

/* A recipe for the open scan is one step, and the scan is not read again. */
static void
test_recipe (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.ini");
  g_autofree char *bad = tl_scratch_path (fixture->folder, "bad.ini");
  g_assert_true (g_file_set_contents (bad, "[recipe]\nslice=400\n", -1, NULL));
  tl_fixture_open_scan (fixture);
  set (fixture, "filter", "hann");
  tl_parameters_set_slice (parameters, 6);
  tl_parameters_save (parameters, path, NULL);
  tl_parameters_go_to_step (parameters, 0);
  wait (fixture);
  const guint64 before = tl_scan_source_get_serial (session->source);
  tl_session_open (session, path);
  wait (fixture);
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), ==, before);
  assert_step (fixture, 1, 2);
  assert_words (fixture, 1, "Slice 9 → 6, Filter Ramp → Hann");
  /* Options of the command line besides the recipe. */
  g_assert_true (tl_session_set_opening (session, "slice", "5", NULL));
  tl_session_assert_value (fixture->session, "slice", "5");
  tl_session_open (session, bad);
  wait (fixture);
  tl_session_assert_message (session, "there is no slice 400");
  assert_step (fixture, 2, 3);
  g_assert_false (tl_session_set_opening (session, "slice", "5", NULL));
  tl_parameters_go_to_step (parameters, 0);
  wait (fixture);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  /* A recipe that reads the scan in another way. */
  g_assert_true (
      g_file_set_contents (path, "[recipe]\nangles=0:90\n", -1, NULL));
  tl_session_open (session, path);
  wait (fixture);
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), !=, before);
  assert_words (fixture, 1,
                "Engine Processor → Automatic, Angles default → 0:90");
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/steps/undo", test_undo },
    { "/steps/corrections", test_corrections },
    { "/steps/reopen", test_reopen },
    { "/steps/other-scan", test_other_scan },
    { "/steps/unsupported", test_unsupported },
    { "/steps/recipe", test_recipe },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
