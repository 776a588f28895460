/* The scans and datasets of an HDF5 file or a Zarr folder, for the user to
 * choose one, and where its flats, darks, angles and image keys may be. Reads
 * the file in a thread. Main thread only. */
#pragma once

#include "app/messages/messages.h"
#include "app/recipe/recipe.h"
#include "app/scan/scan-offer.h"

#define TL_TYPE_SCAN_CHOOSER (tl_scan_chooser_get_type ())
G_DECLARE_FINAL_TYPE (TlScanChooser, tl_scan_chooser, TL, SCAN_CHOOSER, GObject)

/* Signals:
 *   "asked"   the user should choose; file and offers are there
 *   "changed" tl_scan_chooser_list_places() has more
 */
TlScanChooser *tl_scan_chooser_new (TlMessages *messages);

/**
 * tl_scan_chooser_ask:
 * @recipe: copied: with what the file is open, or was tried
 * @reason: (nullable): why it could not be opened
 * @asks: what may help, for the message of tl_scan_chooser_decline()
 *
 * Lists @file, then emits "asked". If nothing in the file can be chosen, a
 * message says @reason, or why.
 */
void tl_scan_chooser_ask (TlScanChooser *self, const char *file,
                          const TlRecipe *recipe, const char *reason,
                          TlAsks asks);
/** tl_scan_chooser_cancel: Nothing more comes of the last
 * tl_scan_chooser_ask(). */
void tl_scan_chooser_cancel (TlScanChooser *self);
/** tl_scan_chooser_decline: The same, because the user does not choose. If the
 * file could not be opened, a message says why, and asks for what may help. */
void tl_scan_chooser_decline (TlScanChooser *self);

/** tl_scan_chooser_get_file: Returns: (nullable) */
const char *tl_scan_chooser_get_file (TlScanChooser *self);
/** tl_scan_chooser_get_reason: Returns: (nullable) */
const char *tl_scan_chooser_get_reason (TlScanChooser *self);
/** tl_scan_chooser_dup_question: Returns: (transfer full) (nullable): why the
 * user is asked, in words */
char *tl_scan_chooser_dup_question (TlScanChooser *self);
/** tl_scan_chooser_get_offers: Returns: (transfer none): of TlScanOffer, scans
 * first */
GListModel *tl_scan_chooser_get_offers (TlScanChooser *self);
/** tl_scan_chooser_get_present: Returns: which offer is open, or was tried; 0
 * if none */
guint tl_scan_chooser_get_present (TlScanChooser *self);
/** tl_scan_chooser_dup_place: Returns: (transfer full): the value of the
 * parameter @key at present */
char *tl_scan_chooser_dup_place (TlScanChooser *self, const char *key);

/** tl_scan_chooser_takes_files: Returns: whether image keys, and datasets of
 * other files, may be chosen for the file: not for a Zarr folder */
gboolean tl_scan_chooser_takes_files (TlScanChooser *self);

/** tl_scan_chooser_list_places: Returns: (transfer container): the datasets
 * that may be the value of the parameter @key */
const char **tl_scan_chooser_list_places (TlScanChooser *self, const char *key);
/** tl_scan_chooser_add_file: Datasets of @file may be chosen, too, for all but
 * the projections. */
void tl_scan_chooser_add_file (TlScanChooser *self, const char *file);
