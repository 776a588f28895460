#include "ui/slice-view.h"

#include "render/program.h"
#include "ui/slice-layer.h"

#include <glib/gi18n.h>
#include <math.h>

#define WHEEL_STEP 1.2        /* zoom for one notch of the wheel */
#define COLUMNS_PER_PIXEL 0.1 /* of the axis, dragged with Ctrl */

struct _TlSliceView
{
  GtkWidget parent_instance;

  GtkWidget *overlay, *area, *label;
  TlView *view;
  TlCamera camera;
  TlSlicePass *pass; /* made in realize, in the area's context, as the layers */
  TlSliceLayer picture, detail;
  gboolean is_drawn;

  gboolean has_pointer;
  double pointer_x, pointer_y;
  double drag_x, drag_y; /* offset of the drag that was already used */
  double drag_centre;    /* where the axis was when a drag of it began */
  gboolean drags_centre;
  char *readout;
};

G_DEFINE_FINAL_TYPE (TlSliceView, tl_slice_view, GTK_TYPE_WIDGET)

enum
{
  PROP_READOUT = 1,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

/* -- drawing -------------------------------------------------------------- */

static void
queue_render (TlSliceView *self)
{
  gtk_gl_area_queue_render (GTK_GL_AREA (self->area));
}

static gboolean
on_render (TlSliceView *self)
{
  GtkWidget *area = self->area;
  int scale = gtk_widget_get_scale_factor (area);
  /* outside the picture the window's own background shows */
  TlSliceLook look = { .width = gtk_widget_get_width (area) * scale,
                       .height = gtk_widget_get_height (area) * scale };

  if (self->pass == NULL)
    return FALSE;
  look.low = (float)tl_view_get_low (self->view);
  look.high = (float)tl_view_get_high (self->view);
  look.colormap = tl_view_get_colormap (self->view);
  tl_slice_layer_draw (&self->picture, self->pass, &self->camera, &look);
  look.is_above = TRUE;
  if (self->detail.is_shown)
    tl_slice_layer_draw (&self->detail, self->pass, &self->camera, &look);
  self->is_drawn = self->picture.is_shown;
  return TRUE;
}

/* Which places of the picture the pixels of the screen are at. */
static void
tell_visible (TlSliceView *self)
{
  const int scale = gtk_widget_get_scale_factor (self->area);
  TlVisible visible = { .pitch = 1 / (self->camera.scale * scale) };

  tl_camera_to_picture (&self->camera, 0, 0, &visible.col, &visible.row);
  visible.col += visible.pitch / 2;
  visible.row += visible.pitch / 2;
  visible.n_cols = (size_t)fmax (self->camera.width * scale, 0);
  visible.n_rows = (size_t)fmax (self->camera.height * scale, 0);
  tl_session_set_visible (tl_view_get_session (self->view), &visible);
}

/* The newest frame to the texture. Where that fails nothing is shown: rather
 * that than the picture of another scan under this one's name. */
static void
take_frame (TlSliceView *self)
{
  TlSession *session = tl_view_get_session (self->view);
  TlFrame *frame = tl_session_get_frame (session);
  g_autoptr (GError) error = NULL;
  size_t n_rows, n_cols;

  if (frame == NULL || self->pass == NULL
      || !tl_session_get_picture_size (session, &n_rows, &n_cols))
    return;
  gtk_gl_area_make_current (GTK_GL_AREA (self->area));
  self->is_drawn = FALSE;
  queue_render (self);
  if (!tl_slice_layer_show (&self->picture, frame, &error))
    {
      tl_view_set_problem (self->view, error->message);
      return;
    }
  tl_session_get_frame_place (session, &self->picture.row, &self->picture.col,
                              &self->picture.pitch);
  tl_camera_set_picture (&self->camera, n_cols, n_rows);
  tell_visible (self);
  tl_view_set_path (self->view, tl_texture_get_path (self->picture.texture),
                    tl_texture_is_interop (self->picture.texture));
}

/* One that cannot be shown is missed by nobody. */
static void
take_detail (TlSliceView *self)
{
  TlSession *session = tl_view_get_session (self->view);
  TlFrame *detail = tl_session_get_detail (session);

  if (self->pass == NULL)
    return;
  gtk_gl_area_make_current (GTK_GL_AREA (self->area));
  self->detail.is_shown = FALSE;
  queue_render (self);
  if (detail == NULL || !tl_slice_layer_show (&self->detail, detail, NULL))
    return;
  tl_session_get_detail_place (session, &self->detail.row, &self->detail.col,
                               &self->detail.pitch);
}

/* Desktop OpenGL where there is one, else OpenGL ES. */
static GdkGLContext *
create_context (TlSliceView *self)
{
  const struct
  {
    GdkGLAPI api;
    int major, minor;
  } wishes[] = { { GDK_GL_API_GL, 3, 3 }, { GDK_GL_API_GLES, 3, 0 } };
  GtkNative *native = gtk_widget_get_native (self->area);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (wishes); i++)
    {
      g_autoptr (GdkGLContext) context = NULL;

      g_clear_error (&error);
      context = gdk_surface_create_gl_context (gtk_native_get_surface (native),
                                               &error);
      if (context == NULL)
        break;
      gdk_gl_context_set_allowed_apis (context, wishes[i].api);
      gdk_gl_context_set_required_version (context, wishes[i].major,
                                           wishes[i].minor);
      if (gdk_gl_context_realize (context, &error))
        return g_steal_pointer (&context);
    }
  gtk_gl_area_set_error (GTK_GL_AREA (self->area), error);
  return NULL;
}

static void
on_realize (TlSliceView *self)
{
  GtkGLArea *area = GTK_GL_AREA (self->area);
  g_autoptr (GError) error = NULL;
  g_autofree char *renderer = NULL;
  g_autofree char *problem = NULL;

  gtk_gl_area_make_current (area);
  if (gtk_gl_area_get_error (area) != NULL)
    error = g_error_copy (gtk_gl_area_get_error (area));
  else
    self->pass = tl_slice_pass_new (&error);
  if (self->pass == NULL)
    {
      problem = g_strdup_printf (_ ("Pictures cannot be shown here: %s"),
                                 error->message);
      tl_view_set_problem (self->view, problem);
      return;
    }
  renderer = tl_program_describe_gl ();
  tl_view_set_renderer (self->view, renderer);
  take_frame (self);
  take_detail (self);
}

static void
on_unrealize (TlSliceView *self)
{
  gtk_gl_area_make_current (GTK_GL_AREA (self->area));
  self->is_drawn = FALSE;
  tl_slice_layer_clear (&self->picture);
  tl_slice_layer_clear (&self->detail);
  g_clear_pointer (&self->pass, tl_slice_pass_free);
}

/* -- under the pointer ---------------------------------------------------- */

static char *
describe_pointer (TlSliceView *self)
{
  size_t row, col;
  float value;

  if (!self->has_pointer
      || !tl_camera_find_pixel (&self->camera, self->pointer_x, self->pointer_y,
                                &col, &row)
      || !tl_session_read_pixel (tl_view_get_session (self->view), row, col,
                                 &value))
    return NULL;
  /* translators: pixel position and value under the pointer */
  return g_strdup_printf (_ ("column %zu · row %zu · %.6g"), col, row,
                          (double)value);
}

static void
update_readout (TlSliceView *self)
{
  g_autofree char *readout = describe_pointer (self);

  if (g_strcmp0 (readout, self->readout) == 0)
    return;
  g_free (self->readout);
  self->readout = g_steal_pointer (&readout);
  gtk_label_set_text (GTK_LABEL (self->label),
                      self->readout != NULL ? self->readout : "");
  gtk_widget_set_visible (self->label, self->readout != NULL);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READOUT]);
}

static void
on_frame (TlSliceView *self)
{
  take_frame (self);
  update_readout (self);
}

static void
on_motion (TlSliceView *self, double x, double y)
{
  self->has_pointer = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  update_readout (self);
}

static void
on_leave (TlSliceView *self)
{
  self->has_pointer = FALSE;
  update_readout (self);
}

/* -- zoom and pan --------------------------------------------------------- */

static void
camera_moved (TlSliceView *self)
{
  queue_render (self);
  tell_visible (self);
  update_readout (self);
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
tl_slice_view_fit (TlSliceView *self)
{
  tl_camera_fit (&self->camera);
  camera_moved (self);
}

static gboolean
on_scroll (TlSliceView *self, double dx, double dy)
{
  tl_slice_view_zoom (self, pow (WHEEL_STEP, -dy));
  return GDK_EVENT_STOP;
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

  self->drag_x = self->drag_y = 0;
  self->drags_centre = (state & GDK_CONTROL_MASK) != 0;
  self->drag_centre = tl_session_get_centre (tl_view_get_session (self->view));
}

static void
on_drag_update (TlSliceView *self, double x, double y)
{
  if (self->drags_centre)
    {
      double centre = self->drag_centre + x * COLUMNS_PER_PIXEL;

      gtk_widget_activate_action (
          GTK_WIDGET (self), "app.centre", "d",
          tl_session_limit_centre (tl_view_get_session (self->view), centre));
      return;
    }
  tl_camera_pan (&self->camera, x - self->drag_x, y - self->drag_y);
  self->drag_x = x;
  self->drag_y = y;
  camera_moved (self);
}

double
tl_slice_view_get_scale (TlSliceView *self)
{
  return self->camera.scale;
}

void
tl_slice_view_get_middle (TlSliceView *self, double *col, double *row)
{
  *col = self->camera.col;
  *row = self->camera.row;
}

gboolean
tl_slice_view_is_drawn (TlSliceView *self)
{
  return self->is_drawn;
}

/* -- the widget ----------------------------------------------------------- */

static void
tl_slice_view_size_allocate (GtkWidget *widget, int width, int height,
                             int baseline)
{
  TlSliceView *self = TL_SLICE_VIEW (widget);

  tl_camera_resize (&self->camera, width, height);
  gtk_widget_size_allocate (self->overlay,
                            &(GtkAllocation){ 0, 0, width, height }, baseline);
  queue_render (self);
  if (self->view != NULL)
    tell_visible (self);
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
tl_slice_view_get_property (GObject *object, guint property, GValue *value,
                            GParamSpec *pspec)
{
  if (property == PROP_READOUT)
    g_value_set_string (value, TL_SLICE_VIEW (object)->readout);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
}

static void
tl_slice_view_dispose (GObject *object)
{
  TlSliceView *self = TL_SLICE_VIEW (object);

  g_clear_pointer (&self->overlay, gtk_widget_unparent);
  g_clear_object (&self->view);
  g_clear_pointer (&self->readout, g_free);
  G_OBJECT_CLASS (tl_slice_view_parent_class)->dispose (object);
}

static void
tl_slice_view_class_init (TlSliceViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = tl_slice_view_get_property;
  object_class->dispose = tl_slice_view_dispose;
  widget_class->measure = tl_slice_view_measure;
  widget_class->size_allocate = tl_slice_view_size_allocate;

  properties[PROP_READOUT] = g_param_spec_string (
      "readout", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  gtk_widget_class_set_css_name (widget_class, "sliceview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_controllers (TlSliceView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update),
                            self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
}

static void
tl_slice_view_init (TlSliceView *self)
{
  tl_camera_init (&self->camera);
  self->overlay = gtk_overlay_new ();
  self->area = gtk_gl_area_new ();
  self->label = gtk_label_new (NULL);
  gtk_gl_area_set_auto_render (GTK_GL_AREA (self->area), FALSE);
  gtk_widget_set_hexpand (self->area, TRUE);
  gtk_widget_set_vexpand (self->area, TRUE);
  gtk_widget_set_halign (self->label, GTK_ALIGN_START);
  gtk_widget_set_valign (self->label, GTK_ALIGN_END);
  gtk_widget_set_can_target (self->label, FALSE);
  gtk_widget_set_visible (self->label, FALSE);
  gtk_widget_add_css_class (self->label, "readout");
  gtk_overlay_set_child (GTK_OVERLAY (self->overlay), self->area);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->label);
  gtk_widget_set_parent (self->overlay, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Reconstructed slice"), -1);

  g_signal_connect_swapped (self->area, "create-context",
                            G_CALLBACK (create_context), self);
  g_signal_connect_swapped (self->area, "realize", G_CALLBACK (on_realize),
                            self);
  g_signal_connect_swapped (self->area, "unrealize", G_CALLBACK (on_unrealize),
                            self);
  g_signal_connect_swapped (self->area, "render", G_CALLBACK (on_render), self);
  add_controllers (self);
}

void
tl_slice_view_set_view (TlSliceView *self, TlView *view)
{
  g_return_if_fail (self->view == NULL);

  self->view = g_object_ref (view);
  g_signal_connect_object (view, "notify::low", G_CALLBACK (queue_render), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "notify::high", G_CALLBACK (queue_render),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "notify::colormap", G_CALLBACK (queue_render),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (tl_view_get_session (view), "notify::frame",
                           G_CALLBACK (on_frame), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (tl_view_get_session (view), "notify::detail",
                           G_CALLBACK (take_detail), self, G_CONNECT_SWAPPED);
}
