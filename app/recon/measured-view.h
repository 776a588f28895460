/* Pictures of what was measured, to look at beside the slices: corrected as
 * they are, neither filtered nor back-projected. */
#pragma once

#include "app/recon/opposite.h"
#include "app/recon/picture.h"
#include "app/recon/recon.h"

G_BEGIN_DECLS

typedef struct TlMeasuredView TlMeasuredView;

/**
 * tl_measured_view_new:
 * @recon: (transfer none): must outlive it
 *
 * Belongs to the engine's thread. Nothing is read or opened yet.
 */
TlMeasuredView *tl_measured_view_new (TlRecon *recon);
void tl_measured_view_free (TlMeasuredView *look);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlMeasuredView, tl_measured_view_free)

/**
 * tl_measured_view_run:
 * @recipe: resolved
 * @choice: %TL_PICTURE_SINOGRAM or %TL_PICTURE_PROJECTION
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
TlFrame *tl_measured_view_run (TlMeasuredView *look, const TlRecipe *recipe,
                               const TlPictureChoice *choice,
                               GCancellable *cancellable, TlStats *stats,
                               TlReconTimes *times, GError **error);

/* Two opposite projections, host memory, [row][col]; cleared with
 * tl_pair_clear(). */
typedef struct
{
  TlOpposite opposite; /* which; of those without one, the first alone */
  TlFrame *frame;      /* (nullable) */
  TlFrame *mirrorable; /* (nullable): the opposite one, not mirrored */
  char *problem;       /* (nullable): why there is none */
} TlPair;

void tl_pair_clear (TlPair *pair);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlPair, tl_pair_clear)

/**
 * tl_measured_view_read_pair:
 * @recipe: resolved: its flat field and -log alone are done, neither phase
 *   retrieval nor what its tilt asks for
 * @projection: the first of them
 * @pair: (out caller-allocates): to be cleared, after an error too
 *
 * That a projection has no opposite one is no error.
 *
 * Returns: %FALSE as tl_measured_view_run()
 */
gboolean tl_measured_view_read_pair (TlMeasuredView *look,
                                     const TlRecipe *recipe, size_t projection,
                                     GCancellable *cancellable, TlPair *pair,
                                     GError **error);

/** tl_measured_view_run_pair: The same as a picture: @stats and @times are of
 * @pair's frame. */
gboolean tl_measured_view_run_pair (TlMeasuredView *look,
                                    const TlRecipe *recipe, size_t projection,
                                    GCancellable *cancellable, TlPair *pair,
                                    TlStats *stats, TlReconTimes *times,
                                    GError **error);

G_END_DECLS
