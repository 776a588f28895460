/* The page of the volume, by mouse and keyboard. */
#include "tests/ui/driver.h"

#include "app/volume/scene.h"
#include "data/phantom/phantom.h"
#include "ui/window/status-text.h"

#include <math.h>
#include <string.h>

/* As high as wide, so that there is something to see. */
enum
{
  N_PROJECTIONS = 120,
  SIDE = 96,
  WIDE = 200 /* so that it is read in bins of 2 */
};

static int n_cols = SIDE; /* of the next scan */

static TlScene *
get_scene (Driver *driver)
{
  return tl_session_get_scene (driver->session);
}

static TlVolumePage *
get_page (Driver *driver)
{
  return tl_pages_get_volume_page (driver_get_pages (driver));
}

static GtkWidget *
get_area (Driver *driver)
{
  return GTK_WIDGET (tl_volume_page_get_area (get_page (driver)));
}

static gboolean
is_drawn (Driver *driver)
{
  return !tl_scene_is_busy (get_scene (driver))
         && tl_volume_area_is_drawn (TL_VOLUME_AREA (get_area (driver)));
}

static void
wait (Driver *driver)
{
  driver_wait (driver, is_drawn, "the volume");
}

static double
get_centre (void)
{
  return SCAN_CENTRE + (n_cols - SIDE) / 2.0;
}

static void
write_scan (Driver *driver)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, N_PROJECTIONS, SIDE, (size_t)n_cols);
  scan.centre_col = get_centre ();
  g_free (driver->scan);
  driver->scan = g_build_filename (driver->folder, "high.h5", NULL);
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* Opens the scan, and shows the page by its key. */
static void
enter (Driver *driver)
{
  write_scan (driver);
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (get_centre ()));
  driver_settle (driver);
  driver_xdotool (driver, "mousemove 30 1000 key v");
  driver_assert_state (driver, "view", "'volume'");
  wait (driver);
}

/* Returns: the sum of all voxels, which another centre changes */
static double
get_sum (Driver *driver)
{
  const TlVoxels *voxels = tl_scene_get_voxels (get_scene (driver));
  double sum = 0;

  for (size_t k = 0; k < voxels->n[0] * voxels->n[1] * voxels->n[2]; k++)
    if (isfinite (voxels->values[k]))
      sum += fabs ((double)voxels->values[k]);
  return sum;
}

/* Returns: the brightness of a part of @image, 0 … 255 */
static double
measure (GdkTexture *image, int x, int y, int width, int height)
{
  const int stride = 4 * gdk_texture_get_width (image);
  g_autofree guint8 *pixels =
      g_malloc ((gsize)stride * (gsize)gdk_texture_get_height (image));
  double sum = 0;

  gdk_texture_download (image, pixels, (gsize)stride);
  for (int row = y; row < y + height; row++)
    for (int col = x; col < x + width; col++)
      sum += pixels[row * stride + 4 * col + 1];
  return sum / ((double)width * height);
}

/* Returns: the brightness of the picture in the window */
static double
get_brightness (Driver *driver, const char *name)
{
  GtkWidget *area = get_area (driver);
  g_autoptr (GdkTexture) shot = driver_shoot (driver, name);
  double x, y;

  gtk_widget_translate_coordinates (area, GTK_WIDGET (driver->window), 0, 0, &x,
                                    &y);
  return measure (shot, (int)x, (int)y, gtk_widget_get_width (area),
                  gtk_widget_get_height (area));
}

/* --- the volume --- */

/* The volume has the window of slices, also where their difference was shown.
 */
static void
test_window (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);
  double low, high;

  write_scan (driver);
  driver_open (driver);
  driver_settle (driver);
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  driver_activate (driver, "hold", NULL);
  driver_activate (driver, "centre",
                   g_variant_new_double (get_centre () + 0.5));
  driver_activate (driver, "compare", g_variant_new_string ("difference"));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_high (view), <, 0.5 * high);
  driver_activate (driver, "view", g_variant_new_string ("volume"));
  wait (driver);
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_high (view), <, 0.5 * high);
}

static void
test_follows (Driver *driver)
{
  guint64 bytes;
  double sum;

  enter (driver);
  g_assert_cmpfloat (get_brightness (driver, "volume-fog"), >, 2);
  sum = get_sum (driver);
  bytes = tl_scene_count_bytes (get_scene (driver));
  g_assert_cmpuint (bytes, >, N_PROJECTIONS * SIDE * SIDE * 2);
  /* the arrows turn; with Alt they move the axis */
  driver_xdotool (driver, "key alt+Right");
  driver_assert_state (driver, "centre", "47.25");
  wait (driver);
  g_assert_cmpfloat (fabs (get_sum (driver) - sum), >, 1e-6 * sum);
  g_assert_true (tl_display_is_old (driver->session->display));
  driver_xdotool (driver, "key F2");
  driver_settle (driver);
  g_assert_false (tl_display_is_old (driver->session->display));
  g_assert_cmpuint (tl_scene_count_bytes (get_scene (driver)), ==, 0);
  g_assert_null (tl_scene_get_voxels (get_scene (driver)));
}

static void
drag (Driver *driver, const char *before, const char *after)
{
  int x, y;

  driver_locate (driver, get_area (driver), 200, 200, &x, &y);
  driver_xdotool (driver,
                  "mousemove %d %d %s mousemove_relative 20 10 sleep 0.05 "
                  "mousemove_relative 40 20 sleep 0.05 %s",
                  x, y, before, after);
}

static TlVolumeCamera
get_camera (Driver *driver)
{
  return *tl_scene_get_camera (get_scene (driver));
}

static void
test_mouse (Driver *driver)
{
  TlVolumeCamera before, after;
  int x, y;

  enter (driver);
  before = get_camera (driver);
  drag (driver, "mousedown 1", "mouseup 1");
  after = get_camera (driver);
  g_assert_cmpfloat (after.azimuth_deg, <, before.azimuth_deg - 5);
  g_assert_cmpfloat (after.elevation_deg, >, before.elevation_deg + 2);
  g_assert_cmpfloat (after.look_at[0], ==, before.look_at[0]);
  before = after;
  drag (driver, "mousedown 2", "mouseup 2");
  after = get_camera (driver);
  g_assert_cmpfloat (after.azimuth_deg, ==, before.azimuth_deg);
  g_assert_cmpfloat (after.look_at[0], !=, before.look_at[0]);
  before = after;
  drag (driver, "keydown shift mousedown 1", "mouseup 1 keyup shift");
  after = get_camera (driver);
  g_assert_cmpfloat (after.azimuth_deg, ==, before.azimuth_deg);
  g_assert_cmpfloat (after.look_at[0], !=, before.look_at[0]);
  /* away from the middle, so that the place under the pointer stays */
  driver_locate (driver, get_area (driver), 250, 200, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 4", x, y);
  before = after;
  after = get_camera (driver);
  g_assert_cmpfloat_with_epsilon (after.zoom, 1.2 * before.zoom, 1e-6);
  g_assert_cmpfloat (after.look_at[0], !=, before.look_at[0]);
  wait (driver);
  driver_double_click (driver);
  driver_settle (driver);
  after = get_camera (driver);
  tl_volume_camera_init (&before);
  g_assert_cmpfloat (after.azimuth_deg, ==, before.azimuth_deg);
  g_assert_cmpfloat (after.zoom, ==, 1);
  g_assert_cmpfloat (after.look_at[0], ==, 0.5);
}

static void
test_keys (Driver *driver)
{
  TlVolumeCamera before, after;

  enter (driver);
  before = get_camera (driver);
  driver_xdotool (driver, "key Right key Down key plus");
  after = get_camera (driver);
  g_assert_cmpfloat (after.azimuth_deg, ==, before.azimuth_deg - 5);
  g_assert_cmpfloat (after.elevation_deg, ==, before.elevation_deg + 5);
  g_assert_cmpfloat_with_epsilon (after.zoom, 1.2, 1e-6);
  driver_assert_state (driver, "centre", "46.25");
  driver_xdotool (driver, "key shift+Up key ctrl+minus");
  before = get_camera (driver);
  g_assert_cmpfloat (before.look_at[2], >, 0.5);
  g_assert_cmpfloat (before.zoom, <, after.zoom);
  driver_xdotool (driver, "key ctrl+0");
  after = get_camera (driver);
  g_assert_cmpfloat (after.zoom, ==, 1);
  driver_xdotool (driver, "key z");
  after = get_camera (driver);
  g_assert_cmpfloat (after.azimuth_deg, ==, 0);
  g_assert_cmpfloat (after.elevation_deg, ==, 90);
  driver_xdotool (driver, "key x");
  after = get_camera (driver);
  g_assert_cmpfloat (after.azimuth_deg, ==, -90);
  g_assert_cmpfloat (after.elevation_deg, ==, 0);
  driver_xdotool (driver, "key 3");
  driver_assert_state (driver, "volume-way", "'surface'");
  driver_xdotool (driver, "key 2");
  driver_assert_state (driver, "volume-way", "'maximum'");
  wait (driver);
  g_assert_cmpfloat (get_brightness (driver, "volume-maximum"), >, 2);
  driver_xdotool (driver, "key 1");
  driver_assert_state (driver, "volume-way", "'emission'");
  /* elsewhere the keys have their other use */
  driver_xdotool (driver, "key F2 key Right");
  driver_assert_state (driver, "centre", "47.25");
}

/* Returns: the width of the scale bar, the longest white line at the bottom */
static int
measure_scale_bar (Driver *driver)
{
  GtkWidget *area = get_area (driver);
  g_autoptr (GdkTexture) shot = driver_shoot (driver, "volume-scale");
  const int stride = 4 * gdk_texture_get_width (shot);
  const int width = gtk_widget_get_width (area);
  const int height = gtk_widget_get_height (area);
  g_autofree guint8 *pixels =
      g_malloc ((gsize)stride * (gsize)gdk_texture_get_height (shot));
  double x, y;
  int longest = 0;

  gtk_widget_translate_coordinates (area, GTK_WIDGET (driver->window), 0, 0, &x,
                                    &y);
  gdk_texture_download (shot, pixels, (gsize)stride);
  for (int row = height - 40; row < height; row++)
    {
      int n = 0;

      for (int col = width / 2; col < width; col++)
        n += pixels[((int)y + row) * stride + 4 * ((int)x + col)] > 250;
      longest = MAX (longest, n);
    }
  return longest;
}

static void
set (Driver *driver, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  tl_parameters_set_and_reopen (driver->session->parameters, key, value,
                                &error);
  g_assert_no_error (error);
}

static int
measure_with (Driver *driver, const char *key, const char *value)
{
  set (driver, key, value);
  driver_settle (driver);
  wait (driver);
  return measure_scale_bar (driver);
}

/* The scale bar is as long for a scan that is open in bins, whose pixels are
 * larger. It has the pixel size that the user has typed. */
static void
test_scale (Driver *driver)
{
  int width, binned;

  enter (driver);
  width = measure_scale_bar (driver);
  g_assert_cmpint (width, >, 10);
  binned = measure_with (driver, "bin", "2");
  g_assert_cmpint (ABS (binned - width), <=, 1);
  width = measure_with (driver, "pixel-size", "1");
  g_assert_cmpint (measure_with (driver, "pixel-size", "1.5"), !=, width);
  g_assert_cmpint (measure_with (driver, "pixel-size", "1"), ==, width);
}

/* --- what is shown of it --- */

static double
get_threshold (Driver *driver)
{
  return tl_scene_get_look (get_scene (driver))->threshold;
}

static void
test_threshold (Driver *driver)
{
  GtkWidget *scale =
      driver_find_in (GTK_WIDGET (get_page (driver)), "threshold_scale");
  double least, brightness;
  int x, y;

  enter (driver);
  g_assert_false (gtk_widget_get_mapped (scale));
  driver_xdotool (driver, "key 3");
  wait (driver);
  g_assert_true (gtk_widget_get_mapped (scale));
  least = get_threshold (driver);
  brightness = get_brightness (driver, "volume-surface");
  g_assert_cmpfloat (brightness, >, 2);
  /* near the right end of the slider */
  driver_locate (driver, scale, gtk_widget_get_width (scale) - 8,
                 gtk_widget_get_height (scale) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d mousedown 1 sleep 0.05 mouseup 1", x,
                  y);
  wait (driver);
  g_assert_cmpfloat (get_threshold (driver), >, least);
  least = get_threshold (driver);
  driver_xdotool (driver, "key Left");
  g_assert_cmpfloat (get_threshold (driver), <, least);
  wait (driver);
  g_assert_cmpfloat (
      fabs (get_brightness (driver, "volume-threshold") - brightness), >, 0.5);
}

static const TlVolumeLook *
get_look (Driver *driver)
{
  return tl_scene_get_look (get_scene (driver));
}

static double
get_highest (Driver *driver)
{
  const TlVolumeLook *look = get_look (driver);
  double highest = 0;

  for (guint k = 0; k < look->n_points; k++)
    highest = fmax (highest, look->points[k].opacity);
  return highest;
}

static gboolean
shows_transfer (Driver *driver)
{
  return gtk_widget_get_mapped (
      driver_find_in (GTK_WIDGET (get_page (driver)), "transfer_plot"));
}

/* Opens the histogram with the opacity by the pointer. */
static void
open_transfer (Driver *driver)
{
  driver_click (driver, driver_find_in (GTK_WIDGET (get_page (driver)),
                                        "transfer_button"));
  driver_wait (driver, shows_transfer, "the opacity");
  driver_settle (driver);
}

/* The points of the opacity, by the pointer, by keys and by the buttons. */
static void
test_transfer (Driver *driver)
{
  GtkWidget *page = GTK_WIDGET (get_page (driver));
  GtkWidget *plot = driver_find_in (page, "transfer_plot");
  g_autoptr (GdkTexture) shot = NULL;
  guint n;
  double opacity, value;
  int x, y;

  enter (driver);
  n = get_look (driver)->n_points;
  open_transfer (driver);
  driver_locate (driver, plot, gtk_widget_get_width (plot) / 2.0,
                 gtk_widget_get_height (plot) / 4.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  g_assert_cmpuint (get_look (driver)->n_points, ==, n + 1);
  opacity = get_highest (driver);
  driver_xdotool (driver,
                  "mousemove %d %d mousedown 1 sleep 0.05 mousemove_relative "
                  "10 10 sleep 0.05 mousemove_relative 10 10 sleep 0.05 "
                  "mouseup 1",
                  x, y);
  g_assert_cmpuint (get_look (driver)->n_points, ==, n + 1);
  g_assert_cmpfloat (get_highest (driver), <, opacity - 0.05);
  shot = driver_shoot_window (driver,
                              gtk_widget_get_ancestor (plot, GTK_TYPE_POPOVER),
                              "volume-transfer");
  driver_xdotool (driver, "key Delete");
  g_assert_cmpuint (get_look (driver)->n_points, ==, n);
  driver_xdotool (driver, "key ctrl+Left key ctrl+Left");
  opacity = get_look (driver)->points[0].opacity;
  value = get_look (driver)->points[0].value;
  driver_xdotool (driver, "key Up key Up key Right");
  g_assert_cmpfloat_with_epsilon (get_look (driver)->points[0].opacity,
                                  opacity + 0.02, 1e-9);
  g_assert_cmpfloat (get_look (driver)->points[0].value, >, value);
  /* a double click removes what its first click has made */
  driver_xdotool (driver, "mousemove %d %d", x, y);
  driver_double_click (driver);
  driver_settle (driver);
  g_assert_cmpuint (get_look (driver)->n_points, ==, n);
  opacity = get_look (driver)->points[n - 1].opacity;
  driver_activate (driver, "volume-transfer",
                   g_variant_new_parsed ("[(0.02, 0.1), (0.01, 0.2)]"));
  g_assert_cmpfloat (get_look (driver)->points[n - 1].opacity, ==, opacity);
  driver_activate (driver, "volume-transfer",
                   g_variant_new_parsed ("@a(dd) []"));
  g_assert_cmpfloat_with_epsilon (get_look (driver)->points[0].value, value,
                                  1e-9);
  driver_xdotool (driver, "key Escape"); /* else the popover keeps the keys */
}

/* Returns: (nullable): the label below @widget with @text */
static GtkWidget *
find_label (GtkWidget *widget, const char *text)
{
  GtkWidget *found = NULL;

  if (GTK_IS_LABEL (widget)
      && strcmp (gtk_label_get_text (GTK_LABEL (widget)), text) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget);
       child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_label (child, text);
  return found;
}

static GtkWidget *
get_shapes_button (Driver *driver)
{
  return driver_find_in (GTK_WIDGET (get_page (driver)), "shapes_button");
}

static GtkWidget *
get_shapes_menu (Driver *driver)
{
  return GTK_WIDGET (gtk_menu_button_get_popover (
      GTK_MENU_BUTTON (get_shapes_button (driver))));
}

static gboolean
has_shapes_menu (Driver *driver)
{
  return gtk_widget_get_mapped (get_shapes_menu (driver));
}

static gboolean
has_no_shapes_menu (Driver *driver)
{
  return !has_shapes_menu (driver);
}

static void
open_shapes (Driver *driver)
{
  gtk_widget_grab_focus (get_shapes_button (driver));
  driver_xdotool (driver, "key space");
  driver_wait (driver, has_shapes_menu, "the menu of shapes");
}

/* Clicks into the row of the menu, which keys open: GTK 4.8 loses a click on
 * its button now and then, if it comes soon after the menu has closed. */
static void
click_shape (Driver *driver, const char *text)
{
  GtkWidget *row;

  open_shapes (driver);
  driver_settle (driver);
  row = find_label (get_shapes_menu (driver), text);
  g_assert_nonnull (row);
  driver_click (driver, row);
  driver_wait (driver, has_no_shapes_menu, "the menu to close");
  driver_settle (driver);
}

static double
get_opacity (Driver *driver, double value)
{
  return tl_volume_look_get_opacity (get_look (driver), value);
}

/* Shapes of the opacity, by the pointer, by keys and by their action. */
static void
test_shapes (Driver *driver)
{
  GtkWidget *page = GTK_WIDGET (get_page (driver));
  double first, last, most;

  enter (driver);
  first = get_look (driver)->points[0].value;
  last = get_look (driver)->points[1].value;
  most = get_look (driver)->points[1].opacity;
  open_transfer (driver);
  click_shape (driver, "All Values, Thin");
  g_assert_cmpfloat (get_opacity (driver, 0.9 * first), >, 0);
  g_assert_cmpfloat (get_opacity (driver, last), <, 0.5 * most);
  click_shape (driver, "One Band of Values");
  g_assert_cmpuint (get_look (driver)->n_points, ==, 4);
  g_assert_cmpfloat (get_opacity (driver, last), ==, 0);
  click_shape (driver, "Dense Parts Alone");
  g_assert_cmpuint (get_look (driver)->n_points, ==, 2);
  g_assert_cmpfloat (get_look (driver)->points[0].value, >, first);
  /* the last row of the menu, by keys */
  open_shapes (driver);
  driver_xdotool (driver, "key g");
  g_assert_cmpuint (get_look (driver)->n_points, ==, 4);
  g_assert_cmpfloat (get_opacity (driver, last), ==, most);
  driver_shoot_both (
      driver,
      gtk_widget_get_ancestor (driver_find_in (page, "transfer_plot"),
                               GTK_TYPE_POPOVER),
      "volume-shapes");
  click_shape (driver, "The Whole Sample");
  g_assert_cmpfloat_with_epsilon (get_look (driver)->points[0].value, first,
                                  1e-9);
  driver_activate (driver, "shape-opacity", g_variant_new_string ("dense"));
  g_assert_cmpfloat (get_look (driver)->points[0].value, >, first);
  driver_activate (driver, "shape-opacity", g_variant_new_string ("cloud"));
  g_assert_cmpfloat (get_look (driver)->points[0].value, >, first);
  driver_xdotool (driver, "key Escape");
}

static void
test_box (Driver *driver)
{
  GtkWidget *page = GTK_WIDGET (get_page (driver));
  double all;

  enter (driver);
  all = get_brightness (driver, "volume-whole");
  driver_click (driver, driver_find_in (page, "box_button"));
  driver_settle (driver);
  /* the last slice, and half of the others by an action */
  driver_xdotool (driver, "key Tab key Tab key Tab key Tab key Tab key Left");
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "volume-box");
  g_assert_cmpfloat_with_epsilon (
      tl_scene_get_look (get_scene (driver))->box[2][1], 0.99, 1e-9);
  driver_xdotool (driver, "key Escape");
  driver_activate (driver, "volume-box",
                   g_variant_new ("(dddddd)", 0.0, 1.0, 0.0, 0.25, 0.0, 1.0));
  wait (driver);
  g_assert_cmpfloat (get_brightness (driver, "volume-cut"), <, all);
  /* an empty one is refused */
  driver_activate (driver, "volume-box",
                   g_variant_new ("(dddddd)", 0.5, 0.5, 0.0, 1.0, 0.0, 1.0));
  driver_assert_state (driver, "volume-box", "(0.0, 1.0, 0.0, 0.25, 0.0, 1.0)");
}

/* Drawn with the pointer from above, it keeps the slices; a click draws none.
 */
static void
test_draw_box (Driver *driver)
{
  TlVolumeCamera before;
  const TlVolumeLook *look;
  int x, y;

  enter (driver);
  driver_xdotool (driver, "key z");
  before = get_camera (driver);
  driver_locate (driver, get_area (driver),
                 gtk_widget_get_width (get_area (driver)) / 2.0,
                 gtk_widget_get_height (get_area (driver)) / 2.0, &x, &y);
  driver_xdotool (driver,
                  "mousemove %d %d keydown ctrl mousedown 1 mousemove_relative "
                  "2 2 sleep 0.05 mouseup 1 keyup ctrl",
                  x, y);
  look = tl_scene_get_look (get_scene (driver));
  g_assert_cmpfloat (look->box[0][0], ==, 0);
  driver_xdotool (
      driver,
      "sleep 0.6 mousemove %d %d keydown ctrl mousedown 1 "
      "mousemove_relative 40 20 sleep 0.05 mousemove_relative 60 40 sleep 0.05 "
      "mouseup 1 keyup ctrl",
      x, y);
  look = tl_scene_get_look (get_scene (driver));
  g_assert_cmpfloat_with_epsilon (look->box[0][0], 0.5, 0.02);
  g_assert_cmpfloat (look->box[0][1], >, 0.55);
  g_assert_cmpfloat (look->box[0][1], <, 0.9);
  g_assert_cmpfloat_with_epsilon (look->box[1][0], 0.5, 0.02);
  g_assert_cmpfloat (look->box[1][1], <, look->box[0][1]);
  g_assert_cmpfloat (look->box[2][0], ==, 0);
  g_assert_cmpfloat (look->box[2][1], ==, 1);
  g_assert_cmpfloat (get_camera (driver).elevation_deg, ==,
                     before.elevation_deg);
  wait (driver);
  driver_xdotool (driver, "key b");
  driver_assert_state (driver, "look-into-box", "true");
  wait (driver);
  g_assert_cmpfloat (get_camera (driver).look_at[0], >, 0.52);
}

/* Into the box by the key, out of it by the button, and into the middle of the
 * picture. The cut stays a cut. */
static void
test_inside (Driver *driver)
{
  GtkWidget *page, *words;
  guint64 bytes;
  double zoom;
  int x, y;

  n_cols = WIDE;
  enter (driver);
  n_cols = SIDE;
  page = GTK_WIDGET (get_page (driver));
  words = driver_find_in (page, "words_label");
  bytes = tl_scene_count_bytes (get_scene (driver));
  g_assert_cmpuint (tl_scene_get_bin (get_scene (driver)), ==, 2);
  driver_activate (
      driver, "volume-box",
      g_variant_new ("(dddddd)", 0.25, 0.75, 0.25, 0.75, 0.0, 1.0));
  wait (driver);
  driver_xdotool (driver, "key b");
  driver_assert_state (driver, "look-into-box", "true");
  wait (driver);
  g_assert_cmpuint (tl_scene_get_bin (get_scene (driver)), ==, 1);
  g_assert_nonnull (
      strstr (gtk_label_get_text (GTK_LABEL (words)),
              "; columns 50 to 149, rows 50 to 149, slices 0 to"));
  g_assert_cmpfloat (get_camera (driver).zoom, >, 1.1);
  g_assert_cmpuint (tl_scene_count_bytes (get_scene (driver)), >, bytes);
  g_assert_cmpfloat (get_brightness (driver, "volume-inside"), >, 2);
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "volume-inside-box");
  /* parameters live in it */
  driver_xdotool (driver, "key alt+Right");
  wait (driver);
  g_assert_cmpuint (tl_scene_get_bin (get_scene (driver)), ==, 1);

  driver_click (driver, driver_find_in (page, "inside_button"));
  wait (driver);
  driver_assert_state (driver, "look-into-box", "false");
  driver_assert_state (driver, "volume-box",
                       "(0.25, 0.75, 0.25, 0.75, 0.0, 1.0)");
  g_assert_cmpfloat (get_camera (driver).zoom, ==, 1);
  g_assert_cmpuint (tl_scene_count_bytes (get_scene (driver)), ==, bytes);

  driver_activate (driver, "volume-box",
                   g_variant_new ("(dddddd)", 0.0, 1.0, 0.0, 1.0, 0.0, 1.0));
  driver_locate (driver, get_area (driver), 200, 200, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1 key b key b", x, y);
  driver_assert_state (driver, "look-into-box", "false");
  driver_xdotool (driver, "key plus key plus key plus key plus key plus");
  zoom = get_camera (driver).zoom;
  driver_click (driver, driver_find_in (page, "inside_button"));
  wait (driver);
  g_assert_cmpfloat_with_epsilon (
      tl_scene_get_look (get_scene (driver))->box[0][1]
          - tl_scene_get_look (get_scene (driver))->box[0][0],
      1 / zoom, 1e-9);
  g_assert_cmpuint (tl_scene_get_bin (get_scene (driver)), ==, 1);
}

static TlCutPlane
get_cut_plane (Driver *driver)
{
  const TlVolumeLook *look = tl_scene_get_look (get_scene (driver));

  g_assert_cmpuint (look->n_planes, ==, 1);
  return look->planes[0];
}

/* A plane is switched on and off, turned and moved by keys and the mouse. */
static void
test_plane (Driver *driver)
{
  TlVolumeCamera camera;
  TlCutPlane before, after;
  double all, cut;

  enter (driver);
  all = get_brightness (driver, "volume-uncut");
  driver_xdotool (driver, "key c");
  driver_assert_state (driver, "cut-plane", "true");
  wait (driver);
  cut = get_brightness (driver, "volume-plane-facing");
  g_assert_cmpfloat (fabs (cut - all), >, 0.5);
  before = get_cut_plane (driver);
  camera = get_camera (driver);
  driver_xdotool (driver, "key ctrl+Right key ctrl+Right key ctrl+Down");
  after = get_cut_plane (driver);
  g_assert_cmpfloat_with_epsilon (
      before.direction[0] * after.direction[0]
          + before.direction[1] * after.direction[1]
          + before.direction[2] * after.direction[2],
      cos (10 * G_PI / 180) * cos (5 * G_PI / 180), 1e-9);
  before = after;
  driver_xdotool (driver, "key Page_Up key Page_Up");
  after = get_cut_plane (driver);
  g_assert_cmpfloat (after.direction[0], ==, before.direction[0]);
  g_assert_cmpfloat (after.point[1], !=, before.point[1]);
  before = after;
  drag (driver, "keydown ctrl mousedown 1", "mouseup 1 keyup ctrl");
  after = get_cut_plane (driver);
  g_assert_cmpfloat (fabs (after.direction[0] - before.direction[0]), >, 0.01);
  before = after;
  drag (driver, "keydown ctrl keydown shift mousedown 1",
        "mouseup 1 keyup shift keyup ctrl");
  after = get_cut_plane (driver);
  g_assert_cmpfloat_with_epsilon (after.direction[0], before.direction[0],
                                  1e-9);
  g_assert_cmpfloat (after.point[1], !=, before.point[1]);
  g_assert_cmpfloat (get_camera (driver).azimuth_deg, ==, camera.azimuth_deg);
  driver_xdotool (driver, "key 3");
  wait (driver);
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "volume-plane");
  driver_xdotool (driver, "key c");
  driver_assert_state (driver, "cut-plane", "false");
  /* without a plane these keys have their other use */
  driver_xdotool (driver, "key Page_Up");
  driver_assert_state (driver, "slice", "48");
  wait (driver);
  driver_xdotool (driver, "key 1");
  wait (driver);
  g_assert_cmpfloat_with_epsilon (get_brightness (driver, "volume-uncut"), all,
                                  0.05 * all);
}

static gboolean
has_volume_focus (Driver *driver)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver->window));

  return focus == GTK_WIDGET (tl_volume_page_get_area (get_page (driver)));
}

static void
type_threshold (Driver *driver, const char *text)
{
  driver_click (driver, driver_find_in (GTK_WIDGET (get_page (driver)),
                                        "threshold_spin"));
  driver_xdotool (driver, "key ctrl+a type %s", text);
  driver_xdotool (driver, "key Return");
}

/* The volume has its keys again after a menu of its own. "Show All" shows what
 * the plane has cut away, too. A threshold can be typed. */
static void
test_menus (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);
  GtkWidget *page;

  enter (driver);
  page = GTK_WIDGET (get_page (driver));
  driver_click (driver, driver_find_in (page, "box_button"));
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, has_volume_focus, "the keys of the volume");
  driver_xdotool (driver, "key c");
  driver_assert_state (driver, "cut-plane", "true");
  driver_click (driver, driver_find_in (page, "box_button"));
  driver_click (driver, driver_find_in (page, "show_all_button"));
  driver_assert_state (driver, "cut-plane", "false");
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, has_volume_focus, "the keys of the volume");
  driver_click (driver, driver_find_in (page, "way_drop"));
  driver_xdotool (driver, "key Down key Down key Return");
  driver_wait (driver, has_volume_focus, "the keys of the volume");
  driver_assert_state (driver, "volume-way", "'surface'");
  type_threshold (driver, "0.4321"); /* beyond what the slider offers */
  g_assert_cmpfloat_with_epsilon (get_threshold (driver), 0.4321, 1e-9);
  g_assert_cmpstr (tl_view_get_problem (view), ==, NULL);
  type_threshold (driver, "0");
  g_assert_cmpfloat_with_epsilon (get_threshold (driver), 0.4321, 1e-9);
  g_assert_nonnull (tl_view_get_problem (view));
  driver_xdotool (driver, "key Escape");
  type_threshold (driver, "0.004321");
  g_assert_cmpfloat_with_epsilon (get_threshold (driver), 0.004321, 1e-9);
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "volume-threshold");
  g_assert_true (gtk_widget_get_mapped (driver_find_in (page, "unit_label")));
}

static char *saved; /* (nullable): the image that is waited for */

static gboolean
is_saved (Driver *driver)
{
  return g_file_test (saved, G_FILE_TEST_EXISTS);
}

/* The image of the view is that of the widget, with what is drawn over it. */
static void
test_save (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "seen.png", NULL);
  g_autoptr (GError) error = NULL;
  int width, height;
  double brightness;

  enter (driver);
  saved = path;
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.save-view-as",
                              "s", path);
  driver_wait (driver, is_saved, "the image");
  g_autoptr (GdkTexture) image = gdk_texture_new_from_filename (path, &error);
  g_assert_no_error (error);
  width = gdk_texture_get_width (image);
  height = gdk_texture_get_height (image);
  g_assert_cmpint (width, ==, gtk_widget_get_width (get_area (driver)));
  /* the shadow of the window moves its parts by some pixels in the shot */
  brightness = get_brightness (driver, "volume-saved");
  g_assert_cmpfloat_with_epsilon (measure (image, 0, 0, width, height),
                                  brightness, 0.2 * brightness);
  driver_xdotool (driver, "key ctrl+c");
  g_assert_cmpstr (driver_get_toast (driver), ==, "The view is copied");
}

/* The status line says nothing of the slice before. */
static void
test_status (Driver *driver)
{
  GtkWidget *line = driver_find (driver, "status_line");
  g_autofree char *of_slice = NULL;

  enter (driver);
  g_assert_cmpstr (driver_read_label (line, "time_label"), ==, "");
  g_assert_null (
      strstr (driver_read_label (line, "engine_label"), "back-projection"));
  driver_xdotool (driver, "key F2");
  of_slice = tl_status_describe_time (
      tl_display_get_status (driver->session->display));
  g_assert_cmpstr (driver_read_label (line, "time_label"), ==, of_slice);
  g_assert_nonnull (
      strstr (driver_read_label (line, "engine_label"), "back-projection"));
}

/* Without a slice of the present parameters no name is asked for. */
static void
test_save_values (Driver *driver)
{
  enter (driver);
  driver_activate (driver, "centre", g_variant_new_double (get_centre () + 1));
  wait (driver);
  driver_xdotool (driver, "key ctrl+shift+s");
  g_assert_null (driver_find_dialog (driver));
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "There is no slice of the present parameters"));
  driver_activate (driver, "centre", g_variant_new_double (get_centre ()));
  wait (driver);
  driver_send (driver, "key ctrl+shift+s");
  driver_wait (driver, driver_has_dialog, "the dialog");
  driver_send (driver, "key Escape");
  driver_wait (driver, driver_has_no_dialog, "the end of the dialog");
  driver_settle (driver);
}

static void
test_without_scan (Driver *driver)
{
  static const char *const names[] = {
    "volume-way",    "volume-threshold", "volume-transfer", "shape-opacity",
    "volume-box",    "turn-volume",      "look-along",      "reset-volume",
    "look-into-box", "cut-plane",        "turn-plane",      "move-plane"
  };

  driver_assert_disabled (driver, names, G_N_ELEMENTS (names));
  driver_open (driver);
  driver_assert_disabled (driver, names, G_N_ELEMENTS (names));
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { .path = "/ui/volume/without-scan", .function = test_without_scan },
    { .path = "/ui/volume/window", .function = test_window },
    { .path = "/ui/volume/follows", .function = test_follows },
    { .path = "/ui/volume/mouse", .function = test_mouse },
    { .path = "/ui/volume/keys", .function = test_keys },
    { .path = "/ui/volume/scale", .function = test_scale },
    { .path = "/ui/volume/threshold", .function = test_threshold },
    { .path = "/ui/volume/menus", .function = test_menus },
    { .path = "/ui/volume/transfer", .function = test_transfer },
    { .path = "/ui/volume/shapes", .function = test_shapes },
    { .path = "/ui/volume/box", .function = test_box },
    { .path = "/ui/volume/draw-box", .function = test_draw_box },
    { .path = "/ui/volume/inside", .function = test_inside },
    { .path = "/ui/volume/plane", .function = test_plane },
    { .path = "/ui/volume/save", .function = test_save },
    { .path = "/ui/volume/status", .function = test_status },
    { .path = "/ui/volume/save-values", .function = test_save_values },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
