#include "ui/panel/phase-controls.h"

#include "ui/controls/control.h"

struct _TlPhaseControls
{
  GtkBox parent_instance;

  GtkExpander *values_expander;
  GtkSpinButton *energy_spin, *distance_spin, *pixel_size_spin,
      *delta_beta_spin;
};

G_DEFINE_FINAL_TYPE (TlPhaseControls, tl_phase_controls, GTK_TYPE_BOX)

/* Whoever turns the switch wants to see what it is about; more so where it was
 * refused for something that is missing. */
static void
show_values (TlPhaseControls *self)
{
  gtk_expander_set_expanded (self->values_expander, TRUE);
}

static void
tl_phase_controls_class_init (TlPhaseControlsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/phase-controls.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlPhaseControls, name)
  BIND (values_expander);
  BIND (energy_spin);
  BIND (distance_spin);
  BIND (pixel_size_spin);
  BIND (delta_beta_spin);
#undef BIND
}

static void
tl_phase_controls_init (TlPhaseControls *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_phase_controls_bind (TlPhaseControls *self, GActionGroup *actions)
{
  const struct
  {
    GtkSpinButton *spin;
    const char *action;
  } values[] = {
    { self->energy_spin, "energy" },
    { self->distance_spin, "distance" },
    { self->pixel_size_spin, "pixel-size" },
    { self->delta_beta_spin, "delta-beta" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    tl_control_bind_number (gtk_spin_button_get_adjustment (values[i].spin),
                            actions, values[i].action);
  g_signal_connect_object (actions, "action-state-changed::phase",
                           G_CALLBACK (show_values), self, G_CONNECT_SWAPPED);
}
