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

static void
divide_by_flat (const TlHost *host, size_t projection, size_t row, float *v)
{
  const size_t n = host->n_cols, plane = host->n_block_rows * n;
  const float *dark = (const float *)host->fields.data + row * n;
  const float *first = dark + plane, *last = first + plane;
  const double part =
      host->n_projections > 1
          ? (double)projection / (double)(host->n_projections - 1)
          : 0.0;

  for (size_t col = 0; col < n; col++)
    {
      const double flat = first[col] + ((double)last[col] - first[col]) * part;

      v[col] = (float)(((double)v[col] - dark[col]) / (flat - dark[col]));
    }
}

static void
take_log (float *v, size_t n)
{
  for (size_t col = 0; col < n; col++)
    {
      /* The comparison turns NaN into the smallest transmission. */
      const double t =
          v[col] > TL_MIN_TRANSMISSION ? v[col] : TL_MIN_TRANSMISSION;

      v[col] = (float)-log (t);
    }
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
  float *v = (float *)host->corrected.data + item * n;

  tl_samples_to_float (
      host->type,
      (const char *)host->samples.data + i * tl_sample_size (host->type), n, v);
  if (work->args->flat_field)
    divide_by_flat (host, projection, row, v);
  if (work->args->minus_log)
    take_log (v, n);
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
