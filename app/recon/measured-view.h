/* Sinograms and projections, corrected but neither filtered nor
 * back-projected. */
#pragma once

#include "app/recon/opposite.h"
#include "app/recon/picture.h"
#include "app/recon/recon.h"

typedef struct TlMeasuredView TlMeasuredView;

/**
 * tl_measured_view_new:
 * @recon: (transfer none): must outlive the #TlMeasuredView
 *
 * All functions must be called from the engine's thread. Files are read and the
 * host engine is opened on first use.
 */
TlMeasuredView *tl_measured_view_new (TlRecon *recon);
void tl_measured_view_free (TlMeasuredView *view);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlMeasuredView, tl_measured_view_free)

/**
 * tl_measured_view_run:
 * @recipe: resolved
 * @choice: %TL_PICTURE_SINOGRAM or %TL_PICTURE_PROJECTION
 * @stats: (out caller-allocates): of the picture
 * @times: (out caller-allocates)
 *
 * The sinogram, [projection][col], is the input of the filter for the recipe's
 * slice, with all corrections. The projection, [row][col], is corrected by the
 * host engine, with the flat field interpolated to its time, the tilt and phase
 * retrieval. The corrections of zingers and rings are missing in it, because
 * they need other projections.
 *
 * Returns: (transfer full): in host memory; %NULL with any error of the reader
 *   or the engine
 */
TlFrame *tl_measured_view_run (TlMeasuredView *view, const TlRecipe *recipe,
                               const TlPictureChoice *choice,
                               GCancellable *cancellable, TlStats *stats,
                               TlReconTimes *times, GError **error);

/* Two opposite projections, host memory, [row][col]; cleared with
 * tl_pair_clear(). */
typedef struct
{
  TlOpposite opposite; /* numbered as in the file; without an opposite only its
                          projection is set */
  TlFrame *frame;      /* (nullable) */
  TlFrame *mirrorable; /* (nullable): the opposite, not mirrored */
  char *problem;       /* (nullable): why there is no opposite */
} TlPair;

void tl_pair_clear (TlPair *pair);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlPair, tl_pair_clear)

/**
 * tl_measured_view_run_pair:
 * @recipe: resolved; only its flat field and -log are applied, neither phase
 *   retrieval nor tilt
 * @projection: the first of the pair
 * @pair: (out caller-allocates): must be cleared, after an error too
 * @stats: (out caller-allocates) (optional): of the pair's frame
 * @times: (out caller-allocates): of both projections
 *
 * A projection without an opposite is no error: @pair says why.
 *
 * Returns: %FALSE as tl_measured_view_run()
 */
gboolean tl_measured_view_run_pair (TlMeasuredView *view,
                                    const TlRecipe *recipe, size_t projection,
                                    GCancellable *cancellable, TlPair *pair,
                                    TlStats *stats, TlReconTimes *times,
                                    GError **error);
