/* The program runs in a process of its own and is closed during work: by the
 * message of a window manager, over the session bus, and by a signal. It exits
 * with status 0, prints no warning, and leaves no partial file. What was tuned
 * is kept, also if the program is killed. */
#include "ui/window/application.h"

#include "app/recipe/recipe.h"
#include "data/phantom/phantom.h"
#include "tests/ui/driver.h"
#include "tests/support/unfinished.h"

#include <X11/Xlib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

/* Long enough that the window closes during the work. */
#define LONG_ROWS 30000U
#define LONG_ANGLES 720U

/* Long, for a loaded machine under the sanitizers. */
#define PATIENCE_S 30
#define LOOK_MS 20

typedef struct
{
  char *folder;
  char *scan;
  char *export;
  GSubprocess *program;
  GDBusConnection *bus;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tomolens-ui-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->scan = g_build_filename (fixture->folder, "scan.h5", NULL);
  fixture->export = g_build_filename (fixture->folder, "out", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  driver_remove_folder (fixture->folder);
  g_clear_object (&fixture->program);
  g_clear_object (&fixture->bus);
  g_free (fixture->folder);
  g_free (fixture->scan);
  g_free (fixture->export);
}

/* --- the program --- */

/* Opens a scan of this size. */
static void
start (Fixture *fixture, size_t n_angles, size_t n_rows, size_t n_cols)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  tl_phantom_scan_init (&scan, n_angles, n_rows, n_cols);
  tl_phantom_write_scan (fixture->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  fixture->bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, &error);
  g_assert_no_error (error);
  fixture->program = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error,
                                       TL_PROGRAM_PATH, fixture->scan, NULL);
  g_assert_no_error (error);
}

typedef gboolean (*Check) (Fixture *fixture);

static void
wait_until (Fixture *fixture, Check check, const char *what)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE_S * G_USEC_PER_SEC;

  while (!check (fixture))
    {
      if (g_get_monotonic_time () > deadline)
        g_error ("waited %d s in vain for %s", PATIENCE_S, what);
      g_usleep (LOOK_MS * 1000);
    }
}

/* Returns: (nullable): the answer */
static GVariant *
call (Fixture *fixture, const char *path, const char *method,
      GVariant *parameters)
{
  return g_dbus_connection_call_sync (fixture->bus, TL_APPLICATION_ID, path,
                                      "org.gtk.Actions", method, parameters,
                                      NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START,
                                      PATIENCE_S * 1000, NULL, NULL);
}

static void
activate (Fixture *fixture, const char *action, GVariant *target)
{
  GVariantBuilder targets;
  g_autoptr (GVariant) answer = NULL;

  g_variant_builder_init (&targets, G_VARIANT_TYPE ("av"));
  if (target != NULL)
    g_variant_builder_add (&targets, "v", target);
  answer = call (
      fixture, "/org/tomolens/Tomolens", "Activate",
      g_variant_new ("(sav@a{sv})", action, &targets,
                     g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0)));
  g_assert_nonnull (answer);
}

static gboolean
has_picture (Fixture *fixture)
{
  g_autoptr (GVariant) answer =
      call (fixture, "/org/tomolens/Tomolens/window/1", "Describe",
            g_variant_new ("(s)", "save-view"));
  gboolean is_enabled = FALSE;

  if (answer != NULL)
    g_variant_get (answer, "((bgav))", &is_enabled, NULL, NULL);
  return is_enabled;
}

/* --- closing --- */

typedef void (*Close) (Fixture *fixture);

static void
close_over_bus (Fixture *fixture)
{
  activate (fixture, "quit", NULL);
}

static Window
find_window (void)
{
  g_autofree char *numbers = NULL;
  g_autoptr (GError) error = NULL;

  g_spawn_command_line_sync ("xdotool search --onlyvisible --class tomolens",
                             &numbers, NULL, NULL, &error);
  g_assert_no_error (error);
  return (Window)g_ascii_strtoull (numbers, NULL, 10);
}

/* Inter-Client Communication Conventions Manual, section 4.2.8: what every
 * window manager sends for Alt+F4 and for its button. */
static void
close_by_manager (Fixture *fixture)
{
  Display *display = XOpenDisplay (NULL);
  XClientMessageEvent message = {
    .type = ClientMessage,
    .window = find_window (),
    .message_type = XInternAtom (display, "WM_PROTOCOLS", False),
    .format = 32,
    .data.l = { (long)XInternAtom (display, "WM_DELETE_WINDOW", False) },
  };

  g_assert_cmpuint (message.window, !=, 0);
  XSendEvent (display, message.window, False, NoEventMask, (XEvent *)&message);
  XCloseDisplay (display);
}

/* While slices are written, both ways to close open a question, answered with
 * Alt+S (stop). */
static void
answer_question (void)
{
  g_autoptr (GError) error = NULL;
  int status;

  g_spawn_command_line_sync ("sh -c \"n=0; while [ $n -lt 500 ] && "
                             "[ $(xdotool search --onlyvisible --class "
                             "tomolens | wc -l) -lt 2 ]; "
                             "do n=$((n+1)); sleep 0.02; done; "
                             "[ $n -lt 500 ] && "
                             "sleep 0.2 && xdotool key alt+s\"",
                             NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
}

/* Asks nothing, because nobody may be there. */
static void
close_by_signal (Fixture *fixture)
{
  g_subprocess_send_signal (fixture->program, SIGTERM);
}

typedef struct
{
  const char *name;
  Close function;
  gboolean asks; /* while slices are written */
} Way;

static const Way ways[] = {
  { "manager", close_by_manager, TRUE },
  { "bus", close_over_bus, TRUE },
  { "signal", close_by_signal, FALSE },
};

static void
assert_ends_well (Fixture *fixture)
{
  g_autofree char *complaint = NULL;
  g_autoptr (GError) error = NULL;

  g_subprocess_communicate_utf8 (fixture->program, NULL, NULL, NULL, &complaint,
                                 &error);
  g_assert_no_error (error);
  g_assert_cmpstr (complaint, ==, "");
  g_assert_true (g_subprocess_get_if_exited (fixture->program));
  g_assert_cmpint (g_subprocess_get_exit_status (fixture->program), ==, 0);
}

/* --- cases --- */

/* Returns: whether tools are missing; the case is then skipped */
static gboolean
lacks_tools (void)
{
  if (driver_lacks ("xdotool"))
    return TRUE;
  if (g_getenv ("DBUS_SESSION_BUS_ADDRESS") != NULL)
    return FALSE;
  g_test_skip ("no session bus: dbus-run-session is not installed");
  return TRUE;
}

static gboolean
has_slice (Fixture *fixture)
{
  g_autofree char *folder = find_unfinished (fixture->folder, "out");

  return count_slices_in (folder) > 0;
}

/* The slices that are whole are kept, and nothing appears in the folder. */
static void
test_export (Fixture *fixture, gconstpointer data)
{
  const Way *way = data;
  g_autofree char *folder = NULL;
  guint n;

  if (lacks_tools ())
    return;
  start (fixture, 16, LONG_ROWS, 64);
  wait_until (fixture, has_picture, "the first picture");
  activate (fixture, "export",
            g_variant_new_parsed ("{'path': <%s>}", fixture->export));
  wait_until (fixture, has_slice, "the first slice");
  way->function (fixture);
  if (way->asks)
    answer_question ();
  assert_ends_well (fixture);
  g_assert_false (g_file_test (fixture->export, G_FILE_TEST_EXISTS));
  folder = find_unfinished (fixture->folder, "out");
  n = count_whole_slices (folder);
  g_test_message ("closed after %u of %u slices", n, LONG_ROWS);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <, LONG_ROWS);
}

/* Closes during the reconstruction of a slice with many angles. */
static void
test_reconstruction (Fixture *fixture, gconstpointer data)
{
  const Way *way = data;

  if (lacks_tools ())
    return;
  start (fixture, LONG_ANGLES, 2, 512);
  wait_until (fixture, has_picture, "the first picture");
  activate (fixture, "slice", g_variant_new_uint32 (1));
  way->function (fixture);
  assert_ends_well (fixture);
}

/* Returns: whether a kept recipe has the filter that was chosen */
static gboolean
has_kept (Fixture *fixture)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_state_dir (), "tomolens", "recipes", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  gboolean has = FALSE;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (TlRecipe) recipe = tl_recipe_load (path, NULL, NULL);

      has |= recipe != NULL && recipe->params.filter == TL_FILTER_HANN;
    }
  return has;
}

static void
tune (Fixture *fixture)
{
  start (fixture, 16, 2, 64);
  wait_until (fixture, has_picture, "the first picture");
  activate (fixture, "filter", g_variant_new_string ("hann"));
}

static void
forget_kept (void)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_state_dir (), "tomolens", "recipes", NULL);

  driver_remove_folder (folder);
}

static void
test_kept (Fixture *fixture, gconstpointer data)
{
  if (lacks_tools ())
    return;
  forget_kept ();
  tune (fixture);
  close_by_signal (fixture);
  assert_ends_well (fixture);
  g_assert_true (has_kept (fixture));
}

static void
test_killed (Fixture *fixture, gconstpointer data)
{
  if (lacks_tools ())
    return;
  forget_kept ();
  tune (fixture);
  wait_until (fixture, has_kept, "the recipe");
  g_subprocess_force_exit (fixture->program);
  g_assert_true (g_subprocess_wait (fixture->program, NULL, NULL));
  g_assert_true (has_kept (fixture));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *export =
          g_strconcat ("/ui/ending/export/", ways[i].name, NULL);
      g_autofree char *reconstruction =
          g_strconcat ("/ui/ending/reconstruction/", ways[i].name, NULL);

      g_test_add (export, Fixture, &ways[i], set_up, test_export, tear_down);
      g_test_add (reconstruction, Fixture, &ways[i], set_up,
                  test_reconstruction, tear_down);
    }
  g_test_add ("/ui/ending/kept", Fixture, NULL, set_up, test_kept, tear_down);
  g_test_add ("/ui/ending/killed", Fixture, NULL, set_up, test_killed,
              tear_down);
  return g_test_run ();
}
