/* What the window remembers from one start to the next. The keys are in
 * org.tomolens.Tomolens.gschema.xml. Main thread. */
#pragma once

#include <gio/gio.h>

/**
 * tl_settings_open:
 * @has_bus: there is a session bus, without which dconf keeps nothing
 *
 * Begins to remember, until tl_settings_close(). A program that does not call
 * this, such as a test, neither reads nor writes what the user has. dconf keeps
 * the values where it is installed; elsewhere, or with
 * GSETTINGS_BACKEND=keyfile, they are in the user's folder of settings. Nothing
 * is remembered if the installation lacks the schema.
 */
void tl_settings_open (gboolean has_bus);
void tl_settings_close (void);

/** tl_settings_get: Returns: (transfer none) (nullable): %NULL if nothing is
 * remembered */
GSettings *tl_settings_get (void);

/** tl_settings_get_place: Returns: (transfer none) (nullable): the file that
 * keeps the values; %NULL if dconf does, or nothing is remembered */
const char *tl_settings_get_place (void);

/** tl_settings_dup_text: Returns: (transfer full): the value of @key; "" if
 * nothing is remembered */
char *tl_settings_dup_text (const char *key);
/** tl_settings_set_text: Does nothing if nothing is remembered. */
void tl_settings_set_text (const char *key, const char *text);

/** tl_settings_forget: Sets all keys back to their defaults. tl_settings_get()
 * must not be %NULL. */
void tl_settings_forget (void);
