/* What is in a scan, in the words of the panel; what is odd is in its notes. */
#pragma once

#include "app/recon/summary.h"

/** tl_scan_text_new: Returns: (transfer full): a few lines. */
char *tl_scan_text_new (const TlScanSummary *scan);
