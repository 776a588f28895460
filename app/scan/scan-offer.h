/* One scan or dataset of an HDF5 file that may be opened, or one group of
 * images of a folder. Main thread only. */
#pragma once

#include "app/scan/glance.h"

#define TL_TYPE_SCAN_OFFER (tl_scan_offer_get_type ())
G_DECLARE_FINAL_TYPE (TlScanOffer, tl_scan_offer, TL, SCAN_OFFER, GObject)

/* Signal "changed": the text or the picture is another. */

/** tl_scan_offer_new: @path: in the HDF5 file @file; @text: what is known
 * before a glance */
TlScanOffer *tl_scan_offer_new (const char *file, const char *path,
                                gboolean is_scan, const char *text);
/** tl_scan_offer_new_images: @file: one of the images; @pattern: of all */
TlScanOffer *tl_scan_offer_new_images (const char *file, const char *pattern,
                                       const char *text);

/** tl_scan_offer_get_path: Returns: for the parameter data-path; of images
 * their pattern */
const char *tl_scan_offer_get_path (TlScanOffer *offer);
/** tl_scan_offer_is_scan: Returns: %FALSE for a dataset */
gboolean tl_scan_offer_is_scan (TlScanOffer *offer);
const char *tl_scan_offer_get_text (TlScanOffer *offer);
/** tl_scan_offer_get_glance: Returns: (transfer none) (nullable) */
const TlGlance *tl_scan_offer_get_glance (TlScanOffer *offer);

/** tl_scan_offers_look: Takes a glance at each of @offers, TlScanOffer, one
 * after the other in a thread, until @cancellable is cancelled. */
void tl_scan_offers_look (GListModel *offers, GCancellable *cancellable);
