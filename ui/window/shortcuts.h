/* The keys, in one table: what they do and what the window of shortcuts says
 * that they do. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** tl_shortcuts_install: Those that work wherever the focus is. */
void tl_shortcuts_install (GtkApplication *application);

/**
 * tl_shortcuts_attach:
 * @panel: in it they come before what it stands in scrolls by the page keys
 *
 * Those that a text field or a slider has its own use for: they come to @window
 * when what has the focus does not take them.
 */
void tl_shortcuts_attach (GtkWindow *window, GtkWidget *panel);

/** tl_shortcuts_show: All of them, in a window before @parent. */
void tl_shortcuts_show (GtkWindow *parent);

G_END_DECLS
