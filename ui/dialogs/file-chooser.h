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

/** TlFileChosen: The user has chosen the file @path for @widget. */
typedef void (*TlFileChosen) (GtkWidget *widget, const char *path);

/**
 * tl_file_chooser_prepare:
 * @widget: keeps the chooser until it is disposed or prepares another one
 *
 * Returns: (transfer none): as tl_file_chooser_take(), to be shown
 */
GtkNativeDialog *tl_file_chooser_prepare (GtkWidget *widget, const char *title,
                                          GtkFileChooserAction action,
                                          TlFileChosen chosen);

/** tl_file_chooser_fill: Lets the user choose a file, whose path becomes the
 * text of @entry, a GtkEditable. */
void tl_file_chooser_fill (GtkWidget *entry, const char *title);

/** tl_file_chooser_let_go: @chooser: (transfer full): hidden if it is still
 * visible. */
void tl_file_chooser_let_go (gpointer chooser);
