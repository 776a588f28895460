/* Where the panes look: plain arithmetic. */
#include "app/planes/aim.h"

#include <math.h>

#define N_COLS 61
#define N_ROWS 19
#define EPSILON 1e-9

static TlAim
make_aim (void)
{
  const TlGrid grid = tl_grid_full (N_COLS);
  TlAim aim;
  tl_aim_init (&aim);
  tl_aim_set_sample (&aim, &grid, N_ROWS);
  return aim;
}

static void
turn_well (TlAim *aim)
{
  tl_aim_turn (aim, TL_PANE_XY, 0.4);
  tl_aim_turn (aim, TL_PANE_XZ, -0.7);
  tl_aim_turn (aim, TL_PANE_YZ, 2.9);
}

/* A position in a pane is a place on its plane, and the other way round. */
static void
test_places (void)
{
  TlAim aim = make_aim ();
  turn_well (&aim);
  tl_aim_zoom (&aim, TL_PANE_XZ, 3, 100, 50);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    {
      double place[3], x, y;
      tl_aim_to_sample (&aim, pane, 123, 45, place);
      tl_aim_to_widget (&aim, pane, place, &x, &y);
      g_assert_cmpfloat_with_epsilon (x, 123, EPSILON);
      g_assert_cmpfloat_with_epsilon (y, 45, EPSILON);
      /* all planes pass through the cross */
      tl_aim_to_widget (&aim, pane, aim.cross, &x, &y);
      tl_aim_to_sample (&aim, pane, x, y, place);
      for (guint k = 0; k < 3; k++)
        g_assert_cmpfloat_with_epsilon (place[k], aim.cross[k], EPSILON);
    }
}

/* The place under the pointer stays while zooming, and follows a drag; other
 * panes that show the same directions follow. */
static void
test_zoom (void)
{
  TlAim aim = make_aim ();
  double before[3], after[3], x, y;
  tl_aim_to_sample (&aim, TL_PANE_XY, 100, 250, before);
  tl_aim_zoom (&aim, TL_PANE_XY, 4, 100, 250);
  tl_aim_to_sample (&aim, TL_PANE_XY, 100, 250, after);
  g_assert_cmpfloat_with_epsilon (after[0], before[0], EPSILON);
  g_assert_cmpfloat_with_epsilon (after[1], before[1], EPSILON);
  tl_aim_to_widget (&aim, TL_PANE_XZ, before, &x, &y);
  g_assert_cmpfloat_with_epsilon (x, 100, EPSILON);
  tl_aim_pan (&aim, TL_PANE_XY, 7, -9);
  tl_aim_to_widget (&aim, TL_PANE_XY, before, &x, &y);
  g_assert_cmpfloat_with_epsilon (x, 107, EPSILON);
  g_assert_cmpfloat_with_epsilon (y, 241, EPSILON);
  /* the middle stays in the sample */
  tl_aim_pan (&aim, TL_PANE_XY, 1e6, 1e6);
  g_assert_cmpfloat (aim.eye[0], ==, aim.grid.x0);
  g_assert_cmpfloat (aim.eye[1], ==, aim.grid.y0);
  tl_aim_fit (&aim);
  g_assert_cmpfloat (aim.eye[0], ==, 0);
  g_assert_cmpfloat_with_epsilon (aim.scale, 360.0 / N_COLS, EPSILON);
}

/* The trace of the oblique plane turns with it, in the pane in which it is
 * turned by just that angle. */
static void
test_turn (void)
{
  for (TlPane pane = 0; pane < TL_PANE_OBLIQUE; pane++)
    {
      TlAim aim = make_aim ();
      double x0, y0, x, y;
      turn_well (&aim);
      g_assert_true (tl_aim_find_trace (&aim, pane, TL_PANE_OBLIQUE, &x0, &y0));
      tl_aim_turn (&aim, pane, 0.25);
      g_assert_true (tl_aim_find_trace (&aim, pane, TL_PANE_OBLIQUE, &x, &y));
      /* clockwise, y down; both directions are the same line */
      const double turned = atan2 (x0 * y - y0 * x, x0 * x + y0 * y);
      g_assert_cmpfloat_with_epsilon (turned, 0.25, EPSILON);
      g_assert_cmpfloat_with_epsilon (hypot (x, y), 1, EPSILON);
    }
  TlAim aim = make_aim ();
  double x, y;
  g_assert_true (tl_aim_find_trace (&aim, TL_PANE_XY, TL_PANE_XZ, &x, &y));
  g_assert_cmpfloat (fabs (x), ==, 1);
  for (guint k = 0; k < 1000; k++)
    turn_well (&aim);
  const double *u = aim.turn[0], *v = aim.turn[1];
  g_assert_cmpfloat_with_epsilon (u[0] * u[0] + u[1] * u[1] + u[2] * u[2], 1,
                                  EPSILON);
  g_assert_cmpfloat_with_epsilon (u[0] * v[0] + u[1] * v[1] + u[2] * v[2], 0,
                                  EPSILON);
}

/* Planes have the pixels of the screen that lie on the sample. */
static void
test_planes (void)
{
  TlAim aim = make_aim ();
  TlPlane plane;
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, N_COLS, N_COLS);
  plane = tl_aim_find_plane (&aim, TL_PANE_XY, 1);
  g_assert_cmpuint (plane.nx, ==, N_COLS);
  g_assert_cmpuint (plane.ny, ==, N_COLS);
  g_assert_cmpfloat (plane.origin[0], ==, aim.grid.x0);
  g_assert_cmpfloat (plane.origin[1], ==, aim.grid.y0);
  g_assert_cmpfloat (plane.origin[2], ==, aim.cross[2]);
  g_assert_cmpfloat (plane.v[1], ==, -1);
  plane = tl_aim_find_plane (&aim, TL_PANE_YZ, 1);
  g_assert_cmpuint (plane.nx, ==, N_COLS);
  g_assert_cmpuint (plane.ny, ==, N_ROWS);
  g_assert_cmpfloat (plane.origin[0], ==, aim.cross[0]);
  /* a screen of twice the pixels, and a wider one */
  plane = tl_aim_find_plane (&aim, TL_PANE_XZ, 2);
  g_assert_cmpuint (plane.nx, >=, 2 * N_COLS - 1);
  g_assert_cmpfloat (plane.u[0], ==, 0.5);
  tl_aim_set_size (&aim, TL_PANE_XZ, 10 * N_COLS, N_COLS);
  plane = tl_aim_find_plane (&aim, TL_PANE_XZ, 1);
  g_assert_cmpuint (plane.nx, ==, N_COLS);
  /* the part that is visible when zoomed in */
  tl_aim_zoom (&aim, TL_PANE_XY, 10, 30, 30);
  plane = tl_aim_find_plane (&aim, TL_PANE_XY, 1);
  g_assert_cmpuint (plane.nx, >=, N_COLS - 1);
  g_assert_cmpuint (plane.nx, <=, N_COLS + 1);
  g_assert_cmpfloat_with_epsilon (plane.u[0], 0.1, EPSILON);
  /* where it is drawn */
  double col, row, scale;
  tl_aim_place_frame (&aim, TL_PANE_XY, &plane, &col, &row, &scale);
  g_assert_cmpfloat_with_epsilon (scale, 1, EPSILON);
  g_assert_cmpfloat (fabs (col - (N_COLS - 1) / 2.0), <=, 1);
  /* no scan, no plane */
  tl_aim_init (&aim);
  g_assert_cmpuint (tl_aim_find_plane (&aim, TL_PANE_XY, 1).nx, ==, 0);
}

/* The sample ends half a pixel of a slice beyond the last centre, and half a
 * row. */
static void
test_pitch (void)
{
  TlGrid grid = tl_grid_full (N_COLS);
  grid.pitch = 4;
  TlAim aim;
  tl_aim_init (&aim);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, 4 * N_COLS, 4 * N_COLS);
  tl_aim_set_sample (&aim, &grid, N_ROWS);
  g_assert_cmpfloat_with_epsilon (aim.scale, 1, EPSILON);
  const TlPlane plane = tl_aim_find_plane (&aim, TL_PANE_XZ, 1);
  g_assert_cmpuint (plane.nx, ==, 4 * N_COLS + 1); /* both edges count */
  g_assert_cmpfloat (plane.origin[0], ==, grid.x0 - 2);
  g_assert_cmpuint (plane.ny, ==, N_ROWS);
}

/* The planes along the axes are counted as slices, rows and columns. */
static void
test_positions (void)
{
  TlGrid grid = tl_grid_full (N_COLS);
  TlAim aim;
  tl_aim_init (&aim);
  grid.pitch = 0.5;
  tl_aim_set_sample (&aim, &grid, N_ROWS);
  const double place[] = { grid.x0 + 7 * grid.pitch, grid.y0, 3.26 };
  tl_aim_move_cross (&aim, place);
  g_assert_cmpfloat (tl_aim_get_position (&aim, TL_PANE_XY), ==, 3.3);
  g_assert_cmpfloat (tl_aim_get_position (&aim, TL_PANE_XZ), ==, 0);
  g_assert_cmpfloat (tl_aim_get_position (&aim, TL_PANE_YZ), ==, 7);
  g_assert_true (isnan (tl_aim_get_position (&aim, TL_PANE_OBLIQUE)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/aim/places", test_places);
  g_test_add_func ("/aim/zoom", test_zoom);
  g_test_add_func ("/aim/turn", test_turn);
  g_test_add_func ("/aim/planes", test_planes);
  g_test_add_func ("/aim/pitch", test_pitch);
  g_test_add_func ("/aim/positions", test_positions);
  return g_test_run ();
}
