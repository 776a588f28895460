#include "ui/picture/gestures.h"

#include <math.h>

#define WHEEL_STEP 1.2 /* zoom for one notch of the wheel */
#define NOTCH                                                                  \
  60.0 /* widget units for a notch of a touchpad that reports notches */

/* Kinetic panning: the speed falls by a factor e in 1 / FRICTION seconds, as in
 * GtkScrolledWindow, and the picture stops below LEAST_SPEED. */
#define FRICTION 4.0
#define LEAST_SPEED 20.0 /* widget units per second */

/* Owned by the widget, as its object data. */
typedef struct
{
  GtkWidget *widget; /* not owned */
  const TlGesturesTarget *target;
  TlScrollUse use; /* of the last scroll */
  double unit;     /* of the last scroll's deltas, widget units */

  guint coast_id;            /* tick callback; 0: none */
  double speed_x, speed_y;   /* of kinetic panning, widget units per second */
  gint64 coast_us;           /* time of the last step of kinetic panning */
  double scale;              /* of the pinch, at its last event */
  double middle_x, middle_y; /* of the fingers, at the same event */
} Gestures;

TlScrollUse
tl_gestures_choose_scroll (GdkInputSource source, GdkModifierType state)
{
  if (source == GDK_SOURCE_TOUCHPAD && (state & GDK_CONTROL_MASK) == 0)
    return TL_SCROLL_PAN;
  return TL_SCROLL_ZOOM;
}

/* --- kinetic panning --- */

static void
stop_coasting (Gestures *self)
{
  if (self->coast_id != 0)
    gtk_widget_remove_tick_callback (self->widget, self->coast_id);
  self->coast_id = 0;
}

static gboolean
coast (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Gestures *self = data;
  gint64 now_us = gdk_frame_clock_get_frame_time (clock);
  double s = (double)(now_us - self->coast_us) / G_USEC_PER_SEC;

  self->coast_us = now_us;
  self->target->move (self->widget, 1, 0, 0, self->speed_x * s,
                      self->speed_y * s);
  self->speed_x *= exp (-FRICTION * s);
  self->speed_y *= exp (-FRICTION * s);
  if (hypot (self->speed_x, self->speed_y) >= LEAST_SPEED)
    return G_SOURCE_CONTINUE;
  self->coast_id = 0;
  return G_SOURCE_REMOVE;
}

static void
on_decelerate (Gestures *self, double speed_x, double speed_y)
{
  GtkWidget *widget = self->widget;

  stop_coasting (self);
  if (self->use != TL_SCROLL_PAN)
    return;
  self->speed_x = -speed_x * self->unit;
  self->speed_y = -speed_y * self->unit;
  self->coast_us =
      gdk_frame_clock_get_frame_time (gtk_widget_get_frame_clock (widget));
  self->coast_id = gtk_widget_add_tick_callback (widget, coast, self, NULL);
}

/* --- scrolling --- */

static gboolean
on_scroll (Gestures *self, double dx, double dy, GtkEventController *scroll)
{
  GdkDevice *device = gtk_event_controller_get_current_event_device (scroll);
  const GdkModifierType state =
      gtk_event_controller_get_current_event_state (scroll);

  stop_coasting (self);
  self->use = tl_gestures_choose_scroll (
      device != NULL ? gdk_device_get_source (device) : GDK_SOURCE_MOUSE,
      state);
  self->unit = gtk_event_controller_scroll_get_unit (
                   GTK_EVENT_CONTROLLER_SCROLL (scroll))
                       == GDK_SCROLL_UNIT_SURFACE
                   ? 1
                   : NOTCH;
  if (self->target->step != NULL && (state & GDK_CONTROL_MASK) == 0)
    {
      self->use = TL_SCROLL_ZOOM; /* does not coast */
      self->target->step (self->widget, dy * self->unit / NOTCH);
    }
  else if (self->use == TL_SCROLL_PAN)
    self->target->move (self->widget, 1, 0, 0, -dx * self->unit,
                        -dy * self->unit);
  else
    self->target->zoom (self->widget,
                        pow (WHEEL_STEP, -dy * self->unit / NOTCH));
  return GDK_EVENT_STOP;
}

/* --- two fingers --- */

static void
on_pinch_begin (Gestures *self, GdkEventSequence *sequence, GtkGesture *pinch)
{
  stop_coasting (self);
  /* the second finger ends the drag that the first has begun */
  gtk_gesture_set_state (pinch, GTK_EVENT_SEQUENCE_CLAIMED);
  self->scale = 1;
  gtk_gesture_get_bounding_box_center (pinch, &self->middle_x, &self->middle_y);
}

static void
on_pinch (Gestures *self, GdkEventSequence *sequence, GtkGesture *pinch)
{
  double scale = gtk_gesture_zoom_get_scale_delta (GTK_GESTURE_ZOOM (pinch));
  double x, y;

  if (!gtk_gesture_get_bounding_box_center (pinch, &x, &y) || !(scale > 0))
    return;
  self->target->move (self->widget, scale / self->scale, x, y,
                      x - self->middle_x, y - self->middle_y);
  self->scale = scale;
  self->middle_x = x;
  self->middle_y = y;
}

/* --- setting up --- */

void
tl_gestures_add (GtkWidget *widget, const TlGesturesTarget *target)
{
  Gestures *self = g_new0 (Gestures, 1);
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES
                                       | GTK_EVENT_CONTROLLER_SCROLL_KINETIC);
  GtkGesture *pinch = gtk_gesture_zoom_new ();

  self->widget = widget;
  self->target = target;
  g_object_set_data_full (G_OBJECT (widget), "tl-gestures", self, g_free);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect_swapped (scroll, "decelerate", G_CALLBACK (on_decelerate),
                            self);
  g_signal_connect_swapped (pinch, "begin", G_CALLBACK (on_pinch_begin), self);
  g_signal_connect_swapped (pinch, "update", G_CALLBACK (on_pinch), self);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
}

void
tl_gestures_add_drag (GtkWidget *widget, const TlDragTarget *target,
                      gpointer data)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect_swapped (drag, "drag-begin", target->begin, data);
  g_signal_connect_swapped (drag, "drag-update", target->update, data);
  g_signal_connect_swapped (drag, "drag-end", target->end, data);
  g_signal_connect_swapped (click, "pressed", target->pressed, data);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
}

guint
tl_gestures_take_button (GtkGesture *drag)
{
  guint button =
      gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (drag));

  if (button == GDK_BUTTON_PRIMARY || button == GDK_BUTTON_MIDDLE)
    return button;
  gtk_gesture_set_state (drag, GTK_EVENT_SEQUENCE_DENIED);
  return 0;
}
