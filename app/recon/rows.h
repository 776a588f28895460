/* Detector rows of a scan in host memory, laid out as the engine loads them.
 * Every function belongs to the engine's thread. */
#pragma once

#include "app/recon/prefetch-private.h"
#include "gpu/engine.h"

/* The rows of some slices, and the margin of rows above and below them that
 * phase retrieval and tilt correction need. */
typedef struct
{
  size_t first_row, n_rows; /* of the slices; n_rows 0: nothing is read */
  size_t n_above, n_below;  /* margin; less at the edges of the detector */
  size_t max_rows;          /* capacity: slices and margin together */
  guint every;              /* 1: of all projections; else of each n-th */
  void *samples;            /* [n_projections / every][rows][n_cols] */
  double *dark, *flat_first, *flat_last; /* [rows][n_cols]; NULL: no flats */
  char *pinned_by; /* (nullable): the engine for which samples is pinned */
} TlRows;

/**
 * tl_rows_new:
 *
 * Allocates room for @n_rows rows and @margin rows above and below them.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlRows *tl_rows_new (const TlScanInfo *info, size_t n_rows, size_t margin,
                     GError **error);
void tl_rows_free (TlRows *rows);

/** tl_rows_pin: Pins the samples with tl_engine_pin() for @engine, until @rows
 * is freed. Call it before the first tl_rows_read(). If pinning fails, loading
 * only takes longer. */
void tl_rows_pin (TlRows *rows, const TlScanInfo *info, const char *engine);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRows, tl_rows_free)

/**
 * tl_rows_check_memory:
 * @n_copies: number of #TlRows of this size that will exist
 *
 * Call it before tl_rows_new(): rows with a margin may exceed the memory of the
 * machine, and Linux ends a program that touches memory it cannot back.
 *
 * Returns: %FALSE with TL_ERROR_VALUE (not TL_ERROR_MEMORY: no other engine
 *   would fit either) if the rows, their copy in an engine and the corrected
 *   floats take more than the physical memory; %TRUE if @margin is 0
 */
gboolean tl_rows_check_memory (const TlScanInfo *info, size_t n_rows,
                               size_t margin, guint n_copies, GError **error);

/** tl_rows_inflate_on_device: Compressed projections are inflated on the device
 * of @engine, as for tl_engine_open(), if it has one and the file allows it.
 * @gives_way: as of tl_engine_open_behind(). Only the thread that uses the
 * reader. Returns: whether they are */
gboolean tl_rows_inflate_on_device (TlReader *reader, const char *engine,
                                    gboolean gives_way);

/**
 * tl_rows_move:
 *
 * Selects other slices among the rows in memory, without reading the file.
 *
 * Returns: %FALSE if the slices or their @margin are not in memory
 */
gboolean tl_rows_move (TlRows *rows, const TlScanInfo *info, size_t first_row,
                       size_t n_rows, size_t margin);

/**
 * tl_rows_read:
 * @prefetch: (nullable): copied from where it has all of the rows
 * @every: 1, or for a preview if all projections take long:
 *   tl_reader_read_part() reads each @every-th
 *
 * Reads the projections' rows, as tl_reader_read() does, and the flat and dark
 * fields. @rows says which projections it has, and is empty after an error.
 */
gboolean tl_rows_read (TlRows *rows, TlReader *reader,
                       const TlPrefetch *prefetch, size_t first_row,
                       size_t n_rows, size_t margin, guint every,
                       GCancellable *cancellable, GError **error);

/** tl_rows_get_block: Returns: a block that borrows the arrays of @rows and
 * @angles_rad, the angles of the projections that @rows has. */
TlBlock tl_rows_get_block (const TlRows *rows, const TlScanInfo *info,
                           const double *angles_rad);

/**
 * tl_rows_load:
 * @middle_row: row of the detector about which the tilt correction rotates
 * @angles_rad: as of tl_rows_get_block()
 *
 * Calls tl_engine_load(); an error about the data begins with the scan's
 * name.
 */
gboolean tl_rows_load (const TlRows *rows, const TlScanInfo *info,
                       double middle_row, const double *angles_rad,
                       TlEngine *engine, GError **error);

/** tl_rows_widen: Returns: @margin with some reserve, so that the next slices
 * find their rows in memory */
size_t tl_rows_widen (size_t margin);

/** tl_rows_angles: Returns: (transfer full): in radians, the angles of the
 * scan's first projection and of each @every-th after it. */
double *tl_rows_angles (const TlScanInfo *info, guint every, GError **error);

/** tl_rows_name_scan: Puts the scan's name before the message of a
 * TL_ERROR_VALUE. */
void tl_rows_name_scan (const TlScanInfo *info, GError **error);
