/* Which picture is shown, as actions: "view" (s), one of tl_picture_names;
 * "projection" (u), its hint the range; "step-projection" (i). */
#pragma once

#include "app/session/session.h"

#include <gio/gio.h>

/** tl_picture_actions_add: @map: outlived by @session. */
void tl_picture_actions_add (GActionMap *map, TlSession *session);
