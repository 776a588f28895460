/* A slice that is held, A, beside the newest one, B: what is known of both and
 * of their difference. It asks for no slice and knows no session. */
#pragma once

#include "app/recipe/recipe.h"
#include "app/session/compare-mode.h"
#include "gpu/engine.h"

G_BEGIN_DECLS

#define TL_TYPE_SLICE_COMPARISON (tl_slice_comparison_get_type ())
G_DECLARE_FINAL_TYPE (TlSliceComparison, tl_slice_comparison, TL,
                      SLICE_COMPARISON, GObject)

/* Main thread only. Signals:
 *   "changed"  A, the mode or the difference is another one
 *   "failed"   (const char *message, gboolean stays): something could not be
 *              done; as of tl_session_show_message()
 */
TlSliceComparison *tl_slice_comparison_new (void);

/**
 * tl_slice_comparison_take_slice:
 * @frame: a reference is taken
 * @recipe: copied: what @frame was made with
 * @is_whole: %FALSE: a reduced slice, which is neither held nor subtracted
 *
 * @frame is B from now on. It becomes A, too, where that is awaited.
 */
void tl_slice_comparison_take_slice (TlSliceComparison *self, TlFrame *frame,
                                     const TlRecipe *recipe, gboolean is_whole);

/** tl_slice_comparison_hold: The next whole slice becomes A, in place of
 * another; B itself where @takes_present. It is copied to host memory in the
 * background, so that it keeps none of an engine's frames. */
void tl_slice_comparison_hold (TlSliceComparison *self, gboolean takes_present);

/** tl_slice_comparison_release: There is no A any more, and nothing to compare.
 * Returns: %FALSE where there was none. */
gboolean tl_slice_comparison_release (TlSliceComparison *self);

/** tl_slice_comparison_is_held: Returns: there is an A, or it is on its way. */
gboolean tl_slice_comparison_is_held (TlSliceComparison *self);
/** tl_slice_comparison_get_held: Returns: (transfer none) (nullable): A */
TlFrame *tl_slice_comparison_get_held (TlSliceComparison *self);
/** tl_slice_comparison_get_recipe: Returns: (transfer none) (nullable): what A
 * was made with */
const TlRecipe *tl_slice_comparison_get_recipe (TlSliceComparison *self);

/** tl_slice_comparison_set_mode: DIFFERENCE becomes SIDE_BY_SIDE, with a
 * message, where A and B have not as many pixels. Only while an A is held. */
void tl_slice_comparison_set_mode (TlSliceComparison *self, TlCompareMode mode);
TlCompareMode tl_slice_comparison_get_mode (TlSliceComparison *self);

/** tl_slice_comparison_get_difference: Returns: (transfer none) (nullable): B
 * less A, in host memory; %NULL until that of the present B is made */
TlFrame *tl_slice_comparison_get_difference (TlSliceComparison *self);
/** tl_slice_comparison_get_stats: Returns: (transfer none) (nullable): of the
 * newest difference, whose B may have gone */
const TlStats *tl_slice_comparison_get_stats (TlSliceComparison *self);

/** tl_slice_comparison_describe: Returns: (transfer full): how the parameters
 * of B differ from those of A; "" where they do not, or where there are not
 * both */
char *tl_slice_comparison_describe (TlSliceComparison *self);

G_END_DECLS
