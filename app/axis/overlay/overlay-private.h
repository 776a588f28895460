/* What the files of the overlay share. */
#pragma once

#include "app/axis/overlay/overlay.h"

G_BEGIN_DECLS

/** tl_overlay_get_session: Returns: (transfer none) (nullable): %NULL once it
 * has gone */
TlSession *tl_overlay_get_session (TlOverlay *overlay);

G_END_DECLS
