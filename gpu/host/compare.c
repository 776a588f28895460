/* The difference of two pictures and its figures, in one pass. */
#include "gpu/host/host-private.h"

#include <math.h>

#define PIXELS_PER_ITEM 65536

typedef struct
{
  const float *pixels, *reference;
  float *differences;
  size_t n;
  TlDifferences *partials; /* one for each item; added in a fixed order, so that
                              the result is reproducible */
} Work;

static void
compare_item (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t end = MIN ((item + 1) * PIXELS_PER_ITEM, work->n);
  TlDifferences sums = { 0 };

  for (size_t i = item * PIXELS_PER_ITEM; i < end; i++)
    {
      const double reference = work->reference[i];
      const float difference = work->pixels[i] - work->reference[i];

      work->differences[i] = difference;
      if (!isfinite (difference))
        continue;
      sums.n++;
      sums.sum += reference;
      sums.sum_2 += reference * reference;
      sums.difference_2 += (double)difference * difference;
      if (fabsf (difference) > sums.max)
        {
          sums.max = fabsf (difference);
          sums.index = i;
        }
    }
  work->partials[item] = sums;
}

void
tl_host_compare (TlHostPool *pool, const float *pixels, const float *reference,
                 size_t n, float *differences, TlDifferences *sums)
{
  const size_t n_items = (n + PIXELS_PER_ITEM - 1) / PIXELS_PER_ITEM;
  g_autofree TlDifferences *partials = g_new (TlDifferences, n_items);
  Work work = { pixels, reference, differences, n, partials };

  *sums = (TlDifferences){ 0 };
  tl_host_pool_run (pool, n_items, compare_item, &work);
  for (size_t i = 0; i < n_items; i++)
    {
      sums->n += partials[i].n;
      sums->sum += partials[i].sum;
      sums->sum_2 += partials[i].sum_2;
      sums->difference_2 += partials[i].difference_2;
      if (partials[i].max > sums->max)
        {
          sums->max = partials[i].max;
          sums->index = partials[i].index;
        }
    }
}
