/* The dark style of the desktop's settings, which GTK does not follow without
 * libadwaita. Main thread. */
#pragma once

#include <gio/gio.h>

/**
 * tl_dark_style_follow:
 * @bus: (nullable): the session bus; without it, or where no portal serves the
 *   settings, GTK's own setting holds
 *
 * From now on the windows are dark while the user prefers that on the desktop.
 * It asks without waiting.
 *
 * Source: the setting color-scheme of org.freedesktop.appearance in the portal
 * org.freedesktop.portal.Settings.
 */
void tl_dark_style_follow (GDBusConnection *bus);
