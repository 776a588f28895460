/* Background tasks, done in steps between pictures. */
#include "app/session/session.h"

#include "data/error.h"
#include "tests/app/session/other-engine.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

/* A task that counts its steps, and its results. */
typedef struct
{
  gatomicrefcount ref_count;
  gint n_begun, n_done; /* atomic: steps */
  gint waits_at; /* atomic: the step that waits until cancelled; -1: none */
  gint fails_at;
  gint loses_at; /* atomic: the step that fails once with an engine error */
  TlError loss;
  gint n_steps;
  GString *got; /* main thread: the results */
  gboolean is_over;
  GError *error;
} Counting;

static Counting *
counting_new (gint n_steps)
{
  Counting *counting = g_new0 (Counting, 1);
  g_atomic_ref_count_init (&counting->ref_count);
  counting->n_steps = n_steps;
  counting->waits_at = counting->fails_at = counting->loses_at = -1;
  counting->got = g_string_new (NULL);
  return counting;
}

static Counting *
counting_ref (Counting *counting)
{
  g_atomic_ref_count_inc (&counting->ref_count);
  return counting;
}

static void
counting_unref (gpointer data)
{
  Counting *counting = data;
  if (!g_atomic_ref_count_dec (&counting->ref_count))
    return;
  g_string_free (counting->got, TRUE);
  g_clear_error (&counting->error);
  g_free (counting);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Counting, counting_unref)

static gboolean
count (gpointer state, TlRecon *recon, const TlRecipe *recipe,
       GCancellable *cancellable, gpointer *result, gboolean *is_done,
       GError **error)
{
  Counting *counting = state;
  const gint step = g_atomic_int_get (&counting->n_done);
  g_assert_nonnull (recon);
  g_atomic_int_inc (&counting->n_begun);
  if (step == g_atomic_int_get (&counting->waits_at))
    {
      tl_wait_for_cancelling (cancellable);
      g_atomic_int_set (&counting->waits_at, -1);
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (step == counting->fails_at)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE, "no more");
      return FALSE;
    }
  if (step == g_atomic_int_get (&counting->loses_at))
    {
      g_atomic_int_set (&counting->loses_at, -1);
      g_set_error_literal (error, TL_ERROR, counting->loss, "it is gone");
      return FALSE;
    }
  *result = g_strdup_printf ("%d ", step);
  *is_done = g_atomic_int_add (&counting->n_done, 1) + 1 == counting->n_steps;
  return TRUE;
}

static void
take (TlReply *reply, gpointer data)
{
  Counting *counting = data;
  g_assert_false (counting->is_over);
  if (reply->result != NULL)
    g_string_append (counting->got, reply->result);
  if (reply->error != NULL)
    counting->error = g_error_copy (reply->error);
  counting->is_over = reply->is_last || reply->error != NULL;
}

static void
send_with (TlSession *session, const TlRecipe *recipe, Counting *counting)
{
  const TlTask task = {
    .kind = TL_TASK_HEIGHT,
    .step = count,
    .state = counting_ref (counting),
    .free_state = counting_unref,
    .free_result = g_free,
  };
  tl_tasks_send (session->tasks, recipe, &task, take, counting);
}

static void
send (TlSession *session, Counting *counting)
{
  send_with (session, tl_parameters_get_recipe (session->parameters), counting);
}

static void
wait_for_int (const gint *value, gint wanted)
{
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  while (g_atomic_int_get (value) < wanted)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_source_remove (id);
}

/* Waits until the worker has released the task. */
static void
wait_for_freed (Counting *counting)
{
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  while (!g_atomic_ref_count_compare (&counting->ref_count, 1))
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_source_remove (id);
}

static void
test_steps (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (5);
  tl_fixture_open_scan (fixture);
  send (fixture->session, counting);
  wait_for_int (&counting->is_over, TRUE);
  g_assert_cmpstr (counting->got->str, ==, "0 1 2 3 4 ");
  g_assert_no_error (counting->error);
  wait_for_freed (counting);
}

static void
test_gives_way (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  tl_fixture_open_scan (fixture);
  const guint n_frames = fixture->n_frames;
  counting->waits_at = 1;
  send (fixture->session, counting);
  wait_for_int (&counting->n_begun, 2);
  tl_parameters_set_centre (fixture->session->parameters, 31);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_cmpuint (fixture->n_frames, >, n_frames);
  wait_for_int (&counting->is_over, TRUE);
  g_assert_cmpstr (counting->got->str, ==, "0 1 2 ");
  g_assert_cmpint (counting->n_begun, ==, 4);
  g_assert_no_error (counting->error);
}

static void
test_replaced (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) old = counting_new (3);
  g_autoptr (Counting) other = counting_new (2);
  tl_fixture_open_scan (fixture);
  old->waits_at = 1;
  send (fixture->session, old);
  wait_for_int (&old->n_begun, 2);
  send (fixture->session, other);
  wait_for_int (&other->is_over, TRUE);
  g_assert_cmpstr (other->got->str, ==, "0 1 ");
  wait_for_freed (old);
  g_assert_cmpint (old->n_done, ==, 1);
  g_assert_false (old->is_over);
}

static void
test_dropped (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  tl_fixture_open_scan (fixture);
  counting->waits_at = 1;
  send (fixture->session, counting);
  wait_for_int (&counting->n_begun, 2);
  tl_tasks_drop (fixture->session->tasks, TL_TASK_HEIGHT);
  wait_for_freed (counting);
  g_assert_cmpint (counting->n_begun, ==, 2);
  g_assert_false (counting->is_over);
}

static void
test_fails (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  tl_fixture_open_scan (fixture);
  counting->fails_at = 1;
  send (fixture->session, counting);
  wait_for_int (&counting->is_over, TRUE);
  g_assert_error (counting->error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpstr (counting->got->str, ==, "0 ");
  wait_for_freed (counting);
  tl_session_assert_message (fixture->session, NULL);
}

/* If no engine can be opened, the sender gets the error before any step. */
static void
test_no_engine (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  tl_fixture_open_scan (fixture);
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup (tl_parameters_get_recipe (fixture->session->parameters));
  g_free (recipe->engine);
  recipe->engine = g_strdup ("nothing");
  send_with (fixture->session, recipe, counting);
  wait_for_int (&counting->is_over, TRUE);
  g_assert_nonnull (counting->error);
  g_assert_cmpint (counting->n_begun, ==, 0);
  wait_for_freed (counting);
}

/* Runs a task of three steps whose second step fails once with @loss. */
static void
lose (TlFixture *fixture, Counting *counting, TlError loss)
{
  tl_fixture_open_scan (fixture);
  counting->loses_at = 1;
  counting->loss = loss;
  tl_play_other_engine (TRUE);
  send (fixture->session, counting);
  wait_for_int (&counting->is_over, TRUE);
  tl_play_other_engine (FALSE);
  wait_for_freed (counting);
}

/* Host repeats the failed step and does the following ones. */
static void
test_lost (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  lose (fixture, counting, TL_ERROR_DEVICE);
  g_assert_no_error (counting->error);
  g_assert_cmpstr (counting->got->str, ==, "0 1 2 ");
  g_assert_cmpint (counting->n_begun, ==, 4);
  tl_session_assert_message (fixture->session,
                             "other failed, so host computes now: it is gone");
}

/* A task out of memory fails, but the engine stays in use for pictures. */
static void
test_memory (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  lose (fixture, counting, TL_ERROR_MEMORY);
  g_assert_error (counting->error, TL_ERROR, TL_ERROR_MEMORY);
  g_assert_cmpstr (counting->got->str, ==, "0 ");
  g_assert_cmpint (counting->n_begun, ==, 2);
  tl_session_assert_message (fixture->session, NULL);
}

static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  g_autofree char *scan =
      tl_scratch_phantom (fixture->folder, "other.h5", 20, 5, N_COLS);
  tl_fixture_open_scan (fixture);
  counting->waits_at = 1;
  send (fixture->session, counting);
  wait_for_int (&counting->n_begun, 2);
  tl_session_open (fixture->session, scan);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  wait_for_freed (counting);
  g_assert_false (counting->is_over);
  g_autofree char *path = NULL;
  g_object_get (fixture->session->source, "path", &path, NULL);
  g_assert_cmpstr (path, ==, scan);
}

/* A task sent while another scan is being opened belongs to the old scan and is
 * dropped. */
static void
test_old_scan (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (Counting) counting = counting_new (3);
  g_autoptr (Counting) late = counting_new (3);
  g_autofree char *scan =
      tl_scratch_phantom (fixture->folder, "other.h5", 20, 5, N_COLS);
  tl_fixture_open_scan (fixture);
  tl_session_open (fixture->session, scan);
  send (fixture->session, counting);
  for (int k = 0; !g_atomic_ref_count_compare (&counting->ref_count, 1); k++)
    {
      g_assert_cmpint (k, <, TL_PATIENCE_S * 1000);
      g_usleep (1000);
    }
  g_assert_cmpint (counting->n_begun, ==, 0);
  /* The scan is open, but the session does not know yet. */
  send (fixture->session, late);
  g_assert_true (g_atomic_ref_count_compare (&late->ref_count, 1));
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_false (counting->is_over || late->is_over);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/tasks/steps", test_steps },
    { "/tasks/gives-way", test_gives_way },
    { "/tasks/replaced", test_replaced },
    { "/tasks/dropped", test_dropped },
    { "/tasks/fails", test_fails },
    { "/tasks/no-engine", test_no_engine },
    { "/tasks/lost", test_lost },
    { "/tasks/memory", test_memory },
    { "/tasks/other-scan", test_other_scan },
    { "/tasks/old-scan", test_old_scan },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
