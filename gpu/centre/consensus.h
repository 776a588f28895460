/* The conclusion from all estimates of the axis together. */
#pragma once

#include "gpu/centre/centre.h"

G_BEGIN_DECLS

typedef enum
{
  TL_CENTRE_CERTAIN, /* several say so, and nobody else */
  TL_CENTRE_LOOK,    /* a value to begin with: please look */
  TL_CENTRE_CANNOT_TELL
} TlCentreVerdict;

/* What all estimators say together; a plain value, cleared with
 * tl_centre_consensus_clear(). */
typedef struct
{
  TlCentreVerdict verdict;
  double centre_col;          /* NaN where it cannot be told */
  double uncertainty_col;     /* one standard deviation; NaN likewise */
  double spread_col;          /* from the lowest to the highest found */
  double agreeing_spread_col; /* likewise, of those that agree */
  guint n_found, n_agreeing;
  gboolean agrees[TL_N_CENTRE_METHODS]; /* by the method */
  char *sentence;
} TlCentreConsensus;

void tl_centre_consensus_clear (TlCentreConsensus *consensus);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentreConsensus, tl_centre_consensus_clear)

/**
 * tl_centre_agree:
 * @estimates: [@n], each of another method; what is found is finite
 * @consensus: (out caller-allocates)
 *
 * The largest group of estimates that agree within their uncertainties, and
 * their mean, each by its own. Of those that rest on the same (phase, overlap
 * and the symmetry of one pair) one stands for all: what looks at pairs rather
 * than their sum, then the better known. It is certain where two of it rest on
 * different things, none beside it contradicts, it is known to 0.08 of a
 * column, and those that agree and are not rough lie within half a column of
 * it. Known to no better than two columns it is no axis, and cannot be told. No
 * source: thresholds are set by random cases
 * (tests/gpu/centre/test-centre-random.c).
 */
void tl_centre_agree (const TlCentreEstimate *estimates, size_t n,
                      TlCentreConsensus *consensus);

G_END_DECLS
