#include "ui/window/drag-steps.h"

#include <math.h>

/* Widget units: a click may move the pointer less than this. */
#define MIN_DRAG 1.0

#define KEY "tomolens-is-dragged"
#define STEP_KEY "tomolens-step" /* when the button was pressed */

static gboolean
is_dragged (GtkGesture *gesture)
{
  return g_object_get_data (G_OBJECT (gesture), KEY) != NULL;
}

/* A press alone may change a control; GtkScale also changes on a long press. */
static void
on_begin (GtkGesture *gesture, double x, double y, TlSession *session)
{
  g_object_set_data (G_OBJECT (gesture), STEP_KEY,
                     GUINT_TO_POINTER (tl_history_get_present (
                         tl_parameters_get_history (session->parameters))));
}

/* The drag begins with the first motion. Clicks are no drags: repeated clicks
 * on a button are merged into one step elsewhere. */
static void
on_update (GtkGesture *gesture, double x, double y, TlSession *session)
{
  if (is_dragged (gesture) || (fabs (x) < MIN_DRAG && fabs (y) < MIN_DRAG))
    return;
  g_object_set_data (G_OBJECT (gesture), KEY, gesture);
  tl_history_begin_drag (
      tl_parameters_get_history (session->parameters),
      GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (gesture), STEP_KEY)));
}

/* Also called when the control loses its grab of the pointer. */
static void
on_end (GtkGesture *gesture, GdkEventSequence *sequence, TlSession *session)
{
  if (is_dragged (gesture))
    tl_history_end_drag (tl_parameters_get_history (session->parameters));
  g_object_set_data (G_OBJECT (gesture), KEY, NULL);
}

void
tl_drag_steps_attach (GtkWidget *window, TlSession *session)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  /* in the capture phase: before the control handles the motion */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag),
                                              GTK_PHASE_CAPTURE);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect_object (drag, "drag-begin", G_CALLBACK (on_begin), session,
                           0);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (on_update), session,
                           0);
  g_signal_connect_object (drag, "end", G_CALLBACK (on_end), session, 0);
  gtk_widget_add_controller (window, GTK_EVENT_CONTROLLER (drag));
}
