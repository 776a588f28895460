/* The figures of a slice, in two passes: the histogram needs the range from the
 * first pass. */
#include "gpu/host/host-private.h"

#include <math.h>

#define PIXELS_PER_ITEM 65536

/* The sums of one work item. They are added in a fixed order, so that the
 * result is reproducible. */
typedef struct
{
  float min, max;
  double sum;
  size_t n; /* finite pixels */
} Partial;

typedef struct
{
  const float *pixels;
  size_t n;
  Partial *partials;
  double low, bins_per_unit;
  GMutex lock; /* protects stats */
  TlStats *stats;
} Work;

static void
find_range (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t end = MIN ((item + 1) * PIXELS_PER_ITEM, work->n);
  Partial partial = { .min = INFINITY, .max = -INFINITY };

  for (size_t i = item * PIXELS_PER_ITEM; i < end; i++)
    {
      const float v = work->pixels[i];

      if (!isfinite (v))
        continue;
      partial.min = MIN (partial.min, v);
      partial.max = MAX (partial.max, v);
      partial.sum += v;
      partial.n++;
    }
  work->partials[item] = partial;
}

static void
count (size_t item, guint worker, gpointer data)
{
  Work *work = data;
  const size_t end = MIN ((item + 1) * PIXELS_PER_ITEM, work->n);
  guint32 histogram[TL_HISTOGRAM_BINS] = { 0 };

  for (size_t i = item * PIXELS_PER_ITEM; i < end; i++)
    {
      const float v = work->pixels[i];

      if (!isfinite (v))
        continue;
      size_t bin = (size_t)((v - work->low) * work->bins_per_unit);
      histogram[MIN (bin, TL_HISTOGRAM_BINS - 1)]++;
    }
  g_mutex_lock (&work->lock);
  for (size_t bin = 0; bin < TL_HISTOGRAM_BINS; bin++)
    work->stats->histogram[bin] += histogram[bin];
  g_mutex_unlock (&work->lock);
}

void
tl_host_measure (TlHostPool *pool, const float *pixels, size_t n,
                 TlStats *stats)
{
  const size_t n_items = (n + PIXELS_PER_ITEM - 1) / PIXELS_PER_ITEM;
  g_autofree Partial *partials = g_new (Partial, n_items);
  Work work = {
    .pixels = pixels, .n = n, .partials = partials, .stats = stats
  };
  Partial all = { .min = INFINITY, .max = -INFINITY };

  *stats = (TlStats){ 0 };
  tl_host_pool_run (pool, n_items, find_range, &work);
  for (size_t i = 0; i < n_items; i++)
    {
      all.min = MIN (all.min, partials[i].min);
      all.max = MAX (all.max, partials[i].max);
      all.sum += partials[i].sum;
      all.n += partials[i].n;
    }
  if (all.n == 0)
    return;

  stats->min = all.min;
  stats->max = all.max;
  stats->mean = all.sum / (double)all.n;
  work.low = all.min;
  if (all.max > all.min)
    work.bins_per_unit = TL_HISTOGRAM_BINS / ((double)all.max - all.min);
  g_mutex_init (&work.lock);
  tl_host_pool_run (pool, n_items, count, &work);
  g_mutex_clear (&work.lock);
}
