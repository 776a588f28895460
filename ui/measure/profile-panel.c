#include "ui/measure/profile-panel.h"

#include "ui/controls/control.h"
#include "ui/measure/profile-plot.h"
#include "ui/view/widget.h"

struct _TlProfilePanel
{
  GtkBox parent_instance;

  TlMeasure *measure;
  GtkRevealer *revealer;
  GtkLabel *line_label;
  GtkAdjustment *width_adjustment;
  TlProfilePlot *plot;
};

G_DEFINE_FINAL_TYPE (TlProfilePanel, tl_profile_panel, GTK_TYPE_BOX)

static void
update_line (TlProfilePanel *self)
{
  g_autofree char *text = tl_measure_describe_line (self->measure);

  if (tl_measure_is_active (
          self->measure)) /* keep the text while the panel slides away */
    gtk_label_set_text (self->line_label, text);
}

static void
tl_profile_panel_class_init (TlProfilePanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (TL_TYPE_PROFILE_PLOT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/profile-panel.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlProfilePanel, name)
  BIND (revealer);
  BIND (line_label);
  BIND (width_adjustment);
  BIND (plot);
#undef BIND
}

static void
tl_profile_panel_init (TlProfilePanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_profile_panel_bind (TlProfilePanel *self, TlMeasure *measure,
                       GActionGroup *actions)
{
  g_return_if_fail (self->measure == NULL);

  self->measure = tl_keep (self, measure);
  tl_profile_plot_set_measure (self->plot, measure);
  tl_control_adopt (GTK_WIDGET (self), tl_measure_get_view (measure));
  tl_control_bind_number (self->width_adjustment, actions, "profile-width");
  g_object_bind_property (measure, "active", self->revealer, "reveal-child",
                          G_BINDING_SYNC_CREATE);
  tl_follow (measure, "line", G_CALLBACK (update_line), self);
}
