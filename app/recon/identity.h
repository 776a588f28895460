/* What tells a scan from another one that has taken its name. */
#pragma once

#include "data/read/reader.h"

typedef struct TlScanIdentity TlScanIdentity;

/** tl_scan_get_change_us: Returns: when the scan was written last, as of
 * change.h: its file, or its folder or a file in it; 0 for one that is no file
 */
gint64 tl_scan_get_change_us (const TlScanInfo *info);

/* What has become of a scan. */
typedef enum
{
  TL_SCAN_AS_BEFORE,
  TL_SCAN_CHANGED,
  TL_SCAN_REPLACED /* another one has its name */
} TlScanChange;

/**
 * tl_scan_identity_new:
 * @reader: just opened
 *
 * Looks at the file or the folder, and reads one row. The
 * reader's own thread. Returns: (transfer full)
 */
TlScanIdentity *tl_scan_identity_new (TlReader *reader);
void tl_scan_identity_free (TlScanIdentity *identity);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlScanIdentity, tl_scan_identity_free)

/** tl_scan_identity_was_written: Returns: whether another program has written
 * to the file since then; %FALSE if another file has its name */
gboolean tl_scan_identity_was_written (const TlScanIdentity *identity);

/** tl_scan_identity_has_same_name: Returns: whether both were opened from the
 * same file or folder */
gboolean tl_scan_identity_has_same_name (const TlScanIdentity *a,
                                         const TlScanIdentity *b);

/**
 * tl_scan_identity_compare:
 *
 * Another file, samples of another shape, or another first projection are
 * another scan. A scan that has grown has only changed.
 *
 * Returns: what has become of the scan @before; TL_SCAN_AS_BEFORE also if @now
 *   has another name
 */
TlScanChange tl_scan_identity_compare (const TlScanIdentity *before,
                                       const TlScanIdentity *now);
