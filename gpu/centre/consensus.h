/* The conclusion from all estimates of the axis together. */
#pragma once

#include "gpu/centre/centre.h"

typedef enum
{
  TL_CENTRE_CERTAIN, /* several independent estimates agree, none contradicts */
  TL_CENTRE_UNCERTAIN, /* a value to start from; the user has to check it */
  TL_CENTRE_CANNOT_TELL
} TlCentreVerdict;

/* The conclusion from all estimates; cleared with tl_centre_consensus_clear().
 */
typedef struct
{
  TlCentreVerdict verdict;
  double centre_col;          /* NaN with TL_CENTRE_CANNOT_TELL */
  double uncertainty_col;     /* one standard deviation; NaN likewise */
  double spread_col;          /* from the lowest to the highest found */
  double agreeing_spread_col; /* likewise, of the agreeing estimates */
  guint n_found, n_agreeing;
  gboolean agrees[TL_N_CENTRE_METHODS]; /* by the method */
  char *sentence;
} TlCentreConsensus;

void tl_centre_consensus_clear (TlCentreConsensus *consensus);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentreConsensus, tl_centre_consensus_clear)

/**
 * tl_centre_agree:
 * @estimates: [@n], each of another method; found ones are finite
 * @consensus: (out caller-allocates)
 *
 * Finds the largest group of estimates that agree within their uncertainties,
 * and their weighted mean. Of estimates that rest on the same pairs (phase,
 * overlap, and the symmetry of one pair) only one counts: one that compares
 * pairs rather than their sum, then the more certain one. The result is certain
 * if two of the group are independent, no other estimate contradicts, its
 * uncertainty is at most 0.08 columns, and the agreeing estimates that are not
 * rough lie within half a column of it. With an uncertainty above two columns
 * the axis counts as not found. Any thread. The thresholds have no source; they
 * were set with random cases (tests/gpu/centre/test-centre-random.c).
 */
void tl_centre_agree (const TlCentreEstimate *estimates, size_t n,
                      TlCentreConsensus *consensus);
