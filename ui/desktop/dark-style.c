#include "ui/desktop/dark-style.h"

#include <gtk/gtk.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define PORTAL_PATH "/org/freedesktop/portal/desktop"
#define PORTAL_SETTINGS "org.freedesktop.portal.Settings"
#define APPEARANCE "org.freedesktop.appearance"
#define COLOR_SCHEME "color-scheme"
#define PREFERS_DARK 1U /* 0: no preference, 2: light */

#define GTK_SETTING "gtk-application-prefer-dark-theme"

/* @value: may be in further variants: Read() answers with two, a change comes
 * in one */
static void
take_scheme (GVariant *value)
{
  g_autoptr (GVariant) inner = g_variant_ref (value);
  GtkSettings *settings = gtk_settings_get_default ();

  while (g_variant_is_of_type (inner, G_VARIANT_TYPE_VARIANT))
    {
      GVariant *outer = inner;

      inner = g_variant_get_variant (outer);
      g_variant_unref (outer);
    }
  if (!g_variant_is_of_type (inner, G_VARIANT_TYPE_UINT32) || settings == NULL)
    return;
  if (g_variant_get_uint32 (inner) == PREFERS_DARK)
    g_object_set (settings, GTK_SETTING, TRUE, NULL);
  else
    gtk_settings_reset_property (settings, GTK_SETTING);
}

static void
on_read (GObject *bus, GAsyncResult *result, gpointer data)
{
  g_autoptr (GVariant) answer =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (bus), result, NULL);
  g_autoptr (GVariant) value =
      answer != NULL ? g_variant_get_child_value (answer, 0) : NULL;

  if (value != NULL)
    take_scheme (value);
}

static void
on_changed (GDBusConnection *bus, const char *sender, const char *path,
            const char *interface, const char *signal, GVariant *arguments,
            gpointer data)
{
  const char *space, *key;
  g_autoptr (GVariant) value = NULL;

  if (!g_variant_is_of_type (arguments, G_VARIANT_TYPE ("(ssv)")))
    return;
  g_variant_get (arguments, "(&s&sv)", &space, &key, &value);
  if (g_str_equal (key, COLOR_SCHEME)) /* the space is that of the match */
    take_scheme (value);
}

void
tl_dark_style_follow (GDBusConnection *bus)
{
  if (bus == NULL)
    return;
  g_dbus_connection_signal_subscribe (
      bus, PORTAL, PORTAL_SETTINGS, "SettingChanged", PORTAL_PATH, APPEARANCE,
      G_DBUS_SIGNAL_FLAGS_NONE, on_changed, NULL, NULL);
  g_dbus_connection_call (bus, PORTAL, PORTAL_PATH, PORTAL_SETTINGS, "Read",
                          g_variant_new ("(ss)", APPEARANCE, COLOR_SCHEME),
                          G_VARIANT_TYPE ("(v)"), G_DBUS_CALL_FLAGS_NONE, -1,
                          NULL, on_read, NULL);
}
