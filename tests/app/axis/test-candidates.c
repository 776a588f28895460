/* Candidates for the axis in a session: what is made and in which order, what
 * is kept, and adopting one. */
#include "app/axis/candidates/candidates.h"

#include "app/session/session.h"
#include "data/error.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/wrapped.h"

#include <math.h>
#include <string.h>

#define CENTRE 44.3
#define STEP 0.5
#define SIDE 96

/* Replaces functions of the program (see meson.build). */
static gint refuses;       /* atomic: figures fail for lack of memory */
static gint holds;         /* atomic: figures run until cancelled */
static gint pause_ms;      /* atomic: extra time for each figure */
static gint n_held;        /* atomic */
static TlGrid last_grid;   /* main thread, between tasks: grid of the figures */
static GHashTable *made;   /* small pictures, locked; by filter and centre */
static GHashTable *judged; /* figures at full resolution; the same */
static GMutex mutex;

/* A request may cancel a candidate at any moment, which is made again then: it
 * counts once. */
static void
note (GHashTable *what, const TlParams *params)
{
  g_mutex_lock (&mutex);
  g_hash_table_add (
      what, g_strdup_printf ("%d %.6f", params->filter, params->centre_col));
  g_mutex_unlock (&mutex);
}

static guint
count (GHashTable *what)
{
  g_mutex_lock (&mutex);
  const guint n = g_hash_table_size (what);
  g_mutex_unlock (&mutex);
  return n;
}

static void
count_anew (void)
{
  g_mutex_lock (&mutex);
  g_hash_table_remove_all (made);
  g_hash_table_remove_all (judged);
  g_mutex_unlock (&mutex);
}

/* The whole slice, 40 pixels per side. */
static const TlVisible visible = {
  .row = 0.7, .col = 0.7, .pitch = 2.4, .n_rows = 40, .n_cols = 40
};

/* Only candidates have another grid than the whole slice here, and than the
 * coarser slices that take its place where the machine is slow. */
TlFrame *
__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                              GCancellable *cancellable, GError **error)
{
  const gboolean is_coarse =
      params->grid.pitch > 1 && params->grid.pitch != visible.pitch;
  const gboolean is_candidate = params->grid.nx != SIDE && !is_coarse;
  const gboolean is_tile = is_candidate && params->grid.nx < 50;
  const gboolean is_judged = is_candidate && !is_tile;
  if (is_judged && g_atomic_int_get (&refuses))
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE, "refused");
      return NULL;
    }
  if (is_judged)
    g_usleep ((gulong)g_atomic_int_get (&pause_ms) * 1000);
  if (is_judged && g_atomic_int_get (&holds))
    {
      g_atomic_int_inc (&n_held);
      tl_wait_for_cancelling (cancellable);
    }
  TlFrame *frame =
      __real_tl_engine_reconstruct (engine, params, cancellable, error);
  if (is_tile && frame != NULL)
    note (made, params);
  if (is_judged && frame != NULL)
    {
      note (judged, params);
      last_grid = params->grid;
    }
  return frame;
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_fixture_set_up (fixture, data);
  count_anew ();
  g_atomic_int_set (&refuses, FALSE);
  g_atomic_int_set (&holds, FALSE);
  g_atomic_int_set (&n_held, 0);
  tl_phantom_scan_init (&scan, 180, 3, SIDE);
  scan.centre_col = CENTRE;
  g_free (fixture->scan);
  fixture->scan = tl_scratch_path (fixture->folder, "axis.h5");
  tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_fixture_open_scan (fixture);
  TlCandidates *candidates = tl_session_get_candidates (fixture->session);
  tl_candidates_set_visible (candidates, &visible);
  tl_candidates_set_n (candidates, 7);
  tl_candidates_set_step (candidates, STEP);
}

static void
wait (TlFixture *fixture)
{
  TlCandidates *candidates = tl_session_get_candidates (fixture->session);
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  gboolean is_busy = TRUE;
  for (g_object_get (candidates, "busy", &is_busy, NULL); is_busy;
       g_object_get (candidates, "busy", &is_busy, NULL))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

static TlCandidates *
enter (TlFixture *fixture, double centre_col)
{
  tl_parameters_set_centre (fixture->session->parameters, centre_col);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  tl_display_set_page (fixture->session->display, TL_PAGE_CANDIDATES);
  return tl_session_get_candidates (fixture->session);
}

static void
assert_centres (TlCandidates *candidates, double middle_col, double step_col)
{
  const guint n = tl_candidates_get_n (candidates);
  for (guint k = 0; k < n; k++)
    g_assert_cmpfloat_with_epsilon (
        tl_candidates_get (candidates, k)->centre_col,
        middle_col + ((double)k - (double)(n / 2)) * step_col, 1e-6);
}

static void
assert_made (guint pictures, guint figures)
{
  g_assert_cmpuint (count (made), ==, pictures);
  g_assert_cmpuint (count (judged), ==, figures);
  count_anew ();
}

/* Candidates are made only on their own page. The best one, by the figures that
 * are reliable for a half turn, is the true centre. */
static void
test_best (TlFixture *fixture, gconstpointer data)
{
  TlCandidates *candidates = tl_session_get_candidates (fixture->session);
  tl_parameters_set_centre (fixture->session->parameters, CENTRE - 2 * STEP);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  assert_made (0, 0);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, -1);
  enter (fixture, CENTRE - 2 * STEP);
  wait (fixture);
  tl_session_assert_message (fixture->session, NULL);
  assert_made (7, 7);
  assert_centres (candidates, CENTRE - 2 * STEP, STEP);
  g_assert_cmpint (tl_candidates_get_chosen (candidates), ==, 3);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, 5);
  for (guint metric = 0; metric <= TL_CANDIDATE_ENTROPY; metric++)
    {
      tl_candidates_set_metric (candidates, metric);
      g_assert_cmpint (tl_candidates_get_best (candidates), ==, 5);
    }
  for (guint k = 0; k < 7; k++)
    {
      const TlCandidate *candidate = tl_candidates_get (candidates, k);
      g_assert_true (candidate->has_value && !candidate->is_old);
      g_assert_cmpfloat (candidate->value, >, 0); /* an entropy */
      g_assert_cmpfloat (candidate->score, >=, 0);
      g_assert_cmpfloat (candidate->score, <=, 1);
      g_assert_cmpuint (tl_frame_get_n_cols (candidate->frame), ==, 40);
      g_assert_cmpfloat_with_epsilon (candidate->col, visible.col, 1e-9);
      g_assert_cmpfloat_with_epsilon (candidate->row, visible.row, 1e-9);
      g_assert_cmpfloat (candidate->pitch, ==, visible.pitch);
    }
}

/* While figures are made, "time-left" says how long it will take. */
static void
test_time_left (TlFixture *fixture, gconstpointer data)
{
  TlCandidates *candidates = tl_session_get_candidates (fixture->session);
  g_autofree char *left = g_strdup ("");
  g_autofree char *then = NULL;
  gboolean is_busy = TRUE;
  g_atomic_int_set (&pause_ms, 700);
  enter (fixture, CENTRE);
  while (*left == '\0' && is_busy)
    {
      g_main_context_iteration (NULL, TRUE);
      g_free (left);
      g_object_get (candidates, "time-left", &left, "busy", &is_busy, NULL);
    }
  g_atomic_int_set (&pause_ms, 0);
  g_assert_true (g_str_has_prefix (left, "about "));
  wait (fixture);
  g_object_get (candidates, "time-left", &then, NULL);
  g_assert_cmpstr (then, ==, "");
}

typedef struct
{
  GString *order;
  TlCandidates *candidates;
} Listener;

static void
note_change (TlCandidates *candidates, guint index, Listener *listener)
{
  const TlCandidate *candidate = tl_candidates_get (candidates, index);
  if (candidate->frame != NULL && !candidate->has_value)
    g_string_append_printf (listener->order, "%u", index);
}

/* Pictures are made from the middle outwards, before any figures; progress
 * increases. */
static void
test_order (TlFixture *fixture, gconstpointer data)
{
  TlCandidates *candidates = tl_session_get_candidates (fixture->session);
  g_autoptr (GString) order = g_string_new (NULL);
  Listener listener = { order, candidates };
  double last = 0, progress;
  gboolean is_busy = TRUE;
  tl_parameters_set_centre (fixture->session->parameters, CENTRE);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  tl_display_set_page (fixture->session->display, TL_PAGE_CANDIDATES);
  g_signal_connect (candidates, "changed", G_CALLBACK (note_change), &listener);
  while (is_busy)
    {
      g_main_context_iteration (NULL, TRUE);
      g_object_get (candidates, "busy", &is_busy, "progress", &progress, NULL);
      g_assert_cmpfloat (progress, >=, last);
      last = progress;
    }
  g_assert_cmpfloat (last, ==, 1);
  g_assert_cmpstr (order->str, ==, "3425160");
  g_signal_handlers_disconnect_by_data (candidates, &listener);
}

/* Results for an unchanged centre are not made again. */
static void
test_kept (TlFixture *fixture, gconstpointer data)
{
  TlDisplay *display = fixture->session->display;
  TlParameters *parameters = fixture->session->parameters;
  TlCandidates *candidates = enter (fixture, CENTRE);
  wait (fixture);
  assert_made (7, 7);
  TlFrame *frame = tl_candidates_get (candidates, 5)->frame;
  /* A centre beyond the last candidate becomes the middle. */
  tl_parameters_set_centre (parameters, CENTRE + 4 * STEP);
  g_assert_true (tl_candidates_get (candidates, 1)->frame == frame);
  g_assert_false (tl_candidates_get (candidates, 1)->is_old);
  g_assert_true (tl_candidates_get (candidates, 6)->is_old);
  g_assert_nonnull (tl_candidates_get (candidates, 6)->frame);
  wait (fixture);
  assert_made (4, 4);
  g_assert_false (tl_candidates_get (candidates, 6)->is_old);
  /* More candidates, then fewer. */
  tl_candidates_set_n (candidates, 9);
  wait (fixture);
  assert_made (2, 2);
  assert_centres (candidates, CENTRE + 4 * STEP, STEP);
  tl_candidates_set_n (candidates, 3);
  wait (fixture);
  assert_made (0, 0);
  assert_centres (candidates, CENTRE + 4 * STEP, STEP);
  /* Another page, then back. */
  tl_parameters_set_centre (parameters, CENTRE + 2 * STEP);
  wait (fixture);
  assert_made (2, 2);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  tl_display_set_page (display, TL_PAGE_CANDIDATES);
  wait (fixture);
  assert_made (0, 0);
}

/* When a change is notified, "best" and "chosen" are valid indices. */
static void
check_named (TlCandidates *candidates)
{
  const int n = (int)tl_candidates_get_n (candidates);
  g_assert_cmpint (tl_candidates_get_best (candidates), <, n);
  g_assert_cmpint (tl_candidates_get_chosen (candidates), <, n);
}

/* Candidates change in number and position while another page is shown: "best"
 * follows its centre, and is -1 if its figures are gone. */
static void
test_hidden (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlCandidates *candidates = tl_session_get_candidates (session);
  tl_candidates_set_n (candidates, 11);
  enter (fixture, CENTRE - 3 * STEP);
  wait (fixture);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, 8);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  g_signal_connect (candidates, "notify", G_CALLBACK (check_named), NULL);
  tl_candidates_set_n (candidates, 9);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, 7);
  tl_candidates_set_step (candidates, 0.8 * STEP);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, -1);
  tl_display_set_page (display, TL_PAGE_CANDIDATES);
  wait (fixture);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, 8);
}

/* Steps of 1, 2, 5, about the best candidate. */
static void
test_finer (TlFixture *fixture, gconstpointer data)
{
  static const double steps[] = { 0.2, 0.1, 0.05, 0.02 };
  TlCandidates *candidates = enter (fixture, CENTRE - STEP);
  wait (fixture);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, 4);
  tl_candidates_finer (candidates, -1);
  assert_centres (candidates, CENTRE, steps[0]);
  for (guint k = 1; k < G_N_ELEMENTS (steps); k++)
    {
      tl_candidates_finer (candidates, 3);
      assert_centres (candidates, CENTRE, steps[k]);
    }
  for (guint k = G_N_ELEMENTS (steps) - 1; k-- > 0;)
    {
      tl_candidates_coarser (candidates, 3);
      assert_centres (candidates, CENTRE, steps[k]);
    }
  tl_candidates_coarser (candidates, 0);
  assert_centres (candidates, CENTRE - 3 * steps[0], 0.5);
  tl_candidates_set_step (candidates, 1000);
  g_assert_cmpfloat_with_epsilon (tl_candidates_get_step (candidates),
                                  (SIDE - 1.0) / 6, 1e-9);
  g_assert_cmpfloat_with_epsilon (tl_candidates_get (candidates, 6)->centre_col,
                                  SIDE - 1, 1e-6);
  g_assert_cmpfloat (tl_candidates_get (candidates, 0)->centre_col, ==, 0);
  wait (fixture);
  tl_session_assert_message (fixture->session, NULL);
}

/* Undo restores the previous centre, even right after another change; the
 * candidates do not move. */
static void
test_adopt (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlCandidates *candidates = enter (fixture, CENTRE - STEP);
  wait (fixture);
  const guint n_steps =
      tl_history_get_length (tl_parameters_get_history (parameters));
  assert_made (7, 7);
  tl_candidates_adopt (candidates, 4);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, CENTRE);
  assert_centres (candidates, CENTRE - STEP, STEP);
  g_assert_cmpint (tl_candidates_get_chosen (candidates), ==, 4);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==,
      n_steps + 1);
  tl_candidates_adopt (candidates, 5);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), ==,
      n_steps + 2);
  wait (fixture);
  tl_parameters_undo (parameters);
  wait (fixture);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, CENTRE);
  g_assert_cmpint (tl_candidates_get_chosen (candidates), ==, 4);
  assert_centres (candidates, CENTRE - STEP, STEP);
  assert_made (0, 0);
  /* A centre outside the range of the candidates. */
  tl_parameters_set_centre (parameters, 20);
  wait (fixture);
  assert_centres (candidates, 20, STEP);
}

/* With another filter the old pictures stay until the new ones are made. */
static void
test_replaced (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  TlCandidates *candidates = enter (fixture, CENTRE);
  g_autofree float *before = NULL;
  const size_t n_bytes = 40 * 40 * sizeof (float);
  wait (fixture);
  assert_made (7, 7);
  before = g_memdup2 (
      tl_frame_get_pixels (tl_candidates_get (candidates, 0)->frame), n_bytes);
  g_atomic_int_set (&holds, TRUE);
  tl_parameters_set (parameters, "filter", "hann", NULL);
  g_assert_true (tl_candidates_get (candidates, 0)->is_old);
  g_assert_nonnull (tl_candidates_get (candidates, 0)->frame);
  g_assert_false (tl_candidates_get (candidates, 0)->has_value);
  while (g_atomic_int_get (&n_held) == 0)
    g_main_context_iteration (NULL, FALSE);
  /* A newer request, and a picture, cancel the figures in progress. */
  tl_parameters_set (parameters, "filter", "parzen", NULL);
  g_atomic_int_set (&holds, FALSE);
  wait (fixture);
  tl_session_assert_message (session, NULL);
  g_assert_cmpuint (count (made), ==, 14);
  for (guint k = 0; k < 7; k++)
    g_assert_true (tl_candidates_get (candidates, k)->has_value
                   && !tl_candidates_get (candidates, k)->is_old);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, 3);
  g_assert_cmpint (
      memcmp (before,
              tl_frame_get_pixels (tl_candidates_get (candidates, 0)->frame),
              n_bytes),
      !=, 0);
  count_anew ();
  /* Zooming in makes new pictures but keeps the figures, unless they are of the
   * visible part. */
  const TlVisible part = {
    .row = 30, .col = 40, .pitch = 0.5, .n_rows = 42, .n_cols = 40
  };
  tl_candidates_set_visible (candidates, &part);
  wait (fixture);
  assert_made (7, 0);
  tl_candidates_set_region (candidates, TL_CANDIDATES_VISIBLE);
  wait (fixture);
  g_assert_cmpuint (count (made), ==, 7); /* 20 pixels wide */
  g_assert_cmpfloat (tl_candidates_get (candidates, 3)->score, ==, 1);
}

/* A failure gives one sentence, and is not retried before something changes. */
static void
test_refused (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlCandidates *candidates = tl_session_get_candidates (session);
  g_atomic_int_set (&refuses, TRUE);
  enter (fixture, CENTRE);
  wait (fixture);
  tl_session_assert_message (session, "refused");
  assert_made (7, 0);
  g_assert_nonnull (tl_candidates_get (candidates, 0)->frame);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, -1);
  g_atomic_int_set (&refuses, FALSE);
  tl_parameters_set_slice (session->parameters, 0);
  wait (fixture);
  assert_made (7, 7);
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, 3);
}

/* Opening another scan starts again; the session may be freed meanwhile. */
static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlCandidates *candidates = enter (fixture, CENTRE);
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 37, 5, N_COLS);
  wait (fixture);
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  wait (fixture);
  assert_centres (candidates, tl_parameters_get_centre (session->parameters),
                  STEP);
  g_assert_cmpuint (tl_candidates_get_slice_size (candidates), ==, N_COLS);
  for (guint k = 0; k < 7; k++)
    g_assert_true (tl_candidates_get (candidates, k)->has_value);
  tl_candidates_set_n (candidates, 121);
}

/* Candidates that outlive their session do no further work. */
static void
test_outlives (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = tl_session_new ();
  g_autoptr (TlCandidates) candidates =
      g_object_ref (tl_session_get_candidates (session));
  g_assert_finalize_object (session);
  tl_candidates_set_n (candidates, 5);
  tl_candidates_finer (candidates, -1);
  tl_candidates_adopt (candidates, 0);
  g_assert_cmpuint (tl_candidates_get_n (candidates), ==, 5);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (TlFixture *fixture, gconstpointer data);
  } cases[] = {
    { "/candidates/best", test_best },
    { "/candidates/order", test_order },
    { "/candidates/time-left", test_time_left },
    { "/candidates/kept", test_kept },
    { "/candidates/hidden", test_hidden },
    { "/candidates/finer", test_finer },
    { "/candidates/adopt", test_adopt },
    { "/candidates/replaced", test_replaced },
    { "/candidates/refused", test_refused },
    { "/candidates/other-scan", test_other_scan },
    { "/candidates/outlives", test_outlives },
  };
  g_test_init (&argc, &argv, NULL);
  made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  judged = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    g_test_add (cases[k].path, TlFixture, NULL, set_up, cases[k].func,
                tl_fixture_tear_down);
  const int status = g_test_run ();
  g_hash_table_unref (made);
  g_hash_table_unref (judged);
  return status;
}
