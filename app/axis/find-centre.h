/* Finds the axis of a scan from one of its rows. */
#pragma once

#include "app/recon/recon.h"
#include "gpu/centre/consensus.h"

/**
 * TlCentreTell:
 * @estimates: [@n], lent: those finished so far, the newest last
 *
 * Called in the thread of the caller.
 */
typedef void (*TlCentreTell) (const TlCentreEstimate *estimates, size_t n,
                              gpointer user_data);

/* The input of a search. A plain value. */
typedef struct
{
  size_t row;
  gboolean methods[TL_N_CENTRE_METHODS];
  double first_col, last_col; /* limits of the search, in the row */
  double lean_col; /* as in TlCentreRow; 0 gives the axis in the row instead of
                      the middle row */
  TlCentreTell tell;  /* (nullable): called after each estimate */
  gpointer user_data; /* of tell */
} TlCentreQuestion;

/* The result; a plain value, cleared with tl_centre_answer_clear(). */
typedef struct
{
  size_t row, n;
  TlCentreEstimate
      estimates[TL_N_CENTRE_METHODS]; /* [n], in the order of the methods */
  TlCentreConsensus consensus;
  char *note;     /* (nullable): set if the angles contradict the projections */
  double end_deg; /* then the last angle to try, from 0; 0 if not known */
  /* Seconds: reading and correcting the row, each estimate (all but sharpness
   * run in parallel), and in total. */
  double read_s, estimates_s[TL_N_CENTRE_METHODS], total_s;
} TlCentreAnswer;

void tl_centre_answer_clear (TlCentreAnswer *answer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentreAnswer, tl_centre_answer_clear)

/** tl_centre_question_init: Chooses all methods and the whole width of the
 * detector. */
void tl_centre_question_init (TlCentreQuestion *question, size_t row,
                              size_t n_cols);

/**
 * tl_find_centre_in_row:
 * @engine: (nullable): for sharpness, which loads its own data; %NULL leaves
 *   this method out
 * @data: checked here; its @cancellable stops all estimators
 * @question: must be for the row of @data
 * @answer: (out caller-allocates): to be cleared, even after an error
 *
 * Estimators that work on projections run first, in parallel threads. Sharpness
 * then searches where they agree. All results are moved from the row to the
 * middle row by the lean of @question. The engine's thread, or any thread if
 * @engine is %NULL.
 *
 * Returns: %FALSE with any error of the engine or of tl_centre_data_check(),
 *   TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED. Finding nothing is not an error
 */
gboolean tl_find_centre_in_row (TlEngine *engine, const TlCentreData *data,
                                const TlCentreQuestion *question,
                                TlCentreAnswer *answer, GError **error);

/**
 * tl_find_centre:
 * @recon: its engine holds other data afterwards, so it reads its rows again
 * @recipe: resolved: corrections and tilt; its slice is ignored, and its centre
 *   is used only with the tilt
 * @question: its lean is ignored in favour of @recipe's
 * @answer: (out caller-allocates): to be cleared
 *
 * Reads the row, corrected as for a slice, and runs tl_find_centre_in_row().
 * The result is a centre for @recipe, that is, in the middle row.
 *
 * Returns: %FALSE with any error of tl_centre_row_read() or
 *   tl_find_centre_in_row(). Finding nothing is not an error
 */
gboolean tl_find_centre (TlRecon *recon, const TlRecipe *recipe,
                         const TlCentreQuestion *question,
                         GCancellable *cancellable, TlCentreAnswer *answer,
                         GError **error);
