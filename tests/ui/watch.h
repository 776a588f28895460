/* The watchdog of the window: what the toolkit and the X server take for
 * themselves does not count. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_watch_init: Once, after GTK's.
 *
 * From then on the watchdog is paused while GTK paints, which software does
 * here, and while the X server lets one wait, which another process does.
 */
void tl_watch_init (void);

G_END_DECLS
