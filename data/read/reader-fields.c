/* Reads the mean flat and dark fields, without those that would spoil them. */
#include "data/array.h"
#include "data/error.h"
#include "data/parallel.h"
#include "data/read/field-sum-private.h"
#include "data/read/format/rows.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  ADDED_PIXELS = 4096 /* of a frame that one task adds; they fit its cache */
};

/* Frames that are added to sums. */
typedef struct
{
  TlSampleType type;
  const char *samples; /* [n_frames][n] */
  size_t n_frames, n;
  const guint8 *states; /* (nullable): [n_frames], of TlFieldState: which ones
                           are added; %NULL: all */
  TlFieldSum *sums;     /* (inout): [n] */
} Addition;

/* Adds the pixels of part @index, in the order of the frames. */
static gboolean
add_part (gpointer data, size_t index, GError **error)
{
  const Addition *addition = data;
  const size_t n = addition->n, first = index * ADDED_PIXELS;
  const size_t n_here = MIN (ADDED_PIXELS, n - first);
  const size_t sample_bytes = tl_sample_size (addition->type);
  double values[ADDED_PIXELS];
  for (size_t f = 0; f < addition->n_frames; f++)
    {
      if (addition->states != NULL && !tl_field_is_used (addition->states[f]))
        continue;
      tl_samples_to_double (addition->type,
                            addition->samples + (f * n + first) * sample_bytes,
                            n_here, values);
      tl_field_sum_add (addition->sums + first, values, n_here);
    }
  return TRUE;
}

static gboolean
add_frames (Addition *addition, GCancellable *cancellable, GError **error)
{
  size_t n_done;
  return tl_parallel_run ((addition->n + ADDED_PIXELS - 1) / ADDED_PIXELS,
                          g_get_num_processors (), add_part, addition,
                          cancellable, &n_done, error);
}

/* Returns: the states of the fields, once they are judged */
static const guint8 *
get_states (TlReader *reader, TlFrameKind kind, size_t first)
{
  return reader->fields != NULL ? reader->fields->states[kind] + first : NULL;
}

/* Returns: how many of the fields count in a mean */
static size_t
count_used (TlReader *reader, TlFrameKind kind, size_t first, size_t n_frames)
{
  const guint8 *states = get_states (reader, kind, first);
  size_t n = 0;
  for (size_t k = 0; k < n_frames && states != NULL; k++)
    n += tl_field_is_used (states[k]);
  return states != NULL ? n : n_frames;
}

/* Takes the rows of fields that are compared from those that were read: @rows
 * has them all. @first: of the fields in @samples */
static void
take_fields (TlFieldCheck *check, TlFrameKind kind, size_t first,
             const Addition *addition, const size_t *rows)
{
  const size_t n_cols = check->n_cols;
  const size_t sample_bytes = tl_sample_size (addition->type);
  g_autofree float *values = g_new (float, n_cols);
  for (size_t f = 0; f < addition->n_frames; f++)
    for (size_t r = 0, at = 0; r < check->n_rows; r++)
      {
        while (rows[at] < check->rows[r])
          at++;
        const size_t i = f * addition->n + at * n_cols;
        tl_samples_to_float (addition->type,
                             addition->samples + i * sample_bytes, n_cols,
                             values);
        tl_field_check_take (check, kind, first + f, r, values);
      }
}

/* A NaN in one frame makes the mean NaN: the pixel then counts as dead.
 * @check: (nullable): gets the fields */
static gboolean
read_mean (TlReader *reader, TlFrameKind kind, size_t first_frame,
           size_t n_frames, const size_t *rows, size_t n_rows,
           TlFieldCheck *check, double *dest, GCancellable *cancellable,
           GError **error)
{
  const TlFrameSet *set = &reader->draft.frames[kind];
  if (reader->draft.fields_are_means) /* all of one time are the same */
    n_frames = 1;
  const size_t n_used = count_used (reader, kind, first_frame, n_frames);
  size_t n_cols = reader->info.n_cols, n = n_rows * n_cols;
  const size_t bytes = tl_reader_count_decoded_bytes (
      reader, rows, n_rows, tl_sample_size (set->type));
  const size_t step =
      MIN (tl_reader_count_whole_blocks (reader, TL_READ_CALL_BYTES / bytes),
           n_frames);
  g_autofree char *samples =
      tl_try_alloc (step, n_rows, n_cols, tl_sample_size (set->type),
                    _ ("the fields"), error);
  g_autofree TlFieldSum *sums =
      tl_try_alloc (n_rows, n_cols, 1, sizeof *sums, _ ("the fields"), error);
  if (samples == NULL || sums == NULL)
    return FALSE;
  tl_field_sum_clear (sums, n);
  for (size_t i = 0; i < n_frames; i += step)
    {
      size_t n_now = MIN (step, n_frames - i);
      size_t next = first_frame + i;
      const TlReadRequest request = { .reader = reader,
                                      .kind = kind,
                                      .first = next,
                                      .end = next + n_now,
                                      .rows = rows,
                                      .n_rows = n_rows,
                                      .sample_bytes =
                                          tl_sample_size (set->type),
                                      .dest = samples };
      Addition addition = {
        set->type, samples, n_now, n, get_states (reader, kind, next), sums
      };
      if (!tl_reader_run_request (&request, &next, NULL, cancellable, error)
          || !add_frames (&addition, cancellable, error))
        return FALSE;
      if (check != NULL)
        take_fields (check, kind, first_frame + i, &addition, rows);
    }
  for (size_t k = 0; k < n; k += n_cols)
    reader->n_spots +=
        tl_field_sum_get_means (sums + k, n_cols, n_used, set->type, dest + k);
  return TRUE;
}

static gboolean
check_flats (TlReader *reader, const size_t *rows, size_t n_rows,
             const double *dark, const double *flat, GError **error)
{
  size_t n_cols = reader->info.n_cols;
  for (size_t r = 0; r < n_rows; r++)
    {
      gboolean alive = FALSE;
      for (size_t k = r * n_cols; k < (r + 1) * n_cols && !alive; k++)
        alive = isfinite (flat[k]) && flat[k] > dark[k];
      if (alive)
        continue;
      return tl_fail (
          error, TL_ERROR_VALUE,
          _ ("%s: the flat fields of row %zu are nowhere above the dark "
             "fields"),
          reader->name, rows[r]);
    }
  return TRUE;
}

/* @check: (nullable): gets the fields
 * @fields: dark, first and last flat, [@n_rows][n_cols] each */
static gboolean
read_each_mean (TlReader *reader, const size_t *rows, size_t n_rows,
                TlFieldCheck *check, double *const *fields,
                GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = &reader->info;
  double *dark = fields[0], *flat_first = fields[1], *flat_last = fields[2];
  size_t bytes = n_rows * info->n_cols * sizeof (double);
  const size_t middle = info->n_flats_before, n_flats = info->n_flats;
  const size_t n_before = count_used (reader, TL_FRAMES_FLATS, 0, middle);
  const size_t n_after =
      count_used (reader, TL_FRAMES_FLATS, middle, n_flats - middle);
  memset (dark, 0, bytes);
  reader->n_spots = 0;
  if (info->n_darks > 0
      && !read_mean (reader, TL_FRAMES_DARKS, 0, info->n_darks, rows, n_rows,
                     check, dark, cancellable, error))
    return FALSE;
  if (n_before > 0
      && !read_mean (reader, TL_FRAMES_FLATS, 0, middle, rows, n_rows, check,
                     flat_first, cancellable, error))
    return FALSE;
  if (n_after > 0
      && !read_mean (reader, TL_FRAMES_FLATS, middle, n_flats - middle, rows,
                     n_rows, check, flat_last, cancellable, error))
    return FALSE;
  if (n_before == 0)
    memcpy (flat_first, flat_last, bytes);
  else if (n_after == 0)
    memcpy (flat_last, flat_first, bytes);
  return TRUE;
}

static gboolean
has_unused (TlReader *reader)
{
  const TlScanInfo *info = &reader->info;
  return count_used (reader, TL_FRAMES_FLATS, 0, info->n_flats)
             + count_used (reader, TL_FRAMES_DARKS, 0, info->n_darks)
         < info->n_flats + info->n_darks;
}

/* Reads the means of @rows, which are all rows or those of @check, and judges
 * the fields by them. If some fields are not used, the means are read a second
 * time.
 * @check: (transfer full) */
static gboolean
read_first_means (TlReader *reader, TlFieldCheck *check, const size_t *rows,
                  size_t n_rows, double *const *fields,
                  GCancellable *cancellable, GError **error)
{
  g_autoptr (TlFieldCheck) own = check;
  if (!read_each_mean (reader, rows, n_rows, own, fields, cancellable, error)
      || !tl_field_check_judge (own, error))
    return FALSE;
  reader->fields = g_steal_pointer (&own);
  if (has_unused (reader)
      && !read_each_mean (reader, rows, n_rows, NULL, fields, cancellable,
                          error))
    return FALSE;
  reader->fields->n_pixels = n_rows * reader->info.n_cols;
  reader->fields->n_spots = reader->n_spots;
  return TRUE;
}

/* Judges the fields by some rows, unless they are judged already. */
static gboolean
judge_fields (TlReader *reader, GCancellable *cancellable, GError **error)
{
  if (reader->fields != NULL)
    return TRUE;
  g_autoptr (TlFieldCheck) check = tl_field_check_new (&reader->info, error);
  if (check == NULL)
    return FALSE;
  if (reader->draft.fields_are_means)
    {
      reader->fields = g_steal_pointer (&check);
      return TRUE;
    }
  const size_t *rows = check->rows;
  const size_t n_rows = check->n_rows, n = n_rows * check->n_cols;
  g_autofree double *unused =
      tl_try_alloc (TL_N_MEAN_FIELDS, n_rows, check->n_cols, sizeof (double),
                    _ ("the flat and dark fields"), error);
  double *const fields[TL_N_MEAN_FIELDS] = { unused, unused + n,
                                             unused + 2 * n };
  return unused != NULL
         && read_first_means (reader, g_steal_pointer (&check), rows, n_rows,
                              fields, cancellable, error);
}

/* As read_each_mean(), without fields that spoil a mean. */
static gboolean
read_means (TlReader *reader, const size_t *rows, size_t n_rows,
            double *const *fields, GCancellable *cancellable, GError **error)
{
  if (reader->fields == NULL && n_rows == reader->info.n_rows
      && !reader->draft.fields_are_means)
    {
      TlFieldCheck *check = tl_field_check_new (&reader->info, error);
      return check != NULL
             && read_first_means (reader, check, rows, n_rows, fields,
                                  cancellable, error);
    }
  return judge_fields (reader, cancellable, error)
         && read_each_mean (reader, rows, n_rows, NULL, fields, cancellable,
                            error);
}

/* Reads the fields of all rows into memory, as keep_rows() does. */
static gboolean
keep_fields (TlReader *reader, GCancellable *cancellable, GError **error)
{
  TlKept *kept = &reader->kept;
  const TlScanInfo *info = &reader->info;
  const size_t n = info->n_rows * info->n_cols;
  GError *failure = NULL;
  if (kept->fields != NULL || reader->draft.block_rows < 2
      || kept->budget_bytes < tl_reader_count_fields_bytes (info))
    return TRUE;
  g_autofree size_t *rows = tl_rows_list (0, info->n_rows, &failure);
  g_autofree double *all =
      rows == NULL ? NULL
                   : tl_try_alloc (TL_N_MEAN_FIELDS, info->n_rows, info->n_cols,
                                   sizeof (double),
                                   _ ("the flat and dark fields"), &failure);
  double *const fields[TL_N_MEAN_FIELDS] = { all, all + n, all + 2 * n };
  if (all == NULL
      || !read_means (reader, rows, info->n_rows, fields, cancellable,
                      &failure))
    return tl_reader_give_up_keeping (reader, failure, error);
  kept->fields = g_steal_pointer (&all);
  return TRUE;
}

gboolean
tl_reader_read_fields_list (TlReader *reader, const size_t *rows, size_t n_rows,
                            double *dark, double *flat_first, double *flat_last,
                            GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && reader->info.n_flats > 0, FALSE);
  g_return_val_if_fail (tl_rows_are_list (rows, n_rows, reader->info.n_rows),
                        FALSE);
  const TlScanInfo *info = &reader->info;
  const TlKept *kept = &reader->kept;
  double *const fields[TL_N_MEAN_FIELDS] = { dark, flat_first, flat_last };
  if (!keep_fields (reader, cancellable, error)
      || (kept->fields == NULL
          && !read_means (reader, rows, n_rows, fields, cancellable, error)))
    return FALSE;
  for (size_t f = 0; f < TL_N_MEAN_FIELDS && kept->fields != NULL; f++)
    for (size_t k = 0; k < n_rows; k++)
      memcpy (fields[f] + k * info->n_cols,
              kept->fields + (f * info->n_rows + rows[k]) * info->n_cols,
              info->n_cols * sizeof (double));
  return check_flats (reader, rows, n_rows, dark, flat_first, error)
         && check_flats (reader, rows, n_rows, dark, flat_last, error);
}

gboolean
tl_reader_read_fields (TlReader *reader, size_t first_row, size_t n_rows,
                       double *dark, double *flat_first, double *flat_last,
                       GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && reader->info.n_flats > 0, FALSE);
  g_return_val_if_fail (n_rows > 0 && first_row < reader->info.n_rows
                            && n_rows <= reader->info.n_rows - first_row,
                        FALSE);
  g_autofree size_t *rows = tl_rows_list (first_row, n_rows, error);
  return rows != NULL
         && tl_reader_read_fields_list (reader, rows, n_rows, dark, flat_first,
                                        flat_last, cancellable, error);
}

const guint8 *
tl_reader_judge_fields (TlReader *reader, TlFrameKind kind, GError **error)
{
  g_return_val_if_fail (reader != NULL && reader->info.n_flats > 0, NULL);
  g_return_val_if_fail (kind == TL_FRAMES_FLATS || kind == TL_FRAMES_DARKS,
                        NULL);
  return judge_fields (reader, NULL, error) ? get_states (reader, kind, 0)
                                            : NULL;
}

size_t
tl_reader_count_spots (TlReader *reader, size_t *n_pixels)
{
  g_return_val_if_fail (reader != NULL, 0);
  *n_pixels = reader->fields != NULL ? reader->fields->n_pixels : 0;
  return reader->fields != NULL ? reader->fields->n_spots : 0;
}
