/* An action that switches another one off and on again. */
#pragma once

#include <gio/gio.h>

/**
 * tl_toggle_add:
 * @map: also a #GActionGroup, that is: the application
 * @name: of the action to add, whose state is a boolean
 * @of: an action of @map, of type string
 * @off: its word for nothing
 * @first: the word to begin with
 *
 * Switched on, @of has the word again that it had last.
 */
void tl_toggle_add (GActionMap *map, const char *name, const char *of,
                    const char *off, const char *first);
