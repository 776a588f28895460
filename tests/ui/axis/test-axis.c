/* Tilt and half acquisition in the panel, and the position of the view when the
 * slice changes its size. */
#include "tests/ui/driver.h"

#include "data/phantom/phantom.h"

#include <math.h>

/* For the middle of the view, in pixels of the slice. */
#define PLACE_TOLERANCE 1e-9

static GtkWidget *
get_half (Driver *driver)
{
  return driver_find (driver, "half_drop");
}

/* The tilt control follows the label at the beginning of the row. */
static GtkWidget *
get_tilt (Driver *driver)
{
  GtkWidget *row = gtk_widget_get_parent (get_half (driver));

  return gtk_widget_get_next_sibling (gtk_widget_get_first_child (row));
}

static void
type_tilt (Driver *driver, const char *text)
{
  gtk_widget_grab_focus (get_tilt (driver));
  driver_xdotool (driver, "key ctrl+a type -- %s", text);
  driver_xdotool (driver, "key Return");
}

static size_t
get_side (Driver *driver)
{
  size_t n_rows, n_cols;

  g_assert_true (
      tl_display_get_picture_size (driver->session->display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, n_cols);
  return n_cols;
}

/* Opens a scan of a full turn whose axis is at column 12. */
static void
open_turn (Driver *driver)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, 60, 3, SCAN_COLS);
  scan.angles_deg[1] = 360;
  scan.half = TRUE;
  scan.centre_col = 12;
  g_free (driver->scan);
  driver->scan = g_build_filename (driver->folder, "turn.h5", NULL);
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  driver_open (driver);
}

static void
set_centre (Driver *driver, double centre)
{
  driver_activate (driver, "centre", g_variant_new_double (centre));
  driver_settle (driver);
}

static void
test_tilt (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  type_tilt (driver, "0.35");
  driver_assert_state (driver, "tilt", "0.34999999999999998");
  gtk_widget_grab_focus (get_tilt (driver));
  driver_xdotool (driver, "key Up");
  g_assert_cmpfloat_with_epsilon (
      gtk_spin_button_get_value (GTK_SPIN_BUTTON (get_tilt (driver))), 0.36,
      1e-9);
  type_tilt (driver, "-10"); /* the end of the range is allowed */
  driver_assert_state (driver, "tilt", "-10.0");
  driver_activate (driver, "undo", NULL);
  driver_settle (driver);
  type_tilt (driver, "12");
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "tilt takes degrees from -10 to 10"));
  driver_activate (driver, "undo", NULL);
  driver_activate (driver, "undo", NULL);
  driver_settle (driver);
  driver_assert_state (driver, "tilt", "0.0");
}

/* Works the drop-down with the keyboard: auto, on, off. */
static void
test_half (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;

  if (driver_lacks ("xdotool"))
    return;
  open_turn (driver);
  g_assert_cmpuint (get_side (driver), ==, SCAN_COLS);
  set_centre (driver, 12);
  g_assert_cmpuint (get_side (driver), ==, 176);
  shot = driver_shoot (driver, "half");
  gtk_widget_grab_focus (get_half (driver));
  driver_xdotool (driver, "key space");
  driver_xdotool (driver, "key Down Down Return");
  driver_assert_state (driver, "half", "'off'");
  g_assert_cmpuint (get_side (driver), ==, SCAN_COLS);
  driver_activate (driver, "undo", NULL);
  driver_settle (driver);
  driver_assert_state (driver, "half", "'auto'");
  g_assert_cmpuint (get_side (driver), ==, 176);
}

/* Gets the middle of the view relative to the axis, which is in the middle of
 * the slice. */
static void
get_place (Driver *driver, double *x, double *y)
{
  const double middle = ((double)get_side (driver) - 1.0) / 2.0;

  driver_get_middle (driver, x, y);
  *x -= middle;
  *y -= middle;
}

static void
test_view_stays (Driver *driver)
{
  double x, y, x_after, y_after, scale;
  int screen_x, screen_y;

  if (driver_lacks ("xdotool"))
    return;
  open_turn (driver);
  set_centre (driver, 12);
  driver_locate_pixel (driver, 120, 60, &screen_x, &screen_y);
  driver_xdotool (driver, "mousemove %d %d click --repeat 5 4", screen_x,
                  screen_y);
  get_place (driver, &x, &y);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  g_assert_cmpfloat (x, >, 1);
  set_centre (driver, 2);
  g_assert_cmpuint (get_side (driver), ==, 192);
  get_place (driver, &x_after, &y_after);
  g_assert_cmpfloat_with_epsilon (x_after, x, PLACE_TOLERANCE);
  g_assert_cmpfloat_with_epsilon (y_after, y, PLACE_TOLERANCE);
  g_assert_cmpfloat (tl_slice_view_get_camera (driver->view)->scale, ==, scale);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/axis/tilt", test_tilt },
    { "/ui/axis/half", test_half },
    { "/ui/axis/view-stays", test_view_stays },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
