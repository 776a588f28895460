#include "tests/ui/driver.h"

#include "data/phantom/phantom.h"
#include "tests/support/watchdog.h"
#include "tests/ui/watch.h"
#include "ui/desktop/language.h"
#include "ui/help/help-window.h"

#include <glib/gstdio.h>

/* Long, because a loaded machine may draw in software. */
#define PATIENCE_S 60
/* Waiting time after the last event, so that what it starts is under way. GDK
 * delivers events once a frame, hence the minimum number of frames. */
#define SETTLE_MS 80
#define SETTLE_TICKS 3
#define DOUBLE_CLICK_MS 20000
#define HOLD_S "0.06"

/* GTK alone may block this long, in addition to painting: it measures windows
 * with many labels. */
#define MAX_FOREIGN_MS 400

/* A case that blocks too long is repeated, unless the main thread itself has
 * computed for MAX_SLOWDOWN times as long: an error of the program blocks every
 * time, a loaded machine only now and then, for seconds at a time. Two threads
 * of one core, and cold caches, make computing slower by less. */
#define MAX_SLOWDOWN 4
#define MAX_TRIES 3
#define PAUSE_US (500 * 1000)

/* --- the application --- */

static void
set_up (Driver *driver, gconstpointer data)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  driver->folder = g_dir_make_tmp ("tomolens-ui-XXXXXX", &error);
  g_assert_no_error (error);
  driver->scan = g_build_filename (driver->folder, "phantom.h5", NULL);
  tl_phantom_scan_init (&scan, 90, SCAN_ROWS, SCAN_COLS);
  scan.centre_col = SCAN_CENTRE;
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  driver->application = tl_application_new (G_APPLICATION_DEFAULT_FLAGS);
}

/* What most cases use. Others fold it again. */
static void
unfold (Driver *driver)
{
  static const char *const folds[] = { "scan_expander", "estimates_expander",
                                       "flat_expander", "view_expander" };

  for (guint i = 0; i < G_N_ELEMENTS (folds); i++)
    gtk_expander_set_expanded (GTK_EXPANDER (driver_find (driver, folds[i])),
                               TRUE);
}

static gboolean
run_case (gpointer data)
{
  Driver *driver = data;

  driver->session = tl_application_get_session (driver->application);
  g_set_weak_pointer (&driver->window,
                      tl_application_get_window (driver->application));
  driver->view = tl_window_get_slice_view (driver->window);
  unfold (driver);
  driver_settle (driver);
  tl_watchdog_start ();
  tl_watchdog_pause ();
  driver->function (driver);
  driver->was_closed = driver->window == NULL;
  /* when the last window closes, the application ends */
  if (driver->window != NULL)
    gtk_window_destroy (GTK_WINDOW (driver->window));
  driver->longest_ms = tl_watchdog_stop ();
  return G_SOURCE_REMOVE;
}

static void
on_activate (GApplication *application, gpointer driver)
{
  g_idle_add (run_case, driver);
}

static gboolean remembers;

void
driver_remember (void)
{
  /* with-display sets these folders to a temporary one; the user's own, which
   * no test may change, are not the same */
  g_assert_cmpstr (g_get_user_config_dir (), ==, g_get_user_state_dir ());
  g_assert_cmpstr (g_get_user_config_dir (), ==, g_get_user_cache_dir ());
  remembers = TRUE;
}

static void
on_startup (TlApplication *application)
{
  if (remembers)
    tl_application_remember (application);
}

/* Freeing the application must free the session and end its threads, because
 * nothing else has a reference. */
static void
end (Driver *driver)
{
  gint64 start_us = g_get_monotonic_time ();
  gpointer session = driver->session;

  g_clear_weak_pointer (&driver->window);
  if (session != NULL)
    g_object_add_weak_pointer (session, &session);
  g_clear_object (&driver->application);
  g_assert_null (session);
  driver->end_s = (double)(g_get_monotonic_time () - start_us) / 1e6;
}

/* Runs the case within the running application. */
static void
run_once (Driver *driver)
{
  g_signal_connect_after (driver->application, "startup",
                          G_CALLBACK (on_startup), NULL);
  g_signal_connect_after (driver->application, "activate",
                          G_CALLBACK (on_activate), driver);
  g_assert_cmpint (
      g_application_run (G_APPLICATION (driver->application), 0, NULL), ==, 0);
  end (driver);
  g_test_message ("the main thread was blocked for at most %.0f ms",
                  driver->longest_ms);
}

void
driver_remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR))
        driver_remove_folder (child);
      else
        g_unlink (child);
    }
  g_rmdir (path);
}

static GPtrArray *old_folders; /* paths */

static void
remove_old_folder (gpointer path)
{
  driver_remove_folder (path);
  g_free (path);
}

/* The folder stays until the program ends: GTK 4.8's file chooser lives a
 * little longer, and fails if a file that it shows has been removed. */
static void
tear_down (Driver *driver, gconstpointer data)
{
  g_ptr_array_add (old_folders, driver->folder);
  g_free (driver->scan);
}

/* --- what is remembered --- */

/* Copies @from with its content to @to, which must not exist; does nothing
 * without @from. */
static void
copy_folder (const char *from, const char *to)
{
  g_autoptr (GDir) dir = g_dir_open (from, 0, NULL);
  const char *name;

  if (dir == NULL)
    return;
  g_assert_cmpint (g_mkdir (to, 0700), ==, 0);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (from, name, NULL);
      g_autofree char *copy = g_build_filename (to, name, NULL);
      g_autofree char *bytes = NULL;
      gsize n;

      if (g_file_test (child, G_FILE_TEST_IS_DIR))
        {
          copy_folder (child, copy);
          continue;
        }
      g_assert_true (g_file_get_contents (child, &bytes, &n, NULL));
      g_assert_true (g_file_set_contents (copy, bytes, (gssize)n, NULL));
    }
}

/* Replaces @to by a copy of @from. */
static void
mirror_folder (const char *from, const char *to)
{
  driver_remove_folder (to);
  copy_folder (from, to);
}

/* --- one case --- */

/* Returns: whether the main thread was never blocked for too long */
static gboolean
was_responsive (Driver *driver, double slowness)
{
  return driver->longest_ms <= TL_WATCHDOG_MAX_MS * slowness
         && tl_watchdog_get_foreign_ms () <= MAX_FOREIGN_MS * slowness;
}

/* Returns: whether the main thread may have waited for other programs: they
 * want more processors than there are, which can hold up any thread */
static gboolean
is_machine_busy (double slowness)
{
  double load;

  return tl_watchdog_get_busy_ms ()
             <= MAX_SLOWDOWN * TL_WATCHDOG_MAX_MS * slowness
         && (getloadavg (&load, 1) != 1 || load > g_get_num_processors ());
}

static void
run (Driver *driver, gconstpointer data)
{
  const DriverCase *one = data;
  g_autofree char *place =
      g_build_filename (g_get_user_config_dir (), "tomolens", NULL);
  g_autofree char *before = g_strconcat (place, "-before", NULL);

  if (remembers)
    mirror_folder (place, before);
  for (guint n = 1;; n++)
    {
      driver->function = one->function;
      run_once (driver);
      if (one->check != NULL && driver->was_closed)
        one->check (driver);
      const double slowness = tl_watchdog_measure_slowness ();

      if (!driver->wants_again
          && (was_responsive (driver, slowness) || g_test_perf ()))
        break;
      if (n == MAX_TRIES && driver->wants_again)
        g_error ("the case asks to be repeated in each of %u tries", n);
      if (n == MAX_TRIES
          || !(driver->wants_again || is_machine_busy (slowness)))
        g_error ("the main thread was blocked for %.0f ms, and for too long in"
                 " each of %u tries",
                 MAX (driver->longest_ms, tl_watchdog_get_foreign_ms ()), n);
      g_test_message ("the case is repeated");
      g_usleep (PAUSE_US);
      tear_down (driver, data);
      if (remembers)
        mirror_folder (before, place);
      *driver = (Driver){ 0 };
      set_up (driver, data);
    }
}

int
driver_main (int argc, char **argv, const DriverCase *cases, guint n)
{
  int result;

  tl_language_init ();
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    g_error ("no display: run this with tests/support/with-display");
  tl_watch_init ();
  /* GLib loses its tables of file types when it looks for their folders after
   * it has read them (xdg_mime_set_dirs() in 2.74); so it looks first. */
  g_content_type_get_mime_dirs ();
  for (guint i = 0; i < n; i++)
    g_test_add (cases[i].path, Driver, &cases[i], set_up, run, tear_down);
  old_folders = g_ptr_array_new_with_free_func (remove_old_folder);
  result = g_test_run ();
  g_ptr_array_unref (old_folders);
  return result;
}

/* --- waiting --- */

static gboolean
raise_flag (gpointer flag)
{
  *(gboolean *)flag = TRUE;
  return G_SOURCE_CONTINUE;
}

void
driver_iterate (Driver *driver, gboolean may_block)
{
  tl_watchdog_go_on ();
  g_main_context_iteration (NULL, may_block);
  tl_watchdog_pause ();
}

/* What a user would see, for who reads that a test has waited in vain. */
static void
tell_state (Driver *driver)
{
  GtkWindow *dialog = driver_find_dialog (driver);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver->window));
  const char *banner = tl_window_get_banner (driver->window);
  const char *asked = tl_scan_chooser_get_reason (driver->session->chooser);
  const char *scan = tl_scan_source_get_name (driver->session->source);

  g_test_message ("scan \"%s\", dialog \"%s\" because of \"%s\", focus %s, "
                  "banner \"%s\", the window is %s",
                  scan != NULL ? scan : "",
                  dialog != NULL ? gtk_window_get_title (dialog) : "",
                  asked != NULL ? asked : "",
                  focus != NULL ? G_OBJECT_TYPE_NAME (focus) : "nowhere",
                  banner != NULL ? banner : "",
                  gtk_window_is_active (GTK_WINDOW (driver->window))
                      ? "active"
                      : "not active");
}

void
driver_wait (Driver *driver, DriverCheck check, const char *what)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE_S * G_USEC_PER_SEC;
  gboolean ticked = FALSE;
  guint source = g_timeout_add (20, raise_flag, &ticked);

  while (!check (driver))
    {
      if (g_get_monotonic_time () > deadline)
        {
          if (driver->window != NULL)
            tell_state (driver);
          g_error ("waited %d s in vain for %s", PATIENCE_S, what);
        }
      driver_iterate (driver, TRUE);
    }
  g_source_remove (source);
}

static gboolean
is_idle (Driver *driver)
{
  gboolean busy;

  g_object_get (driver->session->requests, "busy", &busy, NULL);
  return !busy;
}

static gboolean
count_tick (GtkWidget *window, GdkFrameClock *clock, gpointer n_ticks)
{
  ++*(guint *)n_ticks;
  return G_SOURCE_CONTINUE;
}

void
driver_settle (Driver *driver)
{
  gboolean over = FALSE;
  guint n_ticks = 0;
  guint source, ticks;

  if (driver->window == NULL)
    return;
  source = g_timeout_add (SETTLE_MS, raise_flag, &over);
  ticks = gtk_widget_add_tick_callback (GTK_WIDGET (driver->window), count_tick,
                                        &n_ticks, NULL);
  gdk_display_sync (gdk_display_get_default ());
  while (driver->window != NULL && (!over || n_ticks < SETTLE_TICKS))
    driver_iterate (driver, TRUE);
  g_source_remove (source);
  if (driver->window == NULL)
    return;
  gtk_widget_remove_tick_callback (GTK_WIDGET (driver->window), ticks);
  driver_wait (driver, is_idle, "the session to come to rest");
}

gboolean
driver_is_drawn (Driver *driver)
{
  return tl_slice_view_is_drawn (driver->view);
}

gboolean
driver_is_exported (Driver *driver)
{
  gboolean exporting;

  g_object_get (driver->session->exporter, "running", &exporting, NULL);
  return !exporting;
}

static gboolean
has_another_scan (Driver *driver)
{
  TlScanSource *source = driver->session->source;

  return driver_has_no_dialog (driver)
         && tl_scan_source_get_serial (source) != driver->scan_serial
         && !tl_scan_source_is_opening (source) && driver_is_drawn (driver);
}

void
driver_wait_for_scan (Driver *driver)
{
  driver_wait (driver, has_another_scan, "the scan");
  driver->scan_serial = tl_scan_source_get_serial (driver->session->source);
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));
}

void
driver_open (Driver *driver)
{
  TlScanSource *source = driver->session->source;

  driver->scan_serial = tl_scan_source_get_serial (source);
  driver_activate (driver, "open", g_variant_new_string (driver->scan));
  driver_wait (driver, has_another_scan, "the first picture");
  driver->scan_serial = tl_scan_source_get_serial (source);
  driver_settle (driver);
}

/* GTK lists the newest window first, so this is the topmost one. */
GtkWindow *
driver_find_dialog (Driver *driver)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (window != GTK_WINDOW (driver->window)
          && gtk_widget_get_visible (GTK_WIDGET (window)))
        return window;
    }
  return NULL;
}

gpointer
driver_find_window (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (window, type)
          && gtk_widget_get_visible (window))
        return window;
    }
  return NULL;
}

gboolean
driver_has_dialog (Driver *driver)
{
  return driver_find_dialog (driver) != NULL;
}

gboolean
driver_has_no_dialog (Driver *driver)
{
  return driver_find_dialog (driver) == NULL;
}

gboolean
driver_has_manual (Driver *driver)
{
  return driver_find_window (TL_TYPE_HELP_WINDOW) != NULL;
}

gboolean
driver_has_no_manual (Driver *driver)
{
  return !driver_has_manual (driver);
}

/* --- actions --- */

void
driver_activate (Driver *driver, const char *action, GVariant *target)
{
  tl_watchdog_go_on ();
  g_action_group_activate_action (G_ACTION_GROUP (driver->application), action,
                                  target);
  tl_watchdog_pause ();
}

char *
driver_get_state (Driver *driver, const char *action)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (
      G_ACTION_GROUP (driver->application), action);

  return g_variant_print (state, FALSE);
}

void
driver_assert_state (Driver *driver, const char *action, const char *want)
{
  g_autofree char *state = driver_get_state (driver, action);

  g_assert_cmpstr (state, ==, want);
}

void
driver_assert_disabled (Driver *driver, const char *const *actions, guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_false (g_action_group_get_action_enabled (
        G_ACTION_GROUP (driver->application), actions[i]));
}

/* --- mouse and keyboard --- */

static void
on_ended (GObject *process, GAsyncResult *result, gpointer has_ended)
{
  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
  *(gboolean *)has_ended = TRUE;
}

/* Runs xdotool while the main loop continues, as it does for a user. Returns:
 * whether xdotool has succeeded */
static gboolean
wait_for_end (Driver *driver, GSubprocess *process)
{
  gboolean has_ended = FALSE;

  g_subprocess_wait_async (process, NULL, on_ended, &has_ended);
  while (!has_ended)
    driver_iterate (driver, TRUE);
  return g_subprocess_get_successful (process);
}

/* Lets xdotool hold each button for as long as a hand does. While a button is
 * down, GTK makes up motions from where the pointer is now, after a change of
 * the layout for example; if the button is up again by then, the gesture ends
 * before its own motions come. Returns: (transfer full) */
static char *
hold_buttons (const char *commands)
{
  g_autoptr (GString) text = g_string_new (commands);

  g_string_replace (text, "click 1", "mousedown 1 mouseup 1", 0);
  g_string_replace (text, "mouseup", "sleep " HOLD_S " mouseup", 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
send (Driver *driver, const char *format, va_list args)
{
  g_autofree char *commands = g_strdup_vprintf (format, args);
  g_autofree char *slow = hold_buttons (commands);
  g_autofree char *line = g_strconcat ("xdotool ", slow, NULL);
  g_auto (GStrv) words = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;

  g_shell_parse_argv (line, NULL, &words, &error);
  g_assert_no_error (error);
  process = g_subprocess_newv ((const char *const *)words,
                               G_SUBPROCESS_FLAGS_NONE, &error);
  g_assert_no_error (error);
  if (!wait_for_end (driver, process))
    g_error ("%s has failed", line);
}

void
driver_send (Driver *driver, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  send (driver, format, args);
  va_end (args);
}

void
driver_xdotool (Driver *driver, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  send (driver, format, args);
  va_end (args);
  driver_settle (driver);
}

/* Returns: the letter after a single underscore, in lower case; 0: none */
static gunichar
find_mnemonic (const char *label)
{
  const char *mark = strchr (label, '_');

  while (mark != NULL && mark[1] == '_')
    mark = strchr (mark + 2, '_');
  return mark != NULL ? g_unichar_tolower (g_utf8_get_char (mark + 1)) : 0;
}

static void assert_menu (GMenuModel *menu);

/* @seen: letters, and the item of each; of the menu and its sections
 * @n_without: of the same */
static void
collect_mnemonics (GMenuModel *menu, GHashTable *seen, guint *n_without)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section =
          g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autoptr (GMenuModel) submenu =
          g_menu_model_get_item_link (menu, i, G_MENU_LINK_SUBMENU);
      g_autofree char *label = NULL;
      gpointer letter;

      if (section != NULL)
        collect_mnemonics (section, seen, n_without);
      if (submenu != NULL)
        assert_menu (submenu);
      if (!g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL,
                                            "s", &label))
        continue;
      letter = GUINT_TO_POINTER (find_mnemonic (label));
      if (letter == NULL)
        ++*n_without;
      else if (g_hash_table_contains (seen, letter))
        g_error ("“%s” and “%s” have one letter", label,
                 (char *)g_hash_table_lookup (seen, letter));
      else
        g_hash_table_insert (seen, letter, g_steal_pointer (&label));
    }
}

static void
assert_menu (GMenuModel *menu)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (NULL, NULL, NULL, g_free);
  guint n_without = 0;

  collect_mnemonics (menu, seen, &n_without);
  g_assert_true (n_without == 0 || g_hash_table_size (seen) == 0);
}

static guint
assert_menus_in (GtkWidget *widget)
{
  guint n = 0;

  if (GTK_IS_MENU_BUTTON (widget)
      && gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)) != NULL)
    {
      assert_menu (gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)));
      n++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += assert_menus_in (child);
  return n;
}

void
driver_assert_mnemonics (Driver *driver)
{
  g_assert_cmpuint (assert_menus_in (GTK_WIDGET (driver->window)), >=, 4);
}

/* Returns: (nullable): the label of the recent scan that has the focus */
static const char *
get_focused_recent (Driver *driver)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver->window));
  GtkWidget *button = driver_find (driver, "recent_button");

  if (focus == NULL || !gtk_widget_is_ancestor (focus, button))
    return NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (focus); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_LABEL (child))
      return gtk_label_get_text (GTK_LABEL (child));
  return NULL;
}

static gboolean
is_in_recent (Driver *driver)
{
  return get_focused_recent (driver) != NULL;
}

static gboolean
is_recent_closed (Driver *driver)
{
  GtkWidget *button = driver_find (driver, "recent_button");

  return !gtk_widget_get_mapped (
      GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (button))));
}

void
driver_open_recent (Driver *driver, const char *name)
{
  driver_xdotool (driver, "key ctrl+r");
  driver_wait (driver, is_in_recent, "the list of recent scans");
  for (guint i = 0; !g_str_has_prefix (get_focused_recent (driver), name); i++)
    {
      g_assert_cmpuint (i, <, 10);
      driver_xdotool (driver, "key Down");
    }
  driver_xdotool (driver, "key Return");
  driver_wait (driver, is_recent_closed, "the list of recent scans to close");
}

void
driver_click (Driver *driver, GtkWidget *widget)
{
  int x, y;

  driver_locate (driver, widget, gtk_widget_get_width (widget) / 3.0,
                 gtk_widget_get_height (widget) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
}

void
driver_double_click (Driver *driver)
{
  GtkSettings *settings = gtk_settings_get_default ();

  g_object_set (settings, "gtk-double-click-time", DOUBLE_CLICK_MS, NULL);
  driver_xdotool (driver, "click 1 click 1");
  gtk_settings_reset_property (settings, "gtk-double-click-time");
}

static void
on_line (GObject *stream, GAsyncResult *result, gpointer line)
{
  *(char **)line = g_data_input_stream_read_line_finish (
      G_DATA_INPUT_STREAM (stream), result, NULL, NULL);
  if (*(char **)line == NULL)
    g_error ("the drag source has printed nothing");
}

void
driver_drop (Driver *driver, const char *name)
{
  GtkWidget *window = GTK_WIDGET (driver->window);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) source = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, TL_DRAG_SOURCE_PATH, name, NULL);
  g_autoptr (GDataInputStream) words = NULL;
  g_autofree char *line = NULL;
  int x, y;

  g_assert_no_error (error);
  words = g_data_input_stream_new (g_subprocess_get_stdout_pipe (source));
  g_data_input_stream_read_line_async (words, G_PRIORITY_DEFAULT, NULL, on_line,
                                       &line);
  while (line == NULL)
    driver_iterate (driver, TRUE);
  driver_locate (driver, window, gtk_widget_get_width (window) / 2.0,
                 gtk_widget_get_height (window) / 2.0, &x, &y);
  /* the drag source is in the top left corner, in front of the window */
  driver_send (driver,
               "mousemove 30 30 mousedown 1 sleep 0.1 mousemove 45 45 "
               "sleep 0.1 mousemove 60 60 sleep 0.2 mousemove %d %d sleep 0.1 "
               "mousemove %d %d sleep 0.2 mouseup 1",
               x, y, x + 5, y + 5);
  if (!wait_for_end (driver, source))
    g_error ("no widget has accepted %s", name);
}

gboolean
driver_lacks (const char *program)
{
  g_autofree char *path = g_find_program_in_path (program);
  g_autofree char *reason = g_strconcat (program, " is not installed", NULL);

  if (path == NULL)
    g_test_skip (reason);
  return path == NULL;
}

static gpointer
get_part (Driver *driver, const char *name)
{
  return gtk_widget_get_template_child (GTK_WIDGET (driver->window),
                                        TL_TYPE_WINDOW, name);
}

TlPages *
driver_get_pages (Driver *driver)
{
  return get_part (driver, "pages");
}

const char *
driver_get_toast (Driver *driver)
{
  GtkWidget *notice =
      driver_find_in (GTK_WIDGET (driver->window), "notice_label");

  if (notice != NULL && gtk_widget_get_visible (notice)
      && tl_display_get_page (driver->session->display) == TL_PAGE_EXPORT)
    return gtk_label_get_text (GTK_LABEL (notice));
  return gtk_revealer_get_reveal_child (get_part (driver, "toast_revealer"))
             ? gtk_label_get_text (get_part (driver, "toast_label"))
             : NULL;
}

GtkWidget *
driver_find_in (GtkWidget *root, const char *id)
{
  GtkWidget *found = NULL;

  if (g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (root)), id) == 0
      || strcmp (gtk_widget_get_name (root), id) == 0)
    return root;
  /* what is folded away is no child of any child */
  if (GTK_IS_EXPANDER (root))
    found = driver_find_in (gtk_expander_get_child (GTK_EXPANDER (root)), id);
  for (GtkWidget *child = gtk_widget_get_first_child (root);
       child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = driver_find_in (child, id);
  return found;
}

gpointer
driver_find_type (GtkWidget *root, GType type)
{
  GtkWidget *found = g_type_is_a (G_OBJECT_TYPE (root), type) ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root);
       child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = driver_find_type (child, type);
  return found;
}

GtkWidget *
driver_find (Driver *driver, const char *name)
{
  static const char *const parts[] = { "panel", "pages", "status_line" };
  GtkWidget *window = GTK_WIDGET (driver->window);
  GObject *found = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (parts) && found == NULL; i++)
    {
      GtkWidget *part = GTK_WIDGET (
          gtk_widget_get_template_child (window, TL_TYPE_WINDOW, parts[i]));

      found = gtk_widget_get_template_child (part, G_OBJECT_TYPE (part), name);
    }
  if (found == NULL)
    found = gtk_widget_get_template_child (window, TL_TYPE_WINDOW, name);
  if (found == NULL)
    found = G_OBJECT (driver_find_in (window, name));
  g_assert_nonnull (found);
  return GTK_WIDGET (found);
}

/* Wide enough for all buttons in any language. */
#define WIDE 1500

static int wanted_width; /* of the window */

/* A window needs less as soon as it is narrow, so ask again. */
static gboolean
is_narrow (Driver *driver)
{
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 600, 700);
  return gtk_widget_get_width (GTK_WIDGET (driver->window)) <= wanted_width;
}

static gboolean
has_buttons (Driver *driver)
{
  return gtk_widget_get_mapped (
      driver_find_in (GTK_WIDGET (driver->window), "view_buttons"));
}

/* Returns: whether all of the form of the export is in its width */
static gboolean
has_whole_form (Driver *driver)
{
  GtkAdjustment *across = gtk_scrolled_window_get_hadjustment (
      GTK_SCROLLED_WINDOW (driver_find (driver, "form_scroller")));

  return gtk_adjustment_get_upper (across)
         <= gtk_adjustment_get_page_size (across);
}

/* Before a scan is open. */
static void
assert_narrow_without_scan (Driver *driver, int width, const char *name)
{
  g_autofree char *shot = g_strdup_printf ("%s-empty", name);

  wanted_width = width;
  driver_wait (driver, is_narrow, "a narrow window without a scan");
  driver_settle (driver);
  driver_shoot_both (driver, GTK_WIDGET (driver->window), shot);
  gtk_window_set_default_size (GTK_WINDOW (driver->window), WIDE, 700);
  driver_wait (driver, has_buttons, "the buttons");
}

void
driver_assert_narrow (Driver *driver, int width, const char *name)
{
  static const char *const views[] = { "candidates", "axis",   "sinogram",
                                       "overlay",    "planes", "volume",
                                       "export",     "slice" };

  assert_narrow_without_scan (driver, width, name);
  driver_open (driver);
  driver_activate (driver, "hold", NULL);
  driver_activate (driver, "profile", NULL);
  driver_settle (driver);
  g_assert_true (has_buttons (driver));
  wanted_width = width;
  driver_wait (driver, is_narrow, "a narrow window");
  for (guint k = 0; k < G_N_ELEMENTS (views); k++)
    {
      g_autofree char *shot = g_strdup_printf ("%s-%s", name, views[k]);

      driver_activate (driver, "view", g_variant_new_string (views[k]));
      driver_settle (driver);
      g_assert_true (is_narrow (driver));
      g_assert_false (has_buttons (driver));
      if (strcmp (views[k], "export") == 0)
        driver_wait (driver, has_whole_form, "the whole width of the form");
      driver_shoot_both (driver, GTK_WIDGET (driver->window), shot);
    }
  gtk_window_set_default_size (GTK_WINDOW (driver->window), WIDE, 700);
  driver_wait (driver, has_buttons, "the buttons");
}
