/* With rows q_p, p < P, equally spaced over half a turn, and their spectra
 * q_p(f), the sinogram of the full turn is q_0 … q_P-1 and, mirrored about c,
 * the same again. Its transform along the angle is
 *
 *   S_n(f) = A_n(f) + exp (-2 pi i f 2c) (-1)^n conj (A_-n(f)),
 *   A_n(f) = sum over p of q_p(f) exp (-pi i n p / P)
 *
 * and so what lies outside of the wedge, in the places (n, f) and with weights
 * w_n, is
 *
 *   constant + sum over f of 2 Re (exp (2 pi i f 2c) sum over n of
 *              w_n (-1)^n A_n(f) A_-n(f))
 *
 * A pattern g(k) of the detector, the same in all q_p, adds to S_n its
 * g(f) + exp (…) conj (g(f)) for n = 0, nothing for other even n, and for odd n
 * something that goes with u_n = sum over p of exp (-pi i n p / P) and so is
 * known but for a factor: for each f that direction is taken out of the odd
 * orders.
 */
#include "gpu/host/centre-private.h"

#include "gpu/host/plan-private.h"

#include <math.h>
#include <string.h>

/* Orders that leak out of the wedge, for objects and rows have ends. */
#define MARGIN 3.0
/* Above this, in cycles per column, edges between columns fold back. */
#define MAX_FREQUENCY 0.4
/* Steps that half a turn may be longer than the scan. */
#define MAX_STEPS_BEYOND 1.5
/* How uneven steps may be, of a step. */
#define MAX_UNEVEN 0.25
/* How often weights and centre are found by turns. */
#define N_PASSES 3
/* Orders and frequencies, to either side, that the rest is averaged over. */
#define ORDER_REACH 6
#define FREQUENCY_REACH 3
#define MIN_REST 1e-3

typedef struct
{
  const TlCentreRows *rows;
  size_t n;                 /* rows in half a turn */
  size_t n_frequencies;     /* that are looked at */
  size_t order_stride;      /* 2 n or a little more */
  fftwf_complex *half_turn; /* [n][stride] */
  fftwf_complex *orders;    /* [n_frequencies][order_stride]: A */
  float *rest;              /* [n_frequencies][n]: of orders n and -n */
  TlHostBuffer buffers[3];  /* these */
  fftwf_plan plan;
  double complex *pattern; /* [2 n]: u_n */
} Work;

static size_t
get_first_order (const Work *work, size_t k)
{
  const double frequency = (double)k / (double)work->rows->length;
  const double radius = (double)work->rows->n_cols / 2;
  return MIN ((size_t)ceil (2 * G_PI * radius * frequency + MARGIN), work->n);
}

/* Power of S outside of the wedge, order n and -n together, with the centre as
 * far as it is known; at first (NaN) of A alone. */
static void
measure_rest (Work *work, double centre)
{
  const size_t n = work->n, n_turn = 2 * n;
  const double unit = 4 * G_PI / (double)work->rows->length;
  for (size_t k = 1; k < work->n_frequencies; k++)
    {
      const fftwf_complex *a = work->orders + k * work->order_stride;
      const double complex e =
          isnan (centre) ? 0 : cexp (-I * unit * (double)k * centre);
      for (size_t order = get_first_order (work, k); order < n; order++)
        {
          const double complex here = a[order], there = a[n_turn - order];
          const double sign = order % 2 == 0 ? 1 : -1;
          const double complex s = here + sign * e * conj (there);
          const double complex mirrored = there + sign * e * conj (here);
          work->rest[k * n + order] =
              (float)(creal (s * conj (s)) + creal (mirrored * conj (mirrored))
                      + MIN_REST
                            * creal (here * conj (here)
                                     + there * conj (there)));
        }
    }
}

/* The mean of the rest around each order of one frequency, outside of the
 * wedge. @sums: room for [n + 1]; @means: (out): [n] */
static void
average_rest (const Work *work, size_t k, double *sums, double *means)
{
  const size_t n = work->n, first = get_first_order (work, k);
  const size_t from = k > FREQUENCY_REACH ? k - FREQUENCY_REACH : 1;
  const size_t to = MIN (k + FREQUENCY_REACH + 1, work->n_frequencies);
  /* running sums along the orders */
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

/* Returns: the term of one frequency; @means: as of average_rest() */
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
      /* A_n and B_n = -conj (A_-n), and the same of -n */
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
  /* S = A + e B: 2 Re (conj (e) sum of w A conj (B)), less its part along u */
  double complex sum = even - odd;
  if (norm > 0)
    sum -= along * conj (along_mirrored) / norm;
  return -sum;
}

static void
make_terms (Work *work, double complex *terms)
{
  g_autofree double *sums = g_new (double, work->n + 1);
  g_autofree double *means = g_new (double, work->n);
  for (size_t k = 1; k < work->n_frequencies; k++)
    {
      average_rest (work, k, sums, means);
      terms[k] += get_term (work, k, means);
    }
}

/* Transforms half a turn that begins at @first_rad. */
static void
transform_half_turn (Work *work, double first_rad)
{
  const size_t n = work->n, stride = work->rows->stride;
  const double step = G_PI / (double)n;
  for (size_t p = 0; p < n; p++)
    tl_centre_rows_interpolate (work->rows, first_rad + (double)p * step,
                                work->half_turn + p * stride);
  for (size_t k = 1; k < work->n_frequencies; k++)
    {
      fftwf_complex *line = work->orders + k * work->order_stride;
      for (size_t p = 0; p < n; p++)
        line[p] = work->half_turn[p * stride + k];
      memset (line + n, 0, n * sizeof *line);
      fftwf_execute_dft (work->plan, line, line);
    }
}

static void
make_pattern (Work *work)
{
  for (size_t order = 0; order < 2 * work->n; order++)
    {
      const double complex turn =
          cexp (-I * G_PI * (double)order / (double)work->n);
      work->pattern[order] = order % 2 == 1 ? 2 / (1 - turn)
                             : order == 0   ? (double)work->n
                                            : 0;
    }
}

static gboolean
is_even (const TlCentreRows *rows)
{
  for (size_t p = 1; p < rows->n_projections; p++)
    if (fabs (rows->angles_rad[p] - rows->angles_rad[p - 1] - rows->step_rad)
        > MAX_UNEVEN * rows->step_rad)
      return FALSE;
  return TRUE;
}

/* The terms of all half turns; @centre: as of measure_rest() */
static void
make_all_terms (Work *work, double centre, double complex *terms)
{
  const TlCentreRows *rows = work->rows;
  const gboolean is_full = tl_centre_rows_is_full_turn (rows);
  /* the second one ends where the scan does */
  const double starts_rad[] = { 0, MIN (G_PI, rows->range_rad + rows->step_rad
                                                  - G_PI) };
  memset (terms, 0, rows->n_frequencies * sizeof *terms);
  for (guint half = 0; half < (is_full ? 2 : 1); half++)
    {
      if (is_full || isnan (centre))
        transform_half_turn (work, starts_rad[half]);
      measure_rest (work, centre);
      make_terms (work, terms);
    }
}

static gboolean
work_init (Work *work, const TlCentreRows *rows, GError **error)
{
  *work = (Work){
    .rows = rows,
    .n = (size_t)lround (G_PI / rows->step_rad),
    .n_frequencies = (size_t)(MAX_FREQUENCY * (double)rows->length),
  };
  work->order_stride = tl_host_round_up (2 * work->n, 8);
  if (!tl_host_buffer_resize (&work->buffers[0], work->n, rows->stride, 1,
                              sizeof (fftwf_complex),
                              "the spectra of half a turn", error)
      || !tl_host_buffer_resize (&work->buffers[1], work->n_frequencies,
                                 work->order_stride, 1, sizeof (fftwf_complex),
                                 "the orders of a sinogram", error)
      || !tl_host_buffer_resize (&work->buffers[2], work->n_frequencies,
                                 work->n, 1, sizeof (float),
                                 "the rest of a sinogram", error))
    return FALSE;
  work->half_turn = work->buffers[0].data;
  work->orders = work->buffers[1].data;
  work->rest = work->buffers[2].data;
  work->plan = tl_host_plan_complex (2 * work->n, work->orders);
  work->pattern = g_new (double complex, 2 * work->n);
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
  g_clear_pointer (&work->pattern, g_free);
}

static void
run (Work *work, const TlCentreData *data, TlCentreEstimate *estimate)
{
  const TlCentreRows *rows = work->rows;
  g_autofree double complex *terms =
      g_new0 (double complex, rows->n_frequencies);
  make_all_terms (work, NAN, terms);
  if (!tl_centre_find_peak (terms, NULL, rows, data, estimate))
    return;
  for (guint pass = 0; pass < N_PASSES; pass++)
    {
      make_all_terms (work, estimate->centre_col, terms);
      tl_centre_refine (terms, rows, estimate);
    }
  estimate->reason = g_strdup_printf ("energy outside of the double wedge of "
                                      "%zu projections in half a turn",
                                      work->n);
}

gboolean
tl_centre_by_wedge (const TlCentreData *data, TlCentreEstimate *estimate,
                    GError **error)
{
  *estimate = (TlCentreEstimate){ .method = TL_CENTRE_VO };
  g_autoptr (TlCentreRows) rows =
      tl_centre_rows_new (data, TL_CENTRE_ALONE, error);
  if (rows == NULL)
    return FALSE;
  if (rows->range_rad < G_PI - MAX_STEPS_BEYOND * rows->step_rad)
    tl_centre_cannot_tell (estimate,
                           "the scan covers %.4g degrees, less than half a "
                           "turn",
                           rows->range_rad * 180 / G_PI);
  else if (!is_even (rows))
    tl_centre_cannot_tell (estimate, "the angles are not equally spaced");
  else
    {
      Work work;
      const gboolean good = work_init (&work, rows, error);
      if (good)
        run (&work, data, estimate);
      work_clear (&work);
      return good;
    }
  return TRUE;
}
