/* GLib asks for it before the backend of a file may be used. */
#define G_SETTINGS_ENABLE_BACKEND

#include "ui/desktop/settings.h"

#include "data/installation.h"

#include <gio/gsettingsbackend.h>
#include <string.h>

#define SCHEMA "org.tomolens.Tomolens"
#define PATH "/org/tomolens/Tomolens/"

static GSettings *settings; /* (nullable) */
static char *place;         /* (nullable): file of the values */

/* Returns: (transfer full) (nullable) */
static GSettingsSchema *
find_schema (void)
{
  g_autofree char *folder = tl_installation_find ("ui/desktop", TL_SCHEMA_DIR);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSettingsSchemaSource) source =
      g_settings_schema_source_new_from_directory (folder, NULL, FALSE, &error);

  if (source == NULL)
    {
      g_info ("nothing is remembered: %s", error->message);
      return NULL;
    }
  return g_settings_schema_source_lookup (source, SCHEMA, FALSE);
}

static gboolean
has_dconf (void)
{
  GIOExtensionPoint *point;

  g_vfs_get_default (); /* loads the modules of GIO */
  point = g_io_extension_point_lookup (G_SETTINGS_BACKEND_EXTENSION_POINT_NAME);
  return point != NULL
         && g_io_extension_point_get_extension_by_name (point, "dconf") != NULL;
}

/* Returns: (transfer full): also sets the place of a file */
static GSettingsBackend *
open_backend (gboolean has_bus)
{
  const char *wanted = g_getenv ("GSETTINGS_BACKEND");

  if (wanted != NULL ? strcmp (wanted, "keyfile") != 0
                     : has_bus && has_dconf ())
    return g_settings_backend_get_default ();
  place = g_build_filename (g_get_user_config_dir (), "tomolens",
                            "settings.ini", NULL);
  return g_keyfile_settings_backend_new (place, PATH, "window");
}

void
tl_settings_open (gboolean has_bus)
{
  g_autoptr (GSettingsSchema) schema = find_schema ();
  g_autoptr (GSettingsBackend) backend = NULL;

  g_return_if_fail (settings == NULL);

  if (schema == NULL)
    return;
  backend = open_backend (has_bus);
  settings = g_settings_new_full (schema, backend, NULL);
}

void
tl_settings_close (void)
{
  if (settings != NULL)
    g_settings_sync ();
  g_clear_object (&settings);
  g_clear_pointer (&place, g_free);
}

GSettings *
tl_settings_get (void)
{
  return settings;
}

const char *
tl_settings_get_place (void)
{
  return place;
}

char *
tl_settings_dup_text (const char *key)
{
  return settings != NULL ? g_settings_get_string (settings, key)
                          : g_strdup ("");
}

void
tl_settings_set_text (const char *key, const char *text)
{
  if (settings != NULL)
    g_settings_set_string (settings, key, text);
}

/* Resets all keys, then writes the file once, because each write waits for the
 * disk. */
void
tl_settings_forget (void)
{
  g_autoptr (GSettingsSchema) schema = NULL;
  g_autoptr (GSettingsBackend) backend = NULL;
  g_autoptr (GSettings) all = NULL;
  g_auto (GStrv) keys = NULL;

  g_return_if_fail (settings != NULL);

  g_object_get (settings, "settings-schema", &schema, "backend", &backend,
                NULL);
  all = g_settings_new_full (schema, backend, NULL);
  keys = g_settings_schema_list_keys (schema);
  g_settings_delay (all);
  for (char **key = keys; *key != NULL; key++)
    g_settings_reset (all, *key);
  g_settings_apply (all);
}
