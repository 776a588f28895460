/* The actions of what other programs have in a menu Edit. */
#pragma once

#include "app/session/session.h"

/**
 * tl_edit_actions_add:
 * @map: also a #GActionGroup, that is: the application
 *
 * undo, redo; history-go (u): the state is the step that is the present one, 0
 *   the oldest, and the state hint (as) says what each one changed;
 *   copy-command: the command line of the slice, to the clipboard
 */
void tl_edit_actions_add (GActionMap *map, TlSession *session);
