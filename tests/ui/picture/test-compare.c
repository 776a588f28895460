/* A slice held as A is compared with the present slice B: keys, the divider,
 * each mode, and the words of the bar. */
#include "tests/ui/driver.h"
#include "ui/compare/compare-bar.h"
#include "ui/measure/profile-plot.h"

#include <math.h>

/* For a grey on the screen, in steps of 1/255. */
#define GREY_TOLERANCE 1.5

static double
get_number (Driver *driver, const char *action)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (
      G_ACTION_GROUP (driver->application), action);

  return g_variant_get_double (state);
}

static const char *
get_words (Driver *driver)
{
  return driver_read_label (driver_find (driver, "compare_bar"), "words_label");
}

static gboolean
has_held (Driver *driver)
{
  return tl_slice_comparison_get_held (driver->session->comparison) != NULL;
}

static gboolean
has_difference (Driver *driver)
{
  float min, max;
  size_t n;

  return tl_display_get_histogram (driver->session->display, &n, &min, &max)
             != NULL
         && max > min;
}

/* A is the slice as opened, B has another axis. Both have the window 0 to 2. */
static void
begin (Driver *driver)
{
  /* while the bar slides down, the picture moves */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE,
                NULL);
  driver_open (driver);
  driver_activate (driver, "colour-bar", NULL); /* it would cover some pixels */
  driver_activate (driver, "window-low", g_variant_new_double (0));
  driver_activate (driver, "window-high", g_variant_new_double (0.05));
  driver_activate (driver, "hold", NULL);
  driver_wait (driver, has_held, "A");
  driver_activate (driver, "centre", g_variant_new_double (SCAN_CENTRE));
  driver_settle (driver);
}

/* Returns: the green at @x, @y of @widget. The shot shows the whole surface and
 * is a little smaller. */
static double
read_grey_of (Driver *driver, GtkWidget *widget, GdkTexture *shot, double x,
              double y)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (driver->window));
  size_t width = (size_t)gdk_texture_get_width (shot);
  size_t height = (size_t)gdk_texture_get_height (shot);
  g_autofree guchar *pixels = g_malloc (4 * width * height);
  int screen_x, screen_y;

  driver_locate (driver, widget, x, y, &screen_x, &screen_y);
  x = (screen_x + 0.5) * (double)width / gdk_surface_get_width (surface);
  y = (screen_y + 0.5) * (double)height / gdk_surface_get_height (surface);
  gdk_texture_download (shot, pixels, 4 * width);
  return pixels[4 * ((size_t)y * width + (size_t)x) + 1];
}

static double
read_grey (Driver *driver, GdkTexture *shot, double x, double y)
{
  return read_grey_of (driver, GTK_WIDGET (driver->view), shot, x, y);
}

typedef enum
{
  SEES_A,
  SEES_B,
  SEES_DIFFERENCE
} Sees;

static double
get_value (Driver *driver, size_t col, size_t row, Sees sees)
{
  float a, b;

  g_assert_true (
      tl_display_read_compared (driver->session->display, row, col, &a, &b));
  return sees == SEES_A ? a : sees == SEES_B ? b : (double)(b - a);
}

/* @left, @width: the part of the view that the camera covers */
static void
assert_shown (Driver *driver, GdkTexture *shot, size_t col, size_t row,
              double left, double width, Sees sees)
{
  TlView *view = tl_application_get_view (driver->application);
  double scale = tl_slice_view_get_camera (driver->view)->scale;
  double low = tl_view_get_low (view), high = tl_view_get_high (view);
  double value = get_value (driver, col, row, sees);
  double middle_col, middle_row;

  driver_get_middle (driver, &middle_col, &middle_row);
  g_assert_cmpfloat_with_epsilon (
      read_grey (driver, shot,
                 left + width / 2 + ((double)col - middle_col) * scale,
                 gtk_widget_get_height (GTK_WIDGET (driver->view)) / 2.0
                     + ((double)row - middle_row) * scale),
      255 * CLAMP ((value - low) / (high - low), 0, 1), GREY_TOLERANCE);
}

static double
get_width (Driver *driver)
{
  return gtk_widget_get_width (GTK_WIDGET (driver->view));
}

/* --- cases --- */

static void
test_without_scan (Driver *driver)
{
  static const char *const names[] = { "hold", "compare", "next-compare",
                                       "take-a" };

  driver_assert_disabled (driver, names, G_N_ELEMENTS (names));
  driver_open (driver);
  driver_activate (driver, "compare", g_variant_new_string ("swipe"));
  driver_assert_state (driver, "compare", "'off'");
  g_assert_nonnull (tl_window_get_banner (driver->window));
  driver_activate (driver, "compare", g_variant_new_string ("nonsense"));
  driver_assert_state (driver, "compare", "'off'");
}

static void
test_keys (Driver *driver)
{
  static const char *const modes[] = { "'swipe'", "'blink'", "'side-by-side'",
                                       "'difference'", "'off'" };
  static const char *const keys[] = { "F6", "F7", "F8", "F9", "shift+F5" };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_xdotool (driver, "key h");
  driver_assert_state (driver, "hold", "true");
  driver_wait (driver, has_held, "A");
  g_assert_nonnull (strstr (get_words (driver), "the same parameters"));
  driver_xdotool (driver, "key Right");
  driver_activate (driver, "filter", g_variant_new_string ("hann"));
  driver_settle (driver);
  g_assert_cmpstr (get_words (driver), ==,
                   "From A to B: Centre 47.5 → 48.5, Filter Ramp → Hann");
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      driver_xdotool (driver, "key c");
      driver_assert_state (driver, "compare", modes[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      driver_xdotool (driver, "key %s", keys[i]);
      driver_assert_state (driver, "compare", modes[i]);
    }
  driver_xdotool (driver, "key shift+h");
  driver_assert_state (driver, "centre", "47.5");
  driver_assert_state (driver, "filter", "'ramp'");
  driver_xdotool (driver, "key ctrl+z");
  driver_assert_state (driver, "centre", "48.5");
  driver_assert_state (driver, "filter", "'hann'");
  driver_xdotool (driver, "key h");
  driver_assert_state (driver, "hold", "false");
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->application), "take-a"));
  g_assert_null (tl_window_get_banner (driver->window));
}

static void
test_swipe (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;
  double width, middle_col, middle_row, col, row;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  begin (driver);
  driver_xdotool (driver, "key F6");
  width = get_width (driver);
  driver_get_middle (driver, &middle_col, &middle_row);
  driver_locate (driver, GTK_WIDGET (driver->view), width / 2, 100, &x, &y);
  driver_xdotool (driver,
                  "mousemove %d %d mousedown 1 mousemove %d %d mousemove %d %d "
                  "mouseup 1",
                  x, y, x + 30, y + 7, x + 60, y + 20);
  g_assert_cmpfloat_with_epsilon (get_number (driver, "swipe"),
                                  0.5 + 60 / width, 1.5 / width);
  /* the picture has not moved */
  driver_get_middle (driver, &col, &row);
  g_assert_cmpfloat (col, ==, middle_col);
  g_assert_cmpfloat (row, ==, middle_row);
  shot = driver_shoot (driver, "compare-swipe");
  for (size_t k = 0; k < 90; k += 10)
    assert_shown (
        driver, shot, 4 + k, 40, 0, width,
        width / 2
                    + ((double)k + 4 - col)
                          * tl_slice_view_get_camera (driver->view)->scale
                < get_number (driver, "swipe") * width
            ? SEES_A
            : SEES_B);

  /* the divider has the focus, so the arrow keys move it */
  driver_xdotool (driver, "key Home key Right key Right key shift+Right");
  g_assert_cmpfloat_with_epsilon (get_number (driver, "swipe"), 0.12, 1e-9);
  driver_activate (driver, "swipe", g_variant_new_double (NAN));
  g_assert_cmpfloat_with_epsilon (get_number (driver, "swipe"), 0.12, 1e-9);
  driver_assert_state (driver, "centre", "46.25");
  driver_xdotool (driver, "key shift+F5 key Right");
  driver_assert_state (driver, "centre", "47.25");
}

static void
test_pinch (Driver *driver)
{
  double width, half, col, row, col_after, row_after;

  begin (driver);
  driver_activate (driver, "compare", g_variant_new_string ("side-by-side"));
  driver_settle (driver);
  width = get_width (driver);
  half = floor (width / 2);
  driver_get_middle (driver, &col, &row);
  /* zooms about the middle of B's half, which stays in place */
  tl_slice_view_move (driver->view, 1.5, width - half / 2,
                      gtk_widget_get_height (GTK_WIDGET (driver->view)) / 2.0,
                      0, 0);
  driver_get_middle (driver, &col_after, &row_after);
  g_assert_cmpfloat_with_epsilon (col_after, col, 0.1);
  g_assert_cmpfloat_with_epsilon (row_after, row, 0.1);
}

static void
test_side_by_side (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;
  g_autofree char *left = NULL;
  g_autofree char *right = NULL;
  double width, half;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  begin (driver);
  driver_xdotool (driver, "key F8");
  width = get_width (driver);
  half = floor (width / 2);
  /* over the left half the wheel zooms both halves */
  driver_locate (driver, GTK_WIDGET (driver->view), half / 2, 300, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 4", x, y);
  left = driver_dup_readout (driver);
  driver_xdotool (driver, "mousemove %d %d", x + (int)(width - half), y);
  right = driver_dup_readout (driver);
  g_assert_nonnull (strstr (left, " · A "));
  g_assert_nonnull (strstr (left, " · B "));
  g_assert_true (g_str_has_suffix (left, " 1/cm"));
  g_assert_cmpstr (left, ==, right);
  shot = driver_shoot (driver, "compare-side-by-side");
  for (size_t k = 30; k < 60; k += 7)
    {
      assert_shown (driver, shot, k, 33, 0, half, SEES_A);
      assert_shown (driver, shot, k, 33, width - half, half, SEES_B);
    }
}

static gboolean
sees_a (Driver *driver)
{
  g_autofree char *state = driver_get_state (driver, "blink-a");

  return *state == 't';
}

static gboolean
sees_b (Driver *driver)
{
  return !sees_a (driver);
}

static void
test_blink (Driver *driver)
{
  g_autoptr (GdkTexture) shot_a = NULL;
  g_autoptr (GdkTexture) shot_b = NULL;
  gint64 start;

  if (driver_lacks ("xdotool"))
    return;
  begin (driver);
  driver_activate (driver, "blink-ms", g_variant_new_uint32 (0));
  driver_xdotool (driver, "key b");
  driver_assert_state (driver, "compare", "'blink'");
  driver_assert_state (driver, "blink-a", "true");
  driver_xdotool (driver, "key shift+F5");
  driver_assert_state (driver, "blink-a", "false");
  driver_xdotool (driver, "key F7");
  driver_assert_state (driver, "blink-a", "false");
  shot_b = driver_shoot (driver, "compare-blink-b");
  assert_shown (driver, shot_b, 40, 33, 0, get_width (driver), SEES_B);
  driver_xdotool (driver, "key b");
  driver_assert_state (driver, "blink-a", "true");
  shot_a = driver_shoot (driver, "compare-blink-a");
  assert_shown (driver, shot_a, 40, 33, 0, get_width (driver), SEES_A);

  /* blinks no faster than the interval, and slower on a loaded machine */
  start = g_get_monotonic_time ();
  driver_activate (driver, "blink-ms", g_variant_new_uint32 (150));
  for (guint turn = 0; turn < 2; turn++)
    {
      driver_wait (driver, sees_b, "B");
      driver_wait (driver, sees_a, "A");
    }
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 4 * 149 * 1000);
}

/* The difference has a window of its own about 0, independent of the
 * slice's. */
static void
test_difference (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;
  TlView *view = tl_application_get_view (driver->application);
  double low, high;

  if (driver_lacks ("xdotool"))
    return;
  begin (driver);
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  driver_xdotool (driver, "key F9");
  driver_wait (driver, has_difference, "the difference");
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_high (view), >, 0);
  g_assert_cmpfloat (tl_view_get_low (view), ==, -tl_view_get_high (view));
  g_assert_cmpfloat (tl_view_get_high (view), !=, high);
  driver_assert_state (driver, "follow", "true");
  shot = driver_shoot (driver, "compare-difference");
  for (size_t k = 20; k < 80; k += 7)
    assert_shown (driver, shot, k, 40, 0, get_width (driver), SEES_DIFFERENCE);
  /* a window set by hand stays, and the slice's window returns afterwards */
  driver_activate (driver, "window-high", g_variant_new_double (0.5));
  driver_activate (driver, "centre", g_variant_new_double (45));
  driver_settle (driver);
  driver_assert_state (driver, "window-high", "0.5");
  driver_xdotool (driver, "key shift+F5");
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
  driver_xdotool (driver, "key F9");
  driver_assert_state (driver, "window-high", "0.5");
  driver_xdotool (driver, "key Escape");
  driver_assert_state (driver, "compare", "'off'");
}

/* In each mode the bar fits into a small window and does not move the
 * picture. */
static void
test_fits_small_window (Driver *driver)
{
  int minimum, height;

  begin (driver);
  height = gtk_widget_get_height (GTK_WIDGET (driver->view));
  for (guint i = 0; i < TL_N_COMPARE_MODES; i++)
    {
      driver_activate (driver, "compare",
                       g_variant_new_string (tl_compare_mode_names[i]));
      driver_settle (driver);
      gtk_widget_measure (GTK_WIDGET (driver->window),
                          GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                          NULL);
      g_test_message ("%s: %d", tl_compare_mode_names[i], minimum);
      g_assert_cmpint (minimum, <=, 1024);
      gtk_widget_measure (GTK_WIDGET (driver->window), GTK_ORIENTATION_VERTICAL,
                          -1, &minimum, NULL, NULL, NULL);
      g_assert_cmpint (minimum, <=, 700);
      g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (driver->view)), ==,
                       height);
    }
}

/* The bar names a different slice number. Sinogram and projection have no A. */
static void
test_other_slice (Driver *driver)
{
  TlSliceComparison *comparison = driver->session->comparison;
  g_autoptr (GdkTexture) shot = NULL;

  if (driver_lacks ("xdotool"))
    return;
  begin (driver);
  driver_xdotool (driver, "key F6 key Prior");
  g_assert_nonnull (strstr (get_words (driver), "Slice 2 → 3"));
  shot = driver_shoot (driver, "compare-slices");
  driver_xdotool (driver, "key F3");
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_OFF);
  driver_xdotool (driver, "key F2");
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_SWIPE);
  driver_open (driver);
  driver_assert_state (driver, "compare", "'swipe'");
}

static GtkWidget *
get_plot (Driver *driver)
{
  return driver_find_in (driver_find (driver, "profile_panel"), "plot");
}

static char *
describe_profile (Driver *driver)
{
  return tl_profile_plot_describe (TL_PROFILE_PLOT (get_plot (driver)));
}

static gboolean
has_profile (Driver *driver)
{
  GtkWidget *plot = get_plot (driver);

  return gtk_widget_get_mapped (plot) && gtk_widget_get_width (plot) > 200;
}

/* Takes the values of @profile in the middle of the plot away. */
static void
remove_values (const TlProfile *profile)
{
  for (size_t i = profile->n / 2 - 2; i <= profile->n / 2 + 2; i++)
    profile->values[i] = NAN;
}

/* "Outside" is where neither curve is. */
static void
check_outside (Driver *driver)
{
  TlMeasure *measure =
      g_object_get_data (G_OBJECT (get_plot (driver)), "TlMeasure");
  const TlProfile *held = tl_measure_get_held_profile (measure);

  remove_values (held);
  g_autofree char *without_a = describe_profile (driver);
  g_assert_nonnull (strstr (without_a, " A – · B "));
  g_assert_null (strstr (without_a, "B –"));
  remove_values (tl_measure_get_profile (measure));
  g_autofree char *without_both = describe_profile (driver);
  g_assert_cmpstr (without_both, ==, "outside the picture");
  for (size_t i = 0; i < held->n; i++)
    held->values[i] = 0;
  g_autofree char *without_b = describe_profile (driver);
  g_assert_nonnull (strstr (without_b, " A 0 · B – "));
}

/* Returns: whether something is drawn right of the unit of the values */
static gboolean
has_legend (Driver *driver, const char *name)
{
  g_autoptr (GdkTexture) shot = driver_shoot (driver, name);
  double least = INFINITY, most = 0;

  for (double x = 80; x < 135; x++)
    {
      const double grey = read_grey_of (driver, get_plot (driver), shot, x, 7);

      least = fmin (least, grey);
      most = fmax (most, grey);
    }
  return most - least > 50;
}

/* In a narrow plot the read-out takes the place of the legend. */
static void
check_legend (Driver *driver)
{
  GtkWidget *plot = get_plot (driver);
  int x, y;

  gtk_widget_set_halign (plot, GTK_ALIGN_START);
  gtk_widget_set_size_request (plot, 400, 150);
  driver_settle (driver);
  driver_locate (driver, GTK_WIDGET (driver->view), 10, 10, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  g_assert_true (has_legend (driver, "compare-profile-legend"));
  driver_locate (driver, plot, 200, 60, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  g_assert_false (has_legend (driver, "compare-profile-narrow"));
}

/* Where A and B are both shown, so are their profiles; a difference has one of
 * its own. */
static void
test_profile (Driver *driver)
{
  static const char *const modes[] = { "swipe", "side-by-side", "blink",
                                       "difference", "off" };
  GtkWidget *plot;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  begin (driver);
  driver_activate (driver, "profile", NULL);
  driver_wait (driver, has_profile, "the plot");
  driver_settle (driver);
  plot = get_plot (driver);
  driver_locate (driver, plot, gtk_widget_get_width (plot) / 2.0, 60, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autofree char *name = g_strconcat ("compare-profile-", modes[i], NULL);
      g_autofree char *words = NULL;

      driver_activate (driver, "compare", g_variant_new_string (modes[i]));
      driver_settle (driver);
      words = describe_profile (driver);
      g_assert_nonnull (words);
      g_assert_cmpint (strstr (words, " A ") != NULL, ==, i < 3);
      g_assert_cmpint (strstr (words, " B ") != NULL, ==, i < 3);
      driver_shoot_both (driver, GTK_WIDGET (driver->window), name);
    }
  driver_activate (driver, "compare", g_variant_new_string ("swipe"));
  driver_settle (driver);
  check_outside (driver);
  check_legend (driver);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/compare/without-scan", test_without_scan },
    { "/ui/compare/keys", test_keys },
    { "/ui/compare/swipe", test_swipe },
    { "/ui/compare/side-by-side", test_side_by_side },
    { "/ui/compare/pinch", test_pinch },
    { "/ui/compare/blink", test_blink },
    { "/ui/compare/difference", test_difference },
    { "/ui/compare/fits-small-window", test_fits_small_window },
    { "/ui/compare/other-slice", test_other_slice },
    { "/ui/compare/profile", test_profile },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
