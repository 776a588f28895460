/* Folders that do not answer (tests/support/stall.py, which says where they are
 * in TL_STALLED and TL_FALLING_SILENT): the session and the command line give
 * them up. */
#include "app/session/session.h"

#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

enum
{
  N_LEFT = 16,   /* openings that may stay behind */
  WAIT_MS = 300, /* until the system call has begun */
  LIMIT_S = 5 /* for what has to happen soon; the folder would take for ever */
};

static gboolean
set_flag (gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
run_for (guint ms)
{
  gboolean is_over = FALSE;
  g_timeout_add (ms, set_flag, &is_over);
  while (!is_over)
    g_main_context_iteration (NULL, TRUE);
}

static char *
dup_stalled (const char *name)
{
  return g_build_filename (g_getenv ("TL_STALLED"), name, NULL);
}

static void
begin_stalled (TlSession *session, const char *name)
{
  g_autofree char *path = dup_stalled (name);
  tl_session_open (session, path);
  run_for (WAIT_MS);
  g_assert_true (tl_scan_source_is_opening (session->source));
}

static void
end_soon (TlSession *session)
{
  const gint64 start_us = g_get_monotonic_time ();
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpint (g_get_monotonic_time () - start_us, <,
                   LIMIT_S * G_USEC_PER_SEC);
}

/* The open scan stays, and pictures are made of it. */
static void
test_stop (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  begin_stalled (session, "stop.h5");
  tl_session_stop_opening (session);
  end_soon (session);
  tl_session_assert_message (session, "stop.h5 does not answer");
  g_assert_false (tl_scan_source_is_opening (session->source));
  tl_session_change (session, "slice", "4");
  tl_session_assert_shown (session, fixture->scan, "4", "30");
}

static void
test_another (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  begin_stalled (session, "another");
  tl_session_open (session, fixture->scan);
  end_soon (session);
  g_assert_true (tl_scan_source_is_open (session->source));
  tl_session_assert_shown (session, fixture->scan, "9", "30");
}

/* tl_fixture_tear_down() ends the session. */
static void
test_close (TlFixture *fixture, gconstpointer data)
{
  begin_stalled (fixture->session, "close.h5");
}

static void
test_many (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  for (int k = 0; k < N_LEFT; k++)
    {
      g_autofree char *name = g_strdup_printf ("many-%d.h5", k);
      g_autofree char *path = dup_stalled (name);
      tl_session_open (session, path);
      run_for (WAIT_MS / 10);
      tl_session_stop_opening (session);
      end_soon (session);
    }
  tl_session_open (session, fixture->scan);
  end_soon (session);
  tl_session_assert_message (session, "scan.h5: not opened, because 16 scans");
}

/* A file that answers until HDF5 reads it: the library holds its lock until the
 * process ends, and scans of other formats are opened and shown all the same.
 */
static void
test_within_hdf5 (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) from = g_file_new_for_path (fixture->scan);
  g_autoptr (GFile) to = g_file_new_for_path (g_getenv ("TL_SPOKEN"));
  g_autofree char *images = tl_scratch_path (fixture->folder, "images");
  g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_session_open (session, g_getenv ("TL_FALLING_SILENT"));
  run_for (WAIT_MS);
  tl_session_stop_opening (session);
  end_soon (session);
  tl_session_assert_message (session, "scan.h5 does not answer");
  /* another HDF5 file has to wait for the lock */
  tl_session_open (session, fixture->scan);
  run_for (WAIT_MS);
  g_assert_true (tl_scan_source_is_opening (session->source));
  g_assert_cmpint (g_mkdir (images, 0777), ==, 0);
  tl_scratch_images (images, "p", 7, 4, 9, 0.5f);
  tl_session_open (session, images);
  end_soon (session);
  tl_session_assert_message (session, NULL);
  g_assert_true (tl_scan_source_is_open (session->source));
  const guint n = fixture->n_frames;
  tl_session_change (session, "slice", "3");
  g_assert_cmpuint (fixture->n_frames, >, n);
}

/* The first signal ends the program, with one sentence. */
static void
test_command (TlFixture *fixture, gconstpointer data)
{
  static const char *const commands[] = { "info", "recon" };
  for (size_t k = 0; k < G_N_ELEMENTS (commands); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = dup_stalled ("command.h5");
      g_autofree char *said = NULL;
      g_autoptr (GSubprocess) child =
          g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, TL_CLI_PATH,
                            commands[k], path, NULL);
      g_assert_no_error (error);
      g_usleep (2 * WAIT_MS * 1000);
      const gint64 start_us = g_get_monotonic_time ();
      g_subprocess_send_signal (child, SIGINT);
      g_subprocess_communicate_utf8 (child, NULL, NULL, NULL, &said, &error);
      g_assert_no_error (error);
      g_assert_cmpint (g_get_monotonic_time () - start_us, <,
                       LIMIT_S * G_USEC_PER_SEC);
      g_assert_true (g_subprocess_get_if_exited (child));
      g_assert_cmpint (g_subprocess_get_exit_status (child), ==, 1);
      g_assert_nonnull (strstr (said, "command.h5 does not answer"));
    }
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/stalled/stop", test_stop },
    { "/stalled/another", test_another },
    { "/stalled/close", test_close },
    { "/stalled/command", test_command },
    /* last: what it leaves behind stays until the process ends */
    { "/stalled/many", test_many },
    /* alone: HDF5 opens nothing afterwards */
    { "/stalled/within-hdf5", test_within_hdf5 },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
