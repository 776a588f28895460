/* Reads frames in several threads, and says what is damaged. */
#include "data/error.h"
#include "data/parallel.h"
#include "data/read/format/rows.h"
#include "data/read/reader-private.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  /* Bytes of one task where several threads read: small, so that all end at
   * about the same time. Starting a thread takes as long as reading 100 kB. */
  TASK_BYTES = 256 << 10,
  MIN_FRAME_BYTES = 4 << 10, /* any read of a frame takes as long as of these */
  /* What each thread reads between two looks at the rate: it decodes at least
   * some blocks, so that threads seldom wait for the last one. */
  THREAD_BYTES = 8 << 20,
  MIN_THREAD_TASKS = 4,
  /* Waiting for a file system in the network pays with more threads than
   * processors. */
  MIN_MAX_THREADS = 16
};

/* One projection that fails after so long has lost its storage, and the next
 * one may take as long: damage fails at once. */
#define HANGS_US (5 * G_USEC_PER_SEC)

/* Frames of a request that are read by one run of tasks. */
typedef struct
{
  const TlReadRequest *request;
  size_t first, end, step; /* of the request's frames; step: of a task */
  size_t n_tasks;
  guint n_threads;
  TlDamage *damages; /* (nullable): [n_tasks]; %NULL: samples are not checked */
} Batch;

void
tl_reader_forget_unreadable (TlReader *reader)
{
  TlUnreadable *unreadable = &reader->unreadable;
  g_clear_pointer (&unreadable->is_bad, g_free);
  g_clear_pointer (&unreadable->why, g_free);
  unreadable->n_bad = 0;
  unreadable->code = TL_ERROR_VALUE;
}

/* The only function that knows which projections are left out: everywhere else
 * a scan has no others than those that are used. */
static gboolean
read_stored (TlReader *reader, TlFrameKind kind, size_t first, size_t n_frames,
             const size_t *rows, size_t n_rows, void *dest, GError **error)
{
  const TlReaderFormat *format = reader->format;
  const size_t *used = reader->draft.used_numbers;
  const size_t frame_bytes =
      n_rows * reader->info.n_cols
      * tl_sample_size (tl_reader_get_type (reader, kind));
  gboolean good = TRUE;
  if (kind != TL_FRAMES_PROJECTIONS)
    return format->read (reader->source, kind, first, n_frames, rows, n_rows,
                         dest, error);
  for (size_t i = 0, n; i < n_frames && good; i += n)
    {
      n = tl_rows_count_run (used + first, n_frames, i);
      good = format->read (reader->source, kind, used[first + i], n, rows,
                           n_rows, (char *)dest + i * frame_bytes, error);
    }
  return good;
}

static void
subtract_offsets (TlReader *reader, TlFrameKind kind, size_t n_frames,
                  const size_t *rows, size_t n_rows, void *samples)
{
  const TlSampleType type = reader->stored[kind];
  const size_t n_cols = reader->info.n_cols;
  for (size_t i = 0; i < n_frames * n_rows; i++)
    tl_samples_subtract (type,
                         (char *)samples + i * n_cols * tl_sample_size (type),
                         n_cols, reader->offsets + rows[i % n_rows] * n_cols);
}

gboolean
tl_reader_read_frames_list (TlReader *reader, TlFrameKind kind, size_t first,
                            size_t n_frames, const size_t *rows, size_t n_rows,
                            void *dest, GError **error)
{
  if (!read_stored (reader, kind, first, n_frames, rows, n_rows, dest, error))
    return FALSE;
  if (reader->offsets != NULL)
    subtract_offsets (reader, kind, n_frames, rows, n_rows, dest);
  return TRUE;
}

gboolean
tl_reader_read_frames (TlReader *reader, TlFrameKind kind, size_t first_frame,
                       size_t n_frames, size_t first_row, size_t n_rows,
                       void *dest, GError **error)
{
  g_return_val_if_fail (reader != NULL && dest != NULL, FALSE);
  g_return_val_if_fail (kind < TL_N_FRAME_KINDS && n_frames > 0
                            && first_frame < reader->draft.frames[kind].n_frames
                            && n_frames <= reader->draft.frames[kind].n_frames
                                               - first_frame,
                        FALSE);
  g_return_val_if_fail (n_rows > 0 && first_row < reader->info.n_rows
                            && n_rows <= reader->info.n_rows - first_row,
                        FALSE);
  g_autofree size_t *rows = tl_rows_list (first_row, n_rows, error);
  return rows != NULL
         && tl_reader_read_frames_list (reader, kind, first_frame, n_frames,
                                        rows, n_rows, dest, error);
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

/* Returns: how many rows of a frame have to be decoded to get @rows */
static size_t
count_touched (TlReader *reader, const size_t *rows, size_t n_rows)
{
  return MIN (tl_reader_count_blocks (reader, rows, n_rows)
                  * tl_reader_get_block_rows (reader),
              MAX (n_rows, reader->info.n_rows));
}

size_t
tl_reader_count_decoded_bytes (TlReader *reader, const size_t *rows,
                               size_t n_rows, size_t sample_bytes)
{
  const size_t n_decoded = reader->draft.block_frames == 1 && !reader->ascends
                               ? count_touched (reader, rows, n_rows)
                               : n_rows;
  return n_decoded * reader->info.n_cols * sample_bytes
         * MAX (reader->draft.n_averaged, 1);
}

size_t
tl_reader_count_whole_blocks (TlReader *reader, size_t n)
{
  const size_t block = MAX (reader->draft.block_frames, 1);
  return MAX (n / block, 1) * block;
}

static void
add_damage (TlDamage *damage, const TlDamage *later)
{
  const size_t n_bad = damage->n_bad + later->n_bad;
  if (damage->n_bad == 0)
    *damage = *later;
  damage->n_bad = n_bad;
}

/* Notes that projection @p cannot be read. Returns: how many cannot */
static size_t
add_unreadable (TlReader *reader, size_t p, TlError code, const char *why)
{
  TlUnreadable *unreadable = &reader->unreadable;
  g_mutex_lock (&unreadable->mutex);
  if (unreadable->is_bad == NULL)
    unreadable->is_bad = g_new0 (guint8, reader->info.n_projections);
  unreadable->n_bad += !unreadable->is_bad[p];
  unreadable->is_bad[p] = TRUE;
  if (unreadable->why == NULL || p < unreadable->first)
    {
      g_free (unreadable->why);
      unreadable->why = g_strdup (why);
      unreadable->first = p;
    }
  if (unreadable->code == TL_ERROR_VALUE || code == TL_ERROR_DAMAGE)
    unreadable->code = code;
  const size_t n_bad = unreadable->n_bad;
  g_mutex_unlock (&unreadable->mutex);
  return n_bad;
}

/* Notes that projection @p cannot be read, because no sample of @row is a
 * number. */
static void
note_blank_row (TlReader *reader, size_t p, size_t row)
{
  g_autofree char *why = g_strdup_printf (
      _ ("%s: row %zu of projection %zu has no sample that is a number"),
      reader->name, row, reader->draft.used_numbers[p]);
  add_unreadable (reader, p, TL_ERROR_VALUE, why);
}

/* Counts samples that are NaN or infinite, and replaces them if the user wants
 * that. @samples: [n_frames][n_rows][n_cols]. A projection that has a row
 * without a number cannot be read. */
static void
check_samples (TlReader *reader, size_t first_frame, size_t n_frames,
               const size_t *rows, size_t n_rows, void *samples,
               TlDamage *damage)
{
  TlSampleType type = reader->info.type;
  size_t n_cols = reader->info.n_cols;
  size_t row_bytes = n_cols * tl_sample_size (type);
  if (!tl_sample_is_float (type))
    return;
  for (size_t i = 0; i < n_frames * n_rows; i++)
    {
      char *row = (char *)samples + i * row_bytes;
      size_t col = 0;
      size_t n_bad = tl_samples_count_bad (type, row, n_cols, &col);
      if (n_bad == 0)
        continue;
      if (n_bad == n_cols)
        {
          note_blank_row (reader, first_frame + i / n_rows, rows[i % n_rows]);
          continue;
        }
      if (damage->n_bad == 0)
        {
          damage->projection =
              reader->draft.used_numbers[first_frame + i / n_rows];
          damage->row = rows[i % n_rows];
          damage->col = col;
        }
      damage->n_bad += n_bad;
      if (reader->replace_nan)
        tl_samples_repair_row (type, row, n_cols);
    }
}

/* Copies rows of @n projections that are kept in memory. */
static void
copy_kept (const TlReadRequest *request, size_t first, size_t n, char *dest)
{
  const TlKept *kept = &request->reader->kept;
  const size_t row_bytes = request->reader->info.n_cols * request->sample_bytes;
  for (size_t p = first; p < first + n; p++)
    for (size_t k = 0, n_run; k < request->n_rows; k += n_run)
      {
        n_run = tl_rows_count_run (request->rows, request->n_rows, k);
        const size_t row = request->rows[k] - kept->first_row;
        memcpy (dest, kept->samples + (p * kept->n_rows + row) * row_bytes,
                n_run * row_bytes);
        dest += n_run * row_bytes;
      }
}

/* Notes that projection @p cannot be read, because of @why: (transfer full).
 *
 * Returns: %FALSE with @why if that is no damage of single projections */
static gboolean
note_unreadable (TlReader *reader, size_t p, GError *why, GError **error)
{
  const gboolean is_damage = g_error_matches (why, TL_ERROR, TL_ERROR_DAMAGE)
                             || g_error_matches (why, TL_ERROR, TL_ERROR_FILE);
  const size_t n_bad =
      is_damage ? add_unreadable (reader, p, (TlError)why->code, why->message)
                : 0;
  if (!is_damage || 2 * n_bad > reader->info.n_projections)
    {
      g_propagate_error (error, why);
      return FALSE;
    }
  g_error_free (why);
  return TRUE;
}

/* Reads projections that could not be read together one by one, so that all
 * damaged ones are known when the read has failed.
 * @has_bad: (out): some of them cannot be read */
static gboolean
read_each (const TlReadRequest *request, size_t frame, size_t n, char *dest,
           gboolean *has_bad, GError **error)
{
  TlReader *reader = request->reader;
  const size_t frame_bytes =
      request->n_rows * reader->info.n_cols * request->sample_bytes;
  *has_bad = FALSE;
  for (size_t k = 0; k < n; k++)
    {
      const gint64 start_us = g_get_monotonic_time ();
      GError *why = NULL;
      if (tl_reader_read_frames_list (reader, request->kind, frame + k, 1,
                                      request->rows, request->n_rows,
                                      dest + k * frame_bytes, &why))
        continue;
      *has_bad = TRUE;
      if (g_get_monotonic_time () - start_us >= HANGS_US)
        {
          g_propagate_error (error, why);
          return FALSE;
        }
      if (!note_unreadable (reader, frame + k, why, error))
        return FALSE;
    }
  return TRUE;
}

char *
tl_reader_dup_unreadable (TlReader *reader, char **why)
{
  g_return_val_if_fail (reader != NULL, NULL);
  *why = g_strdup (reader->unreadable.why);
  if (reader->unreadable.n_bad == 0)
    return NULL;
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  for (size_t p = 0; p < reader->info.n_projections; p++)
    if (reader->unreadable.is_bad[p])
      tl_frame_ranges_add (ranges, reader->draft.used_numbers[p]);
  return tl_frame_ranges_format (ranges);
}

/* Names all projections that could not be read, unless they are most. */
static gboolean
refuse_unreadable (TlReader *reader, GError **error)
{
  if (2 * reader->unreadable.n_bad > reader->info.n_projections)
    {
      g_set_error_literal (error, TL_ERROR, (int)reader->unreadable.code,
                           reader->unreadable.why);
      tl_reader_forget_unreadable (reader);
      return FALSE;
    }
  g_autofree char *why = NULL;
  g_autofree char *ranges = tl_reader_dup_unreadable (reader, &why);
  return ranges == NULL
         || tl_fail (error, reader->unreadable.code,
                     g_dngettext (NULL,
                                  "%s; leave-out=%s leaves this projection out",
                                  "%s; leave-out=%s leaves out all of the "
                                  "projections that cannot be read",
                                  reader->unreadable.n_bad),
                     why, ranges);
}

/* Reads the frames of a request from the @first-th on, which follow each other
 * in the file. @damage: (nullable): %NULL: samples are not checked */
static gboolean
read_run (const TlReadRequest *request, size_t first, size_t n,
          TlDamage *damage, GError **error)
{
  TlReader *reader = request->reader;
  const size_t frame = request->frames != NULL ? request->frames[first] : first;
  const size_t frame_bytes =
      request->n_rows * reader->info.n_cols * request->sample_bytes;
  g_autoptr (GError) failure = NULL;
  gboolean has_bad;
  char *dest =
      request->dest
      + (request->keeps ? frame : first - request->first) * frame_bytes;
  if (request->from_kept)
    copy_kept (request, frame, n, dest);
  else if (!tl_reader_read_frames_list (reader, request->kind, frame, n,
                                        request->rows, request->n_rows, dest,
                                        &failure))
    {
      if (request->kind != TL_FRAMES_PROJECTIONS
          || reader->info.n_projections == 1
          || !(g_error_matches (failure, TL_ERROR, TL_ERROR_FILE)
               || g_error_matches (failure, TL_ERROR, TL_ERROR_DAMAGE)))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      if (!read_each (request, frame, n, dest, &has_bad, error))
        return FALSE;
      if (has_bad)
        return TRUE;
    }
  if (request->keeps)
    memset (reader->kept.is_read + frame, TRUE, n);
  if (damage != NULL)
    check_samples (reader, frame, n, request->rows, request->n_rows, dest,
                   damage);
  return TRUE;
}

static gboolean
read_task (gpointer data, size_t index, GError **error)
{
  const Batch *batch = data;
  const TlReadRequest *request = batch->request;
  const size_t first = batch->first + index * batch->step;
  const size_t end = MIN (first + batch->step, batch->end);
  TlDamage *damage = batch->damages != NULL ? &batch->damages[index] : NULL;
  gboolean good = TRUE;
  for (size_t i = first, n; i < end && good; i += n)
    {
      n = request->frames != NULL ? tl_rows_count_run (request->frames, end, i)
                                  : end - i;
      good = read_run (request, i, n, damage, error);
    }
  return good;
}

static guint
count_most_threads (void)
{
  return MAX (g_get_num_processors (), MIN_MAX_THREADS);
}

static gboolean
is_for_device (const TlReadRequest *request)
{
  return request->reader->uses_inflater && !request->from_kept
         && request->kind == TL_FRAMES_PROJECTIONS;
}

/* Divides the frames of @request, from @first on, into tasks.
 * @bytes: of a frame, to be decoded */
static Batch
plan_batch (const TlReadRequest *request, size_t first, size_t bytes)
{
  TlReader *reader = request->reader;
  const size_t n_left = request->end - first;
  const size_t piece = MAX (bytes, MIN_FRAME_BYTES);
  Batch batch = { .request = request, .first = first };
  if (is_for_device (request))
    {
      batch.step = TL_INFLATER_GROUP_STREAMS;
      batch.n_tasks = (n_left + batch.step - 1) / batch.step;
      batch.n_threads = (guint)MIN (batch.n_tasks, count_most_threads ());
      batch.end = request->end;
      return batch;
    }
  batch.step = tl_reader_count_whole_blocks (reader, TASK_BYTES / piece);
  if (n_left < 2 * batch.step
      || !(request->from_kept
           || reader->format->is_parallel (reader->source, request->kind)))
    {
      batch.step =
          tl_reader_count_whole_blocks (reader, TL_READ_CALL_BYTES / bytes);
      batch.n_threads = batch.n_tasks = 1;
    }
  else
    {
      batch.n_threads =
          reader->n_fixed > 0
              ? reader->n_fixed
              : tl_thread_search_get (&reader->search, count_most_threads ());
      batch.n_tasks = MAX (THREAD_BYTES / piece / batch.step, MIN_THREAD_TASKS)
                      * batch.n_threads;
      batch.n_tasks =
          MIN (batch.n_tasks, (n_left + batch.step - 1) / batch.step);
    }
  batch.end = MIN (first + batch.n_tasks * batch.step, request->end);
  return batch;
}

/* Opens a file again that cannot be read: another program may have changed it
 * since it was opened.
 * @failure: (nullable): %NULL: some projections may be damaged
 *
 * Returns: whether it is worth another try */
static gboolean
refresh (TlReader *reader, const GError *failure)
{
  const gboolean is_file =
      failure != NULL ? g_error_matches (failure, TL_ERROR, TL_ERROR_FILE)
                      : reader->unreadable.n_bad > 0;
  if (!is_file || !tl_reader_reopen (reader))
    return FALSE;
  tl_reader_forget_unreadable (reader);
  return TRUE;
}

/* After a failure the processor inflates. Between reads only. */
static void
give_up_failed_inflater (TlReader *reader)
{
  if (!reader->uses_inflater
      || !g_atomic_int_get (&reader->inflater->has_failed))
    return;
  reader->format->use_inflater (reader->source, NULL);
  reader->uses_inflater = FALSE;
}

/* Reads all frames of @request, also those behind a damaged projection. *@next
 * advances, but not past a frame with bad samples. @damage: (inout) (nullable):
 * %NULL: samples are not checked */
static gboolean
read_all (const TlReadRequest *request, size_t *next, TlDamage *damage,
          GCancellable *cancellable, GError **error)
{
  TlReader *reader = request->reader;
  const size_t bytes =
      request->from_kept
          ? request->n_rows * reader->info.n_cols * request->sample_bytes
          : tl_reader_count_decoded_bytes (
              reader, request->rows, request->n_rows, request->sample_bytes);
  g_autoptr (GError) before = NULL; /* (nullable): why the file was opened
                                       again */
  gboolean has_refreshed = FALSE;
  for (size_t first = request->first, end; first < request->end; first = end)
    {
      GError *failure = NULL;
      Batch batch = plan_batch (request, first, bytes);
      g_autofree TlDamage *damages =
          damage != NULL ? g_new0 (TlDamage, batch.n_tasks) : NULL;
      const gboolean is_device = is_for_device (request);
      if (is_device)
        reader->inflater->cancellable = cancellable;
      size_t n_done = 0;
      batch.damages = damages;
      end = batch.end;
      reader->n_threads = batch.n_threads;
      const size_t n_bad_before = reader->unreadable.n_bad;
      const gint64 start_us = g_get_monotonic_time ();
      const gboolean good =
          tl_parallel_run (batch.n_tasks, batch.n_threads, read_task, &batch,
                           cancellable, &n_done, &failure);
      const double seconds = (double)(g_get_monotonic_time () - start_us) / 1e6;
      if (is_device)
        reader->inflater->cancellable = NULL;
      if (!has_refreshed && n_bad_before == 0 && refresh (reader, failure))
        {
          has_refreshed = TRUE;
          before = failure;
          end = first;
          continue;
        }
      for (size_t k = 0; k < n_done; k++)
        {
          if (damage != NULL)
            add_damage (damage, &damages[k]);
          if ((damage == NULL || damage->n_bad == 0)
              && reader->unreadable.n_bad == 0)
            *next = MIN (first + (k + 1) * batch.step, end);
        }
      if (!good && before != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&before));
          g_error_free (failure);
        }
      else if (!good)
        g_propagate_error (error, failure);
      if (!good)
        return FALSE;
      if (!request->from_kept && !is_device && batch.n_tasks > 1
          && batch.n_tasks >= batch.n_threads)
        tl_thread_search_add (&reader->search, count_most_threads (),
                              (double)(end - first) * (double)bytes, seconds);
    }
  return TRUE;
}

gboolean
tl_reader_run_request (const TlReadRequest *request, size_t *next,
                       TlDamage *damage, GCancellable *cancellable,
                       GError **error)
{
  tl_reader_forget_unreadable (request->reader);
  give_up_failed_inflater (request->reader);
  if (read_all (request, next, damage, cancellable, error))
    return refuse_unreadable (request->reader, error);
  tl_reader_forget_unreadable (request->reader);
  return FALSE;
}
