#include "tests/ui/window/keys.h"

/* Adds the key by xdotool's name. Keys that close the window belong to another
 * test, and keys that open GTK's inspector are for debugging: both are left
 * out. */
static void
add_key (GPtrArray *keys, const char *trigger)
{
  guint key;
  GdkModifierType modifiers;
  GString *name;

  static const char *const left_out[] = { "<Control>w", "<Control>q",
                                          "<Shift><Control>i",
                                          "<Shift><Control>d" };

  if (!gtk_accelerator_parse (trigger, &key, &modifiers) || key == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (left_out); i++)
    {
      guint other_key;
      GdkModifierType other;

      gtk_accelerator_parse (left_out[i], &other_key, &other);
      if (gdk_keyval_to_lower (key) == other_key && modifiers == other)
        return;
    }
  name = g_string_new (NULL);
  if (modifiers & GDK_CONTROL_MASK)
    g_string_append (name, "ctrl+");
  if (modifiers & GDK_ALT_MASK)
    g_string_append (name, "alt+");
  if (modifiers & GDK_SHIFT_MASK)
    g_string_append (name, "shift+");
  g_string_append (name, gdk_keyval_name (key));
  g_ptr_array_add (keys, g_string_free (name, FALSE));
}

static void
add_keys_of_widget (GPtrArray *keys, GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      for (guint k = 0;
           k < g_list_model_get_n_items (G_LIST_MODEL (controller)); k++)
        {
          g_autoptr (GtkShortcut) key =
              g_list_model_get_item (G_LIST_MODEL (controller), k);
          g_autofree char *trigger =
              gtk_shortcut_trigger_to_string (gtk_shortcut_get_trigger (key));

          add_key (keys, trigger);
        }
    }
}

GPtrArray *
keys_list (Driver *driver)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  GtkApplication *application = GTK_APPLICATION (driver->application);
  g_auto (GStrv) actions =
      gtk_application_list_action_descriptions (application);

  for (char **action = actions; *action != NULL; action++)
    {
      g_auto (GStrv) triggers =
          gtk_application_get_accels_for_action (application, *action);

      for (char **trigger = triggers; *trigger != NULL; trigger++)
        add_key (keys, *trigger);
    }
  add_keys_of_widget (keys, GTK_WIDGET (driver->window));
  g_assert_cmpuint (keys->len, >, 40);
  return keys;
}
