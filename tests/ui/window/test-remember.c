/* What the window remembers from one start to the next: each case is a start,
 * and goes on where the last one has ended. */
#include "tests/ui/driver.h"

#include "app/scan/scan-memory.h"
#include "ui/chooser/chooser-window.h"
#include "ui/desktop/settings.h"
#include "ui/window/preferences.h"

#include <glib/gstdio.h>

/* Returns: (transfer full): a copy of the case's scan, the same in all cases */
static char *
keep_scan (Driver *driver)
{
  char *path = g_build_filename (g_get_user_cache_dir (), "same.h5", NULL);
  g_autofree char *bytes = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (driver->scan, &bytes, &n, NULL));
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    g_assert_true (g_file_set_contents (path, bytes, (gssize)n, NULL));
  return path;
}

static void
open_same (Driver *driver)
{
  g_autofree char *path = keep_scan (driver);

  driver->scan_serial = tl_scan_source_get_serial (driver->session->source);
  driver_activate (driver, "open", g_variant_new_string (path));
  driver_wait_for_scan (driver);
}

static GtkWidget *
find_fold (Driver *driver)
{
  return driver_find (driver, "engine_expander");
}

static gboolean
is_offered (Driver *driver)
{
  return gtk_info_bar_get_revealed (
      GTK_INFO_BAR (driver_find (driver, "offer_bar")));
}

static void
close_window (Driver *driver)
{
  driver_send (driver, "key ctrl+w");
  while (driver->window != NULL)
    driver_iterate (driver, TRUE);
}

/* The settings as they are delivered; then the user changes them. */
static void
test_first (Driver *driver)
{
  int width, height;

  if (driver_lacks ("xdotool"))
    return;
  gtk_window_get_default_size (GTK_WINDOW (driver->window), &width, &height);
  g_assert_cmpint (width, ==, 1280);
  driver_assert_state (driver, "seek-centre", "true");
  driver_assert_state (driver, "colormap", "'grey'");
  driver_activate (driver, "seek-centre", NULL);
  open_same (driver);
  g_assert_false (is_offered (driver));
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1100, 800);
  driver_activate (driver, "colormap", g_variant_new_string ("magma"));
  driver_activate (driver, "sharp-zoom", NULL);
  driver_activate (driver, "centre", g_variant_new_double (45));
  driver_activate (driver, "slice", g_variant_new_uint32 (1));
  gtk_expander_set_expanded (GTK_EXPANDER (find_fold (driver)), TRUE);
  driver_settle (driver);
  close_window (driver);
}

static void
test_second (Driver *driver)
{
  g_autofree char *folder = NULL;
  int width, height;

  if (driver_lacks ("xdotool"))
    return;
  gtk_window_get_default_size (GTK_WINDOW (driver->window), &width, &height);
  g_assert_cmpint (width, ==, 1100);
  g_assert_cmpint (height, ==, 800);
  driver_assert_state (driver, "seek-centre", "false");
  driver_assert_state (driver, "colormap", "'magma'");
  driver_assert_state (driver, "sharp-zoom", "false");
  g_assert_true (gtk_expander_get_expanded (GTK_EXPANDER (find_fold (driver))));
  folder = tl_settings_dup_text ("open-folder");
  g_assert_cmpstr (folder, ==, g_get_user_cache_dir ());
}

/* What was done with the scan is offered; the slice alone would not be. */
static void
test_offer (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  g_autoptr (GdkTexture) shot = NULL;

  if (driver_lacks ("xdotool"))
    return;
  open_same (driver);
  g_assert_true (is_offered (driver));
  g_assert_nonnull (strstr (
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "offer_label"))),
      "Centre 47.5 → 45"));
  driver_settle (driver);
  shot = driver_shoot (driver, "offer");
  driver_click (driver, driver_find (driver, "offer_button"));
  driver_settle (driver);
  g_assert_false (is_offered (driver));
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 45);
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 1);
  driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 47.5);
  /* another scan has nothing to offer */
  driver_open (driver);
  g_assert_false (is_offered (driver));
}

static guint
get_chosen (Driver *driver, const char *name)
{
  return gtk_drop_down_get_selected (
      GTK_DROP_DOWN (driver_find_in (GTK_WIDGET (driver->window), name)));
}

static void
choose (Driver *driver, const char *name, guint item)
{
  gtk_drop_down_set_selected (
      GTK_DROP_DOWN (driver_find_in (GTK_WIDGET (driver->window), name)), item);
}

static GtkSpinButton *
find_spin (Driver *driver, const char *name)
{
  return GTK_SPIN_BUTTON (driver_find_in (GTK_WIDGET (driver->window), name));
}

static void
show_export (Driver *driver)
{
  open_same (driver);
  driver_activate (driver, "view", g_variant_new_string ("export"));
  driver_settle (driver);
}

/* What an export is made as. The compression is typed, without Enter. */
static void
test_export (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "v.h5", NULL);

  show_export (driver);
  gtk_editable_set_text (
      GTK_EDITABLE (driver_find_in (GTK_WIDGET (driver->window), "path_entry")),
      path);
  choose (driver, "sample_drop", 3);
  choose (driver, "range_drop", 2);
  choose (driver, "binning_drop", 1);
  gtk_editable_set_text (GTK_EDITABLE (find_spin (driver, "compression_spin")),
                         "4");
  driver_settle (driver);
  driver_click (driver,
                driver_find_in (GTK_WIDGET (driver->window), "export_button"));
  driver_wait (driver, driver_is_exported, "the export");
}

/* It is kept over a restart and with another scan; the part is not. */
static void
test_export_kept (Driver *driver)
{
  show_export (driver);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpuint (get_chosen (driver, "format_drop"), ==, TL_VOLUME_HDF5);
      g_assert_cmpuint (get_chosen (driver, "sample_drop"), ==, 3);
      g_assert_cmpuint (get_chosen (driver, "range_drop"), ==, 2);
      g_assert_cmpint (gtk_spin_button_get_value_as_int (
                           find_spin (driver, "compression_spin")),
                       ==, 4);
      g_assert_cmpuint (get_chosen (driver, "binning_drop"), ==, 0);
      g_assert_cmpint (
          gtk_spin_button_get_value_as_int (find_spin (driver, "step_spin")),
          ==, 1);
      choose (driver, "binning_drop", 1);
      gtk_spin_button_set_value (find_spin (driver, "step_spin"), 2);
      driver_open (driver); /* another scan */
      driver_activate (driver, "view", g_variant_new_string ("export"));
      driver_settle (driver);
    }
}

static void
click_in (Driver *driver, GtkWindow *window, const char *name)
{
  driver_click (driver, driver_find_in (GTK_WIDGET (window), name));
  driver_settle (driver);
}

/* Returns: whether the user has set @key, in the file */
static gboolean
has_setting (const char *key)
{
  g_autofree char *text = NULL;

  g_assert_true (
      g_file_get_contents (tl_settings_get_place (), &text, NULL, NULL));
  return strstr (text, key) != NULL;
}

/* The preferences show the settings, change them, and forget them. */
static void
test_preferences (Driver *driver)
{
  GtkWindow *window;
  g_autofree char *folder = NULL;
  g_autofree char *memory = tl_scan_memory_dup_file ();

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  tl_scan_memory_note_address ("zmq+json://host:1", "90", "", "");
  g_assert_true (g_file_test (memory, G_FILE_TEST_EXISTS));
  gtk_expander_set_expanded (GTK_EXPANDER (find_fold (driver)), TRUE);
  g_assert_true (has_setting ("unfolded"));
  driver_xdotool (driver, "key ctrl+comma");
  driver_wait (driver, driver_has_dialog, "the preferences");
  window = driver_find_window (TL_TYPE_PREFERENCES);
  driver_settle (driver);
  driver_shoot_both (driver, GTK_WIDGET (window), "preferences");
  driver_assert_state (driver, "seek-centre", "false");
  click_in (driver, window, "seek_check");
  driver_assert_state (driver, "seek-centre", "true");
  click_in (driver, window, "offer_check");
  driver_assert_state (driver, "offer-recipe", "false");
  click_in (driver, window, "forget_button");
  driver_assert_state (driver, "offer-recipe", "true");
  folder = tl_settings_dup_text ("open-folder");
  g_assert_cmpstr (folder, ==, "");
  g_assert_false (
      gtk_expander_get_expanded (GTK_EXPANDER (find_fold (driver))));
  g_assert_false (has_setting ("unfolded"));
  g_assert_false (g_file_test (memory, G_FILE_TEST_EXISTS));
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, driver_has_no_dialog, "the preferences to close");
  open_same (driver);
  g_assert_false (is_offered (driver));
  /* as of a start on a larger screen */
  g_settings_set (tl_settings_get (), "window-size", "(ii)", 9000, 8000);
}

static void
test_screen (Driver *driver)
{
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (driver->window), &width, &height);
  g_assert_cmpint (width, <, 9000);
  g_assert_cmpint (height, <, 8000);
}

static void
test_place (Driver *driver)
{
  g_autofree char *want = g_build_filename (g_get_user_config_dir (),
                                            "tomolens", "settings.ini", NULL);

  g_assert_cmpstr (tl_settings_get_place (), ==, want);
  g_assert_true (g_file_test (want, G_FILE_TEST_EXISTS));
}

/* What the first try of a case has changed is not there in the second. */
static void
test_repeated (Driver *driver)
{
  static guint n_tries;

  driver_assert_state (driver, "sharp-zoom", "true");
  driver_activate (driver, "sharp-zoom", NULL);
  driver_assert_state (driver, "sharp-zoom", "false");
  driver->wants_again = ++n_tries == 1;
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/remember/first", test_first },
    { "/ui/remember/second", test_second },
    { "/ui/remember/offer", test_offer },
    { "/ui/remember/export", test_export },
    { "/ui/remember/export-kept", test_export_kept },
    { "/ui/remember/place", test_place },
    { "/ui/remember/preferences", test_preferences },
    { "/ui/remember/screen", test_screen },
    { "/ui/remember/repeated", test_repeated },
  };

  g_setenv ("GSETTINGS_BACKEND", "keyfile", TRUE);
  driver_remember ();
  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
