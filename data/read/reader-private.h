/* How the projections are compressed, for the survey, reading in a given number
 * of threads, for tests, and scans that have no path. */
#pragma once

#include "data/read/format/format.h"
#include "data/read/reader.h"

/** tl_reader_get_block: Returns: how many projections are compressed together;
 * 0 where each can be read alone */
size_t tl_reader_get_block (TlReader *reader);

/** tl_reader_is_parallel: Returns: whether threads that read different
 * projections run at once; otherwise they wait for each other */
gboolean tl_reader_is_parallel (TlReader *reader);

/** tl_reader_has_mean_fields: Returns: whether all flats of one time are the
 * same, and so are the darks */
gboolean tl_reader_has_mean_fields (TlReader *reader);

/** tl_reader_read_frames_list: Several threads may call it at once, while no
 * other function of the reader runs. As tl_reader_read_frames(), for @rows as
 * in tl_reader_read_list(). */
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

/** tl_reader_open_path: As tl_reader_open(), without its bins. @options: not
 * %NULL */
TlReader *tl_reader_open_path (const char *path, const TlReaderOptions *options,
                               GError **error);

/** tl_reader_read_block: As tl_reader_read_projections(), for some rows. @dest:
 * (out caller-allocates): [@n][@n_rows][n_cols] samples */
gboolean tl_reader_read_block (TlReader *reader, size_t first, size_t n,
                               size_t first_row, size_t n_rows, void *dest,
                               GCancellable *cancellable, GError **error);

/**
 * tl_reader_open_source:
 * @source: (transfer full): an open source of @format
 * @draft: (inout): what it would fill in for @source; taken. Where it says
 * which projections are used, their angles are settled, and @options say
 * nothing of both
 * @name: of the scan; its path
 *
 * As tl_reader_open(), for a scan that is there already. Frees @source after an
 * error, too.
 */
TlReader *tl_reader_open_source (const TlReaderFormat *format, gpointer source,
                                 TlScanDraft *draft, const char *name,
                                 const TlReaderOptions *options,
                                 GError **error);
