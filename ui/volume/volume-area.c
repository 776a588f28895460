#include "ui/volume/volume-area.h"

#include "render/program.h"
#include "render/reduced.h"
#include "render/volume-pass.h"
#include "ui/picture/gestures.h"
#include "ui/view/gl-context.h"
#include "ui/view/widget.h"
#include "ui/volume/volume-marks.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Voxels from one sample of a ray to the next. */
#define STEP 0.5
#define MOVING_STEP 2.0

/* While anything moves, the picture has fewer pixels where drawing it takes
 * longer than the first of these milliseconds, and more again below the second.
 */
#define SLOW_MS 60.0
#define QUICK_MS 15.0
/* The same for volumes of a device, which follow at the rate of the screen if
 * drawing leaves them the time. */
#define DEVICE_SLOW_MS 10.0
#define DEVICE_QUICK_MS 2.5
#define MOST_REDUCTION 4

/* Milliseconds without a change until the picture is drawn with short steps. */
#define REST_MS 250

/* Above this a voxel takes 16 bits in place of 32: 512 x 512 x 256 voxels. */
#define MAX_FLOATS ((size_t)1 << 26)

/* Degrees that a drag across the smaller side of the widget turns by. */
#define TURN_DEG 180.0
/* Of one press of an arrow key. */
#define KEY_DEG 5.0
#define KEY_PAN 20.0 /* widget units */
#define KEY_ZOOM 1.2

/* Of the longest side of the volume, that a press of a key moves the plane. */
#define KEY_MOVE 0.02

/* Widget units: a smaller rectangle is a click, and draws no box. */
#define LEAST_BOX 5.0

/* What a drag does. */
typedef enum
{
  TURN,
  PAN,
  DRAW_BOX,
  TURN_PLANE,
  MOVE_PLANE
} Drag;

struct _TlVolumeArea
{
  GtkGLArea parent_instance;

  TlView *view;
  TlScene *scene;
  TlVolumePass *pass; /* (nullable): made in realize, as the texture */
  TlVolumeTexture *texture;
  TlReduced reduced;
  int reduction;     /* of the picture while anything moves */
  int reduced_of[2]; /* pixels of the picture that reduced holds, before it was
                        reduced; 0: out of date */
  gboolean has_texture; /* it has the newest voxels */
  TlVolumeMarks marks;
  gboolean is_drawn;
  guint n_draws;
  guint rest_id; /* source that draws with short steps; 0: nothing moves */

  TlVolumeCamera begun; /* when the drag began, as the next */
  TlVolumeLook begun_look;
  double begun_x, begun_y; /* from the middle */
  Drag drag;
  gboolean has_pointer;
  double pointer_x, pointer_y;
};

G_DEFINE_FINAL_TYPE (TlVolumeArea, tl_volume_area, GTK_TYPE_GL_AREA)

/* Returns: the camera with the sizes of the widget, in its units, and of the
 * whole volume */
static TlVolumeCamera
get_camera (TlVolumeArea *self)
{
  TlVolumeCamera camera = *tl_scene_get_camera (self->scene);

  camera.width = gtk_widget_get_width (GTK_WIDGET (self));
  camera.height = gtk_widget_get_height (GTK_WIDGET (self));
  tl_scene_measure_whole (self->scene, camera.n_voxels);
  return camera;
}

/* --- drawing --- */

/* A picture with short steps would hold up the next volume of a drag. */
static gboolean
on_rest (gpointer data)
{
  TlVolumeArea *self = data;

  if (tl_scene_is_making (self->scene))
    return G_SOURCE_CONTINUE;
  self->rest_id = 0;
  gtk_gl_area_queue_render (GTK_GL_AREA (self));
  return G_SOURCE_REMOVE;
}

static void
note_move (TlVolumeArea *self)
{
  if (self->pass == NULL)
    return;
  g_clear_handle_id (&self->rest_id, g_source_remove);
  self->rest_id = g_timeout_add (REST_MS, on_rest, self);
  self->is_drawn = FALSE;
  self->reduced_of[0] = 0;
  gtk_gl_area_queue_render (GTK_GL_AREA (self));
}

/* @width: of the picture, with @height, in its pixels */
static void
draw (TlVolumeArea *self, int width, int height, double step)
{
  const TlVolumeCamera camera = get_camera (self);
  TlVolumeFrame frame = {
    .width = width,
    .height = height,
    .outside = { 0, 0, 0, 1 },
    .step_voxels = step,
    .jitters = TRUE,
  };
  TlVolumeLook look = *tl_scene_get_look (self->scene);

  memcpy (frame.part, tl_scene_get_box (self->scene)->part, sizeof frame.part);
  look.low = tl_view_get_low (self->view);
  look.high = tl_view_get_high (self->view);
  look.colormap = tl_view_get_colormap (self->view);
  tl_volume_pass_draw (self->pass, self->has_texture ? self->texture : NULL,
                       &camera, &look, &frame);
}

/* @size: [2], pixels of the picture before it is reduced */
static void
draw_reduced (TlVolumeArea *self, const int *size)
{
  const gint64 start_us = g_get_monotonic_time ();
  const TlVoxels *voxels = tl_scene_get_voxels (self->scene);
  const gboolean is_device = voxels != NULL && voxels->frame != NULL;
  const int reduction = self->reduction;
  const int width = (size[0] + reduction - 1) / reduction;
  const int height = (size[1] + reduction - 1) / reduction;
  double ms;

  tl_reduced_begin (&self->reduced, width, height);
  draw (self, width, height, MOVING_STEP);
  tl_reduced_end (&self->reduced);
  memcpy (self->reduced_of, size, sizeof self->reduced_of);
  ms = (double)(g_get_monotonic_time () - start_us) / 1e3;
  if (ms > (is_device ? DEVICE_SLOW_MS : SLOW_MS))
    self->reduction = MIN (reduction + 1, MOST_REDUCTION);
  else if (ms < (is_device ? DEVICE_QUICK_MS : QUICK_MS))
    self->reduction = MAX (reduction - 1, 1);
}

/* @size: [2], pixels */
static void
get_size (TlVolumeArea *self, int *size)
{
  GtkWidget *widget = GTK_WIDGET (self);
  const int scale = gtk_widget_get_scale_factor (widget);

  size[0] = MAX (gtk_widget_get_width (widget) * scale, 1);
  size[1] = MAX (gtk_widget_get_height (widget) * scale, 1);
}

static gboolean
tl_volume_area_render (GtkGLArea *area, GdkGLContext *context)
{
  TlVolumeArea *self = TL_VOLUME_AREA (area);
  int size[2];

  if (self->pass == NULL)
    return FALSE;
  get_size (self, size);
  tl_program_forget_errors ();
  if (self->rest_id == 0)
    draw (self, size[0], size[1], STEP);
  else
    {
      if (memcmp (self->reduced_of, size, sizeof size) != 0)
        draw_reduced (self, size);
      tl_reduced_show (&self->reduced);
    }
  self->is_drawn = tl_gl_context_check (area, self->view) && self->has_texture
                   && self->rest_id == 0;
  self->n_draws++;
  return TRUE;
}

static gboolean
load_values (TlVolumeArea *self, const TlVoxels *voxels, GError **error)
{
  const size_t *n = voxels->n;

  return tl_volume_texture_load (
      self->texture, voxels->values, n[2], n[1], n[0],
      n[0] * n[1] * n[2] > MAX_FLOATS ? TL_VOLUME_HALF : TL_VOLUME_FLOAT,
      error);
}

/* Voxels on a device: interop, or a copy, for which the engine's thread fetches
 * the next ones. */
static gboolean
show_frame (TlVolumeArea *self, const TlVoxels *voxels, GError **error)
{
  if (!tl_volume_texture_show (self->texture, voxels->frame, voxels->factor,
                               &voxels->circle, error))
    return FALSE;
  tl_scene_set_fetches (self->scene,
                        !tl_volume_texture_is_interop (self->texture));
  return TRUE;
}

/* Draws before the next volume is asked for: while the device computes, drawing
 * on it takes twice as long, and computing half as long again. */
static void
draw_new_volume (TlVolumeArea *self)
{
  int size[2];

  get_size (self, size);
  tl_program_forget_errors ();
  draw_reduced (self, size);
  if (!tl_gl_context_check (GTK_GL_AREA (self), self->view))
    self->reduced_of[0] = 0;
}

/* Uploads the newest voxels, or frees what is left of the last ones. */
static void
take_voxels (TlVolumeArea *self)
{
  const TlVoxels *voxels = tl_scene_get_voxels (self->scene);
  g_autoptr (GError) error = NULL;

  if (self->pass == NULL)
    return;
  gtk_gl_area_make_current (GTK_GL_AREA (self));
  self->has_texture = FALSE;
  if (voxels == NULL)
    {
      g_clear_pointer (&self->texture, tl_volume_texture_free);
      note_move (self);
      return;
    }
  if (self->texture == NULL)
    self->texture = tl_volume_texture_new ();
  self->has_texture = voxels->frame != NULL
                          ? show_frame (self, voxels, &error)
                          : load_values (self, voxels, &error);
  if (!self->has_texture)
    tl_view_set_problem (self->view, error->message);
  else
    tl_view_set_path (self->view, tl_volume_texture_get_path (self->texture),
                      tl_volume_texture_is_interop (self->texture));
  note_move (self);
  if (tl_volume_texture_is_interop (self->texture)
      && gtk_widget_get_mapped (GTK_WIDGET (self)))
    draw_new_volume (self);
}

static void
tl_volume_area_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlVolumeArea *self = TL_VOLUME_AREA (widget);
  const TlRecipe *recipe =
      tl_parameters_get_recipe (tl_view_get_session (self->view)->parameters);
  TlVolumeCamera camera = get_camera (self);

  GTK_WIDGET_CLASS (tl_volume_area_parent_class)->snapshot (widget, snapshot);
  if (tl_scene_get_voxels (self->scene) != NULL)
    tl_volume_marks_draw (&self->marks, snapshot, widget, &camera,
                          tl_scene_get_look (self->scene),
                          tl_scene_get_bin (self->scene) / recipe->bin,
                          recipe->params.phase.pixel_um);
}

/* --- turning, moving, zooming --- */

static void
pan (TlVolumeArea *self, double dx, double dy)
{
  TlVolumeCamera camera = get_camera (self);

  tl_volume_camera_pan (&camera, dx, dy);
  tl_scene_set_camera (self->scene, &camera);
}

static void
zoom_about (TlVolumeArea *self, double factor, double x, double y)
{
  TlVolumeCamera camera = get_camera (self);

  tl_volume_camera_zoom (&camera, factor, x - camera.width / 2,
                         y - camera.height / 2);
  tl_scene_set_camera (self->scene, &camera);
}

void
tl_volume_area_zoom (TlVolumeArea *self, double factor)
{
  const TlVolumeCamera camera = get_camera (self);

  zoom_about (self, factor,
              self->has_pointer ? self->pointer_x : camera.width / 2,
              self->has_pointer ? self->pointer_y : camera.height / 2);
}

static void
zoom (GtkWidget *widget, double factor)
{
  tl_volume_area_zoom (TL_VOLUME_AREA (widget), factor);
}

static void
move (GtkWidget *widget, double factor, double x, double y, double dx,
      double dy)
{
  TlVolumeArea *self = TL_VOLUME_AREA (widget);

  pan (self, dx, dy);
  if (factor != 1)
    zoom_about (self, factor, x, y);
}

static Drag
choose_drag (TlVolumeArea *self, guint button, GdkModifierType state)
{
  const gboolean has_shift = (state & GDK_SHIFT_MASK) != 0;

  if ((state & GDK_CONTROL_MASK) != 0 && self->begun_look.n_planes > 0)
    return has_shift ? MOVE_PLANE : TURN_PLANE;
  if ((state & GDK_CONTROL_MASK) != 0)
    return DRAW_BOX;
  return has_shift || button == GDK_BUTTON_MIDDLE ? PAN : TURN;
}

static void
on_drag_begin (TlVolumeArea *self, double x, double y, GtkGesture *drag)
{
  const guint button = tl_gestures_take_button (drag);
  const GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (drag));

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->begun = get_camera (self);
  self->begun_look = *tl_scene_get_look (self->scene);
  self->begun_x = x - self->begun.width / 2;
  self->begun_y = y - self->begun.height / 2;
  self->drag = choose_drag (self, button, state);
}

/* The plane follows the pointer: turned about the axes of the picture, or moved
 * along its direction, down to the viewer. */
static void
drag_plane (TlVolumeArea *self, double dx, double dy)
{
  const double side = MAX (MIN (self->begun.width, self->begun.height), 1);

  tl_scene_set_look (self->scene, &self->begun_look);
  if (self->drag == TURN_PLANE)
    tl_scene_turn_plane (self->scene, dx * TURN_DEG / side,
                         dy * TURN_DEG / side);
  else
    tl_scene_move_plane (self->scene, dy / side / self->begun.zoom);
}

static void
draw_box (TlVolumeArea *self, double dx, double dy)
{
  const double from[] = { self->begun_x, self->begun_y };
  const double to[] = { self->begun_x + dx, self->begun_y + dy };
  TlVolumeLook look = self->begun_look;

  if (fabs (dx) > LEAST_BOX && fabs (dy) > LEAST_BOX)
    tl_volume_camera_draw_box (&self->begun, from, to, look.box);
  tl_scene_set_look (self->scene, &look);
}

/* What is near the viewer follows the pointer. */
static void
on_drag_update (TlVolumeArea *self, double dx, double dy)
{
  TlVolumeCamera camera = self->begun;
  const double deg = TURN_DEG / MAX (MIN (camera.width, camera.height), 1);

  if (self->drag == TURN_PLANE || self->drag == MOVE_PLANE)
    {
      drag_plane (self, dx, dy);
      return;
    }
  if (self->drag == DRAW_BOX)
    {
      draw_box (self, dx, dy);
      return;
    }
  if (self->drag == PAN)
    tl_volume_camera_pan (&camera, dx, dy);
  else
    tl_volume_camera_turn (&camera, -dx * deg, dy * deg);
  tl_scene_set_camera (self->scene, &camera);
}

static void
on_drag_end (TlVolumeArea *self)
{
}

static void
on_pressed (TlVolumeArea *self, int n_press)
{
  if (n_press == 2)
    gtk_widget_activate_action (GTK_WIDGET (self), "app.reset-volume", NULL);
}

static void
on_motion (TlVolumeArea *self, double x, double y)
{
  self->has_pointer = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
}

static void
on_leave (TlVolumeArea *self)
{
  self->has_pointer = FALSE;
}

/* --- keys --- */

static gboolean
has_plane (TlVolumeArea *self)
{
  return tl_scene_get_look (self->scene)->n_planes > 0;
}

/* Without a plane the keys have their other use. */
static gboolean
on_move_key (TlVolumeArea *self, double part, GdkModifierType state)
{
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0 || !has_plane (self))
    return GDK_EVENT_PROPAGATE;
  gtk_widget_activate_action (GTK_WIDGET (self), "app.move-plane", "d", part);
  return GDK_EVENT_STOP;
}

static gboolean
on_arrow (TlVolumeArea *self, int right, int down, GdkModifierType state)
{
  const gboolean has_ctrl = (state & GDK_CONTROL_MASK) != 0;

  if ((state & GDK_ALT_MASK) != 0 || (has_ctrl && !has_plane (self)))
    return GDK_EVENT_PROPAGATE;
  if (has_ctrl)
    gtk_widget_activate_action (GTK_WIDGET (self), "app.turn-plane", "(dd)",
                                KEY_DEG * right, KEY_DEG * down);
  else if ((state & GDK_SHIFT_MASK) != 0)
    pan (self, KEY_PAN * right, KEY_PAN * down);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "app.turn-volume", "(dd)",
                                -KEY_DEG * right, KEY_DEG * down);
  return GDK_EVENT_STOP;
}

static gboolean
on_word_key (TlVolumeArea *self, const char *action, const char *word,
             GdkModifierType state)
{
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  gtk_widget_activate_action (GTK_WIDGET (self), action, "s", word);
  return GDK_EVENT_STOP;
}

static gboolean
on_action_key (TlVolumeArea *self, const char *action, GdkModifierType state)
{
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  gtk_widget_activate_action (GTK_WIDGET (self), action, NULL);
  return GDK_EVENT_STOP;
}

static gboolean
on_key (TlVolumeArea *self, guint keyval, guint keycode, GdkModifierType state)
{
  static const char *const axes[] = { "x", "y", "z" };

  switch (keyval)
    {
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      return on_arrow (self, -1, 0, state);
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      return on_arrow (self, 1, 0, state);
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
      return on_arrow (self, 0, -1, state);
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      return on_arrow (self, 0, 1, state);
    case GDK_KEY_plus:
    case GDK_KEY_KP_Add:
      tl_volume_area_zoom (self, KEY_ZOOM);
      return GDK_EVENT_STOP;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      tl_volume_area_zoom (self, 1 / KEY_ZOOM);
      return GDK_EVENT_STOP;
    case GDK_KEY_1:
    case GDK_KEY_2:
    case GDK_KEY_3:
      return on_word_key (self, "app.volume-way",
                          tl_volume_way_names[keyval - GDK_KEY_1], state);
    case GDK_KEY_Page_Up:
    case GDK_KEY_KP_Page_Up:
      return on_move_key (self, -KEY_MOVE, state);
    case GDK_KEY_Page_Down:
    case GDK_KEY_KP_Page_Down:
      return on_move_key (self, KEY_MOVE, state);
    case GDK_KEY_c:
      return on_action_key (self, "app.cut-plane", state);
    case GDK_KEY_b:
      return on_action_key (self, "app.look-into-box", state);
    case GDK_KEY_x:
    case GDK_KEY_y:
    case GDK_KEY_z:
      return on_word_key (self, "app.look-along", axes[keyval - GDK_KEY_x],
                          state);
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* --- the widget --- */

static void
tl_volume_area_realize (GtkWidget *widget)
{
  TlVolumeArea *self = TL_VOLUME_AREA (widget);
  GtkGLArea *area = GTK_GL_AREA (widget);
  g_autoptr (GError) error = NULL;

  GTK_WIDGET_CLASS (tl_volume_area_parent_class)->realize (widget);
  gtk_gl_area_make_current (area);
  if (gtk_gl_area_get_error (area) != NULL)
    error = g_error_copy (gtk_gl_area_get_error (area));
  else
    self->pass = tl_volume_pass_new (&error);
  if (self->pass == NULL)
    {
      g_autofree char *problem = g_strdup_printf (
          _ ("The volume cannot be shown here: %s"), error->message);

      tl_view_set_problem (self->view, problem);
      return;
    }
  take_voxels (self);
}

static void
tl_volume_area_unrealize (GtkWidget *widget)
{
  TlVolumeArea *self = TL_VOLUME_AREA (widget);

  gtk_gl_area_make_current (GTK_GL_AREA (self));
  g_clear_handle_id (&self->rest_id, g_source_remove);
  self->is_drawn = self->has_texture = FALSE;
  g_clear_pointer (&self->texture, tl_volume_texture_free);
  tl_reduced_clear (&self->reduced);
  self->reduced_of[0] = 0;
  g_clear_pointer (&self->pass, tl_volume_pass_free);
  GTK_WIDGET_CLASS (tl_volume_area_parent_class)->unrealize (widget);
}

/* The font may be another one. */
static void
tl_volume_area_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  tl_volume_marks_clear (&TL_VOLUME_AREA (widget)->marks);
  GTK_WIDGET_CLASS (tl_volume_area_parent_class)->css_changed (widget, change);
}

static void
tl_volume_area_dispose (GObject *object)
{
  TlVolumeArea *self = TL_VOLUME_AREA (object);

  tl_volume_marks_clear (&self->marks);
  g_clear_handle_id (&self->rest_id, g_source_remove);
  G_OBJECT_CLASS (tl_volume_area_parent_class)->dispose (object);
}

static void
tl_volume_area_class_init (TlVolumeAreaClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GtkGLAreaClass *area_class = GTK_GL_AREA_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_volume_area_dispose;
  widget_class->realize = tl_volume_area_realize;
  widget_class->unrealize = tl_volume_area_unrealize;
  widget_class->snapshot = tl_volume_area_snapshot;
  widget_class->css_changed = tl_volume_area_css_changed;
  area_class->render = tl_volume_area_render;
  area_class->create_context = tl_gl_context_new;
  gtk_widget_class_set_css_name (widget_class, "volumearea");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_pointer (TlVolumeArea *self)
{
  static const TlGesturesTarget target = { zoom, move };
  static const TlDragTarget drag = { G_CALLBACK (on_drag_begin),
                                     G_CALLBACK (on_drag_update),
                                     G_CALLBACK (on_drag_end),
                                     G_CALLBACK (on_pressed) };
  GtkEventController *motion = gtk_event_controller_motion_new ();

  tl_gestures_add (GTK_WIDGET (self), &target);
  tl_gestures_add_drag (GTK_WIDGET (self), &drag, self);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}

static void
tl_volume_area_init (TlVolumeArea *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->reduction = 1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  tl_widget_name (self, _ ("The sample in three dimensions"));
  add_pointer (self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

void
tl_volume_area_bind (TlVolumeArea *self, TlView *view)
{
  g_return_if_fail (self->view == NULL);

  self->view = tl_keep (self, view);
  self->scene =
      tl_keep (self, tl_session_get_scene (tl_view_get_session (view)));
  tl_follow (self->scene, "voxels", G_CALLBACK (take_voxels), self);
  tl_follow (self->scene, "camera look", G_CALLBACK (note_move), self);
  tl_follow (view, "low high colormap", G_CALLBACK (note_move), self);
}

gboolean
tl_volume_area_is_drawn (TlVolumeArea *self)
{
  return self->is_drawn;
}

guint
tl_volume_area_count_draws (TlVolumeArea *self)
{
  return self->n_draws;
}
