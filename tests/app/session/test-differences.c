/* The engine that subtracts A from slices: one for all differences. */
#include "app/session/session.h"

#include "data/error.h"
#include "tests/app/session/session-fixture.h"

static gint n_opened; /* atomic: engines opened */
static gint n_waits;  /* atomic: openings that are waiting */
static gint waits;    /* atomic: the next opening waits and then fails */

TlEngine *__wrap_tl_engine_open (const char *name, GError **error);
TlEngine *__real_tl_engine_open (const char *name, GError **error);

TlEngine *
__wrap_tl_engine_open (const char *name, GError **error)
{
  g_atomic_int_inc (&n_opened);
  if (!g_atomic_int_get (&waits))
    return __real_tl_engine_open (name, error);
  g_atomic_int_inc (&n_waits);
  while (g_atomic_int_get (&waits))
    g_usleep (1000);
  g_set_error_literal (error, TL_ERROR, TL_ERROR_MEMORY, "no engine");
  return NULL;
}

static gboolean
has_waited (TlSession *session)
{
  return g_atomic_int_get (&n_waits) > 0;
}

static gboolean
has_failed (TlSession *session)
{
  g_autofree char *message = NULL;
  g_object_get (session->messages, "message", &message, NULL);
  return message != NULL;
}

/* One engine makes all differences. After an error, the difference of the next
 * slice is made. */
static void
test_differences (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  tl_fixture_open_scan (fixture);
  tl_session_hold_now (session);
  g_atomic_int_set (&waits, TRUE);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  tl_session_wait_until (session, has_waited);
  tl_session_change (session, "filter", "hann");
  g_assert_null (tl_slice_comparison_get_difference (comparison));
  g_atomic_int_set (&waits, FALSE);
  tl_session_wait_until (session, tl_session_has_difference);
  tl_session_assert_message (session, "no engine");

  const gint n = g_atomic_int_get (&n_opened);
  for (guint k = 0; k < 3; k++)
    {
      tl_session_change (session, "centre", k % 2 == 0 ? "30" : "29");
      tl_session_wait_until (session, tl_session_has_difference);
    }
  g_assert_cmpint (g_atomic_int_get (&n_opened), ==, n);

  /* Choosing the mode again retries a difference that failed. */
  tl_slice_comparison_release (comparison);
  tl_session_hold_now (session);
  g_atomic_int_set (&n_waits, 0);
  g_atomic_int_set (&waits, TRUE);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  tl_session_wait_until (session, has_waited);
  g_atomic_int_set (&waits, FALSE);
  tl_session_wait_until (session, has_failed);
  g_assert_null (tl_slice_comparison_get_difference (comparison));
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_BLINK);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  tl_session_wait_until (session, tl_session_has_difference);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/differences/one-engine", TlFixture, NULL, tl_fixture_set_up,
              test_differences, tl_fixture_tear_down);
  return g_test_run ();
}
