/* One scan or dataset of an HDF5 file that may be opened. Main thread only. */
#pragma once

#include "app/session/glance.h"

#define TL_TYPE_SCAN_OFFER (tl_scan_offer_get_type ())
G_DECLARE_FINAL_TYPE (TlScanOffer, tl_scan_offer, TL, SCAN_OFFER, GObject)

/* Signal "changed": the text or the picture is another. */

/** tl_scan_offer_new: @text: what is known before a glance */
TlScanOffer *tl_scan_offer_new (const char *path, gboolean is_scan,
                                const char *text);

/** tl_scan_offer_get_path: Returns: for the parameter data-path */
const char *tl_scan_offer_get_path (TlScanOffer *offer);
/** tl_scan_offer_is_scan: Returns: %FALSE for a dataset */
gboolean tl_scan_offer_is_scan (TlScanOffer *offer);
const char *tl_scan_offer_get_text (TlScanOffer *offer);
/** tl_scan_offer_get_glance: Returns: (transfer none) (nullable) */
const TlGlance *tl_scan_offer_get_glance (TlScanOffer *offer);

/** tl_scan_offer_take_glance: @glance: (transfer full) */
void tl_scan_offer_take_glance (TlScanOffer *offer, TlGlance *glance);
