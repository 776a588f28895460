/* Rows of all projections, and of the mean flat and dark fields. */
#include "data/read/reader-private.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* One call of a format reads about this much, so that a cancelled read ends
 * soon and the overhead of a call does not count. */
enum
{
  CALL_BYTES = 32 << 20
};

size_t *
tl_reader_list_rows (size_t first_row, size_t n_rows, GError **error)
{
  size_t *rows =
      tl_try_alloc (n_rows, 1, 1, sizeof *rows, _ ("a list of rows"), error);
  for (size_t k = 0; rows != NULL && k < n_rows; k++)
    rows[k] = first_row + k;
  return rows;
}

size_t
tl_reader_count_run (const size_t *rows, size_t n_rows, size_t k)
{
  size_t n = 1;
  while (k + n < n_rows && rows[k + n] == rows[k] + n)
    n++;
  return n;
}

size_t
tl_reader_count_blocks (TlReader *reader, const size_t *rows, size_t n_rows)
{
  g_return_val_if_fail (reader != NULL && n_rows > 0, 0);
  const size_t block = tl_reader_get_block_rows (reader);
  size_t n = 1;
  for (size_t k = 1; k < n_rows; k++)
    n += rows[k] / block != rows[k - 1] / block;
  return n;
}

/* Returns: rows of a frame that are decoded for these. */
static size_t
count_touched (TlReader *reader, const size_t *rows, size_t n_rows)
{
  return MIN (tl_reader_count_blocks (reader, rows, n_rows)
                  * tl_reader_get_block_rows (reader),
              MAX (n_rows, reader->info.n_rows));
}

/* Whole blocks where frames are compressed together. */
static size_t
frames_per_call (TlReader *reader, const size_t *rows, size_t n_rows,
                 size_t sample_bytes)
{
  const size_t block = reader->draft.block_frames;
  const size_t n_decoded =
      block == 1 ? count_touched (reader, rows, n_rows) : n_rows;
  const size_t bytes = n_decoded * reader->info.n_cols * sample_bytes;
  const size_t n = MAX (CALL_BYTES / bytes, 1);
  return block > 1 ? MAX (n / block, 1) * block : n;
}

/* What is wrong with the samples of one read. */
typedef struct
{
  size_t n_bad;
  size_t projection, row, col; /* of the first */
} Damage;

/* @samples: [n_frames][n_rows][n_cols]. FALSE where a row cannot be mended. */
static gboolean
check_samples (TlReader *reader, size_t first_frame, size_t n_frames,
               const size_t *rows, size_t n_rows, void *samples, Damage *damage,
               GError **error)
{
  TlSampleType type = reader->info.type;
  size_t n_cols = reader->info.n_cols;
  size_t row_bytes = n_cols * tl_sample_size (type);
  if (type != TL_SAMPLE_F32 && type != TL_SAMPLE_F64)
    return TRUE;
  for (size_t i = 0; i < n_frames * n_rows; i++)
    {
      char *row = (char *)samples + i * row_bytes;
      size_t col = 0;
      size_t n_bad = tl_samples_count_bad (type, row, n_cols, &col);
      if (n_bad == 0)
        continue;
      if (damage->n_bad == 0)
        {
          damage->projection = first_frame + i / n_rows;
          damage->row = rows[i % n_rows];
          damage->col = col;
        }
      damage->n_bad += n_bad;
      if (reader->replace_nan
          && tl_samples_repair_row (type, row, n_cols) == n_cols)
        {
          g_set_error (
              error, TL_ERROR, TL_ERROR_VALUE,
              _ ("%s: row %zu of projection %zu has no sample that is a "
                 "number"),
              reader->name, rows[i % n_rows], first_frame + i / n_rows);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
refuse_damage (TlReader *reader, const Damage *damage, GError **error)
{
  if (damage->n_bad == 0 || reader->replace_nan)
    return TRUE;
  g_autofree char *file =
      reader->format->dup_frame_name == NULL
          ? NULL
          : reader->format->dup_frame_name (
              reader->source, TL_FRAMES_PROJECTIONS, damage->projection);
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               g_dngettext (NULL,
                            "%s: %zu sample is NaN or infinite, the first in "
                            "projection %zu%s%s%s, row %zu, column %zu; "
                            "nan=replace mends it from the neighbours",
                            "%s: %zu samples are NaN or infinite, the first in "
                            "projection %zu%s%s%s, row %zu, column %zu; "
                            "nan=replace mends them from the neighbours",
                            damage->n_bad),
               reader->name, damage->n_bad, damage->projection,
               file != NULL ? " (" : "", file != NULL ? file : "",
               file != NULL ? ")" : "", damage->row, damage->col);
  return FALSE;
}

/* Projections from *@next to @end; *@next stays behind damage, so that all of
 * it is counted at once. */
static gboolean
read_projections (TlReader *reader, size_t *next, size_t end,
                  const size_t *rows, size_t n_rows, char *dest,
                  GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = &reader->info;
  const size_t sample_bytes = tl_sample_size (info->type);
  const size_t frame_bytes = n_rows * info->n_cols * sample_bytes;
  const size_t step = frames_per_call (reader, rows, n_rows, sample_bytes);
  const size_t first = *next;
  Damage damage = { 0 };
  for (size_t i = first; i < end; i += step)
    {
      const size_t n = MIN (step, end - i);
      char *place = dest + (i - first) * frame_bytes;
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !reader->format->read (reader->source, TL_FRAMES_PROJECTIONS, i, n,
                                    rows, n_rows, place, error)
          || !check_samples (reader, i, n, rows, n_rows, place, &damage, error))
        return FALSE;
      *next = damage.n_bad == 0 ? i + n : *next;
    }
  if (!refuse_damage (reader, &damage, error))
    return FALSE;
  *next = end;
  reader->n_mended = damage.n_bad;
  return TRUE;
}

size_t
tl_reader_get_n_mended (TlReader *reader)
{
  g_return_val_if_fail (reader != NULL, 0);
  return reader->n_mended;
}

static gboolean
is_list (TlReader *reader, const size_t *rows, size_t n_rows)
{
  for (size_t k = 1; k < n_rows; k++)
    if (rows[k] <= rows[k - 1])
      return FALSE;
  return n_rows > 0 && rows[n_rows - 1] < reader->info.n_rows;
}

gboolean
tl_reader_read_list (TlReader *reader, const size_t *rows, size_t n_rows,
                     size_t *n_done, void *dest, GCancellable *cancellable,
                     GError **error)
{
  g_return_val_if_fail (reader != NULL && dest != NULL, FALSE);
  g_return_val_if_fail (is_list (reader, rows, n_rows), FALSE);
  const TlScanInfo *info = &reader->info;
  const size_t frame_bytes =
      n_rows * info->n_cols * tl_sample_size (info->type);
  return read_projections (reader, n_done, info->n_projections, rows, n_rows,
                           (char *)dest + *n_done * frame_bytes, cancellable,
                           error);
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
  g_autofree size_t *rows = tl_reader_list_rows (first_row, n_rows, error);
  return rows != NULL
         && tl_reader_read_list (reader, rows, n_rows, &n_done, dest,
                                 cancellable, error);
}

gboolean
tl_reader_read_projection (TlReader *reader, size_t projection, void *dest,
                           GError **error)
{
  g_return_val_if_fail (reader != NULL && dest != NULL, FALSE);
  g_return_val_if_fail (projection < reader->info.n_projections, FALSE);
  const size_t n_rows = reader->info.n_rows;
  size_t next = projection;
  g_autofree size_t *rows = tl_reader_list_rows (0, n_rows, error);
  return rows != NULL
         && read_projections (reader, &next, projection + 1, rows, n_rows, dest,
                              NULL, error);
}

/* A NaN in one frame is one in the mean: such a pixel is dead. */
static gboolean
read_mean (TlReader *reader, TlFrameKind kind, size_t first_frame,
           size_t n_frames, const size_t *rows, size_t n_rows, float *dest,
           GCancellable *cancellable, GError **error)
{
  const TlFrameSet *set = &reader->draft.frames[kind];
  size_t n_cols = reader->info.n_cols, n = n_rows * n_cols;
  size_t frame_bytes = n * tl_sample_size (set->type);
  size_t step =
      MIN (frames_per_call (reader, rows, n_rows, tl_sample_size (set->type)),
           n_frames);
  g_autofree char *samples =
      tl_try_alloc (step, n_rows, n_cols, tl_sample_size (set->type),
                    _ ("the fields"), error);
  g_autofree double *sums =
      samples == NULL ? NULL
                      : tl_try_alloc (n_rows, n_cols, 1, sizeof (double),
                                      _ ("the sum of the fields"), error);
  if (sums == NULL)
    return FALSE;
  memset (sums, 0, n * sizeof (double));
  for (size_t i = 0; i < n_frames; i += step)
    {
      size_t n_now = MIN (step, n_frames - i);
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !reader->format->read (reader->source, kind, first_frame + i,
                                    n_now, rows, n_rows, samples, error))
        return FALSE;
      for (size_t f = 0; f < n_now; f++)
        {
          tl_samples_to_float (set->type, samples + f * frame_bytes, n, dest);
          for (size_t k = 0; k < n; k++)
            sums[k] += dest[k];
        }
    }
  for (size_t k = 0; k < n; k++)
    dest[k] = (float)(sums[k] / (double)n_frames);
  return TRUE;
}

static gboolean
check_flats (TlReader *reader, const size_t *rows, size_t n_rows,
             const float *dark, const float *flat, GError **error)
{
  size_t n_cols = reader->info.n_cols;
  for (size_t r = 0; r < n_rows; r++)
    {
      gboolean alive = FALSE;
      for (size_t k = r * n_cols; k < (r + 1) * n_cols && !alive; k++)
        alive = isfinite (flat[k]) && flat[k] > dark[k];
      if (alive)
        continue;
      g_set_error (
          error, TL_ERROR, TL_ERROR_VALUE,
          _ ("%s: the flat fields of row %zu are nowhere above the dark "
             "fields"),
          reader->name, rows[r]);
      return FALSE;
    }
  return TRUE;
}

gboolean
tl_reader_read_fields_list (TlReader *reader, const size_t *rows, size_t n_rows,
                            float *dark, float *flat_first, float *flat_last,
                            GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && reader->info.n_flats > 0, FALSE);
  g_return_val_if_fail (is_list (reader, rows, n_rows), FALSE);
  const TlScanInfo *info = &reader->info;
  size_t bytes = n_rows * info->n_cols * sizeof (float);
  size_t n_before = info->n_flats_before;
  size_t n_after = info->n_flats - n_before;
  memset (dark, 0, bytes);
  if (info->n_darks > 0
      && !read_mean (reader, TL_FRAMES_DARKS, 0, info->n_darks, rows, n_rows,
                     dark, cancellable, error))
    return FALSE;
  if (n_before > 0
      && !read_mean (reader, TL_FRAMES_FLATS, 0, n_before, rows, n_rows,
                     flat_first, cancellable, error))
    return FALSE;
  if (n_after > 0
      && !read_mean (reader, TL_FRAMES_FLATS, n_before, n_after, rows, n_rows,
                     flat_last, cancellable, error))
    return FALSE;
  if (n_before == 0)
    memcpy (flat_first, flat_last, bytes);
  else if (n_after == 0)
    memcpy (flat_last, flat_first, bytes);
  return check_flats (reader, rows, n_rows, dark, flat_first, error)
         && check_flats (reader, rows, n_rows, dark, flat_last, error);
}

gboolean
tl_reader_read_fields (TlReader *reader, size_t first_row, size_t n_rows,
                       float *dark, float *flat_first, float *flat_last,
                       GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && reader->info.n_flats > 0, FALSE);
  g_return_val_if_fail (n_rows > 0 && first_row < reader->info.n_rows
                            && n_rows <= reader->info.n_rows - first_row,
                        FALSE);
  g_autofree size_t *rows = tl_reader_list_rows (first_row, n_rows, error);
  return rows != NULL
         && tl_reader_read_fields_list (reader, rows, n_rows, dark, flat_first,
                                        flat_last, cancellable, error);
}
