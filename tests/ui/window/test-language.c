/* The window in German, with decimal commas. */
#include "tests/ui/driver.h"

/* Whether this machine has a German locale. It decides how numbers are written;
 * for the sentences LANGUAGE is enough. */
static gboolean has_locale;

/* The screen of a laptop less the desktop's bars. */
#define SMALL_WIDTH 1024
#define SMALL_HEIGHT 700

static gboolean
lacks_translations (void)
{
#if TL_HAVE_TRANSLATIONS
  return FALSE;
#else
  g_test_skip ("built without gettext");
  return TRUE;
#endif
}

static gboolean
lacks_locale (void)
{
  if (!has_locale)
    g_test_skip ("no German locale: localedef or its sources are missing");
  return !has_locale;
}

/* Returns: (nullable): the first label in @root that says @text. */
static GtkWidget *
find_text (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root)
      && strcmp (gtk_label_get_text (GTK_LABEL (root)), text) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_text (child, text);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Strings from a template, from the code, and with a plural. */
static void
test_german (Driver *driver)
{
  static const char *const texts[] = { "Schicht", "Sinogramm", "90 Winkel" };
  g_autoptr (GdkTexture) shot = NULL;

  if (lacks_translations ())
    return;
  g_assert_nonnull (find_text (GTK_WIDGET (driver->window), "kein Scan"));
  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (find_text (GTK_WIDGET (driver->window), texts[i]) == NULL)
      g_error ("\"%s\" is not in the window", texts[i]);
  shot = driver_shoot (driver, "german");
}

static void
test_mnemonics (Driver *driver)
{
  if (!lacks_translations ())
    driver_assert_mnemonics (driver);
}

/* The bar of the candidates fits, too. */
static void
test_small_candidates (Driver *driver)
{
  GtkWindow *window = GTK_WINDOW (driver->window);
  g_autoptr (GdkTexture) shot = NULL;

  if (lacks_translations ())
    return;
  driver_open (driver);
  gtk_window_set_default_size (window, SMALL_WIDTH, SMALL_HEIGHT);
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  shot = driver_shoot (driver, "german-candidates");
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, SMALL_WIDTH);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (window)), <=,
                   SMALL_HEIGHT);
}

/* A warning may still be sliding away. */
static gboolean
is_low (Driver *driver)
{
  return gtk_widget_get_height (GTK_WIDGET (driver->window)) <= SMALL_HEIGHT;
}

/* The form of the export and a row that asks fit, too. */
static void
test_small_export (Driver *driver)
{
  GtkWindow *window = GTK_WINDOW (driver->window);
  g_autofree char *volume = g_build_filename (driver->folder, "v.h5", NULL);
  g_autoptr (GdkTexture) shot = NULL;
  GtkRequisition least;

  if (lacks_translations ())
    return;
  driver_open (driver);
  gtk_window_set_default_size (window, SMALL_WIDTH, SMALL_HEIGHT);
  driver_activate (driver, "view", g_variant_new_string ("export"));
  for (guint i = 0; i < 2; i++)
    driver_activate (driver, "export",
                     g_variant_new_parsed ("{'path': <%s>}", volume));
  driver_wait (driver, driver_is_exported, "the exports");
  gtk_drop_down_set_selected (
      GTK_DROP_DOWN (driver_find_in (GTK_WIDGET (window), "sample_drop")), 2);
  driver_settle (driver);
  shot = driver_shoot (driver, "german-export");
  gtk_widget_get_preferred_size (GTK_WIDGET (window), &least, NULL);
  g_test_message ("at least %d x %d", least.width, least.height);
  g_assert_nonnull (find_text (GTK_WIDGET (window), "Ersetzen"));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, SMALL_WIDTH);
  driver_wait (driver, is_low, "a low window");
}

/* The window must become about as narrow in German as in English. */
static void
test_narrow (Driver *driver)
{
  if (lacks_translations ())
    return;
  driver_assert_narrow (driver, 800, "german-narrow");
}

/* The longer German words fit into a small window, in the light and the dark
 * theme. */
static void
test_small_window (Driver *driver)
{
  GtkWindow *window = GTK_WINDOW (driver->window);
  GtkWidget *widget = GTK_WIDGET (window);
  g_autoptr (GdkTexture) light = NULL;
  g_autoptr (GdkTexture) dark = NULL;
  GtkRequisition least;

  if (lacks_translations ())
    return;
  driver_open (driver);
  gtk_window_set_default_size (window, SMALL_WIDTH, SMALL_HEIGHT);
  driver_activate (driver, "profile", NULL);
  driver_settle (driver);
  light = driver_shoot (driver, "german-small");
  gtk_widget_get_preferred_size (widget, &least, NULL);
  g_test_message ("at least %d x %d", least.width, least.height);
  g_assert_cmpint (gtk_widget_get_width (widget), <=, SMALL_WIDTH);
  g_assert_cmpint (gtk_widget_get_height (widget), <=, SMALL_HEIGHT);
  g_object_set (gtk_settings_get_default (),
                "gtk-application-prefer-dark-theme", TRUE, NULL);
  gtk_expander_set_expanded (
      GTK_EXPANDER (driver_find (driver, "engine_expander")), TRUE);
  gtk_widget_grab_focus (driver_find (driver, "colormap_drop"));
  driver_settle (driver);
  driver_settle (driver);
  dark = driver_shoot (driver, "german-small-dark");
  g_assert_cmpint (gtk_widget_get_width (widget), <=, SMALL_WIDTH);
  g_object_set (gtk_settings_get_default (),
                "gtk-application-prefer-dark-theme", FALSE, NULL);
}

static void
assert_contains (const char *text, const char *words)
{
  if (text == NULL || strstr (text, words) == NULL)
    g_error ("\"%s\" is not in \"%s\"", words, text);
}

/* Numbers are typed with comma or point, and stored and shown with a point. */
static void
test_numbers (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *centre = driver_find (driver, "centre_spin");
  GtkWidget *angles = driver_find (driver, "angles_entry");
  g_autofree char *path = g_build_filename (driver->folder, "kept.ini", NULL);
  g_autofree char *recipe = NULL;
  g_autofree char *given = NULL;
  g_autoptr (GError) error = NULL;

  if (lacks_locale () || driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_widget_grab_focus (centre);
  driver_xdotool (driver, "key ctrl+a type 44,75");
  driver_xdotool (driver, "key Return");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 44.75);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (centre)), ==, "44.75");
  gtk_widget_grab_focus (centre);
  driver_xdotool (driver, "key ctrl+a type 44.25");
  driver_xdotool (driver, "key Return");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 44.25);
  gtk_widget_grab_focus (angles);
  driver_xdotool (driver, "key ctrl+a type 0,5:179");
  driver_xdotool (driver, "key Return");
  given = tl_recipe_get (tl_parameters_get_recipe (parameters), "angles");
  g_assert_cmpstr (given, ==, "0.5:179");
  driver_activate (driver, "cutoff", g_variant_new_double (0.625));
  driver_settle (driver);
  driver_activate (driver, "save-recipe-as", g_variant_new_string (path));
  driver_settle (driver);
  g_file_get_contents (path, &recipe, NULL, &error);
  g_assert_no_error (error);
  assert_contains (recipe, "44.25");
  assert_contains (recipe, "0.5:179");
  assert_contains (recipe, "0.625");
}

/* Returns: (transfer full): the standard output of @program */
static char *
run_program (const char *program, const char *argument, ...)
{
  g_autoptr (GPtrArray) line = g_ptr_array_new ();
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  char *said = NULL;
  va_list args;

  g_ptr_array_add (line, (char *)program);
  va_start (args, argument);
  for (; argument != NULL; argument = va_arg (args, const char *))
    g_ptr_array_add (line, (char *)argument);
  va_end (args);
  g_ptr_array_add (line, NULL);
  process = g_subprocess_newv ((const char *const *)line->pdata,
                               G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &said, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_successful (process));
  return said;
}

/* Output for other programs has decimal points and is in English. */
static void
test_command_line_output (Driver *driver)
{
  g_autofree char *shot = g_build_filename (driver->folder, "shot.png", NULL);
  g_autofree char *window = NULL;
  g_autofree char *json = NULL;
  g_autofree char *help = NULL;

  if (lacks_locale ())
    return;
  window =
      run_program (TL_PROGRAM_PATH, "--screenshot", shot, driver->scan, NULL);
  g_assert_true (
      g_regex_match_simple ("frame: [0-9]+\\.[0-9] ms", window, 0, 0));
  json = run_program (TL_CLI_PATH, "recon", driver->scan, "--centre", "44.75",
                      "--json", "-o", driver->folder, NULL);
  assert_contains (json, "44.75");
  help = run_program (TL_CLI_PATH, "recon", "--help", NULL);
  assert_contains (help, "method to remove rings");
}

/* Messages of the core are German in the window and English on the command
 * line. */
static void
test_core_messages (Driver *driver)
{
  GtkWidget *root = GTK_WIDGET (driver->window);
  g_autofree char *text = g_build_filename (driver->folder, "text", NULL);
  g_autofree char *image =
      g_build_filename (driver->folder, "recon_00002.tiff", NULL);
  g_autofree char *message = NULL;
  g_autofree char *info = NULL;
  g_autoptr (GdkTexture) banner = NULL;
  g_autoptr (GdkTexture) notes = NULL;
  g_autoptr (GError) error = NULL;

  if (lacks_translations ())
    return;
  gtk_window_set_default_size (GTK_WINDOW (root), SMALL_WIDTH, SMALL_HEIGHT);
  g_file_set_contents (text, "no scan", -1, &error);
  g_assert_no_error (error);
  driver_activate (driver, "open", g_variant_new_string (text));
  driver_settle (driver);
  g_object_get (driver->session->messages, "message", &message, NULL);
  assert_contains (
      message,
      "text: ist weder eine Datei eines bekannten Formats (HDF5, Zarr, TIFF");
  g_assert_nonnull (find_text (root, message));
  banner = driver_shoot (driver, "german-banner");

  /* an ordinary picture opened as a scan causes several warnings */
  g_free (run_program (TL_CLI_PATH, "recon", driver->scan, "--slice", "2", "-o",
                       driver->folder, NULL));
  info = run_program (TL_CLI_PATH, "info", image, NULL);
  assert_contains (info, "one image: taken as a sinogram");
  assert_contains (info, "no angles found");
  driver_activate (driver, "open", g_variant_new_string (image));
  driver_settle (driver);
  assert_contains (
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "asking_label"))),
      "keine Winkel gefunden");
  assert_contains (
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "notes_label"))),
      "gilt als Sinogramm");
  notes = driver_shoot (driver, "german-notes");
  g_assert_cmpint (gtk_widget_get_width (root), <=, SMALL_WIDTH);
}

/* The bar of the comparison fits, too. */
static void
test_compare (Driver *driver)
{
  GtkWidget *root = GTK_WIDGET (driver->window);
  g_autoptr (GdkTexture) bar = NULL;

  if (lacks_translations ())
    return;
  gtk_window_set_default_size (GTK_WINDOW (root), SMALL_WIDTH, SMALL_HEIGHT);
  driver_open (driver);
  driver_activate (driver, "hold", NULL);
  driver_settle (driver);
  driver_activate (driver, "centre", g_variant_new_double (44.75));
  driver_activate (driver, "compare", g_variant_new_string ("blink"));
  driver_settle (driver);
  bar = driver_shoot (driver, "german-compare");
  g_assert_nonnull (find_text (root, "Beide"));
  g_assert_cmpint (gtk_widget_get_width (root), <=, SMALL_WIDTH);
}

/* Returns: whether the German locale could be made; it is then set for this
 * process and its children */
static gboolean
make_locale (const char *folder)
{
  g_autofree char *name = g_build_filename (folder, "de_DE.UTF-8", NULL);
  g_autofree char *line =
      g_strdup_printf ("localedef -i de_DE -f UTF-8 %s", name);
  int status;

  if (!g_spawn_command_line_sync (line, NULL, NULL, &status, NULL)
      || !g_file_test (name, G_FILE_TEST_IS_DIR))
    return FALSE;
  g_setenv ("LOCPATH", folder, TRUE);
  g_setenv ("LC_ALL", "de_DE.UTF-8", TRUE);
  return TRUE;
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/language/german", test_german },
    { "/ui/language/mnemonics", test_mnemonics },
    { "/ui/language/narrow", test_narrow },
    { "/ui/language/small-window", test_small_window },
    { "/ui/language/small-candidates", test_small_candidates },
    { "/ui/language/small-export", test_small_export },
    { "/ui/language/numbers", test_numbers },
    { "/ui/language/command-line-output", test_command_line_output },
    { "/ui/language/core-messages", test_core_messages },
    { "/ui/language/compare", test_compare },
  };
  g_autofree char *folder = g_dir_make_tmp ("tomolens-locale-XXXXXX", NULL);
  int status;

  has_locale = folder != NULL && make_locale (folder);
  g_setenv ("LANGUAGE", "de", TRUE);
  status = driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
  driver_remove_folder (folder);
  return status;
}
