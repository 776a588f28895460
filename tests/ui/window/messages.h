/* Warnings of GTK that the program cannot avoid; tests ignore them by name. */
#pragma once

#include <gtk/gtk.h>

/** messages_init: Stops these warnings from being printed. Call once, before
 * g_test_init(). */
void messages_init (void);

/**
 * messages_is_fatal:
 *
 * For g_test_log_set_fatal_handler(), in each case in which these warnings may
 * appear.
 *
 * Returns: whether @message is another warning and ends the test.
 */
gboolean messages_is_fatal (const char *domain, GLogLevelFlags level,
                            const char *message, gpointer data);
