/* How long the main thread is kept from its main loop: a window does not answer
 * meanwhile. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What nobody notices. */
#define TL_WATCHDOG_MAX_MS 50

/* Of everything, under the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
#define TL_WATCHDOG_SLOWNESS 4
#else
#define TL_WATCHDOG_SLOWNESS 1
#endif

/** tl_watchdog_start: Of the default main context, in its thread; until then
 * nothing counts. */
void tl_watchdog_start (void);

/**
 * tl_watchdog_pause:
 *
 * What follows, until tl_watchdog_go_on(), is not of what is watched.
 *
 * Returns: %FALSE where nothing is watched just now
 */
gboolean tl_watchdog_pause (void);

/** tl_watchdog_go_on: See tl_watchdog_pause(); nothing while it is stopped. */
void tl_watchdog_go_on (void);

/**
 * tl_watchdog_stop:
 *
 * What was longer than TL_WATCHDOG_MAX_MS is told in the test's log, with where
 * in the program that was.
 *
 * Returns: milliseconds of the longest time from one poll to the next. What the
 *   thread has waited for a processor in it does not count, where the kernel
 *   says so: that is not what was done but what else was done on the machine.
 *   Nor does what a library does by itself, without having been called by the
 *   program in that time: see tl_watchdog_get_foreign_ms()
 */
double tl_watchdog_stop (void);

/** tl_watchdog_get_foreign_ms: After tl_watchdog_stop(): the longest time of a
 * library's own that was longer than TL_WATCHDOG_MAX_MS, or 0. */
double tl_watchdog_get_foreign_ms (void);

G_END_DECLS
