/* The steps from which one can go back: whole recipes, each with what it
 * changed, in words. A plain value's list; it asks for nothing and knows no
 * session. */
#pragma once

#include "app/recipe/recipe.h"

/* The first steps fall off a longer history. */
#define TL_HISTORY_LENGTH 100

/* Changes of one parameter that follow each other as closely are one step: a
 * burst of nudges. A drag is one from its beginning to its end. */
#define TL_HISTORY_BURST_US G_USEC_PER_SEC

typedef struct TlHistory TlHistory;

TlHistory *tl_history_new (void); /* of no step */
void tl_history_free (TlHistory *history);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHistory, tl_history_free)

/** tl_history_begin: Forgets all; @recipe is the first step. */
void tl_history_begin (TlHistory *history, const TlRecipe *recipe);

/**
 * tl_history_note:
 * @now_us: never less than at the call before
 *
 * @recipe is the present one. What had been undone is forgotten, unless it is
 * the step that was aimed at, or the present step itself.
 */
void tl_history_note (TlHistory *history, const TlRecipe *recipe,
                      gint64 now_us);

/**
 * tl_history_aim:
 *
 * When step @index is noted next, it becomes the present one.
 *
 * Returns: (transfer none) (nullable): its recipe; %NULL where there is no such
 *   step
 */
const TlRecipe *tl_history_aim (TlHistory *history, guint index);

/** tl_history_drop_aim: It cannot be reached. */
void tl_history_drop_aim (TlHistory *history);

/**
 * tl_history_begin_drag:
 * @since: the present step when the button was pressed; if that has made one,
 * it is the drag's
 *
 * What is noted next is a step of its own, with all changes of the same
 * parameter until the drag ends, whenever they come.
 */
void tl_history_begin_drag (TlHistory *history, guint since);
void tl_history_end_drag (TlHistory *history);

/** tl_history_end_burst: What is noted next is a step of its own. */
void tl_history_end_burst (TlHistory *history);

/** tl_history_name: The present step is called @words, and does not grow. */
void tl_history_name (TlHistory *history, const char *words);

/**
 * tl_history_fall_back:
 *
 * The present step cannot be shown, and @recipe is noted next: it aims at the
 * nearest step that is like it, or makes the present one so.
 */
void tl_history_fall_back (TlHistory *history, const TlRecipe *recipe);

guint tl_history_get_length (const TlHistory *history);
/** tl_history_get_present: Returns: from 0, the oldest; 0 without a step. */
guint tl_history_get_present (const TlHistory *history);
/** tl_history_get_aim: Returns: the step that will be the present one. */
guint tl_history_get_aim (const TlHistory *history);

/** tl_history_get_words: Returns: (transfer none): "centre 30 → 30.5". */
const char *tl_history_get_words (const TlHistory *history, guint index);
