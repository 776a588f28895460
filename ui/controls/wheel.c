#include "ui/controls/wheel.h"

#include "ui/controls/control.h"

/* Of a step of the wheel, with Shift and with Ctrl. */
#define FINE_STEP 0.1
#define FINER_STEP 0.01

static gboolean
has_focus (GtkWidget *control)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (control));

  return focus != NULL
         && (focus == control || gtk_widget_is_ancestor (focus, control));
}

static gboolean
on_wheel (GtkEventController *wheel, double dx, double dy, gpointer data)
{
  GtkAdjustment *adjustment = data;
  GdkModifierType state = gtk_event_controller_get_current_event_state (wheel);
  double step = gtk_adjustment_get_step_increment (adjustment);

  if (!has_focus (gtk_event_controller_get_widget (wheel)))
    return GDK_EVENT_PROPAGATE;
  if (!tl_control_is_whole (adjustment))
    {
      if ((state & GDK_CONTROL_MASK) != 0)
        step *= FINER_STEP;
      else if ((state & GDK_SHIFT_MASK) != 0)
        step *= FINE_STEP;
    }
  /* with Shift, the wheel may come as one that turns sideways */
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment)
                                            - (dx + dy) * step);
  return GDK_EVENT_STOP;
}

void
tl_wheel_replace (GtkWidget *control, GtkAdjustment *adjustment)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (control);
  GtkEventController *wheel =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES
                                       | GTK_EVENT_CONTROLLER_SCROLL_DISCRETE);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) old =
          g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (old))
        gtk_event_controller_set_propagation_phase (old, GTK_PHASE_NONE);
    }
  g_signal_connect (wheel, "scroll", G_CALLBACK (on_wheel), adjustment);
  gtk_widget_add_controller (control, wheel);
}
