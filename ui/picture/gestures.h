/* What moves the picture: the wheel, two fingers on a touchpad or on the
 * screen, a button. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum
{
  TL_SCROLL_ZOOM,
  TL_SCROLL_PAN
} TlScrollUse;

/**
 * tl_gestures_choose_scroll:
 * @source: of the device that scrolls
 *
 * Returns: what it does: a wheel zooms; two fingers on a touchpad pan, and zoom
 *   with Ctrl
 */
TlScrollUse tl_gestures_choose_scroll (GdkInputSource source,
                                       GdkModifierType state);

/* What the widget does, in its own units. */
typedef struct
{
  /* about the pointer, or the middle without one */
  void (*zoom) (GtkWidget *widget, double factor);
  /* the picture follows by @dx and @dy, and then is enlarged by @factor about
   * @x and @y */
  void (*move) (GtkWidget *widget, double factor, double x, double y, double dx,
                double dy);
} TlGesturesTarget;

/** tl_gestures_add: Once for a widget; @target is constant. Two fingers that
 * part or close zoom about their middle, and take the picture along. */
void tl_gestures_add (GtkWidget *widget, const TlGesturesTarget *target);

/* What a button does; the first argument of each is the data. */
typedef struct
{
  GCallback begin, update, end; /* "drag-…" of GtkGestureDrag */
  GCallback pressed;            /* of GtkGestureClick */
} TlDragTarget;

/** tl_gestures_add_drag: Dragging with any button, and clicks. @data lives as
 * long as @widget. */
void tl_gestures_add_drag (GtkWidget *widget, const TlDragTarget *target,
                           gpointer data);

/** tl_gestures_take_button: Where a drag begins. Returns: the primary or the
 * middle button; 0 for any other, whose drag is denied. */
guint tl_gestures_take_button (GtkGesture *drag);

G_END_DECLS
