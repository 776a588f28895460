/* Where the axis of a scan is, by one of its rows. */
#pragma once

#include "app/recon.h"
#include "gpu/centre.h"

G_BEGIN_DECLS

/* What is asked. A plain value. */
typedef struct
{
  size_t row;
  gboolean methods[TL_N_CENTRE_METHODS];
  double first_col, last_col; /* the axis is looked for between them */
} TlCentreQuestion;

/* What was found; a plain value, cleared with tl_centre_answer_clear(). */
typedef struct
{
  size_t row, n;
  TlCentreEstimate estimates[TL_N_CENTRE_METHODS]; /* [n], as asked */
  TlCentreConsensus consensus;
  char *note; /* (nullable): where the angles contradict the pictures */
} TlCentreAnswer;

void tl_centre_answer_clear (TlCentreAnswer *answer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentreAnswer, tl_centre_answer_clear)

/** tl_centre_question_init: all methods, the whole detector. */
void tl_centre_question_init (TlCentreQuestion *question, size_t row,
                              size_t n_cols);

/**
 * tl_find_centre:
 * @recon: reads the rows again afterwards, for its engine holds other data then
 * @recipe: resolved: how the row is corrected; its slice and centre are ignored
 * @answer: (out caller-allocates): to be cleared
 *
 * The row is corrected as for a slice. The estimators that look at projections
 * come first; sharpness begins where they agree.
 *
 * Returns: %FALSE with any error of the reader or the engine, TL_ERROR_VALUE
 *   for a range that is not on the detector; that nothing was found is none
 */
gboolean tl_find_centre (TlRecon *recon, const TlRecipe *recipe,
                         const TlCentreQuestion *question,
                         GCancellable *cancellable, TlCentreAnswer *answer,
                         GError **error);

G_END_DECLS
