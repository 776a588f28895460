/* With rows q_p, p < P, at equal steps over half a turn, interpolated between
 * the projections, and their spectra q_p(f), the sinogram of the full turn is
 * q_0 … q_P-1 and, mirrored about c, the same again. Its transform along the
 * angle is
 *
 *   S_n(f) = A_n(f) + exp (-2 pi i f 2c) (-1)^n conj (A_-n(f)),
 *   A_n(f) = sum over p of q_p(f) exp (-pi i n p / P)
 *
 * and so the energy outside the wedge, summed over (n, f) with weights w_n, is
 *
 *   constant + sum over f of 2 Re (exp (2 pi i f 2c) sum over n of
 *              w_n (-1)^n A_n(f) A_-n(f))
 *
 * A pattern g(k) of the detector is the same in all q_p. It adds g(f) + exp (…)
 * conj (g(f)) to S_0 and nothing to other even orders. To odd orders it adds a
 * multiple of u_n = sum over p of exp (-pi i n p / P), whose factor is unknown.
 * So for each f, the direction u is projected out of the odd orders.
 *
 * If the scan ends before half a turn, both of its ends are continued across
 * what is missing and fade out there, so that each and the mirror image of the
 * other add up. Such a sinogram has q_p before 0 and after P - 1 too, and the
 * equations hold with sums over all 2 P angles of the full turn. An object of
 * radius R moves by up to R times the missing angle, so that only frequencies
 * below the inverse of this are used.
 */
#include "gpu/centre/centre-private.h"
#include "gpu/centre/peak-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* The number of orders that leak out of the wedge, because objects and rows
 * have ends. */
#define MARGIN 3.0
/* Above this frequency, cycles per column, edges alias. */
#define MAX_FREQUENCY 0.4
/* How many times weights and centre are computed alternately. */
#define N_PASSES 3
/* The rest is averaged over this many orders and frequencies to either side. */
#define ORDER_REACH 6
#define FREQUENCY_REACH 3
#define MIN_REST 1e-3
/* The number of frequencies that one work item transposes: a cache line. */
#define N_TOGETHER 8

typedef struct
{
  const TlCentreRows *rows;
  size_t n;                 /* projections in half a turn */
  double missing_rad;       /* what half a turn lacks */
  size_t n_before;          /* projections before the first that fade out */
  size_t n_frequencies;     /* that are used, from 0 */
  size_t order_stride;      /* 2 n or a little more */
  fftwf_complex *half_turn; /* [n + n_before][stride] */
  fftwf_complex *orders;    /* [n_frequencies][order_stride]: A */
  float *rest;              /* [n_frequencies][n]: of orders n and -n */
  TlHostBuffer buffers[3];  /* memory of the three arrays above */
  fftwf_plan plan;
  double complex *pattern; /* [2 n]: u_n */
  double first_rad;        /* the first angle of the current half turn */
  double centre;           /* the best value so far; NaN: use A alone */
  double complex *terms;   /* [rows' n_frequencies] */
} Work;

static size_t
get_first_order (const Work *work, size_t k)
{
  const double frequency = (double)k / (double)work->rows->length;
  const double radius = (double)work->rows->n_cols / 2;
  return MIN ((size_t)ceil (2 * G_PI * radius * frequency + MARGIN), work->n);
}

/* Computes the power of S outside the wedge at frequency @k; orders n and -n
 * are added. */
static void
measure_rest (Work *work, size_t k)
{
  const size_t n = work->n, n_turn = 2 * n;
  const double unit = 4 * G_PI / (double)work->rows->length;
  const fftwf_complex *a = work->orders + k * work->order_stride;
  const double complex e =
      isnan (work->centre) ? 0 : cexp (-I * unit * (double)k * work->centre);
  for (size_t order = get_first_order (work, k); order < n; order++)
    {
      const double complex here = a[order], there = a[n_turn - order];
      const double sign = order % 2 == 0 ? 1 : -1;
      const double complex s = here + sign * e * conj (there);
      const double complex mirrored = there + sign * e * conj (here);
      work->rest[k * n + order] =
          (float)(creal (s * conj (s)) + creal (mirrored * conj (mirrored))
                  + MIN_REST
                        * creal (here * conj (here) + there * conj (there)));
    }
}

/* Averages the rest around each order of frequency @k outside the wedge. @sums:
 * scratch, [n + 1]; @means: (out): [n] */
static void
average_rest (const Work *work, size_t k, double *sums, double *means)
{
  const size_t n = work->n, first = get_first_order (work, k);
  const size_t from = k > FREQUENCY_REACH ? k - FREQUENCY_REACH : 1;
  const size_t to = MIN (k + FREQUENCY_REACH + 1, work->n_frequencies);
  /* sums[i] is the sum over the orders below i. */
  memset (sums, 0, (n + 1) * sizeof *sums);
  for (size_t order = first; order < n; order++)
    {
      double sum = 0;
      size_t count = 0;
      for (size_t other = from; other < to; other++)
        if (order >= get_first_order (work, other))
          {
            sum += (double)work->rest[other * n + order];
            count++;
          }
      sums[order + 1] = sums[order] + sum / (double)count;
    }
  for (size_t order = first; order < n; order++)
    {
      const size_t low = MAX (order, first + ORDER_REACH) - ORDER_REACH;
      const size_t high = MIN (order + ORDER_REACH + 1, n);
      means[order] = (sums[high] - sums[low]) / (double)(high - low);
    }
}

/* Returns: the term of frequency @k of the Fourier series; @means: from
 * average_rest() */
static double complex
get_term (const Work *work, size_t k, const double *means)
{
  const size_t n = work->n, n_turn = 2 * n;
  const fftwf_complex *a = work->orders + k * work->order_stride;
  double complex even = 0, odd = 0, along = 0, along_mirrored = 0;
  double norm = 0;
  for (size_t order = get_first_order (work, k); order < n; order++)
    {
      const double weight = 1 / means[order];
      const double complex here = a[order], there = a[n_turn - order];
      if (order % 2 == 0)
        {
          even += 2 * weight * here * there;
          continue;
        }
      /* For orders n and -n: project A_n and B_n = -conj (A_-n) onto u. */
      const double complex pattern = work->pattern[order];
      const double complex mirrored = work->pattern[n_turn - order];
      odd += 2 * weight * here * there;
      along += weight * (conj (pattern) * here + conj (mirrored) * there);
      along_mirrored -=
          weight
          * (conj (pattern) * conj (there) + conj (mirrored) * conj (here));
      norm += weight
              * creal (pattern * conj (pattern) + mirrored * conj (mirrored));
    }
  /* With S = A + e B, the term is 2 Re (conj (e) sum of w A conj (B)) without
   * the part along u. */
  double complex sum = even - odd;
  if (norm > 0)
    sum -= along * conj (along_mirrored) / norm;
  return -sum;
}

/* Measures frequency @item + 1. All frequencies must be measured before
 * average_rest(), which reads neighbouring frequencies. */
static void
measure_item (size_t item, guint worker, gpointer data)
{
  measure_rest (data, item + 1);
}

static void
make_term (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  g_autofree double *sums = g_new (double, work->n + 1);
  g_autofree double *means = g_new (double, work->n);
  average_rest (work, item + 1, sums, means);
  work->terms[item + 1] += get_term (work, item + 1, means);
}

/* Returns: where projection @p of the half turn stands among all angles of the
 * full turn, which begin with @p = 0; those before it come at the end */
static size_t
get_number (const Work *work, size_t p)
{
  return p < work->n ? p : 2 * work->n - work->n_before + p - work->n;
}

/* Returns: the angle of projection @p of the half turn, from its first one */
static double
get_angle (const Work *work, size_t p)
{
  const double step = G_PI / (double)work->n;
  const double angle = step * (double)get_number (work, p);
  return p < work->n ? angle : angle - 2 * G_PI;
}

/* Returns: the weight of projection @p of the half turn. With that of the same
 * angle's mirror image it adds up to 1. */
static double
get_weight (const Work *work, size_t p)
{
  const double angle = get_angle (work, p);
  const double beyond = MAX (-angle, angle - (G_PI - work->missing_rad));
  const double part = CLAMP (beyond / (work->missing_rad + 1e-12), 0, 1);
  return 1 - part * part * (3 - 2 * part);
}

static void
interpolate_item (size_t p, guint worker, gpointer data)
{
  const Work *work = data;
  fftwf_complex *spectrum = work->half_turn + p * work->rows->stride;
  const float weight = (float)get_weight (work, p);
  tl_centre_rows_interpolate (work->rows, work->first_rad + get_angle (work, p),
                              spectrum);
  for (size_t k = 0; weight < 1 && k < work->n_frequencies; k++)
    spectrum[k] *= weight;
}

/* Transforms N_TOGETHER frequencies, so that whole cache lines are read. */
static void
transform_item (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t n = work->n, stride = work->rows->stride;
  const size_t first = 1 + item * N_TOGETHER;
  const size_t end = MIN (first + N_TOGETHER, work->n_frequencies);
  for (size_t k = first; k < end; k++)
    memset (work->orders + k * work->order_stride + n, 0,
            n * sizeof *work->orders);
  for (size_t p = 0; p < n + work->n_before; p++)
    for (size_t k = first; k < end; k++)
      work->orders[k * work->order_stride + get_number (work, p)] =
          work->half_turn[p * stride + k];
  for (size_t k = first; k < end; k++)
    {
      fftwf_complex *line = work->orders + k * work->order_stride;
      fftwf_execute_dft (work->plan, line, line);
    }
}

/* Interpolates the projections of one half turn and transforms them along the
 * angle. */
static void
transform_half_turn (Work *work)
{
  TlHostPool *pool = work->rows->pool;
  tl_host_pool_run (pool, work->n + work->n_before, interpolate_item, work);
  tl_host_pool_run (pool, (work->n_frequencies + N_TOGETHER - 2) / N_TOGETHER,
                    transform_item, work);
}

/* Uses the line of frequency 0, which is not needed otherwise. */
static void
make_pattern (Work *work)
{
  memset (work->orders, 0, work->order_stride * sizeof *work->orders);
  for (size_t p = 0; p < work->n + work->n_before; p++)
    work->orders[get_number (work, p)] = (float)get_weight (work, p);
  fftwf_execute_dft (work->plan, work->orders, work->orders);
  for (size_t order = 0; order < 2 * work->n; order++)
    work->pattern[order] = work->orders[order];
}

/* Computes the sum of the terms of all half turns. Returns: %FALSE with
 * %G_IO_ERROR_CANCELLED */
static gboolean
make_all_terms (Work *work, double centre, GError **error)
{
  const TlCentreRows *rows = work->rows;
  const gboolean is_full = tl_centre_rows_is_full_turn (rows);
  /* The second half turn ends at the end of the scan. */
  const double starts_rad[] = { 0, MIN (G_PI, rows->range_rad + rows->step_rad
                                                  - G_PI) };
  work->centre = centre;
  memset (work->terms, 0, rows->n_frequencies * sizeof *work->terms);
  for (guint half = 0; half < (is_full ? 2 : 1); half++)
    {
      work->first_rad = starts_rad[half];
      if (g_cancellable_set_error_if_cancelled (rows->cancellable, error))
        return FALSE;
      if (is_full || isnan (centre))
        transform_half_turn (work);
      tl_host_pool_run (rows->pool, work->n_frequencies - 1, measure_item,
                        work);
      tl_host_pool_run (rows->pool, work->n_frequencies - 1, make_term, work);
    }
  return TRUE;
}

static void
set_limits (Work *work)
{
  const TlCentreRows *rows = work->rows;
  work->n_before = (size_t)(work->missing_rad / (G_PI / (double)work->n));
  work->n_frequencies = MIN ((size_t)(MAX_FREQUENCY * (double)rows->length),
                             tl_centre_rows_count_frequencies (rows));
  work->order_stride = tl_host_round_up (2 * work->n, 8);
}

static gboolean
work_init (Work *work, const TlCentreRows *rows, GError **error)
{
  *work = (Work){
    .rows = rows,
    .n = (size_t)lround (G_PI / rows->step_rad),
    .missing_rad = MAX (G_PI - rows->range_rad, 0),
  };
  set_limits (work);
  if (!tl_host_buffer_resize (&work->buffers[0], work->n + work->n_before,
                              rows->stride, 1, sizeof (fftwf_complex),
                              _ ("the spectra of half a turn"), error)
      || !tl_host_buffer_resize (&work->buffers[1], work->n_frequencies,
                                 work->order_stride, 1, sizeof (fftwf_complex),
                                 _ ("the orders of a sinogram"), error)
      || !tl_host_buffer_resize (&work->buffers[2], work->n_frequencies,
                                 work->n, 1, sizeof (float),
                                 _ ("the rest of a sinogram"), error))
    return FALSE;
  work->half_turn = work->buffers[0].data;
  work->orders = work->buffers[1].data;
  work->rest = work->buffers[2].data;
  work->plan = tl_host_plan_complex (2 * work->n, work->orders, error);
  if (work->plan == NULL)
    return FALSE;
  work->pattern = g_new (double complex, 2 * work->n);
  work->terms = g_new (double complex, rows->n_frequencies);
  make_pattern (work);
  return TRUE;
}

static void
work_clear (Work *work)
{
  for (guint k = 0; k < G_N_ELEMENTS (work->buffers); k++)
    tl_host_buffer_clear (&work->buffers[k]);
  if (work->plan != NULL)
    tl_host_plan_destroy (work->plan);
  g_free (work->pattern);
  g_free (work->terms);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

static gboolean
run (Work *work, const TlCentreData *data, TlCentreEstimate *estimate,
     GError **error)
{
  const TlCentreRows *rows = work->rows;
  if (!make_all_terms (work, NAN, error)
      || !tl_centre_find_peak (work->terms, NULL, rows, data, estimate, error))
    return FALSE;
  for (guint pass = 0; pass < N_PASSES && estimate->is_found; pass++)
    {
      if (!make_all_terms (work, estimate->centre_col, error))
        return FALSE;
      tl_centre_refine (work->terms, rows, data, estimate);
    }
  if (!estimate->is_found)
    return tl_centre_rows_blame_missing (rows, estimate);
  estimate->uncertainty_col *= tl_centre_rows_get_caution (rows);
  estimate->reason =
      g_strdup_printf (_ ("energy outside of the double wedge of "
                          "%zu projections in half a turn"),
                       work->n);
  return TRUE;
}

gboolean
tl_centre_by_wedge (const TlCentreData *data, TlCentreEstimate *estimate,
                    GError **error)
{
  g_autoptr (TlCentreRows) rows = tl_centre_rows_begin (
      data, TL_CENTRE_VO, TL_CENTRE_ALONE, estimate, error);
  if (rows == NULL)
    return FALSE;
  if (!tl_centre_rows_is_half_turn (rows))
    return tl_centre_rows_lack_angles (
        rows, _ ("the double wedge needs half a turn"), estimate);
  g_auto (Work) work = { 0 };
  return work_init (&work, rows, error) && run (&work, data, estimate, error);
}
