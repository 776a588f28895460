/* Event controllers that zoom and pan a picture: wheel, touchpad, touch screen,
 * dragging with a button. Main thread. */
#pragma once

#include <gtk/gtk.h>

typedef enum
{
  TL_SCROLL_ZOOM,
  TL_SCROLL_PAN
} TlScrollUse;

/**
 * tl_gestures_choose_scroll:
 * @source: device that scrolls
 *
 * Returns: what scrolling does: a wheel zooms; two fingers on a touchpad pan,
 *   or zoom if Ctrl is held
 */
TlScrollUse tl_gestures_choose_scroll (GdkInputSource source,
                                       GdkModifierType state);

/* Functions of the widget; lengths are in widget units. */
typedef struct
{
  /* Zooms about the pointer, or about the middle if it is elsewhere */
  void (*zoom) (GtkWidget *widget, double factor);
  /* Moves the picture by @dx and @dy, then enlarges it by @factor about @x and
   * @y */
  void (*move) (GtkWidget *widget, double factor, double x, double y, double dx,
                double dy);
  /* (nullable): what scrolling by @n notches does instead, without Ctrl: @n is
   * positive down */
  void (*step) (GtkWidget *widget, double n);
} TlGesturesTarget;

/** tl_gestures_add: Call once for a widget. @target must outlive @widget. A
 * pinch zooms about the middle between the fingers, and pans with it. */
void tl_gestures_add (GtkWidget *widget, const TlGesturesTarget *target);

/* Handlers; the first argument of each is the data. */
typedef struct
{
  GCallback begin, update, end; /* "drag-…" of GtkGestureDrag */
  GCallback pressed;            /* of GtkGestureClick */
} TlDragTarget;

/** tl_gestures_add_drag: Connects drags with any button, and clicks. @data must
 * live as long as @widget. */
void tl_gestures_add_drag (GtkWidget *widget, const TlDragTarget *target,
                           gpointer data);

/** tl_gestures_take_button: Call in "drag-begin". Returns: the primary or the
 * middle button; 0 for another button, whose drag is denied. */
guint tl_gestures_take_button (GtkGesture *drag);
