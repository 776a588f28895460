/* The views of slice, sinogram and projection, and the lines drawn over
 * them. */
#include "tests/ui/driver.h"

#include "data/phantom/phantom.h"
#include "ui/picture/gestures.h"

#include <math.h>

/* A drag sets the axis with two decimals. */
#define CENTRE_TOLERANCE 0.0051
#define SCALE_TOLERANCE 1e-6
/* For a grey on the screen, in steps of 1/255. */
#define GREY_TOLERANCE 1.5
/* Where a pixel is hardly larger than a pixel of the screen. */
#define EDGE_TOLERANCE 10

static void
drag (Driver *driver, double col, double row, int dx, int dy)
{
  int x, y;

  driver_locate_pixel (driver, col, row, &x, &y);
  driver_xdotool (driver,
                  "mousemove %d %d mousedown 1 mousemove %d %d "
                  "mousemove %d %d mouseup 1",
                  x, y, x + dx / 2, y + dy / 2, x + dx, y + dy);
}

/* --- switching --- */

static void
test_without_scan (Driver *driver)
{
  static const char *const names[] = { "view", "projection",
                                       "step-projection" };

  driver_assert_disabled (driver, names, G_N_ELEMENTS (names));
  driver_activate (driver, "view", g_variant_new_string ("sinogram"));
  driver_assert_state (driver, "view", "'slice'");
}

static void
assert_size (Driver *driver, size_t n_rows_wanted)
{
  size_t n_rows, n_cols;

  g_assert_true (
      tl_display_get_frame_size (driver->session->display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, n_rows_wanted);
  g_assert_cmpuint (n_cols, ==, SCAN_COLS);
  driver_wait (driver, driver_is_drawn, "the newest frame");
}

static void
test_keys (Driver *driver)
{
  GtkWidget *row = driver_find (driver, "projection_row");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  assert_size (driver, SCAN_COLS);
  driver_xdotool (driver, "key F3");
  driver_assert_state (driver, "view", "'sinogram'");
  assert_size (driver, 90);
  g_assert_false (gtk_widget_get_visible (row));
  driver_xdotool (driver, "key F4");
  driver_assert_state (driver, "view", "'projection'");
  assert_size (driver, SCAN_ROWS);
  g_assert_true (gtk_widget_get_visible (row));
  driver_xdotool (driver, "key alt+shift+Up key alt+shift+Up");
  driver_assert_state (driver, "projection", "2");
  driver_xdotool (driver, "key alt+shift+Prior key alt+shift+Down");
  driver_assert_state (driver, "projection", "11");
  driver_activate (driver, "step-projection", g_variant_new_int32 (-1000));
  driver_assert_state (driver, "projection", "0");
  driver_activate (driver, "projection", g_variant_new_uint32 (G_MAXUINT32));
  driver_assert_state (driver, "projection", "89");
  driver_xdotool (driver, "key F2");
  driver_assert_state (driver, "view", "'slice'");
  assert_size (driver, SCAN_COLS);
  driver_activate (driver, "view", g_variant_new_string ("nonsense"));
  driver_assert_state (driver, "view", "'slice'");
}

/* Goes from each view to the next and the previous; the picture is
 * unchanged. */
static void
test_next_and_previous (Driver *driver)
{
  static const struct
  {
    const char *key, *state;
  } views[] = { { "g", "'candidates'" },  { "a", "'axis'" },
                { "o", "'overlay'" },     { "F3", "'sinogram'" },
                { "F4", "'projection'" }, { "F2", "'slice'" } };
  guint n = G_N_ELEMENTS (views);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  for (guint step = 1; step < n; step += n - 2)
    for (guint i = 0; i < n; i++)
      {
        driver_xdotool (driver, "key %s", views[i * step % n].key);
        driver_assert_state (driver, "view", views[i * step % n].state);
      }
  driver_xdotool (driver, "key F2");
  assert_size (driver, SCAN_COLS);
  driver_assert_state (driver, "centre", "47.5");
}

/* Each view keeps its window, zoom and position. */
static void
test_own_window_and_zoom (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);
  double low, high, scale, sinogram_scale;

  driver_open (driver);
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_activate (driver, "view", g_variant_new_string ("sinogram"));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_high (view), >, 2 * high);
  driver_activate (driver, "window-low", g_variant_new_double (0.25));
  driver_activate (driver, "window-high", g_variant_new_double (0.75));
  g_action_group_activate_action (G_ACTION_GROUP (driver->window), "zoom-in",
                                  NULL);
  sinogram_scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
  g_assert_cmpfloat_with_epsilon (
      tl_slice_view_get_camera (driver->view)->scale, scale, SCALE_TOLERANCE);
  driver_activate (driver, "view", g_variant_new_string ("sinogram"));
  driver_settle (driver);
  driver_assert_state (driver, "window-low", "0.25");
  driver_assert_state (driver, "window-high", "0.75");
  g_assert_cmpfloat_with_epsilon (
      tl_slice_view_get_camera (driver->view)->scale, sinogram_scale,
      SCALE_TOLERANCE);
}

/* Switches flat field and -log on or off. */
static void
change_values (Driver *driver)
{
  driver_activate (driver, "minus-log", NULL);
  driver_activate (driver, "flat-field", NULL);
  driver_settle (driver);
}

/* A window is of values: other values have another one, which the first picture
 * of them sets, and the user's comes back with its values. */
static void
test_own_values (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);
  g_autoptr (TlMeasure) measure = tl_measure_new (view);
  TlUnits units;
  double low, high;

  driver_open (driver);
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  tl_measure_get_units (measure, &units);
  g_assert_cmpstr (units.unit, ==, "1/cm");
  change_values (driver);
  g_assert_cmpfloat (tl_view_get_high (view), >, 100 * high);
  tl_measure_get_units (measure, &units);
  g_assert_cmpstr (units.unit, ==, "no unit");
  driver_activate (driver, "window-low", g_variant_new_double (-1));
  change_values (driver);
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
  change_values (driver);
  g_assert_cmpfloat (tl_view_get_low (view), ==, -1);
}

/* A new scan is shown whole, not with the zoom and position of the previous
 * one. */
static void
test_other_scan (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "other.h5", NULL);
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  double scale;

  tl_phantom_scan_init (&scan, 40, 3, 64);
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  driver_open (driver);
  for (guint i = 0; i < 3; i++)
    g_action_group_activate_action (G_ACTION_GROUP (driver->window), "zoom-in",
                                    NULL);
  driver_activate (driver, "view", g_variant_new_string ("sinogram"));
  driver_settle (driver);
  tl_session_open (driver->session, path);
  driver_settle (driver);
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_settle (driver);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  tl_slice_view_fit (driver->view);
  g_assert_cmpfloat_with_epsilon (
      tl_slice_view_get_camera (driver->view)->scale, scale, SCALE_TOLERANCE);
}

/* --- the drawn views --- */

static void
assert_greys (Driver *driver, const char *view, size_t row)
{
  g_autofree char *name = g_strconcat ("view-", view, NULL);
  g_autoptr (GdkTexture) shot = NULL;

  driver_activate (driver, "view", g_variant_new_string (view));
  driver_settle (driver);
  driver_activate (driver, "window-low", g_variant_new_double (0));
  driver_activate (driver, "window-high", g_variant_new_double (2));
  driver_settle (driver);
  shot = driver_shoot (driver, name);
  for (size_t col = 20; col < 40; col += 7)
    {
      float value;

      g_assert_true (
          tl_display_read_pixel (driver->session->display, row, col, &value));
      g_assert_cmpfloat (value, >, 0.1);
      g_assert_cmpfloat_with_epsilon (
          driver_read_colour (driver, shot, (double)col, (double)row, 1),
          255 * value / 2, GREY_TOLERANCE);
    }
}

static void
test_drawn (Driver *driver)
{
  driver_open (driver);
  driver_activate (driver, "colour-bar", NULL); /* it would cover some pixels */
  assert_greys (driver, "projection", 1);
  assert_greys (driver, "sinogram", 44);
}

static void
test_readout (Driver *driver)
{
  g_autofree char *readout = NULL;
  g_autofree char *want = NULL;
  float value;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "view", g_variant_new_string ("sinogram"));
  driver_settle (driver);
  driver_locate_pixel (driver, 35, 61, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  g_assert_true (
      tl_display_read_pixel (driver->session->display, 61, 35, &value));
  want = g_strdup_printf ("column 35 · projection 61 · %.6g −ln(I/I₀)",
                          (double)value);
  readout = driver_dup_readout (driver);
  g_assert_cmpstr (readout, ==, want);
}

/* Each view has its own line for the profile. */
static void
test_own_profile_lines (Driver *driver)
{
  g_autofree char *of_slice = NULL;
  g_autofree char *of_sinogram = NULL;
  g_autofree char *again = NULL;

  driver_open (driver);
  driver_activate (driver, "profile", NULL);
  driver_settle (driver);
  of_slice = driver_get_state (driver, "profile-line");
  driver_activate (driver, "view", g_variant_new_string ("sinogram"));
  driver_settle (driver);
  of_sinogram = driver_get_state (driver, "profile-line");
  g_assert_cmpstr (of_sinogram, !=, of_slice);
  driver_activate (driver, "profile-line",
                   g_variant_new ("(dddd)", 1.0, 2.0, 30.0, 40.0));
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_settle (driver);
  again = driver_get_state (driver, "profile-line");
  g_assert_cmpstr (again, ==, of_slice);
}

/* --- lines --- */

static const char *
get_cursor (Driver *driver)
{
  GdkCursor *cursor = gtk_widget_get_cursor (GTK_WIDGET (driver->view));

  return cursor != NULL ? gdk_cursor_get_name (cursor) : NULL;
}

static void
test_slice_line (Driver *driver)
{
  double scale;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_xdotool (driver, "key F4");
  scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_locate_pixel (driver, 20, 2, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y + 3);
  g_assert_cmpstr (get_cursor (driver), ==, "row-resize");
  drag (driver, 20, 2, 0, (int)(-1.8 * scale));
  driver_assert_state (driver, "slice", "0");
  /* the line stops at the edge of the detector */
  drag (driver, 20, 0, 0, (int)(30 * scale));
  driver_assert_state (driver, "slice", "4");
  g_assert_null (tl_window_get_banner (driver->window));
  driver_assert_state (driver, "centre", "47.5");
  /* the slice is reconstructed when its view is shown */
  driver_xdotool (driver, "key F2");
  assert_size (driver, SCAN_COLS);
}

static void
drag_axis (Driver *driver, const char *key, double row)
{
  TlParameters *parameters = driver->session->parameters;
  double centre = tl_parameters_get_centre (parameters);
  double scale;
  int x, y;

  driver_xdotool (driver, "key %s", key);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_locate_pixel (driver, centre, row, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x - 3, y);
  g_assert_cmpstr (get_cursor (driver), ==, "col-resize");
  drag (driver, centre, row, 40, 10);
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  centre + 40 / scale, CENTRE_TOLERANCE);
  centre = tl_parameters_get_centre (parameters);
  driver_xdotool (driver, "keydown shift");
  drag (driver, centre, row, -40, 0);
  driver_xdotool (driver, "keyup shift");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  centre - 4 / scale, CENTRE_TOLERANCE);
}

static void
test_axis_line (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  drag_axis (driver, "F3", 20);
  drag_axis (driver, "F4", 0.2);
  driver_assert_state (driver, "slice", "2");
  shot = driver_shoot (driver, "view-lines");
}

/* While the profile is shown, its line has priority under the pointer, then the
 * lines below, and elsewhere a drag draws a new line. The cursor shows which
 * applies. */
static void
test_lines_and_profile (Driver *driver)
{
  g_autofree char *line = NULL;
  GtkWidget *tools;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_xdotool (driver, "key F4 key l");
  driver_activate (driver, "profile-line",
                   g_variant_new ("(dddd)", 10.0, 1.0, 80.0, 1.0));
  line = driver_get_state (driver, "profile-line");
  driver_locate_pixel (driver, 47.5, 3, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x + 1, y);
  tools = gtk_widget_pick (
      GTK_WIDGET (driver->view),
      gtk_widget_get_width (GTK_WIDGET (driver->view)) / 2.0,
      gtk_widget_get_height (GTK_WIDGET (driver->view)) / 2.0, 0);
  g_assert_cmpstr (gdk_cursor_get_name (gtk_widget_get_cursor (tools)), ==,
                   "col-resize");
  drag (driver, 47.5, 3, 40, 0);
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), >,
                     48);
  driver_assert_state (driver, "profile-line", line);
  drag (driver, 20, 2, 0, (int)tl_slice_view_get_camera (driver->view)->scale);
  driver_assert_state (driver, "slice", "3");
  driver_assert_state (driver, "profile-line", line);
  drag (driver, 20, 0, 40, 10);
  driver_assert_state (driver, "slice", "3");
  g_free (line);
  line = driver_get_state (driver, "profile-line");
  g_assert_false (g_str_has_prefix (line, "(10.0, 1.0,"));
}

/* In a projection of few rows the picture is visible between the ends of the
 * line. */
static void
test_few_rows (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;
  float value;

  tl_phantom_scan_init (&scan, 90, 2, 200);
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  driver_open (driver);
  driver_activate (driver, "view", g_variant_new_string ("projection"));
  driver_settle (driver);
  driver_activate (driver, "window-low", g_variant_new_double (0));
  driver_activate (driver, "window-high", g_variant_new_double (2));
  driver_settle (driver);
  shot = driver_shoot (driver, "few-rows");
  g_assert_true (
      tl_display_read_pixel (driver->session->display, 0, 60, &value));
  g_assert_cmpfloat_with_epsilon (driver_read_colour (driver, shot, 60, 0, 1),
                                  255 * CLAMP (value, 0, 2) / 2,
                                  EDGE_TOLERANCE);
}

/* Returns: how many pixels at the top of the picture have the colour of the
 * axis and its label */
static guint
count_axis_pixels (Driver *driver, const char *name)
{
  g_autoptr (GdkTexture) shot = driver_shoot (driver, name);
  const size_t width = (size_t)gdk_texture_get_width (shot);
  const size_t height = (size_t)gdk_texture_get_height (shot);
  g_autofree guchar *pixels = g_malloc (4 * width * height);
  guint n = 0;
  double left, top;

  gdk_texture_download (shot, pixels, 4 * width);
  g_assert_true (gtk_widget_translate_coordinates (GTK_WIDGET (driver->view),
                                                   GTK_WIDGET (driver->window),
                                                   0, 0, &left, &top));
  /* Cairo stores blue first */
  for (size_t y = (size_t)top; y < (size_t)top + 30; y++)
    for (size_t x = (size_t)left; x < width; x++)
      {
        const guchar *pixel = pixels + 4 * (y * width + x);

        if (pixel[0] < 120 && pixel[1] > 170 && pixel[2] > 220)
          n++;
      }
  return n;
}

/* The label of an axis at the right of a projection is beside the colour bar,
 * not below it. */
static void
test_axis_label (Driver *driver)
{
  guint without, with;

  driver_open (driver);
  driver_activate (driver, "view", g_variant_new_string ("projection"));
  driver_activate (driver, "centre", g_variant_new_double (SCAN_COLS - 2.0));
  driver_settle (driver);
  with = count_axis_pixels (driver, "axis-label");
  driver_activate (driver, "colour-bar", NULL);
  driver_settle (driver);
  without = count_axis_pixels (driver, "axis-label-alone");
  g_assert_cmpuint (without, >, 60);
  g_assert_cmpuint (with + 60, >, without); /* the bar may cover the line */
}

/* --- fingers --- */

/* What a scroll does depends on the device. The test's device is a wheel, not a
 * touchpad. */
static void
test_scroll_device (Driver *driver)
{
  const GdkModifierType ctrl = GDK_CONTROL_MASK;

  g_assert_cmpint (tl_gestures_choose_scroll (GDK_SOURCE_MOUSE, 0), ==,
                   TL_SCROLL_ZOOM);
  g_assert_cmpint (tl_gestures_choose_scroll (GDK_SOURCE_MOUSE, ctrl), ==,
                   TL_SCROLL_ZOOM);
  g_assert_cmpint (tl_gestures_choose_scroll (GDK_SOURCE_TRACKPOINT, 0), ==,
                   TL_SCROLL_ZOOM);
  g_assert_cmpint (tl_gestures_choose_scroll (GDK_SOURCE_TOUCHPAD, 0), ==,
                   TL_SCROLL_PAN);
  g_assert_cmpint (
      tl_gestures_choose_scroll (GDK_SOURCE_TOUCHPAD, GDK_SHIFT_MASK), ==,
      TL_SCROLL_PAN);
  g_assert_cmpint (tl_gestures_choose_scroll (GDK_SOURCE_TOUCHPAD, ctrl), ==,
                   TL_SCROLL_ZOOM);
}

/* The point under the fingers stays under them when they move and part. */
static void
test_pinch (Driver *driver)
{
  double scale;
  int x, y, x_after, y_after, x_0, y_0;

  driver_open (driver);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_locate (driver, GTK_WIDGET (driver->view), 0, 0, &x_0, &y_0);
  driver_locate_pixel (driver, 30, 40, &x, &y);
  tl_slice_view_move (driver->view, 1.5, x + 12 - x_0, y - 7 - y_0, 12, -7);
  g_assert_cmpfloat_with_epsilon (
      tl_slice_view_get_camera (driver->view)->scale, 1.5 * scale,
      SCALE_TOLERANCE);
  driver_locate_pixel (driver, 30, 40, &x_after, &y_after);
  g_assert_cmpint (abs (x_after - x - 12), <=, 1);
  g_assert_cmpint (abs (y_after - y + 7), <=, 1);
}

/* A drag away from the lines pans. */
static void
test_pan (Driver *driver)
{
  double col, row, col_after, row_after;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_xdotool (driver, "key F4");
  g_action_group_activate_action (G_ACTION_GROUP (driver->window), "zoom-in",
                                  NULL);
  driver_get_middle (driver, &col, &row);
  drag (driver, 30, 3.5, 24, 0);
  g_assert_null (get_cursor (driver));
  driver_get_middle (driver, &col_after, &row_after);
  g_assert_cmpfloat_with_epsilon (
      col_after, col - 24 / tl_slice_view_get_camera (driver->view)->scale,
      1e-6);
  driver_assert_state (driver, "slice", "2");
  driver_assert_state (driver, "centre", "47.5");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/views/without-scan", test_without_scan },
    { "/ui/views/keys", test_keys },
    { "/ui/views/next-and-previous", test_next_and_previous },
    { "/ui/views/own-window-and-zoom", test_own_window_and_zoom },
    { "/ui/views/own-values", test_own_values },
    { "/ui/views/other-scan", test_other_scan },
    { "/ui/views/own-profile-lines", test_own_profile_lines },
    { "/ui/views/drawn", test_drawn },
    { "/ui/views/readout", test_readout },
    { "/ui/views/slice-line", test_slice_line },
    { "/ui/views/axis-line", test_axis_line },
    { "/ui/views/pan", test_pan },
    { "/ui/views/lines-and-profile", test_lines_and_profile },
    { "/ui/views/few-rows", test_few_rows },
    { "/ui/views/axis-label", test_axis_label },
    { "/ui/views/scroll-device", test_scroll_device },
    { "/ui/views/pinch", test_pinch },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
