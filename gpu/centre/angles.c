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

/* The last projection counts as the end of a full turn under two conditions.
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

/* After a full turn, the steps from the last projection to the first are
 * measured up to MAX_SHORT, with sums of RUN projections, which
 * have less noise than single ones. Known gaps are measured at N_PLACES at
 * either end. In scans of few projections, both numbers are at most a fraction
 * 1 / SHORT_PART of them. */
#define RUN 2
#define MAX_SHORT 8
#define N_PLACES 8
#define SHORT_PART 8
/* The steps count as a whole number if they are closer to it than this, and
 * their standard deviation is below MAX_SPREAD. Without noise, or with 5000
 * counts, phantoms of 400 columns are off by up to 0.29. */
#define MAX_OFF_WHOLE 0.3
#define MAX_SPREAD 0.3
/* Angles are evenly spaced if no step differs by more than this part of the
 * median step. */
#define MAX_UNEVEN 0.25
/* Only frequencies are compared at which the edge of a row moves by at most
 * this part of a period in a step. */
#define MAX_MOVED 0.25

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

/* Returns: whether the last projection repeats the first, or nearly so. An
 * object that is its own mirror image or looks the same from all sides does not
 * decide the question: the result is %FALSE. @mirrored: the smallest difference
 * between the first and the mirror image of the last. @lag_rad: the angle from
 * the last to the first, after that turn */
static gboolean
is_full_turn (const TlCentreRows *rows, double mirrored, double lag_rad)
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

/* Four runs of RUN projections each, given by their first. [0] and [1] are
 * next to each other, then comes a gap, then [2] and [3]. */
typedef struct
{
  size_t first[4];
} Runs;

/* Returns: the part of the change from [0] to [3] that comes between [1] and
 * [2], by the sums of their spectra up to frequency @n_frequencies. It grows
 * with the gap. The noise of projections adds the same energy to all changes,
 * so that it is compared only to others of the same scan. */
static double
measure_gap (const TlCentreRows *rows, Runs runs, size_t n_frequencies)
{
  double product = 0, energy = 0;
  for (size_t k = 0; k < n_frequencies; k++)
    {
      double complex sums[4] = { 0 };
      for (size_t i = 0; i < 4; i++)
        for (size_t p = runs.first[i]; p < runs.first[i] + RUN; p++)
          sums[i] += rows->spectra[p * rows->stride + k];
      const double complex whole = sums[3] - sums[0];
      product += creal ((sums[2] - sums[1]) * conj (whole));
      energy += creal (whole * conj (whole));
    }
  return energy > 0 ? product / energy : 0;
}

/* Measures a gap of @steps from the last projection of [1] to the first of [2],
 * 0 if they are the same, at @n_places near both ends of the scan.
 * @spread: (out): the standard deviation
 *
 * Returns: the mean of measure_gap() */
static double
measure_known_gap (const TlCentreRows *rows, size_t steps, size_t n_places,
                   size_t n_frequencies, double *spread)
{
  const size_t after = 2 * RUN - 1 + steps;
  const double n = 2 * (double)n_places;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < 2 * n_places; i++)
    {
      const size_t from_end = after + 2 * RUN + i / 2;
      const size_t p = i % 2 == 0 ? i / 2 : rows->n_projections - from_end;
      const Runs runs = { { p, p + RUN, p + after, p + after + RUN } };
      const double gap = measure_gap (rows, runs, n_frequencies);
      sum += gap;
      squares += gap * gap;
    }
  *spread = sqrt (MAX (squares / n - sum / n * (sum / n), 0));
  return sum / n;
}

/* Returns: whether the first and the last @n angles are evenly spaced */
static gboolean
are_ends_even (const TlCentreRows *rows, size_t n)
{
  const double *first = rows->angles_rad;
  const double *last = first + rows->n_projections - n;
  const double step = rows->step_rad;
  for (size_t p = 1; p < n; p++)
    if (fabs (first[p] - first[p - 1] - step) > MAX_UNEVEN * step
        || fabs (last[p] - last[p - 1] - step) > MAX_UNEVEN * step)
      return FALSE;
  return TRUE;
}

/* Measures how many steps are left from the last projection to the first, after
 * a full turn: the change between them is compared to that across known gaps.
 * @n_short: (out): the steps, 0 if the last projection repeats the first
 *
 * Returns: %FALSE if it cannot be told */
static gboolean
count_short (const TlCentreRows *rows, size_t *n_short)
{
  const size_t n = rows->n_projections, part = n / SHORT_PART;
  const size_t n_places = MIN (part, N_PLACES), most = MIN (part, MAX_SHORT);
  const size_t reach = 4 * RUN + most + n_places;
  /* A full turn has twice the steps of the half turn that the angles say. */
  const double moved = rows->step_rad * (double)rows->n_cols;
  const size_t n_frequencies =
      (size_t)(MIN (MAX_FREQUENCY, MAX_MOVED / moved) * (double)rows->length);
  const Runs ends = { { n - 2 * RUN, n - RUN, 0, RUN } };
  double spread;
  if (n_places == 0 || reach > n || !are_ends_even (rows, reach))
    return FALSE;
  const double gap = measure_gap (rows, ends, n_frequencies);
  double less = measure_known_gap (rows, 0, n_places, n_frequencies, &spread);
  for (size_t k = 1; k <= most; k++)
    {
      const double more =
          measure_known_gap (rows, k, n_places, n_frequencies, &spread);
      if (more <= less)
        return FALSE;
      if (gap < more)
        {
          const double steps = (double)k - (more - gap) / (more - less);
          spread /= more - less;
          *n_short = (size_t)MAX (rint (steps), 0);
          g_debug ("the last is %.3f +- %.3f steps of a full turn before the "
                   "first",
                   steps, spread);
          return spread < MAX_SPREAD
                 && fabs (steps - (double)*n_short) < MAX_OFF_WHOLE;
        }
      less = more;
    }
  return FALSE;
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

/* Returns: (transfer full): the note on a scan over a full turn whose end
 * cannot be told, with both possible ends */
static char *
describe_unknown_end (const TlCentreRows *rows, const TlCentreData *data)
{
  /* If some of the turn are left out, the whole scan ends with the turn.
   * Otherwise those left out are beyond it. */
  const gboolean is_turn =
      data->range_rad < G_PI + MAX_MISSING * rows->step_rad;
  const double end_deg = is_turn ? 360 : continue_to_ends (rows, data, 360);
  const double steps_rad =
      is_turn ? MAX (data->range_rad, rows->range_rad) : rows->range_rad;
  return g_strdup_printf (
      _ ("the angles contradict the projections: they end %.4g degrees "
         "from the first, but the last projection is like the first, as after "
         "a full turn; whether it repeats it cannot be told (try angles "
         "0:%.6g if it does, 0:%.6g if it is a step before)"),
      rows->range_rad * 180 / G_PI, end_deg,
      end_deg * steps_rad / (steps_rad + rows->step_rad));
}

/* Returns: (transfer full): the note on a scan over a full turn. @end_deg:
 * (out): as of tl_centre_check_angles() */
static char *
describe_turn (const TlCentreRows *rows, const TlCentreData *data,
               double *end_deg)
{
  const double range_deg = rows->range_rad * 180 / G_PI;
  size_t n_short;
  if (!count_short (rows, &n_short))
    return describe_unknown_end (rows, data);
  const double turn_rad = rows->range_rad + (double)n_short * rows->step_rad;
  *end_deg = continue_to_ends (rows, data, 360 * rows->range_rad / turn_rad);
  if (n_short == 0)
    return g_strdup_printf (
        _ ("the angles contradict the projections: they end %.4g degrees "
           "from the first, but the last projection repeats the first, as "
           "after a full turn (try angles 0:%.6g)"),
        range_deg, *end_deg);
  return g_strdup_printf (
      g_dngettext (NULL,
                   "the angles contradict the projections: they end %.4g "
                   "degrees from the first, but the last projection is %lu "
                   "step short of a full turn (try angles 0:%.6g)",
                   "the angles contradict the projections: they end %.4g "
                   "degrees from the first, but the last projection is %lu "
                   "steps short of a full turn (try angles 0:%.6g)",
                   (gulong)n_short),
      range_deg, (gulong)n_short, *end_deg);
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
  if (is_full_turn (rows, differ_mirrored (&estimate, energy),
                    MAX (missing, 1) * rows->step_rad))
    {
      *note = describe_turn (rows, data, end_deg);
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
