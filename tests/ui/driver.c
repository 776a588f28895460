#include "tests/ui/driver.h"

#include "data/phantom.h"
#include "ui/language.h"
#include "ui/screenshot.h"

#include <glib/gstdio.h>

/* Long, for a loaded machine that draws in software. */
#define PATIENCE_S 20
/* After the last event: what it sets off is on its way by then, and GDK, which
 * hands events out once for each picture, has done so. */
#define SETTLE_MS 80
#define SETTLE_TICKS 3

/* -- the application ------------------------------------------------------ */

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

static gboolean
run_case (gpointer data)
{
  Driver *driver = data;

  driver->session = tl_application_get_session (driver->application);
  driver->window = tl_application_get_window (driver->application);
  driver->view = tl_window_get_slice_view (driver->window);
  driver_settle (driver);
  driver->function (driver);
  /* the last window: the application ends */
  gtk_window_destroy (GTK_WINDOW (driver->window));
  return G_SOURCE_REMOVE;
}

static void
on_activate (GApplication *application, gpointer driver)
{
  g_idle_add (run_case, driver);
}

/* The case within the running application. */
static void
run (Driver *driver, gconstpointer data)
{
  driver->function = ((const DriverCase *)data)->function;
  g_signal_connect_after (driver->application, "activate",
                          G_CALLBACK (on_activate), driver);
  g_assert_cmpint (
      g_application_run (G_APPLICATION (driver->application), 0, NULL), ==, 0);
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

static void
tear_down (Driver *driver, gconstpointer data)
{
  g_object_unref (driver->application);
  driver_remove_folder (driver->folder);
  g_free (driver->scan);
  g_free (driver->folder);
}

int
driver_main (int argc, char **argv, const DriverCase *cases, guint n)
{
  tl_language_init ();
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    g_error ("no display: run this by tests/support/with-display");
  for (guint i = 0; i < n; i++)
    g_test_add (cases[i].path, Driver, &cases[i], set_up, run, tear_down);
  return g_test_run ();
}

/* -- waiting -------------------------------------------------------------- */

static gboolean
raise_flag (gpointer flag)
{
  *(gboolean *)flag = TRUE;
  return G_SOURCE_CONTINUE;
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
        g_error ("waited %d s in vain for %s", PATIENCE_S, what);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (source);
}

static gboolean
is_idle (Driver *driver)
{
  gboolean busy;

  g_object_get (driver->session, "busy", &busy, NULL);
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
  GtkWidget *window = GTK_WIDGET (driver->window);
  gboolean over = FALSE;
  guint n_ticks = 0;
  guint source = g_timeout_add (SETTLE_MS, raise_flag, &over);
  guint ticks =
      gtk_widget_add_tick_callback (window, count_tick, &n_ticks, NULL);

  gdk_display_sync (gtk_widget_get_display (window));
  while (!over || n_ticks < SETTLE_TICKS)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (source);
  gtk_widget_remove_tick_callback (window, ticks);
  driver_wait (driver, is_idle, "the session to come to rest");
}

static gboolean
is_drawn (Driver *driver)
{
  return tl_slice_view_is_drawn (driver->view);
}

void
driver_open (Driver *driver)
{
  driver_activate (driver, "open", g_variant_new_string (driver->scan));
  driver_wait (driver, is_drawn, "the first picture");
  driver_settle (driver);
}

/* -- actions -------------------------------------------------------------- */

void
driver_activate (Driver *driver, const char *action, GVariant *target)
{
  g_action_group_activate_action (G_ACTION_GROUP (driver->application), action,
                                  target);
}

char *
driver_get_state (Driver *driver, const char *action)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (
      G_ACTION_GROUP (driver->application), action);

  return g_variant_print (state, FALSE);
}

/* -- mouse and keyboard --------------------------------------------------- */

void
driver_xdotool (Driver *driver, const char *format, ...)
{
  g_autofree char *commands = NULL;
  g_autofree char *line = NULL;
  g_autoptr (GError) error = NULL;
  va_list args;
  int status;

  va_start (args, format);
  commands = g_strdup_vprintf (format, args);
  va_end (args);
  line = g_strconcat ("xdotool ", commands, NULL);
  g_spawn_command_line_sync (line, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  driver_settle (driver);
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

GtkWidget *
driver_find (Driver *driver, const char *name)
{
  GtkWidget *panel = GTK_WIDGET (gtk_widget_get_template_child (
      GTK_WIDGET (driver->window), TL_TYPE_WINDOW, "panel"));
  GObject *found =
      gtk_widget_get_template_child (panel, G_OBJECT_TYPE (panel), name);

  g_assert_nonnull (found);
  return GTK_WIDGET (found);
}

void
driver_locate (Driver *driver, GtkWidget *widget, double x, double y,
               int *screen_x, int *screen_y)
{
  double window_x, window_y, offset_x, offset_y;
  int scale = gtk_widget_get_scale_factor (widget);

  g_assert_true (gtk_widget_translate_coordinates (
      widget, GTK_WIDGET (driver->window), x, y, &window_x, &window_y));
  /* the surface has a border around the window, and stands at 0, 0 */
  gtk_native_get_surface_transform (GTK_NATIVE (driver->window), &offset_x,
                                    &offset_y);
  *screen_x = (int)((window_x + offset_x) * scale + 0.5);
  *screen_y = (int)((window_y + offset_y) * scale + 0.5);
}

void
driver_locate_pixel (Driver *driver, double col, double row, int *screen_x,
                     int *screen_y)
{
  GtkWidget *view = GTK_WIDGET (driver->view);
  double scale = tl_slice_view_get_scale (driver->view);
  double middle_col, middle_row;

  tl_slice_view_get_middle (driver->view, &middle_col, &middle_row);
  driver_locate (driver, view,
                 gtk_widget_get_width (view) / 2.0 + (col - middle_col) * scale,
                 gtk_widget_get_height (view) / 2.0
                     + (row - middle_row) * scale,
                 screen_x, screen_y);
}

GdkTexture *
driver_shoot (Driver *driver, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".png", NULL);
  g_autofree char *path =
      g_test_build_filename (G_TEST_BUILT, "ui", file, NULL);
  g_autoptr (GError) error = NULL;
  GdkTexture *texture;

  while (!tl_screenshot_save (GTK_WIDGET (driver->window), path, &error))
    {
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
      g_clear_error (&error);
      g_main_context_iteration (NULL, TRUE);
    }
  g_test_message ("see %s", path);
  texture = gdk_texture_new_from_filename (path, &error);
  g_assert_no_error (error);
  return texture;
}
