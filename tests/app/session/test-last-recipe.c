/* The parameters with which a scan was left, and the offer to take them. */
#include "tests/app/session/session-fixture.h"

#include "app/axis/centre-search.h"
#include "app/session/last-recipe.h"
#include "tests/app/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

#define CENTRE 25.5

static TlLastRecipe *
start (TlFixture *fixture, gboolean is_active)
{
  TlLastRecipe *last = tl_last_recipe_new (fixture->session);
  g_object_set (last, "is-active", is_active, NULL);
  return last;
}

/* Opens the scan, or a copy of it under another name, which is another scan. */
static void
open_scan (TlFixture *fixture, gboolean is_copy)
{
  g_autofree char *copy = g_strconcat (fixture->folder, "/copy.h5", NULL);
  if (is_copy && !g_file_test (copy, G_FILE_TEST_EXISTS))
    {
      g_autofree char *bytes = NULL;
      gsize n;
      g_assert_true (g_file_get_contents (fixture->scan, &bytes, &n, NULL));
      g_assert_true (g_file_set_contents (copy, bytes, (gssize)n, NULL));
    }
  tl_session_open (fixture->session, is_copy ? copy : fixture->scan);
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

static void
assert_offer (TlLastRecipe *last, const char *part)
{
  g_autofree char *offer = NULL;
  g_object_get (last, "offer", &offer, NULL);
  if (part == NULL)
    g_assert_null (offer);
  else
    g_assert_true (offer != NULL && strstr (offer, part) != NULL);
}

static void
test_offered (TlFixture *fixture, gconstpointer data)
{
  TlParameters *parameters = fixture->session->parameters;
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  open_scan (fixture, FALSE);
  assert_offer (last, NULL);
  const double before = tl_parameters_get_centre (parameters);
  tl_session_change (fixture->session, "centre", "25.5");
  tl_session_change (fixture->session, "slice", "3");
  open_scan (fixture, TRUE);
  assert_offer (last, NULL);
  open_scan (fixture, FALSE);
  assert_offer (last, "→ 25.5");
  tl_last_recipe_take (last);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  assert_offer (last, NULL);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, CENTRE);
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 3);
  tl_parameters_undo (parameters);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, before);
}

/* Which slice is shown is no work. */
static void
test_slice_alone (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  open_scan (fixture, FALSE);
  tl_session_change (fixture->session, "slice", "3");
  open_scan (fixture, TRUE);
  open_scan (fixture, FALSE);
  assert_offer (last, NULL);
}

/* A scan that is read in another way is the same one, and its parameters are
 * kept when the program ends. */
static void
test_ended (TlFixture *fixture, gconstpointer data)
{
  TlLastRecipe *first = start (fixture, TRUE);
  open_scan (fixture, FALSE);
  tl_session_change (fixture->session, "filter", "hann");
  tl_session_change (fixture->session, "angles", "0:170");
  assert_offer (first, NULL);
  g_object_unref (first);
  g_autoptr (TlLastRecipe) second = start (fixture, TRUE);
  open_scan (fixture, TRUE);
  /* else the next scan would have it, too */
  tl_session_change (fixture->session, "filter", "ramp");
  open_scan (fixture, FALSE);
  assert_offer (second, "Filter Ramp → Hann");
  tl_last_recipe_dismiss (second);
  assert_offer (second, NULL);
}

static void
test_inactive (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlLastRecipe) last = start (fixture, FALSE);
  open_scan (fixture, FALSE);
  tl_session_change (fixture->session, "centre", "25.5");
  open_scan (fixture, TRUE);
  g_object_set (last, "is-active", TRUE, NULL);
  open_scan (fixture, FALSE);
  assert_offer (last, NULL);
}

static void
test_forgotten (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  open_scan (fixture, FALSE);
  tl_session_change (fixture->session, "centre", "25.5");
  open_scan (fixture, TRUE);
  tl_last_recipe_forget (last);
  open_scan (fixture, FALSE);
  assert_offer (last, NULL);
}

/* Nor does the scan that is open come back when it is closed. */
static void
test_forgotten_open (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  open_scan (fixture, FALSE);
  tl_session_change (fixture->session, "centre", "25.5");
  tl_last_recipe_forget (last);
  open_scan (fixture, TRUE);
  open_scan (fixture, FALSE);
  assert_offer (last, NULL);
}

static gboolean
is_found (TlSession *session)
{
  return tl_parameters_is_centre_found (session->parameters);
}

/* A centre that only the program has found is no work. */
static void
test_found (TlFixture *fixture, gconstpointer data)
{
  TlCentreSearch *search = tl_session_get_centre_search (fixture->session);
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, 120, 9, 96);
  scan.angles_deg[1] = 360;
  scan.centre_col = 44.25;
  tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_object_set (search, "seeks", TRUE, NULL);
  open_scan (fixture, FALSE);
  tl_session_wait_until (fixture->session, is_found);
  g_object_set (search, "seeks", FALSE, NULL);
  open_scan (fixture, TRUE);
  open_scan (fixture, FALSE);
  g_assert_false (is_found (fixture->session));
  assert_offer (last, NULL);
}

static void
set_true (gboolean *value)
{
  *value = TRUE;
}

static char *
dup_older (void)
{
  g_autofree char *folder = tl_last_recipe_dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, "~.tomolens"))
      return g_build_filename (folder, name, NULL);
  return NULL;
}

/* What was offered and not taken stays beside what takes its place. */
static void
test_not_taken (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  g_autoptr (TlRecipe) older = NULL;
  open_scan (fixture, FALSE);
  tl_session_change (fixture->session, "centre", "25.5");
  open_scan (fixture, TRUE);
  g_assert_null (dup_older ());
  open_scan (fixture, FALSE);
  assert_offer (last, "→ 25.5");
  tl_last_recipe_dismiss (last);
  tl_session_change (fixture->session, "filter", "hann");
  open_scan (fixture, TRUE);
  g_autofree char *path = dup_older ();
  g_assert_nonnull (path);
  older = tl_recipe_load (path, NULL, NULL);
  g_assert_cmpfloat (older->params.centre_col, ==, CENTRE);
  tl_session_change (fixture->session, "filter", "ramp");
  open_scan (fixture, FALSE);
  assert_offer (last, "Filter Ramp → Hann");
}

/* Returns: (transfer full) (nullable): the recipe that is kept of the scan */
static TlRecipe *
load_kept (TlFixture *fixture)
{
  g_autofree char *folder = tl_last_recipe_dup_folder ();
  g_autofree char *base = g_path_get_basename (fixture->scan);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, base) && strchr (name, '~') == NULL)
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        return tl_recipe_load (path, NULL, NULL);
      }
  return NULL;
}

static void
wait_until_written (void)
{
  gboolean is_over = FALSE;
  g_timeout_add_once (TL_LAST_RECIPE_MS + 100, (GSourceOnceFunc)set_true,
                      &is_over);
  while (!is_over)
    g_main_context_iteration (NULL, TRUE);
}

/* A change is written soon, while the scan is open. When all is undone, what
 * was there before is there again, and it can be taken all the time. */
static void
test_killed (TlFixture *fixture, gconstpointer data)
{
  TlParameters *parameters = fixture->session->parameters;
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  open_scan (fixture, FALSE);
  tl_last_recipe_forget (last);
  tl_session_change (fixture->session, "filter", "hann");
  wait_until_written ();
  g_autoptr (TlRecipe) hann = load_kept (fixture);
  g_assert_nonnull (hann);
  g_assert_cmpint (hann->params.filter, ==, TL_FILTER_HANN);
  tl_parameters_undo (parameters);
  wait_until_written ();
  g_assert_null (load_kept (fixture));

  tl_session_change (fixture->session, "centre", "25.5");
  open_scan (fixture, TRUE);
  open_scan (fixture, FALSE);
  assert_offer (last, "→ 25.5");
  tl_session_change (fixture->session, "filter", "cosine");
  wait_until_written ();
  g_autoptr (TlRecipe) cosine = load_kept (fixture);
  g_assert_cmpint (cosine->params.filter, ==, TL_FILTER_COSINE);
  assert_offer (last, "→ 25.5");
  tl_last_recipe_take (last);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, CENTRE);
  tl_parameters_undo (parameters);
  tl_parameters_undo (parameters);
  wait_until_written ();
  g_autoptr (TlRecipe) before = load_kept (fixture);
  g_assert_nonnull (before);
  g_assert_cmpfloat (before->params.centre_col, ==, CENTRE);
}

/* Another scan under the name of an earlier one has no offer. */
static void
test_overwritten (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlLastRecipe) last = start (fixture, TRUE);
  struct timespec times[2] = { { 0 } };
  open_scan (fixture, FALSE);
  tl_session_change (fixture->session, "centre", "25.5");
  open_scan (fixture, TRUE);
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = g_get_real_time () / G_USEC_PER_SEC + 60;
  g_assert_cmpint (utimensat (AT_FDCWD, fixture->scan, times, 0), ==, 0);
  open_scan (fixture, FALSE);
  assert_offer (last, NULL);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/last-recipe/offered", test_offered },
    { "/last-recipe/slice-alone", test_slice_alone },
    { "/last-recipe/ended", test_ended },
    { "/last-recipe/inactive", test_inactive },
    { "/last-recipe/forgotten", test_forgotten },
    { "/last-recipe/forgotten-open", test_forgotten_open },
    { "/last-recipe/found", test_found },
    { "/last-recipe/not-taken", test_not_taken },
    { "/last-recipe/killed", test_killed },
    { "/last-recipe/overwritten", test_overwritten },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
