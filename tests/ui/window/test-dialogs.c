/* Export, the dialogs, and the session bus. */
#include "tests/ui/driver.h"

#include "data/phantom/phantom.h"
#include "tests/support/unfinished.h"
#include "ui/dialogs/export-dialog.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define LONG_ROWS 12000U

static gboolean
is_exported (Driver *driver)
{
  gboolean exporting;

  g_object_get (driver->session->exporter, "running", &exporting, NULL);
  return !exporting;
}

static void
assert_toast (Driver *driver, const char *words, const char *path)
{
  const char *toast = driver_get_toast (driver);
  g_autofree char *want = g_strconcat (words, path, ", limited by ", NULL);

  if (toast == NULL || !g_str_has_prefix (toast, want))
    g_error ("the toast is \"%s\", which does not begin with \"%s\"", toast,
             want);
}

static void
test_export (Driver *driver)
{
  g_autofree char *folder = g_build_filename (driver->folder, "out", NULL);

  driver_open (driver);
  driver_activate (driver, "export", g_variant_new ("(suu)", folder, 1U, 3U));
  driver_wait (driver, is_exported, "the export");
  assert_toast (driver, "3 slices written to ", folder);
  for (int i = 0; i < SCAN_ROWS; i++)
    {
      g_autofree char *name = g_strdup_printf ("recon_%05d.tiff", i);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==,
                       i >= 1 && i <= 3);
    }
}

static GtkWidget *
find_cancel_button (Driver *driver)
{
  return driver_find (driver, "cancel_button");
}

/* Returns: whether slices are written and the button has slid in */
static gboolean
can_cancel (Driver *driver)
{
  GtkWidget *revealer =
      gtk_widget_get_ancestor (find_cancel_button (driver), GTK_TYPE_REVEALER);
  double progress;

  g_object_get (driver->session->exporter, "progress", &progress, NULL);
  return progress > 0
         && gtk_revealer_get_child_revealed (GTK_REVEALER (revealer));
}

/* Writes a scan with enough slices that the export can be cancelled. */
static void
write_long_scan (const char *path)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  tl_phantom_scan_init (&scan, 16, LONG_ROWS, 64);
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* After cancelling, the written slices stay, and each is complete. */
static void
test_export_cancel (Driver *driver)
{
  g_autofree char *folder = g_build_filename (driver->folder, "out", NULL);
  GtkWidget *button = find_cancel_button (driver);
  g_autofree char *unfinished = NULL;
  guint n;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  write_long_scan (driver->scan);
  driver_open (driver);
  driver_activate (driver, "export",
                   g_variant_new ("(suu)", folder, 0U, LONG_ROWS - 1U));
  driver_wait (driver, can_cancel, "the first slices");
  driver_locate (driver, button, gtk_widget_get_width (button) / 2.0,
                 gtk_widget_get_height (button) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  driver_wait (driver, is_exported, "the export to end");
  g_assert_null (tl_window_get_banner (driver->window));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  unfinished = find_unfinished (driver->folder, "out");
  n = count_whole_slices (unfinished);
  g_test_message ("cancelled after %u of %u slices", n, LONG_ROWS);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <, LONG_ROWS);
}

static gboolean
names_engine (Driver *driver)
{
  g_autofree char *text = NULL;

  g_object_get (driver_find_dialog (driver), "secondary-text", &text, NULL);
  return strstr (text, "host: ") != NULL && strstr (text, "In use") != NULL;
}

static void
test_dialogs (Driver *driver)
{
  static const char *const names[] = { "export-dialog", "about-machine",
                                       "about", "shortcuts" };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (driver->window), names[i],
                                      NULL);
      driver_wait (driver, driver_has_dialog, names[i]);
      driver_settle (driver);
      if (strcmp (names[i], "about-machine") == 0)
        driver_wait (driver, names_engine, "the engines to be named");
      driver_xdotool (driver, "key Escape");
      g_assert_null (driver_find_dialog (driver));
    }
}

static void
open_export_dialog (Driver *driver)
{
  g_action_group_activate_action (G_ACTION_GROUP (driver->window),
                                  "export-dialog", NULL);
  driver_wait (driver, driver_has_dialog, "the dialog");
  driver_settle (driver);
}

/* First exports into a folder that cannot be made, then again with the same
 * choices. */
static void
test_export_dialog (Driver *driver)
{
  g_autofree char *folder = g_build_filename (driver->folder, "typed", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_export_dialog (driver);
  /* the folder has the focus, and Return exports; Alt+T is this slice */
  driver_xdotool (driver, "key ctrl+a type %s/no", driver->scan);
  driver_xdotool (driver, "key alt+t");
  driver_xdotool (driver, "key alt+e");
  driver_wait (driver, driver_has_no_dialog, "the dialog to go");
  driver_wait (driver, is_exported, "the export");
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window), "phantom"));
  open_export_dialog (driver);
  driver_xdotool (driver, "key ctrl+a type %s", folder);
  driver_xdotool (driver, "key Return");
  driver_wait (driver, driver_has_no_dialog, "the dialog to go");
  driver_wait (driver, is_exported, "the export");
  assert_toast (driver, "1 slice written to ", folder);
  driver_activate (driver, "dismiss", NULL);
  g_assert_null (driver_get_toast (driver));
  g_assert_null (tl_window_get_banner (driver->window));
}

static const char *
get_dialog_text (Driver *driver, const char *name)
{
  GObject *child = gtk_widget_get_template_child (
      GTK_WIDGET (driver_find_dialog (driver)), TL_TYPE_EXPORT_DIALOG, name);

  return GTK_IS_LABEL (child) ? gtk_label_get_text (GTK_LABEL (child))
                              : gtk_editable_get_text (GTK_EDITABLE (child));
}

static gboolean
says_free (Driver *driver)
{
  return strstr (get_dialog_text (driver, "size_label"), "free") != NULL;
}

static gboolean
says_too_little (Driver *driver)
{
  return strstr (get_dialog_text (driver, "size_label"), "but only") != NULL;
}

static gboolean
can_export (Driver *driver)
{
  return gtk_widget_get_sensitive (GTK_WIDGET (
      gtk_widget_get_template_child (GTK_WIDGET (driver_find_dialog (driver)),
                                     TL_TYPE_EXPORT_DIALOG, "export_button")));
}

/* /proc never has free space: the dialog says so and disables the export. */
static void
test_export_no_room (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_export_dialog (driver);
  driver_wait (driver, says_free, "the space that is free");
  g_assert_true (can_export (driver));
  driver_xdotool (driver, "key ctrl+a type /proc/volume");
  driver_wait (driver, says_too_little, "the space among the processes");
  g_assert_false (can_export (driver));
  driver_xdotool (driver, "key Return");
  driver_settle (driver);
  g_assert_nonnull (driver_find_dialog (driver));
  driver_xdotool (driver, "key ctrl+a type %s/a", driver->folder);
  driver_wait (driver, can_export, "a folder with room");
  driver_xdotool (driver, "key Escape");
}

static gboolean
has_other_scan (Driver *driver)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (driver->session->source);

  return g_str_has_suffix (scan->path, "/other.h5");
}

/* For another scan the dialog proposes a folder beside the previous one,
 * wherever the scan is. */
static void
test_export_folder (Driver *driver)
{
  g_autofree char *there = g_build_filename (driver->folder, "there", NULL);
  g_autofree char *wanted =
      g_build_filename (driver->folder, "there", "other-recon", NULL);
  g_autofree char *folder = g_build_filename (there, "a", NULL);
  g_autofree char *other = g_build_filename (driver->folder, "other.h5", NULL);

  if (driver_lacks ("xdotool"))
    return;
  g_assert_cmpint (g_mkdir (there, 0777), ==, 0);
  driver_open (driver);
  open_export_dialog (driver);
  driver_wait (driver, says_free, "the space that is free");
  driver_xdotool (driver, "key ctrl+a type %s", folder);
  driver_wait (driver, says_free, "the space of what is not there yet");
  driver_xdotool (driver, "key Return");
  driver_wait (driver, driver_has_no_dialog, "the dialog to go");
  driver_wait (driver, is_exported, "the export");
  g_assert_cmpint (symlink (driver->scan, other), ==, 0);
  driver_activate (driver, "open", g_variant_new_string (other));
  driver_wait (driver, has_other_scan, "the other scan");
  open_export_dialog (driver);
  g_assert_cmpstr (get_dialog_text (driver, "folder_entry"), ==, wanted);
  driver_xdotool (driver, "key Escape");
}

/* Runs the program in a process of its own; @status is its exit status, and
 * @words are in what it prints to standard error. */
static void
assert_program (Driver *driver, int status, const char *words,
                const char *const *arguments)
{
  g_autofree char *shot = g_build_filename (driver->folder, "shot.png", NULL);
  g_autoptr (GPtrArray) line = g_ptr_array_new ();
  g_autoptr (GSubprocess) program = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *complaint = NULL;

  g_ptr_array_add (line, (char *)TL_PROGRAM_PATH);
  g_ptr_array_add (line, (char *)"--screenshot");
  g_ptr_array_add (line, shot);
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (line, (char *)*arguments);
  g_ptr_array_add (line, NULL);
  program = g_subprocess_newv ((const char *const *)line->pdata,
                               G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (program, NULL, NULL, NULL, &complaint, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (complaint, words));
  g_assert_true (g_subprocess_get_if_exited (program));
  g_assert_cmpint (g_subprocess_get_exit_status (program), ==, status);
}

static void
test_command_line (Driver *driver)
{
#define ASSERT(status, words, ...)                                             \
  assert_program (driver, status, words,                                       \
                  (const char *const[]){ driver->scan, __VA_ARGS__, NULL })
  ASSERT (2, "--sieve", "--sieve");
  ASSERT (2, "--angles", "--angles", "wide");
  ASSERT (1, "there is no slice 9", "--filter", "hann", "--slice", "9");
#undef ASSERT
}

static gboolean
is_slice_two (Driver *driver)
{
  return tl_parameters_get_slice (driver->session->parameters) == 2;
}

/* Sends an action over the session bus, as a script at a beamline would. */
static void
test_bus (Driver *driver)
{
  g_autoptr (GSubprocess) script = NULL;
  g_autoptr (GError) error = NULL;

  if (driver_lacks ("gapplication"))
    return;
  if (g_getenv ("DBUS_SESSION_BUS_ADDRESS") == NULL)
    {
      g_test_skip ("no session bus: dbus-run-session is not installed");
      return;
    }
  driver_open (driver);
  script =
      g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "gapplication",
                        "action", TL_APPLICATION_ID, "slice", "uint32 2", NULL);
  g_assert_no_error (error);
  driver_wait (driver, is_slice_two, "the script's action");
  driver_settle (driver);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/export/action", test_export },
    { "/ui/export/cancel", test_export_cancel },
    { "/ui/export/dialog", test_export_dialog },
    { "/ui/export/folder", test_export_folder },
    { "/ui/export/no-room", test_export_no_room },
    { "/ui/dialogs", test_dialogs },
    { "/ui/command-line", test_command_line },
    { "/ui/bus", test_bus },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
