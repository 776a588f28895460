#include "ui/planes/plane-marks.h"

#include "ui/plot/plot.h"

#include <glib/gi18n.h>
#include <math.h>

/* All in widget units. */
#define THICK 1.0
#define BORDER 1.0 /* dark rim, so that lines are seen on white */
#define GAP 7.0    /* of the lines about the cross, on either side */
#define RADIUS 5.0 /* of a handle */
#define LARGER 1.4 /* while it is held or pointed at */
#define PADDING 4.0

/* Lines in a smaller angle to the pixels of the screen are along them. */
#define STRAIGHT 1e-6

/* Distances of the handles from the cross, as parts of the pane's smaller side.
 */
#define TURN_PART 0.36
#define MOVE_PART 0.2

/* A plane has the same colour in all panes. */
static const GdkRGBA colours[TL_N_PANES] = {
  [TL_PANE_XY] = { 0.45F, 0.72F, 1.0F, 1 },
  [TL_PANE_XZ] = { 0.45F, 0.9F, 0.5F, 1 },
  [TL_PANE_YZ] = { 1.0F, 0.55F, 0.5F, 1 },
  [TL_PANE_OBLIQUE] = { 1.0F, 0.85F, 0.3F, 1 },
};
static const GdkRGBA dark = { 0, 0, 0, 0.6F };

gboolean
tl_plane_marks_place (const TlAim *aim, TlPane pane, TlPlaneGrip grip,
                      guint side, double *x, double *y)
{
  double away = (grip == TL_PLANE_GRIP_TURN ? TURN_PART : MOVE_PART)
                * fmin (aim->width[pane], aim->height[pane]);
  double dx, dy;

  if (!tl_aim_find_trace (aim, pane, TL_PANE_OBLIQUE, &dx, &dy))
    return FALSE;
  tl_aim_to_widget (aim, pane, aim->cross, x, y);
  *x += (side == 0 ? away : -away) * dx;
  *y += (side == 0 ? away : -away) * dy;
  return TRUE;
}

TlPlaneGrip
tl_plane_marks_find (const TlAim *aim, TlPane pane, double x, double y)
{
  double at_x, at_y;

  for (TlPlaneGrip grip = TL_PLANE_GRIP_TURN; grip <= TL_PLANE_GRIP_MOVE;
       grip++)
    for (guint side = 0; side < 2; side++)
      if (tl_plane_marks_place (aim, pane, grip, side, &at_x, &at_y)
          && hypot (x - at_x, y - at_y) <= TL_PLANE_REACH)
        return grip;
  return TL_PLANE_GRIP_CROSS;
}

char *
tl_plane_marks_describe (const TlAim *aim, TlPane pane)
{
  const double position = tl_aim_get_position (aim, pane);

  switch (pane)
    {
    case TL_PANE_XY:
      /* translators: a plane across the axis, and its height */
      return g_strdup_printf (_ ("x–y, slice %.6g"), position);
    case TL_PANE_XZ:
      /* translators: a plane along the axis: its row in the slices */
      return g_strdup_printf (_ ("x–z, row %.6g"), position);
    case TL_PANE_YZ:
      /* translators: a plane along the axis: its column in the slices */
      return g_strdup_printf (_ ("y–z, column %.6g"), position);
    default:
      return g_strdup (_ ("oblique"));
    }
}

/* --- drawing --- */

/* Lines about the cross, from one border of the pane to the other. */
static void
draw_trace (cairo_t *cr, double x, double y, double dx, double dy, double far)
{
  for (int side = -1; side <= 1; side += 2)
    {
      cairo_move_to (cr, x + side * GAP * dx, y + side * GAP * dy);
      cairo_line_to (cr, x + side * far * dx, y + side * far * dy);
    }
}

static void
stroke (cairo_t *cr, const GdkRGBA *colour)
{
  gdk_cairo_set_source_rgba (cr, &dark);
  cairo_set_line_width (cr, THICK + 2 * BORDER);
  cairo_stroke_preserve (cr);
  gdk_cairo_set_source_rgba (cr, colour);
  cairo_set_line_width (cr, THICK);
  cairo_stroke (cr);
}

static void
draw_handle (cairo_t *cr, TlPlaneGrip grip, double x, double y,
             gboolean is_held)
{
  double radius = is_held ? RADIUS * LARGER : RADIUS;

  if (grip == TL_PLANE_GRIP_TURN)
    cairo_arc (cr, x, y, radius, 0, 2 * G_PI);
  else
    cairo_rectangle (cr, x - radius * 0.85, y - radius * 0.85, radius * 1.7,
                     radius * 1.7);
  gdk_cairo_set_source_rgba (cr, &dark);
  cairo_set_line_width (cr, 2 * BORDER);
  cairo_stroke_preserve (cr);
  gdk_cairo_set_source_rgba (cr, &colours[TL_PANE_OBLIQUE]);
  cairo_fill (cr);
}

static void
draw_lines (cairo_t *cr, const TlAim *aim, TlPane pane, TlPlaneGrip held)
{
  double far = aim->width[pane] + aim->height[pane];
  double x, y, dx, dy;

  tl_aim_to_widget (aim, pane, aim->cross, &x, &y);
  far += fabs (x) + fabs (y);
  for (TlPane other = 0; other < TL_N_PANES; other++)
    {
      if (other == pane || !tl_aim_find_trace (aim, pane, other, &dx, &dy))
        continue;
      /* lines along the pixels of the screen are sharp in their middle */
      draw_trace (cr, fabs (dx) < STRAIGHT ? floor (x) + 0.5 : x,
                  fabs (dy) < STRAIGHT ? floor (y) + 0.5 : y, dx, dy, far);
      stroke (cr, &colours[other]);
    }
  for (TlPlaneGrip grip = TL_PLANE_GRIP_TURN; grip <= TL_PLANE_GRIP_MOVE;
       grip++)
    for (guint side = 0; side < 2; side++)
      if (tl_plane_marks_place (aim, pane, grip, side, &x, &y))
        draw_handle (cr, grip, x, y, grip == held);
}

void
tl_plane_marks_draw (GtkSnapshot *snapshot, const TlAim *aim, TlPane pane,
                     TlPlaneGrip held)
{
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, (float)aim->width[pane],
                                             (float)aim->height[pane]);
  cairo_t *cr;

  if (aim->grid.nx == 0)
    return;
  gtk_snapshot_push_clip (snapshot, &area);
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  draw_lines (cr, aim, pane, held);
  cairo_destroy (cr);
  gtk_snapshot_pop (snapshot);
}

void
tl_plane_marks_draw_name (GtkWidget *widget, GtkSnapshot *snapshot,
                          const TlAim *aim, TlPane pane)
{
  g_autofree char *words = tl_plane_marks_describe (aim, pane);
  double width, height;
  g_autoptr (PangoLayout) layout =
      tl_words_new (widget, words, &width, &height);

  if (aim->grid.nx > 0)
    tl_words_append_label (snapshot, layout, &colours[pane], 2 * PADDING,
                           2 * PADDING, PADDING);
}
