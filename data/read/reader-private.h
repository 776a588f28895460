/* Parts of a scan as they are in the file, for the survey. */
#pragma once

#include "data/read/draft-private.h"

G_BEGIN_DECLS

/** tl_reader_get_block: Returns: projections that are compressed together; 0
 * where each stands alone. */
size_t tl_reader_get_block (TlReader *reader);

/** tl_reader_get_type: Returns: of the samples of @kind. */
TlSampleType tl_reader_get_type (TlReader *reader, TlFrameKind kind);

/**
 * tl_reader_read_frames:
 * @dest: (out caller-allocates): [@n_frames][@n_rows][n_cols] samples
 *
 * As they are in the file, NaN too.
 */
gboolean tl_reader_read_frames (TlReader *reader, TlFrameKind kind,
                                size_t first_frame, size_t n_frames,
                                size_t first_row, size_t n_rows, void *dest,
                                GError **error);

G_END_DECLS
