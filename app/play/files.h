/* The files of a scan that is played. */
#pragma once

#include "data/read/scan/scan-info.h"

/**
 * tl_play_list_files:
 * @options: that the scan was opened with
 *
 * Returns: (transfer full) (element-type filename): where the scan is, all
 *   images of its folder, and what has its flats, darks, keys and angles
 *   elsewhere; a file that @options name may not be there
 */
GPtrArray *tl_play_list_files (const TlScanInfo *info,
                               const TlReaderOptions *options);
