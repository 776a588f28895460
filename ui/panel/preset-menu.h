/* The presets of filter and interpolation as a menu. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** tl_preset_menu_new: Returns: (transfer full): each item activates
 * "app.preset". */
GMenu *tl_preset_menu_new (void);

G_END_DECLS
