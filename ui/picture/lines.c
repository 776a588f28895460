#include "ui/picture/lines.h"

#include "ui/plot/plot.h"

#include <glib/gi18n.h>
#include <math.h>

#define FINE 0.1      /* Shift: part of the pointer's way */
#define FREE_STEP 0.1 /* Ctrl: columns of the axis for a widget unit */

#define REACH 6.0   /* of the pointer, in widget units */
#define THICK 1.0   /* of the line; three times this while it is dragged */
#define BORDER 1.0  /* dark rim, so that lines are seen on white */
#define PADDING 4.0 /* of a label */

#define LEAST_HEIGHT 40.0 /* of a picture that gets the whole line */
#define END_LENGTH 24.0   /* of the line's ends over a lower picture */

static const GdkRGBA border_colour = { 0, 0, 0, 0.6F };
static const GdkRGBA colours[] = {
  [TL_LINE_SLICE] = { 0.35F, 0.85F, 1, 1 },
  [TL_LINE_AXIS] = { 1, 0.8F, 0.25F, 1 },
};

/* --- positions of the lines --- */

/* A scan of a single row has no slice to choose, and the line would hide it. */
static gboolean
has_line (TlSession *session, TlLine line)
{
  TlPicture picture = tl_display_get_picture (session->display);

  if (tl_display_get_frame (session->display) == NULL)
    return FALSE;
  if (line == TL_LINE_AXIS)
    return picture != TL_PICTURE_SLICE && picture != TL_PICTURE_PLANES;
  return picture == TL_PICTURE_PROJECTION
         && tl_scan_source_get_summary (session->source)->n_rows > 1;
}

static double
get_place (TlSession *session, TlLine line)
{
  TlParameters *parameters = session->parameters;
  return line == TL_LINE_AXIS ? tl_parameters_get_centre (parameters)
                              : (double)tl_parameters_get_slice (parameters);
}

/* Returns: x of the axis at the height @y. Only in a projection does a tilt
 * make the axis lean; a sinogram shows one row of the detector. */
static double
get_axis_position (TlSession *session, const TlCamera *camera, double y)
{
  double col, row, x;

  tl_camera_to_picture (camera, 0, y, &col, &row);
  if (tl_display_get_picture (session->display) != TL_PICTURE_PROJECTION)
    row = tl_parameters_get_slice (session->parameters);
  tl_camera_to_widget (
      camera, tl_parameters_get_axis_col (session->parameters, row), 0, &x, &y);
  return x;
}

/* Returns: x of the axis at the height @y, y of the slice. */
static double
get_position (TlSession *session, const TlCamera *camera, TlLine line, double y)
{
  double x;

  if (line == TL_LINE_AXIS)
    return get_axis_position (session, camera, y);
  tl_camera_to_widget (camera, 0, get_place (session, line), &x, &y);
  return y;
}

TlLine
tl_line_find (TlSession *session, const TlCamera *camera, double x, double y)
{
  TlLine found = TL_LINE_NONE;
  double nearest = REACH;

  for (TlLine line = TL_LINE_SLICE; line <= TL_LINE_AXIS; line++)
    if (has_line (session, line))
      {
        double away = fabs (get_position (session, camera, line, y)
                            - (line == TL_LINE_AXIS ? x : y));

        if (away > nearest)
          continue;
        nearest = away;
        found = line;
      }
  return found;
}

const char *
tl_line_get_cursor (TlLine line)
{
  static const char *const cursors[] = {
    [TL_LINE_SLICE] = "row-resize", [TL_LINE_AXIS] = "col-resize"
  };

  return cursors[line];
}

/* --- dragging --- */

gboolean
tl_line_grab_reach (TlLineGrab *grab, TlSession *session,
                    const TlCamera *camera, gboolean has_pointer, double x,
                    double y)
{
  TlLine line = TL_LINE_NONE;

  if (grab->is_held)
    return FALSE;
  if (has_pointer)
    line = tl_line_find (session, camera, x, y);
  if (line == grab->line)
    return FALSE;
  grab->line = line;
  return TRUE;
}

void
tl_line_grab_begin (TlLineGrab *grab, TlSession *session,
                    const TlCamera *camera, double x, double y,
                    GdkModifierType state)
{
  grab->line = tl_line_find (session, camera, x, y);
  grab->step = 1 / camera->scale;
  if ((state & GDK_SHIFT_MASK) != 0)
    grab->step *= FINE;
  if ((state & GDK_CONTROL_MASK) != 0)
    {
      grab->line = TL_LINE_AXIS;
      grab->step = FREE_STEP;
    }
  grab->is_held = grab->line != TL_LINE_NONE;
  grab->place = get_place (session, grab->line);
}

void
tl_line_grab_move (const TlLineGrab *grab, GtkWidget *widget,
                   TlSession *session, double x, double y)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  double centre = grab->place + x * grab->step;
  double slice = round (grab->place + y * grab->step);

  if (grab->line == TL_LINE_AXIS)
    gtk_widget_activate_action (widget, "app.centre", "d",
                                tl_parameters_limit_centre (session->parameters,
                                                            centre,
                                                            TL_DRAG_PARTS));
  else if (scan != NULL)
    gtk_widget_activate_action (
        widget, "app.slice", "u",
        (guint32)CLAMP (slice, 0, (double)scan->n_rows - 1));
}

/* --- drawing --- */

static void
append_bar (GtkSnapshot *snapshot, const GdkRGBA *colour, TlLine line,
            double position, double length, double thickness)
{
  double start =
      round (position - thickness / 2); /* on whole pixels, for a sharp edge */
  graphene_rect_t bar =
      line == TL_LINE_AXIS ? GRAPHENE_RECT_INIT (
          (float)start, 0, (float)thickness, (float)length)
                           : GRAPHENE_RECT_INIT (0, (float)start, (float)length,
                                                 (float)thickness);

  gtk_snapshot_append_color (snapshot, colour, &bar);
}

static char *
describe (TlSession *session, TlLine line)
{
  TlParameters *parameters = session->parameters;
  if (line == TL_LINE_AXIS)
    return g_strdup_printf (_ ("axis %.*f"),
                            (int)tl_parameters_get_centre_digits (parameters),
                            tl_parameters_get_centre (parameters));
  return g_strdup_printf (_ ("slice %u"), tl_parameters_get_slice (parameters));
}

/* Draws only the ends of the slice's line, left and right, because the whole
 * line would hide a picture that is hardly higher. */
static gboolean
find_ends (const TlCamera *camera, TlLine line, double width,
           graphene_rect_t ends[2])
{
  double height = (double)camera->n_rows * camera->scale;
  double left, right, y;

  if (line != TL_LINE_SLICE || height >= LEAST_HEIGHT)
    return FALSE;
  tl_camera_to_widget (camera, -0.5, 0, &left, &y);
  tl_camera_to_widget (camera, (double)camera->n_cols - 0.5, 0, &right, &y);
  left = CLAMP (left, END_LENGTH, width);
  right = CLAMP (right, 0, width - END_LENGTH);
  ends[0] = GRAPHENE_RECT_INIT ((float)(left - END_LENGTH), 0,
                                (float)END_LENGTH, G_MAXINT16);
  ends[1] = GRAPHENE_RECT_INIT ((float)right, 0, (float)END_LENGTH, G_MAXINT16);
  return TRUE;
}

static void
append_line (GtkSnapshot *snapshot, TlLine line, double position, double length,
             double thickness)
{
  append_bar (snapshot, &border_colour, line, position, length,
              thickness + 2 * BORDER);
  append_bar (snapshot, &colours[line], line, position, length, thickness);
}

/* Draws the axis of a projection, which may lean. */
static void
append_leaning (GtkSnapshot *snapshot, double top, double bottom, double length,
                double thickness)
{
  double angle_deg = atan2 (top - bottom, length) * 180 / G_PI;

  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float)top, 0));
  gtk_snapshot_rotate (snapshot, (float)angle_deg);
  append_line (snapshot, TL_LINE_AXIS, 0, hypot (top - bottom, length),
               thickness);
  gtk_snapshot_restore (snapshot);
}

/* Draws the label at the line's upper or left end, on the side that has room.
 */
static void
append_label (GtkWidget *widget, GtkSnapshot *snapshot, TlSession *session,
              TlLine line, double position, double room)
{
  g_autofree char *text = describe (session, line);
  double width, height, x = PADDING, y = PADDING;
  g_autoptr (PangoLayout) layout = tl_words_new (widget, text, &width, &height);

  if (line == TL_LINE_AXIS)
    {
      x = position + 2 * PADDING;
      if (x + width + PADDING > room)
        x = fmin (position, room) - 2 * PADDING - width;
    }
  else
    {
      x = 2 * PADDING;
      y = position - 2 * PADDING - height;
      if (y < PADDING)
        y = position + 2 * PADDING;
    }
  tl_words_append_label (snapshot, layout, &colours[line], x, y, PADDING);
}

void
tl_lines_snapshot (GtkWidget *widget, GtkSnapshot *snapshot, TlSession *session,
                   const TlCamera *camera, TlLine held, double room)
{
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, width, height);

  gtk_snapshot_push_clip (snapshot, &area);
  for (TlLine line = TL_LINE_SLICE; line <= TL_LINE_AXIS; line++)
    if (has_line (session, line))
      {
        double position = get_position (session, camera, line, 0);
        double bottom = get_position (session, camera, line, height);
        double length = line == TL_LINE_AXIS ? height : width;
        double thickness = line == held ? 3 * THICK : THICK;
        graphene_rect_t ends[2];

        if (find_ends (camera, line, width, ends))
          for (guint i = 0; i < 2; i++)
            {
              gtk_snapshot_push_clip (snapshot, &ends[i]);
              append_line (snapshot, line, position, length, thickness);
              gtk_snapshot_pop (snapshot);
            }
        else if (line == TL_LINE_AXIS && bottom != position)
          append_leaning (snapshot, position, bottom, length, thickness);
        else
          append_line (snapshot, line, position, length, thickness);
        append_label (widget, snapshot, session, line, position, room);
      }
  gtk_snapshot_pop (snapshot);
}
