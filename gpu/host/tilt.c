/* The stage "tilt": the formula is in gpu/backend/backend.h. A projection is
 * one work item. */
#include "gpu/host/host-private.h"

#include <glib/gi18n.h>
#include <math.h>

#define N_TAPS 4

typedef struct
{
  const TlHost *host;
  const TlTiltArgs *args;
  GCancellable *cancellable;
  size_t first, n_rows; /* the rows of the block that are computed */
} Work;

/* The positions along one axis that a value is interpolated from, and their
 * weights. */
typedef struct
{
  size_t places[N_TAPS];
  double weights[N_TAPS];
} Taps;

/* Finds the taps at the distance @away from sample @own of @n; samples beyond
 * the ends repeat the outermost sample. Counting from @own makes the rounding
 * independent of where the block begins. */
static inline void
find_taps (size_t own, double away, size_t n, Taps *taps)
{
  const double whole = floor (away), f = away - whole;
  const double last = (double)n - 1.0;

  for (int i = 0; i < N_TAPS; i++)
    {
      const double place = (double)own + whole + i - 1.0;

      taps->places[i] = (size_t)(place < 0.0    ? 0.0
                                 : place > last ? last
                                                : place);
    }
  taps->weights[0] = ((-0.5 * f + 1.0) * f - 0.5) * f;
  taps->weights[1] = (1.5 * f - 2.5) * f * f + 1.0;
  taps->weights[2] = ((-1.5 * f + 2.0) * f + 0.5) * f;
  taps->weights[3] = (0.5 * f - 0.5) * f * f;
}

/* Interpolates row @row of the block. @from: [n_block_rows][n_cols]; @to:
 * (out): [n_cols]
 */
static void
turn_row (const Work *work, const float *from, size_t row, float *to)
{
  const TlHost *host = work->host;
  const TlTiltArgs *args = work->args;
  const size_t n = host->n_cols;
  const double w = (double)row - args->middle_row;

  for (size_t col = 0; col < n; col++)
    {
      const double u = (double)col - args->centre_col;
      double sum = 0.0;
      Taps x, y;

      find_taps (col, u * (args->cosine - 1.0) + w * args->sine, n, &x);
      find_taps (row, w * (args->cosine - 1.0) - u * args->sine,
                 host->n_block_rows, &y);
      for (int i = 0; i < N_TAPS; i++)
        {
          const float *line = from + y.places[i] * n;

          sum += y.weights[i]
                 * (x.weights[0] * line[x.places[0]]
                    + x.weights[1] * line[x.places[1]]
                    + x.weights[2] * line[x.places[2]]
                    + x.weights[3] * line[x.places[3]]);
        }
      to[col] = (float)sum;
    }
}

static void
turn_projection (size_t projection, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const size_t n = host->n_cols;
  const float *from = host->for_tilt + projection * host->n_block_rows * n;
  float *to = (float *)host->tilted.data + projection * work->n_rows * n;

  for (size_t row = 0; row < work->n_rows; row++)
    {
      if (g_cancellable_is_cancelled (work->cancellable))
        return;
      turn_row (work, from, work->first + row, to + row * n);
    }
}

gboolean
tl_host_tilt (gpointer impl, const TlTiltArgs *args, GCancellable *cancellable,
              GError **error)
{
  g_auto (TlHostTimer) timer = tl_host_timer_start (impl, TL_STAGE_TILT);
  TlHost *host = impl;
  Work work = {
    .host = host,
    .args = args,
    .cancellable = cancellable,
    .first = args->before_phase ? 0 : host->n_above,
    .n_rows = args->before_phase ? host->n_block_rows : host->n_rows,
  };

  if (!tl_host_buffer_resize (&host->tilted, host->n_projections, work.n_rows,
                              host->n_cols, sizeof (float),
                              _ ("the projections turned back"), error))
    return FALSE;
  tl_host_pool_run (host->pool, host->n_projections, turn_projection, &work);
  host->for_phase = host->for_rings = host->tilted.data;
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
