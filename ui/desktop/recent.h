/* Recently opened scans, in GtkRecentManager. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_recent_ignore: From now on the list is empty here, and nothing is added
 * to the user's list: for screenshots and measurements, which are to be the
 * same for all users. */
void tl_recent_ignore (void);

/** tl_recent_add: Adds @path to the list. @places: a{ss}, for
 * "app.open-places"; with none of them "app.open" is enough */
void tl_recent_add (const char *path, GVariant *places);

/** tl_recent_build_menu: Returns: (transfer full): newest first; each item
 * activates "app.open" or "app.open-places". */
GMenu *tl_recent_build_menu (void);

/** tl_recent_forget: Removes the scans that this program has noted. The desktop
 * has one list for all programs: others lose these scans, too. */
void tl_recent_forget (void);
