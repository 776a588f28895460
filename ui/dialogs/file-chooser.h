/* Choosers of files and folders, used again and again. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_file_chooser_take:
 * @title: says what it is for, too: no two purposes have the same
 * @accept: the label of its button
 *
 * Returns: (transfer full): modal to @parent, not shown yet; to be given to
 *   tl_file_chooser_let_go(), which also disconnects from its answer
 */
GtkFileChooserNative *tl_file_chooser_take (GtkWindow *parent,
                                            const char *title,
                                            GtkFileChooserAction action,
                                            const char *accept);

/** tl_file_chooser_let_go: @chooser: (transfer full): hidden if it is still
 * there. */
void tl_file_chooser_let_go (gpointer chooser);

G_END_DECLS
