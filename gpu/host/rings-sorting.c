/* Rings by sorting; gpu/backend/backend.h has the formula. Values are mapped to
 * integer keys of the same order, so that NaN has a place in the order too. */
#include "gpu/host/host-private.h"
#include "gpu/stages/mirror.h"

#include <glib/gi18n.h>
#include <string.h>

#define COLS_PER_ITEM 16 /* a cache line of floats */
#define RANKS_PER_ITEM 16

/* A sample of a column: its key and its projection. */
typedef struct
{
  guint32 key, projection;
} Sample;

typedef struct
{
  const TlHost *host;
  size_t row;
  size_t half; /* columns of the median's window to either side */
  float *to;
  GCancellable *cancellable;

  guint32 *sorted; /* [n_projections][n_cols]: keys, [rank][col] */
  guint32 *order;  /* likewise: the projection of each key */
  Sample *samples; /* [2][n_projections] for each worker */
  guint32 *keys;   /* a row of keys and a window for each worker */
  size_t keys_stride;
} Work;

static guint32
to_key (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits ^ ((bits & 0x80000000u) != 0 ? 0xffffffffu : 0x80000000u);
}

static float
from_key (guint32 key)
{
  const guint32 bits =
      key ^ ((key & 0x80000000u) != 0 ? 0x80000000u : 0xffffffffu);
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* A stable radix sort: one pass for each byte of the keys, the lowest byte
 * first.
 * @samples: [2][@n]; the first half is sorted, the second is scratch */
static void
sort_samples (Sample *samples, size_t n)
{
  Sample *from = samples, *to = samples + n;

  for (guint shift = 0; shift < 32; shift += 8)
    {
      size_t places[257] = { 0 };
      Sample *swapped = from;

      for (size_t i = 0; i < n; i++)
        places[(from[i].key >> shift & 0xff) + 1]++;
      for (size_t b = 0; b < 256; b++)
        places[b + 1] += places[b];
      for (size_t i = 0; i < n; i++)
        to[places[from[i].key >> shift & 0xff]++] = from[i];
      from = to;
      to = swapped;
    }
}

static void
sort_columns (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const size_t n = host->n_projections, n_cols = host->n_cols;
  const size_t end = MIN ((item + 1) * COLS_PER_ITEM, n_cols);
  const float *from = host->attenuation + work->row * n_cols;
  Sample *samples = work->samples + 2 * worker * n;

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  for (size_t col = item * COLS_PER_ITEM; col < end; col++)
    {
      for (size_t p = 0; p < n; p++)
        samples[p] = (Sample){ to_key (from[p * host->n_rows * n_cols + col]),
                               (guint32)p };
      sort_samples (samples, n);
      for (size_t rank = 0; rank < n; rank++)
        {
          work->sorted[rank * n_cols + col] = samples[rank].key;
          work->order[rank * n_cols + col] = samples[rank].projection;
        }
    }
}

/* Returns: the index of the first key in @window, [@n] ascending, that is not
 * below @key. */
static size_t
find_place (const guint32 *window, size_t n, guint32 key)
{
  size_t first = 0;

  while (n > 0)
    {
      const size_t half = n / 2;

      if (window[first + half] < key)
        {
          first += half + 1;
          n -= half + 1;
        }
      else
        n = half;
    }
  return first;
}

/* Replaces the key @old by @new and keeps @window, [@n], sorted. */
static void
replace_key (guint32 *window, size_t n, guint32 old, guint32 new)
{
  size_t place = find_place (window, n, old);

  for (; place + 1 < n && window[place + 1] < new; place++)
    window[place] = window[place + 1];
  for (; place > 0 && window[place - 1] > new; place--)
    window[place] = window[place - 1];
  window[place] = new;
}

static void
smooth_ranks (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t n = work->host->n_cols;
  const ptrdiff_t half = (ptrdiff_t)work->half;
  const size_t n_window = 2 * work->half + 1;
  const size_t end =
      MIN ((item + 1) * RANKS_PER_ITEM, work->host->n_projections);
  guint32 *row = work->keys + worker * work->keys_stride;
  guint32 *window = row + n;

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  for (size_t rank = item * RANKS_PER_ITEM; rank < end; rank++)
    {
      guint32 *sorted = work->sorted + rank * n;

      memcpy (row, sorted, n * sizeof *row);
      for (size_t i = 0; i < n_window; i++)
        {
          const guint32 key = row[tl_mirror ((ptrdiff_t)i - half, n)];

          window[i] = G_MAXUINT32;
          replace_key (window, i + 1, G_MAXUINT32, key);
        }
      sorted[0] = window[half];
      for (size_t col = 1; col < n; col++)
        {
          replace_key (window, n_window,
                       row[tl_mirror ((ptrdiff_t)col - 1 - half, n)],
                       row[tl_mirror ((ptrdiff_t)col + half, n)]);
          sorted[col] = window[half];
        }
    }
}

static void
put_back (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const size_t n_cols = host->n_cols;
  const size_t end = MIN ((item + 1) * COLS_PER_ITEM, n_cols);
  float *to = work->to + work->row * n_cols;

  for (size_t rank = 0; rank < host->n_projections; rank++)
    for (size_t col = item * COLS_PER_ITEM; col < end; col++)
      to[work->order[rank * n_cols + col] * host->n_rows * n_cols + col] =
          from_key (work->sorted[rank * n_cols + col]);
}

static gboolean
sort_row (Work *work, GError **error)
{
  TlHostPool *pool = work->host->pool;
  const size_t n_blocks =
      (work->host->n_cols + COLS_PER_ITEM - 1) / COLS_PER_ITEM;
  const size_t n_ranks =
      (work->host->n_projections + RANKS_PER_ITEM - 1) / RANKS_PER_ITEM;

  tl_host_pool_run (pool, n_blocks, sort_columns, work);
  tl_host_pool_run (pool, n_ranks, smooth_ranks, work);
  if (g_cancellable_set_error_if_cancelled (work->cancellable, error))
    return FALSE;
  tl_host_pool_run (pool, n_blocks, put_back, work);
  return TRUE;
}

gboolean
tl_host_sort_rings (TlHost *host, const TlParams *params,
                    GCancellable *cancellable, GError **error)
{
  const char *what = _ ("the sorted projections");
  const size_t n = host->n_projections, n_cols = host->n_cols;
  const size_t n_workers = tl_host_pool_get_n_workers (host->pool);
  const size_t half = MIN (params->ring_size / 2, n_cols);
  const size_t keys_stride = n_cols + 2 * half + 1;
  g_auto (TlHostBuffer) sorted = { 0 }, samples = { 0 }, keys = { 0 };

  if (!tl_host_buffer_resize (&sorted, 2, n, n_cols, sizeof (guint32), what,
                              error)
      || !tl_host_buffer_resize (&samples, n_workers, 2, n, sizeof (Sample),
                                 what, error)
      || !tl_host_buffer_resize (&keys, n_workers, keys_stride, 1,
                                 sizeof (guint32), what, error))
    return FALSE;
  Work work = {
    .host = host,
    .half = half,
    .to = host->ringless.data,
    .cancellable = cancellable,
    .sorted = sorted.data,
    .order = (guint32 *)sorted.data + n * n_cols,
    .samples = samples.data,
    .keys = keys.data,
    .keys_stride = keys_stride,
  };
  for (; work.row < host->n_rows; work.row++)
    if (!sort_row (&work, error))
      return FALSE;
  return TRUE;
}
