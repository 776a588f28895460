/* Where reading all projections is slow, a session shows a preview from some of
 * them, and the whole slice by itself afterwards. */
#include "app/session/session.h"

#include "app/recon/recon.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/wrapped-reader.h"

#include "data/error.h"

enum
{
  N_ALL = 259, /* projections, of which each fourth one is used */
  N_PART = 65,
  /* what keeps five rows */
  KEPT_BYTES = 5 * N_ALL * N_COLS * 2 + 3 * N_ROWS * N_COLS * 4,
  PATIENCE_MS = 400 /* after which another slice ends a read */
};

/* Replaces functions of the program (see meson.build): all reads are slow, and
 * few rows are kept. */
static gint n_parts, n_wholes; /* atomic: reads */
static gint holds_parts;  /* atomic: they wait while it is set or until they are
                             cancelled */
static gint holds_wholes; /* atomic: likewise */
static gint fails_wholes; /* atomic */
static gint n_cancelled;  /* atomic: reads */

void __wrap_tl_reader_browse (TlReader *reader, guint64 bytes);
void __real_tl_reader_browse (TlReader *reader, guint64 bytes);

void
__wrap_tl_reader_browse (TlReader *reader, guint64 bytes)
{
  __real_tl_reader_browse (reader, KEPT_BYTES);
}

gboolean
__wrap_tl_reader_read_part (TlReader *reader, size_t first_row, size_t n_rows,
                            guint *every, double patience_s, void *dest,
                            GCancellable *cancellable, GError **error)
{
  gint *holds = *every > 1 ? &holds_parts : &holds_wholes;
  if (cancellable == NULL) /* the test itself */
    return __real_tl_reader_read_part (reader, first_row, n_rows, every, 0,
                                       dest, NULL, error);
  g_atomic_int_inc (*every > 1 ? &n_parts : &n_wholes);
  while (g_atomic_int_get (holds) && !g_cancellable_is_cancelled (cancellable))
    g_usleep (1000);
  if (g_cancellable_is_cancelled (cancellable))
    g_atomic_int_inc (&n_cancelled);
  else if (*every == 1 && g_atomic_int_get (&fails_wholes))
    return tl_fail (error, TL_ERROR_FILE, "the storage is gone");
  return __real_tl_reader_read_part (reader, first_row, n_rows, every, 0, dest,
                                     cancellable, error);
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  gint *const counts[] = { &n_parts,      &n_wholes,     &holds_parts,
                           &holds_wholes, &fails_wholes, &n_cancelled };
  for (size_t k = 0; k < G_N_ELEMENTS (counts); k++)
    g_atomic_int_set (counts[k], 0);
  tl_fixture_set_up (fixture, data);
  tl_session_pretend_slow (fixture->session, 0, 1);
  g_autofree char *scan =
      tl_scratch_phantom (fixture->folder, "many.h5", N_ALL, N_ROWS, N_COLS);
  g_free (fixture->scan);
  fixture->scan = tl_scratch_stack (fixture->folder, scan);
}

static void
wait_until (const gint *count, gint wanted)
{
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  while (g_atomic_int_get (count) < wanted)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
  g_source_remove (id);
}

/* Asserts that the shown pixels are those of a scan without the other
 * projections. */
static void
assert_preview (TlFixture *fixture, size_t slice, double centre_col)
{
  TlDisplay *display = fixture->session->display;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) others = g_string_new (NULL);
  for (size_t p = 0; p < N_ALL; p++)
    if (p % 4 != 0)
      g_string_append_printf (others, "%s%zu", p > 1 ? "," : "", p);
  const TlReaderOptions options = { .leave_out = others->str };
  g_autoptr (TlEngine) engine = tl_engine_open ("host", &error);
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup (tl_parameters_get_recipe (fixture->session->parameters));
  TlReader *reader = tl_reader_open (fixture->scan, &options, &error);
  g_assert_no_error (error);
  g_autoptr (TlRecon) recon = tl_recon_new (reader, engine);
  recipe->params.centre_col = centre_col;
  g_autoptr (TlFrame) want =
      tl_recon_run (recon, recipe, slice, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_display_shows_preview (display));
  g_assert_true (tl_display_get_status (display)->is_preview);
  g_assert_cmpuint (tl_display_get_status (display)->n_angles, ==, N_PART);
  g_assert_true (tl_requests_is_busy (fixture->session->requests));
  g_assert_cmpmem (tl_frame_get_pixels (tl_display_get_frame (display)),
                   (gsize)N_COLS * N_COLS * sizeof (float),
                   tl_frame_get_pixels (want),
                   (gsize)N_COLS * N_COLS * sizeof (float));
}

static void
assert_whole (TlFixture *fixture, const char *slice, const char *centre)
{
  TlDisplay *display = fixture->session->display;
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_false (tl_display_shows_preview (display));
  g_assert_false (tl_display_get_status (display)->is_preview);
  g_assert_cmpuint (tl_display_get_status (display)->n_angles, ==, N_ALL);
  tl_session_assert_shown (fixture->session, fixture->scan, slice, centre);
}

/* Rows beside a slice have no preview, because they are in memory. */
static void
test_open (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_session_open (session, fixture->scan);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (fixture, 9, 30);
  assert_whole (fixture, "9", "30");
  g_assert_cmpuint (fixture->n_frames, ==, 2);
  tl_parameters_set_slice (session->parameters, 10);
  assert_whole (fixture, "10", "30");
  g_assert_cmpuint (fixture->n_frames, ==, 3);
  g_assert_cmpint (n_cancelled, ==, 0);
}

/* The next scan is opened before the whole slice of this one is read, and with
 * a parameter of its own. */
static void
test_open_next (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  g_atomic_int_set (&holds_wholes, TRUE);
  tl_session_open (session, fixture->scan);
  wait_until (&n_wholes, 1);
  tl_session_open (session, other);
  wait_until (&n_cancelled, 1);
  g_atomic_int_set (&holds_wholes, FALSE);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, other, "1", "8");
  tl_session_open (session, fixture->scan);
  g_assert_true (tl_session_set_opening (session, "slice", "3", NULL));
  assert_whole (fixture, "3", "30");
  tl_session_assert_message (session, NULL);
}

static void
test_slice (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (session->parameters, 3);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (fixture, 3, 30);
  assert_whole (fixture, "3", "30");
  g_assert_cmpuint (fixture->n_frames, ==, 4);
}

/* What is changed while the whole slice is read applies to a preview first,
 * which the projections that are there suffice for. */
static void
test_change (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_atomic_int_set (&holds_wholes, TRUE);
  tl_session_open (session, fixture->scan);
  wait_until (&n_wholes, 1);
  tl_parameters_set_centre (session->parameters, 28.5);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (fixture, 9, 28.5);
  g_assert_cmpint (n_cancelled, ==, 1);
  g_atomic_int_set (&holds_wholes, FALSE);
  assert_whole (fixture, "9", "28.5");
}

/* Another slice ends the read of a whole one at once. */
static void
test_newest (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_atomic_int_set (&holds_wholes, TRUE);
  tl_session_open (session, fixture->scan);
  wait_until (&n_wholes, 1);
  for (guint slice = 18; slice >= 15; slice--)
    {
      tl_parameters_set_slice (session->parameters, slice);
      wait_until (&n_cancelled, 19 - (gint)slice);
      wait_until (&n_wholes, 20 - (gint)slice);
      assert_preview (fixture, slice, 30);
    }
  g_atomic_int_set (&holds_wholes, FALSE);
  assert_whole (fixture, "15", "30");
  g_assert_cmpint (n_cancelled, ==, 4);
}

/* Another slice ends the read of a part that takes long, other parameters of
 * the same slice do not. */
static void
test_newest_part (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&holds_parts, TRUE);
  tl_parameters_set_slice (session->parameters, 3);
  wait_until (&n_parts, 2);
  g_usleep (PATIENCE_MS * 1000);
  tl_parameters_set_centre (session->parameters, 28.5);
  g_usleep (20000);
  g_assert_cmpint (n_cancelled, ==, 0);
  tl_parameters_set_slice (session->parameters, 15);
  wait_until (&n_cancelled, 1);
  g_atomic_int_set (&holds_parts, FALSE);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (fixture, 15, 28.5);
  assert_whole (fixture, "15", "28.5");
}

static guint64 wanted_serial;

static gboolean
shows_wanted (TlSession *session)
{
  return tl_display_get_picture_serial (session->display) == wanted_serial;
}

/* A preview that has to wait for another one to be read is not skipped when no
 * further request comes. */
static void
test_waiting (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  tl_session_pretend_slow (session, 2, 1);
  g_atomic_int_set (&holds_parts, TRUE);
  tl_parameters_set_slice (session->parameters, 3);
  wait_until (&n_parts, 2);
  tl_parameters_set_slice (session->parameters, 15);
  wanted_serial = tl_requests_get_newest (session->requests);
  while (tl_requests_is_delayed (session->requests))
    g_main_context_iteration (NULL, TRUE);
  g_atomic_int_set (&holds_parts, FALSE);
  tl_session_wait_until (session, shows_wanted);
  g_assert_true (tl_display_shows_preview (session->display));
  assert_whole (fixture, "15", "30");
}

/* The preview stays where the other projections cannot be read. */
static void
test_failure (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&fails_wholes, TRUE);
  tl_session_change (session, "slice", "3");
  tl_session_assert_message (session, "the storage is gone");
  g_assert_true (tl_display_shows_preview (session->display));
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 3);
  g_atomic_int_set (&fails_wholes, FALSE);
  tl_session_change (session, "slice", "4");
  tl_session_assert_message (session, NULL);
  assert_whole (fixture, "4", "30");
}

/* Other pictures are never made from some projections, nor are parts of the
 * slice. */
static void
test_pictures (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  size_t n_rows, n_cols;
  tl_display_set_visible (
      display,
      &(TlVisible){
          .row = 20, .col = 20, .pitch = 0.25, .n_rows = 40, .n_cols = 40 });
  g_atomic_int_set (&holds_wholes, TRUE);
  tl_session_open (session, fixture->scan);
  wait_until (&n_wholes, 1);
  g_assert_null (tl_display_get_detail (display));
  g_atomic_int_set (&holds_wholes, FALSE);
  tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (tl_display_get_frame_size (display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, N_ALL);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  assert_whole (fixture, "9", "30");
  tl_parameters_set_slice (session->parameters, 3);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (fixture, 3, 30);
  g_assert_null (tl_display_get_detail (display));
  tl_display_set_precision_cost (display, TRUE);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (tl_display_shows_differences (display));
  tl_display_set_precision_cost (display, FALSE);
  assert_whole (fixture, "3", "30");
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/early/open", test_open },
    { "/early/open-next", test_open_next },
    { "/early/slice", test_slice },
    { "/early/change", test_change },
    { "/early/newest", test_newest },
    { "/early/newest-part", test_newest_part },
    { "/early/waiting", test_waiting },
    { "/early/failure", test_failure },
    { "/early/pictures", test_pictures },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
