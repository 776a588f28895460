/* Pairs of opposite projections, whose rows are mirror images of each other. */
#pragma once

#include "gpu/centre/rows-private.h"

#define TL_CENTRE_BLOCKS 8

/* Sums over all pairs of projections q, q' that are half a turn apart. */
typedef struct
{
  size_t n_pairs;
  gboolean is_extrapolated; /* one q' or more lies beyond the scan */
  double complex *terms;    /* [n_frequencies]: q q' */
  double *energy;           /* [n_frequencies]: |q|^2 + |q'|^2 */
} TlCentrePairs;

/**
 * tl_centre_pairs_init:
 * @pairs: (out caller-allocates)
 * @rows: the one row of TL_CENTRE_SUMMED forms a pair with itself
 * @extrapolates: whether projections beyond the scan are extrapolated;
 * otherwise the nearest one of the scan stands for them
 * @block: takes the pairs of one of TL_CENTRE_BLOCKS equal parts of half a
 * turn; TL_CENTRE_BLOCKS: takes all pairs
 */
void tl_centre_pairs_init (TlCentrePairs *pairs, const TlCentreRows *rows,
                           gboolean extrapolates, guint block);
void tl_centre_pairs_clear (TlCentrePairs *pairs);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentrePairs, tl_centre_pairs_clear)

/** tl_centre_pairs_find: Calls tl_centre_find_peak() for the correlation of
 * @pairs. */
gboolean tl_centre_pairs_find (const TlCentrePairs *pairs,
                               const TlCentreRows *rows,
                               const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/** tl_centre_pairs_refine: Refines the centre of @estimate, as
 * tl_centre_refine() does, in the columns that opposite projections share.
 * Changes @rows. Returns: %FALSE with TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED
 */
gboolean tl_centre_pairs_refine (TlCentreRows *rows, const TlCentreData *data,
                                 TlCentreEstimate *estimate, GError **error);

/** tl_centre_pairs_locate: Calls tl_centre_pairs_find() and, if that finds a
 * centre, tl_centre_pairs_refine(). */
gboolean tl_centre_pairs_locate (const TlCentrePairs *pairs, TlCentreRows *rows,
                                 const TlCentreData *data,
                                 TlCentreEstimate *estimate, GError **error);
