#include "ui/measure/profile-panel.h"

#include "ui/controls/control.h"
#include "ui/measure/profile-plot.h"
#include "ui/view/widget.h"

struct _TlProfilePanel
{
  GtkWidget parent_instance;

  TlMeasure *measure;
  GtkRevealer *revealer;
  GtkLabel *line_label;
  GtkAdjustment *width_adjustment;
  TlProfilePlot *plot;
};

G_DEFINE_FINAL_TYPE (TlProfilePanel, tl_profile_panel, GTK_TYPE_WIDGET)

static void
update_active (TlProfilePanel *self)
{
  gtk_revealer_set_reveal_child (self->revealer,
                                 tl_measure_is_active (self->measure));
}

static void
update_line (TlProfilePanel *self)
{
  g_autofree char *text = tl_measure_describe_line (self->measure);

  if (tl_measure_is_active (
          self->measure)) /* keep the text while the panel slides away */
    gtk_label_set_text (self->line_label, text);
}

static void
tl_profile_panel_dispose (GObject *object)
{
  TlProfilePanel *self = TL_PROFILE_PANEL (object);

  if (self->revealer != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->revealer));
  g_clear_object (&self->measure);
  G_OBJECT_CLASS (tl_profile_panel_parent_class)->dispose (object);
}

static void
tl_profile_panel_class_init (TlProfilePanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_profile_panel_dispose;
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

  self->measure = g_object_ref (measure);
  tl_profile_plot_set_measure (self->plot, measure);
  tl_control_adopt (GTK_WIDGET (self), tl_measure_get_view (measure));
  tl_control_bind_number (self->width_adjustment, actions, "profile-width");
  tl_follow (measure, "active", G_CALLBACK (update_active), self);
  tl_follow (measure, "line", G_CALLBACK (update_line), self);
  update_active (self);
}
