/* The planes in the window, by events of mouse and keyboard: cross, stack, zoom
 * and pan, handles of the oblique plane, and what is drawn. */
#include "tests/ui/driver.h"

#include "data/phantom/phantom.h"
#include "ui/planes/plane-marks.h"

#include <math.h>
#include <string.h>

/* Widget units, or detector pixels: rounding to pixels of the screen. */
#define NEAR 1.0

/* For a grey on the screen, in steps of 1/255. */
#define GREY_TOLERANCE 2.0

static TlPlanes *
get_planes (Driver *driver)
{
  return tl_session_get_planes (driver->session);
}

static const TlAim *
get_aim (Driver *driver)
{
  return tl_planes_get_aim (get_planes (driver));
}

static TlPlanesView *
get_view (Driver *driver)
{
  return tl_pages_get_planes_view (driver_get_pages (driver));
}

static GtkWidget *
get_pane (Driver *driver, TlPane pane)
{
  return GTK_WIDGET (tl_planes_view_get_pane (get_view (driver), pane));
}

/* Returns: whether planes in all pixels of the screen are drawn */
static gboolean
is_drawn (Driver *driver)
{
  return !tl_requests_is_busy (driver->session->requests)
         && tl_display_get_picture (driver->session->display)
                == TL_PICTURE_PLANES
         && !tl_display_shows_preview (driver->session->display)
         && gtk_widget_get_mapped (get_pane (driver, TL_PANE_XY))
         && tl_planes_view_is_drawn (get_view (driver));
}

static void
wait (Driver *driver)
{
  driver_wait (driver, is_drawn, "the planes");
}

static gboolean
begin (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return FALSE;
  driver_open (driver);
  driver_xdotool (driver, "key p");
  driver_assert_state (driver, "view", "'planes'");
  wait (driver);
  return TRUE;
}

static void
locate (Driver *driver, TlPane pane, double x, double y, int *screen_x,
        int *screen_y)
{
  driver_locate (driver, get_pane (driver, pane), x, y, screen_x, screen_y);
}

static void
click (Driver *driver, TlPane pane, double x, double y)
{
  int screen_x, screen_y;

  locate (driver, pane, x, y, &screen_x, &screen_y);
  driver_xdotool (driver, "mousemove %d %d click 1", screen_x, screen_y);
}

/* @button: pressed at @x, @y of the pane, and released @dx, @dy beside */
static void
drag (Driver *driver, TlPane pane, double x, double y, int dx, int dy,
      int button)
{
  int screen_x, screen_y;

  locate (driver, pane, x, y, &screen_x, &screen_y);
  driver_xdotool (driver,
                  "mousemove %d %d mousedown %d mousemove %d %d "
                  "mousemove %d %d mouseup %d",
                  screen_x, screen_y, button, screen_x + dx / 2,
                  screen_y + dy / 2, screen_x + dx, screen_y + dy, button);
}

/* Asserts that the cross is drawn at @x, @y of @pane, but for the rounding to
 * pixels of a slice. */
static void
assert_cross (Driver *driver, TlPane pane, double x, double y)
{
  const TlAim *aim = get_aim (driver);
  double cross_x, cross_y;

  tl_aim_to_widget (aim, pane, aim->cross, &cross_x, &cross_y);
  g_assert_cmpfloat (fabs (cross_x - x), <=, aim->scale / 2 + NEAR);
  g_assert_cmpfloat (fabs (cross_y - y), <=, aim->scale / 2 + NEAR);
}

/* A click and a drag move the cross in all panes, and the slice with it. */
static void
test_cross (Driver *driver)
{
  double x, y;

  if (!begin (driver))
    return;
  const TlAim *aim = get_aim (driver);
  click (driver, TL_PANE_XY, aim->width[TL_PANE_XY] / 2 + 30,
         aim->height[TL_PANE_XY] / 2 - 40);
  assert_cross (driver, TL_PANE_XY, aim->width[TL_PANE_XY] / 2 + 30,
                aim->height[TL_PANE_XY] / 2 - 40);
  driver_assert_state (driver, "slice", "2");
  /* along z in another pane: from the middle row to the last one */
  tl_aim_to_widget (aim, TL_PANE_XZ, aim->cross, &x, &y);
  drag (driver, TL_PANE_XZ, x + 20, y, -10, (int)(2 * aim->scale), 1);
  g_assert_cmpfloat (aim->cross[2], ==, 4);
  driver_assert_state (driver, "slice", "4");
  assert_cross (driver, TL_PANE_XZ, x + 10, y + 2 * aim->scale);
  wait (driver);
  g_assert_cmpfloat (
      tl_planes_get_set (get_planes (driver))->planes[TL_PANE_XY].origin[2], ==,
      4);
  /* a drag is one step of the history */
  driver_xdotool (driver, "key ctrl+z");
  driver_assert_state (driver, "slice", "2");
  g_assert_cmpfloat (aim->cross[2], ==, 2);
}

/* The wheel and the keys go through the stack of their pane. */
static void
test_stack (Driver *driver)
{
  double before[3];
  int x, y;

  if (!begin (driver))
    return;
  const TlAim *aim = get_aim (driver);
  locate (driver, TL_PANE_XY, 100, 100, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 5", x, y);
  driver_assert_state (driver, "slice", "3");
  driver_xdotool (driver, "click 4 click 4");
  driver_assert_state (driver, "slice", "1");
  driver_xdotool (driver, "key Prior");
  driver_assert_state (driver, "slice", "2");
  memcpy (before, aim->cross, sizeof before);
  locate (driver, TL_PANE_YZ, 100, 100, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 5 click 5", x, y);
  g_assert_cmpfloat (aim->cross[0], ==, before[0] + 2);
  /* keys of the pane with the focus, which a click gives */
  click (driver, TL_PANE_XZ, aim->width[TL_PANE_XZ] / 2 + 5,
         aim->height[TL_PANE_XZ] / 2);
  memcpy (before, aim->cross, sizeof before);
  driver_xdotool (driver, "key Up key shift+Up key Down");
  g_assert_cmpfloat (aim->cross[1], ==, before[1] + 10);
  driver_xdotool (driver, "key ctrl+Left key ctrl+Left key ctrl+Down");
  g_assert_cmpfloat (aim->cross[0], ==, before[0] - 2);
  g_assert_cmpfloat (aim->cross[2], ==, before[2] + 1);
  /* the arrows alone still move the axis */
  driver_activate (driver, "centre", g_variant_new_double (46));
  driver_xdotool (driver, "key Right");
  driver_assert_state (driver, "centre", "47.0");
  wait (driver);
}

/* Zoom and pan are those of all panes. */
static void
test_zoom (Driver *driver)
{
  double before[3], after[3];
  int x, y;

  if (!begin (driver))
    return;
  const TlAim *aim = get_aim (driver);
  const double scale = aim->scale;
  locate (driver, TL_PANE_XY, 150, 120, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  tl_aim_to_sample (aim, TL_PANE_XY, 150, 120, before);
  driver_xdotool (driver, "keydown ctrl click 4 click 4 keyup ctrl");
  g_assert_cmpfloat_with_epsilon (aim->scale, scale * 1.2 * 1.2, 1e-9);
  tl_aim_to_sample (aim, TL_PANE_XY, 150, 120, after);
  for (guint k = 0; k < 2; k++)
    g_assert_cmpfloat (fabs (after[k] - before[k]), <=, NEAR / aim->scale);
  driver_xdotool (driver, "key ctrl+plus");
  g_assert_cmpfloat (aim->scale, >, scale * 1.5);
  wait (driver);
  /* planes are made for the pixels of the screen */
  g_assert_cmpfloat_with_epsilon (
      tl_planes_get_set (get_planes (driver))->planes[TL_PANE_XZ].u[0],
      1 / aim->scale, 1e-9);
  memcpy (before, aim->eye, sizeof before);
  drag (driver, TL_PANE_XZ, 150, 120, 30, 0, 2);
  g_assert_cmpfloat_with_epsilon (aim->eye[0], before[0] - 30 / aim->scale,
                                  1e-9);
  locate (driver, TL_PANE_XZ, 150, 120, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  driver_double_click (driver);
  g_assert_cmpfloat_with_epsilon (aim->scale, scale, 1e-9);
  driver_xdotool (driver, "key ctrl+plus key ctrl+0");
  g_assert_cmpfloat_with_epsilon (aim->scale, scale, 1e-9);
  wait (driver);
}

/* Handles turn and move the oblique plane; R turns it. */
static void
test_oblique (Driver *driver)
{
  double x, y, cross_x, cross_y, dx, dy;

  if (!begin (driver))
    return;
  const TlAim *aim = get_aim (driver);
  g_assert_true (
      tl_plane_marks_place (aim, TL_PANE_XY, TL_PLANE_GRIP_TURN, 0, &x, &y));
  tl_aim_to_widget (aim, TL_PANE_XY, aim->cross, &cross_x, &cross_y);
  /* beside the cross, at the same height */
  const double away = hypot (x - cross_x, y - cross_y);
  drag (driver, TL_PANE_XY, x, y, (int)(cross_x + away - x), (int)(cross_y - y),
        1);
  g_assert_true (
      tl_aim_find_trace (aim, TL_PANE_XY, TL_PANE_OBLIQUE, &dx, &dy));
  g_assert_cmpfloat (fabs (dy), <, 0.03);
  g_assert_cmpfloat_with_epsilon (aim->cross[0], 0.5, 1e-9);
  wait (driver);
  driver_xdotool (driver, "key r key r key r");
  tl_aim_find_trace (aim, TL_PANE_XY, TL_PANE_OBLIQUE, &x, &y);
  g_assert_cmpfloat_with_epsilon (
      fabs (atan2 (dx * y - dy * x, dx * x + dy * y)), 3 * G_PI / 180, 1e-6);
  driver_xdotool (driver, "key shift+r key shift+r key shift+r");
  /* a square handle moves it across its line */
  tl_plane_marks_place (aim, TL_PANE_XY, TL_PLANE_GRIP_MOVE, 0, &x, &y);
  const double row = aim->cross[1], col = aim->cross[0];
  drag (driver, TL_PANE_XY, x, y, 40, 30, 1);
  g_assert_cmpfloat (fabs (row - aim->cross[1] - 30 / aim->scale), <,
                     2 * NEAR / aim->scale);
  g_assert_cmpfloat (fabs (aim->cross[0] - col), <, 2 * NEAR / aim->scale);
  wait (driver);
  tl_plane_marks_place (aim, TL_PANE_XZ, TL_PLANE_GRIP_TURN, 1, &x, &y);
  drag (driver, TL_PANE_XZ, x, y, 25, 25, 1);
  wait (driver);
  g_object_unref (driver_shoot (driver, "planes-oblique"));
}

/* Returns: the green in @shot at the place of a pixel of the screen */
static double
read_grey (Driver *driver, GdkTexture *shot, TlPane pane, double x, double y)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (driver->window));
  size_t width = (size_t)gdk_texture_get_width (shot);
  size_t height = (size_t)gdk_texture_get_height (shot);
  g_autofree guchar *pixels = g_malloc (4 * width * height);
  int screen_x, screen_y;

  locate (driver, pane, x, y, &screen_x, &screen_y);
  x = (screen_x + 0.5) * (double)width / gdk_surface_get_width (surface);
  y = (screen_y + 0.5) * (double)height / gdk_surface_get_height (surface);
  gdk_texture_download (shot, pixels, 4 * width);
  return pixels[4 * ((size_t)y * width + (size_t)x) + 1];
}

typedef enum
{
  SEES_B, /* also where nothing is compared */
  SEES_A,
  SEES_DIFFERENCE
} Sees;

static double
get_value (Driver *driver, TlPane pane, const double *place, Sees sees)
{
  float a = 0, b;

  if (sees == SEES_B)
    g_assert_true (tl_planes_read (get_planes (driver), pane, place, &b));
  else
    g_assert_true (
        tl_planes_read_compared (get_planes (driver), pane, place, &a, &b));
  return sees == SEES_B   ? (double)b
         : sees == SEES_A ? (double)a
                          : (double)b - (double)a;
}

/* Asserts that @pane shows the plane at @x, @y, with the window of the view.
 * The shot is a little smaller than the window, so that a neighbour may be
 * seen. @left: where the half begins that shows it */
static void
assert_shown (Driver *driver, GdkTexture *shot, TlPane pane, double x, double y,
              double left, Sees sees)
{
  TlView *view = tl_application_get_view (driver->application);
  const double low = tl_view_get_low (view), high = tl_view_get_high (view);
  const double grey = read_grey (driver, shot, pane, left + x, y);
  double least = 255, most = 0;

  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++)
      {
        double place[3];

        tl_aim_to_sample (get_aim (driver), pane, x + 0.5 + j, y + 0.5 + i,
                          place);
        const double value = get_value (driver, pane, place, sees);
        const double want = 255 * CLAMP ((value - low) / (high - low), 0, 1);
        least = fmin (least, want);
        most = fmax (most, want);
      }
  g_test_message ("pane %d: %g, of %g to %g", pane, grey, least, most);
  g_assert_cmpfloat (grey, >=, least - GREY_TOLERANCE);
  g_assert_cmpfloat (grey, <=, most + GREY_TOLERANCE);
}

/* Each pane shows its plane with the window of the slice, in its colours. */
static void
test_picture (Driver *driver)
{
  const double places[][3] = { { 20, 5, 2 }, { -17, -9, 1 }, { 3, 22, 3 } };

  if (!begin (driver))
    return;
  driver_activate (driver, "window-low", g_variant_new_double (0));
  driver_activate (driver, "window-high", g_variant_new_double (0.05));
  const TlAim *aim = get_aim (driver);
  for (guint k = 0; k < G_N_ELEMENTS (places); k++)
    {
      TlAim moved = *aim;

      tl_aim_move_cross (&moved, places[k]);
      tl_planes_set_aim (get_planes (driver), &moved);
      driver_settle (driver);
      wait (driver);
      g_autoptr (GdkTexture) shot = driver_shoot (driver, "planes");
      for (TlPane pane = 0; pane < TL_N_PANES; pane++)
        {
          double x, y;

          tl_aim_to_widget (aim, pane, aim->cross, &x, &y);
          assert_shown (driver, shot, pane, floor (x), floor (y), 0, SEES_B);
        }
    }
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "planes");
}

/* --- comparing --- */

static const char *
get_words (Driver *driver)
{
  return driver_read_label (driver_find (driver, "compare_bar"), "words_label");
}

static gboolean
has_compared (Driver *driver)
{
  return is_drawn (driver)
         && tl_planes_get_compared (get_planes (driver))
                    ->held.frames[TL_PANE_XY]
                != NULL;
}

static double
get_number (Driver *driver, const char *action)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (
      G_ACTION_GROUP (driver->application), action);

  return g_variant_get_double (state);
}

/* A are the planes as opened, B have another axis. */
static gboolean
begin_compared (Driver *driver)
{
  /* while the bar slides down, the panes move */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE,
                NULL);
  if (!begin (driver))
    return FALSE;
  driver_activate (driver, "window-low", g_variant_new_double (0));
  driver_activate (driver, "window-high", g_variant_new_double (0.05));
  driver_xdotool (driver, "key h");
  driver_assert_state (driver, "view", "'planes'");
  driver_assert_state (driver, "hold", "true");
  driver_activate (driver, "centre", g_variant_new_double (43));
  wait (driver);
  return TRUE;
}

/* Returns: (transfer full): a shot; asserts that each pane shows @sees beside
 * the cross, @dx pixels of the screen away. Side by side, the planes along the
 * axis are so thin that the lines cover them. */
static GdkTexture *
shoot_compared (Driver *driver, const char *name, double dx, double left,
                Sees sees)
{
  const TlAim *aim = get_aim (driver);
  GdkTexture *shot;

  driver_wait (driver, has_compared, "A and B");
  driver_settle (driver);
  shot = driver_shoot (driver, name);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    for (int k = 0; k < 8 && (pane == TL_PANE_XY || aim->scale > 3); k++)
      assert_shown (driver, shot, pane,
                    floor (aim->width[pane] / 2 + dx + (dx < 0 ? -5 : 5) * k),
                    floor (aim->height[pane] / 2 + 5), left, sees);
  return shot;
}

/* Returns: whether something is written into the corner of the half that begins
 * at @left, beside which the plane along the axis leaves the pane empty */
static gboolean
has_name (Driver *driver, GdkTexture *shot, double left)
{
  const double first = read_grey (driver, shot, TL_PANE_XZ, left + 9, 16);
  gboolean has = FALSE;

  for (int x = 10; x < 50; x++)
    has |= fabs (read_grey (driver, shot, TL_PANE_XZ, left + x, 16) - first)
           > GREY_TOLERANCE;
  return has;
}

/* Keys, the bar, and each mode in all panes. */
static void
test_compare (Driver *driver)
{
  static const char *const modes[] = { "'swipe'", "'blink'", "'side-by-side'",
                                       "'difference'", "'off'" };
  static const char *const keys[] = { "F6", "F7", "F8", "F9", "shift+F5" };
  double half;

  if (!begin_compared (driver))
    return;
  const TlAim *aim = get_aim (driver);
  g_assert_cmpstr (get_words (driver), ==, "From A to B: Centre 47.5 → 43");
  for (guint k = 0; k < G_N_ELEMENTS (modes); k++)
    {
      driver_xdotool (driver, "key %s", keys[k]);
      driver_assert_state (driver, "compare", modes[k]);
      driver_wait (driver, has_compared, modes[k]);
    }
  g_object_unref (
      shoot_compared (driver, "planes-compare-off", -20, 0, SEES_B));
  driver_xdotool (driver, "key c");
  driver_assert_state (driver, "compare", "'swipe'");
  g_object_unref (shoot_compared (driver, "planes-swipe", -20, 0, SEES_A));
  g_object_unref (shoot_compared (driver, "planes-swipe", 20, 0, SEES_B));
  driver_activate (driver, "blink-ms", g_variant_new_uint32 (0));
  driver_xdotool (driver, "key F7");
  g_object_unref (shoot_compared (driver, "planes-blink", -20, 0, SEES_B));
  driver_xdotool (driver, "key b");
  g_object_unref (shoot_compared (driver, "planes-blink", -20, 0, SEES_A));
  driver_xdotool (driver, "key F9");
  driver_wait (driver, has_compared, "the difference");
  g_assert_cmpfloat (
      tl_view_get_low (tl_application_get_view (driver->application)), <, 0);
  g_object_unref (
      shoot_compared (driver, "planes-difference", -20, 0, SEES_DIFFERENCE));
  /* both halves are as wide */
  half = floor (gtk_widget_get_width (get_pane (driver, TL_PANE_XY)) / 2.0);
  driver_xdotool (driver, "key F8");
  driver_wait (driver, has_compared, "both halves");
  g_assert_cmpfloat_with_epsilon (aim->width[TL_PANE_XY], half, 1);
  g_object_unref (shoot_compared (driver, "planes-halves", -20, 0, SEES_A));
  const double left = gtk_widget_get_width (get_pane (driver, TL_PANE_XY))
                      - aim->width[TL_PANE_XY];
  g_autoptr (GdkTexture) halves =
      shoot_compared (driver, "planes-halves", -20, left, SEES_B);
  /* the pane has its name once */
  g_assert_true (has_name (driver, halves, 0));
  g_assert_false (has_name (driver, halves, left));
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "planes-halves");
  /* Escape ends the comparison, and then returns to the slice */
  driver_xdotool (driver, "key Escape");
  driver_assert_state (driver, "compare", "'off'");
  driver_assert_state (driver, "view", "'planes'");
  wait (driver);
  g_assert_cmpfloat (aim->width[TL_PANE_XY], >, half + 1);
  driver_xdotool (driver, "key shift+h");
  driver_assert_state (driver, "centre", "47.5");
  wait (driver);
  driver_xdotool (driver, "key Escape");
  driver_assert_state (driver, "view", "'slice'");
  driver_wait (driver, driver_is_drawn, "the slice");
  driver_assert_state (driver, "hold", "true");
}

/* The line in any pane is dragged, both halves take the pointer, and A's planes
 * are where the panes look. */
static void
test_compare_pointer (Driver *driver)
{
  GtkWidget *readout;
  int x, y;

  if (!begin_compared (driver))
    return;
  const TlAim *aim = get_aim (driver);
  driver_xdotool (driver, "key F6");
  driver_wait (driver, has_compared, "A and B");
  const TlAim before = *aim;
  const double width = aim->width[TL_PANE_XZ];
  drag (driver, TL_PANE_XZ, round (width / 2), 90, 60, 12, 1);
  g_assert_cmpfloat_with_epsilon (get_number (driver, "swipe"),
                                  0.5 + 60 / width, 1.5 / width);
  g_assert_true (tl_aim_equal (&before, aim));
  g_object_unref (shoot_compared (driver, "planes-swipe", 0, 0, SEES_A));
  /* the line has the focus */
  driver_xdotool (driver, "key Home key shift+Right");
  g_assert_cmpfloat_with_epsilon (get_number (driver, "swipe"), 0.1, 1e-9);
  /* beside the line a drag moves the cross, for A and B */
  drag (driver, TL_PANE_XY, aim->width[TL_PANE_XY] / 2,
        aim->height[TL_PANE_XY] / 2, 30, 20, 1);
  g_assert_cmpfloat (aim->cross[0], !=, before.cross[0]);
  driver_xdotool (driver, "key ctrl+plus");
  driver_wait (driver, has_compared, "A and B, moved");
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    g_assert_true (tl_plane_equal (
        &tl_planes_get_compared (get_planes (driver))->held.planes[pane],
        &tl_planes_get_set (get_planes (driver))->planes[pane]));
  /* the values of both are under the pointer */
  locate (driver, TL_PANE_XY, 150, 120, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  readout = gtk_widget_get_last_child (GTK_WIDGET (get_view (driver)));
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (readout)), "B − A"));
  /* the left half is A's */
  driver_xdotool (driver, "key ctrl+0 key F8");
  driver_wait (driver, has_compared, "both halves");
  click (driver, TL_PANE_XY, 60, 70);
  assert_cross (driver, TL_PANE_XY, 60, 70);
  click (driver, TL_PANE_XY,
         gtk_widget_get_width (get_pane (driver, TL_PANE_XY))
             - aim->width[TL_PANE_XY] + 90,
         80);
  assert_cross (driver, TL_PANE_XY, 90, 80);
  driver_xdotool (driver, "key h");
  driver_assert_state (driver, "hold", "false");
  driver_assert_state (driver, "compare", "'off'");
  wait (driver);
  g_assert_cmpfloat (aim->width[TL_PANE_XZ], ==, width);
}

static gboolean
has_view (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "v.png", NULL);
  GtkWidget *view = GTK_WIDGET (get_view (driver));
  g_autoptr (GdkTexture) image = gdk_texture_new_from_filename (path, NULL);

  return image != NULL
         && gdk_texture_get_width (image) == gtk_widget_get_width (view)
         && gdk_texture_get_height (image) == gtk_widget_get_height (view);
}

static gboolean
has_values (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "v.tiff", NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS)
         && driver_get_toast (driver) != NULL;
}

/* The view with its marks, and the values of the pane with the focus. */
static void
test_keep (Driver *driver)
{
  g_autofree char *image = g_build_filename (driver->folder, "v.png", NULL);
  g_autofree char *values = g_build_filename (driver->folder, "v.tiff", NULL);

  if (!begin (driver))
    return;
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.save-view-as",
                              "s", image);
  driver_wait (driver, has_view, "the image");
  click (driver, TL_PANE_YZ, 100, 100);
  wait (driver);
  g_assert_cmpint (tl_display_get_pane (driver->session->display), ==,
                   TL_PANE_YZ);
  driver_activate (driver, "save-slice-as", g_variant_new_string (values));
  driver_wait (driver, has_values, "the values");
}

/* Asserts the name that is proposed for the values of the pane. */
static void
assert_proposal (Driver *driver, const char *want)
{
  g_autofree char *name = NULL;

  driver_send (driver, "key ctrl+shift+s");
  driver_wait (driver, driver_has_dialog, "the dialog");
  name = gtk_file_chooser_get_current_name (
      GTK_FILE_CHOOSER (driver_find_dialog (driver)));
  g_assert_cmpstr (name, ==, want);
  driver_send (driver, "key Escape");
  driver_wait (driver, driver_has_no_dialog, "the end of the dialog");
  driver_settle (driver);
}

/* The names tell the planes apart, as those of the command line do. */
static void
test_names (Driver *driver)
{
  if (!begin (driver))
    return;
  TlAim aim = *get_aim (driver);
  const double place[] = { aim.grid.x0 + 30 * aim.grid.pitch,
                           aim.grid.y0 - 38 * aim.grid.pitch, 3 };
  tl_aim_move_cross (&aim, place);
  tl_planes_set_aim (get_planes (driver), &aim);
  wait (driver);
  gtk_widget_grab_focus (get_pane (driver, TL_PANE_XZ));
  assert_proposal (driver, "plane_xz_38.tiff");
  gtk_widget_grab_focus (get_pane (driver, TL_PANE_YZ));
  assert_proposal (driver, "plane_yz_30.tiff");
  gtk_widget_grab_focus (get_pane (driver, TL_PANE_XY));
  assert_proposal (driver, "plane_xy_3.tiff");
  gtk_widget_grab_focus (get_pane (driver, TL_PANE_OBLIQUE));
  assert_proposal (driver, "plane_oblique_00003.tiff");
}

static TlMeasure *
get_measure (Driver *driver)
{
  /* see tl_measure_actions_add() */
  return g_object_get_data (G_OBJECT (driver->application), "tl-measure");
}

/* Asserts that the profile has the values of the plane along the line. */
static void
assert_profile (Driver *driver, TlPane pane)
{
  const TlProfile *profile = tl_measure_get_profile (get_measure (driver));
  const TlSegment *line = tl_measure_get_line_in (get_measure (driver), pane);
  TlPixels pixels;

  g_assert_nonnull (line);
  g_assert_true (tl_planes_get_pixels (get_planes (driver), pane, &pixels));
  g_autoptr (TlProfile) want = tl_profile_new (line, 1, &pixels);
  g_assert_cmpmem (profile->values, profile->n * sizeof (float), want->values,
                   want->n * sizeof (float));
  g_assert_cmpfloat (profile->step, <=, 1);
}

/* A line that is drawn in any of the panes is where it was drawn, has the
 * values of the plane there, and follows the knobs; handles of the oblique
 * plane still work. */
static void
test_profile (Driver *driver)
{
  double place[3], x, y;
  float value;
  GtkWidget *readout;

  if (!begin (driver))
    return;
  const TlAim *aim = get_aim (driver);
  driver_xdotool (driver, "key l");
  driver_assert_state (driver, "view", "'planes'");
  driver_assert_state (driver, "profile", "true");
  wait (driver);
  assert_profile (driver, TL_PANE_XY); /* a first line is offered */
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    {
      const TlAim before = *aim;
      TlSegment line;

      drag (driver, pane, aim->width[pane] / 2 - 60, aim->height[pane] / 2 + 15,
            80, -8, 1);
      g_assert_true (tl_aim_equal (&before, aim)); /* the cross stays */
      wait (driver);
      assert_profile (driver, pane);
      for (TlPane other = 0; other < TL_N_PANES; other++)
        g_assert_true (other == pane
                       || tl_measure_get_line_in (get_measure (driver), other)
                              == NULL);
      line = *tl_measure_get_line (get_measure (driver));
      for (guint end = 0; end < 2; end++)
        {
          double col, row;

          tl_aim_to_sample (aim, pane,
                            aim->width[pane] / 2 + (end == 0 ? -60 : 20),
                            aim->height[pane] / 2 + (end == 0 ? 15 : 7), place);
          tl_aim_to_picture (aim, pane, place, &col, &row);
          g_assert_cmpfloat (fabs (line.col[end] - col), <=, NEAR / aim->scale);
          g_assert_cmpfloat (fabs (line.row[end] - row), <=, NEAR / aim->scale);
        }
      /* of a length in pixels of the slice, whatever the zoom */
      g_assert_cmpfloat (
          fabs (tl_segment_get_length (&line) - hypot (80, 8) / aim->scale), <=,
          2 * NEAR / aim->scale);
    }
  /* the middle of the line, read from the plane itself */
  drag (driver, TL_PANE_XZ, aim->width[TL_PANE_XZ] / 2 - 60,
        aim->height[TL_PANE_XZ] / 2, 120, 0, 1);
  wait (driver);
  /* the value under the pointer has the unit of the profile */
  readout = gtk_widget_get_last_child (GTK_WIDGET (get_view (driver)));
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (readout)), " 1/cm"));
  tl_aim_to_sample (aim, TL_PANE_XZ, aim->width[TL_PANE_XZ] / 2,
                    aim->height[TL_PANE_XZ] / 2, place);
  g_assert_true (
      tl_planes_read (get_planes (driver), TL_PANE_XZ, place, &value));
  const TlProfile *profile = tl_measure_get_profile (get_measure (driver));
  float min, max;
  g_assert_true (tl_profile_get_range (profile, &min, &max));
  g_assert_cmpfloat (fabsf (profile->values[profile->n / 2] - value), <,
                     0.2F * (max - min));
  g_assert_true (gtk_widget_get_mapped (driver_find (driver, "profile_panel")));
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "planes-profile");
  /* live */
  g_autofree float *before =
      g_memdup2 (profile->values, profile->n * sizeof (float));
  driver_activate (driver, "centre", g_variant_new_double (43));
  wait (driver);
  profile = tl_measure_get_profile (get_measure (driver));
  g_assert_cmpint (
      memcmp (before, profile->values, profile->n * sizeof (float)), !=, 0);
  assert_profile (driver, TL_PANE_XZ);
  /* zoom leaves the line where it is in the sample */
  const TlSegment line = *tl_measure_get_line (get_measure (driver));
  driver_xdotool (driver, "key ctrl+plus key ctrl+plus");
  wait (driver);
  g_assert_cmpmem (tl_measure_get_line (get_measure (driver)), sizeof line,
                   &line, sizeof line);
  assert_profile (driver, TL_PANE_XZ);
  driver_xdotool (driver, "key ctrl+0");
  /* a handle */
  tl_plane_marks_place (aim, TL_PANE_XY, TL_PLANE_GRIP_TURN, 0, &x, &y);
  const double turn = aim->turn[0][0];
  drag (driver, TL_PANE_XY, x, y, 30, 30, 1);
  g_assert_cmpfloat (aim->turn[0][0], !=, turn);
  g_assert_nonnull (tl_measure_get_line_in (get_measure (driver), TL_PANE_XZ));
  /* keys move it, as on the slice */
  drag (driver, TL_PANE_OBLIQUE, aim->width[TL_PANE_OBLIQUE] / 2 - 30,
        aim->height[TL_PANE_OBLIQUE] / 2 - 20, 60, 20, 1);
  const TlSegment drawn = *tl_measure_get_line (get_measure (driver));
  driver_xdotool (driver, "key Right key shift+Down");
  const TlSegment *moved = tl_measure_get_line (get_measure (driver));
  g_assert_cmpfloat (moved->col[0], ==, drawn.col[0] + 1);
  g_assert_cmpfloat (moved->row[0], ==, drawn.row[0]);
  g_assert_cmpfloat (moved->row[1], ==, drawn.row[1] + 1);
  wait (driver);
  /* each picture has a line of its own */
  driver_xdotool (driver, "key F2");
  driver_wait (driver, driver_is_drawn, "the slice");
  driver_assert_state (driver, "profile", "true");
  driver_xdotool (driver, "key p key l");
  wait (driver);
  driver_assert_state (driver, "view", "'planes'");
  driver_assert_state (driver, "profile", "false");
}

/* A drag with Ctrl moves the axis, and all planes follow. */
static void
test_axis (Driver *driver)
{
  int x, y;

  if (!begin (driver))
    return;
  driver_activate (driver, "centre", g_variant_new_double (45));
  wait (driver);
  TlFrame *frame =
      tl_frame_ref (tl_planes_get_set (get_planes (driver))->frames[0]);
  locate (driver, TL_PANE_XY, 120, 120, &x, &y);
  driver_xdotool (driver,
                  "keydown ctrl mousemove %d %d mousedown 1 mousemove %d %d "
                  "mousemove %d %d mouseup 1 keyup ctrl",
                  x, y, x + 5, y, x + 20, y);
  driver_assert_state (driver, "centre", "47.0");
  wait (driver);
  g_assert_true (tl_planes_get_set (get_planes (driver))->frames[0] != frame);
  tl_frame_unref (frame);
  driver_xdotool (driver, "key Escape");
  driver_assert_state (driver, "view", "'slice'");
  driver_wait (driver, driver_is_drawn, "the slice");
}

/* The status line shows what engines and planes hold together. */
static void
assert_memory (Driver *driver)
{
  const guint64 held = tl_planes_count_bytes (get_planes (driver));
  const TlStatus *status = tl_display_get_status (driver->session->display);
  GtkWidget *label = driver_find (driver, "memory_label");
  g_autofree char *both =
      g_format_size_full (status->memory_bytes + held, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *its = g_format_size_full (held, G_FORMAT_SIZE_IEC_UNITS);

  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, both);
  g_assert_cmpint (strstr (gtk_widget_get_tooltip_text (label), its) != NULL,
                   ==, held > 0);
}

static void
count (guint *n)
{
  (*n)++;
}

/* Fewer than the scan below has, and more than those of the other cases. */
double __wrap_tl_display_count_drag_samples (TlDisplay *display);

double
__wrap_tl_display_count_drag_samples (TlDisplay *display)
{
  return 2e5;
}

/* The planes of a large scan come from its bins, which are loaded meanwhile,
 * and follow a drag of the axis. Another view gives them back. */
static void
test_wide (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "wide.h5", NULL);
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  guint n_frames = 0;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  tl_phantom_scan_init (&scan, 120, 16, 300);
  g_assert_true (tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error));
  tl_session_open (driver->session, path);
  driver_wait_for_scan (driver);
  driver_xdotool (driver, "key p");
  wait (driver);
  g_assert_cmpuint (tl_planes_count_bytes (get_planes (driver)), >, 0);
  assert_memory (driver);
  g_assert_cmpfloat (tl_planes_get_progress (get_planes (driver)), ==, 1);
  const gulong handler = g_signal_connect_swapped (
      driver->session->display, "notify::frame", G_CALLBACK (count), &n_frames);
  locate (driver, TL_PANE_XY, 100, 100, &x, &y);
  driver_xdotool (driver, "keydown ctrl mousemove %d %d mousedown 1", x, y);
  for (guint k = 1; k <= 5; k++)
    driver_xdotool (driver, "mousemove %d %d", x + 10 * (int)k, y);
  driver_xdotool (driver, "mouseup 1 keyup ctrl");
  wait (driver);
  g_signal_handler_disconnect (driver->session->display, handler);
  g_assert_cmpuint (n_frames, >=, 5);
  g_assert_cmpuint (tl_planes_get_set (get_planes (driver))->bin, ==, 1);
  driver_xdotool (driver, "key F2");
  driver_wait (driver, driver_is_drawn, "the slice");
  g_assert_cmpuint (tl_planes_count_bytes (get_planes (driver)), ==, 0);
  assert_memory (driver);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { .path = "/planes/cross", .function = test_cross },
    { .path = "/planes/stack", .function = test_stack },
    { .path = "/planes/zoom", .function = test_zoom },
    { .path = "/planes/oblique", .function = test_oblique },
    { .path = "/planes/picture", .function = test_picture },
    { .path = "/planes/keep", .function = test_keep },
    { .path = "/planes/names", .function = test_names },
    { "/ui/planes/names", test_names },
    { .path = "/planes/compare", .function = test_compare },
    { .path = "/planes/compare-pointer", .function = test_compare_pointer },
    { .path = "/planes/wide", .function = test_wide },
    { .path = "/planes/profile", .function = test_profile },
    { .path = "/planes/axis", .function = test_axis },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
