#include "data/read/held/held.h"

#include "data/array.h"
#include "data/error.h"
#include "data/parallel.h"
#include "data/read/binned-private.h"
#include "data/read/field-sum-private.h"
#include "data/read/held/snapshot-private.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Projections whose numbers follow each other share memory. */
#define CHUNK 64

/* Fresh memory is slow, so several threads copy a frame of more rows. */
#define ROWS_AT_ONCE 256
#define COPY_THREADS 4

/* This part of the budget (1/SPARE_PARTS) stays free for a scan that begins
 * while this one is on the screen, as long as rows can be given up. */
#define SPARE_PARTS 4

/* How long the first frame waits for the memory of the scan before. */
#define ROOM_WAIT_US (G_USEC_PER_SEC / 4)

typedef struct
{
  double angles_deg[CHUNK]; /* NaN: not there */
  guint8 is_blank[CHUNK];   /* no sample that is kept is a number */
  size_t n;     /* projections for which it has room, from the first one on */
  char *rows[]; /* [layout.n_kept] (nullable) elements: [n][n_cols]; %NULL: the
                   row is not kept any more */
} Chunk;

typedef enum
{
  SUM_DARKS,
  SUM_FLATS_FIRST,  /* before the first projection */
  SUM_FLATS_LATER,  /* after it */
  SUM_FLATS_NEWEST, /* between the same two projections */
  N_SUMS
} SumKind;

typedef struct
{
  TlFieldSum *values; /* (nullable): [n_kept][n_cols] */
  size_t n_frames;
  size_t n_lent; /* the only frame is the mean of so many of an earlier scan; 0:
                    it is not */
  GBytes *mean;  /* (nullable): double [n_kept][n_cols], of all n_frames; made
                    for  the first snapshot, and shared by the later ones */
} Sum;

struct TlHeld
{
  gatomicrefcount n_refs;
  TlHeldLayout layout;
  char *name, *angles_file; /* (nullable): the latter */
  double *angles_deg;       /* (nullable): [n_expected] */
  TlHeldBudget *budget;
  guint64 n_taken; /* bytes of it; 0: not even those of flats and darks */
  size_t row_bytes;
  TlHeldChooser choose; /* (nullable) */
  gpointer choose_data;
  TlKeptRows kept;

  gboolean begins_group; /* the next flat does; of the thread that puts */
  double *row;           /* [n_cols], of the same */
  GMutex sums_mutex;     /* of the sums, for as long as a frame takes; locked
                            before the other one */
  Sum sums[N_SUMS];
  GMutex mutex;      /* of what follows, for a moment only */
  GPtrArray *chunks; /* (nullable) elements; by number / CHUNK. Samples do not
                        change after their angle was set. */
  TlHeldState state;
};

static guint64
count_fields_bytes (const TlHeldLayout *layout)
{
  return (guint64)N_SUMS * layout->n_kept * layout->n_cols
             * (sizeof (TlFieldSum) + sizeof (double))
         + layout->n_other_bytes;
}

/* Returns: for how many projections chunk @index should have room: no more than
 * come */
static size_t
count_in_chunk (const TlHeld *held, size_t index)
{
  const size_t n = held->layout.n_expected;
  return n > index * CHUNK ? MIN (n - index * CHUNK, CHUNK) : CHUNK;
}

/* Returns: whether row @r, from the first of the layout, is kept */
static gboolean
is_kept (const TlHeld *held, size_t r)
{
  const size_t row = held->layout.first_row + r;
  return row >= held->kept.first && row < held->kept.first + held->kept.n
         && tl_held_slices_have (&held->layout.slices, row);
}

/* Returns: the bytes of @n projections */
static guint64
count_row_bytes (const TlHeld *held, size_t n)
{
  guint64 n_bytes = 0;
  for (size_t r = 0; r < held->layout.n_kept; r++)
    if (is_kept (held, r))
      n_bytes += (guint64)n * held->row_bytes;
  return n_bytes;
}

/* @n: projections of the chunk */
static guint64
count_chunk_bytes (const TlHeld *held, size_t n)
{
  return sizeof (Chunk) + held->layout.n_kept * sizeof (char *)
         + count_row_bytes (held, n);
}

static gboolean
check_budget (const TlHeld *held, GError **error)
{
  const size_t n = count_in_chunk (held, 0);
  const guint64 least_bytes =
      count_fields_bytes (&held->layout) + count_chunk_bytes (held, n);
  const guint64 max_bytes = tl_held_budget_get_max (held->budget);
  if (least_bytes <= max_bytes)
    return TRUE;
  g_autofree char *least = g_format_size (least_bytes);
  g_autofree char *most = g_format_size (max_bytes);
  return tl_fail (
      error, TL_ERROR_MEMORY,
      _ ("%s: flats, darks and %zu projections of the rows that are "
         "kept need %s, and %s are allowed"),
      held->name, n, least, most);
}

TlHeld *
tl_held_new (const TlHeldLayout *layout, TlHeldBudget *budget, GError **error)
{
  g_return_val_if_fail (layout->n_kept > 0 && layout->first_row < layout->n_rows
                            && layout->n_kept
                                   <= layout->n_rows - layout->first_row,
                        NULL);
  const size_t size = tl_sample_size (layout->type);
  g_autoptr (TlHeld) held = g_new0 (TlHeld, 1);
  g_atomic_ref_count_init (&held->n_refs);
  g_mutex_init (&held->mutex);
  g_mutex_init (&held->sums_mutex);
  held->layout = *layout;
  held->name = g_strdup (layout->name);
  held->angles_file = g_strdup (layout->angles_file);
  held->budget = tl_held_budget_ref (budget);
  held->row_bytes = layout->n_cols * size;
  held->kept.first = layout->first_row;
  held->kept.n = layout->n_kept;
  held->state.first_kept = layout->first_row;
  held->state.n_kept = layout->n_kept;
  held->state.n_rows = layout->n_rows;
  held->state.n_cols = layout->n_cols;
  held->state.is_sorted = TRUE;
  g_rw_lock_init (&held->kept.lock);
  held->chunks = g_ptr_array_new ();
  held->begins_group = TRUE;
  held->row = tl_try_alloc (1, 1, layout->n_cols, sizeof *held->row,
                            _ ("one projection"), error);
  if (held->row == NULL || !check_budget (held, error))
    return NULL;
  if (layout->angles_deg != NULL && layout->n_expected > 0)
    {
      held->angles_deg = tl_try_alloc (
          layout->n_expected, 1, 1, sizeof (double), _ ("the angles"), error);
      if (held->angles_deg == NULL)
        return NULL;
      memcpy (held->angles_deg, layout->angles_deg,
              layout->n_expected * sizeof (double));
    }
  return g_steal_pointer (&held);
}

TlHeld *
tl_held_ref (TlHeld *held)
{
  g_atomic_ref_count_inc (&held->n_refs);
  return held;
}

/* @chunk: (nullable) */
static void
free_chunk (const TlHeld *held, Chunk *chunk)
{
  for (size_t r = 0; chunk != NULL && r < held->layout.n_kept; r++)
    g_free (chunk->rows[r]);
  g_free (chunk);
}

void
tl_held_unref (TlHeld *held)
{
  if (held == NULL || !g_atomic_ref_count_dec (&held->n_refs))
    return;
  for (int k = 0; k < N_SUMS; k++)
    {
      g_free (held->sums[k].values);
      g_clear_pointer (&held->sums[k].mean, g_bytes_unref);
    }
  for (guint k = 0; k < held->chunks->len; k++)
    free_chunk (held, held->chunks->pdata[k]);
  g_ptr_array_unref (held->chunks);
  g_rw_lock_clear (&held->kept.lock);
  tl_held_budget_give_back (held->budget, held->n_taken);
  tl_held_budget_unref (held->budget);
  g_mutex_clear (&held->mutex);
  g_mutex_clear (&held->sums_mutex);
  g_free (held->angles_deg);
  g_free (held->row);
  g_free (held->name);
  g_free (held->angles_file);
  g_free (held);
}

void
tl_held_get_state (TlHeld *held, TlHeldState *state)
{
  g_mutex_lock (&held->mutex);
  *state = held->state;
  g_mutex_unlock (&held->mutex);
}

void
tl_held_end (TlHeld *held)
{
  g_mutex_lock (&held->mutex);
  held->state.is_complete = TRUE;
  held->state.serial++;
  g_mutex_unlock (&held->mutex);
}

/* --- rows that are not kept any more --- */

void
tl_held_set_chooser (TlHeld *held, TlHeldChooser choose, gpointer data)
{
  g_return_if_fail (held != NULL);
  held->choose = choose;
  held->choose_data = data;
}

/* Moves the rows of @chunk that are not kept any more to @dropped. Returns:
 * their bytes */
static guint64
drop_rows (const TlHeld *held, Chunk *chunk, GPtrArray *dropped)
{
  guint64 n_bytes = 0;
  for (size_t r = 0; r < held->layout.n_kept; r++)
    {
      if (is_kept (held, r) || chunk->rows[r] == NULL)
        continue;
      g_ptr_array_add (dropped, g_steal_pointer (&chunk->rows[r]));
      n_bytes += (guint64)chunk->n * held->row_bytes;
    }
  return n_bytes;
}

/* Notes which rows can be read. */
static void
note_kept (TlHeld *held)
{
  g_mutex_lock (&held->mutex);
  held->state.first_kept = held->kept.first;
  held->state.n_kept = held->kept.n;
  g_mutex_unlock (&held->mutex);
}

static void
give_back (TlHeld *held, guint64 n_bytes)
{
  tl_held_budget_give_back (held->budget, n_bytes);
  held->n_taken -= n_bytes;
}

/* Keeps half as many rows, of the frames that have come, too. Snapshots that
 * read a row at this moment are waited for, but need not wait until gigabytes
 * are freed.
 *
 * Returns: whether there are fewer rows now */
static gboolean
keep_fewer (TlHeld *held)
{
  TlKeptRows *kept = &held->kept;
  size_t first, n = 0;
  guint64 n_bytes = 0;
  if (held->choose == NULL || kept->n < 2)
    return FALSE;
  held->choose (kept->n / 2, &first, &n, held->choose_data);
  if (n == 0 || n >= kept->n)
    return FALSE;
  GPtrArray *dropped = g_ptr_array_new_with_free_func (g_free);
  g_rw_lock_writer_lock (&kept->lock);
  kept->first = CLAMP (first, kept->first, kept->first + kept->n - n);
  kept->n = n;
  for (guint k = 0; k < held->chunks->len; k++)
    if (held->chunks->pdata[k] != NULL)
      n_bytes += drop_rows (held, held->chunks->pdata[k], dropped);
  g_rw_lock_writer_unlock (&kept->lock);
  g_ptr_array_unref (dropped);
  give_back (held, n_bytes);
  note_kept (held);
  return TRUE;
}

/* --- frames that come --- */

/* Waits for room for @n_bytes, as the first of this scan: the scan before gives
 * its memory back when nobody looks at it any more, which may take a moment. */
static void
await_room (TlHeld *held, guint64 n_bytes)
{
  if (held->n_taken == 0)
    tl_held_budget_await (held->budget,
                          count_fields_bytes (&held->layout) + n_bytes,
                          ROOM_WAIT_US, NULL);
}

/* Counts memory that is about to be taken, and first that of the flats and
 * darks. Returns: whether it is allowed */
static gboolean
take_bytes (TlHeld *held, guint64 n_bytes)
{
  if (held->n_taken == 0)
    n_bytes += count_fields_bytes (&held->layout);
  if (!tl_held_budget_take (held->budget, n_bytes))
    return FALSE;
  held->n_taken += n_bytes;
  return TRUE;
}

/* Counts @other_bytes and the memory of @n_most projections, or of fewer where
 * there is no room for them. Returns: the number of projections; 0 if there is
 * no room for @n_least */
static size_t
take_part (TlHeld *held, guint64 other_bytes, size_t n_least, size_t n_most)
{
  size_t n = n_most;
  while (n >= n_least
         && !take_bytes (held, other_bytes + count_row_bytes (held, n)))
    n /= 2;
  return n >= n_least ? n : 0;
}

/* Counts the memory of another chunk, of @n_most projections, or of fewer if no
 * row can be left out any more. Returns: as take_part() */
static size_t
take_chunk (TlHeld *held, size_t n_least, size_t n_most)
{
  const guint64 max_bytes = tl_held_budget_get_max (held->budget);
  const guint64 wanted_bytes = max_bytes - max_bytes / SPARE_PARTS;
  await_room (held, count_chunk_bytes (held, n_least));
  while (held->n_taken + count_chunk_bytes (held, n_most) > wanted_bytes
         && keep_fewer (held))
    ;
  while (!take_bytes (held, count_chunk_bytes (held, n_most)))
    if (!keep_fewer (held))
      return take_part (held, count_chunk_bytes (held, 0), n_least, n_most / 2);
  return n_most;
}

/* Makes room for @n projections in @chunk. Snapshots that read a row at this
 * moment are waited for. Returns: %FALSE without memory */
static gboolean
resize_rows (TlHeld *held, Chunk *chunk, size_t n)
{
  gboolean good = TRUE;
  g_rw_lock_writer_lock (&held->kept.lock);
  for (size_t r = 0; good && r < held->layout.n_kept; r++)
    {
      if (!is_kept (held, r))
        continue;
      char *row = g_try_realloc (chunk->rows[r], n * held->row_bytes);
      good = row != NULL;
      if (good)
        chunk->rows[r] = row;
    }
  if (good)
    chunk->n = n;
  g_rw_lock_writer_unlock (&held->kept.lock);
  return good;
}

/* Makes room for @n_least projections in a chunk, and for all of its @n_most if
 * there is memory for them now. Returns: whether there is room */
static gboolean
extend_chunk (TlHeld *held, Chunk *chunk, size_t n_least, size_t n_most)
{
  if (n_least <= chunk->n)
    return TRUE;
  const size_t more =
      take_part (held, 0, n_least - chunk->n, n_most - chunk->n);
  if (more == 0)
    return FALSE;
  const gboolean good = resize_rows (held, chunk, chunk->n + more);
  if (!good)
    give_back (held, count_row_bytes (held, more));
  return good;
}

/* @n: projections. Returns: (nullable): without memory */
static Chunk *
make_chunk (const TlHeld *held, size_t n)
{
  Chunk *chunk =
      g_try_malloc0 (sizeof *chunk + held->layout.n_kept * sizeof (char *));
  for (size_t r = 0; chunk != NULL && r < held->layout.n_kept; r++)
    {
      if (!is_kept (held, r))
        continue;
      chunk->rows[r] = g_try_malloc (n * held->row_bytes);
      if (chunk->rows[r] == NULL)
        {
          free_chunk (held, chunk);
          return NULL;
        }
    }
  for (size_t k = 0; chunk != NULL && k < CHUNK; k++)
    chunk->angles_deg[k] = NAN;
  if (chunk != NULL)
    chunk->n = n;
  return chunk;
}

/* Returns: (nullable): the chunk of projection @number, with room for it; %NULL
 * if there is none. The chunks belong to this thread, but the array is read by
 * others.
 */
static Chunk *
find_chunk (TlHeld *held, size_t number)
{
  const guint index = (guint)(number / CHUNK);
  const size_t n_least = number % CHUNK + 1;
  const size_t n_most = count_in_chunk (held, index);
  if (n_least > n_most)
    return NULL;
  Chunk *chunk = index < held->chunks->len ? held->chunks->pdata[index] : NULL;
  if (chunk != NULL)
    return extend_chunk (held, chunk, n_least, n_most) ? chunk : NULL;
  const size_t n = take_chunk (held, n_least, n_most);
  if (n == 0)
    return NULL;
  chunk = make_chunk (held, n);
  if (chunk == NULL)
    {
      give_back (held, count_chunk_bytes (held, n));
      return NULL;
    }
  g_mutex_lock (&held->mutex);
  if (index >= held->chunks->len)
    g_ptr_array_set_size (held->chunks, (int)index + 1);
  held->chunks->pdata[index] = chunk;
  g_mutex_unlock (&held->mutex);
  return chunk;
}

typedef struct
{
  const TlHeld *held;
  Chunk *chunk;
  size_t k; /* the projection within the chunk */
  const char *pixels;
} Copy;

/* Copies some rows that are kept. */
static gboolean
copy_rows (gpointer data, size_t index, GError **error)
{
  const Copy *copy = data;
  const TlHeld *held = copy->held;
  const size_t first = held->kept.first + index * ROWS_AT_ONCE;
  const size_t end =
      MIN (first + ROWS_AT_ONCE, held->kept.first + held->kept.n);
  for (size_t r = first; r < end; r++)
    if (is_kept (held, r - held->layout.first_row))
      memcpy (copy->chunk->rows[r - held->layout.first_row]
                  + copy->k * held->row_bytes,
              copy->pixels + r * held->row_bytes, held->row_bytes);
  return TRUE;
}

/* Returns: whether no sample that is kept is a number */
static gboolean
is_blank (const TlHeld *held, const char *pixels)
{
  for (size_t r = 0; r < held->layout.n_kept; r++)
    if (is_kept (held, r)
        && !tl_samples_are_blank (
            held->layout.type,
            pixels + (held->layout.first_row + r) * held->row_bytes,
            held->layout.n_cols))
      return FALSE;
  return TRUE;
}

static gboolean
put_projection (TlHeld *held, size_t number, double angle_deg,
                const char *pixels)
{
  Chunk *chunk = find_chunk (held, number);
  const size_t k = number % CHUNK;
  if (chunk == NULL || !isnan (chunk->angles_deg[k]))
    return FALSE;
  Copy copy = { held, chunk, k, pixels };
  size_t n_done;
  tl_parallel_run ((held->kept.n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE,
                   COPY_THREADS, copy_rows, &copy, NULL, &n_done, NULL);
  held->begins_group = TRUE;
  chunk->is_blank[k] = is_blank (held, pixels);
  g_mutex_lock (&held->mutex);
  chunk->angles_deg[k] = angle_deg;
  held->state.is_sorted &=
      number == held->state.n_frames[TL_FRAMES_PROJECTIONS];
  held->state.n_frames[TL_FRAMES_PROJECTIONS]++;
  held->state.serial++;
  g_mutex_unlock (&held->mutex);
  return TRUE;
}

/* Returns: whether there is room for the sum */
static gboolean
prepare_sum (TlHeld *held, Sum *sum)
{
  const size_t n = held->layout.n_kept * held->layout.n_cols;
  if (sum->values != NULL)
    return TRUE;
  await_room (held, 0);
  if (held->n_taken == 0 && !take_bytes (held, 0))
    return FALSE;
  sum->values = g_try_new (TlFieldSum, n);
  if (sum->values != NULL)
    tl_field_sum_clear (sum->values, n);
  return sum->values != NULL;
}

/* The order of the operations is that of the reader's mean, so that the mean is
 * the same to the bit. */
static void
add_frame (TlHeld *held, Sum *sum, const char *pixels)
{
  const TlHeldLayout *layout = &held->layout;
  for (size_t r = 0; r < layout->n_kept; r++)
    {
      tl_samples_to_double (layout->type,
                            pixels + (layout->first_row + r) * held->row_bytes,
                            layout->n_cols, held->row);
      tl_field_sum_add (sum->values + r * layout->n_cols, held->row,
                        layout->n_cols);
    }
  sum->n_frames++;
  g_clear_pointer (&sum->mean, g_bytes_unref);
}

/* The sums are locked. */
static void
clear_sum (const TlHeld *held, Sum *sum)
{
  tl_field_sum_clear (sum->values, held->layout.n_kept * held->layout.n_cols);
  sum->n_frames = sum->n_lent = 0;
  g_clear_pointer (&sum->mean, g_bytes_unref);
}

/* The sums are locked. */
static gboolean
put_flat (TlHeld *held, const char *pixels, size_t n_lent)
{
  Sum *newest = &held->sums[SUM_FLATS_NEWEST];
  Sum *all = &held->sums[held->state.n_frames[TL_FRAMES_PROJECTIONS] > 0
                             ? SUM_FLATS_LATER
                             : SUM_FLATS_FIRST];
  if (!prepare_sum (held, newest) || !prepare_sum (held, all))
    return FALSE;
  if (held->begins_group)
    {
      clear_sum (held, newest);
      held->begins_group = FALSE;
    }
  add_frame (held, newest, pixels);
  add_frame (held, all, pixels);
  newest->n_lent = all->n_lent = n_lent;
  return TRUE;
}

static gboolean
put_dark (TlHeld *held, const char *pixels, size_t n_lent)
{
  Sum *sum = &held->sums[SUM_DARKS];
  if (!prepare_sum (held, sum))
    return FALSE;
  add_frame (held, sum, pixels);
  sum->n_lent = n_lent;
  return TRUE;
}

static gboolean
put_field (TlHeld *held, TlFrameKind kind, size_t n_lent, const char *pixels)
{
  const gboolean is_dark = kind == TL_FRAMES_DARKS;
  g_mutex_lock (&held->sums_mutex);
  for (int k = 0; k < N_SUMS; k++)
    if (held->sums[k].n_lent > 0 && (k == SUM_DARKS) == is_dark)
      clear_sum (held, &held->sums[k]);
  const gboolean good = (is_dark ? put_dark : put_flat) (held, pixels, n_lent);
  if (good)
    {
      g_mutex_lock (&held->mutex);
      held->state.n_frames[kind]++;
      held->state.serial++;
      g_mutex_unlock (&held->mutex);
    }
  g_mutex_unlock (&held->sums_mutex);
  return good;
}

gboolean
tl_held_put (TlHeld *held, TlFrameKind kind, size_t number, double angle_deg,
             const void *pixels)
{
  g_return_val_if_fail (held != NULL && pixels != NULL, FALSE);
  if (kind == TL_FRAMES_PROJECTIONS)
    {
      g_return_val_if_fail (isfinite (angle_deg), FALSE);
      return put_projection (held, number, angle_deg, pixels);
    }
  return put_field (held, kind, 0, pixels);
}

gboolean
tl_held_is_blank (const TlHeld *held, size_t number)
{
  g_return_val_if_fail (held != NULL, FALSE);
  const Chunk *chunk = held->chunks->pdata[number / CHUNK];
  return chunk != NULL && chunk->is_blank[number % CHUNK];
}

gboolean
tl_held_lend (TlHeld *held, TlFrameKind kind, size_t n_frames,
              const void *pixels)
{
  g_return_val_if_fail (held != NULL && pixels != NULL, FALSE);
  g_return_val_if_fail (kind != TL_FRAMES_PROJECTIONS && n_frames > 0, FALSE);
  return put_field (held, kind, n_frames, pixels);
}

/* --- snapshots --- */

static gboolean
make_mean (const TlHeldLayout *layout, Sum *sum, GError **error)
{
  const size_t n_cols = layout->n_cols;
  double *mean = tl_try_alloc (1, layout->n_kept, n_cols, sizeof (double),
                               _ ("the flat and dark fields"), error);
  if (mean == NULL)
    return FALSE;
  for (size_t r = 0; r < layout->n_kept; r++)
    tl_field_sum_get_means (sum->values + r * n_cols, n_cols, sum->n_frames,
                            layout->type, mean + r * n_cols);
  sum->mean = g_bytes_new_take (mean, layout->n_kept * n_cols * sizeof *mean);
  return TRUE;
}

/* @mean: (out) (transfer full): stays %NULL if no frame has come */
static gboolean
share_mean (TlHeld *held, SumKind kind, GBytes **mean, size_t *n_frames,
            GError **error)
{
  Sum *sum = &held->sums[kind];
  *n_frames = sum->n_lent > 0 ? sum->n_lent : sum->n_frames;
  if (sum->n_frames == 0)
    return TRUE;
  if (sum->mean == NULL && !make_mean (&held->layout, sum, error))
    return FALSE;
  *mean = g_bytes_ref (sum->mean);
  return TRUE;
}

/* The sums are locked. */
static gboolean
share_fields (TlHeld *held, TlSnapshot *snapshot, GError **error)
{
  const gboolean is_whole = snapshot->is_complete;
  return share_mean (held, SUM_DARKS, &snapshot->dark, &snapshot->n_darks,
                     error)
         && share_mean (held, is_whole ? SUM_FLATS_FIRST : SUM_FLATS_NEWEST,
                        &snapshot->flat_before, &snapshot->n_flats_before,
                        error)
         && (!is_whole
             || share_mean (held, SUM_FLATS_LATER, &snapshot->flat_after,
                            &snapshot->n_flats_after, error));
}

/* Makes room for @n projections. */
static gboolean
reserve_projections (TlSnapshot *snapshot, size_t n, GError **error)
{
  const char *what = _ ("the projections");
  snapshot->rows = tl_try_alloc (n, 1, 1, sizeof (char **), what, error);
  snapshot->numbers = tl_try_alloc (n, 1, 1, sizeof (size_t), what, error);
  snapshot->angles_deg = tl_try_alloc (n, 1, 1, sizeof (double), what, error);
  return snapshot->rows != NULL && snapshot->numbers != NULL
         && snapshot->angles_deg != NULL;
}

/* Adds a projection to those of @snapshot, if it is there. */
static void
copy_projection (const TlHeld *held, size_t number, TlSnapshot *snapshot)
{
  const Chunk *chunk = held->chunks->pdata[number / CHUNK];
  const size_t i = number % CHUNK, k = snapshot->n_projections;
  if (chunk == NULL || isnan (chunk->angles_deg[i]))
    return;
  snapshot->rows[k] = chunk->rows;
  snapshot->numbers[k] = number;
  snapshot->angles_deg[k] = chunk->angles_deg[i];
  if (chunk->is_blank[i])
    tl_frame_ranges_add (snapshot->blank, number);
  snapshot->n_projections++;
}

/* @change: (nullable): its projections; %NULL: all. @held is locked */
static gboolean
copy_projections (const TlHeld *held, const TlHeldChange *change,
                  TlSnapshot *snapshot, GError **error)
{
  const size_t n =
      change != NULL ? change->n : held->state.n_frames[TL_FRAMES_PROJECTIONS];
  if (!reserve_projections (snapshot, n, error))
    return FALSE;
  if (change != NULL)
    for (size_t k = 0; k < n; k++)
      copy_projection (held, change->numbers[k], snapshot);
  else
    for (size_t k = 0; k < (size_t)held->chunks->len * CHUNK; k++)
      copy_projection (held, k, snapshot);
  return TRUE;
}

/* @change: (nullable): as of copy_projections(). Returns: (transfer full)
 * (nullable): %NULL without an error if it does not fit any more */
static TlSnapshot *
take_snapshot (TlHeld *held, const TlHeldChange *change, GError **error)
{
  g_autoptr (TlSnapshot) snapshot = g_new0 (TlSnapshot, 1);
  snapshot->owner = tl_held_ref (held);
  snapshot->release = (GDestroyNotify)tl_held_unref;
  snapshot->kept = &held->kept;
  snapshot->n_in_chunk = CHUNK;
  snapshot->layout = held->layout;
  snapshot->layout.name = held->name;
  snapshot->layout.angles_deg = held->angles_deg;
  snapshot->layout.angles_file = held->angles_file;
  snapshot->blank = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  snapshot->change = change;
  g_mutex_lock (&held->sums_mutex);
  g_mutex_lock (&held->mutex);
  snapshot->is_complete = held->state.is_complete;
  snapshot->n_flats_come = held->state.n_frames[TL_FRAMES_FLATS];
  snapshot->n_darks_come = held->state.n_frames[TL_FRAMES_DARKS];
  const gboolean fits =
      change == NULL
      || (!snapshot->is_complete && change->n_flats == snapshot->n_flats_come
          && change->n_darks == snapshot->n_darks_come);
  gboolean good = fits && copy_projections (held, change, snapshot, error);
  g_mutex_unlock (&held->mutex);
  good = good && share_fields (held, snapshot, error);
  g_mutex_unlock (&held->sums_mutex);
  return good ? g_steal_pointer (&snapshot) : NULL;
}

TlReader *
tl_held_open (TlHeld *held, const TlReaderOptions *options,
              TlHeldWeights **weights, GError **error)
{
  g_return_val_if_fail (held != NULL, NULL);
  TlSnapshot *snapshot = take_snapshot (held, NULL, error);
  return snapshot != NULL ? tl_snapshot_open (snapshot, options, weights, error)
                          : NULL;
}

TlReader *
tl_held_open_binned (TlHeld *held, const TlReaderOptions *options,
                     GError **error)
{
  g_return_val_if_fail (held != NULL && options != NULL, NULL);
  TlReaderOptions each = *options;
  each.bin = 1;
  TlReader *reader = tl_held_open (held, &each, NULL, error);
  return reader != NULL && options->bin > 1
             ? tl_binned_open (reader, options, error)
             : reader;
}

TlReader *
tl_held_open_change (TlHeld *held, const TlReaderOptions *options,
                     const TlHeldChange *change, GError **error)
{
  g_return_val_if_fail (held != NULL && change != NULL && change->n > 0, NULL);
  TlSnapshot *snapshot = take_snapshot (held, change, error);
  return snapshot != NULL ? tl_snapshot_open (snapshot, options, NULL, error)
                          : NULL;
}
