/* Message over the picture about a success, which hides after some seconds.
 * Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

/**
 * tl_toast_bind:
 * @revealer: shows the session's "notice" for some seconds, or until the
 *   clipboard changes, because the notice may be about its content
 * @label: child of @revealer
 *
 * The binding lasts as long as @revealer.
 */
void tl_toast_bind (GtkRevealer *revealer, GtkLabel *label, TlSession *session);
