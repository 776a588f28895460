#include "app/recon/prefetch-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <string.h>

void
tl_prefetch_clear (TlPrefetch *prefetch)
{
  g_free (prefetch->rows);
  g_free (prefetch->samples);
  g_free (prefetch->dark);
  g_free (prefetch->flat_first);
  g_free (prefetch->flat_last);
  *prefetch = (TlPrefetch){ 0 };
}

/* --- the rows --- */

/* State of tl_prefetch_plan(). */
typedef struct
{
  guint8 *is_listed; /* [n_rows] of the detector */
  size_t n_listed;
  size_t n_alone; /* chunks of the file that reads one by one would decode */
} Plan;

/* Adds @row and its margin. Returns: %FALSE, adding nothing, if the plan would
 * have more than @n_most rows. */
static gboolean
list_row (Plan *plan, size_t row, size_t margin, const TlScanInfo *info,
          size_t block_rows, size_t n_most)
{
  const size_t first = row - MIN (margin, row);
  const size_t last = MIN (row + margin, info->n_rows - 1);
  size_t n_new = 0;
  for (size_t k = first; k <= last; k++)
    n_new += !plan->is_listed[k];
  if (plan->n_listed + n_new > n_most)
    return FALSE;
  memset (plan->is_listed + first, TRUE, last - first + 1);
  plan->n_listed += n_new;
  plan->n_alone += last / block_rows - first / block_rows + 1;
  return TRUE;
}

gboolean
tl_prefetch_plan (TlPrefetch *prefetch, TlReader *reader, const size_t *wanted,
                  size_t n, size_t margin)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t block_rows = tl_reader_get_block_rows (reader);
  const size_t row_bytes =
      info->n_projections * info->n_cols * tl_sample_size (info->type);
  tl_prefetch_clear (prefetch);
  if (block_rows < 2)
    return FALSE;
  g_autofree guint8 *is_listed = g_new0 (guint8, info->n_rows);
  Plan plan = { .is_listed = is_listed };
  for (size_t k = 0; k < n; k++)
    {
      if (!list_row (&plan, wanted[k], margin, info, block_rows,
                     TL_PREFETCH_BYTES / row_bytes))
        break;
      prefetch->last = wanted[k];
    }
  if (plan.n_listed == 0)
    return FALSE;
  prefetch->rows = g_new (size_t, plan.n_listed);
  for (size_t row = 0; row < info->n_rows; row++)
    if (is_listed[row])
      prefetch->rows[prefetch->n_rows++] = row;
  if (tl_reader_count_blocks (reader, prefetch->rows, prefetch->n_rows)
      < plan.n_alone)
    return TRUE;
  tl_prefetch_clear (prefetch);
  return FALSE;
}

/* Returns: index of @first_row if all @n_rows rows are planned, else
 * prefetch->n_rows */
static size_t
find_rows (const TlPrefetch *prefetch, size_t first_row, size_t n_rows)
{
  for (size_t k = 0; k + n_rows <= prefetch->n_rows; k++)
    if (prefetch->rows[k] == first_row)
      return prefetch->rows[k + n_rows - 1] == first_row + n_rows - 1
                 ? k
                 : prefetch->n_rows;
  return prefetch->n_rows;
}

gboolean
tl_prefetch_lists (const TlPrefetch *prefetch, size_t first_row, size_t n_rows)
{
  return find_rows (prefetch, first_row, n_rows) < prefetch->n_rows;
}

/* --- the samples of the rows --- */

static gboolean
allocate (TlPrefetch *prefetch, const TlScanInfo *info, GError **error)
{
  double **fields[] = { &prefetch->dark, &prefetch->flat_first,
                        &prefetch->flat_last };
  if (prefetch->samples != NULL)
    return TRUE;
  for (size_t k = 0; info->n_flats > 0 && k < G_N_ELEMENTS (fields); k++)
    {
      g_free (*fields[k]);
      *fields[k] =
          tl_try_alloc (1, prefetch->n_rows, info->n_cols, sizeof (double),
                        _ ("the flat and dark fields"), error);
      if (*fields[k] == NULL)
        return FALSE;
    }
  prefetch->samples =
      tl_try_alloc (info->n_projections, prefetch->n_rows, info->n_cols,
                    tl_sample_size (info->type), _ ("the projections"), error);
  return prefetch->samples != NULL;
}

gboolean
tl_prefetch_read (TlPrefetch *prefetch, TlReader *reader,
                  GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  if (prefetch->is_read)
    return TRUE;
  if (!allocate (prefetch, info, error)
      || !tl_reader_read_list (reader, prefetch->rows, prefetch->n_rows,
                               &prefetch->n_done, prefetch->samples,
                               cancellable, error)
      || (info->n_flats > 0
          && !tl_reader_read_fields_list (
              reader, prefetch->rows, prefetch->n_rows, prefetch->dark,
              prefetch->flat_first, prefetch->flat_last, cancellable, error)))
    return FALSE;
  prefetch->is_read = TRUE;
  return TRUE;
}

gboolean
tl_prefetch_copy (const TlPrefetch *prefetch, const TlScanInfo *info,
                  size_t first_row, size_t n_rows, void *samples, double *dark,
                  double *flat_first, double *flat_last)
{
  const size_t at = find_rows (prefetch, first_row, n_rows);
  const size_t row_bytes = info->n_cols * tl_sample_size (info->type);
  const size_t n_fields = n_rows * info->n_cols;
  const size_t at_fields = at * info->n_cols;
  if (!prefetch->is_read || at >= prefetch->n_rows)
    return FALSE;
  for (size_t p = 0; p < info->n_projections; p++)
    memcpy ((char *)samples + p * n_rows * row_bytes,
            (const char *)prefetch->samples
                + (p * prefetch->n_rows + at) * row_bytes,
            n_rows * row_bytes);
  if (info->n_flats == 0)
    return TRUE;
  memcpy (dark, prefetch->dark + at_fields, n_fields * sizeof (double));
  memcpy (flat_first, prefetch->flat_first + at_fields,
          n_fields * sizeof (double));
  memcpy (flat_last, prefetch->flat_last + at_fields,
          n_fields * sizeof (double));
  return TRUE;
}
