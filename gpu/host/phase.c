/* The stage "phase": the formula is in gpu/backend/backend.h. A projection is
 * one work item: each of its rows is transformed once; for every slice the
 * spectra are summed, transformed back and turned into attenuation. */
#include "gpu/host/host-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

typedef struct
{
  TlHost *host;
  const TlPhaseArgs *args;
  GCancellable *cancellable;

  size_t first, n_lines; /* the rows of the block that are read */
  size_t stride;         /* from one spectrum to the next, complex numbers */
} Work;

/* Copies @from, [@n], to the beginning of @row and pads it. @row: (out):
 * [@length] */
static void
pad_row (const float *from, size_t n, size_t length, float *row)
{
  const size_t half = (length - n) / 2;

  for (size_t col = 0; col < n; col++)
    row[col] = from[col] - 1.0f;
  for (size_t col = n; col < length; col++)
    row[col] = col < n + half ? row[n - 1] : row[0];
}

/* Transforms the rows of @projection. @spectra: (out): [n_lines][stride] */
static void
transform_lines (const Work *work, size_t projection, float *row,
                 fftwf_complex *spectra)
{
  const TlHost *host = work->host;

  for (size_t line = 0; line < work->n_lines; line++)
    {
      const float *from =
          host->for_phase
          + (projection * host->n_block_rows + work->first + line)
                * host->n_cols;

      pad_row (from, host->n_cols, work->args->length, row);
      fftwf_execute_dft_r2c (host->phase_plan->forward, row,
                             spectra + line * work->stride);
    }
}

/* Sums the weighted spectra around the slice's row @row. @sum: (out): [length /
 * 2 + 1] */
static void
sum_lines (const Work *work, size_t row, const fftwf_complex *spectra,
           fftwf_complex *sum)
{
  const size_t n_frequencies = work->args->length / 2 + 1;
  const gssize reach = (gssize)work->args->n_taps - 1;
  const gssize own = (gssize)(work->host->n_above + row - work->first);
  float *restrict to = (float *)sum;

  memset (to, 0, n_frequencies * sizeof *sum);
  for (gssize j = -reach; j <= reach; j++)
    {
      const gssize line = CLAMP (own + j, 0, (gssize)work->n_lines - 1);
      const float *restrict from =
          (const float *)(spectra + (size_t)line * work->stride);
      const float *restrict weights =
          work->args->weights + (size_t)ABS (j) * n_frequencies;

      for (size_t k = 0; k < n_frequencies; k++)
        {
          to[2 * k] += weights[k] * from[2 * k];
          to[2 * k + 1] += weights[k] * from[2 * k + 1];
        }
    }
}

static void
retrieve_projection (size_t projection, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const size_t n = host->n_cols;
  float *row = tl_host_plan_get_row (host->phase_plan, worker);
  fftwf_complex *sum = tl_host_plan_get_spectrum (host->phase_plan, worker);
  fftwf_complex *spectra = (fftwf_complex *)host->phase_spectra.data
                           + worker * work->n_lines * work->stride;

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  transform_lines (work, projection, row, spectra);
  for (size_t r = 0; r < host->n_rows; r++)
    {
      float *v =
          (float *)host->retrieved.data + (projection * host->n_rows + r) * n;

      sum_lines (work, r, spectra, sum);
      fftwf_execute_dft_c2r (host->phase_plan->inverse, sum, row);
      for (size_t col = 0; col < n; col++)
        {
          const double t = 1.0 + (double)row[col];

          v[col] =
              (float)-log (t > TL_MIN_TRANSMISSION ? t : TL_MIN_TRANSMISSION);
        }
    }
}

gboolean
tl_host_phase (gpointer impl, const TlPhaseArgs *args,
               GCancellable *cancellable, GError **error)
{
  g_auto (TlHostTimer) timer = tl_host_timer_start (impl, TL_STAGE_PHASE);
  TlHost *host = impl;
  const size_t reach = args->n_taps - 1;
  const size_t end =
      MIN (host->n_above + host->n_rows + reach, host->n_block_rows);
  Work work = { .host = host, .args = args, .cancellable = cancellable };

  work.first = host->n_above - MIN (reach, host->n_above);
  work.n_lines = end - work.first;
  work.stride = tl_host_round_up (args->length / 2 + 1, 8);
  if (!tl_host_plan_prepare (&host->phase_plan, host->pool, args->length, error)
      || !tl_host_buffer_resize (
          &host->phase_spectra,
          MIN (tl_host_pool_get_n_workers (host->pool), host->n_projections),
          work.n_lines, work.stride, sizeof (fftwf_complex),
          _ ("the spectra of one projection for each thread"), error)
      || !tl_host_buffer_resize (&host->retrieved, host->n_projections,
                                 host->n_rows, host->n_cols, sizeof (float),
                                 _ ("the retrieved projections"), error))
    return FALSE;
  tl_host_pool_run (host->pool, host->n_projections, retrieve_projection,
                    &work);
  host->for_rings = host->retrieved.data;
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
