/* Functions shared by the files of the overlay. */
#pragma once

#include "app/axis/overlay/overlay.h"

/** tl_overlay_get_session: Returns: (transfer none) (nullable): %NULL after
 * the session was finalized */
TlSession *tl_overlay_get_session (TlOverlay *overlay);
