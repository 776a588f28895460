/* The sum of opposite projections, s, is its own mirror image about the axis,
 * so that its transform turned to the axis, S (f) exp (2 pi i f c), is real.
 * The energy of its imaginary part,
 *
 *   w |S|^2 / 2 - Re (w S^2 exp (4 pi i f c)) / 2 summed over f,
 *
 * is a Fourier series in c, like those of the other estimators: it is the
 * correlation of s with its mirror image, and where that is largest the
 * imaginary part is least. The weights w follow from the rest of the imaginary
 * part, as for pairs (pairs.c). The pattern that the detector leaves in all
 * projections does not average out in the sum and is not symmetric, so it
 * counts as noise at its frequencies.
 */
#include "gpu/centre/centre-private.h"
#include "gpu/centre/pairs-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* The largest weighted fraction of the sum's energy in the imaginary part. By
 * chance, a smaller fraction is left only if there are very few frequencies. */
#define MAX_IMAGINARY 0.25
/* With at least this many pairs, the sum is independent evidence beside the
 * pairs. */
#define MIN_PAIRS 16

/* Returns: the fraction of the energy in the imaginary part about @centre;
 * without symmetry it is one half */
static double
get_imaginary (const TlCentreRows *rows, double centre)
{
  const double unit = 2 * G_PI / (double)rows->length;
  double imaginary = 0, all = 0;
  for (size_t k = 1; k < rows->n_frequencies; k++)
    {
      const double complex s =
          rows->spectra[k] * cexp (I * unit * (double)k * centre);
      imaginary += cimag (s) * cimag (s);
      all += creal (s * conj (s));
    }
  return all > 0 ? imaginary / all : 1;
}

gboolean
tl_centre_by_symmetry (const TlCentreData *data, TlCentreEstimate *estimate,
                       GError **error)
{
  g_autoptr (TlCentreRows) rows = tl_centre_rows_begin (
      data, TL_CENTRE_SYMMETRY, TL_CENTRE_SUMMED, estimate, error);
  if (rows == NULL)
    return FALSE;
  const size_t n_pairs = rows->n_summed;
  g_auto (TlCentrePairs) pairs = { 0 };
  if (n_pairs == 0)
    return tl_centre_rows_lack_angles (
        rows, _ ("no two projections are half a turn apart"), estimate);
  tl_centre_pairs_init (&pairs, rows, TRUE, TL_CENTRE_BLOCKS);
  if (!tl_centre_pairs_locate (&pairs, rows, data, estimate, error))
    return FALSE;
  if (!estimate->is_found)
    return TRUE;
  const double imaginary = get_imaginary (rows, estimate->centre_col);
  g_debug ("symmetry: %.3f of the energy is imaginary", imaginary);
  if (imaginary > MAX_IMAGINARY)
    return tl_centre_cannot_tell (estimate,
                                  _ ("the sum of opposite projections is not "
                                     "symmetric"));
  estimate->uncertainty_col *= tl_centre_rows_get_caution (rows);
  estimate->is_of_pair = n_pairs < MIN_PAIRS;
  estimate->reason = g_strdup_printf (
      g_dngettext (NULL,
                   "sum of %zu pair of opposite projections; %.2g %% of its "
                   "energy is not symmetric",
                   "sum of %zu pairs of opposite projections; %.2g %% of its "
                   "energy is not symmetric",
                   (gulong)n_pairs),
      n_pairs, 100 * imaginary);
  return TRUE;
}
