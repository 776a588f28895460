/* What all widgets do: keep and follow objects, have actions, and tell screen
 * readers what they are. Main thread. */
#pragma once

#include "app/session/follow.h"

#include <gtk/gtk.h>

/** tl_keep: Returns: (transfer none): @object, which lives as long as @self;
 * call it once for each type of object */
gpointer tl_keep (gpointer self, gpointer object);

/** tl_add_call: Adds the action @name, without parameter and state; activating
 * it calls @function with @object, which outlives @map. */
void tl_add_call (GActionMap *map, const char *name, GCallback function,
                  gpointer object);

/** tl_widget_name: Sets the name of @widget for screen readers. */
void tl_widget_name (gpointer widget, const char *name);
/** tl_widget_describe: As tl_widget_name(), the description. @text:
 * (nullable) */
void tl_widget_describe (gpointer widget, const char *text);

/** tl_widget_set_class: Adds or removes the style class @name. */
void tl_widget_set_class (gpointer widget, const char *name, gboolean has);

/** tl_widget_find_accent: @colour: (out): for lines and handles that the widget
 * draws: the theme's accent, closer to the colour of text, because that of dark
 * themes is too dark for a line */
void tl_widget_find_accent (GtkWidget *widget, GdkRGBA *colour);

/** tl_label_show: Shows @text, or hides the label. @text: (nullable) */
void tl_label_show (GtkLabel *label, const char *text);

/** tl_label_set_line: Shows @text, which the tooltip repeats in case the label
 * cuts it off. */
void tl_label_set_line (GtkLabel *label, const char *text);
