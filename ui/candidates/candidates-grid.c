#include "ui/candidates/candidates-grid.h"

#include "ui/candidates/candidate-marks.h"
#include "ui/candidates/candidate-text.h"
#include "ui/candidates/candidate-tiles.h"
#include "ui/picture/gestures.h"
#include "ui/view/visible.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define GAP 7.0 /* between two tiles */

/* Minimum size of the widget. */
#define MIN_SIZE 200

struct _TlCandidatesGrid
{
  GtkWidget parent_instance;

  TlView *view;
  TlCandidates *candidates;
  TlCandidateTiles *tiles; /* (nullable) until there is a view */
  TlTileLayout layout;
  TlCamera camera; /* of every tile */

  guint tell_id; /* tick callback; 0: none */

  guint focus;         /* tile with the keyboard focus */
  double focus_col;    /* centre of this tile, columns */
  gboolean is_focused; /* the user has chosen it since the centres changed */
  gboolean by_key;     /* the user has chosen it with the keyboard */
  gboolean has_pointer;
  double pointer_x, pointer_y;
  gboolean is_panning;   /* the drag has left the threshold of a click */
  double drag_x, drag_y; /* offset of the drag that was already used */
};

G_DEFINE_FINAL_TYPE (TlCandidatesGrid, tl_candidates_grid, GTK_TYPE_WIDGET)

static guint
find_pointed (TlCandidatesGrid *self)
{
  return self->has_pointer ? tl_tile_layout_find (
             &self->layout, self->pointer_x, self->pointer_y)
                           : self->layout.n;
}

/* --- the camera --- */

static gboolean
tell_visible (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  TlCandidatesGrid *self = TL_CANDIDATES_GRID (widget);
  TlVisible visible;

  self->tell_id = 0;
  tl_visible_find (&visible, &self->camera,
                   gtk_widget_get_scale_factor (widget));
  tl_candidates_set_visible (self->candidates, &visible);
  return G_SOURCE_REMOVE;
}

/* Tells the candidates what is visible once for each frame of the screen. Not
 * during an allocation: the change may queue another resize. */
static void
camera_moved (TlCandidatesGrid *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_queue_draw (widget);
  if (self->camera.n_cols > 0 && gtk_widget_get_mapped (widget)
      && self->tell_id == 0)
    self->tell_id =
        gtk_widget_add_tick_callback (widget, tell_visible, NULL, NULL);
}

/* Slices of one scan have the axis in the middle, whatever their size, so a
 * larger slice widens the camera instead of resetting it. */
static void
take_size (TlCandidatesGrid *self)
{
  size_t size = tl_candidates_get_slice_size (self->candidates);

  if (size == 0 || size == self->camera.n_cols)
    return;
  if (self->camera.n_cols > 0)
    tl_camera_widen (&self->camera, size, size);
  else
    tl_camera_set_picture (&self->camera, size, size);
  camera_moved (self);
}

static void
lay_out (TlCandidatesGrid *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  if (self->view == NULL)
    return;
  tl_tile_layout_init (&self->layout, tl_candidates_get_n (self->candidates),
                       gtk_widget_get_width (widget),
                       gtk_widget_get_height (widget),
                       tl_candidate_marks_measure (widget), GAP);
  tl_camera_resize (&self->camera, self->layout.width, self->layout.height);
  camera_moved (self);
}

/* Converts widget to tile coordinates; to the middle of a tile if the place is
 * on no picture. */
static void
to_tile (TlCandidatesGrid *self, double *x, double *y)
{
  guint index = tl_tile_layout_find (&self->layout, *x, *y);
  double left, top;

  if (index < self->layout.n)
    {
      tl_tile_layout_place (&self->layout, index, &left, &top);
      *x -= left;
      *y -= top;
      if (*y < self->layout.height)
        return;
    }
  *x = self->layout.width / 2;
  *y = self->layout.height / 2;
}

void
tl_candidates_grid_zoom (TlCandidatesGrid *self, double factor)
{
  double x = -1, y = -1;

  if (self->has_pointer)
    {
      x = self->pointer_x;
      y = self->pointer_y;
    }
  to_tile (self, &x, &y);
  tl_camera_zoom (&self->camera, factor, x, y);
  camera_moved (self);
}

static void
move (TlCandidatesGrid *self, double factor, double x, double y, double dx,
      double dy)
{
  to_tile (self, &x, &y);
  tl_camera_pan (&self->camera, dx, dy);
  tl_camera_zoom (&self->camera, factor, x, y);
  camera_moved (self);
}

void
tl_candidates_grid_fit (TlCandidatesGrid *self)
{
  tl_camera_fit (&self->camera);
  camera_moved (self);
}

void
tl_candidates_grid_look_at (TlCandidatesGrid *self, const TlCamera *camera)
{
  tl_camera_see (&self->camera, camera);
  camera_moved (self);
}

const TlCamera *
tl_candidates_grid_get_camera (TlCandidatesGrid *self)
{
  return &self->camera;
}

const TlTileLayout *
tl_candidates_grid_get_layout (TlCandidatesGrid *self)
{
  return &self->layout;
}

/* --- the focus --- */

static void
tell_focus (TlCandidatesGrid *self)
{
  g_autofree char *label =
      tl_candidate_text_label (self->candidates, self->focus);

  tl_widget_name (self, label);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
set_focus (TlCandidatesGrid *self, guint index)
{
  self->focus = index;
  self->focus_col = tl_candidates_get (self->candidates, index)->centre_col;
  tell_focus (self);
}

/* Moves the focus to the middle tile; but if the user had moved the focus, to
 * the tile whose centre is nearest to the one it was on. */
static void
on_centres (TlCandidatesGrid *self)
{
  guint n = tl_candidates_get_n (self->candidates);
  guint nearest = n / 2;
  double distance = G_MAXDOUBLE;

  for (guint i = 0; self->is_focused && i < n; i++)
    {
      const TlCandidate *candidate = tl_candidates_get (self->candidates, i);
      double there = fabs (candidate->centre_col - self->focus_col);

      if (there < distance)
        {
          nearest = i;
          distance = there;
        }
    }
  self->is_focused = FALSE;
  set_focus (self, nearest);
}

static void
on_n (TlCandidatesGrid *self)
{
  lay_out (self);
  on_centres (self);
}

static void
on_changed (TlCandidatesGrid *self, guint index)
{
  take_size (self);
  if (index == self->focus)
    tell_focus (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

guint
tl_candidates_grid_get_focus (TlCandidatesGrid *self)
{
  return self->focus;
}

int
tl_candidates_grid_get_focused (TlCandidatesGrid *self)
{
  return self->is_focused ? (int)self->focus : -1;
}

static void
take_focus (TlCandidatesGrid *self, guint index, gboolean by_key)
{
  self->is_focused = TRUE;
  self->by_key = by_key;
  set_focus (self, index);
}

/* --- the pointer --- */

static void
on_motion (TlCandidatesGrid *self, double x, double y)
{
  guint before = find_pointed (self);

  self->has_pointer = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  if (find_pointed (self) != before)
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (TlCandidatesGrid *self)
{
  self->has_pointer = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
on_tooltip (TlCandidatesGrid *self, int x, int y, gboolean is_by_key,
            GtkTooltip *tooltip)
{
  guint index =
      is_by_key ? self->focus : tl_tile_layout_find (&self->layout, x, y);
  g_autofree char *text = NULL;
  double left, top;

  if (self->view == NULL || index >= self->layout.n)
    return FALSE;
  text = tl_candidate_text_details (self->candidates, index);
  gtk_tooltip_set_text (tooltip, text);
  tl_tile_layout_place (&self->layout, index, &left, &top);
  /* the area makes GTK place a separate tooltip beside each tile */
  gtk_tooltip_set_tip_area (
      tooltip,
      &(GdkRectangle){ (int)left, (int)top, (int)self->layout.width,
                       (int)(self->layout.height + self->layout.caption) });
  return TRUE;
}

static void
adopt (TlCandidatesGrid *self, guint index, gboolean by_key)
{
  take_focus (self, index, by_key);
  gtk_widget_activate_action (GTK_WIDGET (self), "app.adopt", "u", index);
}

/* --- keys --- */

static void
move_focus (TlCandidatesGrid *self, int d_col, int d_row)
{
  guint index = tl_tile_layout_step (&self->layout, self->focus, d_col, d_row);

  take_focus (self, index, TRUE);
}

static void
change_step (TlCandidatesGrid *self, const char *action)
{
  gtk_widget_activate_action (GTK_WIDGET (self), action, "i",
                              tl_candidates_grid_get_focused (self));
}

static gboolean
on_key (TlCandidatesGrid *self, guint keyval, guint keycode,
        GdkModifierType state)
{
  const GdkModifierType other =
      GDK_ALT_MASK | GDK_CONTROL_MASK | GDK_SHIFT_MASK;

  if ((state & other) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Left:
      move_focus (self, -1, 0);
      break;
    case GDK_KEY_Right:
      move_focus (self, 1, 0);
      break;
    case GDK_KEY_Up:
      move_focus (self, 0, -1);
      break;
    case GDK_KEY_Down:
      move_focus (self, 0, 1);
      break;
    case GDK_KEY_Home:
      take_focus (self, 0, TRUE);
      break;
    case GDK_KEY_End:
      take_focus (self, self->layout.n - 1, TRUE);
      break;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space:
      adopt (self, self->focus, TRUE);
      break;
    case GDK_KEY_comma:
      change_step (self, "app.finer");
      break;
    case GDK_KEY_period:
      change_step (self, "app.coarser");
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  return GDK_EVENT_STOP;
}

/* --- dragging --- */

static void
on_drag_begin (TlCandidatesGrid *self, double x, double y, GtkGesture *gesture)
{
  if (tl_gestures_take_button (gesture) == 0)
    return;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->is_panning = FALSE;
  self->drag_x = self->drag_y = 0;
}

/* A drag that stays below the threshold is a click, which on_drag_end()
 * handles. */
static void
on_drag_update (TlCandidatesGrid *self, double x, double y)
{
  if (!self->is_panning
      && !gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int)x, (int)y))
    return;
  self->is_panning = TRUE;
  move (self, 1, 0, 0, x - self->drag_x, y - self->drag_y);
  self->drag_x = x;
  self->drag_y = y;
}

static void
on_drag_end (TlCandidatesGrid *self, double dx, double dy, GtkGesture *drag)
{
  const TlTileLayout *layout = &self->layout;
  guint button =
      gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (drag));
  double x, y;
  guint index;

  if (self->is_panning || button != GDK_BUTTON_PRIMARY
      || !gtk_gesture_drag_get_start_point (GTK_GESTURE_DRAG (drag), &x, &y))
    return;
  index = tl_tile_layout_find (layout, x, y);
  if (index < layout->n)
    adopt (self, index, FALSE);
}

static void
on_pressed (TlCandidatesGrid *self, int n_press)
{
  if (n_press == 2)
    tl_candidates_grid_fit (self);
}

/* --- drawing --- */

static void
draw (TlCandidatesGrid *self, GtkSnapshot *snapshot, guint pointed,
      guint focused)
{
  TlCandidateMarks marks = {
    .widget = GTK_WIDGET (self),
    .candidates = self->candidates,
    .layout = &self->layout,
    .pointed = pointed,
    .focused = focused,
  };
  GdkRGBA ground;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)),
                               &ground);
  ground.alpha *= 0.08F;
  for (guint i = 0; i < self->layout.n; i++)
    {
      double x, y;
      graphene_rect_t area;

      tl_tile_layout_place (&self->layout, i, &x, &y);
      area = GRAPHENE_RECT_INIT ((float)x, (float)y, (float)self->layout.width,
                                 (float)self->layout.height);
      gtk_snapshot_push_clip (snapshot, &area);
      gtk_snapshot_append_color (snapshot, &ground, &area);
      tl_candidate_tiles_draw (self->tiles, i, snapshot, &self->camera, x, y);
      gtk_snapshot_pop (snapshot);
      tl_candidate_marks_draw (&marks, i, snapshot);
    }
}

static void
tl_candidates_grid_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlCandidatesGrid *self = TL_CANDIDATES_GRID (widget);

  /* GTK hides its focus ring after some seconds; the keys need it longer */
  gboolean is_focus_seen = gtk_widget_has_visible_focus (widget)
                           || (gtk_widget_has_focus (widget) && self->by_key);

  if (self->tiles != NULL)
    draw (self, snapshot, find_pointed (self),
          is_focus_seen ? self->focus : self->layout.n);
}

gboolean
tl_candidates_grid_is_drawn (TlCandidatesGrid *self)
{
  gboolean busy;

  g_object_get (self->candidates, "busy", &busy, NULL);
  return gtk_widget_get_mapped (GTK_WIDGET (self)) && !busy
         && tl_candidate_tiles_are_new (self->tiles);
}

/* --- the widget --- */

static void
tl_candidates_grid_size_allocate (GtkWidget *widget, int width, int height,
                                  int baseline)
{
  lay_out (TL_CANDIDATES_GRID (widget));
}

static void
tl_candidates_grid_measure (GtkWidget *widget, GtkOrientation orientation,
                            int for_size, int *minimum, int *natural,
                            int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = MIN_SIZE;
}

static void
tl_candidates_grid_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (tl_candidates_grid_parent_class)->map (widget);
  camera_moved (TL_CANDIDATES_GRID (widget));
}

static void
tl_candidates_grid_dispose (GObject *object)
{
  TlCandidatesGrid *self = TL_CANDIDATES_GRID (object);

  g_clear_pointer (&self->tiles, tl_candidate_tiles_free);
  g_clear_object (&self->candidates);
  g_clear_object (&self->view);
  G_OBJECT_CLASS (tl_candidates_grid_parent_class)->dispose (object);
}

static void
tl_candidates_grid_class_init (TlCandidatesGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_candidates_grid_dispose;
  widget_class->map = tl_candidates_grid_map;
  widget_class->measure = tl_candidates_grid_measure;
  widget_class->size_allocate = tl_candidates_grid_size_allocate;
  widget_class->snapshot = tl_candidates_grid_snapshot;
  gtk_widget_class_set_css_name (widget_class, "candidatesgrid");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
zoom_grid (GtkWidget *widget, double factor)
{
  tl_candidates_grid_zoom (TL_CANDIDATES_GRID (widget), factor);
}

static void
move_grid (GtkWidget *widget, double factor, double x, double y, double dx,
           double dy)
{
  move (TL_CANDIDATES_GRID (widget), factor, x, y, dx, dy);
}

static void
add_controllers (TlCandidatesGrid *self)
{
  static const TlGesturesTarget target = { zoom_grid, move_grid };
  static const TlDragTarget drag = {
    .begin = G_CALLBACK (on_drag_begin),
    .update = G_CALLBACK (on_drag_update),
    .end = G_CALLBACK (on_drag_end),
    .pressed = G_CALLBACK (on_pressed),
  };
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (widget, motion);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, keys);
  tl_gestures_add_drag (widget, &drag, self);
  tl_gestures_add (widget, &target);
}

static void
tl_candidates_grid_init (TlCandidatesGrid *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  tl_camera_init (&self->camera);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_has_tooltip (widget, TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
  /* another scale factor needs pictures of other pixels */
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (camera_moved),
                    NULL);
  add_controllers (self);
}

void
tl_candidates_grid_set_view (TlCandidatesGrid *self, TlView *view)
{
  g_return_if_fail (self->view == NULL);

  self->view = g_object_ref (view);
  self->candidates =
      g_object_ref (tl_session_get_candidates (tl_view_get_session (view)));
  self->tiles = tl_candidate_tiles_new (GTK_WIDGET (self), view);
  tl_follow (self->candidates, "middle step", G_CALLBACK (on_centres), self);
  tl_follow (self->candidates, "best chosen", G_CALLBACK (tell_focus), self);
  /* not for each figure: a tooltip query waits for the X server */
  tl_follow (self->candidates, "busy metric",
             G_CALLBACK (gtk_widget_trigger_tooltip_query), self);
  tl_follow (self->candidates, "n", G_CALLBACK (on_n), self);
  g_signal_connect_object (self->candidates, "changed", G_CALLBACK (on_changed),
                           self, G_CONNECT_SWAPPED);
  on_n (self);
}
