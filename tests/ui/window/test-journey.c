/* A user's whole session by mouse and keyboard, with a picture as large as a
 * detector; and the files that are left when the window is closed during
 * work. */
#include "tests/ui/driver.h"

#include "app/recipe/recipe.h"
#include "data/phantom/phantom.h"
#include "tests/support/unfinished.h"

#include <glib/gstdio.h>

#define N_COLS 2048U
#define N_ROWS 6U
#define N_ANGLES 90U

/* Long enough that the window closes during the work. */
#define LONG_ROWS 12000U
#define LONG_ANGLES 720U

/* From the key to the end of the last thread. */
#define MAX_END_S 2.0

static void
write_scan (const char *path, size_t n_angles, size_t n_rows, size_t n_cols)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  tl_phantom_scan_init (&scan, n_angles, n_rows, n_cols);
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
shoot (Driver *driver, const char *name)
{
  g_autofree char *full_name = g_strconcat ("journey-", name, NULL);
  g_autoptr (GdkTexture) shot = driver_shoot (driver, full_name);

  g_assert_cmpint (gdk_texture_get_width (shot), >, 600);
}

/* --- the steps of the journey --- */

static void
open_by_dialog (Driver *driver)
{
  driver_xdotool (driver, "key ctrl+o");
  driver_wait (driver, driver_has_dialog, "the dialog");
  driver_settle (driver);
  shoot (driver, "0-dialog");
  driver_xdotool (driver, "type %s", driver->scan);
  driver_xdotool (driver, "key Return");
  driver_wait (driver, driver_is_drawn, "the first picture");
  driver_settle (driver);
  shoot (driver, "1-open");
}

/* Drags from the middle of @widget in twenty movements of @step_x, @step_y
 * pixels. */
static void
drag (Driver *driver, GtkWidget *widget, int step_x, int step_y)
{
  g_autoptr (GString) moves = g_string_new (NULL);
  int x, y;

  driver_locate (driver, widget, gtk_widget_get_width (widget) / 2.0,
                 gtk_widget_get_height (widget) / 2.0, &x, &y);
  for (int i = 1; i <= 20; i++)
    g_string_append_printf (moves, " mousemove %d %d sleep 0.01",
                            x + i * step_x, y + i * step_y);
  driver_xdotool (driver, "mousemove %d %d mousedown 1%s mouseup 1", x, y,
                  moves->str);
}

static void
drag_centre (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  double before = tl_parameters_get_centre (parameters);

  drag (driver, driver_find (driver, "centre_strip"), 2, 0);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), >, before + 3);
  shoot (driver, "2-centre");
}

static void
scroll (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *view = GTK_WIDGET (driver->view);
  double scale = tl_slice_view_get_camera (driver->view)->scale;
  guint slice = tl_parameters_get_slice (parameters);
  int x, y;

  driver_locate (driver, view, gtk_widget_get_width (view) / 2.0,
                 gtk_widget_get_height (view) / 3.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click --repeat 8 --delay 20 4", x,
                  y);
  g_assert_cmpfloat (tl_slice_view_get_camera (driver->view)->scale, >,
                     3 * scale);
  driver_xdotool (driver, "key Page_Up Page_Up");
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, slice + 2);
  shoot (driver, "3-zoomed");
  drag (driver, view, 3, 2);
  driver_xdotool (driver, "key ctrl+0");
}

static void
type_centre (Driver *driver)
{
  GtkWidget *spin = driver_find (driver, "centre_spin");
  int x, y;

  driver_locate (driver, spin, gtk_widget_get_width (spin) / 3.0,
                 gtk_widget_get_height (spin) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  driver_xdotool (driver, "key ctrl+a type 1011.5");
  driver_xdotool (driver, "key Return");
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     1011.5);
  shoot (driver, "4-typed");
  driver_click (driver, GTK_WIDGET (driver->view));
}

static void
undo (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  double centre = tl_parameters_get_centre (parameters);

  driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), !=, centre);
  driver_xdotool (driver, "key ctrl+shift+z");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, centre);
  driver_xdotool (driver, "key ctrl+h");
  shoot (driver, "5-history");
  driver_xdotool (driver, "key Escape");
}

static gboolean
has_held (Driver *driver)
{
  return tl_slice_comparison_get_held (driver->session->comparison) != NULL;
}

/* Compares the typed centre with the previous one in each mode. */
static void
compare (Driver *driver)
{
  TlSliceComparison *comparison = driver->session->comparison;
  static const struct
  {
    const char *key, *shot;
    TlCompareMode mode;
  } ways[] = {
    { "F6", "6-swipe", TL_COMPARE_SWIPE },
    { "F7", "6-blink", TL_COMPARE_BLINK },
    { "F8", "6-side-by-side", TL_COMPARE_SIDE_BY_SIDE },
    { "F9", "6-difference", TL_COMPARE_DIFFERENCE },
    { "shift+F5", "6-alone", TL_COMPARE_OFF },
  };

  driver_xdotool (driver, "key h");
  driver_wait (driver, has_held, "A");
  driver_xdotool (driver, "key ctrl+z");
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      driver_xdotool (driver, "key %s", ways[i].key);
      g_assert_cmpint (tl_slice_comparison_get_mode (comparison), ==,
                       ways[i].mode);
      shoot (driver, ways[i].shot);
    }
  driver_xdotool (driver, "key ctrl+shift+z key h");
  g_assert_false (tl_slice_comparison_is_held (comparison));
}

static void
look_around (Driver *driver)
{
  driver_xdotool (driver, "key F3");
  shoot (driver, "7-sinogram");
  driver_xdotool (driver, "key F4");
  shoot (driver, "8-projection");
  driver_xdotool (driver, "key alt+shift+Up key F2");
  g_assert_cmpint (tl_display_get_picture (driver->session->display), ==,
                   TL_PICTURE_SLICE);
}

static void export(Driver *driver)
{
  g_autofree char *folder =
      g_build_filename (driver->folder, "phantom-recon", NULL);

  driver_xdotool (driver, "key ctrl+e");
  driver_xdotool (driver, "key ctrl+a type %s", folder);
  driver_xdotool (driver, "key Return");
  if (!driver_is_exported (driver))
    shoot (driver, "9-exporting");
  driver_wait (driver, driver_is_exported, "the export");
  driver_settle (driver);
  shoot (driver, "10-exported");
  driver_xdotool (driver, "key Escape");
  for (guint i = 0; i < N_ROWS; i++)
    {
      g_autofree char *name = g_strdup_printf ("recon_%05u.tiff", i);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
    }
}

static gboolean
is_dropped (Driver *driver)
{
  return tl_parameters_get_centre (driver->session->parameters) == 1000.25;
}

static void
drop_recipe (Driver *driver)
{
  g_autofree char *recipe = g_build_filename (driver->folder, "r.ini", NULL);

  g_assert_true (g_file_set_contents (
      recipe, "[recipe]\nslice=1\ncentre=1000.25\nfilter=hann\n", -1, NULL));
  driver_drop (driver, recipe);
  driver_wait (driver, is_dropped, "the recipe");
  driver_settle (driver);
  g_assert_cmpuint (tl_parameters_get_slice (driver->session->parameters), ==,
                    1);
  shoot (driver, "11-dropped");
}

static void
test_all_steps (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  write_scan (driver->scan, N_ANGLES, N_ROWS, N_COLS);
  open_by_dialog (driver);
  drag_centre (driver);
  scroll (driver);
  type_centre (driver);
  undo (driver);
  compare (driver);
  look_around (driver);
  export(driver);
  drop_recipe (driver);
}

/* --- closing in the middle of work --- */

static gboolean
is_closed (Driver *driver)
{
  return driver->window == NULL;
}

static void
close_window (Driver *driver)
{
  driver_send (driver, "key ctrl+w");
  driver_wait (driver, is_closed, "the window to close");
}

static gboolean
has_slices (Driver *driver)
{
  double progress;

  g_object_get (driver->session->exporter, "progress", &progress, NULL);
  return progress > 0;
}

/* Closing during an export asks first. The export continues unless the user
 * stops it. */
static void
test_close_export (Driver *driver)
{
  g_autofree char *folder = g_build_filename (driver->folder, "out", NULL);

  if (driver_lacks ("xdotool"))
    return;
  write_scan (driver->scan, 16, LONG_ROWS, 64);
  driver_open (driver);
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>}", folder));
  driver_wait (driver, has_slices, "the first slices");
  driver_send (driver, "key ctrl+w");
  driver_wait (driver, driver_has_dialog, "the question");
  driver_send (driver, "key Return"); /* Cancel is the default button */
  driver_wait (driver, driver_has_no_dialog, "the question to be answered");
  g_assert_false (driver_is_exported (driver));
  driver_send (driver, "key ctrl+q");
  driver_wait (driver, driver_has_dialog, "the question again");
  shoot (driver, "11-closing");
  driver_send (driver, "key alt+s");
  driver_wait (driver, is_closed, "the window to close");
}

/* The slices that are whole are kept, and nothing appears in the folder. */
static void
check_export (Driver *driver)
{
  g_autofree char *folder = find_unfinished (driver->folder, "out");
  g_autofree char *out = g_build_filename (driver->folder, "out", NULL);
  guint n;

  g_assert_cmpfloat (driver->end_s, <, MAX_END_S);
  g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
  n = count_whole_slices (folder);
  g_test_message ("closed after %u of %u slices, %.2f s to the end", n,
                  LONG_ROWS, driver->end_s);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <, LONG_ROWS);
}

static gboolean
is_busy (Driver *driver)
{
  gboolean busy;

  g_object_get (driver->session->requests, "busy", &busy, NULL);
  return busy;
}

/* Closes during the reconstruction of a slice with many angles, with a second
 * request waiting. */
static void
test_close_reconstruction (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  write_scan (driver->scan, LONG_ANGLES, 2, N_COLS);
  driver_activate (driver, "open", g_variant_new_string (driver->scan));
  driver_wait (driver, driver_is_drawn, "the first picture");
  driver_activate (driver, "slice", g_variant_new_uint32 (1));
  g_assert_true (is_busy (driver));
  close_window (driver);
}

static void
check_end (Driver *driver)
{
  g_test_message ("%.2f s to the end", driver->end_s);
  g_assert_cmpfloat (driver->end_s, <, MAX_END_S);
}

static void
test_close_opening (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  write_scan (driver->scan, LONG_ANGLES, 2, N_COLS);
  driver_activate (driver, "open", g_variant_new_string (driver->scan));
  close_window (driver);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/journey/all-steps", test_all_steps, NULL },
    { "/ui/journey/close/export", test_close_export, check_export },
    { "/ui/journey/close/reconstruction", test_close_reconstruction,
      check_end },
    { "/ui/journey/close/opening", test_close_opening, check_end },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
