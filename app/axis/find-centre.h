/* Where the axis of a scan is, by one of its rows. */
#pragma once

#include "app/recon/recon.h"
#include "gpu/centre/consensus.h"

G_BEGIN_DECLS

/**
 * TlCentreTell:
 * @estimates: [@n], lent: those that have answered, the newest last
 *
 * In the thread that asks.
 */
typedef void (*TlCentreTell) (const TlCentreEstimate *estimates, size_t n,
                              gpointer user_data);

/* What is asked. A plain value. */
typedef struct
{
  size_t row;
  gboolean methods[TL_N_CENTRE_METHODS];
  double first_col, last_col; /* it is looked for between them, in the row */
  double lean_col;            /* as of a TlCentreRow; 0: what is found is where
                                 the axis is in the row */
  TlCentreTell tell;          /* (nullable): after each estimate */
  gpointer user_data;         /* for it */
} TlCentreQuestion;

/* What was found; a plain value, cleared with tl_centre_answer_clear(). */
typedef struct
{
  size_t row, n;
  TlCentreEstimate estimates[TL_N_CENTRE_METHODS]; /* [n], as asked */
  TlCentreConsensus consensus;
  char *note; /* (nullable): where the angles contradict the pictures */
  /* Seconds: reading the row and correcting it; each of the estimates, those
   * but sharpness side by side; all of them together. */
  double read_s, estimates_s[TL_N_CENTRE_METHODS], total_s;
} TlCentreAnswer;

void tl_centre_answer_clear (TlCentreAnswer *answer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentreAnswer, tl_centre_answer_clear)

/** tl_centre_question_init: all methods, the whole detector. */
void tl_centre_question_init (TlCentreQuestion *question, size_t row,
                              size_t n_cols);

/**
 * tl_find_centre_in_row:
 * @engine: (nullable): for sharpness, which another block is loaded for; %NULL:
 *   all methods but that one
 * @data: checked by this; its @cancellable stops all
 * @question: its row is taken to be that of @data
 * @answer: (out caller-allocates): to be cleared, after an error too
 *
 * Estimators that look at projections come first, side by side in threads;
 * sharpness begins where they agree. All that is found is moved from the row to
 * the middle one, by @question's lean. The engine's thread, or any without an
 * engine.
 *
 * Returns: %FALSE with any error of the engine or of tl_centre_data_check(),
 *   TL_ERROR_MEMORY, %G_IO_ERROR_CANCELLED; that nothing was found is none
 */
gboolean tl_find_centre_in_row (TlEngine *engine, const TlCentreData *data,
                                const TlCentreQuestion *question,
                                TlCentreAnswer *answer, GError **error);

/**
 * tl_find_centre:
 * @recon: reads the rows again afterwards, for its engine holds other data then
 * @recipe: resolved: how the row is corrected, and how far the axis leans; its
 *   slice is ignored, and its centre but for the tilt
 * @question: its lean is ignored: it is that of @recipe
 * @answer: (out caller-allocates): to be cleared
 *
 * The row is corrected as for a slice. The estimators that look at projections
 * come first; sharpness begins where they agree. What is found is the centre of
 * @recipe, which is that of the middle row.
 *
 * Returns: %FALSE with any error of tl_centre_row_read() or
 *   tl_find_centre_in_row(); that nothing was found is none
 */
gboolean tl_find_centre (TlRecon *recon, const TlRecipe *recipe,
                         const TlCentreQuestion *question,
                         GCancellable *cancellable, TlCentreAnswer *answer,
                         GError **error);

G_END_DECLS
