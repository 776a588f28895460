/* Every n-th projection of some rows, in a second engine. Corrections that need
 * many rows (phase retrieval, tilt) are previewed from it, because computing
 * them from all projections is too slow to follow a slider. Every function
 * belongs to the engine's thread. */
#pragma once

#include "app/recon/rows.h"

/* The most memory that subsampled projections may take: raw samples here and in
 * the engine, and the corrected values. */
#define TL_SUBSAMPLED_BYTES ((size_t)1 << 30)

/* Zero-initialised; freed with tl_subsampled_clear(). */
typedef struct
{
  TlEngine *engine;        /* (nullable) */
  guint every;             /* stride between loaded projections */
  size_t n_above, n_below; /* loaded rows above and below the slice's own */
  void *samples;           /* (nullable): [projections][rows][n_cols] */
  size_t n_bytes;          /* allocated for samples */
  double *angles_rad;
  gboolean is_loaded; /* the caller clears it when the rows change */
} TlSubsampled;

/**
 * tl_subsampled_open:
 * @like: a second engine of this kind is opened, unless one is open
 * @name: name with which @like was opened
 *
 * Returns: %FALSE with any error of tl_engine_open()
 */
gboolean tl_subsampled_open (TlSubsampled *subsampled, TlEngine *like,
                             const char *name, GError **error);
void tl_subsampled_clear (TlSubsampled *subsampled);

/**
 * tl_subsampled_check_size:
 * @row: detector row of the slice
 *
 * Call it before tl_subsampled_open().
 *
 * Returns: %FALSE with TL_ERROR_MEMORY if tl_subsampled_load() would take more
 *   than %TL_SUBSAMPLED_BYTES
 */
gboolean tl_subsampled_check_size (const TlScanInfo *info,
                                   const TlParams *params, size_t row,
                                   guint every, GError **error);

/**
 * tl_subsampled_load:
 * @angles_rad: of the projections that @rows has
 * @margin: rows above and below the slice's own that the corrections need
 * @every: (inout): may grow, if @rows has fewer projections
 *
 * Loads every @every-th projection with somewhat more than @margin rows. Does
 * nothing if the same projections are loaded with at least half of @margin:
 * this is accurate enough for a preview.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or any error of tl_engine_load()
 */
gboolean tl_subsampled_load (TlSubsampled *subsampled, const TlRows *rows,
                             const TlScanInfo *info, const double *angles_rad,
                             size_t margin, guint *every, GError **error);
