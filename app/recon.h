/* A scan and an engine together: from a row number to a frame. The one path
 * that the window's worker, the command line and the export all take. */
#pragma once

#include "app/recipe.h"
#include "gpu/engine.h"

G_BEGIN_DECLS

typedef struct TlRecon TlRecon;

/* Where the time of the last tl_recon_run() went; milliseconds of wall time. */
typedef struct
{
  double read_ms, load_ms, compute_ms;
} TlReconTimes;

/**
 * tl_recon_new:
 * @reader: (transfer full)
 * @engine: (transfer none): must outlive it
 *
 * Belongs to the engine's thread.
 */
TlRecon *tl_recon_new (TlReader *reader, TlEngine *engine);
void tl_recon_free (TlRecon *recon);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRecon, tl_recon_free)

TlReader *tl_recon_get_reader (TlRecon *recon);

/**
 * tl_recon_run:
 * @recipe: resolved; its slice is ignored
 * @first_row: the slices wanted: @n_rows of them
 *
 * Reads the rows unless they are loaded, and reconstructs.
 *
 * Returns: (transfer full): as tl_engine_reconstruct(); %NULL with any error of
 *   the reader or the engine
 */
TlFrame *tl_recon_run (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
                       size_t n_rows, GCancellable *cancellable,
                       GError **error);

void tl_recon_get_times (TlRecon *recon, TlReconTimes *times);

G_END_DECLS
