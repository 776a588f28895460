#include "ui/panel/histogram.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* Widget units. */
#define MARGIN 6.0 /* so that a handle at an end can be dragged */
#define REACH 8.0  /* a drag between the handles, further away, moves both */

typedef enum
{
  DRAG_LOW,
  DRAG_HIGH,
  DRAG_BOTH
} Drag;

struct _TlHistogram
{
  GtkDrawingArea parent_instance;

  TlMeasure *measure; /* of the view */
  TlView *view;
  Drag drag;
  gboolean is_dragged;
  double start_low, start_high;
  double first, last; /* values at the ends; kept during a drag */
};

G_DEFINE_FINAL_TYPE (TlHistogram, tl_histogram, GTK_TYPE_DRAWING_AREA)

/* --- values and places --- */

/* The range covers the values of the picture and the window. */
static void
update_range (TlHistogram *self)
{
  double low = tl_view_get_low (self->view);
  double high = tl_view_get_high (self->view);
  float min, max;
  size_t n;

  self->first = low;
  self->last = high;
  if (tl_display_get_histogram (tl_view_get_session (self->view)->display, &n,
                                &min, &max)
      != NULL)
    {
      self->first = fmin (low, min);
      self->last = fmax (high, max);
    }
  if (self->last <= self->first)
    self->last = self->first + 1;
}

static double
value_to_x (TlHistogram *self, double value)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) - 2 * MARGIN;

  return MARGIN + (value - self->first) / (self->last - self->first) * width;
}

static double
value_per_x (TlHistogram *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) - 2 * MARGIN;

  return (self->last - self->first) / fmax (width, 1);
}

/* --- drawing --- */

/* On a logarithmic scale a few dense pixels are visible beside the many of air.
 */
static double
get_height (TlHistogram *self, guint32 count, guint32 most)
{
  return tl_view_get_log_counts (self->view) ? log1p (count) / log1p (most)
                                             : (double)count / most;
}

static void
draw_counts (TlHistogram *self, cairo_t *cr, double height)
{
  size_t n;
  float min, max;
  guint32 most = 1;
  const guint32 *counts = tl_display_get_histogram (
      tl_view_get_session (self->view)->display, &n, &min, &max);

  if (counts == NULL || n == 0)
    return;
  for (size_t i = 0; i < n; i++)
    most = MAX (most, counts[i]);
  cairo_move_to (cr, value_to_x (self, min), height);
  for (size_t i = 0; i < n; i++)
    {
      double left = min + ((double)max - min) * (double)i / (double)n;
      double right = min + ((double)max - min) * (double)(i + 1) / (double)n;
      double y = height * (1 - get_height (self, counts[i], most));

      cairo_line_to (cr, value_to_x (self, left), y);
      cairo_line_to (cr, value_to_x (self, right), y);
    }
  cairo_line_to (cr, value_to_x (self, max), height);
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
draw_handle (cairo_t *cr, double x, double height)
{
  cairo_set_line_width (cr, 2);
  cairo_move_to (cr, x, 0);
  cairo_line_to (cr, x, height);
  cairo_stroke (cr);
  cairo_move_to (cr, x - MARGIN, height);
  cairo_line_to (cr, x + MARGIN, height);
  cairo_line_to (cr, x, height - 1.6 * MARGIN);
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TlHistogram *self = TL_HISTOGRAM (area);
  GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (area));
  double low = value_to_x (self, tl_view_get_low (self->view));
  double high = value_to_x (self, tl_view_get_high (self->view));
  GdkRGBA colour;

  gtk_style_context_get_color (style, &colour);
  colour.alpha *= 0.55F;
  gdk_cairo_set_source_rgba (cr, &colour);
  draw_counts (self, cr, height);
  /* shades the values that are black or white in the picture */
  colour.alpha *= 0.25F;
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_rectangle (cr, 0, 0, fmax (low, 0), height);
  cairo_rectangle (cr, high, 0, fmax (width - high, 0), height);
  cairo_fill (cr);
  tl_widget_find_accent (GTK_WIDGET (area), &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  draw_handle (cr, low, height);
  draw_handle (cr, high, height);
}

/* The range stays during a drag: otherwise the handle would move away from the
 * pointer. */
static void
update (TlHistogram *self)
{
  TlUnits units;

  tl_measure_get_units (self->measure, &units);
  /* translators: the ends of the window of values, and their unit */
  g_autofree char *words = g_strdup_printf (
      _ ("%.4g is black, %.4g is white (%s)"),
      tl_view_get_low (self->view) * units.per_value,
      tl_view_get_high (self->view) * units.per_value, units.unit);

  tl_widget_describe (self, words);
  if (!self->is_dragged)
    update_range (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- dragging --- */

/* Returns: the nearer handle, or both for a pointer between them */
static Drag
find_drag (TlHistogram *self, double x)
{
  double to_low = x - value_to_x (self, tl_view_get_low (self->view));
  double to_high = value_to_x (self, tl_view_get_high (self->view)) - x;

  if (to_low > REACH && to_high > REACH)
    return DRAG_BOTH;
  return fabs (to_low) <= fabs (to_high) ? DRAG_LOW : DRAG_HIGH;
}

static void
on_motion (TlHistogram *self, double x)
{
  gtk_widget_set_cursor_from_name (
      GTK_WIDGET (self),
      find_drag (self, x) == DRAG_BOTH ? "grab" : "ew-resize");
}

static void
on_drag_begin (TlHistogram *self, double x, double y, GtkGesture *gesture)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (gesture));

  self->start_low = tl_view_get_low (self->view);
  self->start_high = tl_view_get_high (self->view);
  self->is_dragged = TRUE;
  self->drag = (state & GDK_SHIFT_MASK) != 0 ? DRAG_BOTH : find_drag (self, x);
}

static void
on_drag_update (TlHistogram *self, double x, double y)
{
  GtkWidget *widget = GTK_WIDGET (self);
  double moved = x * value_per_x (self);

  /* neither end may pass the other */
  if (self->drag == DRAG_LOW)
    moved = fmin (moved, self->start_high - self->start_low);
  if (self->drag == DRAG_HIGH)
    moved = fmax (moved, self->start_low - self->start_high);
  if (self->drag != DRAG_HIGH)
    gtk_widget_activate_action (widget, "app.window-low", "d",
                                self->start_low + moved);
  if (self->drag != DRAG_LOW)
    gtk_widget_activate_action (widget, "app.window-high", "d",
                                self->start_high + moved);
}

static void
on_pressed (TlHistogram *self, int n_press)
{
  if (n_press == 2)
    gtk_widget_activate_action (GTK_WIDGET (self), "app.window-auto", NULL);
}

static void
on_drag_end (TlHistogram *self)
{
  self->is_dragged = FALSE;
  update (self);
}

/* --- the widget --- */

static void
tl_histogram_class_init (TlHistogramClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_css_name (widget_class, "histogram");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_histogram_init (TlHistogram *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  self->last = 1;
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update),
                            self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self), draw, NULL, NULL);
  tl_widget_name (self,
                  _ ("Histogram of the picture with the ends of the window"));
}

void
tl_histogram_bind (TlHistogram *self, TlMeasure *measure)
{
  TlView *view = tl_measure_get_view (measure);
  TlDisplay *display = tl_view_get_session (view)->display;
  g_return_if_fail (self->view == NULL);

  self->measure = tl_keep (self, measure);
  self->view = tl_keep (self, view);
  tl_follow (view, "low high log-counts", G_CALLBACK (update), self);
  tl_follow (display, "frame comparison", G_CALLBACK (update), self);
  tl_follow (tl_view_get_session (view)->parameters, "recipe",
             G_CALLBACK (update), self);
  update (self);
}
