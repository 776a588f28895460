/* Half acquisitions in a session: slices are wider than the detector, and their
 * size depends on the centre. */
#include "tests/app/session/session-fixture.h"

#include "tests/app/scratch.h"

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_fixture_set_up (fixture, data);
  tl_session_pretend_slow (fixture->session, 0, 1);
  tl_phantom_scan_init (&scan, N_PROJECTIONS, 5, N_COLS);
  scan.angles_deg[1] = 360;
  scan.half = TRUE;
  scan.centre_col = 12;
  g_free (fixture->scan);
  fixture->scan = tl_scratch_path (fixture->folder, "half.h5");
  tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_object_set (fixture->session->requests, "fetch", TRUE, NULL);
  tl_fixture_open_scan (fixture);
}

static void
wait (TlFixture *fixture)
{
  tl_session_wait_for (fixture->session, "busy", FALSE);
  tl_session_assert_message (fixture->session, NULL);
}

static void
assert_side (TlFixture *fixture, size_t side)
{
  size_t n_rows, n_cols;
  g_assert_true (tl_display_get_picture_size (fixture->session->display,
                                              &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, side);
  g_assert_cmpuint (n_cols, ==, side);
}

/* Half acquisition is chosen automatically while the axis is near an edge; a
 * small move does not change the slice's size. */
static void
test_centre (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *centre;
    size_t side;
  } cases[] = { { "30", 61 },  { "12", 112 },   { "11.25", 112 },
                { "3", 128 },  { "48.5", 112 }, { "25", 61 },
                { "57", 128 }, { "60.5", 128 } };
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlExportSettings settings;
  tl_export_settings_init (&settings, 1);
  assert_side (fixture, N_COLS);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_assert_true (
          tl_parameters_set (parameters, "centre", cases[k].centre, NULL));
      wait (fixture);
      assert_side (fixture, cases[k].side);
      g_assert_cmpuint (tl_exporter_count_bytes (session->exporter, &settings),
                        >, 4 * cases[k].side * cases[k].side);
      tl_session_assert_shown (session, fixture->scan, "2", cases[k].centre);
      g_autofree char *half =
          tl_recipe_get (tl_parameters_get_recipe (parameters), "half");
      g_assert_cmpstr (half, ==, "auto");
    }
}

static void
test_switch (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_assert_true (tl_parameters_set (parameters, "centre", "25", NULL));
  g_assert_true (tl_parameters_set (parameters, "half", "on", NULL));
  wait (fixture);
  assert_side (fixture, 80);
  g_assert_true (tl_parameters_set (parameters, "feather", "6", NULL));
  wait (fixture);
  g_assert_true (tl_parameters_set (parameters, "half", "off", NULL));
  wait (fixture);
  assert_side (fixture, N_COLS);
  tl_parameters_undo (parameters);
  wait (fixture);
  assert_side (fixture, 80);
}

/* A reduced picture covers the whole slice, and sharp zoom works beyond the
 * detector's width. */
static void
test_parts (TlFixture *fixture, gconstpointer data)
{
  static const TlVisible visible = {
    .row = 70, .col = 90, .pitch = 0.25, .n_rows = 40, .n_cols = 60
  };
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  double row, col, pitch;
  tl_session_pretend_slow (session, 2, 1);
  g_assert_true (tl_parameters_set (session->parameters, "centre", "12", NULL));
  while (!tl_display_shows_preview (display))
    g_main_context_iteration (NULL, TRUE);
  assert_side (fixture, 112);
  g_assert_cmpuint (tl_frame_get_n_cols (tl_display_get_frame (display)), ==,
                    56);
  wait (fixture);
  tl_session_assert_shown (session, fixture->scan, "2", "12");

  tl_session_pretend_slow (session, 0, 1);
  tl_display_set_visible (display, &visible);
  while (tl_display_get_detail (display) == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (tl_frame_get_n_cols (tl_display_get_detail (display)), ==,
                    60);
  tl_display_get_detail_place (display, &row, &col, &pitch);
  g_assert_cmpfloat (row, ==, 70);
  g_assert_cmpfloat (col, ==, 90);
  g_assert_cmpfloat (pitch, ==, 0.25);
}

/* A half turn is refused, and the previous picture stays. */
static void
test_half_turn (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_assert_true (tl_parameters_set (parameters, "angles", "0:180", NULL));
  wait (fixture);
  g_assert_true (tl_parameters_set (parameters, "centre", "12", NULL));
  wait (fixture);
  assert_side (fixture, N_COLS);
  g_autoptr (GError) error = NULL;
  g_assert_false (tl_parameters_set (parameters, "half", "on", &error));
  g_assert_nonnull (error);
  g_assert_nonnull (g_strstr_len (error->message, -1, "full turn"));
  g_autofree char *half =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "half");
  g_assert_cmpstr (half, ==, "auto");
  assert_side (fixture, N_COLS);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/half/centre", test_centre },
    { "/half/switch", test_switch },
    { "/half/parts", test_parts },
    { "/half/half-turn", test_half_turn },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
