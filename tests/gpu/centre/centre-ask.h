/* Runs all estimators of the axis in the same way as the program. */
#pragma once

#include "tests/gpu/centre/centre-cases.h"

/* The estimate of each method, sharpness last, and the consensus; cleared by
 * the caller. */
typedef struct
{
  TlCentreEstimate estimates[TL_N_CENTRE_METHODS];
  TlCentreConsensus consensus;
} CentreAnswer;

void centre_answer_clear (CentreAnswer *answer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CentreAnswer, centre_answer_clear)

/** centre_ask: Runs all estimators as app/axis/find-centre.c does; an error
 * fails the test. @answer: (out caller-allocates) */
void centre_ask (TlEngine *engine, const TlCentreData *data,
                 CentreAnswer *answer);

/** centre_print: Logs one line about the case and the error of each estimate.
 */
void centre_print (const CentreCase *c, const CentreAnswer *answer);
