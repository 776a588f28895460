/* Measures how long the main thread stays away from its main loop. A window
 * does not respond during that time. */
#pragma once

#include <glib.h>

/* The longest time that a user does not notice. */
#define TL_WATCHDOG_MAX_MS 50

/** tl_watchdog_start: Starts watching the default main context. Call it in the
 * thread of that context. */
void tl_watchdog_start (void);

/**
 * tl_watchdog_pause:
 *
 * Excludes the time until tl_watchdog_go_on().
 *
 * Returns: %FALSE if the watchdog is stopped or already paused
 */
gboolean tl_watchdog_pause (void);

/** tl_watchdog_go_on: Ends tl_watchdog_pause(). Does nothing if the watchdog is
 * stopped or not paused. */
void tl_watchdog_go_on (void);

/**
 * tl_watchdog_stop:
 *
 * Stops watching. Every time longer than TL_WATCHDOG_MAX_MS is in the test's
 * log with its place in the program.
 *
 * Returns: the longest time from one poll to the next, milliseconds. If the
 *   kernel reports how long the thread waited for a processor, that time does
 *   not count, because other programs caused it. Times in which only library
 *   code ran do not count either: see tl_watchdog_get_foreign_ms()
 */
double tl_watchdog_stop (void);

/** tl_watchdog_measure_slowness: Measures, in some 10 ms, what a fixed task
 * takes at this moment, other programs and sanitizers included. Returns: the
 * multiple of what it takes on an idle machine of 2020, at least 1 */
double tl_watchdog_measure_slowness (void);

/** tl_watchdog_get_foreign_ms: Returns: after tl_watchdog_stop(), the longest
 * time above TL_WATCHDOG_MAX_MS in which only library code ran, milliseconds; 0
 * if there is none. */
double tl_watchdog_get_foreign_ms (void);

/** tl_watchdog_get_busy_ms: Returns: after tl_watchdog_stop(), the longest time
 * that the thread itself has computed, without any waiting, in one of the times
 * that tl_watchdog_stop() counts, milliseconds; 0 if none was longer than
 * TL_WATCHDOG_MAX_MS. No other program can be the reason. */
double tl_watchdog_get_busy_ms (void);
