/* The weights of the projections of a snapshot in a slice, so that a slice of a
 * later snapshot needs only the projections whose weights are others. */
#pragma once

#include <glib.h>

/* Reference counted, constant. */
typedef struct TlHeldWeights TlHeldWeights;

TlHeldWeights *tl_held_weights_ref (TlHeldWeights *weights);
void tl_held_weights_unref (TlHeldWeights *weights);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHeldWeights, tl_held_weights_unref)

/* A slice of a later snapshot is factor times that of an earlier one, and what
 * these projections add to it. */
typedef struct
{
  double factor;
  size_t n;
  size_t *numbers; /* [n], ascending */
  double *weights; /* [n], radians; below 0: they count for less */
  gboolean of_turn;
  size_t n_flats, n_darks; /* that have come, of the later snapshot */
} TlHeldChange;

void tl_held_change_clear (TlHeldChange *change);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlHeldChange, tl_held_change_clear)

/**
 * tl_held_weights_compare:
 * @before: of a snapshot
 * @now: of a later one of the same frames
 * @of_turn: as of tl_angle_weights()
 * @change: (out caller-allocates): to be cleared if the result is %TRUE
 *
 * Returns: whether it is worth while: the flats and darks are the same, and
 *   less than half of the projections have changed, but at least one
 */
gboolean tl_held_weights_compare (const TlHeldWeights *before,
                                  const TlHeldWeights *now, gboolean of_turn,
                                  TlHeldChange *change);
