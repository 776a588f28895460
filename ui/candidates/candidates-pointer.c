#include "ui/candidates/candidates-pointer.h"

#include "ui/picture/gestures.h"

/* Lives as data of the grid, so it goes with it. */
typedef struct
{
  TlCandidatesGrid *grid; /* not owned */
  gboolean is_panning;    /* the drag is no click any more */
  double drag_x, drag_y;  /* offset of the drag that was already used */
} Hand;

static void
adopt (TlCandidatesGrid *grid, guint index, gboolean by_key)
{
  tl_candidates_grid_set_focus (grid, index, by_key);
  gtk_widget_activate_action (GTK_WIDGET (grid), "app.adopt", "u", index);
}

/* -- keys ----------------------------------------------------------------- */

static void
move_focus (TlCandidatesGrid *grid, int d_col, int d_row)
{
  guint index =
      tl_tile_layout_step (tl_candidates_grid_get_layout (grid),
                           tl_candidates_grid_get_focus (grid), d_col, d_row);

  tl_candidates_grid_set_focus (grid, index, TRUE);
}

static void
change_step (TlCandidatesGrid *grid, const char *action)
{
  gtk_widget_activate_action (GTK_WIDGET (grid), action, "i",
                              tl_candidates_grid_get_focused (grid));
}

static gboolean
on_key (Hand *self, guint keyval, guint keycode, GdkModifierType state)
{
  const GdkModifierType other =
      GDK_ALT_MASK | GDK_CONTROL_MASK | GDK_SHIFT_MASK;

  if ((state & other) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Left:
      move_focus (self->grid, -1, 0);
      break;
    case GDK_KEY_Right:
      move_focus (self->grid, 1, 0);
      break;
    case GDK_KEY_Up:
      move_focus (self->grid, 0, -1);
      break;
    case GDK_KEY_Down:
      move_focus (self->grid, 0, 1);
      break;
    case GDK_KEY_Home:
      tl_candidates_grid_set_focus (self->grid, 0, TRUE);
      break;
    case GDK_KEY_End:
      tl_candidates_grid_set_focus (
          self->grid, tl_candidates_grid_get_layout (self->grid)->n - 1, TRUE);
      break;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space:
      adopt (self->grid, tl_candidates_grid_get_focus (self->grid), TRUE);
      break;
    case GDK_KEY_comma:
      change_step (self->grid, "app.finer");
      break;
    case GDK_KEY_period:
      change_step (self->grid, "app.coarser");
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  return GDK_EVENT_STOP;
}

/* -- a button ------------------------------------------------------------- */

static void
on_drag_begin (Hand *self, double x, double y, GtkGesture *gesture)
{
  if (tl_gestures_take_button (gesture) == 0)
    return;
  gtk_widget_grab_focus (GTK_WIDGET (self->grid));
  self->is_panning = FALSE;
  self->drag_x = self->drag_y = 0;
}

/* What moves no further than a hand trembles is a click. */
static void
on_drag_update (Hand *self, double x, double y)
{
  if (!self->is_panning
      && !gtk_drag_check_threshold (GTK_WIDGET (self->grid), 0, 0, (int)x,
                                    (int)y))
    return;
  self->is_panning = TRUE;
  tl_candidates_grid_move (self->grid, 1, 0, 0, x - self->drag_x,
                           y - self->drag_y);
  self->drag_x = x;
  self->drag_y = y;
}

static void
on_drag_end (Hand *self, double dx, double dy, GtkGesture *drag)
{
  const TlTileLayout *layout = tl_candidates_grid_get_layout (self->grid);
  guint button =
      gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (drag));
  double x, y;
  guint index;

  if (self->is_panning || button != GDK_BUTTON_PRIMARY
      || !gtk_gesture_drag_get_start_point (GTK_GESTURE_DRAG (drag), &x, &y))
    return;
  index = tl_tile_layout_find (layout, x, y);
  if (index < layout->n)
    adopt (self->grid, index, FALSE);
}

static void
on_pressed (Hand *self, int n_press)
{
  if (n_press == 2)
    tl_candidates_grid_fit (self->grid);
}

/* -- setting up ----------------------------------------------------------- */

static void
zoom_grid (GtkWidget *widget, double factor)
{
  tl_candidates_grid_zoom (TL_CANDIDATES_GRID (widget), factor);
}

static void
move_grid (GtkWidget *widget, double factor, double x, double y, double dx,
           double dy)
{
  tl_candidates_grid_move (TL_CANDIDATES_GRID (widget), factor, x, y, dx, dy);
}

void
tl_candidates_hand_add (TlCandidatesGrid *grid)
{
  static const TlGesturesTarget target = { zoom_grid, move_grid };
  static const TlDragTarget drag = {
    .begin = G_CALLBACK (on_drag_begin),
    .update = G_CALLBACK (on_drag_update),
    .end = G_CALLBACK (on_drag_end),
    .pressed = G_CALLBACK (on_pressed),
  };
  Hand *self = g_new0 (Hand, 1);
  GtkWidget *widget = GTK_WIDGET (grid);
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->grid = grid;
  g_object_set_data_full (G_OBJECT (grid), "tl-candidates-hand", self, g_free);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, keys);
  tl_gestures_add_drag (widget, &drag, self);
  tl_gestures_add (widget, &target);
}
