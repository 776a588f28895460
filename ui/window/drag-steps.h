/* What is dragged in a window, with whatever control, is one step of the
 * history from the press to the release. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** tl_drag_steps_attach: The drags in @window are steps of @session. */
void tl_drag_steps_attach (GtkWidget *window, TlSession *session);

G_END_DECLS
