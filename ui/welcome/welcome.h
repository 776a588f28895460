/* The page before a scan is open: ways to open one, the three questions that
 * the program answers, with their pages of the manual, and recent scans. Main
 * thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_WELCOME (tl_welcome_get_type ())
G_DECLARE_FINAL_TYPE (TlWelcome, tl_welcome, TL, WELCOME, GtkBox)

/** tl_welcome_bind: Call once. While a scan is waited for, the page says that
 * alone. */
void tl_welcome_bind (TlWelcome *self, TlSession *session);
