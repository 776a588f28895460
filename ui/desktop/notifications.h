/* What the desktop shows when long work ends while the user looks elsewhere:
 * exports, and searches of the axis. A click on it shows the window. Main
 * thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

/* Searches that are shorter than that many seconds are not told. */
#define TL_NOTIFICATIONS_LONG_S 10

typedef struct TlNotifications TlNotifications;

/**
 * tl_notifications_new:
 * @application: (transfer none): must outlive them; nothing is told while one
 *   of its windows has the focus
 * @long_s: TL_NOTIFICATIONS_LONG_S, but for tests
 */
TlNotifications *tl_notifications_new (GtkApplication *application,
                                       TlSession *session, double long_s);
void tl_notifications_free (TlNotifications *self);
