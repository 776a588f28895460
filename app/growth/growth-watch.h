/* Notices that a file or folder grows. Main thread only. */
#pragma once

#include <glib.h>

typedef struct TlGrowthWatch TlGrowthWatch;

/**
 * tl_growth_watch_new:
 * @path: of a scan that is open
 * @rests: @func is called only when nothing has changed for some seconds after
 *   that
 * @func: called when the file is longer than it was, or the folder has new
 *   images; may free the watch. Returns: whether that is settled; else it is
 *   called again after a while
 *
 * Where the system does not tell, as for most network file systems, nothing is
 * noticed. A file that another one replaces does not grow.
 *
 * Returns: (transfer full) (nullable): %NULL if @path cannot be watched
 */
TlGrowthWatch *tl_growth_watch_new (const char *path, gboolean rests,
                                    gboolean (*func) (gpointer), gpointer data);
/** tl_growth_watch_rests_for: @watch: (nullable). Returns: whether it watches
 * @path until that rests */
gboolean tl_growth_watch_rests_for (const TlGrowthWatch *watch,
                                    const char *path);
void tl_growth_watch_free (TlGrowthWatch *watch);
