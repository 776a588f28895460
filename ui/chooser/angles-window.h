/* The dialog that asks for the angles of a scan that could not be opened with
 * those that it has. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_ANGLES_WINDOW (tl_angles_window_get_type ())
G_DECLARE_FINAL_TYPE (TlAnglesWindow, tl_angles_window, TL, ANGLES_WINDOW,
                      GtkWindow)

/** tl_angles_window_new: Returns: (transfer none): owned by GTK until it is
 * closed, which Escape does, too; @session outlives it */
TlAnglesWindow *tl_angles_window_new (GtkWindow *parent, TlSession *session);

/** tl_angles_window_show: Asks about the scan of the message. */
void tl_angles_window_show (TlAnglesWindow *self);
