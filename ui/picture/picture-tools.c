#include "ui/picture/picture-tools.h"

#include "ui/picture/lines.h"
#include "ui/picture/picture-marks.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define SNAP_DEG 15
#define MIN_DRAG 4.0 /* widget units; less is a click, and draws nothing */

typedef enum
{
  DRAG_END_0,
  DRAG_END_1,
  DRAG_LINE,
  DRAG_OTHER, /* the axis, the slice's line, or what else the parent drags */
  DRAG_NEW
} Drag;

struct _TlPictureTools
{
  GtkWidget parent_instance;

  TlMeasure *measure;
  TlPane pane;
  gboolean has_bars;
  TlPictureToolsOwn is_own; /* (nullable) */
  TlCamera camera;
  Drag drag;
  TlSegment start;         /* the line when the drag began */
  double start_x, start_y; /* where the drag began, widget units */
};

G_DEFINE_FINAL_TYPE (TlPictureTools, tl_picture_tools, GTK_TYPE_WIDGET)

static gboolean
is_active (TlPictureTools *self)
{
  return tl_measure_is_active (self->measure) && self->camera.n_cols > 0;
}

/* --- the target of a drag --- */

static double
get_distance_to_line (double x, double y, const double *xs, const double *ys)
{
  double dx = xs[1] - xs[0], dy = ys[1] - ys[0];
  double squared = dx * dx + dy * dy;
  double part =
      squared > 0 ? ((x - xs[0]) * dx + (y - ys[0]) * dy) / squared : 0;

  part = CLAMP (part, 0, 1);
  return hypot (x - xs[0] - part * dx, y - ys[0] - part * dy);
}

static TlLine
find_other (TlPictureTools *self, double x, double y)
{
  TlView *view = tl_measure_get_view (self->measure);

  return tl_line_find (tl_view_get_session (view), &self->camera, x, y);
}

static Drag
find_beside (TlPictureTools *self, double x, double y)
{
  if (self->is_own != NULL
      && self->is_own (gtk_widget_get_parent (GTK_WIDGET (self)), x, y))
    return DRAG_OTHER;
  return find_other (self, x, y) != TL_LINE_NONE ? DRAG_OTHER : DRAG_NEW;
}

static const TlSegment *
get_line (TlPictureTools *self)
{
  return tl_measure_get_line_in (self->measure, self->pane);
}

static void
set_line (TlPictureTools *self, const TlSegment *line)
{
  tl_measure_set_line (self->measure, self->pane, line);
}

/* The measured line is drawn over the axis and the slice's line, so it wins. */
static Drag
find_drag (TlPictureTools *self, double x, double y)
{
  const TlSegment *line = get_line (self);
  double xs[2], ys[2], distances[2];

  if (line == NULL)
    return find_beside (self, x, y);
  for (guint end = 0; end < 2; end++)
    {
      tl_camera_to_widget (&self->camera, line->col[end], line->row[end],
                           &xs[end], &ys[end]);
      distances[end] = hypot (x - xs[end], y - ys[end]);
    }
  if (fmin (distances[0], distances[1]) <= TL_MARKS_REACH)
    return distances[0] < distances[1] ? DRAG_END_0 : DRAG_END_1;
  if (get_distance_to_line (x, y, xs, ys) <= TL_MARKS_REACH)
    return DRAG_LINE;
  return find_beside (self, x, y);
}

static const char *
name_cursor (TlPictureTools *self, double x, double y)
{
  switch (find_drag (self, x, y))
    {
    case DRAG_END_0:
    case DRAG_END_1:
      return "grab";
    case DRAG_LINE:
      return "move";
    case DRAG_OTHER:
      return tl_line_get_cursor (find_other (self, x, y));
    default:
      return "crosshair";
    }
}

static void
on_motion (TlPictureTools *self, double x, double y)
{
  if (is_active (self))
    gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                     name_cursor (self, x, y));
}

/* --- dragging --- */

/* Leaves drags with Ctrl to TlSliceView, which drags the axis. */
static void
on_drag_begin (TlPictureTools *self, double x, double y, GtkGesture *gesture)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (gesture));
  const TlSegment *line;

  if (!is_active (self) || (state & GDK_CONTROL_MASK) != 0
      || find_drag (self, x, y) == DRAG_OTHER)
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  line = get_line (self);
  self->drag = find_drag (self, x, y);
  self->start_x = x;
  self->start_y = y;
  if (line != NULL)
    self->start = *line;
}

static void
move_end (TlSegment *line, guint end, double col, double row, gboolean snap)
{
  line->col[end] = col;
  line->row[end] = row;
  if (snap)
    tl_segment_snap (line, end, SNAP_DEG);
}

static void
on_drag_update (TlPictureTools *self, double x, double y, GtkGesture *gesture)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (gesture));
  gboolean snap = (state & GDK_SHIFT_MASK) != 0;
  TlSegment line = self->start;
  double col, row, start_col, start_row;

  if (self->drag == DRAG_NEW && hypot (x, y) < MIN_DRAG)
    return;
  tl_camera_to_picture (&self->camera, self->start_x, self->start_y, &start_col,
                        &start_row);
  tl_camera_to_picture (&self->camera, self->start_x + x, self->start_y + y,
                        &col, &row);
  switch (self->drag)
    {
    case DRAG_END_0:
    case DRAG_END_1:
      move_end (&line, self->drag == DRAG_END_1, col, row, snap);
      break;
    case DRAG_LINE:
      for (guint end = 0; end < 2; end++)
        {
          line.col[end] += col - start_col;
          line.row[end] += row - start_row;
        }
      break;
    case DRAG_NEW:
      line.col[0] = start_col;
      line.row[0] = start_row;
      move_end (&line, 1, col, row, snap);
      break;
    case DRAG_OTHER:
      return;
    }
  set_line (self, &line);
}

static gboolean
on_key (TlPictureTools *self, guint keyval, guint keycode,
        GdkModifierType state)
{
  const TlSegment *shown = is_active (self) ? get_line (self) : NULL;
  double d_col = 0, d_row = 0;
  TlSegment line;

  if (shown == NULL || (state & (GDK_ALT_MASK | GDK_CONTROL_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Left:
      d_col = -1;
      break;
    case GDK_KEY_Right:
      d_col = 1;
      break;
    case GDK_KEY_Up:
      d_row = -1;
      break;
    case GDK_KEY_Down:
      d_row = 1;
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  line = *shown;
  for (guint end = (state & GDK_SHIFT_MASK) != 0; end < 2; end++)
    {
      line.col[end] += d_col;
      line.row[end] += d_row;
    }
  set_line (self, &line);
  return GDK_EVENT_STOP;
}

/* --- the widget --- */

void
tl_picture_tools_draw (TlPictureTools *self, GtkSnapshot *snapshot)
{
  tl_picture_marks_draw (snapshot, GTK_WIDGET (self), &self->camera,
                         self->measure, get_line (self), self->has_bars);
}

static void
tl_picture_tools_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  tl_picture_tools_draw (TL_PICTURE_TOOLS (widget), snapshot);
}

static void
tl_picture_tools_class_init (TlPictureToolsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = tl_picture_tools_snapshot;
  gtk_widget_class_set_css_name (widget_class, "picturetools");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_picture_tools_init (TlPictureTools *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->has_bars = TRUE;
  gtk_widget_set_can_target (widget, FALSE);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update),
                            self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, keys);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
}

GtkWidget *
tl_picture_tools_new (void)
{
  return g_object_new (TL_TYPE_PICTURE_TOOLS, NULL);
}

static void
on_active (TlPictureTools *self)
{
  gboolean active = tl_measure_is_active (self->measure);

  gtk_widget_set_can_target (GTK_WIDGET (self), active);
  gtk_widget_set_focusable (GTK_WIDGET (self), active);
}

static void
update (TlPictureTools *self)
{
  g_autofree char *line = get_line (self) != NULL
                              ? tl_measure_describe_line (self->measure)
                              : g_strdup ("");
  /* translators: length and angle follow */
  g_autofree char *label = g_strdup_printf (_ ("Profile line %s"), line);

  tl_widget_name (self, label);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
tl_picture_tools_set_measure (TlPictureTools *self, TlMeasure *measure)
{
  TlView *view = tl_measure_get_view (measure);

  g_return_if_fail (self->measure == NULL);

  self->measure = tl_keep (self, measure);
  tl_follow (measure, "line width scale-bar colour-bar mark",
             G_CALLBACK (update), self);
  tl_follow (view, "low high colormap", G_CALLBACK (gtk_widget_queue_draw),
             self);
  tl_follow (measure, "active", G_CALLBACK (on_active), self);
  update (self);
}

void
tl_picture_tools_set_pane (TlPictureTools *self, TlPane pane, gboolean has_bars,
                           TlPictureToolsOwn is_own)
{
  self->pane = pane;
  self->has_bars = has_bars;
  self->is_own = is_own;
}

void
tl_picture_tools_set_camera (TlPictureTools *self, const TlCamera *camera)
{
  self->camera = *camera;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
