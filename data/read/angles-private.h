/* The angle of each projection. */
#pragma once

#include "data/read/draft-private.h"

G_BEGIN_DECLS

/**
 * tl_angles_load:
 * @path: text, numbers of degrees; "#" starts a comment
 * @n: (out): how many
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE, or TL_ERROR_FORMAT that
 *   names the line
 */
double *tl_angles_load (const char *path, size_t *n, GError **error);

/**
 * tl_scan_draft_settle_angles:
 * @name: of the scan, for messages
 *
 * Leaves one angle for each projection in @draft, and says where it comes from:
 * from @options, else what the format found, else 0 to 180 degrees without the
 * end point.
 *
 * Returns: %FALSE with TL_ERROR_SHAPE where the counts cannot be brought
 *   together, TL_ERROR_VALUE where an angle is not a number, TL_ERROR_MEMORY
 */
gboolean tl_scan_draft_settle_angles (TlScanDraft *draft, const char *name,
                                      const TlReaderOptions *options,
                                      GError **error);

/** tl_scan_draft_note_angles: notes what is odd about settled angles. */
void tl_scan_draft_note_angles (TlScanDraft *draft);

G_END_DECLS
