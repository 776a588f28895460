/* A few detector rows of a scan in host memory, as the engine takes them. */
#pragma once

#include "data/reader.h"
#include "gpu/engine.h"

G_BEGIN_DECLS

typedef struct
{
  size_t first_row, n_rows; /* that are in it; n_rows 0: none */
  size_t max_rows;
  void *samples;                        /* [n_projections][n_rows][n_cols] */
  float *dark, *flat_first, *flat_last; /* [n_rows][n_cols]; NULL: no flats */
} TlRows;

/**
 * tl_rows_new:
 *
 * Room for @max_rows rows.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlRows *tl_rows_new (const TlScanInfo *info, size_t max_rows, GError **error);
void tl_rows_free (TlRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRows, tl_rows_free)

/** tl_rows_read: As tl_reader_read(), and the fields; after an error @rows are
 * none. */
gboolean tl_rows_read (TlRows *rows, TlReader *reader, size_t first_row,
                       size_t n_rows, GCancellable *cancellable,
                       GError **error);

/** tl_rows_get_block: Returns: what is in @rows, lent. */
TlBlock tl_rows_get_block (const TlRows *rows, const TlScanInfo *info,
                           const double *angles_rad);

/**
 * tl_rows_load:
 * @angles_rad: [n_projections]
 *
 * As tl_engine_load(), naming the scan in the error.
 */
gboolean tl_rows_load (const TlRows *rows, const TlScanInfo *info,
                       const double *angles_rad, TlEngine *engine,
                       GError **error);

/** tl_rows_angles: Returns: (transfer full): the scan's angles in radians. */
double *tl_rows_angles (const TlScanInfo *info, GError **error);

/** tl_rows_name_scan: Prefixes the scan's name where the data is to blame. */
void tl_rows_name_scan (const TlScanInfo *info, GError **error);

G_END_DECLS
