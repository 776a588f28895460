#pragma once

#include "data/read/held/shares.h"

typedef struct
{
  double *weights; /* (nullable): [n], radians, before the scale */
  double scale;    /* see tl_angle_weights_growing() */
} TlHeldWeights;

struct TlHeldShares
{
  gatomicrefcount n_refs;
  size_t n;
  size_t *numbers;                /* [n], ascending */
  TlHeldWeights of_half, of_turn; /* the latter of a scan that covers a turn */
  size_t n_flats, n_darks;        /* that have come */
};

/** tl_held_shares_new: Returns: (transfer full): empty, to be filled in */
TlHeldShares *tl_held_shares_new (void);
