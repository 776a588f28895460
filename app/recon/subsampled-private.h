/* Every so-and-so-th projection of some rows, in an engine of its own: what a
 * correction of many rows is previewed with. */
#pragma once

#include "app/recon/rows.h"

G_BEGIN_DECLS

/* The most memory that subsampled projections may take: the counts, here and in
 * the engine, and the corrected values. */
#define TL_SUBSAMPLED_BYTES ((size_t)1 << 30)

/* Zeroed: nothing is opened. */
typedef struct
{
  TlEngine *engine;        /* (nullable) */
  guint every;             /* of those that are loaded */
  size_t n_above, n_below; /* rows of them beside the slice's own */
  void *samples;           /* room for them; (nullable) */
  size_t n_bytes;          /* of it */
  double *angles_rad;
  gboolean is_loaded; /* cleared by whoever changes the rows */
} TlSubsampled;

/**
 * tl_subsampled_open:
 * @like: it is to be an engine like this one
 * @name: what that was opened for
 */
gboolean tl_subsampled_open (TlSubsampled *subsampled, TlEngine *like,
                             const char *name, GError **error);
void tl_subsampled_clear (TlSubsampled *subsampled);

/**
 * tl_subsampled_check_size:
 * @row: of the slice, made with @params
 *
 * To be asked before anything is opened or loaded.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY where tl_subsampled_load() would take
 * more than %TL_SUBSAMPLED_BYTES
 */
gboolean tl_subsampled_check_size (const TlScanInfo *info,
                                   const TlParams *params, size_t row,
                                   guint every, GError **error);

/**
 * tl_subsampled_load:
 * @angles_rad: of all projections
 *
 * Of the rows beside the slice's own somewhat more than @margin; unless half
 * of that is loaded, of so many projections.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or any error of tl_engine_load()
 */
gboolean tl_subsampled_load (TlSubsampled *subsampled, const TlRows *rows,
                             const TlScanInfo *info, const double *angles_rad,
                             size_t margin, guint every, GError **error);

G_END_DECLS
