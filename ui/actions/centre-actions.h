/* The actions that look for the axis and say where it is. */
#pragma once

#include "app/session/session.h"

#include <gio/gio.h>

/**
 * tl_centre_actions_add:
 *
 * "find-centre" (in the present slice), "seek-centre" (boolean: by itself, when
 * a scan has opened), "next-estimate" (int32: 1: to the right of the
 * present centre, -1: to the left), "copy-centre-as" (string: "tomopy", "tofu",
 * "nabu", "ASTRA" or "tomolens"), to the clipboard.
 */
void tl_centre_actions_add (GActionMap *map, TlSession *session);

/** tl_centre_actions_build_menu: Returns: (transfer full): the programs that
 * the centre can be copied for. */
GMenu *tl_centre_actions_build_menu (void);
