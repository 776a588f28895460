/* Reads rows together that will be asked for one after the other. A file that
 * compresses whole projections as one chunk is then decoded once instead of
 * once for each row. Every function belongs to the engine's thread. */
#pragma once

#include "data/read/reader.h"

/* The most memory that prefetched rows may take. */
#define TL_PREFETCH_BYTES ((size_t)512 << 20)

/* Zero-initialised; freed with tl_prefetch_clear(). */
typedef struct
{
  size_t *rows; /* [n_rows], ascending; NULL: no plan */
  size_t n_rows;
  size_t last;                           /* row that will be asked for last */
  void *samples;                         /* [n_projections][n_rows][n_cols] */
  size_t n_done;                         /* projections read so far */
  gboolean is_read;                      /* everything is read */
  double *dark, *flat_first, *flat_last; /* [n_rows][n_cols]; NULL: no flats */
} TlPrefetch;

void tl_prefetch_clear (TlPrefetch *prefetch);

/**
 * tl_prefetch_plan:
 * @wanted: [@n], rows in the order in which they will be asked for
 * @margin: rows above and below each of @wanted that are needed with it
 *
 * Frees what was read, and plans to read as many of @wanted as fit into
 * %TL_PREFETCH_BYTES.
 *
 * Returns: %FALSE, with an empty plan, if reading the rows one by one decodes
 *   no more chunks of the file
 */
gboolean tl_prefetch_plan (TlPrefetch *prefetch, TlReader *reader,
                           const size_t *wanted, size_t n, size_t margin);

/** tl_prefetch_lists: Returns: whether the plan has these rows, whether or not
 * they are read yet. */
gboolean tl_prefetch_lists (const TlPrefetch *prefetch, size_t first_row,
                            size_t n_rows);

/**
 * tl_prefetch_read:
 *
 * Reads the planned rows. After a cancellation the next call continues.
 *
 * Returns: %FALSE with any error of tl_reader_read_list() and
 *   tl_reader_read_fields_list(), or TL_ERROR_MEMORY
 */
gboolean tl_prefetch_read (TlPrefetch *prefetch, TlReader *reader,
                           GCancellable *cancellable, GError **error);

/**
 * tl_prefetch_copy:
 * @samples: (out caller-allocates): [n_projections][@n_rows][n_cols]
 * @dark: (out caller-allocates) (nullable): [@n_rows][n_cols], as are
 *   @flat_first and @flat_last; %NULL for a scan without flats
 *
 * Returns: %FALSE if not all of these rows were read
 */
gboolean tl_prefetch_copy (const TlPrefetch *prefetch, const TlScanInfo *info,
                           size_t first_row, size_t n_rows, void *samples,
                           double *dark, double *flat_first, double *flat_last);
