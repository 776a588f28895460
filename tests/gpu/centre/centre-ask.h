/* All estimators of the axis, asked as the program does. */
#pragma once

#include "tests/gpu/centre/centre-cases.h"

G_BEGIN_DECLS

/* An estimate by each method, sharpness last, and what they say together; a
 * plain value. */
typedef struct
{
  TlCentreEstimate estimates[TL_N_CENTRE_METHODS];
  TlCentreConsensus consensus;
} CentreAnswer;

void centre_answer_clear (CentreAnswer *answer);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CentreAnswer, centre_answer_clear)

/** centre_ask: asks all, as app/axis/find-centre.c does. @answer: (out
 * caller-allocates) */
void centre_ask (TlEngine *engine, const TlCentreData *data,
                 CentreAnswer *answer);

/** centre_print: a line on the case, and how far each is from it. */
void centre_print (const CentreCase *c, const CentreAnswer *answer);

G_END_DECLS
