#include "ui/picture/slice-view.h"

#include "ui/compare/compare-overlay.h"
#include "ui/picture/gestures.h"
#include "ui/view/kept-cameras.h"
#include "ui/picture/lines.h"
#include "ui/picture/picture-area.h"
#include "ui/picture/picture-tools.h"
#include "ui/picture/readout.h"
#include "ui/view/visible.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlSliceView
{
  GtkWidget parent_instance;

  GtkWidget *overlay, *area, *tools, *compared, *label;
  TlView *view;
  TlCompare *compare; /* (nullable) */
  TlCamera camera;
  TlKeptCameras kept; /* cameras of the pictures not shown */

  gboolean has_pointer;
  double pointer_x, pointer_y;
  double drag_x, drag_y; /* offset of the drag that was already used */
  TlLineGrab grab;
};

G_DEFINE_FINAL_TYPE (TlSliceView, tl_slice_view, GTK_TYPE_WIDGET)

/* -- the picture and its place -------------------------------------------- */

/* Returns: x where the half with B begins in mode side by side, else 0 */
static int
get_left (TlSliceView *self)
{
  return self->compare != NULL ? tl_compare_get_left (
             self->compare, gtk_widget_get_width (GTK_WIDGET (self)))
                               : 0;
}

/* The camera has the size of one half in mode side by side. */
static void
resize_camera (TlSliceView *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));

  tl_camera_resize (&self->camera, width - get_left (self),
                    gtk_widget_get_height (GTK_WIDGET (self)));
}

/* The tools cover the half with B. */
static gboolean
place_tools (TlSliceView *self, GtkWidget *child, GdkRectangle *place)
{
  int left = get_left (self);

  if (child != self->tools)
    return FALSE;
  *place =
      (GdkRectangle){ left, 0, gtk_widget_get_width (GTK_WIDGET (self)) - left,
                      gtk_widget_get_height (GTK_WIDGET (self)) };
  return TRUE;
}

static void
update_camera (TlSliceView *self)
{
  tl_picture_area_set_camera (TL_PICTURE_AREA (self->area), &self->camera);
  tl_picture_tools_set_camera (TL_PICTURE_TOOLS (self->tools), &self->camera);
  if (self->view != NULL)
    tl_visible_tell (tl_view_get_session (self->view), self->kept.picture,
                     &self->camera, gtk_widget_get_scale_factor (self->area));
}

static void
change_picture (TlSliceView *self)
{
  static const char *const labels[] = {
    [TL_PICTURE_SLICE] = N_ ("Reconstructed slice"),
    [TL_PICTURE_SINOGRAM] = N_ ("Sinogram"),
    [TL_PICTURE_PROJECTION] = N_ ("Projection"),
    [TL_PICTURE_OVERLAY] = N_ ("Opposite projections"),
  };
  TlPicture picture =
      tl_display_get_picture (tl_view_get_session (self->view)->display);

  if (!tl_kept_cameras_turn_to (&self->kept, picture, &self->camera))
    return;
  resize_camera (self);
  tl_widget_name (self, _ (labels[picture]));
}

/* -- under the pointer ---------------------------------------------------- */

static void
update_readout (TlSliceView *self)
{
  g_autofree char *readout =
      self->has_pointer ? tl_readout_describe (tl_view_get_session (self->view),
                                               &self->camera, self->pointer_x,
                                               self->pointer_y)
                        : NULL;

  if (tl_readout_show (GTK_LABEL (self->label), readout))
    tl_widget_describe (self, readout);
}

static void
update_line (TlSliceView *self)
{
  if (!tl_line_grab_reach (&self->grab, tl_view_get_session (self->view),
                           &self->camera, self->has_pointer, self->pointer_x,
                           self->pointer_y))
    return;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   tl_line_get_cursor (self->grab.line));
  tl_picture_area_set_held (TL_PICTURE_AREA (self->area), self->grab.line);
}

static void
update_pointer (TlSliceView *self)
{
  update_readout (self);
  update_line (self);
}

static void
on_frame (TlSliceView *self)
{
  change_picture (self);
  if (tl_kept_cameras_take_size (&self->kept, tl_view_get_session (self->view),
                                 &self->camera))
    update_camera (self);
  update_pointer (self);
}

static void
on_comparison (TlSliceView *self)
{
  resize_camera (self);
  gtk_widget_queue_allocate (self->overlay);
  update_camera (self);
  update_pointer (self);
}

/* Returns: @x in the camera's coordinates, which both halves share */
static double
to_half (TlSliceView *self, double x)
{
  int left = get_left (self);

  return x >= left ? x - left : x;
}

static void
on_motion (TlSliceView *self, double x, double y)
{
  self->has_pointer = TRUE;
  self->pointer_x = to_half (self, x);
  self->pointer_y = y;
  update_pointer (self);
}

static void
on_leave (TlSliceView *self)
{
  self->has_pointer = FALSE;
  update_pointer (self);
}

/* -- zoom and pan --------------------------------------------------------- */

static void
camera_moved (TlSliceView *self)
{
  update_camera (self);
  update_pointer (self);
}

void
tl_slice_view_zoom (TlSliceView *self, double factor)
{
  double x = self->camera.width / 2, y = self->camera.height / 2;

  if (self->has_pointer)
    {
      x = self->pointer_x;
      y = self->pointer_y;
    }
  tl_camera_zoom (&self->camera, factor, x, y);
  camera_moved (self);
}

void
tl_slice_view_move (TlSliceView *self, double factor, double x, double y,
                    double dx, double dy)
{
  tl_camera_pan (&self->camera, dx, dy);
  tl_camera_zoom (&self->camera, factor, to_half (self, x), y);
  camera_moved (self);
}

void
tl_slice_view_fit (TlSliceView *self)
{
  tl_camera_fit (&self->camera);
  camera_moved (self);
}

static void
on_pressed (TlSliceView *self, int n_press)
{
  if (n_press == 2)
    tl_slice_view_fit (self);
}

static void
on_drag_begin (TlSliceView *self, double x, double y, GtkGesture *gesture)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (gesture));
  guint button = tl_gestures_take_button (gesture);

  if (button == 0)
    return;
  self->drag_x = self->drag_y = 0;
  if (button == GDK_BUTTON_PRIMARY)
    tl_line_grab_begin (&self->grab, tl_view_get_session (self->view),
                        &self->camera, to_half (self, x), y, state);
}

static void
on_drag_update (TlSliceView *self, double x, double y)
{
  if (self->grab.is_held)
    {
      tl_line_grab_move (&self->grab, GTK_WIDGET (self),
                         tl_view_get_session (self->view), x, y);
      return;
    }
  tl_camera_pan (&self->camera, x - self->drag_x, y - self->drag_y);
  self->drag_x = x;
  self->drag_y = y;
  camera_moved (self);
}

static void
on_drag_end (TlSliceView *self)
{
  self->grab.is_held = FALSE;
  update_pointer (self);
}

const TlCamera *
tl_slice_view_get_camera (TlSliceView *self)
{
  return &self->camera;
}

void
tl_slice_view_look_at (TlSliceView *self, const TlCamera *camera)
{
  tl_camera_see (&self->camera, camera);
  camera_moved (self);
}

void
tl_slice_view_draw (TlSliceView *self, GtkSnapshot *snapshot)
{
  GtkWidget *widget = GTK_WIDGET (self);
  g_autoptr (GdkPaintable) picture = gtk_widget_paintable_new (self->area);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);

  gtk_snapshot_render_background (
      snapshot, gtk_widget_get_style_context (widget), 0, 0, width, height);
  gdk_paintable_snapshot (picture, snapshot, width, height);
  tl_compare_overlay_draw (TL_COMPARE_OVERLAY (self->compared), snapshot);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot,
                          &GRAPHENE_POINT_INIT ((float)get_left (self), 0));
  tl_picture_tools_draw (TL_PICTURE_TOOLS (self->tools), snapshot);
  gtk_snapshot_restore (snapshot);
}

gboolean
tl_slice_view_is_drawn (TlSliceView *self)
{
  return tl_picture_area_is_drawn (TL_PICTURE_AREA (self->area));
}

/* -- the widget ----------------------------------------------------------- */

static void
tl_slice_view_size_allocate (GtkWidget *widget, int width, int height,
                             int baseline)
{
  TlSliceView *self = TL_SLICE_VIEW (widget);

  resize_camera (self);
  gtk_widget_size_allocate (self->overlay,
                            &(GtkAllocation){ 0, 0, width, height }, baseline);
  update_camera (self);
}

static void
tl_slice_view_measure (GtkWidget *widget, GtkOrientation orientation,
                       int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure (TL_SLICE_VIEW (widget)->overlay, orientation, for_size,
                      minimum, natural, NULL, NULL);
}

static void
tl_slice_view_dispose (GObject *object)
{
  TlSliceView *self = TL_SLICE_VIEW (object);

  g_clear_pointer (&self->overlay, gtk_widget_unparent);
  tl_kept_cameras_clear (&self->kept);
  G_OBJECT_CLASS (tl_slice_view_parent_class)->dispose (object);
}

static void
tl_slice_view_class_init (TlSliceViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_slice_view_dispose;
  widget_class->measure = tl_slice_view_measure;
  widget_class->size_allocate = tl_slice_view_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "sliceview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
zoom_widget (GtkWidget *widget, double factor)
{
  tl_slice_view_zoom (TL_SLICE_VIEW (widget), factor);
}

static void
move_widget (GtkWidget *widget, double factor, double x, double y, double dx,
             double dy)
{
  tl_slice_view_move (TL_SLICE_VIEW (widget), factor, x, y, dx, dy);
}

static void
add_controllers (TlSliceView *self)
{
  static const TlGesturesTarget target = { zoom_widget, move_widget };
  static const TlDragTarget drag = {
    .begin = G_CALLBACK (on_drag_begin),
    .update = G_CALLBACK (on_drag_update),
    .end = G_CALLBACK (on_drag_end),
    .pressed = G_CALLBACK (on_pressed),
  };
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();

  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (widget, motion);
  tl_gestures_add_drag (widget, &drag, self);
  tl_gestures_add (widget, &target);
}

static void
tl_slice_view_init (TlSliceView *self)
{
  tl_camera_init (&self->camera);
  tl_kept_cameras_init (&self->kept);
  self->overlay = gtk_overlay_new ();
  self->area = tl_picture_area_new ();
  self->tools = tl_picture_tools_new ();
  self->compared = tl_compare_overlay_new ();
  self->label = tl_readout_new_label ();
  gtk_widget_set_hexpand (self->area, TRUE);
  gtk_widget_set_vexpand (self->area, TRUE);
  gtk_overlay_set_child (GTK_OVERLAY (self->overlay), self->area);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->tools);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->compared);
  g_signal_connect_swapped (self->overlay, "get-child-position",
                            G_CALLBACK (place_tools), self);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->label);
  gtk_widget_set_parent (self->overlay, GTK_WIDGET (self));
  tl_widget_name (self, _ ("Reconstructed slice"));
  add_controllers (self);
  /* another scale factor needs a detail of other pixels */
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (update_camera),
                    NULL);
}

void
tl_slice_view_set_view (TlSliceView *self, TlView *view)
{
  g_return_if_fail (self->view == NULL);

  self->view = tl_keep (self, view);
  tl_picture_area_set_view (TL_PICTURE_AREA (self->area), view);
  tl_follow (tl_view_get_session (view)->display, "frame",
             G_CALLBACK (on_frame), self);
}

void
tl_slice_view_set_measure (TlSliceView *self, TlMeasure *measure)
{
  tl_picture_tools_set_measure (TL_PICTURE_TOOLS (self->tools), measure);
}

void
tl_slice_view_set_compare (TlSliceView *self, TlCompare *compare)
{
  g_return_if_fail (self->compare == NULL);

  self->compare = tl_keep (self, compare);
  tl_picture_area_set_compare (TL_PICTURE_AREA (self->area), compare);
  tl_compare_overlay_set_compare (TL_COMPARE_OVERLAY (self->compared), compare);
  tl_follow (tl_view_get_session (self->view)->display, "comparison",
             G_CALLBACK (on_comparison), self);
}
