/* Pairs of projections half a turn apart, whose rows are mirror images of each
 * other. */
#include "gpu/centre/pairs-private.h"
#include "gpu/centre/centre-private.h"
#include "gpu/centre/peak-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* How many times weights and centre are computed alternately. */
#define N_PASSES 3
/* The noise is averaged over REST_REACH frequencies to either side, and is at
 * least MIN_REST of the energy. */
#define REST_REACH 6
#define MIN_REST 1e-3
/* The search treats an overlap of fewer columns than this fraction of the row
 * as an overlap of this size. */
#define MIN_SHARED 0.05
/* Where degrees are missing, few frequencies are left, and narrow overlaps look
 * alike by chance. So much of the row must be shared. */
#define MIN_SHORT_SHARED 0.5
/* The error of an extrapolation by one step, as a fraction of the change that
 * it makes. */
#define EXTRAPOLATION_ERROR 0.5
/* With at least this many pairs, the uncertainty also follows from how much
 * blocks of pairs disagree. */
#define MIN_PAIRS 16
#define BLOCK_CAUTION 1.5
/* With fewer pairs, the uncertainty follows from the frequencies alone, which
 * share the errors of the pair. Measured errors were larger than that
 * uncertainty by this factor. */
#define FEW_CAUTION 1.7

static void
add_pair (TlCentrePairs *pairs, size_t n_frequencies, const fftwf_complex *own,
          const fftwf_complex *opposite)
{
  for (size_t k = 0; k < n_frequencies; k++)
    {
      const double complex a = own[k], b = opposite[k];
      pairs->terms[k] += a * b;
      pairs->energy[k] += creal (a * conj (a)) + creal (b * conj (b));
    }
}

void
tl_centre_pairs_init (TlCentrePairs *pairs, const TlCentreRows *rows,
                      gboolean extrapolates, guint block)
{
  g_autofree fftwf_complex *opposite =
      g_new (fftwf_complex, rows->n_frequencies);
  *pairs = (TlCentrePairs){
    .terms = g_new0 (double complex, rows->n_frequencies),
    .energy = g_new0 (double, rows->n_frequencies),
  };
  if (rows->n_summed > 0)
    {
      add_pair (pairs, rows->n_frequencies, rows->spectra, rows->spectra);
      pairs->n_pairs = 1;
      return;
    }
  for (size_t p = 0; p < rows->n_projections; p++)
    {
      const double angle = rows->angles_rad[p];
      const double part = fmod (angle, G_PI) / G_PI;
      double wanted;
      if ((block < TL_CENTRE_BLOCKS
           && (guint)(part * TL_CENTRE_BLOCKS) != block)
          || !tl_centre_rows_find_opposite (rows, p, &wanted))
        continue;
      const gboolean is_outside = tl_centre_rows_is_outside (rows, wanted);
      pairs->is_extrapolated |= is_outside;
      pairs->n_pairs += wanted > angle;
      tl_centre_rows_interpolate (rows,
                                  is_outside && !extrapolates
                                      ? CLAMP (wanted, 0, rows->range_rad)
                                      : wanted,
                                  opposite);
      add_pair (pairs, tl_centre_rows_count_frequencies (rows),
                rows->spectra + p * rows->stride, opposite);
    }
}

void
tl_centre_pairs_clear (TlCentrePairs *pairs)
{
  g_clear_pointer (&pairs->terms, g_free);
  g_clear_pointer (&pairs->energy, g_free);
}

/* Returns: (transfer full): [2 n_cols - 1]: the standard deviation, for every
 * half column, of the correlation of two unrelated rows. It follows from the
 * energies of the columns that are multiplied. */
static double *
make_spread (const TlCentreRows *rows)
{
  const size_t n_cols = rows->n_cols, n = 2 * n_cols - 1;
  g_autofree double *energy = g_new0 (double, n_cols);
  double *spread = g_new0 (double, n);
  double total = 0;
  for (size_t p = 0; p < rows->n_projections; p++)
    for (size_t k = 0; k < n_cols; k++)
      {
        const double value = rows->rows[p * n_cols + k];
        energy[k] += value * value;
      }
  for (size_t k = 0; k < n_cols; k++)
    total += energy[k] * energy[k];
  for (size_t k = 0; k < n_cols; k++)
    for (size_t j = 0; j < n_cols; j++)
      spread[k + j] += energy[k] * energy[j];
  for (size_t i = 0; i < n; i++)
    spread[i] = sqrt (spread[i] + MIN_SHARED * total);
  return spread;
}

gboolean
tl_centre_pairs_find (const TlCentrePairs *pairs, const TlCentreRows *rows,
                      const TlCentreData *data, TlCentreEstimate *estimate,
                      GError **error)
{
  g_autofree double *spread = make_spread (rows);
  g_autofree double complex *whitened =
      g_new (double complex, rows->n_frequencies);
  /* Divides each term by the square root of its magnitude. */
  for (size_t k = 0; k < rows->n_frequencies; k++)
    {
      const double size = cabs (pairs->terms[k]);
      whitened[k] = size > 0 ? pairs->terms[k] / sqrt (size) : 0;
    }
  return tl_centre_find_peak (whitened, spread, rows, data, estimate, error);
}

/* Divides each term by the noise at its frequency. The noise is the difference
 * between opposite projections about the centre found so far. */
static void
weigh_by_rest (const TlCentreRows *rows, const TlCentrePairs *pairs,
               double centre, double complex *weighted)
{
  const size_t n = rows->n_frequencies;
  const double unit = 4 * G_PI / (double)rows->length;
  g_autofree double *rest = g_new (double, n);
  double most = 0;
  for (size_t k = 0; k < n; k++)
    {
      const double complex turn = cexp (I * unit * (double)k * centre);
      rest[k] = pairs->energy[k] - 2 * creal (pairs->terms[k] * turn);
      rest[k] = MAX (rest[k], 0) + MIN_REST * pairs->energy[k];
      most = MAX (most, pairs->energy[k]);
    }
  for (size_t k = 0; k < n; k++)
    {
      const size_t from = k > REST_REACH ? k - REST_REACH : 0;
      const size_t to = MIN (k + REST_REACH + 1, n);
      double sum = 0;
      for (size_t j = from; j < to; j++)
        sum += rest[j];
      weighted[k] = pairs->terms[k] * tl_centre_rows_get_passed (rows, k)
                    / (sum / (double)(to - from) + 1e-9 * most);
    }
}

/* Returns: the variance of the centre that follows from the disagreement of
 * blocks of pairs */
static double
get_block_variance (const TlCentreRows *rows, const double complex *terms,
                    const double complex *weighted, double centre)
{
  const size_t n = rows->n_frequencies;
  double slope, bend, all_bend, sum = 0;
  g_autofree double complex *own = g_new (double complex, n);
  tl_centre_evaluate (weighted, rows, centre, &slope, &all_bend);
  for (guint block = 0; block < TL_CENTRE_BLOCKS; block++)
    {
      g_auto (TlCentrePairs) pairs = { 0 };
      tl_centre_pairs_init (&pairs, rows, TRUE, block);
      for (size_t k = 0; k < n; k++)
        own[k] =
            terms[k] != 0 ? pairs.terms[k] * creal (weighted[k] / terms[k]) : 0;
      tl_centre_evaluate (own, rows, centre, &slope, &bend);
      sum += slope * slope;
    }
  return sum / (all_bend * all_bend);
}

static void
refine (const TlCentreRows *rows, const TlCentrePairs *pairs,
        const TlCentreData *data, TlCentreEstimate *estimate)
{
  g_autofree double complex *weighted =
      g_new (double complex, rows->n_frequencies);
  for (guint pass = 0; pass < N_PASSES && estimate->is_found; pass++)
    {
      weigh_by_rest (rows, pairs, estimate->centre_col, weighted);
      tl_centre_refine (weighted, rows, data, estimate);
    }
  if (!estimate->is_found)
    return;
  if (pairs->n_pairs < MIN_PAIRS)
    estimate->uncertainty_col *= FEW_CAUTION;
  else
    estimate->uncertainty_col =
        MAX (estimate->uncertainty_col,
             BLOCK_CAUTION
                 * sqrt (get_block_variance (rows, pairs->terms, weighted,
                                             estimate->centre_col)));
}

gboolean
tl_centre_pairs_refine (TlCentreRows *rows, const TlCentreData *data,
                        TlCentreEstimate *estimate, GError **error)
{
  g_auto (TlCentrePairs) pairs = { 0 };
  if (!tl_centre_rows_keep_shared (rows, estimate->centre_col, error))
    return FALSE;
  tl_centre_pairs_init (&pairs, rows, TRUE, TL_CENTRE_BLOCKS);
  refine (rows, &pairs, data, estimate);
  if (estimate->is_found && pairs.is_extrapolated)
    {
      g_auto (TlCentreEstimate)
          other = { .is_found = TRUE, .centre_col = estimate->centre_col };
      g_auto (TlCentrePairs) nearest = { 0 };
      tl_centre_pairs_init (&nearest, rows, FALSE, TL_CENTRE_BLOCKS);
      refine (rows, &nearest, data, &other);
      if (other.is_found)
        estimate->uncertainty_col +=
            EXTRAPOLATION_ERROR
            * fabs (other.centre_col - estimate->centre_col);
      else
        tl_centre_cannot_tell (estimate, "%s", other.reason);
    }
  return TRUE;
}

gboolean
tl_centre_pairs_locate (const TlCentrePairs *pairs, TlCentreRows *rows,
                        const TlCentreData *data, TlCentreEstimate *estimate,
                        GError **error)
{
  if (!tl_centre_pairs_find (pairs, rows, data, estimate, error))
    return FALSE;
  if (!estimate->is_found)
    return tl_centre_rows_blame_missing (rows, estimate);
  const double last = (double)rows->n_cols - 1;
  const double shared =
      2 * MIN (estimate->centre_col, last - estimate->centre_col) + 1;
  if (tl_centre_rows_get_missing (rows) > 0
      && shared < MIN_SHORT_SHARED * (double)rows->n_cols)
    return tl_centre_cannot_tell (
        estimate, _ ("opposite projections share too few columns to be "
                     "continued to half a turn"));
  return tl_centre_pairs_refine (rows, data, estimate, error);
}
