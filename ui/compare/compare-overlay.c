#include "ui/compare/compare-overlay.h"

#include "app/axis/overlay/overlay.h"
#include "ui/plot/plot.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define REACH 9.0    /* of the pointer, on either side of the line */
#define THICK 1.0    /* of the line */
#define BORDER 1.0   /* dark rim, so that lines are seen on white */
#define RADIUS 11.0  /* of the knob */
#define PADDING 5.0  /* of a label */
#define MARGIN 8.0   /* around it */
#define STEP 0.01    /* of an arrow key, as a part of the width */
#define BIG_STEP 0.1 /* the same with Shift */

struct _TlCompareOverlay
{
  GtkWidget parent_instance;

  TlCompare *compare;
  double top;   /* of the labels */
  double start; /* where the line was when the drag began */
};

G_DEFINE_FINAL_TYPE (TlCompareOverlay, tl_compare_overlay, GTK_TYPE_WIDGET)

static TlSession *
get_session (TlCompareOverlay *self)
{
  return tl_view_get_session (tl_compare_get_view (self->compare));
}

static TlCompareMode
get_mode (TlCompareOverlay *self)
{
  return tl_compare_get_mode (self->compare);
}

/* Returns: x of the line; the middle in mode side by side */
static double
get_line (TlCompareOverlay *self)
{
  double part = get_mode (self) == TL_COMPARE_SWIPE
                    ? tl_compare_get_swipe (self->compare)
                    : 0.5;

  return round (part * gtk_widget_get_width (GTK_WIDGET (self)));
}

/* --- dragging --- */

static gboolean
tl_compare_overlay_contains (GtkWidget *widget, double x, double y)
{
  TlCompareOverlay *self = TL_COMPARE_OVERLAY (widget);

  return get_mode (self) == TL_COMPARE_SWIPE
         && fabs (x - get_line (self)) <= REACH && y >= 0
         && y < gtk_widget_get_height (widget);
}

static void
go_to (TlCompareOverlay *self, double part)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "app.swipe", "d",
                              CLAMP (part, 0, 1));
}

static void
on_drag_begin (TlCompareOverlay *self, double x, double y, GtkGesture *gesture)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->start = get_line (self);
}

static void
on_drag_update (TlCompareOverlay *self, double x, double y)
{
  go_to (self, (self->start + x) / gtk_widget_get_width (GTK_WIDGET (self)));
}

static gboolean
on_key (TlCompareOverlay *self, guint keyval, guint keycode,
        GdkModifierType state)
{
  double step = (state & GDK_SHIFT_MASK) != 0 ? BIG_STEP : STEP;
  double swipe = tl_compare_get_swipe (self->compare);

  if (get_mode (self) != TL_COMPARE_SWIPE
      || (state & (GDK_ALT_MASK | GDK_CONTROL_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Left:
      go_to (self, swipe - step);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
      go_to (self, swipe + step);
      return GDK_EVENT_STOP;
    case GDK_KEY_Home:
      go_to (self, 0);
      return GDK_EVENT_STOP;
    case GDK_KEY_End:
      go_to (self, 1);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* --- drawing --- */

static const GdkRGBA dark = { 0, 0, 0, 0.6F }, bright = { 1, 1, 1, 1 };

static void
draw_bar (GtkSnapshot *snapshot, const GdkRGBA *colour, double middle,
          double thickness, double height)
{
  gtk_snapshot_append_color (
      snapshot, colour,
      &GRAPHENE_RECT_INIT ((float)(middle - thickness / 2), 0, (float)thickness,
                           (float)height));
}

static void
draw_line (TlCompareOverlay *self, GtkSnapshot *snapshot, double height)
{
  double line = get_line (self);

  draw_bar (snapshot, &dark, line, THICK + 2 * BORDER, height);
  draw_bar (snapshot, &bright, line, THICK, height);
}

static void
draw_disk (GtkSnapshot *snapshot, const GdkRGBA *colour, double x, double y,
           double radius)
{
  const graphene_rect_t area =
      GRAPHENE_RECT_INIT ((float)(x - radius), (float)(y - radius),
                          (float)(2 * radius), (float)(2 * radius));
  GskRoundedRect disk;

  gsk_rounded_rect_init_from_rect (&disk, &area, (float)radius);
  gtk_snapshot_push_rounded_clip (snapshot, &disk);
  gtk_snapshot_append_color (snapshot, colour, &area);
  gtk_snapshot_pop (snapshot);
}

/* Draws the knob of the handle, larger with the focus. */
static void
draw_knob (TlCompareOverlay *self, GtkSnapshot *snapshot, double height)
{
  gboolean has_focus = gtk_widget_has_focus (GTK_WIDGET (self));
  double line = get_line (self);

  draw_disk (snapshot, &dark, line, height / 2, RADIUS + 2 * BORDER);
  draw_disk (snapshot, &bright, line, height / 2, RADIUS);
  if (has_focus)
    draw_disk (snapshot, &dark, line, height / 2, RADIUS - 3 * BORDER);
  for (int side = -1; side <= 1; side += 2)
    gtk_snapshot_append_color (
        snapshot, has_focus ? &bright : &dark,
        &GRAPHENE_RECT_INIT ((float)(line + 2.5 * side - 0.75),
                             (float)(height / 2 - 4), 1.5F, 8));
}

/* @x: the left end of the label, or its right end if it lies left of the line
 */
static void
draw_label (TlCompareOverlay *self, GtkSnapshot *snapshot, const char *text,
            double x, gboolean is_left)
{
  double width, height;
  g_autoptr (PangoLayout) layout =
      tl_words_new (GTK_WIDGET (self), text, &width, &height);

  x += is_left ? -PADDING - width : PADDING;
  tl_words_append_label (snapshot, layout, &bright, x,
                         self->top + MARGIN + PADDING / 2, PADDING);
}

/* @a, @b: (out) (transfer full): the labels, with the slices' numbers if these
 * differ; planes are at one place */
static void
describe_sides (TlCompareOverlay *self, char **a, char **b)
{
  TlSession *session = get_session (self);
  guint slice_a =
      (guint)tl_slice_comparison_get_recipe (session->comparison)->slice;
  guint slice_b = tl_slice_comparison_get_slice (session->comparison);

  if (slice_a == slice_b
      || tl_display_get_picture (session->display) == TL_PICTURE_PLANES)
    {
      *a = g_strdup (_ ("A"));
      *b = g_strdup (_ ("B"));
      return;
    }
  *a = g_strdup_printf (_ ("A · slice %u"), slice_a);
  *b = g_strdup_printf (_ ("B · slice %u"), slice_b);
}

static void
draw_labels (TlCompareOverlay *self, GtkSnapshot *snapshot, TlCompareMode mode)
{
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  g_autofree char *less = NULL;
  double line = get_line (self);

  describe_sides (self, &a, &b);
  switch (mode)
    {
    case TL_COMPARE_SWIPE:
      draw_label (self, snapshot, a, line - MARGIN, TRUE);
      draw_label (self, snapshot, b, line + MARGIN, FALSE);
      break;
    case TL_COMPARE_SIDE_BY_SIDE:
      draw_label (self, snapshot, a, MARGIN, FALSE);
      draw_label (self, snapshot, b, line + MARGIN, FALSE);
      break;
    case TL_COMPARE_BLINK:
      draw_label (self, snapshot,
                  tl_compare_get_blink_a (self->compare) ? a : b, MARGIN,
                  FALSE);
      break;
    default:
      /* translators: the second picture less the first one */
      less = g_strdup_printf (_ ("%s − %s"), b, a);
      draw_label (self, snapshot, less, MARGIN, FALSE);
      break;
    }
}

/* Returns: whether a projection and its opposite are shown */
static gboolean
has_overlay (TlCompareOverlay *self)
{
  TlOverlay *overlay = tl_session_get_overlay (get_session (self));

  return tl_overlay_is_shown (overlay)
         && tl_overlay_get_opposite (overlay) != NULL;
}

static const char *
describe_overlay (TlCompareOverlay *self)
{
  switch (tl_overlay_get_mode (tl_session_get_overlay (get_session (self))))
    {
    case TL_OVERLAY_DIFFERENCE:
      return _ ("B − A");
    case TL_OVERLAY_SUM:
      return _ ("A + B");
    case TL_OVERLAY_RED_CYAN:
      return _ ("A red · B cyan");
    default:
      return tl_compare_get_blink_a (self->compare) ? _ ("A") : _ ("B");
    }
}

void
tl_compare_overlay_set_top (TlCompareOverlay *self, double top)
{
  self->top = top;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
tl_compare_overlay_draw (TlCompareOverlay *self, GtkSnapshot *snapshot)
{
  const double width = gtk_widget_get_width (GTK_WIDGET (self));
  const double height = gtk_widget_get_height (GTK_WIDGET (self));
  TlCompareMode mode = get_mode (self);

  if (mode == TL_COMPARE_OFF && has_overlay (self))
    draw_label (self, snapshot, describe_overlay (self), MARGIN, FALSE);
  if (mode == TL_COMPARE_OFF)
    return;
  gtk_snapshot_push_clip (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float)width, (float)height));
  if (mode == TL_COMPARE_SWIPE || mode == TL_COMPARE_SIDE_BY_SIDE)
    draw_line (self, snapshot, height);
  draw_labels (self, snapshot, mode);
  if (mode == TL_COMPARE_SWIPE)
    draw_knob (self, snapshot, height);
  gtk_snapshot_pop (snapshot);
}

/* --- the widget --- */

static void
tl_compare_overlay_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  tl_compare_overlay_draw (TL_COMPARE_OVERLAY (widget), snapshot);
}

static void
tl_compare_overlay_class_init (TlCompareOverlayClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->contains = tl_compare_overlay_contains;
  widget_class->snapshot = tl_compare_overlay_snapshot;
  gtk_widget_class_set_css_name (widget_class, "compareoverlay");
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_SLIDER);
}

static void
tl_compare_overlay_init (TlCompareOverlay *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  gtk_widget_set_cursor_from_name (widget, "col-resize");
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update),
                            self);
  gtk_widget_add_controller (widget, keys);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  tl_widget_name (self, _ ("Line between A on its left and B on its right"));
}

GtkWidget *
tl_compare_overlay_new (void)
{
  return g_object_new (TL_TYPE_COMPARE_OVERLAY, NULL);
}

static void
update (TlCompareOverlay *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  gboolean swipes = get_mode (self) == TL_COMPARE_SWIPE;

  if (!swipes && gtk_widget_has_focus (widget))
    gtk_widget_activate_action (widget, "win.leave-field", NULL);
  gtk_widget_set_visible (widget, get_mode (self) != TL_COMPARE_OFF
                                      || has_overlay (self));
  gtk_widget_set_focusable (widget, swipes);
  gtk_accessible_update_property (
      GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
      GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW,
      tl_compare_get_swipe (self->compare), -1);
  gtk_widget_queue_draw (widget);
}

void
tl_compare_overlay_set_compare (TlCompareOverlay *self, TlCompare *compare)
{
  g_return_if_fail (self->compare == NULL);

  self->compare = tl_keep (self, compare);
  tl_follow (compare, "", G_CALLBACK (update), self);
  tl_follow (get_session (self)->display, "comparison frame",
             G_CALLBACK (update), self);
  update (self);
}
