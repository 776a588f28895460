/* Scans that were opened before, in the desktop's own list. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** tl_recent_add: @path was opened. */
void tl_recent_add (const char *path);

/** tl_recent_build_menu: Returns: (transfer full): newest first; each item
 * activates "app.open". */
GMenu *tl_recent_build_menu (void);

G_END_DECLS
