#include "ui/window/drag-steps.h"

#include <math.h>

/* In units of a widget: a click may be less steady. */
#define MIN_DRAG 1.0

#define KEY "tomolens-is-dragged"
#define STEP_KEY "tomolens-step" /* when the button was pressed */

static gboolean
is_dragged (GtkGesture *gesture)
{
  return g_object_get_data (G_OBJECT (gesture), KEY) != NULL;
}

/* A control may change by being pressed, GTK's scale also when it is pressed
 * for long. */
static void
on_begin (GtkGesture *gesture, double x, double y, TlSession *session)
{
  g_object_set_data (G_OBJECT (gesture), STEP_KEY,
                     GUINT_TO_POINTER (tl_session_get_step (session)));
}

/* From the first motion on: clicks on a button are no drags, and those that
 * follow each other closely are one step. */
static void
on_update (GtkGesture *gesture, double x, double y, TlSession *session)
{
  if (is_dragged (gesture) || (fabs (x) < MIN_DRAG && fabs (y) < MIN_DRAG))
    return;
  g_object_set_data (G_OBJECT (gesture), KEY, gesture);
  tl_session_begin_drag (session, GPOINTER_TO_UINT (g_object_get_data (
                                      G_OBJECT (gesture), STEP_KEY)));
}

/* Also where the control has lost the pointer. */
static void
on_end (GtkGesture *gesture, GdkEventSequence *sequence, TlSession *session)
{
  if (is_dragged (gesture))
    tl_session_end_drag (session);
  g_object_set_data (G_OBJECT (gesture), KEY, NULL);
}

void
tl_drag_steps_attach (GtkWidget *window, TlSession *session)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  /* before the control hears of the motion */
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
