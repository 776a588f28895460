/* The page "Axis over the height", by mouse and keyboard. */
#include "tests/ui/driver.h"

#include "data/phantom/phantom.h"

#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 60,
  N_COLS = 96
};

#define TILT_DEG 1.2
#define CENTRE 49.3

static TlAxisMap *
get_map (Driver *driver)
{
  return tl_session_get_axis_map (driver->session);
}

static TlAxisPage *
get_page (Driver *driver)
{
  return tl_pages_get_axis_page (driver_get_pages (driver));
}

static TlAxisPlot *
get_plot (Driver *driver)
{
  return tl_axis_page_get_plot (get_page (driver));
}

static gboolean
is_measured (Driver *driver)
{
  gboolean busy;

  g_object_get (get_map (driver), "busy", &busy, NULL);
  return !busy && tl_axis_map_get_line (get_map (driver)) != NULL;
}

static void
open_leaning (Driver *driver, double tilt_deg)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, 90, N_ROWS, N_COLS);
  scan.tilt_deg = tilt_deg;
  scan.centre_col = CENTRE;
  scan.noise_counts = 20000;
  g_free (driver->scan);
  driver->scan = g_build_filename (driver->folder, "leaning.h5", NULL);
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  driver_open (driver);
}

static void
show_tilted (Driver *driver, double tilt_deg)
{
  open_leaning (driver, tilt_deg);
  driver_xdotool (driver, "key a");
  driver_assert_state (driver, "view", "'axis'");
  driver_wait (driver, is_measured, "all rows to be known");
  driver_settle (driver);
}

static void
show (Driver *driver)
{
  show_tilted (driver, TILT_DEG);
}

/* Gets the position on the screen where the axis is drawn in @row. */
static void
locate (Driver *driver, double row, double col, int *x, int *y)
{
  double own_x, own_y;

  g_assert_true (
      tl_axis_plot_get_place (get_plot (driver), row, col, &own_x, &own_y));
  driver_locate (driver, GTK_WIDGET (get_plot (driver)), own_x, own_y, x, y);
}

static double
get_number (Driver *driver, const char *action)
{
  g_autofree char *text = driver_get_state (driver, action);

  return g_ascii_strtod (text, NULL);
}

static double
get_column_width (Driver *driver)
{
  double x[2], y;

  for (int k = 0; k < 2; k++)
    g_assert_true (
        tl_axis_plot_get_place (get_plot (driver), 3, 49 + k, &x[k], &y));
  return x[1] - x[0];
}

/* Enter accepts the line. The rows are measured again with it, and one undo
 * reverts it. */
static void
test_accept (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  show (driver);
  const char *words = driver_read_label (get_page (driver), "words_label");
  g_test_message ("%s", words);
  g_assert_nonnull (strstr (words, "of 32 rows"));
  g_assert_nonnull (strstr (
      driver_read_label (get_page (driver), "stage_label"), ", roll by "));
  g_object_unref (driver_shoot (driver, "height-before"));
  driver_xdotool (driver, "key Return");
  driver_wait (driver, is_measured, "the rows to be looked at again");
  driver_settle (driver);
  g_object_unref (driver_shoot (driver, "height-after"));
  g_assert_cmpfloat_with_epsilon (get_number (driver, "tilt"), TILT_DEG, 0.25);
  g_assert_cmpfloat_with_epsilon (get_number (driver, "centre"), CENTRE, 0.15);
  g_assert_cmpfloat (tl_axis_map_get_turned_back (get_map (driver)), !=, 0);
  g_assert_cmpfloat_with_epsilon (
      tl_axis_map_get_fitted_col (get_map (driver), 0),
      tl_axis_map_get_fitted_col (get_map (driver), N_ROWS - 1), 0.35);
  driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpfloat (get_number (driver, "tilt"), ==, 0);
  g_assert_cmpfloat (get_number (driver, "centre"), ==, (N_COLS - 1) / 2.0);
  /* the slice view has nothing to accept */
  driver_xdotool (driver, "key Escape");
  driver_assert_state (driver, "view", "'slice'");
  driver_xdotool (driver, "key Return");
  g_assert_cmpfloat (get_number (driver, "tilt"), ==, 0);
}

/* What accepting does is said to the end, in a small window too. A tilt that
 * the line does not contradict stays. */
static void
test_keep (Driver *driver)
{
  GtkWidget *label;
  const TlAxisLine *line;
  double kept_deg;

  show_tilted (driver, 0.2);
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  line = tl_axis_map_get_line (get_map (driver));
  kept_deg = line->tilt_deg + 1.2 * line->tilt_uncertainty_deg;
  driver_activate (driver, "tilt", g_variant_new_double (kept_deg));
  driver_settle (driver);
  label = driver_find_in (GTK_WIDGET (get_page (driver)), "rest_label");
  g_test_message ("%s", gtk_label_get_text (GTK_LABEL (label)));
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (label)),
                            "only its centre is taken"));
  g_object_unref (driver_shoot (driver, "height-keep"));
  g_assert_false (
      pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
  driver_activate (driver, "accept-axis", NULL);
  driver_settle (driver);
  g_assert_cmpfloat (get_number (driver, "tilt"), ==, kept_deg);
  g_assert_cmpfloat_with_epsilon (get_number (driver, "centre"), CENTRE, 0.15);
}

static void
test_plot (Driver *driver)
{
  int x, y, far_x, far_y;
  double before;

  if (driver_lacks ("xdotool"))
    return;
  show (driver);
  /* a click on a row shows its slice */
  locate (driver, 11, CENTRE, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  driver_assert_state (driver, "slice", "11");
  /* the wheel zooms about the pointer */
  before = get_column_width (driver);
  driver_xdotool (driver, "click 4 click 4");
  g_assert_cmpfloat (get_column_width (driver), >, 1.4 * before);
  locate (driver, 11, CENTRE, &far_x, &far_y);
  g_assert_cmpint (ABS (far_x - x), <=, 1);
  g_assert_cmpint (far_y, ==, y);
  /* a drag pans and is not taken for a click */
  driver_xdotool (driver,
                  "mousedown 1 mousemove %d %d mousemove %d %d mouseup 1",
                  x + 20, y + 30, x + 60, y + 60);
  locate (driver, 11, CENTRE, &far_x, &far_y);
  g_assert_cmpint (ABS (far_x - x - 60), <=, 12);
  driver_assert_state (driver, "slice", "11");
  driver_xdotool (driver, "key ctrl+0");
  g_assert_cmpfloat_with_epsilon (get_column_width (driver), before, 1e-6);
  driver_xdotool (driver, "key ctrl+plus");
  g_assert_cmpfloat (get_column_width (driver), >, 1.1 * before);
  driver_xdotool (driver, "key ctrl+0");
  driver_activate (driver, "colormap", g_variant_new_string ("viridis"));
  driver_settle (driver);
  g_object_unref (driver_shoot (driver, "height-viridis"));
}

static gboolean
has_nine (Driver *driver)
{
  size_t n_rows, n_cols;
  guint n, n_known;

  return tl_axis_map_get_size (get_map (driver), &n_rows, &n_cols, &n, &n_known)
         && n == 9 && n_known == 9;
}

static void
test_rows (Driver *driver)
{
  show (driver);
  driver_assert_state (driver, "axis-rows", "32");
  driver_activate (driver, "axis-rows", g_variant_new_uint32 (9));
  driver_wait (driver, has_nine, "nine rows");
  driver_assert_state (driver, "axis-rows", "9");
  g_assert_nonnull (strstr (
      driver_read_label (get_page (driver), "words_label"), "of 9 rows"));
  /* the action may also be called over the session bus */
  driver_activate (driver, "accept-axis", NULL);
  driver_settle (driver);
  g_assert_cmpfloat_with_epsilon (get_number (driver, "tilt"), TILT_DEG, 0.4);
}

/* A small tilt is drawn as a leaning line. A larger tilt turns the projection
 * itself, so the line stays upright. */
static void
test_line_over_projection (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  open_leaning (driver, TILT_DEG);
  driver_activate (driver, "tilt", g_variant_new_double (0.5));
  driver_activate (driver, "view", g_variant_new_string ("projection"));
  driver_settle (driver);
  g_assert_cmpfloat_with_epsilon (
      tl_parameters_get_axis_col (parameters, N_ROWS - 1)
          - tl_parameters_get_axis_col (parameters, 0),
      (N_ROWS - 1) * tan (0.5 * G_PI / 180), 1e-9);
  g_object_unref (driver_shoot (driver, "height-line"));
  driver_activate (driver, "tilt", g_variant_new_double (1.5));
  driver_settle (driver);
  g_assert_cmpfloat (tl_parameters_get_axis_col (parameters, N_ROWS - 1), ==,
                     tl_parameters_get_axis_col (parameters, 0));
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/height/accept", test_accept, NULL },
    { "/ui/height/keep", test_keep, NULL },
    { "/ui/height/plot", test_plot, NULL },
    { "/ui/height/rows", test_rows, NULL },
    { "/ui/height/line-over-projection", test_line_over_projection, NULL },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
