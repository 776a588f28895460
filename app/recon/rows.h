/* A few detector rows of a scan in host memory, as the engine takes them. */
#pragma once

#include "app/recon/prefetch-private.h"
#include "gpu/engine.h"

G_BEGIN_DECLS

/* Rows for as many slices, and above and below them those that the phase
 * retrieval and a tilt look at. */
typedef struct
{
  size_t first_row, n_rows; /* of the slices; n_rows 0: none */
  size_t n_above, n_below;  /* that are there too, as far as the scan goes */
  size_t max_rows;          /* of all */
  void *samples;            /* [n_projections][rows][n_cols] */
  float *dark, *flat_first, *flat_last; /* [rows][n_cols]; NULL: no flats */
} TlRows;

/**
 * tl_rows_new:
 *
 * Room for @n_rows rows and a margin above and below them.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlRows *tl_rows_new (const TlScanInfo *info, size_t n_rows, size_t margin,
                     GError **error);
void tl_rows_free (TlRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRows, tl_rows_free)

/**
 * tl_rows_check_memory:
 * @n_copies: how many #TlRows of that size there will be
 *
 * With a margin the rows are so many that they may not fit, and memory that is
 * promised and not there ends the program: to be asked before any is taken.
 *
 * Returns: %FALSE with TL_ERROR_VALUE where they, their copy in an engine and
 *   what that makes of it, as floats, are more than the machine has: no other
 *   engine could do it; %TRUE without a margin
 */
gboolean tl_rows_check_memory (const TlScanInfo *info, size_t n_rows,
                               size_t margin, guint n_copies, GError **error);

/**
 * tl_rows_move:
 *
 * Makes @rows those, with at least that margin, where what was read has them.
 *
 * Returns: %FALSE where it has not
 */
gboolean tl_rows_move (TlRows *rows, const TlScanInfo *info, size_t first_row,
                       size_t n_rows, size_t margin);

/** tl_rows_read: As tl_reader_read(), with a margin, and the fields, or from
 * @ahead (nullable) where they are there; after an error @rows are none. */
gboolean tl_rows_read (TlRows *rows, TlReader *reader, const TlPrefetch *ahead,
                       size_t first_row, size_t n_rows, size_t margin,
                       GCancellable *cancellable, GError **error);

/** tl_rows_get_block: Returns: what is in @rows, lent. */
TlBlock tl_rows_get_block (const TlRows *rows, const TlScanInfo *info,
                           const double *angles_rad);

/**
 * tl_rows_load:
 * @middle_row: of the detector: what a tilt is turned back about
 * @angles_rad: [n_projections]
 *
 * As tl_engine_load(), naming the scan in the error.
 */
gboolean tl_rows_load (const TlRows *rows, const TlScanInfo *info,
                       double middle_row, const double *angles_rad,
                       TlEngine *engine, GError **error);

/** tl_rows_angles: Returns: (transfer full): the scan's angles in radians. */
double *tl_rows_angles (const TlScanInfo *info, GError **error);

/** tl_rows_name_scan: Prefixes the scan's name where the data is to blame. */
void tl_rows_name_scan (const TlScanInfo *info, GError **error);

G_END_DECLS
