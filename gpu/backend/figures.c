#include "gpu/backend/figures.h"

#include "gpu/backend/frame-class.h"

#include <math.h>

gboolean
tl_frames_are_alike (const TlFrame *a, const TlFrame *b)
{
  return a->klass == b->klass && a->n_slices == b->n_slices
         && a->n_rows == b->n_rows && a->n_cols == b->n_cols;
}

static double
find_distance (const TlDifferences *sums)
{
  if (sums->n == 0)
    return NAN;
  if (sums->difference_2 == 0.0)
    return 0.0;
  return sqrt (sums->difference_2 / sums->sum_2);
}

void
tl_comparison_init (TlComparison *figures, const TlDifferences *sums,
                    const TlFrame *shape)
{
  const size_t n_pixels = shape->n_slices * shape->n_rows * shape->n_cols;
  const double n = (double)sums->n;
  const double mean = sums->sum / n;
  const size_t line = sums->index / shape->n_cols;

  *figures = (TlComparison){
    .relative_l2 = find_distance (sums),
    /* Rounding may make the variance of a constant picture slightly negative.
     */
    .deviation = sqrt (fmax (sums->sum_2 / n - mean * mean, 0.0)),
    .max = sums->max,
    .slice = line / shape->n_rows,
    .row = line % shape->n_rows,
    .col = sums->index % shape->n_cols,
    .n_left_out = n_pixels - sums->n,
  };
}
