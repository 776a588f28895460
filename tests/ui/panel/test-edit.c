/* Undo, recipes that are dropped and saved, and their keys. */
#include "tests/ui/driver.h"

/* For sums of hundredths. */
#define CENTRE_TOLERANCE 1e-9

static void
assert_centre (Driver *driver, double want)
{
  g_assert_cmpfloat_with_epsilon (
      tl_parameters_get_centre (driver->session->parameters), want,
      CENTRE_TOLERANCE);
}

static void
assert_enabled (Driver *driver, const char *action, gboolean want)
{
  g_assert_cmpint (g_action_group_get_action_enabled (
                       G_ACTION_GROUP (driver->application), action),
                   ==, want);
}

/* @want: what each undo step has changed, one a line */
static void
assert_steps (Driver *driver, const char *want)
{
  g_autoptr (GVariant) hint = g_action_group_get_action_state_hint (
      G_ACTION_GROUP (driver->application), "history-go");
  g_autofree const char **words = g_variant_get_strv (hint, NULL);
  g_autofree char *lines = g_strjoinv ("\n", (char **)words);

  g_assert_cmpstr (lines, ==, want);
}

static void
test_undo (Driver *driver)
{
  assert_enabled (driver, "undo", FALSE);
  assert_enabled (driver, "history-go", FALSE);
  assert_enabled (driver, "copy-command", FALSE);
  driver_open (driver);
  assert_enabled (driver, "undo", FALSE);
  driver_activate (driver, "centre", g_variant_new_double (46));
  driver_activate (driver, "step-centre", g_variant_new_double (0.25));
  driver_activate (driver, "flat-field", NULL);
  driver_activate (driver, "preset", g_variant_new_string ("smooth"));
  assert_steps (driver, "as opened\nCentre 47.5 → 46.25\nFlat field On → Off\n"
                        "Filter Ramp → Hann, Cut-off 1 → 0.5");
  driver_assert_state (driver, "history-go", "3");
  assert_enabled (driver, "redo", FALSE);
  driver_activate (driver, "undo", NULL);
  driver_assert_state (driver, "cutoff", "1.0");
  driver_assert_state (driver, "preset", "'plain'");
  driver_activate (driver, "undo", NULL);
  driver_assert_state (driver, "flat-field", "true");
  assert_enabled (driver, "redo", TRUE);
  driver_activate (driver, "history-go", g_variant_new_uint32 (0));
  driver_assert_state (driver, "centre", "47.5");
  assert_enabled (driver, "undo", FALSE);
  driver_activate (driver, "history-go", g_variant_new_uint32 (9));
  driver_assert_state (driver, "history-go", "0");
  driver_activate (driver, "redo", NULL);
  driver_assert_state (driver, "centre", "46.25");
  driver_settle (driver);
}

/* --- keys --- */

static void
test_keys (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_window_set_focus (GTK_WINDOW (driver->window), NULL);
  driver_xdotool (driver, "key Right Right shift+Right ctrl+shift+Left");
  assert_centre (driver, 49.59);
  driver_xdotool (driver, "key Left shift+Left ctrl+shift+Right alt+Left");
  assert_centre (driver, 47.5);
  driver_xdotool (driver, "key Page_Up");
  driver_assert_state (driver, "slice", "3");
  driver_xdotool (driver, "key Page_Up key Page_Down key Page_Down");
  driver_assert_state (driver, "slice", "2");
  driver_xdotool (driver, "key shift+Page_Down");
  driver_assert_state (driver, "slice", "0");
  driver_xdotool (driver, "key alt+2");
  driver_assert_state (driver, "preset", "'sharp'");
  driver_xdotool (driver, "key ctrl+z");
  driver_assert_state (driver, "preset", "'plain'");
  driver_xdotool (driver, "key ctrl+z");
  driver_assert_state (driver, "slice", "2");
  driver_xdotool (driver, "key ctrl+shift+z");
  driver_assert_state (driver, "slice", "0");
}

static GtkWindow *
find_other_window (Driver *driver)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (window != GTK_WINDOW (driver->window))
        return window;
    }
  return NULL;
}

/* GTK does not warn about a key whose action does not exist. */
static void
assert_actions_exist (Driver *driver)
{
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (
      GTK_APPLICATION (driver->application));

  g_assert_cmpuint (g_strv_length (actions), >, 10);
  for (guint i = 0; actions[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      g_autoptr (GVariant) target = NULL;
      gpointer group = g_str_has_prefix (actions[i], "app.")
                           ? (gpointer)driver->application
                           : (gpointer)driver->window;

      if (strcmp (actions[i], "window.close") == 0)
        continue;
      g_assert_true (
          g_action_parse_detailed_name (actions[i], &name, &target, NULL));
      g_assert_true (g_action_group_has_action (G_ACTION_GROUP (group),
                                                strchr (name, '.') + 1));
    }
}

/* Asserts that keys have their names on the keyboard, not "Page_Up". */
static void
assert_keys_named (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    g_assert_null (strchr (gtk_label_get_text (GTK_LABEL (widget)), '_'));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    assert_keys_named (child);
}

/* Each section has one page: GTK makes the switch between pages too narrow. */
static void
assert_one_page (GtkWidget *widget)
{
  if (GTK_IS_STACK_SWITCHER (widget))
    g_assert_false (
        gtk_widget_get_visible (widget)
        && gtk_widget_get_ancestor (widget, GTK_TYPE_SHORTCUTS_SECTION));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    assert_one_page (child);
}

static void
test_shortcuts (Driver *driver)
{
  assert_actions_exist (driver);
  if (driver_lacks ("xdotool"))
    return;
  driver_xdotool (driver, "key ctrl+question");
  /* it is built before it is shown */
  driver_wait (driver, driver_has_dialog, "the shortcuts");
  g_assert_true (GTK_IS_SHORTCUTS_WINDOW (find_other_window (driver)));
  assert_keys_named (GTK_WIDGET (find_other_window (driver)));
  assert_one_page (GTK_WIDGET (find_other_window (driver)));
  driver_xdotool (driver, "key Escape");
  g_assert_null (find_other_window (driver));
  /* in the main window Escape closes the message */
  driver_activate (driver, "filter", g_variant_new_string ("sieve"));
  driver_settle (driver);
  g_assert_nonnull (tl_window_get_banner (driver->window));
  driver_xdotool (driver, "key Escape");
  g_assert_null (tl_window_get_banner (driver->window));
}

/* --- the list --- */

static GtkWidget *
get_child (Driver *driver, const char *name)
{
  return GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (driver->window),
                                                    TL_TYPE_WINDOW, name));
}

static GtkListBox *
get_list (GtkWidget *popover)
{
  return GTK_LIST_BOX (
      gtk_widget_get_template_child (popover, G_OBJECT_TYPE (popover), "list"));
}

/* Clicks the middle of the row. The popover is a surface with its own position
 * on the screen. */
static void
click_row (Driver *driver, GtkWidget *popover, int index)
{
  GtkWidget *row =
      GTK_WIDGET (gtk_list_box_get_row_at_index (get_list (popover), index));
  GdkPopup *popup = GDK_POPUP (gtk_native_get_surface (GTK_NATIVE (popover)));
  double x, y, offset_x, offset_y;

  g_assert_true (gtk_widget_translate_coordinates (
      row, popover, gtk_widget_get_width (row) / 2.0,
      gtk_widget_get_height (row) / 2.0, &x, &y));
  gtk_native_get_surface_transform (GTK_NATIVE (popover), &offset_x, &offset_y);
  driver_xdotool (driver, "mousemove %d %d click 1",
                  gdk_popup_get_position_x (popup) + (int)(x + offset_x),
                  gdk_popup_get_position_y (popup) + (int)(y + offset_y));
}

static gboolean
is_dim (GtkWidget *popover, int index)
{
  GtkWidget *row = gtk_list_box_row_get_child (
      gtk_list_box_get_row_at_index (get_list (popover), index));

  return gtk_widget_has_css_class (gtk_widget_get_first_child (row),
                                   "dim-label");
}

static void
test_undo_list (Driver *driver)
{
  GtkWidget *popover = get_child (driver, "history_popover");
  g_autoptr (GdkTexture) shot = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (46.25));
  driver_activate (driver, "filter", g_variant_new_string ("hann"));
  driver_activate (driver, "slice", g_variant_new_uint32 (4));
  driver_settle (driver);
  driver_xdotool (driver, "key ctrl+h");
  g_assert_true (gtk_widget_get_mapped (popover));
  click_row (driver, popover, 1);
  assert_centre (driver, 46.25);
  driver_assert_state (driver, "filter", "'ramp'");
  driver_assert_state (driver, "history-go", "1");
  g_assert_false (is_dim (popover, 1));
  g_assert_true (is_dim (popover, 2));
  shot = driver_shoot (driver, "history");
  /* the same with the keyboard */
  driver_xdotool (driver, "key Down key Down key Return");
  driver_assert_state (driver, "slice", "4");
  driver_assert_state (driver, "filter", "'hann'");
  driver_activate (driver, "undo", NULL);
  g_assert_true (is_dim (popover, 3));
  /* the row with the tick has the focus */
  g_assert_true (
      gtk_root_get_focus (GTK_ROOT (driver->window))
      == GTK_WIDGET (gtk_list_box_get_row_at_index (get_list (popover), 2)));
  driver_xdotool (driver, "key Escape");
  g_assert_false (gtk_widget_get_mapped (popover));
  /* a change removes the undone steps */
  driver_activate (driver, "padding", g_variant_new_string ("zero"));
  driver_activate (driver, "undo", NULL);
  driver_activate (driver, "undo", NULL);
  driver_activate (driver, "nan", NULL);
  driver_settle (driver);
  driver_xdotool (driver, "key ctrl+h");
  g_assert_null (gtk_list_box_get_row_at_index (get_list (popover), 3));
  driver_xdotool (driver, "key Escape");
}

/* --- recipes --- */

static void
drop (Driver *driver, const char *scan, const char *recipe)
{
  g_autoptr (GListModel) controllers =
      gtk_widget_observe_controllers (GTK_WIDGET (driver->window));
  const char *paths[] = { scan, recipe }; /* nullable */
  GSList *list = NULL;
  g_auto (GValue) files = G_VALUE_INIT;
  gboolean taken = FALSE;

  g_value_init (&files, GDK_TYPE_FILE_LIST);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    if (paths[i] != NULL)
      list = g_slist_append (list, g_file_new_for_path (paths[i]));
  g_value_take_boxed (&files, gdk_file_list_new_from_list (list));
  g_slist_free_full (list, g_object_unref);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        g_signal_emit_by_name (controller, "drop", &files, 10.0, 10.0, &taken);
    }
  g_assert_true (taken);
  driver_settle (driver);
}

static char *
write_recipe (Driver *driver, const char *name, const char *scan)
{
  char *path = g_build_filename (driver->folder, name, NULL);
  g_autofree char *text =
      g_strdup_printf ("%s%s%s[recipe]\nslice=1\ncentre=46.25\ncutoff=0.5\n",
                       scan != NULL ? "[scan]\npath=" : "",
                       scan != NULL ? scan : "", scan != NULL ? "\n" : "");

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
count (gpointer n)
{
  ++*(guint *)n;
}

static void
test_save (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "kept.ini", NULL);
  g_autofree char *gone =
      g_build_filename (driver->folder, "no", "r.ini", NULL);

  driver_open (driver);
  driver_activate (driver, "save-recipe-as", g_variant_new_string (path));
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  g_assert_nonnull (strstr (driver_get_toast (driver), path));
  driver_activate (driver, "save-recipe-as", g_variant_new_string (gone));
  g_assert_null (driver_get_toast (driver));
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window), gone));
}

/* Drops recipes: without an open scan; then with the scan open, which is not
 * read again whether the recipe names it or not. */
static void
test_drop (Driver *driver)
{
  TlScanSource *source = driver->session->source;
  guint n_read = 0;
  g_autofree char *named = write_recipe (driver, "named.ini", driver->scan);
  g_autofree char *nameless = write_recipe (driver, "nameless.ini", NULL);
  g_autofree char *moved = write_recipe (driver, "moved.ini", "/gone.h5");

  drop (driver, NULL, nameless);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "does not say which scan"));
  drop (driver, NULL, named);
  g_assert_true (tl_scan_source_is_open (source));
  g_assert_null (tl_window_get_banner (driver->window));
  assert_centre (driver, 46.25);
  assert_steps (driver, "as opened");
  driver_activate (driver, "slice", g_variant_new_uint32 (3));
  driver_activate (driver, "cutoff", g_variant_new_double (0.7));
  g_signal_connect_swapped (source, "notify::path", G_CALLBACK (count),
                            &n_read);
  drop (driver, NULL, named);
  drop (driver, driver->scan, nameless);
  g_assert_cmpuint (n_read, ==, 0);
  assert_steps (driver, "as opened\nSlice 1 → 3\nCut-off 0.5 → 0.7\n"
                        "Slice 3 → 1, Cut-off 0.7 → 0.5");
  driver_activate (driver, "undo", NULL);
  driver_assert_state (driver, "slice", "3");
  driver_settle (driver);
  /* the scan that is dropped with the recipe is opened, not the scan that the
   * recipe names */
  drop (driver, driver->scan, moved);
  driver_assert_state (driver, "slice", "1");
  g_assert_cmpuint (n_read, ==, 0);
  drop (driver, driver->scan, NULL);
  g_assert_cmpuint (n_read, ==, 1);
  g_signal_handlers_disconnect_by_data (source, &n_read);
}

static gboolean
has_no_toast (Driver *driver)
{
  return driver_get_toast (driver) == NULL;
}

static void
test_copy_command (Driver *driver)
{
  g_autofree char *want = NULL;
  g_autoptr (GdkTexture) shot = NULL;
  g_autofree char *text = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (46.25));
  driver_activate (driver, "preset", g_variant_new_string ("smooth"));
  driver_settle (driver);
  want = g_strdup_printf ("tomolens-cli recon %s --slice 2 --centre 46.25 "
                          "--filter hann --cutoff 0.5",
                          driver->scan);
  driver_xdotool (driver, "key ctrl+shift+c");
  text = driver_paste_text (driver);
  g_assert_cmpstr (text, ==, want);
  g_assert_nonnull (strstr (driver_get_toast (driver), "command"));
  g_assert_null (tl_window_get_banner (driver->window));
  shot = driver_shoot (driver, "toast");
  /* the toast leaves when something else is copied */
  driver_xdotool (driver, "key ctrl+c");
  g_assert_null (strstr (driver_get_toast (driver), "command"));
  gdk_clipboard_set_text (
      gtk_widget_get_clipboard (GTK_WIDGET (driver->window)), "else");
  g_assert_null (driver_get_toast (driver));
  /* a toast leaves after some seconds */
  tl_messages_tell (driver->session->messages, "Done");
  g_assert_nonnull (driver_get_toast (driver));
  driver_wait (driver, has_no_toast, "the toast to leave");
}

/* --- actions over D-Bus --- */

/* @arguments: method and arguments, as in the examples of the manual */
static void
call (const char *arguments)
{
  g_autofree char *line = g_strconcat (
      "gdbus call --session --dest " TL_APPLICATION_ID
      " --object-path /org/tomolens/Tomolens --method org.gtk.Actions.",
      arguments, NULL);
  g_auto (GStrv) words = NULL;
  g_autoptr (GSubprocess) script = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_shell_parse_argv (line, NULL, &words, NULL));
  script = g_subprocess_newv ((const char *const *)words,
                              G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error);
  g_assert_no_error (error);
}

static gboolean
is_centre_set (Driver *driver)
{
  return tl_parameters_get_centre (driver->session->parameters) == 46.25;
}

static gboolean
is_centre_back (Driver *driver)
{
  return tl_parameters_get_centre (driver->session->parameters) == 47.5;
}

static void
test_bus (Driver *driver)
{
  if (driver_lacks ("gdbus"))
    return;
  if (g_getenv ("DBUS_SESSION_BUS_ADDRESS") == NULL)
    {
      g_test_skip ("no session bus: dbus-run-session is not installed");
      return;
    }
  driver_open (driver);
  call ("SetState centre '<46.25>' '{}'");
  driver_wait (driver, is_centre_set, "the centre to be set from outside");
  call ("Activate undo '[]' '{}'");
  driver_wait (driver, is_centre_back, "the centre to be undone from outside");
  call ("Activate history-go '[<uint32 1>]' '{}'");
  driver_wait (driver, is_centre_set, "the step to be gone to from outside");
  driver_settle (driver);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/edit/undo", test_undo },
    { "/ui/edit/keys", test_keys },
    { "/ui/edit/shortcuts", test_shortcuts },
    { "/ui/edit/undo-list", test_undo_list },
    { "/ui/edit/drop", test_drop },
    { "/ui/edit/copy-command", test_copy_command },
    { "/ui/edit/bus", test_bus },
    { "/ui/edit/save", test_save },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
