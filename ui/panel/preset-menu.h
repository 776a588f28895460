/* The presets of filter and interpolation as a menu. */
#pragma once

#include <gio/gio.h>

/** tl_preset_menu_new: Returns: (transfer full): each item activates
 * "app.preset". */
GMenu *tl_preset_menu_new (void);
