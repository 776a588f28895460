#include "app/growth/sharpness.h"

#include <math.h>

/* Of the values at either end. */
#define LEFT_OUT_PART 0.005

/* Returns: how many values bin @k keeps, when those before and behind are left
 * out. @below: values in the bins before it */
static double
count_kept (const TlStats *stats, guint k, double below, double n_out,
            double total)
{
  const double end = below + stats->histogram[k];
  return fmax (fmin (end, total - n_out) - fmax (below, n_out), 0);
}

double
tl_growth_measure_sharpness (const TlStats *stats)
{
  const double width =
      ((double)stats->max - stats->min) / (double)TL_HISTOGRAM_BINS;
  double total = 0, below = 0, sum = 0;
  for (guint k = 0; k < TL_HISTOGRAM_BINS; k++)
    total += stats->histogram[k];
  const double n_out = LEFT_OUT_PART * total;
  const double n_kept = total - 2 * n_out;
  if (!(width > 0) || n_kept <= 0)
    return NAN;
  for (guint k = 0; k < TL_HISTOGRAM_BINS; k++)
    {
      const double part = count_kept (stats, k, below, n_out, total) / n_kept;
      below += stats->histogram[k];
      if (part > 0)
        sum += part * log (part / width);
    }
  return sum;
}
