/* The stage "clean", and zingers; gpu/backends-private.h has the rules. */
#include "gpu/host/host-private.h"

/* Projections, or columns, of a median, and those to one side. */
#define N_NEAR 5
#define REACH (N_NEAR / 2)

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

/* Returns: the first of those nearest to @place, of @n. */
static size_t
find_first (size_t place, size_t n)
{
  return CLAMP (place, REACH, n - 1 - REACH) - REACH;
}

/* @near: of the same pixel, @plane apart; @beside: in the same row */
static inline float
clean_sample (float step, const float *near, size_t plane, const float *beside,
              float value)
{
  const float median = find_median (near[0], near[plane], near[2 * plane],
                                    near[3 * plane], near[4 * plane]);
  const float across =
      find_median (beside[0], beside[1], beside[2], beside[3], beside[4]);

  return MIN (median, across) - value > step ? median : value;
}

static void
clean_projection (size_t projection, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const size_t n = host->n_cols, plane = host->n_rows * n;
  const size_t first = find_first (projection, host->n_projections);
  const float step = work->step;

  for (size_t row = 0; row < host->n_rows; row++)
    {
      const float *rows = (const float *)host->corrected.data + row * n;
      const float *near = rows + first * plane;
      const float *from = rows + projection * plane;
      float *restrict to = work->to + projection * plane + row * n;

      for (size_t col = 0; col < REACH; col++)
        to[col] = clean_sample (step, near + col, plane, from, from[col]);
      for (size_t col = REACH; col < n - REACH; col++)
        to[col] = clean_sample (step, near + col, plane, from + col - REACH,
                                from[col]);
      for (size_t col = n - REACH; col < n; col++)
        to[col] = clean_sample (step, near + col, plane, from + n - N_NEAR,
                                from[col]);
    }
}

gboolean
tl_host_clean (TlHost *host, const TlCleanArgs *args, GCancellable *cancellable,
               GError **error)
{
  const gboolean zingers = args->zinger_step > 0.0f
                           && host->n_projections >= N_NEAR
                           && host->n_cols >= N_NEAR;
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
