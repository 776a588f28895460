/* Recently opened scans, in GtkRecentManager. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_recent_add: Adds @path to the list. @places: a{ss}, for
 * "app.open-places"; with none of them "app.open" is enough */
void tl_recent_add (const char *path, GVariant *places);

/** tl_recent_build_menu: Returns: (transfer full): newest first; each item
 * activates "app.open" or "app.open-places". */
GMenu *tl_recent_build_menu (void);

/** tl_recent_forget: Removes the scans that this program has noted. */
void tl_recent_forget (void);
