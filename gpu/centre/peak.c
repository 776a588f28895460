/* The largest value of a Fourier series in the position of the axis. */
#include "gpu/centre/peak-private.h"
#include "gpu/centre/centre-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>

/* The number of points of the curve per column. */
#define POINTS 8
/* The smallest and the largest number of frequencies in a group. Neighbouring
 * frequencies are not independent, because rows are padded to twice their
 * length and objects fill only a part of them. If wide groups disagree more
 * than narrow groups, the disagreement is not noise. */
#define MIN_GROUP 4
#define MAX_GROUP 32
/* The largest value is a peak if it lies MIN_DEVIATIONS standard deviations of
 * the curve above the median. A second local maximum of MAX_SECOND times its
 * height makes it ambiguous. Among 10^4 values of noise, the largest lies 4
 * deviations above the median. */
#define MIN_DEVIATIONS 5.5
#define MAX_SECOND 0.85
/* The factor on the uncertainty by the sandwich formula, because it has few
 * groups. */
#define CAUTION 1.3
#define MIN_UNCERTAINTY 0.01
/* The climb to a maximum makes at most MAX_STEPS steps of at most MAX_STEP
 * columns, and ends after a step below LAST_STEP. */
#define MAX_STEP 0.1
#define MAX_STEPS 20
#define LAST_STEP 1e-3

double
tl_centre_evaluate (const double complex *terms, const TlCentreRows *rows,
                    double centre, double *slope, double *bend)
{
  const double unit = 4 * G_PI / (double)rows->length;
  double value = 0;
  *slope = *bend = 0;
  for (size_t k = 0; k < rows->n_frequencies; k++)
    {
      const double turn = unit * (double)k;
      const double complex term = 2 * terms[k] * cexp (I * turn * centre);
      value += creal (term);
      *slope -= turn * cimag (term);
      *bend -= turn * turn * creal (term);
    }
  return value;
}

/* Returns: the variance of the centre by groups of @group frequencies. */
static double
get_variance (const double complex *terms, const TlCentreRows *rows,
              double centre, double bend, size_t group)
{
  const double unit = 4 * G_PI / (double)rows->length;
  double sum = 0;
  for (size_t first = 0; first < rows->n_frequencies; first += group)
    {
      double slope = 0;
      for (size_t k = first; k < MIN (first + group, rows->n_frequencies); k++)
        slope -= unit * (double)k
                 * cimag (2 * terms[k] * cexp (I * unit * (double)k * centre));
      sum += slope * slope;
    }
  return sum / (bend * bend);
}

static void
refuse_end (TlCentreEstimate *estimate)
{
  tl_centre_cannot_tell (estimate,
                         _ ("the best place is at the end of the range"));
}

void
tl_centre_refine (const double complex *terms, const TlCentreRows *rows,
                  const TlCentreData *data, TlCentreEstimate *estimate)
{
  double centre = estimate->centre_col, slope, bend, variance = 0, by = 0;
  for (guint step = 0; step < MAX_STEPS; step++)
    {
      tl_centre_evaluate (terms, rows, centre, &slope, &bend);
      by = bend < 0 ? CLAMP (-slope / bend, -MAX_STEP, MAX_STEP)
                    : copysign (MAX_STEP, slope);
      centre += by;
    }
  if (!(centre >= data->first_col && centre <= data->last_col))
    {
      refuse_end (estimate);
      return;
    }
  if (!(bend < 0 && fabs (by) < LAST_STEP))
    {
      tl_centre_cannot_tell (estimate,
                             _ ("there is no peak beside the best place"));
      return;
    }
  estimate->centre_col = centre;
  for (size_t group = MIN_GROUP; group <= MAX_GROUP; group *= 2)
    variance = MAX (variance, get_variance (terms, rows, centre, bend, group));
  estimate->uncertainty_col = CAUTION * sqrt (variance) + MIN_UNCERTAINTY;
}

/* Returns: the distance of @value above the median of the curve, in standard
 * deviations of a normal distribution */
static double
get_deviations (const TlCentreEstimate *e, double value)
{
  const size_t n = e->n_points;
  g_autofree double *sorted = g_memdup2 (e->values, n * sizeof *sorted);
  tl_sort_doubles (sorted, n);
  const double median = sorted[n / 2];
  for (size_t k = 0; k < n; k++)
    sorted[k] = fabs (e->values[k] - median);
  tl_sort_doubles (sorted, n);
  return (value - median) / (1.4826 * sorted[n / 2]);
}

/* Returns: the height of the second highest local maximum, as a fraction of the
 * highest */
static double
get_second (const TlCentreEstimate *e, size_t best)
{
  double second = 0;
  for (size_t k = 1; k + 1 < e->n_points; k++)
    if (k != best && e->values[k] >= e->values[k - 1]
        && e->values[k] > e->values[k + 1])
      second = MAX (second, e->values[k]);
  return second / e->values[best];
}

/* Evaluates the series at @length points. @spectrum: scratch, [@length / 2 +
 * 1]; @curve: (out): [@length] */
static gboolean
transform (const double complex *terms, const TlCentreRows *rows, size_t length,
           fftwf_complex *spectrum, float *curve, GError **error)
{
  fftwf_plan plan = tl_host_plan_to_real (length, spectrum, curve, error);
  if (plan == NULL)
    return FALSE;
  for (size_t k = 0; k <= length / 2; k++)
    spectrum[k] = k < rows->n_frequencies ? (fftwf_complex)terms[k] : 0;
  fftwf_execute (plan);
  tl_host_plan_destroy (plan);
  return TRUE;
}

static void
keep_curve (const float *curve, const TlCentreData *data, TlCentreEstimate *e)
{
  const size_t first = (size_t)ceil (data->first_col * POINTS);
  const size_t last = (size_t)floor (data->last_col * POINTS);
  e->n_points = last - first + 1;
  e->positions = g_new (double, e->n_points);
  e->values = g_new (double, e->n_points);
  for (size_t k = 0; k < e->n_points; k++)
    {
      e->positions[k] = (double)(first + k) / POINTS;
      e->values[k] = (double)curve[first + k];
    }
}

static gboolean
fill_curve (const double complex *terms, const TlCentreRows *rows,
            const TlCentreData *data, TlCentreEstimate *e, GError **error)
{
  /* The transform gives the series at 2 c, in steps of 2 / POINTS columns. */
  const size_t length = rows->length * POINTS / 2;
  const char *what = _ ("the curve of an estimate");
  g_auto (TlHostBuffer) spectrum = { 0 }, curve = { 0 };
  if (!tl_host_buffer_resize (&spectrum, length / 2 + 1, 1, 1,
                              sizeof (fftwf_complex), what, error)
      || !tl_host_buffer_resize (&curve, length, 1, 1, sizeof (float), what,
                                 error)
      || !transform (terms, rows, length, spectrum.data, curve.data, error))
    return FALSE;
  keep_curve (curve.data, data, e);
  return TRUE;
}

gboolean
tl_centre_find_peak (const double complex *terms, const double *spread,
                     const TlCentreRows *rows, const TlCentreData *data,
                     TlCentreEstimate *estimate, GError **error)
{
  size_t best = 0;
  if (!fill_curve (terms, rows, data, estimate, error))
    return FALSE;
  for (size_t k = 0; spread != NULL && k < estimate->n_points; k++)
    {
      const double x = 2 * estimate->positions[k];
      const size_t low = MIN ((size_t)x, 2 * rows->n_cols - 3);
      const double part = x - (double)low;
      estimate->values[k] /= (1 - part) * spread[low] + part * spread[low + 1];
    }
  for (size_t k = 1; k < estimate->n_points; k++)
    if (estimate->values[k] > estimate->values[best])
      best = k;
  const double deviations = get_deviations (estimate, estimate->values[best]);
  const double second = get_second (estimate, best);
  g_debug ("%s: at %.3f, %.1f deviations, second %.2f",
           tl_centre_method_names[estimate->method], estimate->positions[best],
           deviations, second);
  if (!(deviations > MIN_DEVIATIONS))
    tl_centre_cannot_tell (estimate, _ ("nothing stands out from the noise"));
  else if (best == 0 || best == estimate->n_points - 1)
    refuse_end (estimate);
  else if (second > MAX_SECOND)
    tl_centre_cannot_tell (estimate,
                           _ ("two places fit about as well as each other"));
  else
    {
      estimate->is_found = TRUE;
      estimate->centre_col = estimate->positions[best];
    }
  return TRUE;
}
