/* How far one frame is from another. */
#pragma once

#include "gpu/backend/frame.h"

G_BEGIN_DECLS

/* How far a picture is from another one, its reference, over the pixels whose
 * difference is a finite number; plain value. */
typedef struct
{
  double relative_l2;     /* ||picture - reference|| / ||reference||; 0 where no
                             pixel differs, infinite where the reference is
                             all 0, NaN where no difference is finite */
  double deviation;       /* standard deviation of the reference */
  float max;              /* largest absolute difference */
  size_t slice, row, col; /* of the first pixel that has it */
  size_t n_left_out;      /* pixels whose difference is not finite */
} TlComparison;

/* What two frames differ by: over the n pixels whose difference is finite, sums
 * of the reference, of its squares and of the squares of the differences, the
 * largest absolute difference and the first pixel that has it; that is 0 where
 * there is no difference. */
typedef struct
{
  size_t n;
  double sum, sum_2, difference_2;
  float max;
  size_t index; /* [slice][row][col] */
} TlDifferences;

/** tl_frames_are_alike: Returns: same shape, same backend. */
gboolean tl_frames_are_alike (const TlFrame *a, const TlFrame *b);

/**
 * tl_comparison_init:
 * @figures: (out caller-allocates)
 * @shape: one of the two frames
 */
void tl_comparison_init (TlComparison *figures, const TlDifferences *sums,
                         const TlFrame *shape);

G_END_DECLS
