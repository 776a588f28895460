/* The button with the menu of the pictures that are not the slice. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_picture_menu_bind:
 * @button: has the name of the picture of @session, where that is one of its
 *   menu, and the style class "chosen"
 *
 * Lasts as long as @button.
 */
void tl_picture_menu_bind (GtkMenuButton *button, TlSession *session);

G_END_DECLS
