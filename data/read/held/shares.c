#include "data/read/held/shares-private.h"

#include <math.h>

/* Weights that differ by less have been rounded differently. */
#define TOLERANCE 1e-9

TlHeldShares *
tl_held_shares_new (void)
{
  TlHeldShares *shares = g_new0 (TlHeldShares, 1);
  g_atomic_ref_count_init (&shares->n_refs);
  return shares;
}

TlHeldShares *
tl_held_shares_ref (TlHeldShares *shares)
{
  g_atomic_ref_count_inc (&shares->n_refs);
  return shares;
}

void
tl_held_shares_unref (TlHeldShares *shares)
{
  if (shares == NULL || !g_atomic_ref_count_dec (&shares->n_refs))
    return;
  g_free (shares->numbers);
  g_free (shares->of_half.weights);
  g_free (shares->of_turn.weights);
  g_free (shares);
}

void
tl_held_change_clear (TlHeldChange *change)
{
  g_clear_pointer (&change->numbers, g_free);
  g_clear_pointer (&change->weights, g_free);
}

static const TlHeldWeights *
get_weights (const TlHeldShares *shares, gboolean of_turn)
{
  return of_turn ? &shares->of_turn : &shares->of_half;
}

/* @change: has room for @max projections. Returns: whether that was enough */
static gboolean
list_changed (const TlHeldShares *before, const TlHeldShares *now,
              const double *old, const double *new, double scale, size_t max,
              TlHeldChange *change)
{
  size_t b = 0;
  for (size_t k = 0; k < now->n; k++)
    {
      const gboolean was_there =
          b < before->n && before->numbers[b] == now->numbers[k];
      const double more = new[k] - (was_there ? old[b] : 0);
      b += was_there;
      if (fabs (more) <= TOLERANCE * fabs (new[k]))
        continue;
      if (change->n == max)
        return FALSE;
      change->numbers[change->n] = now->numbers[k];
      change->weights[change->n++] = scale * more;
    }
  return b == before->n;
}

gboolean
tl_held_shares_compare (const TlHeldShares *before, const TlHeldShares *now,
                        gboolean of_turn, TlHeldChange *change)
{
  const TlHeldWeights *old = get_weights (before, of_turn);
  const TlHeldWeights *new = get_weights (now, of_turn);
  const size_t max = (now->n - 1) / 2;
  if (old->weights == NULL || new->weights == NULL || max == 0
      || before->n_flats != now->n_flats || before->n_darks != now->n_darks)
    return FALSE;
  *change = (TlHeldChange){ .factor = new->scale / old->scale,
                            .numbers = g_try_new (size_t, max),
                            .weights = g_try_new (double, max),
                            .of_turn = of_turn,
                            .n_flats = now->n_flats,
                            .n_darks = now->n_darks };
  if (change->numbers != NULL && change->weights != NULL
      && list_changed (before, now, old->weights, new->weights, new->scale, max,
                       change)
      && change->n > 0)
    return TRUE;
  tl_held_change_clear (change);
  return FALSE;
}
