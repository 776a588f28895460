/* Compares a held slice, A, with the newest slice, B, and makes their
 * difference; or planes made with the parameters of A with those of the present
 * ones. It requests no pictures and does not know the session. */
#pragma once

#include "app/messages/messages.h"
#include "app/recipe/recipe.h"
#include "app/recon/volume/plane-set.h"
#include "gpu/engine.h"

/* A is the held slice, B the present one. */
typedef enum
{
  TL_COMPARE_OFF,
  TL_COMPARE_SWIPE,        /* A left of a line, B right of it */
  TL_COMPARE_BLINK,        /* A and B in turn */
  TL_COMPARE_SIDE_BY_SIDE, /* both, with the same zoom and position */
  TL_COMPARE_DIFFERENCE,   /* B - A */
  TL_N_COMPARE_MODES
} TlCompareMode;

/* States of the action "compare"; %NULL-terminated. */
extern const char *const tl_compare_mode_names[TL_N_COMPARE_MODES + 1];

/* Which pictures are on the screen. */
typedef enum
{
  TL_COMPARED_SLICES,
  TL_COMPARED_PLANES,
  TL_COMPARED_NOTHING /* neither: the comparison is paused */
} TlCompared;

#define TL_TYPE_SLICE_COMPARISON (tl_slice_comparison_get_type ())
G_DECLARE_FINAL_TYPE (TlSliceComparison, tl_slice_comparison, TL,
                      SLICE_COMPARISON, GObject)

/* Main thread only. Signals:
 *   "changed"  A, the mode or the difference has changed
 */
TlSliceComparison *tl_slice_comparison_new (TlMessages *messages);

/**
 * tl_slice_comparison_take_slice:
 * @frame: a reference is taken
 * @recipe: copied: the parameters used to make @frame
 * @is_whole: %FALSE for a reduced slice, which is neither held nor subtracted
 *
 * Makes @frame the new B, and also A if tl_slice_comparison_hold() waits for a
 * whole slice.
 */
void tl_slice_comparison_take_slice (TlSliceComparison *self, TlFrame *frame,
                                     const TlRecipe *recipe, gboolean is_whole);

/** tl_slice_comparison_hold: Replaces A by the next whole slice, or by B
 * itself if @takes_present and B is whole. The slice is copied to host memory
 * in the background, so that A occupies none of the engine's frames. */
void tl_slice_comparison_hold (TlSliceComparison *self, gboolean takes_present);

/** tl_slice_comparison_hold_recipe: Replaces A by what @recipe, (copied),
 * makes. Its slice is missing. */
void tl_slice_comparison_hold_recipe (TlSliceComparison *self,
                                      const TlRecipe *recipe);
/** tl_slice_comparison_get_missing: Returns: (transfer none) (nullable): the
 * parameters of A if its slice has to be made */
const TlRecipe *tl_slice_comparison_get_missing (TlSliceComparison *self);
/** tl_slice_comparison_take_held: @frame: (transfer none): in host memory, made
 * with @recipe: becomes A if its slice is missing, and A has these parameters.
 */
void tl_slice_comparison_take_held (TlSliceComparison *self, TlFrame *frame,
                                    const TlRecipe *recipe);

/**
 * tl_slice_comparison_take_planes:
 * @planes: (transfer full): what the newest planes are compared with; empty:
 *   nothing
 * @held: (nullable): the parameters of A that they were made with
 * @recipe: copied: those of the newest planes
 */
void tl_slice_comparison_take_planes (TlSliceComparison *self,
                                      TlComparedPlanes *planes,
                                      const TlRecipe *held,
                                      const TlRecipe *recipe);
/** tl_slice_comparison_forget_planes: Gives their memory back. */
void tl_slice_comparison_forget_planes (TlSliceComparison *self);
/** tl_slice_comparison_get_planes: Returns: (transfer none): A's planes, and
 * the difference; empty while there are none */
const TlComparedPlanes *
tl_slice_comparison_get_planes (TlSliceComparison *self);

/**
 * tl_slice_comparison_release:
 * Drops A and ends the comparison.
 *
 * Returns: %FALSE if there was no A
 */
gboolean tl_slice_comparison_release (TlSliceComparison *self);

/** tl_slice_comparison_is_held: Returns: whether there is an A, or one is
 * being made */
gboolean tl_slice_comparison_is_held (TlSliceComparison *self);
/** tl_slice_comparison_get_held: Returns: (transfer none) (nullable): slice A
 */
TlFrame *tl_slice_comparison_get_held (TlSliceComparison *self);
/** tl_slice_comparison_get_recipe: Returns: (transfer none) (nullable): the
 * parameters used to make A */
const TlRecipe *tl_slice_comparison_get_recipe (TlSliceComparison *self);
/** tl_slice_comparison_get_slice: Returns: the number of slice B; call it only
 * if there is a frame */
guint tl_slice_comparison_get_slice (TlSliceComparison *self);

/** tl_slice_comparison_set_mode: A message reports if no slice is held. Where A
 * and B differ in size, DIFFERENCE becomes SIDE_BY_SIDE, with a message. */
void tl_slice_comparison_set_mode (TlSliceComparison *self, TlCompareMode mode);
TlCompareMode tl_slice_comparison_get_mode (TlSliceComparison *self);
void tl_slice_comparison_set_compared (TlSliceComparison *self,
                                       TlCompared compared);
/** tl_slice_comparison_get_shown_mode: Returns: the mode that is in effect: OFF
 * while paused and while A is being made. In DIFFERENCE, pixels, histogram and
 * percentiles are those of B - A; they follow a moment after the frame, which
 * stays B. */
TlCompareMode tl_slice_comparison_get_shown_mode (TlSliceComparison *self);
/** tl_slice_comparison_get_place: The position of the centre of A's first
 * pixel, in pixels of B. The axis is in the middle of every slice of a scan,
 * whatever its size. %FALSE if A or B is missing. */
gboolean tl_slice_comparison_get_place (TlSliceComparison *self, double *row,
                                        double *col);

/** tl_slice_comparison_get_difference: Returns: (transfer none) (nullable): B
 * - A in host memory; %NULL until A has been subtracted from the present B */
TlFrame *tl_slice_comparison_get_difference (TlSliceComparison *self);
/** tl_slice_comparison_get_stats: Returns: (transfer none) (nullable): of the
 * newest difference, which may be of an older B */
const TlStats *tl_slice_comparison_get_stats (TlSliceComparison *self);

/** tl_slice_comparison_describe: Returns: (transfer full): how the parameters
 * of B differ from those of A; "" if they do not, or if one is missing */
char *tl_slice_comparison_describe (TlSliceComparison *self);
