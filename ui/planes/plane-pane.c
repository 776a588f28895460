#include "ui/planes/plane-pane.h"

#include "render/program.h"
#include "render/slice-layer.h"
#include "ui/compare/compare-overlay.h"
#include "ui/picture/gestures.h"
#include "ui/picture/lines.h"
#include "ui/picture/picture-tools.h"
#include "ui/planes/plane-marks.h"
#include "ui/view/gl-context.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define TURN_DEG 1.0     /* of a key */
#define MANY 10.0        /* steps with Shift */
#define NAME_HEIGHT 28.0 /* of what is written above the labels of A and B */

struct _TlPlanePane
{
  GtkGLArea parent_instance;

  TlView *view;
  TlMeasure *measure;
  TlSession *session;
  TlPlanes *planes;
  TlCompare *compare;
  TlPane pane;
  GtkWidget *tools, *compared;
  TlSlicePass
      *pass; /* made in realize, like the layers: all need the context */
  TlSliceLayer layer, held;    /* B and A */
  TlFrame *frame, *held_frame; /* (nullable): in the layers */
  gboolean is_drawn;

  double scrolled; /* part of a step that is left */
  gboolean has_pointer;
  double pointer_x, pointer_y;
  TlPlaneGrip grip;        /* under the pointer, or dragged */
  gboolean is_held;        /* there is a drag */
  gboolean is_panning;     /* with the middle button */
  TlLineGrab axis;         /* with Ctrl */
  double start_x, start_y; /* of the drag */
  double last_x, last_y;   /* offset of the drag that was already used */
};

G_DEFINE_FINAL_TYPE (TlPlanePane, tl_plane_pane, GTK_TYPE_GL_AREA)

static guint pointed_signal;

static TlAim
get_aim (TlPlanePane *self)
{
  return *tl_planes_get_aim (self->planes);
}

static void
set_aim (TlPlanePane *self, const TlAim *aim)
{
  tl_planes_set_aim (self->planes, aim);
}

/* Returns: x where the half with B begins in mode side by side, else 0 */
static int
get_left (TlPlanePane *self)
{
  return tl_compare_get_left (self->compare,
                              gtk_widget_get_width (GTK_WIDGET (self)));
}

/* Returns: @x in the coordinates of the aim, which both halves share */
static double
to_half (TlPlanePane *self, double x)
{
  const int left = get_left (self);

  return x >= left ? x - left : x;
}

/* --- under the pointer --- */

/* Returns: (transfer full): the values of A and B */
static char *
describe_compared (const TlUnits *units, const TlGrid *grid,
                   const double *place, double a, double b)
{
  a *= units->per_value;
  b *= units->per_value;
  /* translators: place in the volume, the values of both planes there, by how
   * much the second is larger, and the unit of the colour bar */
  return g_strdup_printf (_ ("column %.1f · row %.1f · slice %.1f · A %.6g · "
                             "B %.6g · B − A %.4g %s"),
                          (place[0] - grid->x0) / grid->pitch,
                          (grid->y0 - place[1]) / grid->pitch, place[2], a, b,
                          b - a, units->unit);
}

static char *
describe_pixel (TlPlanePane *self)
{
  const TlAim *aim = tl_planes_get_aim (self->planes);
  const TlGrid *grid = &aim->grid;
  double place[3];
  float value, a;
  TlUnits units;
  g_autofree char *words = NULL;

  if (!self->has_pointer || aim->grid.nx == 0)
    return NULL;
  tl_aim_to_sample (aim, self->pane, self->pointer_x, self->pointer_y, place);
  if (!tl_planes_read (self->planes, self->pane, place, &value))
    return NULL;
  tl_measure_get_units (self->measure, &units);
  if (tl_compare_get_mode (self->compare) != TL_COMPARE_OFF
      && tl_planes_read_compared (self->planes, self->pane, place, &a, &value))
    return describe_compared (&units, grid, place, (double)a, (double)value);
  words = tl_units_format (&units, (double)value);
  /* translators: place in the volume, and value under the pointer */
  return g_strdup_printf (_ ("column %.1f · row %.1f · slice %.1f · %s"),
                          (place[0] - grid->x0) / grid->pitch,
                          (grid->y0 - place[1]) / grid->pitch, place[2], words);
}

static void
update_pointer (TlPlanePane *self)
{
  static const char *const cursors[] = { [TL_PLANE_GRIP_CROSS] = "crosshair",
                                         [TL_PLANE_GRIP_TURN] = "grab",
                                         [TL_PLANE_GRIP_MOVE] = "move" };
  g_autofree char *words = describe_pixel (self);
  TlPlaneGrip grip = TL_PLANE_GRIP_CROSS;

  g_signal_emit (self, pointed_signal, 0, words);
  if (self->is_held)
    return;
  if (self->has_pointer)
    grip = tl_plane_marks_find (tl_planes_get_aim (self->planes), self->pane,
                                self->pointer_x, self->pointer_y);
  if (grip != self->grip)
    gtk_widget_queue_draw (GTK_WIDGET (self));
  self->grip = grip;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), cursors[grip]);
}

static void
on_motion (TlPlanePane *self, double x, double y)
{
  self->has_pointer = TRUE;
  self->pointer_x = to_half (self, x);
  self->pointer_y = y;
  update_pointer (self);
}

static void
on_leave (TlPlanePane *self)
{
  self->has_pointer = FALSE;
  update_pointer (self);
}

gboolean
tl_plane_pane_has_pointer (TlPlanePane *self)
{
  return self->has_pointer;
}

/* --- zoom and pan --- */

void
tl_plane_pane_zoom (TlPlanePane *self, double factor)
{
  TlAim aim = get_aim (self);
  double x = aim.width[self->pane] / 2, y = aim.height[self->pane] / 2;

  if (self->has_pointer)
    {
      x = self->pointer_x;
      y = self->pointer_y;
    }
  tl_aim_zoom (&aim, self->pane, factor, x, y);
  set_aim (self, &aim);
}

static void
zoom_widget (GtkWidget *widget, double factor)
{
  tl_plane_pane_zoom (TL_PLANE_PANE (widget), factor);
}

static void
move_widget (GtkWidget *widget, double factor, double x, double y, double dx,
             double dy)
{
  TlPlanePane *self = TL_PLANE_PANE (widget);
  TlAim aim = get_aim (self);

  tl_aim_pan (&aim, self->pane, dx, dy);
  tl_aim_zoom (&aim, self->pane, factor, to_half (self, x), y);
  set_aim (self, &aim);
}

static void
step (TlPlanePane *self, double n)
{
  TlAim aim = get_aim (self);

  tl_aim_step (&aim, self->pane, n);
  set_aim (self, &aim);
}

/* A notch of a wheel is a pixel. A touchpad reports parts of a notch, which are
 * added up, so that a plane along the axes always goes through pixels of the
 * slices. */
static void
step_widget (GtkWidget *widget, double n)
{
  TlPlanePane *self = TL_PLANE_PANE (widget);
  double whole = trunc (self->scrolled + n);

  self->scrolled += n - whole;
  if (whole != 0)
    step (self, whole);
}

static void
on_pressed (TlPlanePane *self, int n_press)
{
  TlAim aim = get_aim (self);

  if (n_press != 2)
    return;
  tl_aim_fit (&aim);
  set_aim (self, &aim);
}

/* --- dragging --- */

static void
point (TlPlanePane *self, double x, double y)
{
  TlAim aim = get_aim (self);

  tl_aim_point (&aim, self->pane, x, y);
  set_aim (self, &aim);
}

/* The handle follows the pointer about the cross. */
static void
turn (TlPlanePane *self, double x, double y)
{
  TlAim aim = get_aim (self);
  double cross_x, cross_y, dx, dy;

  if (!tl_aim_find_trace (&aim, self->pane, TL_PANE_OBLIQUE, &dx, &dy))
    return;
  tl_aim_to_widget (&aim, self->pane, aim.cross, &cross_x, &cross_y);
  x -= cross_x;
  y -= cross_y;
  if (dx * x + dy * y < 0) /* the other one of the two handles */
    {
      dx = -dx;
      dy = -dy;
    }
  tl_aim_turn (&aim, self->pane, atan2 (dx * y - dy * x, dx * x + dy * y));
  set_aim (self, &aim);
}

/* The line follows the pointer, in the direction across it. */
static void
move_oblique (TlPlanePane *self, double x, double y)
{
  TlAim aim = get_aim (self);
  double cross_x, cross_y, dx, dy, place[3];

  if (!tl_aim_find_trace (&aim, self->pane, TL_PANE_OBLIQUE, &dx, &dy))
    return;
  tl_aim_to_widget (&aim, self->pane, aim.cross, &cross_x, &cross_y);
  const double across = (x - cross_x) * -dy + (y - cross_y) * dx;
  tl_aim_to_sample (&aim, self->pane, cross_x - across * dy,
                    cross_y + across * dx, place);
  tl_aim_move_cross (&aim, place);
  set_aim (self, &aim);
}

static void
drag_to (TlPlanePane *self, double x, double y)
{
  if (self->grip == TL_PLANE_GRIP_TURN)
    turn (self, x, y);
  else if (self->grip == TL_PLANE_GRIP_MOVE)
    move_oblique (self, x, y);
  else
    point (self, x, y);
}

static void
on_drag_begin (TlPlanePane *self, double x, double y, GtkGesture *gesture)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (gesture));
  guint button = tl_gestures_take_button (gesture);
  const TlAim *aim = tl_planes_get_aim (self->planes);
  TlCamera camera;

  if (button == 0)
    return;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  x = to_half (self, x);
  self->is_held = TRUE;
  self->is_panning = button == GDK_BUTTON_MIDDLE;
  self->start_x = x;
  self->start_y = y;
  self->last_x = self->last_y = 0;
  self->axis.is_held = FALSE;
  self->grip = tl_plane_marks_find (aim, self->pane, x, y);
  if (self->is_panning)
    return;
  if ((state & GDK_CONTROL_MASK) != 0)
    {
      tl_camera_init (&camera);
      tl_line_grab_begin (&self->axis, self->session, &camera, x, y, state);
    }
  else if (self->grip == TL_PLANE_GRIP_CROSS)
    point (self, x, y);
}

static void
on_drag_update (TlPlanePane *self, double x, double y)
{
  TlAim aim;

  if (self->axis.is_held)
    tl_line_grab_move (&self->axis, GTK_WIDGET (self), self->session, x, y);
  else if (!self->is_panning)
    drag_to (self, self->start_x + x, self->start_y + y);
  else
    {
      aim = get_aim (self);
      tl_aim_pan (&aim, self->pane, x - self->last_x, y - self->last_y);
      set_aim (self, &aim);
    }
  self->last_x = x;
  self->last_y = y;
}

static void
on_drag_end (TlPlanePane *self)
{
  self->is_held = self->is_panning = self->axis.is_held = FALSE;
  update_pointer (self);
}

/* The values of the pane that had the focus last are saved. */
static void
on_focus (TlPlanePane *self)
{
  tl_display_set_pane (self->session->display, self->pane);
}

/* --- keys --- */

/* Moves the cross by whole pixels of a slice in the pane. */
static void
move_cross (TlPlanePane *self, double right, double down)
{
  TlAim aim = get_aim (self);
  double x, y, unit = aim.scale * aim.grid.pitch;

  tl_aim_to_widget (&aim, self->pane, aim.cross, &x, &y);
  tl_aim_point (&aim, self->pane, x + right * unit, y + down * unit);
  set_aim (self, &aim);
}

static void
turn_by_key (TlPlanePane *self, double sign)
{
  TlAim aim = get_aim (self);

  tl_aim_turn (&aim, self->pane, sign * TURN_DEG * G_PI / 180);
  set_aim (self, &aim);
}

static gboolean
on_cross_key (TlPlanePane *self, guint keyval)
{
  switch (keyval)
    {
    case GDK_KEY_Left:
      move_cross (self, -1, 0);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
      move_cross (self, 1, 0);
      return GDK_EVENT_STOP;
    case GDK_KEY_Up:
      move_cross (self, 0, -1);
      return GDK_EVENT_STOP;
    case GDK_KEY_Down:
      move_cross (self, 0, 1);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static gboolean
on_key (TlPlanePane *self, guint keyval, guint keycode, GdkModifierType state)
{
  const gboolean has_shift = (state & GDK_SHIFT_MASK) != 0;
  const double n = has_shift ? MANY : 1;

  state &= GDK_ALT_MASK | GDK_CONTROL_MASK | GDK_SHIFT_MASK;
  if (state == GDK_CONTROL_MASK)
    return on_cross_key (self, keyval);
  if ((state & ~GDK_SHIFT_MASK) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Up:
      step (self, n);
      return GDK_EVENT_STOP;
    case GDK_KEY_Down:
      step (self, -n);
      return GDK_EVENT_STOP;
    case GDK_KEY_r:
    case GDK_KEY_R:
      turn_by_key (self, has_shift ? -1 : 1);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* --- drawing --- */

/* Uploads @frame, (nullable), unless it is @old already. Returns: whether
 * @layer shows another one now */
static gboolean
take_plane (TlPlanePane *self, TlFrame *frame, TlFrame **old,
            TlSliceLayer *layer)
{
  g_autoptr (GError) error = NULL;

  if (self->pass == NULL || frame == *old)
    return FALSE;
  gtk_gl_area_make_current (GTK_GL_AREA (self));
  g_clear_pointer (old, tl_frame_unref);
  self->is_drawn = layer->is_shown = FALSE;
  gtk_gl_area_queue_render (GTK_GL_AREA (self));
  if (frame == NULL)
    {
      tl_slice_layer_clear (layer);
      return FALSE;
    }
  *old = tl_frame_ref (frame);
  layer->pitch = 1;
  if (!tl_slice_layer_show (layer, frame, &error))
    tl_view_set_problem (self->view, error->message);
  return layer->is_shown;
}

static void
take_held (TlPlanePane *self)
{
  const TlPlaneSet *set = &tl_planes_get_compared (self->planes)->held;

  take_plane (self, set->frames[self->pane], &self->held_frame, &self->held);
  update_pointer (self);
}

/* Takes the newest planes. */
static void
take_frame (TlPlanePane *self)
{
  const TlPlaneSet *set = tl_planes_get_set (self->planes);

  take_held (self);
  if (take_plane (self, set->frames[self->pane], &self->frame, &self->layer))
    tl_view_set_path (self->view, tl_texture_get_path (self->layer.texture),
                      tl_texture_is_interop (self->layer.texture));
}

/* Returns: the camera, in pixels of the plane that is shown, that has it at its
 * place in the pane */
static TlCamera
find_camera (TlPlanePane *self)
{
  const TlAim *aim = tl_planes_get_aim (self->planes);
  const TlPlane *plane = &tl_planes_get_set (self->planes)->planes[self->pane];
  TlCamera camera;

  tl_camera_init (&camera);
  camera.width = aim->width[self->pane];
  camera.height = aim->height[self->pane];
  camera.n_cols = self->layer.n_cols;
  camera.n_rows = self->layer.n_rows;
  if (self->layer.is_shown)
    tl_aim_place_frame (aim, self->pane, plane, &camera.col, &camera.row,
                        &camera.scale);
  return camera;
}

static gboolean
tl_plane_pane_render (GtkGLArea *area, GdkGLContext *context)
{
  TlPlanePane *self = TL_PLANE_PANE (area);
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (area));
  TlCamera camera;
  /* transparent: the window's background shows beside the picture */
  TlSliceLook look = {
    .width = gtk_widget_get_width (GTK_WIDGET (area)) * scale,
    .height = gtk_widget_get_height (GTK_WIDGET (area)) * scale,
  };

  if (self->pass == NULL)
    return FALSE;
  tl_program_forget_errors ();
  look.low = (float)tl_view_get_low (self->view);
  look.high = (float)tl_view_get_high (self->view);
  look.colormap = tl_view_get_colormap (self->view);
  camera = find_camera (self);
  if (!tl_compare_draw (self->compare, &self->held, &self->layer, self->pass,
                        &camera, &look))
    tl_slice_layer_draw (&self->layer, self->pass, &camera, &look);
  self->is_drawn =
      tl_gl_context_check (area, self->view) && self->layer.is_shown;
  return TRUE;
}

/* Bars and the measured line are those of the slice: they count its pixels. */
static void
place_tools (TlPlanePane *self)
{
  const TlAim *aim = tl_planes_get_aim (self->planes);
  TlCamera camera;

  tl_camera_init (&camera);
  camera.width = aim->width[self->pane];
  camera.height = aim->height[self->pane];
  camera.n_cols = camera.n_rows = aim->grid.nx;
  if (aim->grid.nx > 0)
    {
      camera.scale = aim->scale * aim->grid.pitch;
      tl_aim_to_picture (aim, self->pane, aim->eye, &camera.col, &camera.row);
    }
  tl_picture_tools_set_camera (TL_PICTURE_TOOLS (self->tools), &camera);
}

/* @left: where the half begins */
static void
draw_marks (TlPlanePane *self, GtkSnapshot *snapshot, int left)
{
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float)left, 0));
  tl_plane_marks_draw (snapshot, tl_planes_get_aim (self->planes), self->pane,
                       self->grip);
  gtk_snapshot_restore (snapshot);
}

static void
tl_plane_pane_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlPlanePane *self = TL_PLANE_PANE (widget);

  GTK_WIDGET_CLASS (tl_plane_pane_parent_class)->snapshot (widget, snapshot);
  draw_marks (self, snapshot, 0);
  if (get_left (self) > 0)
    draw_marks (self, snapshot, get_left (self));
  /* once for both halves, whose width it may need */
  tl_plane_marks_draw_name (widget, snapshot, tl_planes_get_aim (self->planes),
                            self->pane);
  gtk_widget_snapshot_child (widget, self->tools, snapshot);
  gtk_widget_snapshot_child (widget, self->compared, snapshot);
}

gboolean
tl_plane_pane_is_drawn (TlPlanePane *self)
{
  return self->is_drawn
         || tl_planes_get_set (self->planes)->frames[self->pane] == NULL;
}

/* --- the widget --- */

static void
tl_plane_pane_realize (GtkWidget *widget)
{
  TlPlanePane *self = TL_PLANE_PANE (widget);

  GTK_WIDGET_CLASS (tl_plane_pane_parent_class)->realize (widget);
  self->pass = tl_gl_context_make_pass (GTK_GL_AREA (widget), self->view);
  if (self->pass != NULL)
    take_frame (self);
}

static void
tl_plane_pane_unrealize (GtkWidget *widget)
{
  TlPlanePane *self = TL_PLANE_PANE (widget);

  gtk_gl_area_make_current (GTK_GL_AREA (self));
  self->is_drawn = FALSE;
  tl_slice_layer_clear (&self->layer);
  tl_slice_layer_clear (&self->held);
  g_clear_pointer (&self->frame, tl_frame_unref);
  g_clear_pointer (&self->held_frame, tl_frame_unref);
  g_clear_pointer (&self->pass, tl_slice_pass_free);
  GTK_WIDGET_CLASS (tl_plane_pane_parent_class)->unrealize (widget);
}

static void
tl_plane_pane_size_allocate (GtkWidget *widget, int width, int height,
                             int baseline)
{
  TlPlanePane *self = TL_PLANE_PANE (widget);

  GTK_WIDGET_CLASS (tl_plane_pane_parent_class)
      ->size_allocate (widget, width, height, baseline);
  const int left = get_left (self);

  gtk_widget_size_allocate (
      self->tools, &(GtkAllocation){ left, 0, width - left, height }, baseline);
  gtk_widget_size_allocate (self->compared,
                            &(GtkAllocation){ 0, 0, width, height }, baseline);
}

static void
tl_plane_pane_measure (GtkWidget *widget, GtkOrientation orientation,
                       int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  /* GTK wants each child to be measured before it gets its size */
  gtk_widget_measure (TL_PLANE_PANE (widget)->compared, orientation, for_size,
                      minimum, natural, NULL, NULL);
  gtk_widget_measure (TL_PLANE_PANE (widget)->tools, orientation, for_size,
                      minimum, natural, NULL, NULL);
}

static void
tl_plane_pane_dispose (GObject *object)
{
  g_clear_pointer (&TL_PLANE_PANE (object)->tools, gtk_widget_unparent);
  g_clear_pointer (&TL_PLANE_PANE (object)->compared, gtk_widget_unparent);
  G_OBJECT_CLASS (tl_plane_pane_parent_class)->dispose (object);
}

static void
tl_plane_pane_class_init (TlPlanePaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GtkGLAreaClass *area_class = GTK_GL_AREA_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_plane_pane_dispose;
  widget_class->size_allocate = tl_plane_pane_size_allocate;
  widget_class->measure = tl_plane_pane_measure;
  widget_class->realize = tl_plane_pane_realize;
  widget_class->unrealize = tl_plane_pane_unrealize;
  widget_class->snapshot = tl_plane_pane_snapshot;
  area_class->render = tl_plane_pane_render;
  area_class->create_context = tl_gl_context_new;
  gtk_widget_class_set_css_name (widget_class, "planepane");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  pointed_signal =
      g_signal_new ("pointed", TL_TYPE_PLANE_PANE, G_SIGNAL_RUN_LAST, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
tl_plane_pane_init (TlPlanePane *self)
{
  static const TlGesturesTarget target = { zoom_widget, move_widget,
                                           step_widget };
  static const TlDragTarget drag = {
    .begin = G_CALLBACK (on_drag_begin),
    .update = G_CALLBACK (on_drag_update),
    .end = G_CALLBACK (on_drag_end),
    .pressed = G_CALLBACK (on_pressed),
  };
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_widget_set_focusable (widget, TRUE);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, motion);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (on_focus), self);
  gtk_widget_add_controller (widget, keys);
  gtk_widget_add_controller (widget, focus);
  tl_gestures_add_drag (widget, &drag, self);
  tl_gestures_add (widget, &target);
  self->tools = tl_picture_tools_new ();
  gtk_widget_set_parent (self->tools, widget);
  self->compared = tl_compare_overlay_new ();
  tl_compare_overlay_set_top (TL_COMPARE_OVERLAY (self->compared), NAME_HEIGHT);
  gtk_widget_set_parent (self->compared, widget);
}

GtkWidget *
tl_plane_pane_new (void)
{
  return g_object_new (TL_TYPE_PLANE_PANE, NULL);
}

static void
on_aim (TlPlanePane *self)
{
  g_autofree char *words =
      tl_plane_marks_describe (tl_planes_get_aim (self->planes), self->pane);

  tl_widget_name (self, words);
  place_tools (self);
  update_pointer (self);
  gtk_gl_area_queue_render (GTK_GL_AREA (self));
}

/* The half of the tools begins elsewhere in mode side by side. */
static void
on_comparison (TlPlanePane *self)
{
  take_held (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  gtk_gl_area_queue_render (GTK_GL_AREA (self));
}

static gboolean
is_on_handle (GtkWidget *widget, double x, double y)
{
  TlPlanePane *self = TL_PLANE_PANE (widget);

  return tl_plane_marks_find (tl_planes_get_aim (self->planes), self->pane, x,
                              y)
         != TL_PLANE_GRIP_CROSS;
}

void
tl_plane_pane_bind (TlPlanePane *self, TlMeasure *measure, TlCompare *compare,
                    TlPane pane, gboolean has_bars)
{
  TlView *view = tl_measure_get_view (measure);
  TlPictureTools *tools = TL_PICTURE_TOOLS (self->tools);

  g_return_if_fail (self->view == NULL);

  self->view = tl_keep (self, view);
  self->measure = tl_keep (self, measure);
  self->compare = tl_keep (self, compare);
  self->session = tl_view_get_session (view);
  self->planes = tl_session_get_planes (self->session);
  self->pane = pane;
  tl_picture_tools_set_pane (tools, pane, has_bars, is_on_handle);
  tl_picture_tools_set_measure (tools, measure);
  g_signal_connect_object (self->planes, "changed", G_CALLBACK (on_aim), self,
                           G_CONNECT_SWAPPED);
  tl_compare_overlay_set_compare (TL_COMPARE_OVERLAY (self->compared), compare);
  tl_follow (self->session->display, "frame", G_CALLBACK (take_frame), self);
  tl_follow (self->session->display, "comparison", G_CALLBACK (on_comparison),
             self);
  tl_follow (compare, "", G_CALLBACK (gtk_gl_area_queue_render), self);
  tl_follow (view, "low high colormap", G_CALLBACK (gtk_gl_area_queue_render),
             self);
  on_aim (self);
}
