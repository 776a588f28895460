/* Draws a glance at a scan. Main thread. */
#pragma once

#include "app/scan/scan-offer.h"

#include <gtk/gtk.h>

/** tl_glance_texture_new: Returns: (transfer full) (nullable): the picture of
 * @offer; %NULL before the glance, and if it has none */
GdkTexture *tl_glance_texture_new (TlScanOffer *offer);
