/* Makes each drag of a control, from press to release, one step of undo. Main
 * thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

/** tl_drag_steps_attach: Makes drags in @window steps of @session's history.
 * Lasts as long as @window. */
void tl_drag_steps_attach (GtkWidget *window, TlSession *session);
