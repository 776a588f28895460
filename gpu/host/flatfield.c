/* The stage "correct": the formula is in gpu/backend/backend.h. It is computed
 * in double, because for a transmission near 1 the float rounding is large
 * compared to the logarithm, and the ramp filter amplifies such noise. */
#include "gpu/host/host-private.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct
{
  TlHost *host;
  const TlCorrectArgs *args;
  size_t first_row, n_rows; /* of the rows of the block */
} Work;

/* Columns are corrected in chunks of this size, which stay in the processor's
 * first cache. */
#define N_CHUNK 256

/* The columns from @first_col on. @t: [@n] */
static void
divide_by_flat (const TlHost *host, size_t projection, size_t row,
                size_t first_col, size_t n, double *t)
{
  const size_t plane = host->n_block_rows * host->n_cols;
  const double *dark =
      (const double *)host->fields.data + row * host->n_cols + first_col;
  const double *first = dark + plane, *last = first + plane;
  const double part =
      host->n_projections > 1
          ? (double)projection / (double)(host->n_projections - 1)
          : 0.0;

  for (size_t col = 0; col < n; col++)
    {
      const double flat = first[col] + (last[col] - first[col]) * part;

      t[col] = (t[col] - dark[col]) / (flat - dark[col]);
    }
}

static void
take_log (double *t, size_t n)
{
  /* The comparison turns NaN into the smallest transmission. */
  for (size_t col = 0; col < n; col++)
    t[col] = -log (t[col] > TL_MIN_TRANSMISSION ? t[col] : TL_MIN_TRANSMISSION);
}

/* Replaces dead pixels in place. Any order works, because only live pixels are
 * read. */
static void
replace_dead (const TlDeadPixels *dead, size_t row, size_t n, float *v)
{
  const guint32 *left = dead->left_col + row * n;
  const guint32 *right = dead->right_col + row * n;
  const float *mix = dead->mix + row * n;

  for (size_t col = 0; col < n; col++)
    if (left[col] != col)
      v[col] = (1.0f - mix[col]) * v[left[col]] + mix[col] * v[right[col]];
}

static void
correct_row (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  TlHost *host = work->host;
  const size_t n = host->n_cols;
  const size_t projection = item / work->n_rows;
  const size_t row = work->first_row + item % work->n_rows;
  const size_t i = (projection * host->n_block_rows + row) * n;
  const size_t sample_size = tl_sample_size (host->type);
  const char *samples = (const char *)host->samples.data + i * sample_size;
  float *v = (float *)host->corrected.data + item * n;

  for (size_t col = 0; col < n; col += N_CHUNK)
    {
      const size_t n_chunk = MIN (N_CHUNK, n - col);
      double t[N_CHUNK];

      tl_samples_to_double (host->type, samples + col * sample_size, n_chunk,
                            t);
      if (work->args->flat_field)
        divide_by_flat (host, projection, row, col, n_chunk, t);
      if (work->args->minus_log)
        take_log (t, n_chunk);
      for (size_t k = 0; k < n_chunk; k++)
        v[col + k] = (float)t[k];
    }
  replace_dead (host->dead, row, n, v);
}

gboolean
tl_host_correct (gpointer impl, const TlCorrectArgs *args, GError **error)
{
  g_auto (TlHostTimer) timer = tl_host_timer_start (impl, TL_STAGE_CORRECT);
  TlHost *host = impl;
  Work work = {
    .host = host,
    .args = args,
    .first_row = args->all_rows ? 0 : host->n_above,
    .n_rows = args->all_rows ? host->n_block_rows : host->n_rows,
  };

  if (!tl_host_buffer_resize (&host->corrected, host->n_projections,
                              work.n_rows, host->n_cols, sizeof (float),
                              _ ("the corrected projections"), error))
    return FALSE;
  tl_host_pool_run (host->pool, host->n_projections * work.n_rows, correct_row,
                    &work);
  return TRUE;
}
