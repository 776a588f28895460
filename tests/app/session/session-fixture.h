/* A session on a small scan, and what its tests ask of it. */
#pragma once

#include "app/session/session.h"

G_BEGIN_DECLS

enum
{
  N_PROJECTIONS = 37,
  N_ROWS = 19,
  N_COLS = 61
};

/* More than any step here takes, also under a sanitizer. */
#define TL_PATIENCE_S 30

typedef struct
{
  char *folder, *scan;
  TlSession *session;
  guint n_frames;
} TlFixture;

/** tl_fixture_set_up: A scan on disk, and a session that has not opened it. */
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
 * @set_up: tl_fixture_set_up(), or the test's own, which calls it
 * @cases: (array length=n): each with a fixture of its own
 *
 * Returns: what main() has to return
 */
int tl_fixture_run (int argc, char **argv, TlFixtureFunc set_up,
                    const TlFixtureCase *cases, size_t n);

/** tl_fixture_open_bad_row: A folder "images" of which row 2 cannot be read. */
void tl_fixture_open_bad_row (TlFixture *fixture);

/** tl_lose_patience: A #GSourceFunc that ends the test. */
gboolean tl_lose_patience (gpointer data);

/** tl_wait_for_cancelling: In a worker's thread; ends the test where nobody
 * cancels it. */
void tl_wait_for_cancelling (GCancellable *cancellable);

/** tl_session_wait_for: Runs the main loop until @property is @wanted. It must
 * not be kept from it: tests/support/watchdog.h. */
void tl_session_wait_for (TlSession *session, const char *property,
                          gboolean wanted);

/** tl_session_wait_until: Lets the main loop run until @check is true. */
void tl_session_wait_until (TlSession *session,
                            gboolean (*check) (TlSession *session));

/** tl_session_change: Sets the parameter and waits for its picture. */
void tl_session_change (TlSession *session, const char *key, const char *value);

/** tl_session_hold_now: Holds the slice as A and waits until it is there. */
void tl_session_hold_now (TlSession *session);

/** tl_session_has_held: A is there; for tl_session_wait_until(). */
gboolean tl_session_has_held (TlSession *session);

/** tl_session_has_difference: B less A is; for tl_session_wait_until(). */
gboolean tl_session_has_difference (TlSession *session);

/**
 * tl_session_assert_shown:
 *
 * The pixels shown are those that the scan, the slice and the centre give
 * without a session.
 */
void tl_session_assert_shown (TlSession *session, const char *path,
                              const char *slice, const char *centre);

/** tl_session_assert_message: It says @part; %NULL: there is none. */
void tl_session_assert_message (TlSession *session, const char *part);

/** tl_session_assert_notice: It begins with @words, blank, @path; %NULL: there
 * is none. */
void tl_session_assert_notice (TlSession *session, const char *words,
                               const char *path);

G_END_DECLS
