/* A slice of a scan that is being taken. Only the new projections are
 * back-projected, and the result is added to the slice before, so that no
 * projection is back-projected twice while nothing else changes.
 *
 * Each addition rounds once: after n additions the slice differs from one that
 * is made at once by about sqrt (n) times 6e-8 of its values. */
#pragma once

#include "app/recon/recon.h"
#include "data/read/held/held.h"

/* Of one engine, which must outlive it; the engine's thread. */
typedef struct TlGrowingSlice TlGrowingSlice;

TlGrowingSlice *tl_growing_slice_new (TlEngine *engine);
void tl_growing_slice_free (TlGrowingSlice *slice);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlGrowingSlice, tl_growing_slice_free)

/**
 * tl_growing_slice_keep:
 * @recipe: resolved, as of tl_recon_run()
 * @weights: of the snapshot
 * @frame: its slice, made of all of its projections
 */
void tl_growing_slice_keep (TlGrowingSlice *slice, const TlRecipe *recipe,
                            TlHeldWeights *weights, TlFrame *frame);

/**
 * tl_growing_slice_run:
 * @recipe: resolved
 * @weights: of a later snapshot of @held than that of the slice
 * @times: (out caller-allocates)
 *
 * Makes the slice of the later snapshot, and keeps it. Corrections that depend
 * on other projections, those of zingers and of rings, need all of them anew.
 *
 * Returns: (transfer full) (nullable): as tl_recon_run(); %NULL without an
 * error if it has to be made of all projections: nothing is kept, the recipe is
 *   another one, other flats have come, or half of the projections count for
 *   more or less than before
 */
TlFrame *tl_growing_slice_run (TlGrowingSlice *slice, TlHeld *held,
                               TlHeldWeights *weights, const TlRecipe *recipe,
                               TlReconTimes *times, GCancellable *cancellable,
                               GError **error);

/**
 * tl_growing_slice_make:
 * @recon: of the later snapshot
 * @asked: resolved; TL_METHOD_AUTO is back-projection here
 *
 * As tl_growing_slice_run(), or of all projections where that has to be.
 *
 * Returns: (transfer full): as tl_recon_run()
 */
TlFrame *tl_growing_slice_make (TlGrowingSlice *slice, TlRecon *recon,
                                TlHeld *held, TlHeldWeights *weights,
                                const TlRecipe *asked, TlReconTimes *times,
                                GCancellable *cancellable, GError **error);

/**
 * tl_growing_slice_measure_change:
 * @n_projections: of the slice that is kept
 * @unit: (out): the square root of c over the standard deviation of the
 *   slice's values; NaN if it was not compared, also for want of memory
 *
 * Compares the slice with an earlier one of m projections when it has a quarter
 * more of them, and keeps its pixels then, to be compared with later ones.
 *
 * The noise of the projections gives a slice of n of them the variance c/n. As
 * the first m are in both slices, noise alone changes the slice by the variance
 * c (1/m - 1/n) from m to n projections; what streaks change falls faster. So
 * c, which follows from the change, says how much the slice will change at most
 * until all N have come: c (1/n - 1/N). Angles that are missing change it like
 * noise; who uses c has to see that they are there.
 *
 * Returns: %FALSE with an error of tl_frame_fetch()
 */
gboolean tl_growing_slice_measure_change (TlGrowingSlice *slice,
                                          size_t n_projections, double *unit,
                                          GError **error);

/** tl_growing_slice_count_added: Returns: the projections that were
 * back-projected for the last slice that was run or made */
size_t tl_growing_slice_count_added (const TlGrowingSlice *slice);
