/* The steps of undo and redo: each is a whole recipe with its change in words.
 * Plain data without a session; one thread. */
#pragma once

#include "app/recipe/recipe.h"

/* A longer history loses its first steps. */
#define TL_HISTORY_LENGTH 100

/* Changes of one parameter at shorter intervals are one step: a burst. A drag
 * is one step from its beginning to its end. */
#define TL_HISTORY_BURST_US G_USEC_PER_SEC

typedef struct TlHistory TlHistory;

TlHistory *tl_history_new (void); /* has no steps */
void tl_history_free (TlHistory *history);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHistory, tl_history_free)

/** tl_history_begin: Forgets all steps; @recipe is the first one. */
void tl_history_begin (TlHistory *history, const TlRecipe *recipe);

/**
 * tl_history_note:
 * @now_us: monotonic time
 *
 * The parameters are @recipe now. If these are the step of tl_history_aim(),
 * it becomes the present step; if they differ from the present step, they
 * become a new step, and undone steps are forgotten.
 */
void tl_history_note (TlHistory *history, const TlRecipe *recipe,
                      gint64 now_us);

/**
 * tl_history_aim:
 *
 * Step @index becomes the present one as soon as its recipe is noted.
 *
 * Returns: (transfer none) (nullable): its recipe; %NULL if there is no such
 *   step
 */
const TlRecipe *tl_history_aim (TlHistory *history, guint index);

/** tl_history_drop_aim: The step of tl_history_aim() was refused. */
void tl_history_drop_aim (TlHistory *history);

/**
 * tl_history_begin_drag:
 * @since: the present step when the button was pressed; a step that was made
 *   since then belongs to the drag
 *
 * All changes of one parameter until tl_history_end_drag() are one step.
 */
void tl_history_begin_drag (TlHistory *history, guint since);
void tl_history_end_drag (TlHistory *history);

/** tl_history_end_burst: The next change is a step of its own. */
void tl_history_end_burst (TlHistory *history);

/** tl_history_name: @words describe the present step, which is complete. */
void tl_history_name (TlHistory *history, const char *words);

/**
 * tl_history_join_centre:
 * @centre_col: found by the program, because the scan is read in another way
 *
 * The centre joins the step that changed how the scan is read, and those after
 * it that have the centre of the present one. Nothing happens if the scan is
 * read as it was opened, or if the centre was changed since.
 */
void tl_history_join_centre (TlHistory *history, double centre_col);

/**
 * tl_history_fall_back:
 *
 * The present step cannot be shown, and @recipe is shown instead: aims at the
 * nearest step with this recipe, or gives the present step this recipe.
 */
void tl_history_fall_back (TlHistory *history, const TlRecipe *recipe);

guint tl_history_get_length (const TlHistory *history);
/** tl_history_get_present: Returns: the index, from 0 for the oldest step; 0
 * without a step. */
guint tl_history_get_present (const TlHistory *history);
/** tl_history_get_aim: Returns: the step of tl_history_aim() until it is
 * reached, then the present one. */
guint tl_history_get_aim (const TlHistory *history);

/** tl_history_get_words: Returns: (transfer none): "centre 30 → 30.5". */
const char *tl_history_get_words (const TlHistory *history, guint index);
