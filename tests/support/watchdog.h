/* How long the main thread is kept from its main loop: a window does not answer
 * meanwhile. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What nobody notices. */
#define TL_WATCHDOG_MAX_MS 50

/** tl_watchdog_start: Of the default main context, in its thread; until then
 * nothing counts. */
void tl_watchdog_start (void);

/**
 * tl_watchdog_stop:
 *
 * Returns: milliseconds of the longest time from one poll to the next. What the
 *   thread has waited for a processor in it does not count, where the kernel
 *   says so: that is not what was done but what else was done on the machine.
 */
double tl_watchdog_stop (void);

G_END_DECLS
