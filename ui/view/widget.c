#include "ui/view/widget.h"

#define TEXT_PART 0.35F /* of an accent */

gpointer
tl_keep (gpointer self, gpointer object)
{
  g_object_set_data_full (self, G_OBJECT_TYPE_NAME (object),
                          g_object_ref (object), g_object_unref);
  return object;
}

void
tl_add_call (GActionMap *map, const char *name, GCallback function,
             gpointer object)
{
  g_autoptr (GSimpleAction) action = g_simple_action_new (name, NULL);

  g_signal_connect_swapped (action, "activate", function, object);
  g_action_map_add_action (map, G_ACTION (action));
}

void
tl_widget_name (gpointer widget, const char *name)
{
  gtk_accessible_update_property (widget, GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
}

void
tl_widget_describe (gpointer widget, const char *text)
{
  gtk_accessible_update_property (widget, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text != NULL ? text : "", -1);
}

void
tl_widget_set_class (gpointer widget, const char *name, gboolean has)
{
  if (has)
    gtk_widget_add_css_class (widget, name);
  else
    gtk_widget_remove_css_class (widget, name);
}

void
tl_widget_find_accent (GtkWidget *widget, GdkRGBA *colour)
{
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  GdkRGBA text;

  gtk_style_context_get_color (style, &text);
  if (!gtk_style_context_lookup_color (style, "theme_selected_bg_color",
                                       colour))
    *colour = text;
  colour->red += TEXT_PART * (text.red - colour->red);
  colour->green += TEXT_PART * (text.green - colour->green);
  colour->blue += TEXT_PART * (text.blue - colour->blue);
  colour->alpha = 1;
}

void
tl_label_show (GtkLabel *label, const char *text)
{
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL);
  gtk_label_set_text (label, text != NULL ? text : "");
}

void
tl_label_set_line (GtkLabel *label, const char *text)
{
  gtk_label_set_text (label, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), text);
}
