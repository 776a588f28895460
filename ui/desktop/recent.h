/* Recently opened scans, in GtkRecentManager. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_recent_add: Adds @path to the list. */
void tl_recent_add (const char *path);

/** tl_recent_build_menu: Returns: (transfer full): newest first; each item
 * activates "app.open". */
GMenu *tl_recent_build_menu (void);
