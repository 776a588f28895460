#include "gpu/centre-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Estimates agree where they are less than so many standard deviations of their
 * difference apart. */
#define AGREE 3.0
/* None is taken to be better than this, whatever it says, columns. */
#define MIN_UNCERTAINTY 0.02
/* What a certain value is known to, and how far those that agree may lie from
 * it, columns. */
#define CERTAIN_COL 0.08
#define CERTAIN_SPREAD 0.5
/* One that is as uncertain as this contradicts nobody, and as this, confirms
 * nobody. */
#define VAGUE_COL 0.5
#define ROUGH_COL 0.2

const char *const tl_centre_method_names[TL_N_CENTRE_METHODS + 1] = {
  "phase", "vo", "symmetry", "overlap", "sharpness", NULL
};

const char *const tl_centre_method_texts[TL_N_CENTRE_METHODS] = {
  "correlation of opposite projections", "double wedge of the sinogram",
  "centres of mass", "overlap of a half acquisition", "sharpness of slices"
};

void
tl_centre_clear (TlCentreEstimate *estimate)
{
  g_clear_pointer (&estimate->reason, g_free);
  g_clear_pointer (&estimate->positions, g_free);
  g_clear_pointer (&estimate->values, g_free);
  estimate->n_points = 0;
}

gboolean
tl_centre_data_check (const TlCentreData *data, GError **error)
{
  const double last = (double)data->n_cols - 1;
  gboolean is_finite = TRUE;
  for (size_t p = 0; p < data->n_projections; p++)
    is_finite &= isfinite (data->angles_rad[p]);
  for (size_t k = 0; k < data->n_projections * data->n_cols; k++)
    is_finite &= isfinite (data->rows[k]);
  if (!is_finite)
    g_set_error (
        error, TL_ERROR, TL_ERROR_VALUE,
        _ ("the centre cannot be looked for: a value or an angle is not "
           "a number"));
  else if (data->n_cols < 16 || data->n_projections < 4)
    g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                 _ ("the centre cannot be looked for in %zu projections of %zu "
                    "columns; 4 of 16 are the least"),
                 data->n_projections, data->n_cols);
  else if (!(data->first_col >= 0 && data->first_col + 1 <= data->last_col
             && data->last_col <= last))
    g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                 _ ("the centre cannot be looked for between %g and %g: the "
                    "columns are 0 to %g, and a range has one or more"),
                 data->first_col, data->last_col, last);
  else
    return TRUE;
  return FALSE;
}

static int
compare_angles (gconstpointer a, gconstpointer b, gpointer angles_rad)
{
  const double x = ((const double *)angles_rad)[*(const size_t *)a];
  const double y = ((const double *)angles_rad)[*(const size_t *)b];
  return (x > y) - (x < y);
}

size_t *
tl_centre_order_angles (const TlCentreData *data)
{
  size_t *order = g_new (size_t, data->n_projections);
  for (size_t p = 0; p < data->n_projections; p++)
    order[p] = p;
  g_qsort_with_data (order, (gint)data->n_projections, sizeof *order,
                     compare_angles, (gpointer)data->angles_rad);
  return order;
}

void
tl_centre_consensus_clear (TlCentreConsensus *consensus)
{
  g_clear_pointer (&consensus->sentence, g_free);
}

static double
get_variance (const TlCentreEstimate *e)
{
  const double u = hypot (e->uncertainty_col, MIN_UNCERTAINTY);
  return u * u;
}

static gboolean
agree (const TlCentreEstimate *a, double centre_col, double variance)
{
  const double apart = fabs (a->centre_col - centre_col);
  return apart <= AGREE * sqrt (get_variance (a) + variance);
}

/* Overlap and phase look at the same pairs of projections. */
static guint
get_witness (TlCentreMethod method)
{
  return method == TL_CENTRE_OVERLAP ? TL_CENTRE_PHASE : method;
}

/* Those that agree with @middle, and their mean. Returns: how much they
 * weigh, the number of witnesses first. */
static double
gather (const TlCentreEstimate *estimates, size_t n, size_t middle,
        TlCentreConsensus *c)
{
  const TlCentreEstimate *m = &estimates[middle];
  double weight = 0, mean = 0;
  guint witnesses = 0;
  c->n_agreeing = 0;
  for (size_t k = 0; k < n; k++)
    {
      const TlCentreEstimate *e = &estimates[k];
      const gboolean agrees =
          e->is_found
          && (k == middle || agree (e, m->centre_col, get_variance (m)));
      c->agrees[e->method] = agrees;
      if (!agrees)
        continue;
      weight += 1 / get_variance (e);
      mean += e->centre_col / get_variance (e);
      c->n_agreeing++;
      witnesses |= 1u << get_witness (e->method);
    }
  double square = 0;
  c->centre_col = mean / weight;
  for (size_t k = 0; k < n; k++)
    if (c->agrees[estimates[k].method])
      {
        const double away = estimates[k].centre_col - c->centre_col;
        square += away * away / get_variance (&estimates[k]);
      }
  const double excess =
      c->n_agreeing > 1 ? MAX (1, square / (c->n_agreeing - 1)) : 1;
  c->uncertainty_col = sqrt (excess / weight);
  guint n_witnesses = 0;
  for (; witnesses != 0; witnesses &= witnesses - 1)
    n_witnesses++;
  return n_witnesses + 1 / (1 + c->uncertainty_col);
}

/* Returns: how many of those that do not agree say so clearly */
static guint
count_against (const TlCentreEstimate *estimates, size_t n,
               const TlCentreConsensus *c)
{
  guint n_against = 0;
  for (size_t k = 0; k < n; k++)
    n_against += estimates[k].is_found && !c->agrees[estimates[k].method]
                 && estimates[k].uncertainty_col < VAGUE_COL;
  return n_against;
}

/* Whether two of those that agree rest on different things; rough ones confirm
 * nothing. */
static gboolean
has_two_witnesses (const TlCentreEstimate *estimates, size_t n,
                   const TlCentreConsensus *c)
{
  guint witnesses = 0;
  for (size_t k = 0; k < n; k++)
    if (c->agrees[estimates[k].method]
        && estimates[k].uncertainty_col < ROUGH_COL)
      witnesses |= 1u << get_witness (estimates[k].method);
  return (witnesses & (witnesses - 1)) != 0;
}

/* Of those that agree and are not rough. */
static double
get_farthest (const TlCentreEstimate *estimates, size_t n,
              const TlCentreConsensus *c)
{
  double farthest = 0;
  for (size_t k = 0; k < n; k++)
    if (c->agrees[estimates[k].method]
        && estimates[k].uncertainty_col < ROUGH_COL)
      farthest = MAX (farthest, fabs (estimates[k].centre_col - c->centre_col));
  return farthest;
}

static void
judge (const TlCentreEstimate *estimates, size_t n, TlCentreConsensus *c)
{
  const guint n_against = count_against (estimates, n, c);
  const char *because = NULL;
  c->verdict = TL_CENTRE_LOOK;
  if (n_against > 0)
    c->sentence = g_strdup_printf (
        "%u of %u estimates agree; the %u found lie %.2f columns apart: please "
        "look",
        c->n_agreeing, c->n_found, c->n_found, c->spread_col);
  else if (!has_two_witnesses (estimates, n, c))
    because = "nothing that is as sharp confirms it";
  else if (!(c->uncertainty_col <= CERTAIN_COL))
    because = "it is known too roughly";
  else if (!(get_farthest (estimates, n, c) <= CERTAIN_SPREAD))
    because = "they lie far apart";
  else
    {
      c->verdict = TL_CENTRE_CERTAIN;
      c->sentence = g_strdup_printf (
          "%u of %u estimates agree, %.2f columns apart at most", c->n_agreeing,
          c->n_found, c->spread_col);
    }
  if (because != NULL)
    c->sentence =
        g_strdup_printf ("%u of %u estimates agree, but %s: please look",
                         c->n_agreeing, c->n_found, because);
}

void
tl_centre_agree (const TlCentreEstimate *estimates, size_t n,
                 TlCentreConsensus *consensus)
{
  double low = INFINITY, high = -INFINITY, most = -INFINITY;
  size_t best = 0;
  *consensus = (TlCentreConsensus){ .verdict = TL_CENTRE_CANNOT_TELL,
                                    .centre_col = NAN,
                                    .uncertainty_col = NAN };
  for (size_t k = 0; k < n; k++)
    if (estimates[k].is_found)
      {
        const double weight = gather (estimates, n, k, consensus);
        if (weight > most)
          best = k;
        most = MAX (most, weight);
        low = MIN (low, estimates[k].centre_col);
        high = MAX (high, estimates[k].centre_col);
        consensus->n_found++;
      }
  if (consensus->n_found == 0)
    {
      consensus->sentence =
          g_strdup ("no estimate found an axis: the data do not say");
      return;
    }
  gather (estimates, n, best, consensus);
  consensus->spread_col = high - low;
  judge (estimates, n, consensus);
}
