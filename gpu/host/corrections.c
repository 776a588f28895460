/* The stages "zingers" and "rings"; the latter begins with beam hardening.
 * gpu/backend/backend.h has the rules. */
#include "gpu/host/host-private.h"
#include "gpu/host/median.h"

#include <glib/gi18n.h>
#include <math.h>

/* The number of projections or columns in a median, and how many of these lie
 * to one side. */
#define N_NEAR 5
#define REACH (N_NEAR / 2)

typedef struct
{
  const TlHost *host;
  gboolean before_phase;
  float limit;   /* excess if before_phase, else its logarithm */
  size_t n_rows; /* the rows of corrected and zingerless */
} Work;

/* Returns: the index of the first of the N_NEAR values nearest to @place among
 * @n values. */
static size_t
find_first (size_t place, size_t n)
{
  return CLAMP (place, REACH, n - 1 - REACH) - REACH;
}

/* @near: N_NEAR values of the same pixel, @plane apart; @beside: N_NEAR values
 * in the same row. All comparisons are evaluated without branches, so that the
 * compiler vectorises over columns. */
static inline float
clean_sample (gboolean before_phase, float limit, const float *near,
              size_t plane, const float *beside, float value)
{
  const float median = tl_host_median_of_5 (
      near[0], near[plane], near[2 * plane], near[3 * plane], near[4 * plane]);
  const float across = tl_host_median_of_5 (beside[0], beside[1], beside[2],
                                            beside[3], beside[4]);
  const float least = (float)TL_MIN_TRANSMISSION;
  const float lesser = median < across ? median : across;
  const float greater = median > across ? median : across;
  const float base = greater > least ? greater : least;

  if (before_phase)
    return value > limit * base ? median : value;
  return lesser - value > limit ? median : value;
}

/* @before_phase: a constant at every call, so that the compiler specialises the
 * function */
static inline void
clean_row (const Work *work, gboolean before_phase, const float *near,
           size_t plane, const float *from, float *restrict to)
{
  const size_t n = work->host->n_cols;
  const float limit = work->limit;

  for (size_t col = 0; col < REACH; col++)
    to[col] =
        clean_sample (before_phase, limit, near + col, plane, from, from[col]);
  for (size_t col = REACH; col < n - REACH; col++)
    to[col] = clean_sample (before_phase, limit, near + col, plane,
                            from + col - REACH, from[col]);
  for (size_t col = n - REACH; col < n; col++)
    to[col] = clean_sample (before_phase, limit, near + col, plane,
                            from + n - N_NEAR, from[col]);
}

static void
clean_projection (size_t projection, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const size_t n = host->n_cols, plane = work->n_rows * n;
  const size_t first = find_first (projection, host->n_projections);

  for (size_t row = 0; row < work->n_rows; row++)
    {
      const float *rows = (const float *)host->corrected.data + row * n;
      float *to = (float *)host->zingerless.data + projection * plane + row * n;

      if (work->before_phase)
        clean_row (work, TRUE, rows + first * plane, plane,
                   rows + projection * plane, to);
      else
        clean_row (work, FALSE, rows + first * plane, plane,
                   rows + projection * plane, to);
    }
}

gboolean
tl_host_zingers (gpointer impl, const TlZingersArgs *args, GError **error)
{
  g_auto (TlHostTimer) timer = tl_host_timer_start (impl, TL_STAGE_ZINGERS);
  TlHost *host = impl;
  Work work = {
    .host = host,
    .before_phase = args->before_phase,
    .limit = (float)(args->before_phase ? args->excess : log (args->excess)),
    .n_rows = args->all_rows ? host->n_block_rows : host->n_rows,
  };

  host->for_tilt = host->for_phase = host->for_rings = host->corrected.data;
  if (args->excess == 0.0 || host->n_projections < N_NEAR
      || host->n_cols < N_NEAR)
    {
      tl_host_buffer_clear (&host->zingerless);
      return TRUE;
    }
  if (!tl_host_buffer_resize (&host->zingerless, host->n_projections,
                              work.n_rows, host->n_cols, sizeof (float),
                              _ ("the projections without zingers"), error))
    return FALSE;
  tl_host_pool_run (host->pool, host->n_projections, clean_projection, &work);
  host->for_tilt = host->for_phase = host->for_rings = host->zingerless.data;
  return TRUE;
}

typedef struct
{
  const TlHost *host;
  float factor;
} Hardening;

static void
correct_hardening (size_t projection, guint worker, gpointer data)
{
  const Hardening *hardening = data;
  const TlHost *host = hardening->host;
  const size_t n = host->n_rows * host->n_cols;
  const float *from = host->attenuation + projection * n;
  float *to = (float *)host->ringless.data + projection * n;

  for (size_t i = 0; i < n; i++)
    to[i] = from[i] + hardening->factor * from[i] * from[i];
}

gboolean
tl_host_rings (gpointer impl, const TlParams *params, GCancellable *cancellable,
               GError **error)
{
  g_auto (TlHostTimer) timer = tl_host_timer_start (impl, TL_STAGE_RINGS);
  TlHost *host = impl;
  host->attenuation = host->for_rings;
  if (params->rings == TL_RINGS_OFF && params->beam_hardening == 0.0)
    {
      tl_host_buffer_clear (&host->ringless);
      return TRUE;
    }
  if (!tl_host_buffer_resize (&host->ringless, host->n_projections,
                              host->n_rows, host->n_cols, sizeof (float),
                              _ ("the corrected projections"), error))
    return FALSE;
  if (params->beam_hardening != 0.0)
    {
      Hardening hardening = { host, (float)params->beam_hardening };

      tl_host_pool_run (host->pool, host->n_projections, correct_hardening,
                        &hardening);
      host->attenuation = host->ringless.data;
    }
  const gboolean ok =
      params->rings == TL_RINGS_OFF ? TRUE
      : params->rings == TL_RINGS_SORTING
          ? tl_host_sort_rings (host, params, cancellable, error)
          : tl_host_damp_rings (host, params, cancellable, error);
  host->attenuation = host->ringless.data;
  return ok;
}
