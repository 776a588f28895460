/* How the projections are compressed, for the survey, and reading in a given
 * number of threads, for tests. */
#pragma once

#include "data/read/draft-private.h"
#include "data/read/reader.h"

/** tl_reader_get_block: Returns: how many projections are compressed together;
 * 0 where each can be read alone */
size_t tl_reader_get_block (TlReader *reader);

/** tl_reader_read_frames_list: As tl_reader_read_frames(), for @rows as in
 * tl_reader_read_list(). */
gboolean tl_reader_read_frames_list (TlReader *reader, TlFrameKind kind,
                                     size_t first, size_t n_frames,
                                     const size_t *rows, size_t n_rows,
                                     void *dest, GError **error);

/** tl_reader_fix_n_threads: @n_threads: for all reads that are long enough; 0:
 * as many as measurements say */
void tl_reader_fix_n_threads (TlReader *reader, guint n_threads);

/** tl_reader_get_n_threads: Returns: how many threads the last read used at its
 * end. A read that is too short for several threads uses one. */
guint tl_reader_get_n_threads (TlReader *reader);
