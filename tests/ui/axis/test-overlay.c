/* A projection and its opposite, by keys: what is drawn, what the bar says, and
 * which parameters are adopted. */
#include "tests/ui/driver.h"

#include "app/axis/centre-search.h"
#include "app/axis/overlay/overlay.h"
#include "data/phantom/phantom.h"
#include "ui/axis/overlay-bar.h"

#include <math.h>

#define CENTRE 61.25
#define TILT 0.8
/* For a colour on the screen, in steps of 1/255. */
#define TOLERANCE 2.5

static TlOverlay *
get_overlay (Driver *driver)
{
  return tl_session_get_overlay (driver->session);
}

static gboolean
is_measured (Driver *driver)
{
  return tl_overlay_get_registration (get_overlay (driver)) != NULL;
}

static gboolean
has_sum (Driver *driver)
{
  size_t n_rows, n_cols;

  return tl_display_get_pixels (driver->session->display, &n_rows, &n_cols)
         != NULL;
}

/* Opens a scan with a tilted axis and a known pixel size. Nobody says where the
 * axis is. */
static void
open_unknown (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "pair.h5", NULL);
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;

  /* while the bar slides down, the picture moves */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE,
                NULL);
  tl_phantom_scan_init (&scan, 31, 80, 120);
  scan.end_point = TRUE;
  scan.centre_col = CENTRE;
  scan.tilt_deg = TILT;
  scan.noise_counts = 0;
  scan.pixel_size_um = 2;
  g_assert_true (tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  tl_session_open (driver->session, path);
  driver_settle (driver);
}

static void
open_scan (Driver *driver)
{
  open_unknown (driver);
  /* sets the centre, because the search in the background would change it */
  driver_activate (driver, "centre", g_variant_new_double (59.5));
  driver_activate (driver, "colour-bar", NULL); /* it would cover some pixels */
}

static void
begin (Driver *driver)
{
  open_scan (driver);
  driver_xdotool (driver, "key o");
  driver_assert_state (driver, "view", "'overlay'");
  driver_wait (driver, is_measured, "the registration");
  driver_wait (driver, has_sum, "the difference");
  driver_settle (driver);
}

static double
get_grey (Driver *driver, double value)
{
  TlView *view = tl_application_get_view (driver->application);
  double low = tl_view_get_low (view), high = tl_view_get_high (view);

  return 255 * CLAMP ((value - low) / (high - low), 0, 1);
}

/* Asserts that the screen shows the values of both projections at some
 * pixels. */
static void
assert_seen (Driver *driver, const char *name)
{
  static const double places[][2] = { { 40, 30 }, { 75, 44 }, { 88, 61 } };
  TlOverlayMode mode = tl_overlay_get_mode (get_overlay (driver));
  g_autoptr (GdkTexture) shot = NULL;

  driver_settle (driver);
  shot = driver_shoot (driver, name);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      double col = places[i][0], row = places[i][1];
      double red, cyan;
      float a, b;

      g_assert_true (tl_overlay_read (get_overlay (driver), (size_t)row,
                                      (size_t)col, &a, &b));
      red = cyan = mode == TL_OVERLAY_DIFFERENCE ? b - a
                   : mode == TL_OVERLAY_SUM      ? (a + b) / 2
                                                 : b;
      if (mode == TL_OVERLAY_RED_CYAN)
        red = a;
      g_assert_cmpfloat_with_epsilon (
          driver_read_colour (driver, shot, col, row, 0),
          get_grey (driver, red), TOLERANCE);
      g_assert_cmpfloat_with_epsilon (
          driver_read_colour (driver, shot, col, row, 1),
          get_grey (driver, cyan), TOLERANCE);
      g_assert_cmpfloat_with_epsilon (
          driver_read_colour (driver, shot, col, row, 2),
          get_grey (driver, cyan), TOLERANCE);
    }
}

/* Each mode has a key and is drawn to the pixel. Only the difference has a
 * window about 0. */
static void
test_modes (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);

  begin (driver);
  g_assert_cmpfloat (tl_view_get_low (view), ==, -tl_view_get_high (view));
  assert_seen (driver, "overlay-difference");
  driver_xdotool (driver, "key 2");
  driver_assert_state (driver, "overlay", "'sum'");
  driver_wait (driver, has_sum, "the sum");
  assert_seen (driver, "overlay-sum");
  driver_xdotool (driver, "key 3");
  assert_seen (driver, "overlay-red-cyan");
  driver_activate (driver, "blink-ms", g_variant_new_uint32 (0));
  driver_xdotool (driver, "key 4");
  driver_assert_state (driver, "overlay", "'blink'");
  assert_seen (driver, "overlay-b");
  driver_xdotool (driver, "key b");
  driver_assert_state (driver, "blink-a", "true");
  driver_xdotool (driver, "key 1");
  driver_assert_state (driver, "overlay", "'difference'");
  driver_assert_state (driver, "blink-a", "false");
}

/* The difference has a window of its own before its exact pixels are there, or
 * as they come: of the sampled ones. It stays while the user moves the axis,
 * and is set again when the program has found the axis. */
static void
test_window (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);
  TlOverlay *overlay = get_overlay (driver);
  double first, found;

  g_object_set (tl_session_get_centre_search (driver->session), "seeks", FALSE,
                NULL);
  open_unknown (driver);
  driver_send (driver, "key o");
  while (!tl_overlay_is_shown (overlay)
         || tl_overlay_get_opposite (overlay) == NULL)
    driver_iterate (driver, TRUE);
  first = tl_view_get_high (view);
  g_assert_cmpfloat (tl_view_get_low (view), ==, -first);
  g_assert_cmpfloat_with_epsilon (
      first, tl_overlay_sample_difference (overlay, 0.998), 1e-6);
  driver_wait (driver, has_sum, "the difference");
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_high (view), ==, first);
  g_object_unref (driver_shoot (driver, "overlay-assumed"));
  tl_parameters_note_found_centre (driver->session->parameters, CENTRE, TRUE);
  driver_activate (driver, "centre", g_variant_new_double (CENTRE));
  driver_settle (driver);
  found = tl_view_get_high (view);
  g_assert_cmpfloat (found, <, 0.7 * first);
  g_assert_cmpfloat (tl_view_get_low (view), ==, -found);
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "overlay-found");
  driver_xdotool (driver, "key Right key Right");
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_high (view), ==, found);
}

/* Axis, tilt and rows are changed by keys, and the picture follows. */
static void
test_steps (Driver *driver)
{
  begin (driver);
  driver_xdotool (driver, "key Right key shift+Right key ctrl+shift+Left");
  g_assert_cmpfloat_with_epsilon (
      tl_parameters_get_centre (driver->session->parameters), 59.5 + 1.09,
      1e-9);
  driver_xdotool (driver, "key t key ctrl+t key alt+shift+t");
  driver_assert_state (driver, "tilt", "0.109");
  driver_xdotool (driver, "key Up key shift+Up key ctrl+shift+Down");
  g_assert_cmpfloat_with_epsilon (tl_overlay_get_rows (get_overlay (driver)),
                                  1.09, 1e-9);
  assert_seen (driver, "overlay-steps");
  driver_xdotool (driver, "key Down");
  g_assert_cmpfloat_with_epsilon (tl_overlay_get_rows (get_overlay (driver)),
                                  0.09, 1e-9);
}

/* The bar states the registration. Adopting it is one undo step. */
static void
test_adopt (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  const char *words, *move;

  begin (driver);
  words =
      driver_read_label (driver_find (driver, "overlay_bar"), "words_label");
  move = driver_read_label (driver_find (driver, "overlay_bar"), "move_label");
  g_assert_true (g_str_has_prefix (words, "Centre 61.2"));
  g_assert_true (g_str_has_prefix (move, "Move the stage by −3."));
  g_assert_nonnull (strstr (move, "µm"));
  g_assert_nonnull (strstr (move, ", roll by −1"));
  driver_xdotool (driver, "key shift+o");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters), CENTRE,
                                  0.05);
  g_assert_cmpstr (
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "stage_label"))), ==,
      move);
  assert_seen (driver, "overlay-taken");
  driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 59.5);
  driver_assert_state (driver, "tilt", "0.0");
}

/* A projection without an opposite is shown alone, and nothing can be
 * adopted. */
static void
test_no_opposite (Driver *driver)
{
  begin (driver);
  driver_xdotool (driver, "key alt+shift+Up key alt+shift+Up");
  driver_settle (driver);
  driver_assert_state (driver, "projection", "2");
  g_assert_null (tl_overlay_get_opposite (get_overlay (driver)));
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->application), "take-overlay"));
  g_assert_cmpstr (
      driver_read_label (driver_find (driver, "overlay_bar"), "words_label"),
      ==, "");
  driver_xdotool (driver, "key Escape");
  driver_assert_state (driver, "view", "'slice'");
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->application), "overlay"));
  driver_xdotool (driver, "key 2");
  driver_assert_state (driver, "overlay", "'difference'");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/overlay/modes", test_modes, NULL },
    { "/ui/overlay/window", test_window, NULL },
    { "/ui/overlay/steps", test_steps, NULL },
    { "/ui/overlay/adopt", test_adopt, NULL },
    { "/ui/overlay/no-opposite", test_no_opposite, NULL },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
