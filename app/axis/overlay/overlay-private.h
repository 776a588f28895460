/* Functions shared by the files of the overlay. */
#pragma once

#include "app/axis/overlay/overlay.h"

G_BEGIN_DECLS

/** tl_overlay_get_session: Returns: (transfer none) (nullable): %NULL after
 * the session was finalized */
TlSession *tl_overlay_get_session (TlOverlay *overlay);

G_END_DECLS
