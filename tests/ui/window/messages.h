/* Complaints of GTK's that no program can help, passed over by name. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** messages_init: Once, before g_test_init(): those are not written. */
void messages_init (void);

/**
 * messages_is_fatal:
 *
 * For g_test_log_set_fatal_handler() in each case that they may come in.
 *
 * Returns: whether @message is not one of them and ends the test.
 */
gboolean messages_is_fatal (const char *domain, GLogLevelFlags level,
                            const char *message, gpointer data);

G_END_DECLS
