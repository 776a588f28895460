/* Longer than 500 lines: every kind of input has its few, and they share the
 * chances.
 *
 * Hundreds of random things in a row, by mouse, keyboard and session bus. After
 * them the window answers, and holds no more memory than half-way. A failure
 * prints the seed, which --seed repeats; TL_RANDOM_ACTIONS says how many. */
#include "tests/ui/driver.h"

#include "data/phantom.h"

#include <gdk/x11/gdkx.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* A shorter run where the sanitizers look for leaks: they are slow. */
#ifdef __SANITIZE_ADDRESS__
#define N_ACTIONS 200
#else
#define N_ACTIONS 500
#endif

/* What the second half may take: pages of libraries that were not used before,
 * heaps that have become full of holes, and the machine code that OpenGL in
 * software makes and keeps of each combination of shader and state. */
#ifdef __SANITIZE_ADDRESS__
#define MAX_GROWTH_MIB 400.0 /* what was freed stays for a while */
#else
#define MAX_GROWTH_MIB 64.0
#endif

/* From an action to a picture that is another, when all is over. */
#define MAX_ANSWER_S 2.0

typedef struct
{
  Driver *driver;
  GDBusConnection *bus; /* of somebody else, (nullable) */
  GPtrArray *keys;      /* of xdotool */
  GPtrArray *files;     /* to open: scans, a recipe, and what is none */
} Random;

/* -- messages -------------------------------------------------------------- */

/* GTK's own, which no program can help: a button is let go of when a popover or
 * a window has come in between; text is selected while the cursor blinks. Every
 * other warning ends the test. */
static const char *const known[] = {
  "Broken accounting of active state",
  "GtkText - unexpected blinking selection",
};

static GLogWriterOutput
write_message (GLogLevelFlags level, const GLogField *fields, gsize n_fields,
               gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    for (guint k = 0; k < G_N_ELEMENTS (known); k++)
      if (strcmp (fields[i].key, "MESSAGE") == 0
          && g_str_has_prefix (fields[i].value, known[k]))
        return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n_fields, data);
}

/* -- chances -------------------------------------------------------------- */

static int
pick (int n)
{
  return g_test_rand_int_range (0, n);
}

#define PICK(array) ((array)[pick (G_N_ELEMENTS (array))])

/* Mostly what one would set, but also what nobody should. */
static double
pick_double (void)
{
  static const double odd[] = { 0,   -0.0,     1e300,     -1e300, 1e-300,
                                NAN, INFINITY, -INFINITY, -1 };

  return pick (4) == 0 ? PICK (odd) : g_test_rand_double_range (-0.5, 100);
}

static const char *
pick_rubbish (void)
{
  static const char *const rubbish[] = { "",    "0",     "-1",    "3",
                                         "1e9", "nan",   "12,5",  "1/0",
                                         "%s",  "0:180", "a b c", "../..",
                                         "*",   "[0-9",  "0x10",  "1e-400" };

  return PICK (rubbish);
}

/* -- keys ----------------------------------------------------------------- */

/* As xdotool names it; those that close the window are left to another test,
 * those that open GTK's inspector to those who debug. */
static void
add_key (Random *random, const char *trigger)
{
  guint key;
  GdkModifierType modifiers;
  GString *name;

  static const char *const left_out[] = { "<Control>w", "<Control>q",
                                          "<Shift><Control>i",
                                          "<Shift><Control>d" };

  if (!gtk_accelerator_parse (trigger, &key, &modifiers) || key == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (left_out); i++)
    {
      guint other_key;
      GdkModifierType other;

      gtk_accelerator_parse (left_out[i], &other_key, &other);
      if (gdk_keyval_to_lower (key) == other_key && modifiers == other)
        return;
    }
  name = g_string_new (NULL);
  if (modifiers & GDK_CONTROL_MASK)
    g_string_append (name, "ctrl+");
  if (modifiers & GDK_ALT_MASK)
    g_string_append (name, "alt+");
  if (modifiers & GDK_SHIFT_MASK)
    g_string_append (name, "shift+");
  g_string_append (name, gdk_keyval_name (key));
  g_ptr_array_add (random->keys, g_string_free (name, FALSE));
}

static void
add_keys_of_widget (Random *random, GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) keys = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (keys))
        continue;
      for (guint k = 0; k < g_list_model_get_n_items (G_LIST_MODEL (keys)); k++)
        {
          g_autoptr (GtkShortcut) key =
              g_list_model_get_item (G_LIST_MODEL (keys), k);
          g_autofree char *trigger =
              gtk_shortcut_trigger_to_string (gtk_shortcut_get_trigger (key));

          add_key (random, trigger);
        }
    }
}

/* All that the table of shortcuts has, wherever GTK has taken them. */
static void
list_keys (Random *random)
{
  GtkApplication *application = GTK_APPLICATION (random->driver->application);
  g_auto (GStrv) actions =
      gtk_application_list_action_descriptions (application);

  for (char **action = actions; *action != NULL; action++)
    {
      g_auto (GStrv) keys =
          gtk_application_get_accels_for_action (application, *action);

      for (char **key = keys; *key != NULL; key++)
        add_key (random, *key);
    }
  add_keys_of_widget (random, GTK_WIDGET (random->driver->window));
  g_assert_cmpuint (random->keys->len, >, 40);
}

static void
press_key (Random *random)
{
  driver_send (random->driver, "key %s",
               (char *)random->keys->pdata[pick ((int)random->keys->len)]);
}

/* To walk about, and to leave whatever is open. */
static void
press_other_key (Random *random)
{
  static const char *const keys[] = {
    "Tab", "shift+Tab", "Down",  "Up",     "space",     "Escape",
    "End", "Home",      "Prior", "Delete", "BackSpace", "F10"
  };

  driver_send (random->driver, "key %s", PICK (keys));
}

/* Of what is on top. No window manager gives it the keyboard when another
 * window has gone; it may go itself before it is given it. */
static void
press_escape (Driver *driver)
{
  GtkWindow *dialog = driver_find_dialog (driver);
  GtkNative *top =
      GTK_NATIVE (dialog != NULL ? dialog : GTK_WINDOW (driver->window));
  GdkDisplay *display = gtk_widget_get_display (GTK_WIDGET (top));

  gdk_x11_display_error_trap_push (display);
  XSetInputFocus (gdk_x11_display_get_xdisplay (display),
                  gdk_x11_surface_get_xid (gtk_native_get_surface (top)),
                  RevertToParent, CurrentTime);
  gdk_x11_display_error_trap_pop_ignored (display);
  driver_send (driver, "key Escape key Escape");
}

static void
leave_dialog (Random *random)
{
  press_escape (random->driver);
}

static void
choose_from_menu (Random *random)
{
  driver_send (random->driver, "key F10 key --repeat %d Down key Return",
               1 + pick (24));
}

/* -- the pointer ---------------------------------------------------------- */

static void
pick_place (Random *random, int *x, int *y)
{
  GtkWidget *window = GTK_WIDGET (random->driver->window);

  driver_locate (random->driver, window,
                 pick (MAX (gtk_widget_get_width (window), 1)),
                 pick (MAX (gtk_widget_get_height (window), 1)), x, y);
}

/* In the picture and in the panel beside it, which is full of controls; never
 * a button that closes the window. */
static void
click (Random *random)
{
  static const int buttons[] = { 1, 1, 1, 1, 2, 3 };
  int x, y;

  pick_place (random, &x, &y);
  driver_send (random->driver, "mousemove %d %d click %d", x, MAX (y, 60),
               PICK (buttons));
}

static void
drag (Random *random)
{
  static const char *const modifiers[] = { "ctrl", "shift", "alt" };
  const char *modifier = PICK (modifiers);
  gboolean is_held = pick (3) == 0;
  g_autoptr (GString) line = g_string_new (NULL);
  int x, y;

  pick_place (random, &x, &y);
  if (is_held)
    g_string_append_printf (line, "keydown %s ", modifier);
  g_string_append_printf (line, "mousemove %d %d mousedown 1", x, MAX (y, 60));
  for (int i = 0; i < 6; i++)
    {
      x += pick (81) - 40;
      y += pick (81) - 40;
      x = MAX (x, 0);
      y = MAX (y, 60);
      g_string_append_printf (line, " mousemove %d %d sleep 0.01", x, y);
    }
  g_string_append (line, " mouseup 1");
  if (is_held)
    g_string_append_printf (line, " keyup %s", modifier);
  driver_send (random->driver, "%s", line->str);
}

static void
turn_wheel (Random *random)
{
  int x, y;

  pick_place (random, &x, &y);
  driver_send (random->driver, "mousemove %d %d click --repeat %d --delay 5 %d",
               x, y, 1 + pick (8), 4 + pick (2));
}

/* -- fields --------------------------------------------------------------- */

static void
type_into_field (Random *random)
{
  static const char *const fields[] = { "slice_spin", "centre_spin",
                                        "order_spin", "low_spin",
                                        "high_spin",  "angles_entry" };
  GtkWidget *field = driver_find (random->driver, PICK (fields));

  gtk_widget_grab_focus (field);
  driver_send (random->driver, "key ctrl+a type -- '%s'", pick_rubbish ());
  driver_send (random->driver, "key %s", pick (2) == 0 ? "Return" : "Tab");
}

/* -- the session bus ------------------------------------------------------ */

static char *
pick_new_path (Random *random)
{
  g_autofree char *name = g_strdup_printf ("made-%d", pick (1000));

  return g_build_filename (random->driver->folder, pick (8) == 0 ? "no/no" : "",
                           name, NULL);
}

static const char *
pick_choice (GVariant *hint)
{
  const char *word;

  if (hint == NULL || !g_variant_is_of_type (hint, G_VARIANT_TYPE ("a(ss)"))
      || g_variant_n_children (hint) == 0 || pick (8) == 0)
    return pick_rubbish ();
  g_variant_get_child (hint, (gsize)pick ((int)g_variant_n_children (hint)),
                       "(&s&s)", &word, NULL);
  return word;
}

/* Returns: (transfer floating): of @type, be it sensible or not */
static GVariant *
pick_value (Random *random, const char *action, const GVariantType *type,
            GVariant *hint)
{
  if (strcmp (action, "open") == 0)
    return g_variant_new_string (
        random->files->pdata[pick ((int)random->files->len)]);
  if (g_str_has_suffix (action, "-as") || strcmp (action, "export") == 0)
    {
      g_autofree char *path = pick_new_path (random);

      return g_variant_type_equal (type, G_VARIANT_TYPE_STRING)
                 ? g_variant_new_string (path)
                 : g_variant_new ("(suu)", path, pick (4), pick (6));
    }
  if (g_variant_type_equal (type, G_VARIANT_TYPE_STRING))
    return g_variant_new_string (pick_choice (hint));
  if (g_variant_type_equal (type, G_VARIANT_TYPE_DOUBLE))
    return g_variant_new_double (pick_double ());
  if (g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN))
    return g_variant_new_boolean (pick (2) == 0);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_UINT32))
    return g_variant_new_uint32 (pick (8) == 0 ? G_MAXUINT32
                                               : (guint32)pick (100));
  if (g_variant_type_equal (type, G_VARIANT_TYPE_INT32))
    return g_variant_new_int32 (pick (8) == 0 ? G_MININT32 : pick (21) - 10);
  if (g_variant_type_equal (type, G_VARIANT_TYPE ("(dddd)")))
    return g_variant_new ("(dddd)", pick_double (), pick_double (),
                          pick_double (), pick_double ());
  g_error ("the action %s takes what nobody here makes", action);
}

static void
call (Random *random, const char *method, GVariant *parameters)
{
  if (random->bus == NULL)
    {
      g_variant_unref (g_variant_ref_sink (parameters));
      return;
    }
  g_dbus_connection_call (random->bus, TL_APPLICATION_ID,
                          "/org/tomolens/Tomolens", "org.gtk.Actions", method,
                          parameters, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL,
                          NULL, NULL);
}

static GVariant *
no_platform_data (void)
{
  return g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
}

static void
act (Random *random)
{
  GActionGroup *group = G_ACTION_GROUP (random->driver->application);
  g_auto (GStrv) names = g_action_group_list_actions (group);
  const char *name = names[pick ((int)g_strv_length (names))];
  const GVariantType *type =
      g_action_group_get_action_parameter_type (group, name);
  const GVariantType *state_type =
      g_action_group_get_action_state_type (group, name);
  g_autoptr (GVariant) hint =
      g_action_group_get_action_state_hint (group, name);

  if (strcmp (name, "quit") == 0)
    return;
  if (state_type != NULL && pick (2) == 0)
    call (random, "SetState",
          g_variant_new ("(sv@a{sv})", name,
                         pick_value (random, name, state_type, hint),
                         no_platform_data ()));
  else
    {
      GVariantBuilder parameter;

      g_variant_builder_init (&parameter, G_VARIANT_TYPE ("av"));
      if (type != NULL)
        g_variant_builder_add (&parameter, "v",
                               pick_value (random, name, type, hint));
      call (
          random, "Activate",
          g_variant_new ("(sav@a{sv})", name, &parameter, no_platform_data ()));
    }
}

/* -- the window ----------------------------------------------------------- */

static void
open_file (Random *random)
{
  driver_activate (random->driver, "open",
                   g_variant_new_string (
                       random->files->pdata[pick ((int)random->files->len)]));
}

static void
resize (Random *random)
{
  gtk_window_set_default_size (GTK_WINDOW (random->driver->window),
                               700 + pick (560), 500 + pick (480));
}

static void
change_look (Random *random)
{
  GtkSettings *settings = gtk_settings_get_default ();

  g_object_set (settings, "gtk-application-prefer-dark-theme", pick (2) == 0,
                NULL);
}

/* -- all of it ------------------------------------------------------------ */

typedef struct
{
  const char *name;
  void (*function) (Random *random);
  int weight;
} Action;

static const Action actions[] = {
  { "key", press_key, 20 },
  { "other-key", press_other_key, 8 },
  { "leave", leave_dialog, 14 },
  { "menu", choose_from_menu, 3 },
  { "click", click, 12 },
  { "drag", drag, 12 },
  { "wheel", turn_wheel, 6 },
  { "field", type_into_field, 6 },
  { "act", act, 30 },
  { "open", open_file, 4 },
  { "resize", resize, 3 },
  { "look", change_look, 1 },
};

static const Action *
pick_action (void)
{
  int total = 0, chance;
  guint i = 0;

  for (guint k = 0; k < G_N_ELEMENTS (actions); k++)
    total += actions[k].weight;
  chance = pick (total);
  while (chance >= actions[i].weight)
    chance -= actions[i++].weight;
  return &actions[i];
}

static gboolean
raise_flag (gpointer flag)
{
  *(gboolean *)flag = TRUE;
  return G_SOURCE_REMOVE;
}

/* As long as a quick hand takes. */
static void
pause_shortly (Driver *driver)
{
  gboolean is_over = FALSE;

  g_timeout_add ((guint)pick (40), raise_flag, &is_over);
  while (!is_over)
    driver_iterate (driver, TRUE);
}

static void
do_things (Random *random, int n)
{
  for (int i = 0; i < n; i++)
    {
      const Action *action = pick_action ();

      g_test_message ("%d %s", i, action->name);
      action->function (random);
      pause_shortly (random->driver);
      if (random->driver->window == NULL)
        g_error ("action %d, %s, has closed the window", i, action->name);
    }
}

static gboolean
has_no_dialog (Driver *driver)
{
  GtkWindow *dialog = driver_find_dialog (driver);

  if (dialog == NULL)
    return TRUE;
  g_test_message ("left open: %s \"%s\"", G_OBJECT_TYPE_NAME (dialog),
                  gtk_window_get_title (dialog));
  press_escape (driver);
  return FALSE;
}

static void
calm_down (Driver *driver)
{
  press_escape (driver);
  driver_wait (driver, has_no_dialog, "the dialogs to go");
  driver_activate (driver, "cancel-export", NULL);
  driver_settle (driver);
}

/* Without what was freed, where the C library can give it back. */
static double
read_memory_mib (void)
{
  long all, resident = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

#ifdef __GLIBC__
  malloc_trim (0);
#endif
  if (file != NULL && fscanf (file, "%ld %ld", &all, &resident) != 2)
    resident = 0;
  if (file != NULL)
    fclose (file);
  return (double)resident * (double)sysconf (_SC_PAGESIZE) / 1024 / 1024;
}

static void
write_scan (const char *path, size_t n_cols)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  tl_phantom_scan_init (&scan, 60, 4, n_cols);
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
set_up (Random *random)
{
  static const char *const names[] = { "a.h5",  "b.h5",    "bad.h5",
                                       "r.ini", "bad.ini", "nothing.h5",
                                       "" };
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");
  g_autoptr (GError) error = NULL;

  random->keys = g_ptr_array_new_with_free_func (g_free);
  random->files = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_ptr_array_add (random->files,
                     g_build_filename (random->driver->folder, names[i], NULL));
  write_scan (random->files->pdata[0], 256);
  write_scan (random->files->pdata[1], 97);
  g_file_set_contents (random->files->pdata[2], "no scan at all", -1, NULL);
  g_file_set_contents (random->files->pdata[3],
                       "[recipe]\nslice=1\nfilter=hann\n", -1, NULL);
  g_file_set_contents (random->files->pdata[4], "[recipe]\nslice=x\n", -1,
                       NULL);
  list_keys (random);
  if (address == NULL)
    return;
  random->bus = g_dbus_connection_new_for_address_sync (
      address,
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
clear (Random *random)
{
  g_ptr_array_unref (random->keys);
  g_ptr_array_unref (random->files);
  g_clear_object (&random->bus);
}

/* -- afterwards ----------------------------------------------------------- */

static TlFrame *old_frame;

static gboolean
has_other_frame (Driver *driver)
{
  return tl_session_get_frame (driver->session) != old_frame
         && tl_slice_view_is_drawn (driver->view);
}

static void
assert_answers (Random *random)
{
  Driver *driver = random->driver;
  g_autoptr (GdkTexture) shot = NULL;
  gint64 start_us;

  driver_activate (driver, "open",
                   g_variant_new_string (random->files->pdata[0]));
  driver_settle (driver);
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_activate (driver, "slice", g_variant_new_uint32 (0));
  driver_settle (driver);
  old_frame = tl_session_get_frame (driver->session);
  start_us = g_get_monotonic_time ();
  driver_activate (driver, "slice", g_variant_new_uint32 (3));
  driver_wait (driver, has_other_frame, "another picture");
  g_assert_cmpfloat ((double)(g_get_monotonic_time () - start_us) / 1e6, <,
                     MAX_ANSWER_S);
  driver_settle (driver);
  shot = driver_shoot (driver, "random");
}

static void
test_random (Driver *driver)
{
  Random random = { .driver = driver };
  const char *number = g_getenv ("TL_RANDOM_ACTIONS");
  int n = number != NULL ? atoi (number) : N_ACTIONS;
  double before_mib, after_mib;

  if (driver_lacks ("xdotool"))
    return;
  /* where dialogs save what nobody wants */
  g_assert_cmpint (chdir (driver->folder), ==, 0);
  set_up (&random);
  driver_activate (driver, "open",
                   g_variant_new_string (random.files->pdata[0]));
  driver_settle (driver);
  do_things (&random, n / 2);
  calm_down (driver);
  before_mib = read_memory_mib ();
  do_things (&random, n / 2);
  calm_down (driver);
  after_mib = read_memory_mib ();
  g_test_message ("%d actions, %.0f MiB after half, %.0f MiB after all", n,
                  before_mib, after_mib);
  assert_answers (&random);
  g_assert_cmpfloat (after_mib - before_mib, <, MAX_GROWTH_MIB);
  clear (&random);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/random", test_random, NULL },
  };

  g_log_set_writer_func (write_message, NULL, NULL);
  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
