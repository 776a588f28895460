/* The side panel, driven with mouse and keyboard. */
#include "tests/ui/driver.h"

#include "app/axis/centre-search.h"
#include "ui/desktop/recent.h"
#include "ui/window/status-text.h"

/* A drag ends on a whole pixel of the screen. On the axis's scale one such
 * pixel is about one column, so twice that is an error. */
#define SCALE_TOLERANCE (2.0 * SCAN_COLS / 100)
/* Part of the range of the values, after a drag of whole pixels. */
#define WINDOW_TOLERANCE 1e-3

/* The spin button shows two decimals of the axis. */
#define CENTRE_TOLERANCE 0.0051

/* Margin at the ends of the histogram, in which a handle can still be
 * grabbed. */
#define HISTOGRAM_MARGIN 6.0

/* Returns: (nullable) */
static GtkAdjustment *
get_scrolling (GtkWidget *widget)
{
  GtkWidget *scrolled =
      gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);

  return scrolled != NULL ? gtk_scrolled_window_get_vadjustment (
             GTK_SCROLLED_WINDOW (scrolled))
                          : NULL;
}

static void
scroll_down (Driver *driver, GtkWidget *widget)
{
  GtkAdjustment *down = get_scrolling (widget);

  if (down != NULL) /* else it is always in view */
    gtk_adjustment_set_value (down, gtk_adjustment_get_upper (down));
  driver_settle (driver);
}

/* Clicks the middle of @widget. @button 4 is the wheel up, 5 the wheel down. */
static void
click (Driver *driver, GtkWidget *widget, int n, int button)
{
  int x, y;

  driver_locate (driver, widget, gtk_widget_get_width (widget) / 3.0,
                 gtk_widget_get_height (widget) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click --repeat %d %d", x, y, n,
                  button);
}

/* Drags along the middle of @widget from @x on. GTK keeps only the last
 * movement between two frames, so a pause separates two movements. */
static void
drag (Driver *driver, GtkWidget *widget, double x, int dx)
{
  int screen_x, screen_y;

  driver_locate (driver, widget, x, gtk_widget_get_height (widget) / 2.0,
                 &screen_x, &screen_y);
  driver_xdotool (driver, "mousemove %d %d mousedown 1 mousemove %d %d",
                  screen_x, screen_y, screen_x + dx / 2, screen_y);
  driver_xdotool (driver, "mousemove %d %d mouseup 1", screen_x + dx, screen_y);
}

/* The handles follow the pointer, also beyond the values of the picture. */
static void
test_histogram (Driver *driver)
{
  GtkWidget *histogram = driver_find (driver, "histogram");
  TlView *view = tl_application_get_view (driver->application);
  double low, high, width, per_x;
  g_autoptr (GdkTexture) shot = NULL;
  float min, max;
  size_t n;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  scroll_down (driver, histogram);
  g_assert_nonnull (
      tl_display_get_histogram (driver->session->display, &n, &min, &max));
  width = gtk_widget_get_width (histogram) - 2 * HISTOGRAM_MARGIN;
  per_x = ((double)max - min) / width;
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  drag (driver, histogram, HISTOGRAM_MARGIN + (high - min) / per_x, -30);
  g_assert_cmpfloat_with_epsilon (tl_view_get_high (view), high - 30 * per_x,
                                  WINDOW_TOLERANCE * (max - min));
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  drag (driver, histogram, HISTOGRAM_MARGIN + (low - min) / per_x, -300);
  g_assert_cmpfloat_with_epsilon (tl_view_get_low (view), low - 300 * per_x,
                                  WINDOW_TOLERANCE * (max - min));
  g_assert_cmpfloat_with_epsilon (tl_view_get_high (view), high - 30 * per_x,
                                  WINDOW_TOLERANCE * (max - min));
  shot = driver_shoot (driver, "histogram");
}

/* A drag between the handles moves both. Typed numbers stay when the slice
 * changes. Reset restores the automatic window. */
static void
test_window_range (Driver *driver)
{
  GtkWidget *histogram = driver_find (driver, "histogram");
  TlView *view = tl_application_get_view (driver->application);
  double low, high, first_low, first_high, per_x, x;
  int screen_x, screen_y;
  float min, max;
  size_t n;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  first_low = low = tl_view_get_low (view);
  first_high = high = tl_view_get_high (view);
  gtk_widget_grab_focus (
      driver_find (driver, "window_high_spin")); /* scrolls to it */
  driver_settle (driver);
  g_assert_nonnull (
      tl_display_get_histogram (driver->session->display, &n, &min, &max));
  per_x = ((double)max - min)
          / (gtk_widget_get_width (histogram) - 2 * HISTOGRAM_MARGIN);
  x = HISTOGRAM_MARGIN + ((low + high) / 2 - min) / per_x;
  driver_locate (driver, histogram, x, 30, &screen_x, &screen_y);
  driver_xdotool (driver, "mousemove %d %d mousedown 1", screen_x, screen_y);
  driver_xdotool (driver, "mousemove %d %d", screen_x + 5, screen_y);
  driver_xdotool (driver, "mousemove %d %d mouseup 1", screen_x + 12, screen_y);
  g_assert_cmpfloat_with_epsilon (tl_view_get_low (view), low + 12 * per_x,
                                  WINDOW_TOLERANCE * (max - min));
  g_assert_cmpfloat_with_epsilon (tl_view_get_high (view), high + 12 * per_x,
                                  WINDOW_TOLERANCE * (max - min));
  driver_activate (driver, "window-low", g_variant_new_double (0.001));
  driver_activate (driver, "window-high", g_variant_new_double (0.002));
  driver_activate (driver, "slice", g_variant_new_uint32 (0));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_low (view), ==, 0.001);
  g_assert_cmpfloat (tl_view_get_high (view), ==, 0.002);
  driver_activate (driver, "slice", g_variant_new_uint32 (2));
  driver_activate (driver, "bright-percent", g_variant_new_double (20));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_high (view), <, first_high);
  driver_activate (driver, "window-reset", NULL);
  g_assert_cmpfloat (tl_view_get_low (view), ==, first_low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, first_high);
}

static void
assert_shown (Driver *driver, const char *unit, double low)
{
  const char *text = gtk_editable_get_text (
      GTK_EDITABLE (driver_find (driver, "window_low_spin")));

  g_assert_cmpstr (
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "window_unit"))), ==,
      unit);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (text, NULL), low, 1e-9);
}

/* The window is shown and typed in the unit of the colour bar. A longer unit
 * leaves the panel as it is: otherwise the picture would jump. */
static void
test_window_unit (Driver *driver)
{
  GtkWidget *spin = driver_find (driver, "window_low_spin");
  GtkWidget *picture = GTK_WIDGET (driver->view);
  TlView *view = tl_application_get_view (driver->application);
  int width;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  width = gtk_widget_get_width (picture);
  driver_activate (driver, "window-high", g_variant_new_double (0.05));
  driver_activate (driver, "window-low", g_variant_new_double (0.01));
  assert_shown (driver, "1/cm", 100); /* of the file: 1 µm */
  driver_activate (driver, "pixel-size", g_variant_new_double (2));
  driver_settle (driver);
  assert_shown (driver, "1/cm", 50);
  gtk_widget_grab_focus (spin);
  driver_xdotool (driver, "key ctrl+a type 75");
  driver_xdotool (driver, "key Return");
  g_assert_cmpfloat_with_epsilon (tl_view_get_low (view), 0.015, 1e-9);
  assert_shown (driver, "1/cm", 75);
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "window-unit");
  driver_activate (driver, "view", g_variant_new_string ("sinogram"));
  driver_settle (driver);
  g_assert_cmpstr (
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "window_unit"))), ==,
      "−ln(I/I₀)");
  g_assert_cmpint (gtk_widget_get_width (picture), ==, width);
}

/* A spin button shows a rounded number, and the value keeps its digits. */
static void
test_rounded_value (Driver *driver)
{
  GtkWidget *spin = driver_find (driver, "centre_spin");
  TlView *view = tl_application_get_view (driver->application);
  double low, high;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  driver_activate (driver, "centre", g_variant_new_double (46.126));
  gtk_widget_grab_focus (spin);
  driver_xdotool (driver, "key Tab");
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     46.126);
  gtk_widget_grab_focus (driver_find (driver, "window_low_spin"));
  driver_xdotool (driver, "key Tab key Tab");
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
}

static gint64 pause_ends_us;

static gboolean
is_pause_over (Driver *driver)
{
  return g_get_monotonic_time () > pause_ends_us;
}

/* Longer than the time within which changes become one undo step. */
static void
pause_drag (Driver *driver)
{
  pause_ends_us = g_get_monotonic_time () + 12 * G_USEC_PER_SEC / 10;
  driver_wait (driver, is_pause_over, "a pause in a drag");
}

static void
drag_slowly (Driver *driver, GtkWidget *widget, int dx)
{
  int x, y;

  driver_locate (driver, widget, gtk_widget_get_width (widget) / 2.0,
                 gtk_widget_get_height (widget) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d mousedown 1", x, y);
  driver_xdotool (driver, "mousemove %d %d", x + dx / 2, y);
  pause_drag (driver);
  driver_xdotool (driver, "mousemove %d %d mouseup 1", x + dx, y);
}

/* A drag from press to release is one undo step, and two drags are two
 * steps. */
static void
test_drag_steps (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *strip = driver_find (driver, "centre_strip");
  GtkWidget *view = GTK_WIDGET (driver->view);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  drag_slowly (driver, strip, 20);
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==, 1);
  drag (driver, strip, gtk_widget_get_width (strip) / 2.0, 10);
  drag (driver, strip, gtk_widget_get_width (strip) / 2.0, 10);
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==, 3);
  driver_xdotool (driver, "keydown ctrl");
  drag_slowly (driver, view, 30);
  driver_xdotool (driver, "keyup ctrl");
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==, 4);
  drag_slowly (driver, driver_find (driver, "centre_scale"), -30);
  g_assert_cmpuint (
      tl_history_get_present (tl_parameters_get_history (parameters)), ==, 5);
}

static void
test_scale (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *scale = driver_find (driver, "centre_scale");
  double width = gtk_widget_get_width (scale);
  double before, after;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  before = tl_parameters_get_centre (parameters);
  drag (driver, scale, width / 2, (int)(-width / 4));
  after = tl_parameters_get_centre (parameters);
  g_assert_cmpfloat (after, <, before - SCAN_COLS / 5.0);
  g_assert_cmpfloat (after, >, before - SCAN_COLS / 2.5);
  /* the strip has the same keys as the field beside it */
  driver_xdotool (driver, "key Right key shift+Right key ctrl+Left");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  after + 1.09, 0.0051);
}

/* An underscore in the file name is not taken for a mnemonic. */
static void
test_recent (Driver *driver)
{
  g_autoptr (GMenu) menu = NULL;
  g_autofree char *label = NULL;
  g_autofree char *path = g_build_filename (driver->folder, "a_b_c.h5", NULL);
  g_autoptr (GVariant) none = g_variant_ref_sink (
      g_variant_new_array (G_VARIANT_TYPE ("{ss}"), NULL, 0));

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  tl_recent_add (path, none);
  menu = tl_recent_build_menu ();
  g_assert_true (g_menu_model_get_item_attribute (
      G_MENU_MODEL (menu), 0, G_MENU_ATTRIBUTE_LABEL, "s", &label));
  g_assert_true (g_str_has_prefix (label, "a__b__c.h5 — tomolens-ui-"));
}

/* Over a control without the focus the wheel scrolls the panel. */
static void
test_wheel (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  static const char *const names[] = { "slice_spin", "centre_spin",
                                       "centre_scale" };
  GtkAdjustment *down = get_scrolling (driver_find (driver, "centre_spin"));
  double centre;

  if (driver_lacks ("xdotool"))
    return;
  gtk_expander_set_expanded (
      GTK_EXPANDER (driver_find (driver, "view_expander")), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 900, 660);
  driver_open (driver);
  gtk_window_set_focus (GTK_WINDOW (driver->window), NULL);
  centre = tl_parameters_get_centre (parameters);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gtk_adjustment_set_value (down, 0);
      driver_settle (driver);
      click (driver, driver_find (driver, names[i]), 1, 5);
      g_assert_cmpfloat (gtk_adjustment_get_value (down), >, 0);
      g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, centre);
      g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 2);
    }
  /* a control with the focus is moved by its step */
  gtk_adjustment_set_value (down, 0);
  gtk_widget_grab_focus (driver_find (driver, "centre_scale"));
  driver_settle (driver);
  click (driver, driver_find (driver, "centre_scale"), 2, 4);
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  centre + 2, CENTRE_TOLERANCE);
  gtk_widget_grab_focus (driver_find (driver, "centre_spin"));
  click (driver, driver_find (driver, "centre_spin"), 1, 5);
  driver_xdotool (driver, "keydown shift click 4 keyup shift");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  centre + 1.1, CENTRE_TOLERANCE);
}

static void
assert_rings (Driver *driver, const char *state, const char *row_seen)
{
  static const char *const rows[] = { "ring_size_spin", "ring_levels_spin" };
  g_autofree char *rings = driver_get_state (driver, "rings");
  g_autofree char *on = driver_get_state (driver, "remove-rings");

  g_assert_cmpstr (rings, ==, state);
  g_assert_cmpstr (on, ==, g_str_equal (state, "'off'") ? "false" : "true");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpint (gtk_widget_get_visible (driver_find (driver, rows[i])), ==,
                     g_strcmp0 (rows[i], row_seen) == 0);
}

static float
get_max (Driver *driver)
{
  float min, max;
  size_t n;

  g_assert_nonnull (
      tl_display_get_histogram (driver->session->display, &n, &min, &max));
  return max;
}

/* Switches the corrections off and on again. Each keeps its method and its
 * values, and the picture changes each time. */
static void
test_corrections (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;
  g_autofree char *size = NULL;
  float was;

  driver_open (driver);
  was = get_max (driver);
  assert_rings (driver, "'off'", NULL);
  driver_activate (driver, "remove-rings", NULL);
  assert_rings (driver, "'sorting'", "ring_size_spin");
  gtk_spin_button_set_value (
      GTK_SPIN_BUTTON (driver_find (driver, "ring_size_spin")), 5);
  driver_settle (driver);
  g_assert_cmpfloat (get_max (driver), !=, was);
  gtk_drop_down_set_selected (
      GTK_DROP_DOWN (driver_find (driver, "rings_drop")), 2);
  driver_settle (driver);
  assert_rings (driver, "'wavelet'", "ring_levels_spin");
  shot = driver_shoot (driver, "artefacts");
  driver_activate (driver, "remove-rings", NULL);
  driver_settle (driver);
  assert_rings (driver, "'off'", NULL);
  g_assert_cmpfloat (get_max (driver), ==, was);
  driver_activate (driver, "remove-rings", NULL);
  assert_rings (driver, "'wavelet'", "ring_levels_spin");
  size = driver_get_state (driver, "ring-size");
  g_assert_cmpstr (size, ==, "5");
}

/* The value is there whether rings are removed or not, changes the picture and
 * is undone as one step. */
static void
test_beam_hardening (Driver *driver)
{
  GtkWidget *spin;
  float was;

  driver_open (driver);
  was = get_max (driver);
  spin = driver_find (driver, "beam_hardening_spin");
  g_assert_true (gtk_widget_get_mapped (spin));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), 0.1);
  driver_settle (driver);
  g_assert_cmpfloat (get_max (driver), >, was);
  driver_activate (driver, "undo", NULL);
  driver_settle (driver);
  g_assert_cmpfloat (get_max (driver), ==, was);
  g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (spin)), ==, 0);
}

/* The Tab key skips folded controls, and GTK does not warn. */
static void
test_folded_sections (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_xdotool (driver, "key ctrl+Left key ctrl+Right key ctrl+Up");
}

/* Each long step has a name for the user, different from the engine's name. */
static void
test_progress_names (Driver *driver)
{
  const TlStatus status = { .frame_ms = 9, .slow_ms = 5, .slow_step = "tilt" };
  const TlStatus fourier = { .kernel = "host-fourier",
                             .is_fourier = TRUE,
                             .frame_ms = 900,
                             .slow_ms = 5,
                             .slow_step = "back-project",
                             .backproject_ms = 5 };
  g_autofree char *time = tl_status_describe_time (&status);
  g_autofree char *fourier_time = tl_status_describe_time (&fourier);
  g_autofree char *steps = tl_status_describe_steps (&fourier);

  g_assert_cmpstr (time, ==, "9.0 ms, 5.0 of them tilt correction");
  g_assert_cmpstr (fourier_time, ==, "900.0 ms, 5.0 of them Fourier method");
  g_assert_nonnull (strstr (steps, "Fourier method 5.00 ms"));
}

/* Returns: whether the whole of the widget is in view without scrolling */
static gboolean
is_in_view (Driver *driver, const char *name)
{
  GtkWidget *widget = driver_find (driver, name);
  GtkWidget *scrolled =
      gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
  GtkWidget *frame = scrolled != NULL ? scrolled : GTK_WIDGET (driver->window);
  graphene_rect_t bounds;

  return gtk_widget_get_mapped (widget)
         && gtk_widget_compute_bounds (widget, frame, &bounds)
         && bounds.origin.y >= 0
         && bounds.origin.y + bounds.size.height
                <= gtk_widget_get_height (frame);
}

static void
assert_in_view (Driver *driver, const char *const *names)
{
  for (; *names != NULL; names++)
    if (!is_in_view (driver, *names))
      g_error ("%s has to be scrolled to", *names);
}

static void
assert_refused (Driver *driver, const char *action, double value)
{
  g_autofree char *before = driver_get_state (driver, action);

  driver_activate (driver, action, g_variant_new_double (value));
  driver_settle (driver);
  driver_assert_state (driver, action, before);
  g_assert_nonnull (tl_window_get_banner (driver->window));
  g_assert_null (strchr (tl_window_get_banner (driver->window), '\n'));
  driver_activate (driver, "dismiss", NULL);
  driver_settle (driver);
}

/* What the bus may send, and no control would. */
static void
test_out_of_range (Driver *driver)
{
  static const char *const actions[] = { "pixel-size", "window-low",
                                         "window-high" };
  static const double values[] = { 1e308, NAN, INFINITY };

  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    for (guint k = 0; k < G_N_ELEMENTS (values); k++)
      assert_refused (driver, actions[i], values[k]);
  /* the widest window that there is */
  driver_activate (driver, "window-low", g_variant_new_double (-1e30));
  driver_activate (driver, "window-high", g_variant_new_double (1e30));
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));
}

static double
get_top (Driver *driver, const char *name)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (
      driver_find (driver, name), GTK_WIDGET (driver->window), &bounds));
  return bounds.origin.y;
}

static gboolean
has_searched (Driver *driver)
{
  const TlCentreSearchState state = tl_centre_search_get_state (
      tl_session_get_centre_search (driver->session));

  return state == TL_CENTRE_SEARCH_IDLE || state == TL_CENTRE_SEARCH_DONE;
}

/* The title bar has room for a large scan's slice and centre. */
static void
assert_whole_subtitle (Driver *driver)
{
  GtkLabel *subtitle = GTK_LABEL (driver_find (driver, "subtitle_label"));

  gtk_label_set_text (subtitle, "slice 1023 · centre 1023.276");
  driver_settle (driver);
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (subtitle)));
}

/* What is used every minute is in view at once, folded as delivered, before the
 * axis is looked for and with its estimates. What lies below does not move
 * then.
 */
static void
test_fits (Driver *driver)
{
  static const char *const folds[] = { "scan_expander", "estimates_expander",
                                       "flat_expander", "view_expander" };
  static const char *const wanted[] = { "slice_spin",
                                        "centre_spin",
                                        "centre_estimates",
                                        "filter_drop",
                                        "cutoff_scale",
                                        "zingers_check",
                                        "phase_check",
                                        "rings_drop",
                                        "histogram",
                                        "window_low_spin",
                                        "window_high_spin",
                                        "colormap_drop",
                                        NULL };
  static const int sizes[][2] = { { 1024, 700 }, { 1280, 900 } };

  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (folds); i++)
    gtk_expander_set_expanded (GTK_EXPANDER (driver_find (driver, folds[i])),
                               FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *name = g_strdup_printf ("panel-%d", sizes[i][0]);

      gtk_window_set_default_size (GTK_WINDOW (driver->window), sizes[i][0],
                                   sizes[i][1]);
      driver_settle (driver);
      const double top = get_top (driver, "filter_drop");
      driver_activate (driver, "find-centre", NULL);
      driver_settle (driver);
      driver_wait (driver, has_searched, "the axis");
      driver_settle (driver);
      g_assert_cmpfloat (get_top (driver, "filter_drop"), ==, top);
      driver_shoot_both (driver, GTK_WIDGET (driver->window), name);
      assert_in_view (driver, wanted);
      assert_whole_subtitle (driver);
    }
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/panel/fits", test_fits },
    { "/ui/panel/out-of-range", test_out_of_range },
    { "/ui/panel/histogram", test_histogram },
    { "/ui/panel/progress-names", test_progress_names },
    { "/ui/panel/window-range", test_window_range },
    { "/ui/panel/window-unit", test_window_unit },
    { "/ui/panel/rounded-value", test_rounded_value },
    { "/ui/panel/drag-steps", test_drag_steps },
    { "/ui/panel/scale", test_scale },
    { "/ui/panel/wheel", test_wheel },
    { "/ui/panel/corrections", test_corrections },
    { "/ui/panel/beam-hardening", test_beam_hardening },
    { "/ui/panel/recent", test_recent },
    { "/ui/panel/folded-sections", test_folded_sections },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
