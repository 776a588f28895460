/* The input of an engine: the raw samples of a few detector rows. */
#pragma once

#include "data/samples.h"

/* Raw data of a few detector rows. Plain value; all arrays are in host memory
 * and lent. The first n_above and the last n_below rows serve phase retrieval
 * and tilt only; slices are made of the rows between. If these stages need rows
 * beyond the block, its outermost rows stand for them, which is right at the
 * border of the detector.
 */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  size_t n_above, n_below; /* of n_rows: before and after the slices' rows */
  double middle_row; /* of the detector, counted from the first of n_rows: there
                        a tilted axis is at centre_col */
  TlSampleType type;
  const void *samples;      /* [n_projections][n_rows][n_cols] */
  gboolean is_pinned;       /* the samples are in memory of tl_engine_pin() */
  const double *angles_rad; /* [n_projections] */
  /* (nullable) [n_projections], radians, where more projections are to come:
   * instead of those of tl_angle_weights() over half a turn and over a turn.
   * Without turn_weights, no half acquisition is possible then. */
  const double *weights, *turn_weights;
  /* The means of many frames have more digits than a float. */
  const double *dark; /* (nullable) [n_rows][n_cols] */
  const double
      *flat_first; /* (nullable) [n_rows][n_cols], at the first projection */
  const double
      *flat_last; /* (nullable): at the last projection; flats between the
                     two are interpolated; %NULL: flat_first for all */
} TlBlock;
