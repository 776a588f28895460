/* Pool of file choosers, because GTK 4.8 may crash after one is freed. Main
 * thread. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_file_chooser_take:
 * @title: also identifies the chooser in the pool: each purpose needs its own
 * @accept: label of the button
 *
 * Returns: (transfer full): modal to @parent, not shown yet; give it back with
 *   tl_file_chooser_let_go(), which also disconnects its "response"
 */
GtkFileChooserNative *tl_file_chooser_take (GtkWindow *parent,
                                            const char *title,
                                            GtkFileChooserAction action,
                                            const char *accept);

/** tl_file_chooser_let_go: @chooser: (transfer full): hidden if it is still
 * visible. */
void tl_file_chooser_let_go (gpointer chooser);
