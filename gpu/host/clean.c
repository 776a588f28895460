/* The stage "clean", and zingers; gpu/backends-private.h has the rules. */
#include "gpu/host/host-private.h"

/* Projections of the median. */
#define N_NEAR 5

typedef struct
{
  const TlHost *host;
  float step;
  float *to; /* [n_projections][n_rows][n_cols], as what is cleaned */
} Work;

static void
order (float *low, float *high)
{
  const float a = *low, b = *high;

  *low = a < b ? a : b;
  *high = a < b ? b : a;
}

/* What is below the median of five leaves by pairs, without a branch, so that
 * the compiler does many columns at once. */
static float
find_median (float a, float b, float c, float d, float e)
{
  order (&a, &b);
  order (&d, &e);
  order (&a, &d); /* a is the least of four, */
  order (&b, &e); /* e the greatest: neither is it */
  order (&b, &c);
  order (&c, &d);
  order (&b, &c);
  return c;
}

static void
clean_projection (size_t projection, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const size_t n = host->n_rows * host->n_cols;
  const size_t first =
      CLAMP (projection, N_NEAR / 2, host->n_projections - 1 - N_NEAR / 2)
      - N_NEAR / 2;
  const float *near = (const float *)host->corrected.data + first * n;
  const float *from = (const float *)host->corrected.data + projection * n;
  float *to = work->to + projection * n;

  for (size_t i = 0; i < n; i++)
    {
      const float median = find_median (near[i], near[n + i], near[2 * n + i],
                                        near[3 * n + i], near[4 * n + i]);

      to[i] = median - from[i] > work->step ? median : from[i];
    }
}

gboolean
tl_host_clean (TlHost *host, const TlCleanArgs *args, GCancellable *cancellable,
               GError **error)
{
  const gboolean zingers =
      args->zinger_step > 0.0f && host->n_projections >= N_NEAR;
  Work work;

  host->rows = host->corrected.data;
  if (!zingers && args->rings == TL_RINGS_OFF)
    return TRUE;
  if (!tl_host_buffer_resize (&host->cleaned, host->n_projections, host->n_rows,
                              host->n_cols, sizeof (float),
                              "the cleaned projections", error))
    return FALSE;

  work = (Work){ host, args->zinger_step, host->cleaned.data };
  if (zingers)
    {
      tl_host_pool_run (host->pool, host->n_projections, clean_projection,
                        &work);
      host->rows = work.to;
    }
  switch (args->rings)
    {
    case TL_RINGS_OFF:
      break;
    case TL_RINGS_SORTING:
      if (!tl_host_sort_rings (host, args, work.to, cancellable, error))
        return FALSE;
      break;
    case TL_RINGS_WAVELET:
      if (!tl_host_damp_rings (host, args, work.to, cancellable, error))
        return FALSE;
      break;
    case TL_N_RINGS:
      g_assert_not_reached ();
    }
  host->rows = work.to;
  return TRUE;
}
