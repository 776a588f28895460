#include "gpu/centre/centre-private.h"
#include "gpu/centre/peak-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* Of so many projections one may come before the one before it: a stage shakes.
 */
#define MAX_BACK 50

/* The angles are checked if the last angle misses half a turn by a fraction of
 * a step between these limits. */
#define MIN_MISSING 0.3
#define MAX_MISSING 1.6
/* The last projection counts as the mirror image of the first if their
 * difference is below this fraction of the difference between neighbours. In
 * narrow rows few frequencies are compared, and another axis can make up for
 * the step of the angle; in very narrow ones nothing is certain. */
#define MAX_PART 0.42
#define NARROW_COLS 144
#define MAX_NARROW_PART 0.3
#define MIN_MIRRORED_COLS 72

/* The last projection counts as a repetition of the first under two conditions.
 * Their difference is at most MAX_STEPS_APART times that of two projections as
 * far apart as they would be. It is also below MAX_REPEATED_PART times both the
 * smallest difference between the first and the other projections and the
 * smallest difference between the first and the mirror image of the last. */
#define MAX_STEPS_APART 2.0
#define MAX_REPEATED_PART 0.4
/* The other projections that the first is compared with are this fraction of
 * the scan apart. */
#define N_OTHERS 16
/* Projections count as a number of steps apart between these parts of it. */
#define MIN_LAG 0.75
#define MAX_LAG 1.4

/* Only frequencies up to this limit, cycles per column, are compared, because
 * above it the differences are mostly noise. */
#define MAX_FREQUENCY 0.15

static size_t
get_n_frequencies (const TlCentreRows *rows)
{
  return (size_t)(MAX_FREQUENCY * (double)rows->length);
}

/* Returns: the energy of the difference of two spectra, as a fraction of their
 * energies */
static double
differ (const TlCentreRows *rows, size_t p, size_t other)
{
  const fftwf_complex *a = rows->spectra + p * rows->stride;
  const fftwf_complex *b = rows->spectra + other * rows->stride;
  double energy = 0, product = 0;
  for (size_t k = 0; k < get_n_frequencies (rows); k++)
    {
      const double complex x = a[k], y = b[k];
      energy += creal (x * conj (x)) + creal (y * conj (y));
      product += 2 * creal (x * conj (y));
    }
  return 1 - product / energy;
}

/* Computes the correlation terms of projection @p and the mirror image of
 * @other. Returns: the sum of their energies */
static double
make_terms (const TlCentreRows *rows, size_t p, size_t other,
            double complex *terms)
{
  const fftwf_complex *a = rows->spectra + p * rows->stride;
  const fftwf_complex *b = rows->spectra + other * rows->stride;
  double energy = 0;
  for (size_t k = 0; k < get_n_frequencies (rows); k++)
    {
      const double complex x = a[k], y = b[k];
      terms[k] = x * y;
      energy += creal (x * conj (x)) + creal (y * conj (y));
    }
  return energy;
}

/* Returns: the mean difference between two projections that are about @lag_rad
 * apart, of those nearest to both ends of the scan; 0 if there are none.
 * Projections may be left out anywhere, also beside the first. */
static double
differ_by (const TlCentreRows *rows, double lag_rad)
{
  const double *angles = rows->angles_rad;
  double first = 0, last = 0;
  for (size_t p = 0, q = 1; q < rows->n_projections; q++)
    {
      while (angles[q] - angles[p] > MAX_LAG * lag_rad)
        p++;
      if (angles[q] - angles[p] < MIN_LAG * lag_rad)
        continue;
      last = differ (rows, p, q);
      if (first <= 0)
        first = last;
    }
  return (first + last) / 2;
}

/* Sets @mirrored to whether the last projection is the mirror image of the
 * first, compared to the difference between neighbours. @estimate: (inout): the
 * axis about which they mirror each other best; it is refined here. */
static gboolean
is_mirrored (TlCentreRows *rows, const TlCentreData *data,
             TlCentreEstimate *estimate, gboolean *mirrored, GError **error)
{
  const size_t last = rows->n_projections - 1;
  g_autofree double complex *terms =
      g_new0 (double complex, rows->n_frequencies);
  double slope, bend;
  if (!tl_centre_rows_keep_shared (rows, estimate->centre_col, error))
    return FALSE;
  const double apart = differ_by (rows, rows->step_rad);
  const double energy = make_terms (rows, 0, last, terms);
  tl_centre_refine (terms, rows, data, estimate);
  *mirrored = FALSE;
  if (!estimate->is_found)
    return TRUE;
  const double rest =
      1
      - tl_centre_evaluate (terms, rows, estimate->centre_col, &slope, &bend)
            / energy;
  g_debug ("neighbours differ by %.5f, first and last by %.5f", apart, rest);
  *mirrored =
      rest < (data->n_cols < NARROW_COLS ? MAX_NARROW_PART : MAX_PART) * apart;
  return TRUE;
}

/* Returns: whether the last projection repeats the first. An object that is its
 * own mirror image or looks the same from all sides does not decide the
 * question: the result is %FALSE. @mirrored: the smallest difference between
 * the first and the mirror image of the last. @lag_rad: the
 * angle from the last to the first, after that turn */
static gboolean
is_repeated (const TlCentreRows *rows, double mirrored, double lag_rad)
{
  const size_t last = rows->n_projections - 1;
  const double apart = differ (rows, 0, last);
  double others = INFINITY;
  for (size_t k = 2; k <= N_OTHERS - 2; k++)
    others = MIN (others, differ (rows, 0, k * last / N_OTHERS));
  const double step = differ_by (rows, lag_rad);
  g_debug ("the last differs from the first by %.4f, from its mirror image by "
           "%.4f; as far apart differ by %.4f, others by %.4f",
           apart, mirrored, step, others);
  return apart <= MAX_STEPS_APART * step
         && apart < MAX_REPEATED_PART * MIN (others, mirrored);
}

/* Returns: the smallest difference between the first projection and the mirror
 * image of the last for all axes of @curve, as a fraction of @energy */
static double
differ_mirrored (const TlCentreEstimate *curve, double energy)
{
  double most = -INFINITY;
  for (size_t k = 0; k < curve->n_points; k++)
    most = MAX (most, curve->values[k]);
  return 1 - most / energy;
}

/* Returns: what the angles of all projections of the scan cover, also those
 * that are left out, if those of @rows cover @range_deg */
static double
continue_to_ends (const TlCentreRows *rows, const TlCentreData *data,
                  double range_deg)
{
  return range_deg * MAX (data->range_rad, rows->range_rad) / rows->range_rad;
}

/* Returns: whether the projections follow each other as their angles do. Others
 * have steps of several sizes, and no range could take the place of their
 * angles. */
static gboolean
are_in_order (const TlCentreData *data)
{
  const double *angles = data->angles_rad;
  size_t n_up = 0, n_down = 0;
  for (size_t p = 1; p < data->n_projections; p++)
    {
      n_up += angles[p] > angles[p - 1];
      n_down += angles[p] < angles[p - 1];
    }
  return MIN (n_up, n_down) <= data->n_projections / MAX_BACK;
}

gboolean
tl_centre_check_angles (const TlCentreData *data, double *end_deg, char **note,
                        GError **error)
{
  gboolean mirrored;
  *note = NULL;
  *end_deg = 0;
  if (!are_in_order (data))
    return TRUE;
  g_autoptr (TlCentreRows) rows =
      tl_centre_rows_new (data, TL_CENTRE_SMOOTH, error);
  if (rows == NULL)
    return FALSE;
  g_auto (TlCentreEstimate) estimate = { .method = TL_CENTRE_PHASE };
  g_autofree double complex *terms =
      g_new0 (double complex, rows->n_frequencies);
  const double missing = (G_PI - rows->range_rad) / rows->step_rad;
  if (missing <= -MAX_MISSING || !tl_centre_rows_is_half_turn (rows))
    return TRUE;
  const double energy = make_terms (rows, 0, rows->n_projections - 1, terms);
  if (!tl_centre_find_peak (terms, NULL, rows, data, &estimate, error))
    return FALSE;
  if (is_repeated (rows, differ_mirrored (&estimate, energy),
                   MAX (missing, 1) * rows->step_rad))
    {
      /* The last projection repeats the first also if some of the turn are left
       * out. Those left out of a longer range are beyond the turn. */
      const gboolean is_turn =
          data->range_rad < G_PI + MAX_MISSING * rows->step_rad;
      *end_deg = is_turn ? 360 : continue_to_ends (rows, data, 360);
      *note = g_strdup_printf (
          _ ("the angles contradict the projections: they end %.4g degrees "
             "from the first, but the last projection repeats the first, as "
             "after a full turn (try angles 0:%.6g)"),
          rows->range_rad * 180 / G_PI, *end_deg);
      return TRUE;
    }
  if (!estimate.is_found || missing <= MIN_MISSING || missing >= MAX_MISSING
      || data->n_cols < MIN_MIRRORED_COLS)
    return TRUE;
  if (!is_mirrored (rows, data, &estimate, &mirrored, error))
    return FALSE;
  if (!mirrored)
    return TRUE;
  *end_deg = continue_to_ends (rows, data, 180);
  *note = g_strdup_printf (
      _ ("the angles contradict the projections: they end %.4g degrees from "
         "the "
         "first, but the last projection is its mirror image, about column "
         "%.2f, as after half a turn (try angles 0:%.6g)"),
      rows->range_rad * 180 / G_PI, estimate.centre_col, *end_deg);
  return TRUE;
}
