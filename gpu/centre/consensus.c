#include "gpu/centre/consensus.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Two estimates agree if their distance is at most this many standard
 * deviations of their difference. */
#define AGREE 3.0
/* Added in quadrature to every stated uncertainty, columns, because no estimate
 * is better than this. */
#define MIN_UNCERTAINTY 0.02
/* A value is certain if its uncertainty is at most CERTAIN_COL and if the
 * agreeing estimates lie within CERTAIN_SPREAD of it, columns. */
#define CERTAIN_COL 0.08
#define CERTAIN_SPREAD 0.5
/* An estimate whose uncertainty is VAGUE_COL or more does not count as a
 * contradiction. With ROUGH_COL or more it does not count as a confirmation.
 * Columns. */
#define VAGUE_COL 0.5
#define ROUGH_COL 0.2
/* If the uncertainty is larger than this, columns, the axis counts as not
 * found. */
#define MAX_UNCERTAINTY 2.0

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

/* Returns: the method that stands for the evidence of @e. Overlap and phase use
 * the same pairs of projections; so does symmetry if there is one pair only. */
static guint
get_witness (const TlCentreEstimate *e)
{
  return e->method == TL_CENTRE_OVERLAP || e->is_of_pair ? TL_CENTRE_PHASE
                                                         : e->method;
}

/* Returns: whether @a is the better of two estimates that use the same
 * evidence. Comparing pairs is better than using their sum; otherwise the
 * smaller uncertainty is better. */
static gboolean
is_better (const TlCentreEstimate *a, const TlCentreEstimate *b)
{
  return a->is_of_pair != b->is_of_pair ? b->is_of_pair
                                        : get_variance (a) < get_variance (b);
}

/* Returns: whether estimate @k counts in the mean: no better agreeing estimate
 * uses the same evidence. */
static gboolean
is_witness (const TlCentreEstimate *estimates, size_t n, size_t k,
            const TlCentreConsensus *c)
{
  for (size_t other = 0; other < n; other++)
    {
      const TlCentreEstimate *e = &estimates[other];
      if (c->agrees[e->method] && get_witness (e) == get_witness (&estimates[k])
          && (is_better (e, &estimates[k])
              || (other < k && !is_better (&estimates[k], e))))
        return FALSE;
    }
  return TRUE;
}

/* Sets in @c which estimates agree with estimate @middle, and the weighted mean
 * of the witnesses, the independent ones among them. Returns: the rank of the
 * group: the number of witnesses, and for equal numbers the smaller uncertainty
 * of the mean. */
static double
gather (const TlCentreEstimate *estimates, size_t n, size_t middle,
        TlCentreConsensus *c)
{
  const TlCentreEstimate *m = &estimates[middle];
  double weight = 0, mean = 0, square = 0;
  guint n_witnesses = 0;
  c->n_agreeing = 0;
  for (size_t k = 0; k < n; k++)
    {
      const TlCentreEstimate *e = &estimates[k];
      const gboolean agrees =
          e->is_found
          && (k == middle || agree (e, m->centre_col, get_variance (m)));
      c->agrees[e->method] = agrees;
      c->n_agreeing += agrees;
    }
  for (guint pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < n; k++)
      {
        const TlCentreEstimate *e = &estimates[k];
        const double variance = get_variance (e);
        if (!c->agrees[e->method] || !is_witness (estimates, n, k, c))
          continue;
        if (pass == 0)
          {
            weight += 1 / variance;
            mean += e->centre_col / variance;
            n_witnesses++;
          }
        else
          square += (e->centre_col - mean / weight)
                    * (e->centre_col - mean / weight) / variance;
      }
  const double excess =
      n_witnesses > 1 ? MAX (1, square / (n_witnesses - 1)) : 1;
  c->centre_col = mean / weight;
  c->uncertainty_col = sqrt (excess / weight);
  return n_witnesses + 1 / (1 + c->uncertainty_col);
}

/* Returns: the number of estimates that contradict the group and are not vague
 */
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

/* Returns: whether at least two agreeing estimates that are not rough use
 * different evidence. */
static gboolean
has_two_witnesses (const TlCentreEstimate *estimates, size_t n,
                   const TlCentreConsensus *c)
{
  guint witnesses = 0;
  for (size_t k = 0; k < n; k++)
    if (c->agrees[estimates[k].method]
        && estimates[k].uncertainty_col < ROUGH_COL)
      witnesses |= 1u << get_witness (&estimates[k]);
  return (witnesses & (witnesses - 1)) != 0;
}

/* Returns: the largest distance from the mean among agreeing estimates that are
 * not rough, columns. */
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

/* Returns: the distance from the lowest to the highest found estimate, columns;
 * with @agreeing, only agreeing estimates count. */
static double
get_spread (const TlCentreEstimate *estimates, size_t n,
            const TlCentreConsensus *c, gboolean agreeing)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k < n; k++)
    if (estimates[k].is_found && (!agreeing || c->agrees[estimates[k].method]))
      {
        low = MIN (low, estimates[k].centre_col);
        high = MAX (high, estimates[k].centre_col);
      }
  return high - low;
}

/* Returns: (transfer full): the sentence for estimates that contradict each
 * other */
static char *
describe_contradiction (const TlCentreConsensus *c)
{
  if (c->n_agreeing == 1)
    return g_strdup_printf (
        g_dngettext (NULL,
                     "no two of %u estimates agree, they lie %.2f columns "
                     "apart; check the axis before you use it",
                     "no two of %u estimates agree, they lie %.2f columns "
                     "apart; check the axis before you use it",
                     c->n_found),
        c->n_found, c->spread_col);
  return g_strdup_printf (
      g_dngettext (NULL,
                   "%u of %u estimate agrees, the %u found lie %.2f columns "
                   "apart; check the axis before you use it",
                   "%u of %u estimates agree, the %u found lie %.2f columns "
                   "apart; check the axis before you use it",
                   c->n_found),
      c->n_agreeing, c->n_found, c->n_found, c->spread_col);
}

/* Returns: (transfer full): the sentence for several agreeing estimates.
 * @because: (nullable): why the result is not certain */
static char *
describe_agreement (const TlCentreConsensus *c, const char *because)
{
  if (because == NULL)
    return g_strdup_printf (
        g_dngettext (NULL, "%u of %u estimate agrees within %.2f columns",
                     "%u of %u estimates agree within %.2f columns",
                     c->n_found),
        c->n_agreeing, c->n_found, c->agreeing_spread_col);
  return g_strdup_printf (
      g_dngettext (NULL,
                   "%u of %u estimate agrees within %.2f columns, but %s; "
                   "check the axis before you use it",
                   "%u of %u estimates agree within %.2f columns, but %s; "
                   "check the axis before you use it",
                   c->n_found),
      c->n_agreeing, c->n_found, c->agreeing_spread_col, because);
}

/* Sets the verdict and the sentence of @c. @best: the estimate around which the
 * agreeing group was gathered */
static void
set_verdict (const TlCentreEstimate *estimates, size_t n,
             const TlCentreEstimate *best, TlCentreConsensus *c)
{
  const char *because = NULL;
  c->verdict = TL_CENTRE_UNCERTAIN;
  if (count_against (estimates, n, c) > 0)
    {
      c->sentence = describe_contradiction (c);
      return;
    }
  if (c->n_agreeing == 1)
    {
      c->sentence =
          /* translators: a method, as "centres of mass" */
          g_strdup_printf (_ ("no other estimate confirms that by the %s; "
                              "check the axis before you use it"),
                           _ (tl_centre_method_texts[best->method]));
      return;
    }
  if (!has_two_witnesses (estimates, n, c))
    because = _ ("no two precise estimates are independent of each other");
  else if (!(c->uncertainty_col <= CERTAIN_COL))
    because = _ ("the uncertainty is large");
  else if (!(get_farthest (estimates, n, c) <= CERTAIN_SPREAD))
    because = _ ("they lie far apart");
  else
    c->verdict = TL_CENTRE_CERTAIN;
  c->sentence = describe_agreement (c, because);
}

/* Reports the value in the sentence of @c and marks the axis as not found,
 * because the value is too uncertain. @best: the estimate around which the
 * agreeing group was gathered */
static void
refuse (const TlCentreEstimate *best, TlCentreConsensus *c)
{
  c->sentence =
      c->n_agreeing == 1
          /* translators: a column, how far it is off, and a method, as "centres
           * of mass" */
          ? g_strdup_printf (_ ("the only estimate is %.0f ± %.0f, by the %s: "
                                "too uncertain for an axis"),
                             c->centre_col, c->uncertainty_col,
                             _ (tl_centre_method_texts[best->method]))
          /* translators: a column, and how far it is off */
          : g_strdup_printf (_ ("the estimates agree on %.0f ± %.0f: too "
                                "uncertain for an axis"),
                             c->centre_col, c->uncertainty_col);
  c->verdict = TL_CENTRE_CANNOT_TELL;
  c->centre_col = c->uncertainty_col = NAN;
  c->n_agreeing = 0;
  memset (c->agrees, 0, sizeof c->agrees);
}

void
tl_centre_agree (const TlCentreEstimate *estimates, size_t n,
                 TlCentreConsensus *consensus)
{
  double most = -INFINITY;
  size_t best = 0;
  *consensus = (TlCentreConsensus){ .verdict = TL_CENTRE_CANNOT_TELL,
                                    .centre_col = NAN,
                                    .uncertainty_col = NAN };
  for (size_t k = 0; k < n; k++)
    if (estimates[k].is_found)
      {
        g_return_if_fail (isfinite (estimates[k].centre_col)
                          && isfinite (estimates[k].uncertainty_col));
        const double weight = gather (estimates, n, k, consensus);
        if (weight > most)
          best = k;
        most = MAX (most, weight);
        consensus->n_found++;
      }
  if (consensus->n_found == 0)
    {
      consensus->sentence =
          g_strdup (_ ("no estimate found an axis in these data"));
      return;
    }
  gather (estimates, n, best, consensus);
  consensus->spread_col = get_spread (estimates, n, consensus, FALSE);
  consensus->agreeing_spread_col = get_spread (estimates, n, consensus, TRUE);
  if (consensus->uncertainty_col <= MAX_UNCERTAINTY)
    set_verdict (estimates, n, &estimates[best], consensus);
  else
    refuse (&estimates[best], consensus);
}
