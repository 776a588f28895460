/* Leaves projections of a scan out: those that the user names, those
 * that cannot be read, and those without an angle. */
#pragma once

#include "data/read/scan/draft.h"

/**
 * tl_scan_draft_leave_out:
 * @name: of the scan, for messages
 *
 * Sets draft->used_numbers and draft->ends_deg, and removes the angles of the
 * other projections, after tl_scan_draft_settle_angles(). Adds notes about what
 * is left out.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if there is no such projection, or if
 *   none would remain, or TL_ERROR_MEMORY
 */
gboolean tl_scan_draft_leave_out (TlScanDraft *draft, const char *name,
                                  const TlReaderOptions *options,
                                  GError **error);
