/* All steps that lead to the axis, by mouse and keyboard: opens a scan whose
 * centre is unknown, finds the axis, adopts a candidate, accepts a tilt, and
 * overlays two opposite projections. */
#include "tests/ui/driver.h"

#include "app/axis/candidates/candidates.h"
#include "app/axis/centre-search.h"
#include "app/axis/overlay/overlay.h"
#include "data/phantom/phantom.h"

/* The axis of this scan is tilted and far from the middle of the detector. */
#define N_ROWS 40U
#define N_ANGLES 120U
#define N_COLS 192U
#define CENTRE 101.3
#define TILT_DEG 0.7

/* The search uses one row. The axis is tilted, so its column there differs from
 * CENTRE, which is its column in the middle row. */
#define FOUND_TOLERANCE 0.5
#define ACCEPTED_TOLERANCE 0.2

static void
shoot (Driver *driver, const char *name)
{
  g_autofree char *full_name = g_strconcat ("axis-journey-", name, NULL);
  g_autoptr (GdkTexture) shot = driver_shoot (driver, full_name);

  g_assert_cmpint (gdk_texture_get_width (shot), >, 600);
}

static void
open_leaning (Driver *driver)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  tl_phantom_scan_init (&scan, N_ANGLES, N_ROWS, N_COLS);
  scan.angles_deg[1] = 360;
  scan.centre_col = CENTRE;
  scan.tilt_deg = TILT_DEG;
  scan.noise_counts = 20000;
  scan.pixel_size_um = 2;
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  driver_activate (driver, "seek-centre", NULL);
  driver_open (driver);
}

static gboolean
is_found (Driver *driver)
{
  return tl_centre_search_get_state (
             tl_session_get_centre_search (driver->session))
         == TL_CENTRE_SEARCH_DONE;
}

/* No centre is given, so the search runs, and its result becomes the centre. */
static void
find_axis (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  driver_wait (driver, is_found, "the axis");
  driver_settle (driver);
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters), CENTRE,
                                  FOUND_TOLERANCE);
  shoot (driver, "1-found");
  driver_xdotool (driver, "key e key shift+e");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters), CENTRE,
                                  FOUND_TOLERANCE);
}

/* Clicks the tile on the right of the middle one. */
static void
adopt_candidate (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  TlCandidates *candidates = tl_session_get_candidates (driver->session);
  GtkWidget *grid = GTK_WIDGET (driver_get_candidates_grid (driver));
  const TlTileLayout *layout;
  double left, top, centre;
  guint index;
  int x, y;

  driver_xdotool (driver, "key g");
  driver_wait_for_candidates (driver);
  driver_xdotool (driver, "key comma");
  driver_wait_for_candidates (driver);
  shoot (driver, "2-candidates");
  index = tl_candidates_get_n (candidates) / 2 + 1;
  centre = tl_candidates_get (candidates, index)->centre_col;
  layout = tl_candidates_grid_get_layout (driver_get_candidates_grid (driver));
  tl_tile_layout_place (layout, index, &left, &top);
  driver_locate (driver, grid, left + layout->width / 2,
                 top + layout->height / 2, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, centre);
  driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), !=, centre);
}

static gboolean
is_measured (Driver *driver)
{
  TlAxisMap *map = tl_session_get_axis_map (driver->session);
  gboolean busy;

  g_object_get (map, "busy", &busy, NULL);
  return !busy && tl_axis_map_get_line (map) != NULL;
}

static void
accept_tilt (Driver *driver)
{
  g_autofree char *tilt = NULL;

  driver_xdotool (driver, "key a");
  driver_wait (driver, is_measured, "the axis over the height");
  driver_settle (driver);
  shoot (driver, "3-height");
  driver_xdotool (driver, "key Return");
  driver_wait (driver, is_measured, "the axis to be measured again");
  driver_settle (driver);
  tilt = driver_get_state (driver, "tilt");
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (tilt, NULL), TILT_DEG,
                                  ACCEPTED_TOLERANCE);
  g_assert_cmpfloat_with_epsilon (
      tl_parameters_get_centre (driver->session->parameters), CENTRE,
      ACCEPTED_TOLERANCE);
  shoot (driver, "4-accepted");
}

static gboolean
is_registered (Driver *driver)
{
  return tl_overlay_get_registration (tl_session_get_overlay (driver->session))
         != NULL;
}

static void
compare_opposite (Driver *driver)
{
  static const char *const shots[] = { "5-difference", "5-sum", "5-red-cyan" };

  driver_xdotool (driver, "key o");
  driver_wait (driver, is_registered, "the registration");
  driver_settle (driver);
  for (guint i = 0; i < G_N_ELEMENTS (shots); i++)
    {
      driver_xdotool (driver, "key %u", i + 1);
      g_assert_cmpint (
          tl_overlay_get_mode (tl_session_get_overlay (driver->session)), ==,
          i);
      shoot (driver, shots[i]);
    }
  g_assert_true (
      tl_overlay_get_registration (tl_session_get_overlay (driver->session))
          ->is_found);
}

static void
test_all_steps (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  open_leaning (driver);
  find_axis (driver);
  adopt_candidate (driver);
  accept_tilt (driver);
  compare_opposite (driver);
  driver_xdotool (driver, "key F2");
  driver_assert_state (driver, "view", "'slice'");
  shoot (driver, "6-slice");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/axis-journey/all-steps", test_all_steps, NULL },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
