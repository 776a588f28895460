/* Reads rows of projections, and keeps those that later reads will want. */
#include "data/array.h"
#include "data/error.h"
#include "data/read/format/rows.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>
#include <string.h>

void
tl_reader_set_budget (TlReader *reader, guint64 bytes)
{
  g_return_if_fail (reader != NULL);
  g_free (reader->kept.samples);
  g_free (reader->kept.is_read);
  g_free (reader->kept.fields);
  reader->kept = (TlKept){ .budget_bytes = bytes };
}

gboolean
tl_reader_give_up_keeping (TlReader *reader, GError *failure, GError **error)
{
  if (g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  g_error_free (failure);
  tl_reader_set_budget (reader, 0);
  return TRUE;
}

static gboolean
has_kept (const TlKept *kept, size_t first_row, size_t end_row)
{
  return kept->samples != NULL && first_row >= kept->first_row
         && end_row <= kept->first_row + kept->n_rows;
}

/* Returns: the first of at most @n_most rows that are kept with those from
 * @first_row to @end_row. Later reads go upwards, or anywhere. */
static size_t
choose_first_kept (const TlReader *reader, size_t first_row, size_t end_row,
                   guint64 n_most)
{
  const size_t n_rows = reader->info.n_rows;
  if (n_most >= n_rows)
    return 0;
  if (!reader->browses || n_most <= end_row - first_row)
    return first_row;
  const size_t n_others = (size_t)n_most - (end_row - first_row);
  const size_t first = first_row - MIN (first_row, n_others / 2);
  return MIN (first, n_rows - (size_t)n_most);
}

/* Makes room for all rows, or for those that the budget allows, if they are
 * more than those from @first_row to @end_row. Otherwise what is kept stays. */
static gboolean
choose_kept (TlReader *reader, size_t first_row, size_t end_row, GError **error)
{
  TlKept *kept = &reader->kept;
  const TlScanInfo *info = &reader->info;
  const size_t block = reader->draft.block_rows;
  const guint64 fields_bytes = tl_reader_count_fields_bytes (info);
  const guint64 n_most =
      (kept->budget_bytes - MIN (kept->budget_bytes, fields_bytes))
      / tl_reader_count_row_bytes (info);
  const size_t first = choose_first_kept (reader, first_row, end_row, n_most);
  size_t end = first + MIN (n_most, info->n_rows - first);
  if (end < info->n_rows && end / block * block > end_row)
    end = end / block * block;
  if (end - first <= end_row - first_row)
    return TRUE;
  g_clear_pointer (&kept->samples, g_free);
  g_clear_pointer (&kept->is_read, g_free);
  kept->first_row = first;
  kept->n_rows = end - first;
  kept->n_read = 0;
  kept->read_s = 0;
  kept->is_read =
      tl_try_alloc (info->n_projections, 1, 1, 1, _ ("the projections"), error);
  if (kept->is_read == NULL)
    return FALSE;
  kept->samples =
      tl_try_alloc (info->n_projections, kept->n_rows, info->n_cols,
                    tl_sample_size (info->type), _ ("the projections"), error);
  if (kept->samples == NULL)
    return FALSE;
  memset (kept->is_read, FALSE, info->n_projections);
  return TRUE;
}

/* Fills @missing with the projections that are not kept yet, of those whose
 * number is a multiple of @every. Returns: how many they are */
static size_t
list_missing (const TlReader *reader, size_t every, size_t *missing)
{
  size_t n = 0;
  for (size_t p = 0; p < reader->info.n_projections; p += every)
    if (!reader->kept.is_read[p])
      missing[n++] = p;
  return n;
}

static void
count_kept (TlReader *reader)
{
  TlKept *kept = &reader->kept;
  kept->n_read = 0;
  for (size_t p = 0; p < reader->info.n_projections; p++)
    kept->n_read += kept->is_read[p];
}

/* Reads rows around those from @first_row on into memory, for this read and
 * later ones, where single rows cannot be read and the budget allows it.
 * @every: 1: of all projections; else of each @every-th */
static gboolean
keep_rows (TlReader *reader, size_t first_row, size_t end_row, size_t every,
           GCancellable *cancellable, GError **error)
{
  TlKept *kept = &reader->kept;
  const size_t n_all = reader->info.n_projections;
  GError *failure = NULL;
  if (kept->budget_bytes == 0 || reader->draft.block_rows < 2)
    return TRUE;
  if (!has_kept (kept, first_row, end_row)
      && !choose_kept (reader, first_row, end_row, &failure))
    return tl_reader_give_up_keeping (reader, failure, error);
  if (!has_kept (kept, first_row, end_row) || kept->n_read == n_all)
    return TRUE;
  size_t n_done = 0;
  g_autofree size_t *rows =
      tl_rows_list (kept->first_row, kept->n_rows, &failure);
  g_autofree size_t *missing =
      rows != NULL ? tl_try_alloc (n_all, 1, 1, sizeof *missing,
                                   _ ("the projections"), &failure)
                   : NULL;
  if (missing == NULL)
    return tl_reader_give_up_keeping (reader, failure, error);
  const TlReadRequest request = {
    .reader = reader,
    .kind = TL_FRAMES_PROJECTIONS,
    .frames = missing,
    .end = list_missing (reader, every, missing),
    .rows = rows,
    .n_rows = kept->n_rows,
    .sample_bytes = tl_sample_size (reader->info.type),
    .dest = kept->samples,
    .keeps = TRUE,
  };
  const gint64 start_us = g_get_monotonic_time ();
  const gboolean good =
      tl_reader_run_request (&request, &n_done, NULL, cancellable, &failure);
  kept->read_s += (double)(g_get_monotonic_time () - start_us) / 1e6;
  count_kept (reader);
  return good || tl_reader_give_up_keeping (reader, failure, error);
}

/* Returns: seconds that the projections which are not kept yet will take, at
 * the rate of the others */
static double
estimate_rest_s (const TlReader *reader)
{
  const TlKept *kept = &reader->kept;
  return kept->read_s / (double)MAX (kept->n_read, 1)
         * (double)(reader->info.n_projections - kept->n_read);
}

/* Returns: (transfer full) (nullable): the name of the file that holds
 * projection @projection of the scan as it is in the file */
static char *
dup_frame_name (TlReader *reader, size_t projection)
{
  return reader->format->dup_frame_name == NULL
             ? NULL
             : reader->format->dup_frame_name (
                 reader->source, TL_FRAMES_PROJECTIONS, projection);
}

static gboolean
refuse_damage (TlReader *reader, const TlDamage *damage, GError **error)
{
  if (damage->n_bad == 0 || reader->replace_nan)
    return TRUE;
  g_autofree char *file = dup_frame_name (reader, damage->projection);
  return tl_fail (
      error, TL_ERROR_VALUE,
      g_dngettext (NULL,
                   "%s: %zu sample is NaN or infinite, the first in "
                   "projection %zu%s%s%s, row %zu, column %zu; "
                   "nan=replace mends it from the neighbours",
                   "%s: %zu samples are NaN or infinite, the first in "
                   "projection %zu%s%s%s, row %zu, column %zu; "
                   "nan=replace mends them from the neighbours",
                   damage->n_bad),
      reader->name, damage->n_bad, damage->projection, file != NULL ? " (" : "",
      file != NULL ? file : "", file != NULL ? ")" : "", damage->row,
      damage->col);
}

/* Reads the projections from *@next up to @end. *@next does not advance past a
 * projection with bad samples, so that a repeated call finds all of them and
 * reports their total number again. @part: (nullable): [@end], the numbers of
 * projections that are kept; %NULL: each number below @end is its own */
static gboolean
read_projections (TlReader *reader, const size_t *part, size_t *next,
                  size_t end, const size_t *rows, size_t n_rows, char *dest,
                  GCancellable *cancellable, GError **error)
{
  const TlReadRequest request = {
    .reader = reader,
    .kind = TL_FRAMES_PROJECTIONS,
    .frames = part,
    .first = *next,
    .end = end,
    .rows = rows,
    .n_rows = n_rows,
    .sample_bytes = tl_sample_size (reader->info.type),
    .dest = dest,
    .from_kept = part != NULL
                 || (has_kept (&reader->kept, rows[0], rows[n_rows - 1] + 1)
                     && reader->kept.n_read == reader->info.n_projections),
  };
  TlDamage damage = { 0 };
  if (!tl_reader_run_request (&request, next, &damage, cancellable, error)
      || !refuse_damage (reader, &damage, error))
    return FALSE;
  *next = end;
  reader->n_mended = damage.n_bad;
  return TRUE;
}

gboolean
tl_reader_read_list (TlReader *reader, const size_t *rows, size_t n_rows,
                     size_t *n_done, void *dest, GCancellable *cancellable,
                     GError **error)
{
  g_return_val_if_fail (reader != NULL && dest != NULL, FALSE);
  g_return_val_if_fail (tl_rows_are_list (rows, n_rows, reader->info.n_rows),
                        FALSE);
  const TlScanInfo *info = &reader->info;
  const size_t frame_bytes =
      n_rows * info->n_cols * tl_sample_size (info->type);
  return keep_rows (reader, rows[0], rows[n_rows - 1] + 1, 1, cancellable,
                    error)
         && read_projections (reader, NULL, n_done, info->n_projections, rows,
                              n_rows, (char *)dest + *n_done * frame_bytes,
                              cancellable, error);
}

gboolean
tl_reader_read (TlReader *reader, size_t first_row, size_t n_rows, void *dest,
                GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && dest != NULL, FALSE);
  g_return_val_if_fail (n_rows > 0 && first_row < reader->info.n_rows
                            && n_rows <= reader->info.n_rows - first_row,
                        FALSE);
  size_t n_done = 0;
  g_autofree size_t *rows = tl_rows_list (first_row, n_rows, error);
  return rows != NULL
         && tl_reader_read_list (reader, rows, n_rows, &n_done, dest,
                                 cancellable, error);
}

/* Keeps the rows of each @every-th projection. *@is_kept: whether they are kept
 * now and the others would take more than @patience_s. */
static gboolean
keep_part (TlReader *reader, const size_t *rows, size_t n_rows, size_t every,
           double patience_s, gboolean *is_kept, GCancellable *cancellable,
           GError **error)
{
  const size_t end_row = rows[n_rows - 1] + 1;
  *is_kept = FALSE;
  if (every < 2 || reader->draft.block_frames > 1 || reader->uses_inflater)
    return TRUE;
  if (!keep_rows (reader, rows[0], end_row, every, cancellable, error))
    return FALSE;
  *is_kept = has_kept (&reader->kept, rows[0], end_row)
             && estimate_rest_s (reader) > patience_s;
  return TRUE;
}

/* Copies the rows of each @every-th projection, which are kept. */
static gboolean
copy_part (TlReader *reader, const size_t *rows, size_t n_rows, size_t every,
           char *dest, GCancellable *cancellable, GError **error)
{
  const size_t n = (reader->info.n_projections + every - 1) / every;
  size_t n_done = 0;
  g_autofree size_t *part =
      tl_try_alloc (n, 1, 1, sizeof *part, _ ("the projections"), error);
  for (size_t k = 0; part != NULL && k < n; k++)
    part[k] = k * every;
  return part != NULL
         && read_projections (reader, part, &n_done, n, rows, n_rows, dest,
                              cancellable, error);
}

gboolean
tl_reader_read_part (TlReader *reader, size_t first_row, size_t n_rows,
                     guint *every, double patience_s, void *dest,
                     GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && dest != NULL && *every > 0, FALSE);
  g_return_val_if_fail (n_rows > 0 && first_row < reader->info.n_rows
                            && n_rows <= reader->info.n_rows - first_row,
                        FALSE);
  gboolean is_kept;
  g_autoptr (GError) failure = NULL;
  g_autofree size_t *rows = tl_rows_list (first_row, n_rows, error);
  if (rows == NULL
      || !keep_part (reader, rows, n_rows, *every, patience_s, &is_kept,
                     cancellable, error))
    return FALSE;
  if (is_kept
      && copy_part (reader, rows, n_rows, *every, dest, cancellable, &failure))
    return TRUE;
  *every = 1;
  return tl_reader_read (reader, first_row, n_rows, dest, cancellable, error);
}

gboolean
tl_reader_read_block (TlReader *reader, size_t first, size_t n,
                      size_t first_row, size_t n_rows, void *dest,
                      GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && dest != NULL && n > 0, FALSE);
  g_return_val_if_fail (first < reader->info.n_projections
                            && n <= reader->info.n_projections - first,
                        FALSE);
  g_return_val_if_fail (n_rows > 0 && first_row < reader->info.n_rows
                            && n_rows <= reader->info.n_rows - first_row,
                        FALSE);
  size_t next = first;
  g_autofree size_t *rows = tl_rows_list (first_row, n_rows, error);
  return rows != NULL
         && read_projections (reader, NULL, &next, first + n, rows, n_rows,
                              dest, cancellable, error);
}

gboolean
tl_reader_read_projections (TlReader *reader, size_t first, size_t n,
                            void *dest, GCancellable *cancellable,
                            GError **error)
{
  g_return_val_if_fail (reader != NULL, FALSE);
  return tl_reader_read_block (reader, first, n, 0, reader->info.n_rows, dest,
                               cancellable, error);
}

gboolean
tl_reader_read_projection (TlReader *reader, size_t projection, void *dest,
                           GError **error)
{
  return tl_reader_read_projections (reader, projection, 1, dest, NULL, error);
}
