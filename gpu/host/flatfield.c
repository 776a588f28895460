/* The stage "correct": the formula is in gpu/backends-private.h. In double,
 * because the rounding of a transmission near 1 is large against its
 * logarithm, and the ramp filter raises such noise. */
#include "gpu/host/host-private.h"

#include <math.h>

typedef struct
{
  TlHost *host;
  const TlCorrectArgs *args;
} Work;

static void
divide_by_flat (const TlHost *host, size_t projection, size_t row, float *v)
{
  const size_t n = host->n_cols, plane = host->n_rows * n;
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
      /* written so that NaN becomes the least transmission */
      const double t =
          v[col] > TL_MIN_TRANSMISSION ? v[col] : TL_MIN_TRANSMISSION;

      v[col] = (float)-log (t);
    }
}

/* The neighbours that are read are live, so the order does not matter. */
static void
replace_dead (const TlDeadPixels *dead, size_t row, size_t n, float *v)
{
  const guint32 *left = dead->left_col + row * n;
  const guint32 *right = dead->right_col + row * n;
  const float *mix = dead->mix + row * n;

  for (size_t col = 0; col < n; col++)
    {
      if (left[col] != col)
        v[col] = (1.0f - mix[col]) * v[left[col]] + mix[col] * v[right[col]];
    }
}

static void
correct_row (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  TlHost *host = work->host;
  const size_t n = host->n_cols, row = item % host->n_rows;
  float *v = (float *)host->corrected.data + item * n;

  tl_samples_to_float (host->type,
                       (const char *)host->samples.data
                           + item * n * tl_sample_size (host->type),
                       n, v);
  if (work->args->flat_field)
    divide_by_flat (host, item / host->n_rows, row, v);
  if (work->args->minus_log)
    take_log (v, n);
  replace_dead (host->dead, row, n, v);
}

gboolean
tl_host_correct (TlHost *host, const TlCorrectArgs *args, GError **error)
{
  Work work = { .host = host, .args = args };

  if (!tl_host_buffer_resize (&host->corrected, host->n_projections,
                              host->n_rows, host->n_cols, sizeof (float),
                              "the corrected projections", error))
    return FALSE;
  tl_host_pool_run (host->pool, host->n_projections * host->n_rows, correct_row,
                    &work);
  return TRUE;
}
