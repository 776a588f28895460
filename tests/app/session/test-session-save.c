/* Saving the shown slice. */
#include "app/session/session.h"

#include "app/recipe/recipe.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* Runs the main loop until @property is not %NULL. */
static void
wait_for_words (TlSession *session, const char *property)
{
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  g_autofree char *words = NULL;

  while (words == NULL)
    {
      g_main_context_iteration (NULL, TRUE);
      g_object_get (session->messages, property, &words, NULL);
    }
  g_source_remove (id);
}

/* The file has the shown pixels, and its recipe reproduces them. */
static void
test_whole (TlFixture *fixture, gconstpointer data)
{
  TlDisplay *display = fixture->session->display;
  g_autofree char *path = tl_scratch_path (fixture->folder, "slice.tiff");
  g_autofree char *recipe_path = tl_scratch_path (fixture->folder, "slice.ini");
  g_autofree char *scan_path = NULL;
  g_autofree float *saved = NULL;
  g_autoptr (TlRecipe) recipe = NULL;
  g_autoptr (GError) error = NULL;
  const float *shown;
  size_t n_rows, n_cols;

  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (fixture->session->parameters, 7);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  tl_display_save (display, path);
  wait_for_words (fixture->session, "notice");
  tl_session_assert_notice (fixture->session, "Slice 7 written to", path);
  shown = tl_display_get_pixels (display, &n_rows, &n_cols);
  g_assert_nonnull (shown);
  saved = tl_scratch_read_tiff (path, n_rows * n_cols);
  g_assert_cmpmem (saved, n_rows * n_cols * sizeof *saved, shown,
                   n_rows * n_cols * sizeof *shown);
  recipe = tl_recipe_load (recipe_path, &scan_path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recipe->slice, ==, 7);
  g_assert_cmpstr (scan_path, ==, fixture->scan);
}

/* The saved picture is the one shown at the time of the request. */
static void
test_moment (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, "slice.tif");
  g_autofree char *recipe_path = tl_scratch_path (fixture->folder, "slice.ini");
  g_autoptr (TlRecipe) recipe = NULL;
  g_autoptr (GError) error = NULL;

  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (fixture->session->parameters, 3);
  tl_display_save (fixture->session->display, path);
  wait_for_words (fixture->session, "notice");
  recipe = tl_recipe_load (recipe_path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recipe->slice, ==, (N_ROWS - 1) / 2);
}

/* What lies where the recipe would go stays, and the recipe gets another name;
 * the same recipe is not written twice. */
static void
test_notes (TlFixture *fixture, gconstpointer data)
{
  TlDisplay *display = fixture->session->display;
  g_autofree char *path = tl_scratch_path (fixture->folder, "slice.tiff");
  g_autofree char *notes = tl_scratch_path (fixture->folder, "slice.ini");
  g_autofree char *other = tl_scratch_path (fixture->folder, "slice-2.ini");
  g_autofree char *third = tl_scratch_path (fixture->folder, "slice-3.ini");
  g_autofree char *text = NULL;
  g_autofree char *notice = NULL;
  g_autoptr (TlRecipe) recipe = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (notes, "mine", -1, NULL));
  tl_fixture_open_scan (fixture);
  for (int k = 0; k < 2; k++)
    {
      tl_messages_dismiss (fixture->session->messages);
      tl_display_save (display, path);
      wait_for_words (fixture->session, "notice");
    }
  g_object_get (fixture->session->messages, "notice", &notice, NULL);
  g_assert_nonnull (strstr (notice, other));
  recipe = tl_recipe_load (other, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (g_file_test (third, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_get_contents (notes, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
}

/* An error is one sentence, and no file is left if the folder is missing. */
static void
test_refused (TlFixture *fixture, gconstpointer data)
{
  TlDisplay *display = fixture->session->display;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "none");
  g_autofree char *path = g_build_filename (folder, "slice.tiff", NULL);

  tl_display_save (display, path);
  tl_session_assert_message (fixture->session, "no scan is open");
  tl_fixture_open_scan (fixture);
  tl_display_save (display, path);
  wait_for_words (fixture->session, "message");
  tl_session_assert_message (fixture->session, folder);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

static void
assert_none_saved (TlFixture *fixture, const char *path, const char *says)
{
  g_autofree char *before = tl_scratch_list (fixture->folder);

  tl_messages_dismiss (fixture->session->messages);
  tl_display_save (fixture->session->display, path);
  wait_for_words (fixture->session, "message");
  tl_session_assert_message (fixture->session, says);
  g_autofree char *after = tl_scratch_list (fixture->folder);
  g_assert_cmpstr (before, ==, after);
}

/* Where one of the two files cannot be written, none is: the name of the recipe
 * is too long, the picture has the name of a folder or of the scan. */
static void
test_both (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *name = g_strnfill (253, 'a');
  g_autofree char *long_path = tl_scratch_path (fixture->folder, name);
  g_autofree char *path = tl_scratch_path (fixture->folder, "slice.tiff");

  tl_fixture_open_scan (fixture);
  assert_none_saved (fixture, long_path, "cannot be written");
  g_assert_cmpint (g_mkdir (path, 0777), ==, 0);
  assert_none_saved (fixture, path, "Is a directory");
  assert_none_saved (fixture, fixture->scan, "the scan itself");
}

/* The folder of an exported volume takes no picture, not even a new one. */
static void
test_volume (TlFixture *fixture, gconstpointer data)
{
  static const char text[] = "[tomolens]\n# export: --sample float32\n";
  g_autofree char *path = tl_scratch_path (fixture->folder, "recon_00007.tiff");
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "recipe.ini");

  tl_fixture_open_scan (fixture);
  g_assert_true (g_file_set_contents (recipe, text, -1, NULL));
  assert_none_saved (fixture, path, "holds an exported volume");
  g_assert_cmpint (g_unlink (recipe), ==, 0);
  tl_messages_dismiss (fixture->session->messages);
  tl_display_save (fixture->session->display, path);
  wait_for_words (fixture->session, "notice");
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/session/save/whole", test_whole },
    { "/session/save/moment", test_moment },
    { "/session/save/notes", test_notes },
    { "/session/save/refused", test_refused },
    { "/session/save/both", test_both },
    { "/session/save/volume", test_volume },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
