/* The engine fails while the session works: the device is lost or out of
 * memory. */
#include "app/session/session.h"

#include "data/error.h"
#include "tests/app/scratch.h"
#include "tests/app/session/other-engine.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/wrapped.h"

/* Replaces the engine's function (see meson.build): the next reconstructions
 * fail. */
static gint n_failures; /* atomic */
static gint code;       /* atomic: of TlError */
/* (nullable): if set, reconstructions fail on every engine but this one */
static TlEngine *spared;      /* atomic */
static TlEngine *last_engine; /* atomic: that was asked last */

TlFrame *
__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                              GCancellable *cancellable, GError **error)
{
  const TlEngine *only = g_atomic_pointer_get (&spared);
  g_atomic_pointer_set (&last_engine, engine);
  if (only != NULL && engine != only)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_MEMORY,
                           "the export has no memory");
      return NULL;
    }
  if (g_atomic_int_get (&n_failures) == 0)
    return __real_tl_engine_reconstruct (engine, params, cancellable, error);
  g_atomic_int_add (&n_failures, -1);
  g_set_error_literal (error, TL_ERROR, g_atomic_int_get (&code),
                       "it fell off the bus");
  return NULL;
}

/* The same for reading the scan. */
static gint n_read_failures; /* atomic */

gboolean __real_tl_reader_read_part (TlReader *reader, size_t first_row,
                                     size_t n_rows, guint *every,
                                     double patience_s, void *dest,
                                     GCancellable *cancellable, GError **error);
gboolean __wrap_tl_reader_read_part (TlReader *reader, size_t first_row,
                                     size_t n_rows, guint *every,
                                     double patience_s, void *dest,
                                     GCancellable *cancellable, GError **error);

gboolean
__wrap_tl_reader_read_part (TlReader *reader, size_t first_row, size_t n_rows,
                            guint *every, double patience_s, void *dest,
                            GCancellable *cancellable, GError **error)
{
  if (g_atomic_int_get (&n_read_failures) == 0)
    return __real_tl_reader_read_part (reader, first_row, n_rows, every,
                                       patience_s, dest, cancellable, error);
  g_atomic_int_add (&n_read_failures, -1);
  return tl_fail (error, TL_ERROR_MEMORY, "no room for the rows");
}

gboolean __real_tl_reader_read_projection (TlReader *reader, size_t projection,
                                           void *dest, GError **error);
gboolean __wrap_tl_reader_read_projection (TlReader *reader, size_t projection,
                                           void *dest, GError **error);

gboolean
__wrap_tl_reader_read_projection (TlReader *reader, size_t projection,
                                  void *dest, GError **error)
{
  if (g_atomic_int_get (&n_read_failures) == 0)
    return __real_tl_reader_read_projection (reader, projection, dest, error);
  g_atomic_int_add (&n_read_failures, -1);
  return tl_fail (error, TL_ERROR_MEMORY, "no room for the rows");
}

static void
ask_for_slice (TlSession *session, guint slice)
{
  tl_parameters_set_slice (session->parameters, slice);
  tl_session_wait_for (session, "busy", FALSE);
}

/* Host takes over the request and the following ones; one sentence says so,
 * until it is dismissed. */
static void
check_lost (TlFixture *fixture, TlError error_code)
{
  TlSession *session = fixture->session;
  tl_play_other_engine (TRUE);
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&code, error_code);
  g_atomic_int_set (&n_failures, 1);
  ask_for_slice (session, 3);
  g_assert_cmpint (g_atomic_int_get (&n_failures), ==, 0);
  tl_session_assert_message (
      session,
      "The engine other failed, so host computes now: it fell off the bus");
  tl_session_assert_shown (session, fixture->scan, "3", "30");
  ask_for_slice (session, 4);
  tl_session_assert_message (session, "host computes now: it fell off the bus");
  tl_session_assert_shown (session, fixture->scan, "4", "30");
  tl_messages_dismiss (session->messages);
  ask_for_slice (session, 5);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "5", "30");
}

static void
test_device (TlFixture *fixture, gconstpointer data)
{
  check_lost (fixture, TL_ERROR_DEVICE);
}

static void
test_memory (TlFixture *fixture, gconstpointer data)
{
  check_lost (fixture, TL_ERROR_MEMORY);
}

/* Asserts that the last read failed, and nothing is said of the engine. */
static void
assert_no_room (TlSession *session)
{
  g_autofree char *message = NULL;
  g_assert_cmpint (g_atomic_int_get (&n_read_failures), ==, 0);
  g_object_get (session->messages, "message", &message, NULL);
  g_assert_cmpstr (message, ==, "no room for the rows");
  tl_messages_dismiss (session->messages);
}

/* Reading runs out of memory: host would need as much, and the engine stays. */
static void
test_reading (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_play_other_engine (TRUE);
  g_atomic_int_set (&n_read_failures, 1);
  tl_session_open (session, fixture->scan);
  tl_session_wait_for (session, "busy", FALSE);
  assert_no_room (session);
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&n_read_failures, 1);
  tl_display_set_picture (session->display, TL_PICTURE_PROJECTION);
  tl_session_wait_for (session, "busy", FALSE);
  assert_no_room (session);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_wait_for (session, "busy", FALSE);
  g_atomic_int_set (&n_read_failures, 1);
  ask_for_slice (session, 3);
  assert_no_room (session);
  ask_for_slice (session, 4);
  g_assert_cmpstr (tl_display_get_status (session->display)->engine, ==,
                   "other");
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "4", "30");
}

/* Host fails as well: the previous picture stays, and the session still works.
 */
static void
test_nobody (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_fixture_open_scan (fixture);
  TlFrame *frame = tl_display_get_frame (display);
  tl_play_other_engine (TRUE);
  g_atomic_int_set (&code, TL_ERROR_MEMORY);
  g_atomic_int_set (&n_failures, 2);
  ask_for_slice (session, 3);
  tl_session_assert_message (session, "host failed, too: it fell off");
  g_assert_true (tl_display_get_frame (session->display) == frame);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==,
                    (N_ROWS - 1) / 2);
  ask_for_slice (session, 4);
  tl_session_assert_shown (session, fixture->scan, "4", "30");
}

/* When host fails it is opened once more, with all memory freed; after that
 * only the reason is shown. */
static void
test_host (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *message = NULL;
  tl_play_other_engine (FALSE);
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&code, TL_ERROR_MEMORY);
  g_atomic_int_set (&n_failures, 1);
  ask_for_slice (session, 3);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "3", "30");
  g_atomic_int_set (&n_failures, 2);
  ask_for_slice (session, 4);
  g_object_get (session->messages, "message", &message, NULL);
  g_assert_cmpstr (message, ==, "it fell off the bus");
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 3);
}

/* An export whose own engine runs out of memory fails alone: the engine of the
 * pictures is kept, and goes on. */
static void
test_export (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "volume");
  g_autofree char *status = NULL;
  tl_play_other_engine (TRUE);
  tl_fixture_open_scan (fixture);
  ask_for_slice (session, 3);
  TlEngine *own = g_atomic_pointer_get (&last_engine);
  g_atomic_pointer_set (&spared, own);
  TlExportRun *run = tl_session_export (session->exporter, path, 0, 5);
  tl_session_wait_for (session, "running", FALSE);
  g_object_get (run, "status", &status, NULL);
  g_assert_cmpint (tl_export_run_get_state (run), ==, TL_EXPORT_FAILED);
  g_assert_nonnull (strstr (status, "the export has no memory"));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (g_atomic_pointer_get (&last_engine) != own);
  tl_messages_dismiss (session->messages);
  ask_for_slice (session, 4);
  g_assert_true (g_atomic_pointer_get (&last_engine) == own);
  g_atomic_pointer_set (&spared, NULL); /* for the fixture's own engine */
  g_assert_cmpstr (tl_display_get_status (session->display)->engine, ==,
                   "other");
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "4", "30");
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/lost-engine/device", test_device },
    { "/lost-engine/memory", test_memory },
    { "/lost-engine/reading", test_reading },
    { "/lost-engine/host", test_host },
    { "/lost-engine/nobody", test_nobody },
    { "/lost-engine/export", test_export },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
