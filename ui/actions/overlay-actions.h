/* A projection and its opposite, as actions; app/axis/overlay/overlay.h. */
#pragma once

#include "app/axis/overlay/overlay.h"

/**
 * tl_overlay_actions_add:
 * @map: also a #GActionGroup, that is: the application
 *
 * With state: overlay (s): the way to look at both; overlay-rows (d): that B is
 *   moved up by
 * Without: step-overlay-rows (d), step-tilt (d): degrees; take-overlay: the
 *   measured centre and tilt become the parameters
 */
void tl_overlay_actions_add (GActionMap *map, TlSession *session);
