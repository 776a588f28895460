/* How fast earlier exports were, in a file of the user's cache folder, so that
 * the time of an export can be estimated before it starts. Any thread, and
 * several programs at once: the file is replaced as a whole. If two note a rate
 * at the same moment, one is lost; the next export notes it again. */
#pragma once

#include "app/export/settings.h"
#include "data/read/scan/scan-info.h"
#include "gpu/engine.h"

/* What the rate of an export depends on. All pointers are borrowed. */
typedef struct
{
  const TlExportSettings *settings;
  const TlParams *params; /* their grid is that of the whole slice */
  const TlScanInfo *info;
  const char *const *engines;
  size_t n_passes;
} TlExportEffort;

/** tl_export_rates_expect: Returns: seconds that the export takes as earlier
 * ones of its kind did: with these engines, slices of about this size, this
 * format, method, interpolation and precision; 0: there was none */
double tl_export_rates_expect (const TlExportEffort *effort);

/** tl_export_rates_note: Records that @n_rows rows, counted over all passes,
 * took @seconds. Failing to write the file is not an error. */
void tl_export_rates_note (const TlExportEffort *effort, size_t n_rows,
                           double seconds);
