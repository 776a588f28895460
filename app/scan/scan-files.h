/* The groups of images of a folder, for the user to say which are projections,
 * flats and darks, and what the angles are. Looks at one image of each in a
 * thread. Main thread only. */
#pragma once

#include "app/recipe/recipe.h"
#include "app/recon/summary.h"
#include "app/scan/scan-offer.h"

#define TL_TYPE_SCAN_FILES (tl_scan_files_get_type ())
G_DECLARE_FINAL_TYPE (TlScanFiles, tl_scan_files, TL, SCAN_FILES, GObject)

TlScanFiles *tl_scan_files_new (void);

/**
 * tl_scan_files_list:
 * @scan: with groups
 * @recipe: copied: with what the scan is open
 *
 * Lists the groups of @scan as what they are in it.
 */
void tl_scan_files_list (TlScanFiles *self, const TlScanSummary *scan,
                         const TlRecipe *recipe);
/**
 * tl_scan_files_list_refused:
 * @path: a folder that could not be opened
 * @groups: of TlImageGroup
 * @recipe: copied: with what it was tried
 *
 * The same. All that tl_scan_files_make_places() returns is said then.
 */
void tl_scan_files_list_refused (TlScanFiles *self, const char *path,
                                 GPtrArray *groups, const TlRecipe *recipe);
/** tl_scan_files_cancel: No more images are looked at. */
void tl_scan_files_cancel (TlScanFiles *self);

/** tl_scan_files_get_path: Returns: (nullable): the folder */
const char *tl_scan_files_get_path (TlScanFiles *self);
/** tl_scan_files_is_refused: Returns: whether it could not be opened */
gboolean tl_scan_files_is_refused (TlScanFiles *self);
/** tl_scan_files_get_offers: Returns: (transfer none): of TlScanOffer, one for
 * each group */
GListModel *tl_scan_files_get_offers (TlScanFiles *self);

/** tl_scan_files_get_kind: Returns: what the group @index is said to be */
TlFrameKind tl_scan_files_get_kind (TlScanFiles *self, guint index);
void tl_scan_files_set_kind (TlScanFiles *self, guint index, TlFrameKind kind);

/** tl_scan_files_get_angles: Returns: the value of the parameter angles; "":
 * those of the scan */
const char *tl_scan_files_get_angles (TlScanFiles *self);
void tl_scan_files_set_angles (TlScanFiles *self, const char *angles);
/** tl_scan_files_dup_present_angles: Returns: (transfer full) (nullable): with
 * which angles the scan is open, in words; %NULL: it is not */
char *tl_scan_files_dup_present_angles (TlScanFiles *self);
/** tl_scan_files_dup_example: Returns: (transfer full): as
 * tl_scan_summary_dup_example(), or a usual range */
char *tl_scan_files_dup_example (TlScanFiles *self);

/** tl_scan_files_is_changed: Returns: whether the scan has to be read again for
 * what is said; always for one that is refused */
gboolean tl_scan_files_is_changed (TlScanFiles *self);

/**
 * tl_scan_files_make_places:
 *
 * Returns: (transfer floating): a{ss}, for tl_session_open_places(): patterns
 *   of all that the groups are said to be. A kind of frames whose groups are
 *   the same as before keeps its pattern, or is found by the names again. %NULL
 *   with TL_ERROR_VALUE: no group is the projections
 */
GVariant *tl_scan_files_make_places (TlScanFiles *self, GError **error);
