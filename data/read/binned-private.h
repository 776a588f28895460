/* A scan at a coarser resolution: a format over the reader of another scan. */
#pragma once

#include "data/read/reader.h"

/**
 * tl_binned_open:
 * @scan: (transfer full): with all that the user says of it
 * @options: those with which it was opened; bin is 2 or more
 *
 * Samples are the means of bin x bin samples of bin projections that follow
 * each other, before any correction: as if the pixels were so much larger, and
 * each projection exposed so much longer. Columns and rows that fill no bin are
 * left out; the last projections that fill none are a bin of fewer. The angle
 * of a bin is the mean of theirs, and its weight in a scan that is still being
 * taken their sum. Projections whose angles do not all rise, or fall, are not
 * put together. They are read and averaged as they are asked for, by each
 * thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_VALUE if the scan has fewer
 *   columns or rows than a bin, or TL_ERROR_MEMORY
 */
TlReader *tl_binned_open (TlReader *scan, const TlReaderOptions *options,
                          GError **error);
