/* Table of the keyboard shortcuts, from which come both the accelerators and
 * the shortcuts window. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_shortcuts_install: Installs the shortcuts that work wherever the focus
 * is. */
void tl_shortcuts_install (GtkApplication *application);

/**
 * tl_shortcuts_attach:
 * @panel: a part of @window; here they come before what is around it
 * @pages: the part with the picture, whose widgets handle keys themselves
 *
 * Adds the shortcuts with keys that text fields or sliders use themselves. They
 * work if the widget with the focus does not handle the key.
 */
void tl_shortcuts_attach (GtkWindow *window, GtkWidget *panel,
                          GtkWidget *pages);

/** tl_shortcuts_add_to_tooltips: Adds the keys of the table to the tooltips of
 * the buttons in @root that activate an action with a key. Call once. */
void tl_shortcuts_add_to_tooltips (GtkWidget *root);

/** tl_shortcuts_show: Shows all shortcuts in a window above @parent. */
void tl_shortcuts_show (GtkWindow *parent);
