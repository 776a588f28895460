#include "ui/picture/slice-view.h"

#include "app/axis/overlay/overlay.h"
#include "ui/compare/compare-overlay.h"
#include "ui/picture/shrinking-bin.h"
#include "ui/picture/gestures.h"
#include "ui/picture/lines.h"
#include "ui/picture/picture-area.h"
#include "ui/picture/picture-tools.h"
#include "ui/view/visible.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlSliceView
{
  GtkWidget parent_instance;

  GtkWidget *overlay, *area, *tools, *compared, *label;
  TlSession *session;
  TlMeasure *measure;
  TlCompare *compare;
  TlPicture picture; /* shown now */
  TlCamera cameras[TL_N_PICTURES];
  TlCamera *camera;           /* of the picture shown: one of these */
  char *paths[TL_N_PICTURES]; /* (nullable): scans that they saw last */

  gboolean has_pointer;
  double pointer_x, pointer_y;
  double drag_x, drag_y; /* offset of the drag that was already used */
  TlLineGrab grab;
};

G_DEFINE_FINAL_TYPE (TlSliceView, tl_slice_view, GTK_TYPE_WIDGET)

/* --- the picture and its place --- */

/* Returns: x where the half with B begins in mode side by side, else 0 */
static int
get_left (TlSliceView *self)
{
  return tl_compare_get_left (self->compare,
                              gtk_widget_get_width (GTK_WIDGET (self)));
}

/* The camera has the size of one half in mode side by side. */
static void
resize_camera (TlSliceView *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));

  tl_camera_resize (self->camera, width - get_left (self),
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

/* Only of a slice can the visible part be computed as sharp as the screen. */
static void
update_camera (TlSliceView *self)
{
  TlVisible visible = { 0 };

  tl_picture_area_set_camera (TL_PICTURE_AREA (self->area), self->camera);
  tl_picture_tools_set_camera (TL_PICTURE_TOOLS (self->tools), self->camera);
  if (self->picture == TL_PICTURE_SLICE)
    tl_visible_find (&visible, self->camera,
                     gtk_widget_get_scale_factor (self->area));
  tl_display_set_visible (self->session->display, &visible);
}

static void
change_picture (TlSliceView *self)
{
  static const char *const labels[] = {
    [TL_PICTURE_SLICE] = N_ ("Reconstructed slice"),
    [TL_PICTURE_SINOGRAM] = N_ ("Sinogram"),
    [TL_PICTURE_PROJECTION] = N_ ("Projection"),
    [TL_PICTURE_OVERLAY] = N_ ("Opposite projections"),
    [TL_PICTURE_PLANES] = N_ ("Planes"),
  };
  TlPicture picture = tl_display_get_picture (self->session->display);

  if (picture == self->picture)
    return;
  self->picture = picture;
  self->camera = &self->cameras[picture];
  resize_camera (self);
  tl_widget_name (self, _ (labels[picture]));
}

/* Slices of one scan keep the axis in the middle, whatever their size. Returns:
 * %FALSE if there is no picture */
static gboolean
take_size (TlSliceView *self)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (self->session->source);
  char **path = &self->paths[self->picture];
  size_t n_rows, n_cols;

  if (!tl_display_get_picture_size (self->session->display, &n_rows, &n_cols))
    return FALSE;
  if (self->picture == TL_PICTURE_SLICE && self->camera->n_cols > 0
      && g_strcmp0 (*path, scan->path) == 0)
    tl_camera_widen (self->camera, n_cols, n_rows);
  else
    tl_camera_set_picture (self->camera, n_cols, n_rows);
  g_free (*path);
  *path = g_strdup (scan->path);
  return TRUE;
}

/* --- under the pointer --- */

static char *
describe_compared (TlSliceView *self, size_t col, size_t row, double a,
                   double b)
{
  TlUnits units;

  tl_measure_get_units (self->measure, &units);
  a *= units.per_value;
  b *= units.per_value;
  /* translators: pixel position, the values of both pictures there, by how much
   * the second is larger, and the unit of the colour bar */
  return g_strdup_printf (_ ("column %zu · row %zu · A %.6g · B %.6g · "
                             "B − A %.4g %s"),
                          col, row, a, b, b - a, units.unit);
}

/* Returns: (transfer full): in the units of files and of the colour bar */
static char *
format_value (TlSliceView *self, float value)
{
  TlUnits units;

  tl_measure_get_units (self->measure, &units);
  return tl_units_format (&units, (double)value);
}

/* Returns: (transfer full) (nullable): position and value, or the values of
 * both pictures while two are compared; %NULL outside the picture */
static char *
describe_pixel (TlSliceView *self)
{
  TlSession *session = self->session;
  TlDisplay *display = session->display;
  size_t row, col;
  float value, a;
  g_autofree char *words = NULL;

  if (!self->has_pointer
      || !tl_camera_find_pixel (self->camera, self->pointer_x, self->pointer_y,
                                &col, &row))
    return NULL;
  if (tl_overlay_read (tl_session_get_overlay (session), row, col, &a, &value))
    return describe_compared (self, col, row, (double)a, (double)value);
  if (!tl_display_read_pixel (display, row, col, &value))
    return NULL;
  words = format_value (self, value);
  if (tl_display_get_picture (display) == TL_PICTURE_SINOGRAM)
    return g_strdup_printf (
        /* translators: pixel position and value under the pointer */
        _ ("column %zu · projection %zu · %s"), col,
        tl_scan_source_get_summary (session->source)->frames[row], words);
  if (tl_slice_comparison_get_shown_mode (session->comparison) != TL_COMPARE_OFF
      && tl_display_read_compared (display, row, col, &a, &value))
    return describe_compared (self, col, row, (double)a, (double)value);
  return g_strdup_printf (_ ("column %zu · row %zu · %s"), col, row, words);
}

static void
update_readout (TlSliceView *self)
{
  GtkLabel *label = GTK_LABEL (self->label);
  g_autofree char *readout = describe_pixel (self);

  if (g_strcmp0 (readout, gtk_label_get_text (label)) == 0)
    return;
  gtk_label_set_text (label, readout != NULL ? readout : "");
  gtk_widget_set_visible (self->label, readout != NULL);
  tl_widget_describe (self, readout);
}

static void
update_line (TlSliceView *self)
{
  if (!tl_line_grab_reach (&self->grab, self->session, self->camera,
                           self->has_pointer, self->pointer_x, self->pointer_y))
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
  if (take_size (self))
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

/* What lies over the picture has the places and the scale of its whole size. */
static void
update_small (TlSliceView *self)
{
  GtkWidget *const over[] = { self->tools, self->compared, self->label };
  gboolean is_small;

  g_object_get (gtk_widget_get_parent (self->area), "small", &is_small, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (over); i++)
    gtk_widget_set_opacity (over[i], is_small ? 0 : 1);
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

/* --- zoom and pan --- */

static void
camera_moved (TlSliceView *self)
{
  update_camera (self);
  update_pointer (self);
}

void
tl_slice_view_zoom (TlSliceView *self, double factor)
{
  double x = self->camera->width / 2, y = self->camera->height / 2;

  if (self->has_pointer)
    {
      x = self->pointer_x;
      y = self->pointer_y;
    }
  tl_camera_zoom (self->camera, factor, x, y);
  camera_moved (self);
}

void
tl_slice_view_move (TlSliceView *self, double factor, double x, double y,
                    double dx, double dy)
{
  tl_camera_pan (self->camera, dx, dy);
  tl_camera_zoom (self->camera, factor, to_half (self, x), y);
  camera_moved (self);
}

void
tl_slice_view_fit (TlSliceView *self)
{
  tl_camera_fit (self->camera);
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
    {
      /* from any field, so that keys reach the picture */
      gtk_widget_grab_focus (GTK_WIDGET (self));
      tl_line_grab_begin (&self->grab, self->session, self->camera,
                          to_half (self, x), y, state);
    }
}

static void
on_drag_update (TlSliceView *self, double x, double y)
{
  if (self->grab.is_held)
    {
      tl_line_grab_move (&self->grab, GTK_WIDGET (self), self->session, x, y);
      return;
    }
  tl_camera_pan (self->camera, x - self->drag_x, y - self->drag_y);
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
  return self->camera;
}

void
tl_slice_view_look_at (TlSliceView *self, const TlCamera *camera)
{
  tl_camera_see (self->camera, camera);
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

/* --- the widget --- */

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
  for (guint i = 0; i < TL_N_PICTURES; i++)
    g_clear_pointer (&self->paths[i], g_free);
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
  self->camera = self->cameras;
  for (guint i = 0; i < TL_N_PICTURES; i++)
    tl_camera_init (&self->cameras[i]);
  self->overlay = gtk_overlay_new ();
  self->area = tl_picture_area_new ();
  self->tools = tl_picture_tools_new ();
  self->compared = tl_compare_overlay_new ();
  self->label =
      g_object_new (GTK_TYPE_LABEL, "halign", GTK_ALIGN_START, "valign",
                    GTK_ALIGN_END, "can-target", FALSE, "visible", FALSE, NULL);
  gtk_widget_add_css_class (self->label, "readout");
  gtk_widget_set_hexpand (self->area, TRUE);
  gtk_widget_set_vexpand (self->area, TRUE);
  gtk_overlay_set_child (GTK_OVERLAY (self->overlay),
                         tl_shrinking_bin_new (GTK_GL_AREA (self->area)));
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->tools);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->compared);
  g_signal_connect_swapped (self->overlay, "get-child-position",
                            G_CALLBACK (place_tools), self);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->label);
  gtk_widget_set_parent (self->overlay, GTK_WIDGET (self));
  tl_widget_name (self, _ ("Reconstructed slice"));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  add_controllers (self);
}

void
tl_slice_view_bind (TlSliceView *self, TlMeasure *measure, TlCompare *compare)
{
  TlSession *session = tl_view_get_session (tl_measure_get_view (measure));

  g_return_if_fail (self->session == NULL);

  self->session = tl_keep (self, session);
  self->measure = tl_keep (self, measure);
  self->compare = tl_keep (self, compare);
  tl_picture_area_bind (TL_PICTURE_AREA (self->area), measure, compare);
  tl_picture_tools_set_measure (TL_PICTURE_TOOLS (self->tools), measure);
  tl_compare_overlay_set_compare (TL_COMPARE_OVERLAY (self->compared), compare);
  tl_follow (session->display, "frame", G_CALLBACK (on_frame), self);
  tl_follow (session->display, "comparison", G_CALLBACK (on_comparison), self);
  tl_follow (gtk_widget_get_parent (self->area), "small",
             G_CALLBACK (update_small), self);
  /* another scale factor needs a detail of other pixels */
  tl_follow (self, "scale-factor", G_CALLBACK (update_camera), self);
}
