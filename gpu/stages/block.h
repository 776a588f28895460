/* The input of an engine: the raw samples of a few detector rows. */
#pragma once

#include "data/samples.h"

G_BEGIN_DECLS

/* Raw data of a few detector rows; plain value, all host memory, lent. The
 * first and the last rows may be there for phase retrieval and tilt alone:
 * slices are made of those between. Where rows are missing that it would look
 * at, the outermost ones stand for them, which is right at the border of the
 * detector.
 */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  size_t n_above, n_below; /* of n_rows, before and behind the slices' own */
  double middle_row; /* the detector's, counted from the first of n_rows: where
                        a tilted axis is at the centre */
  TlSampleType type;
  const void *samples;      /* [n_projections][n_rows][n_cols] */
  const double *angles_rad; /* [n_projections] */
  const float *dark;        /* (nullable) [n_rows][n_cols] */
  const float *flat_first; /* (nullable) [n_rows][n_cols], first projection's */
  const float *flat_last;  /* (nullable) the last one's; those between are
                              interpolated; %NULL: flat_first for all */
} TlBlock;

G_END_DECLS
