/* The command that a recipe is said as, read as tomolens-cli reads it. */
#include "app/cli/cli-private.h"

#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <string.h>

/* Returns: (transfer full): what the words of @line ask for */
static TlRecipe *
parse (const char *line, char **scan_path)
{
  g_auto (TlCliLine) cli = { 0 };
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_true (g_shell_parse_argv (line, NULL, &words, NULL));
  g_assert_cmpstr (words[0], ==, "tomolens-cli");
  g_assert_cmpstr (words[1], ==, "recon");
  g_auto (GStrv) rest = g_strdupv (words + 1);
  tl_cli_line_init (&cli, "FILE", "", NULL, NULL);
  tl_cli_line_add_keys (&cli, NULL);
  tl_cli_line_parse (&cli, &rest, &error);
  g_assert_no_error (error);
  g_assert_true (tl_cli_line_check_scan (&cli, rest, NULL));
  return tl_cli_line_make_recipe (&cli, rest[1], scan_path, NULL);
}

static void
assert_like (const TlRecipe *got, const TlRecipe *want)
{
  g_autofree char *got_text = tl_recipe_to_text (got, NULL);
  g_autofree char *want_text = tl_recipe_to_text (want, NULL);
  g_assert_cmpstr (got_text, ==, want_text);
}

/* Every key, and what a shell would take for something else. */
static void
test_every_key (void)
{
  static const char *const values[][2] = {
    { "slice", "512" },
    { "centre", "1023.2500000000002" },
    { "filter", "butterworth" },
    { "cutoff", "0.8" },
    { "butterworth-order", "3" },
    { "method", "fourier" },
    { "interpolation", "nearest" },
    { "kernel", "texture" },
    { "precision", "fast" },
    { "padding", "zero" },
    { "flat-field", "off" },
    { "minus-log", "on" },
    { "engine", "cuda:1" },
    { "angles", "-88.2:0.1" },
    { "projections", "scan '*' $x.tif" },
    { "flats", "--darks" },
    { "darks", "a\\b\"c ä" },
    { "data-path", "/entry2" },
    { "keys-path", "/keys" },
    { "angles-path", "/tmp/b c.h5:/angles" },
    { "flats-path", "/*[title=ref*]/data" },
    { "darks-path", "/d.h5:/data" },
    { "nan", "replace" },
  };
  static const char scan[] = "/tmp/it's; here/~scan (1).h5";
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autofree char *path = NULL;
  for (size_t k = 0; k < G_N_ELEMENTS (values); k++)
    g_assert_true (tl_recipe_set (recipe, values[k][0], values[k][1], NULL));
  g_autofree char *line =
      tl_recipe_to_command ("recon", recipe, defaults, scan);
  g_autoptr (TlRecipe) got = parse (line, &path);
  assert_like (got, recipe);
  g_assert_cmpstr (path, ==, scan);
}

/* The command line takes one of the two. */
static void
test_angles (void)
{
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autofree char *path = NULL;
  g_assert_true (tl_recipe_set (recipe, "angles-file", "/tmp/a.txt", NULL));
  g_assert_true (tl_recipe_set (recipe, "angles", "0:90", NULL));
  g_autofree char *line =
      tl_recipe_to_command ("recon", recipe, defaults, "/tmp/scan.h5");
  g_autoptr (TlRecipe) got = parse (line, &path);
  g_assert_true (got->has_angles);
  g_assert_null (got->angles_file);
}

static void
test_short (void)
{
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_assert_true (tl_recipe_set (recipe, "slice", "5", NULL));
  g_assert_true (tl_recipe_set (recipe, "filter", "hann", NULL));
  g_assert_true (tl_recipe_set (recipe, "centre", "46.25", NULL));
  g_assert_true (tl_recipe_set (recipe, "angles-file", "a.txt", NULL));
  g_assert_true (tl_recipe_set (recipe, "keys-path", "/keys", NULL));
  /* not in this folder: it is looked for beside the scan */
  g_assert_true (tl_recipe_set (recipe, "flats-path", "f.h5:/data", NULL));
  g_autofree char *folder = g_get_current_dir ();
  g_autofree char *line =
      tl_recipe_to_command ("recon", recipe, defaults, "b c.h5");
  g_autofree char *want = g_strdup_printf (
      "tomolens-cli recon '%s/b c.h5' --slice 5 --centre 46.25 --filter hann "
      "--angles-file %s/a.txt --keys-path /keys --flats-path f.h5:/data",
      folder, folder);
  g_assert_cmpstr (line, ==, want);
}

/* What the scan decides by itself is not said, and comes out the same. */
static void
test_session (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autofree char *path = NULL;
  g_autofree char *saved = tl_scratch_path (fixture->folder, "a.ini");
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_parameters_dup_command (parameters));
  tl_fixture_open_scan (fixture);
  tl_parameters_set_centre (parameters, 30.1 + 0.2); /* needs all its digits */
  tl_session_change (session, "preset", "smooth");
  g_autofree char *line = tl_parameters_dup_command (parameters);
  g_autoptr (TlRecipe) got = parse (line, &path);
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_recipe_resolve (got, tl_reader_get_info (reader), NULL));
  tl_parameters_save (parameters, saved, &error);
  g_assert_no_error (error);
  g_autoptr (TlRecipe) recipe = tl_recipe_load (saved, NULL, &error);
  g_assert_no_error (error);
  assert_like (got, recipe);
  g_assert_cmpfloat (got->params.centre_col, ==, 30.1 + 0.2);
  g_assert_null (strstr (line, "flat-field"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/command/every-key", test_every_key);
  g_test_add_func ("/command/angles", test_angles);
  g_test_add_func ("/command/short", test_short);
  g_test_add ("/command/session", TlFixture, NULL, tl_fixture_set_up,
              test_session, tl_fixture_tear_down);
  return g_test_run ();
}
