/* The axis over the height, as actions: "axis-rows" (u), how many rows are
 * looked at, its hint the range; "accept-axis", on that page, where there is a
 * line. */
#pragma once

#include "app/session/session.h"

#include <gio/gio.h>

/** tl_axis_actions_add: @map: outlived by @session. */
void tl_axis_actions_add (GActionMap *map, TlSession *session);
