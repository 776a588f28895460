/* Button whose menu chooses a picture other than the slice. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

/**
 * tl_picture_menu_bind:
 * @button: shows the name of the picture, and has the style class "chosen",
 * while
 *   @session shows one of the menu
 *
 * The binding lasts as long as @button.
 */
void tl_picture_menu_bind (GtkMenuButton *button, TlSession *session);
