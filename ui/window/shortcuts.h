/* Table of the keyboard shortcuts, from which come both the accelerators and
 * the shortcuts window. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_shortcuts_install: Installs the shortcuts that work wherever the focus
 * is. */
void tl_shortcuts_install (GtkApplication *application);

/**
 * tl_shortcuts_attach:
 * @panel: here they come before the scrolled window that handles the page keys
 *
 * Adds the shortcuts with keys that text fields or sliders use themselves. They
 * work if the widget with the focus does not handle the key.
 */
void tl_shortcuts_attach (GtkWindow *window, GtkWidget *panel);

/** tl_shortcuts_show: Shows all shortcuts in a window above @parent. */
void tl_shortcuts_show (GtkWindow *parent);
