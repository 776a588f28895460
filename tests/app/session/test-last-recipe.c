/* The parameters with which a scan was left, and the offer to take them. */
#include "tests/app/session/session-fixture.h"

#include "app/session/last-recipe.h"

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
  assert_offer (second, "filter ramp → hann");
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
  tl_last_recipe_forget ();
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
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
