#include "data/read/held/weights-private.h"

#include <math.h>

/* Weights that differ by less have been rounded differently. */
#define TOLERANCE 1e-9

TlHeldWeights *
tl_held_weights_new (void)
{
  TlHeldWeights *weights = g_new0 (TlHeldWeights, 1);
  g_atomic_ref_count_init (&weights->n_refs);
  return weights;
}

TlHeldWeights *
tl_held_weights_ref (TlHeldWeights *weights)
{
  g_atomic_ref_count_inc (&weights->n_refs);
  return weights;
}

void
tl_held_weights_unref (TlHeldWeights *weights)
{
  if (weights == NULL || !g_atomic_ref_count_dec (&weights->n_refs))
    return;
  g_free (weights->numbers);
  g_free (weights->of_half.values);
  g_free (weights->of_turn.values);
  g_free (weights);
}

void
tl_held_change_clear (TlHeldChange *change)
{
  g_clear_pointer (&change->numbers, g_free);
  g_clear_pointer (&change->weights, g_free);
}

static const TlScaledWeights *
get_weights (const TlHeldWeights *weights, gboolean of_turn)
{
  return of_turn ? &weights->of_turn : &weights->of_half;
}

/* @change: has room for @max projections. Returns: whether that was enough */
static gboolean
list_changed (const TlHeldWeights *before, const TlHeldWeights *now,
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
tl_held_weights_compare (const TlHeldWeights *before, const TlHeldWeights *now,
                         gboolean of_turn, TlHeldChange *change)
{
  const TlScaledWeights *old = get_weights (before, of_turn);
  const TlScaledWeights *new = get_weights (now, of_turn);
  const size_t max = (now->n - 1) / 2;
  if (old->values == NULL || new->values == NULL || max == 0
      || before->n_flats != now->n_flats || before->n_darks != now->n_darks)
    return FALSE;
  *change = (TlHeldChange){ .factor = new->scale / old->scale,
                            .numbers = g_try_new (size_t, max),
                            .weights = g_try_new (double, max),
                            .of_turn = of_turn,
                            .n_flats = now->n_flats,
                            .n_darks = now->n_darks };
  if (change->numbers != NULL && change->weights != NULL
      && list_changed (before, now, old->values, new->values, new->scale, max,
                       change)
      && change->n > 0)
    return TRUE;
  tl_held_change_clear (change);
  return FALSE;
}
