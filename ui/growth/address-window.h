/* The dialog that opens the address of a sender, with what the sender does not
 * say. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_ADDRESS_WINDOW (tl_address_window_get_type ())
G_DECLARE_FINAL_TYPE (TlAddressWindow, tl_address_window, TL, ADDRESS_WINDOW,
                      GtkWindow)

/** tl_address_window_new: Returns: (transfer none): owned by GTK until @parent
 * is closed; @session outlives it */
TlAddressWindow *tl_address_window_new (GtkWindow *parent, TlSession *session);

/** tl_address_window_show: Shows what was typed the last time. */
void tl_address_window_show (TlAddressWindow *self);
