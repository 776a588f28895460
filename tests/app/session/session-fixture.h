/* A session on a small scan, and helpers to drive and check it. */
#pragma once

#include "app/display/preview-scheduler.h"
#include "app/session/session.h"

enum
{
  N_PROJECTIONS = 37,
  N_ROWS = 19,
  N_COLS = 61
};

/* Longer than any step of a test takes, even under a sanitizer. */
#define TL_PATIENCE_S 30

typedef struct
{
  char *folder, *scan;
  TlSession *session;
  guint n_frames;
} TlFixture;

/** tl_fixture_set_up: Writes a scan and makes a session that has not opened
 * it. */
void tl_fixture_set_up (TlFixture *fixture, gconstpointer data);
void tl_fixture_open_scan (TlFixture *fixture);
void tl_fixture_tear_down (TlFixture *fixture, gconstpointer data);

typedef void (*TlFixtureFunc) (TlFixture *fixture, gconstpointer data);

typedef struct
{
  const char *path;
  TlFixtureFunc func;
} TlFixtureCase;

/**
 * tl_fixture_run:
 * @set_up: tl_fixture_set_up(), or a function that calls it
 * @cases: (array length=n): each runs with a fixture of its own
 *
 * Returns: the exit status for main()
 */
int tl_fixture_run (int argc, char **argv, TlFixtureFunc set_up,
                    const TlFixtureCase *cases, size_t n);

/** tl_fixture_open_bad_row: Opens a folder "images" whose row 2 cannot be
 * read. */
void tl_fixture_open_bad_row (TlFixture *fixture);

/** tl_fixture_wait_for_frame: Runs the main loop until there is a new frame. */
void tl_fixture_wait_for_frame (TlFixture *fixture);

/** tl_lose_patience: A #GSourceFunc that fails the test. */
gboolean tl_lose_patience (gpointer data);

/** tl_wait_for_cancelling: Waits in a worker's thread until cancelled; fails
 * the test after TL_PATIENCE_S. */
void tl_wait_for_cancelling (GCancellable *cancellable);

/** tl_session_wait_for: Runs the main loop until @property is @wanted, and
 * fails the test if the main loop is blocked: tests/support/watchdog.h. */
void tl_session_wait_for (TlSession *session, const char *property,
                          gboolean wanted);

/** tl_session_wait_seconds: Runs the main loop until @check is true or @seconds
 * are over. Returns: whether it is true */
gboolean tl_session_wait_seconds (TlSession *session,
                                  gboolean (*check) (TlSession *session),
                                  guint seconds);

/** tl_session_wait_until: Runs the main loop until @check is true; fails the
 * test after TL_PATIENCE_S. */
void tl_session_wait_until (TlSession *session,
                            gboolean (*check) (TlSession *session));

/** tl_session_pretend: Sets what was measured of pictures, now and after each
 * frame, so that any machine reduces those during a drag alike. The display
 * notes what it has measured before it notifies "frame". */
void tl_session_pretend (TlSession *session,
                         const TlPreviewScheduler *measured);

/** tl_session_pretend_slow: The same, so that pictures during a drag are
 * reduced by @reduction, 0 or 2 … 8, and made of every @every-th projection, 1,
 * 4 or 8, where the corrections run again. */
void tl_session_pretend_slow (TlSession *session, guint reduction, guint every);

/** tl_session_change: Sets the parameter and waits for its picture. */
void tl_session_change (TlSession *session, const char *key, const char *value);

/** tl_session_export: Starts an export of slices @first … @last as a stack of
 * TIFF files. Returns: (transfer none) (nullable) */
TlExportRun *tl_session_export (TlExporter *exporter, const char *folder,
                                size_t first, size_t last);

/** tl_session_hold_now: Holds the slice as A and waits until it is copied. */
void tl_session_hold_now (TlSession *session);

/** tl_session_has_held: Returns: whether there is an A; for
 * tl_session_wait_until() */
gboolean tl_session_has_held (TlSession *session);

/** tl_session_has_difference: Returns: whether there is a difference; for
 * tl_session_wait_until() */
gboolean tl_session_has_difference (TlSession *session);

/** tl_session_assert_shown: Asserts that the shown pixels equal a
 * reconstruction of the scan, slice and centre without a session. */
void tl_session_assert_shown (TlSession *session, const char *path,
                              const char *slice, const char *centre);

/** tl_session_assert_value: Asserts that the parameter @key is @want. */
void tl_session_assert_value (TlSession *session, const char *key,
                              const char *want);

/** tl_session_assert_message: Asserts that "message" contains @part; %NULL:
 * that there is none. */
void tl_session_assert_message (TlSession *session, const char *part);

/** tl_session_assert_notice: Asserts that "notice" begins with @words, a blank
 * and @path; %NULL: that there is none. */
void tl_session_assert_notice (TlSession *session, const char *words,
                               const char *path);
