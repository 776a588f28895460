/* Rows that will be wanted one after the other, read together beforehand: a
 * file that keeps whole projections in one compressed piece is decoded once for
 * all of them. */
#pragma once

#include "data/read/reader.h"

G_BEGIN_DECLS

/* The most memory that prefetched rows may take. */
#define TL_PREFETCH_BYTES ((size_t)512 << 20)

/* A plain value, zeroed before; cleared with tl_prefetch_clear(). */
typedef struct
{
  size_t *rows; /* [n_rows], ascending; NULL: none */
  size_t n_rows;
  size_t last;                          /* the last that will be asked for */
  void *samples;                        /* [n_projections][n_rows][n_cols] */
  size_t n_done;                        /* projections that are there */
  gboolean is_read;                     /* all of it */
  float *dark, *flat_first, *flat_last; /* [n_rows][n_cols]; NULL: no flats */
} TlPrefetch;

void tl_prefetch_clear (TlPrefetch *ahead);

/**
 * tl_prefetch_plan:
 * @wanted: [@n], in the order in which they will be asked for
 * @margin: rows above and below each that are wanted with it
 *
 * Forgets what was read, and lists as many of @wanted as fit.
 *
 * Returns: %FALSE where that is no cheaper than to read one after the other;
 *   nothing is listed then
 */
gboolean tl_prefetch_plan (TlPrefetch *ahead, TlReader *reader,
                           const size_t *wanted, size_t n, size_t margin);

/** tl_prefetch_lists: Returns: these rows are listed, read or not. */
gboolean tl_prefetch_lists (const TlPrefetch *ahead, size_t first_row,
                            size_t n_rows);

/**
 * tl_prefetch_read:
 *
 * Reads what is listed, or goes on with it.
 *
 * Returns: %FALSE with any error of tl_reader_read_list() and
 *   tl_reader_read_fields_list(), or TL_ERROR_MEMORY
 */
gboolean tl_prefetch_read (TlPrefetch *ahead, TlReader *reader,
                           GCancellable *cancellable, GError **error);

/**
 * tl_prefetch_copy:
 * @samples: (out caller-allocates): as of tl_reader_read()
 * @dark: (out caller-allocates) (nullable): and the others, as of
 *   tl_reader_read_fields()
 *
 * Returns: %FALSE where these rows were not read
 */
gboolean tl_prefetch_copy (const TlPrefetch *ahead, const TlScanInfo *info,
                           size_t first_row, size_t n_rows, void *samples,
                           float *dark, float *flat_first, float *flat_last);

G_END_DECLS
