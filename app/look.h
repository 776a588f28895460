/* Pictures of what was measured, to look at beside the slices: corrected as
 * they are, neither filtered nor back-projected. */
#pragma once

#include "app/picture.h"
#include "app/recon.h"

G_BEGIN_DECLS

typedef struct TlLook TlLook;

/**
 * tl_look_new:
 * @recon: (transfer none): must outlive it
 *
 * Belongs to the engine's thread. Nothing is read or opened yet.
 */
TlLook *tl_look_new (TlRecon *recon);
void tl_look_free (TlLook *look);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlLook, tl_look_free)

/**
 * tl_look_run:
 * @recipe: resolved
 * @choice: not %TL_PICTURE_SLICE
 * @stats: (out caller-allocates): of the picture
 * @times: (out caller-allocates)
 *
 * The sinogram is what the engine gives to the filter, with all corrections,
 * [projection][col] of the recipe's slice. The projection is corrected by the
 * host engine, with the flat field of its time; it is turned back where those
 * of the sinogram are, and its phase is retrieved, [row][col]; what needs other
 * projections is not in it: zingers and rings.
 *
 * Returns: (transfer full): in host memory; %NULL with any error of the reader
 *   or the engine
 */
TlFrame *tl_look_run (TlLook *look, const TlRecipe *recipe,
                      const TlPictureChoice *choice, GCancellable *cancellable,
                      TlStats *stats, TlReconTimes *times, GError **error);

G_END_DECLS
