/* The dialog that asks how the samples of a raw file are stored. Main thread.
 */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_RAW_WINDOW (tl_raw_window_get_type ())
G_DECLARE_FINAL_TYPE (TlRawWindow, tl_raw_window, TL, RAW_WINDOW, GtkWindow)

/** tl_raw_window_new: Returns: (transfer none): owned by GTK until it is
 * closed, which Escape does, too; @session outlives it */
TlRawWindow *tl_raw_window_new (GtkWindow *parent, TlSession *session);

/** tl_raw_window_show: Asks about the file of tl_session_find_raw(). Does
 * nothing if there is none. */
void tl_raw_window_show (TlRawWindow *self);
