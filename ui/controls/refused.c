#include "ui/controls/refused.h"

#define TOOLTIP "tl-refused-tooltip" /* key of the field's own tooltip */
#define CSS_CLASS "error"

gboolean
tl_refused_is_marked (GtkWidget *field)
{
  return gtk_widget_has_css_class (field, CSS_CLASS);
}

void
tl_refused_mark (GtkWidget *field, const char *reason)
{
  g_autofree char *tooltip = NULL;

  if (tl_refused_is_marked (field) == (reason != NULL))
    return;
  if (reason != NULL)
    {
      g_object_set_data_full (G_OBJECT (field), TOOLTIP,
                              g_strdup (gtk_widget_get_tooltip_text (field)),
                              g_free);
      gtk_widget_set_tooltip_text (field, reason);
      gtk_widget_add_css_class (field, CSS_CLASS);
      gtk_accessible_update_state (GTK_ACCESSIBLE (field),
                                   GTK_ACCESSIBLE_STATE_INVALID,
                                   GTK_ACCESSIBLE_INVALID_TRUE, -1);
      return;
    }
  tooltip = g_object_steal_data (G_OBJECT (field), TOOLTIP);
  gtk_widget_set_tooltip_text (field, tooltip);
  gtk_widget_remove_css_class (field, CSS_CLASS);
  gtk_accessible_reset_state (GTK_ACCESSIBLE (field),
                              GTK_ACCESSIBLE_STATE_INVALID);
}
