#include "ui/panel/ring-controls.h"

#include "ui/controls/control.h"

struct _TlRingControls
{
  GtkBox parent_instance;

  GtkAdjustment *size_adjustment, *levels_adjustment, *sigma_adjustment;
  GtkDropDown *rings_drop;
  GtkWidget *sorting_row, *wavelet_row;
};

G_DEFINE_FINAL_TYPE (TlRingControls, tl_ring_controls, GTK_TYPE_BOX)

/* What the way that was chosen has to be told, and no more. */
static void
update_rows (TlRingControls *self, const char *action, GVariant *state)
{
  const char *way = g_variant_get_string (state, NULL);

  gtk_widget_set_visible (self->sorting_row, g_str_equal (way, "sorting"));
  gtk_widget_set_visible (self->wavelet_row, g_str_equal (way, "wavelet"));
}

static void
tl_ring_controls_class_init (TlRingControlsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/ring-controls.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlRingControls, name)
  BIND (size_adjustment);
  BIND (levels_adjustment);
  BIND (sigma_adjustment);
  BIND (rings_drop);
  BIND (sorting_row);
  BIND (wavelet_row);
#undef BIND
}

static void
tl_ring_controls_init (TlRingControls *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_ring_controls_bind (TlRingControls *self, GActionGroup *actions)
{
  g_autoptr (GVariant) rings = NULL;

  g_return_if_fail (TL_IS_RING_CONTROLS (self));

  tl_control_bind_number (self->size_adjustment, actions, "ring-size");
  tl_control_bind_number (self->levels_adjustment, actions, "ring-levels");
  tl_control_bind_number (self->sigma_adjustment, actions, "ring-sigma");
  tl_control_bind_choice (self->rings_drop, actions, "rings");
  g_signal_connect_object (actions, "action-state-changed::rings",
                           G_CALLBACK (update_rows), self, G_CONNECT_SWAPPED);
  rings = g_action_group_get_action_state (actions, "rings");
  update_rows (self, "rings", rings);
}
