#pragma once

#include "data/read/held/weights.h"

typedef struct
{
  double *values; /* (nullable): [n], radians, before the scale */
  double scale;   /* see tl_angle_weights_growing() */
} TlScaledWeights;

struct TlHeldWeights
{
  gatomicrefcount n_refs;
  size_t n;
  size_t *numbers; /* [n], ascending */
  TlScaledWeights of_half,
      of_turn;             /* the latter of a scan that covers a turn */
  size_t n_flats, n_darks; /* that have come */
};

/** tl_held_weights_new: Returns: (transfer full): empty, to be filled in */
TlHeldWeights *tl_held_weights_new (void);
