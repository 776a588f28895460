/* The weighted sum of two pictures. */
#include "gpu/host/host-private.h"

#define PIXELS_PER_ITEM 65536

typedef struct
{
  const float *pixels, *more;
  float factor;
  size_t n;
  float *sum;
} Work;

static void
add_item (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t end = MIN ((item + 1) * PIXELS_PER_ITEM, work->n);

  for (size_t i = item * PIXELS_PER_ITEM; i < end; i++)
    work->sum[i] = work->factor * work->pixels[i] + work->more[i];
}

void
tl_host_add (TlHostPool *pool, const float *pixels, float factor,
             const float *more, size_t n, float *sum)
{
  Work work = { pixels, more, factor, n, sum };

  tl_host_pool_run (pool, (n + PIXELS_PER_ITEM - 1) / PIXELS_PER_ITEM, add_item,
                    &work);
}
