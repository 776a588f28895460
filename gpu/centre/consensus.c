#include "gpu/centre/consensus.h"

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
/* What is known no better is no axis, columns. */
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

/* Overlap and phase look at the same pairs of projections, and so does symmetry
 * where there is but one. */
static guint
get_witness (const TlCentreEstimate *e)
{
  return e->method == TL_CENTRE_OVERLAP || e->is_of_pair ? TL_CENTRE_PHASE
                                                         : e->method;
}

/* Whether @a says more of what both rest on: what looks at pairs more than
 * their sum, then what is better known. */
static gboolean
says_more (const TlCentreEstimate *a, const TlCentreEstimate *b)
{
  return a->is_of_pair != b->is_of_pair ? b->is_of_pair
                                        : get_variance (a) < get_variance (b);
}

/* Whether no other that agrees stands for it. */
static gboolean
is_witness (const TlCentreEstimate *estimates, size_t n, size_t k,
            const TlCentreConsensus *c)
{
  for (size_t other = 0; other < n; other++)
    {
      const TlCentreEstimate *e = &estimates[other];
      if (c->agrees[e->method] && get_witness (e) == get_witness (&estimates[k])
          && (says_more (e, &estimates[k])
              || (other < k && !says_more (&estimates[k], e))))
        return FALSE;
    }
  return TRUE;
}

/* Those that agree with @middle, and the mean of the witnesses. Returns: how
 * much they weigh, the number of witnesses first. */
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
      witnesses |= 1u << get_witness (&estimates[k]);
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

/* Of those that are found and, if so @agreeing, agree: from the lowest to the
 * highest. */
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

/* Returns: (transfer full): what is said where others say clearly otherwise */
static char *
say_against (const TlCentreConsensus *c)
{
  if (c->n_agreeing == 1)
    return g_strdup_printf (
        g_dngettext (NULL,
                     "no two of %u estimates agree; they lie %.2f columns "
                     "apart: please look",
                     "no two of %u estimates agree; they lie %.2f columns "
                     "apart: please look",
                     c->n_found),
        c->n_found, c->spread_col);
  return g_strdup_printf (
      g_dngettext (NULL,
                   "%u of %u estimate agrees; the %u found lie %.2f columns "
                   "apart: please look",
                   "%u of %u estimates agree; the %u found lie %.2f columns "
                   "apart: please look",
                   c->n_found),
      c->n_agreeing, c->n_found, c->n_found, c->spread_col);
}

/* Returns: (transfer full): what is said of several that agree. @because:
 * (nullable): why that is not certain */
static char *
say_agreeing (const TlCentreConsensus *c, const char *because)
{
  if (because == NULL)
    return g_strdup_printf (
        g_dngettext (
            NULL, "%u of %u estimate agrees, %.2f columns apart at most",
            "%u of %u estimates agree, %.2f columns apart at most", c->n_found),
        c->n_agreeing, c->n_found, c->agreeing_spread_col);
  return g_strdup_printf (
      g_dngettext (NULL,
                   "%u of %u estimate agrees, %.2f columns apart at most, but "
                   "%s: please look",
                   "%u of %u estimates agree, %.2f columns apart at most, but "
                   "%s: please look",
                   c->n_found),
      c->n_agreeing, c->n_found, c->agreeing_spread_col, because);
}

/* @best: stands for those that agree */
static void
judge (const TlCentreEstimate *estimates, size_t n,
       const TlCentreEstimate *best, TlCentreConsensus *c)
{
  const char *because = NULL;
  c->verdict = TL_CENTRE_LOOK;
  if (count_against (estimates, n, c) > 0)
    {
      c->sentence = say_against (c);
      return;
    }
  if (c->n_agreeing == 1)
    {
      c->sentence =
          /* translators: a method's name */
          g_strdup_printf (_ ("nothing confirms the estimate by %s: please "
                              "look"),
                           tl_centre_method_names[best->method]);
      return;
    }
  if (!has_two_witnesses (estimates, n, c))
    because = _ ("nothing that is as sharp confirms it");
  else if (!(c->uncertainty_col <= CERTAIN_COL))
    because = _ ("it is known too roughly");
  else if (!(get_farthest (estimates, n, c) <= CERTAIN_SPREAD))
    because = _ ("they lie far apart");
  else
    c->verdict = TL_CENTRE_CERTAIN;
  c->sentence = say_agreeing (c, because);
}

/* Says where the best that there is lies, and forgets it. @best: stands for
 * those that agree */
static void
refuse (const TlCentreEstimate *best, TlCentreConsensus *c)
{
  c->sentence =
      c->n_agreeing == 1
          /* translators: a column, how far it is off, and a method's name */
          ? g_strdup_printf (_ ("there is only %.0f ± %.0f by %s: too rough to "
                                "be an axis"),
                             c->centre_col, c->uncertainty_col,
                             tl_centre_method_names[best->method])
          /* translators: a column, and how far it is off */
          : g_strdup_printf (_ ("all that agrees is %.0f ± %.0f: too rough to "
                                "be an axis"),
                             c->centre_col, c->uncertainty_col);
  c->verdict = TL_CENTRE_CANNOT_TELL;
  c->centre_col = c->uncertainty_col = NAN;
  c->n_agreeing = 0;
  for (guint method = 0; method < TL_N_CENTRE_METHODS; method++)
    c->agrees[method] = FALSE;
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
          g_strdup (_ ("no estimate found an axis: the data do not say"));
      return;
    }
  gather (estimates, n, best, consensus);
  consensus->spread_col = get_spread (estimates, n, consensus, FALSE);
  consensus->agreeing_spread_col = get_spread (estimates, n, consensus, TRUE);
  if (consensus->uncertainty_col <= MAX_UNCERTAINTY)
    judge (estimates, n, &estimates[best], consensus);
  else
    refuse (&estimates[best], consensus);
}
