/* A line over the picture that says what went well, and leaves by itself. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_toast_bind:
 * @revealer: shows the "notice" of @session for some seconds, or until the
 *   clipboard has something else: the notice may have been about that
 * @label: in it
 *
 * Lasts as long as @revealer.
 */
void tl_toast_bind (GtkRevealer *revealer, GtkLabel *label, TlSession *session);

G_END_DECLS
