/* Joins the window with what is remembered of it, in ui/desktop/settings.h:
 * restores the saved state at once and saves later changes. Does nothing if
 * nothing is remembered. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_remember_actions: @actions: of the application: actions named like
 * a key of the settings */
void tl_remember_actions (GActionGroup *actions);

/** tl_remember_window: Its size, and which groups of @panel are unfolded. Call
 * before it is shown. */
void tl_remember_window (GtkWindow *window, GtkWidget *panel);

/** tl_remember_size: Call when @window closes. */
void tl_remember_size (GtkWindow *window);
