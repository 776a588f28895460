/* The dialogs, and the session bus. */
#include "tests/ui/driver.h"
#include "ui/desktop/dark-style.h"

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
  static const char *const names[] = { "about-machine", "about", "shortcuts" };

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
  ASSERT (2, "--record is for an address", "--record", "kept");
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

static gboolean
is_inside (Driver *driver)
{
  const TlRecipe *recipe =
      tl_parameters_get_recipe (driver->session->parameters);

  return g_strcmp0 (recipe->data_path, "/exchange/data_white") == 0
         && driver_is_drawn (driver);
}

/* A second program in another folder names a dataset of a file. */
static void
test_second_program (Driver *driver)
{
  g_autofree char *name = g_path_get_basename (driver->scan);
  g_autofree char *inside = g_strconcat (name, ":/exchange/data_white", NULL);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) program = NULL;
  g_autoptr (GError) error = NULL;

  if (g_getenv ("DBUS_SESSION_BUS_ADDRESS") == NULL)
    {
      g_test_skip ("no session bus: dbus-run-session is not installed");
      return;
    }
  g_subprocess_launcher_set_cwd (launcher, driver->folder);
  program = g_subprocess_launcher_spawn (launcher, &error, TL_PROGRAM_PATH,
                                         inside, NULL);
  g_assert_no_error (error);
  driver_wait (driver, is_inside, "the dataset of the second program");
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));
}

/* --- a desktop that prefers the dark style --- */

static const char portal_path[] = "/org/freedesktop/portal/desktop";
static const char portal_settings[] = "org.freedesktop.portal.Settings";

static void
on_portal_call (GDBusConnection *bus, const char *sender, const char *path,
                const char *interface, const char *method, GVariant *arguments,
                GDBusMethodInvocation *call, gpointer data)
{
  const char *space, *key;

  g_variant_get (arguments, "(&s&s)", &space, &key);
  g_assert_cmpstr (space, ==, "org.freedesktop.appearance");
  g_assert_cmpstr (key, ==, "color-scheme");
  g_dbus_method_invocation_return_value (
      call,
      g_variant_new ("(v)", g_variant_new_variant (g_variant_new_uint32 (1))));
}

static gboolean
is_dark (Driver *driver)
{
  gboolean is_dark;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (driver->window)),
                "gtk-application-prefer-dark-theme", &is_dark, NULL);
  return is_dark;
}

static gboolean
is_light (Driver *driver)
{
  return !is_dark (driver);
}

static void
change_setting (GDBusConnection *bus, const char *space, const char *key,
                guint value)
{
  g_autoptr (GError) error = NULL;

  g_dbus_connection_emit_signal (
      bus, NULL, portal_path, portal_settings, "SettingChanged",
      g_variant_new ("(ssv)", space, key, g_variant_new_uint32 (value)),
      &error);
  g_assert_no_error (error);
}

/* The window follows what the desktop prefers: that at first, and changes. */
static void
test_dark_style (Driver *driver)
{
  static const char xml[] =
      "<node><interface name='org.freedesktop.portal.Settings'>"
      "<method name='Read'><arg type='s' direction='in'/>"
      "<arg type='s' direction='in'/><arg type='v' direction='out'/>"
      "</method></interface></node>";
  static const GDBusInterfaceVTable table = { .method_call = on_portal_call };
  GDBusConnection *bus =
      g_application_get_dbus_connection (G_APPLICATION (driver->application));
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (xml, NULL);
  guint object, name;

  if (bus == NULL)
    {
      g_test_skip ("no session bus: dbus-run-session is not installed");
      return;
    }
  driver_open (driver);
  g_assert_true (is_light (driver)); /* nobody serves settings yet */
  object = g_dbus_connection_register_object (
      bus, portal_path, node->interfaces[0], &table, NULL, NULL, &error);
  g_assert_no_error (error);
  name = g_bus_own_name_on_connection (bus, "org.freedesktop.portal.Desktop",
                                       G_BUS_NAME_OWNER_FLAGS_NONE, NULL, NULL,
                                       NULL, NULL);
  driver_settle (driver);
  change_setting (bus, "org.freedesktop.appearance", "color-scheme", 1);
  driver_wait (driver, is_dark, "the dark style");
  change_setting (bus, "org.freedesktop.appearance", "contrast", 0);
  change_setting (bus, "org.example", "color-scheme", 2);
  driver_settle (driver);
  g_assert_true (is_dark (driver));
  change_setting (bus, "org.freedesktop.appearance", "color-scheme", 2);
  driver_wait (driver, is_light, "the light style");
  tl_dark_style_follow (bus); /* as when the program starts */
  driver_wait (driver, is_dark, "what the desktop prefers already");
  change_setting (bus, "org.freedesktop.appearance", "color-scheme", 0);
  driver_wait (driver, is_light, "the style without a preference");
  g_bus_unown_name (name);
  g_dbus_connection_unregister_object (bus, object);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/dialogs", test_dialogs },
    { "/ui/command-line", test_command_line },
    { "/ui/bus", test_bus },
    { "/ui/second-program", test_second_program },
    { "/ui/dark-style", test_dark_style },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
