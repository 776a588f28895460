#include "data/read/held/copy.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* Looks at the progress so many times, and less often where a part would have
 * too few projections for all threads. */
#define N_PARTS 32
#define LEAST_PART 16

/* The fields; the last flats are those of the scan's end. */
enum
{
  DARK,
  FLAT_FIRST,
  FLAT_LAST,
  N_FIELDS
};

struct TlHeldCopy
{
  gatomicrefcount n_refs;
  TlHeldBudget *budget;
  guint64 n_bytes; /* taken of it */
  char *name, *angles_source;
  TlScanInfo info;                /* without what its pointers lead to */
  double *angles_deg;             /* [n_projections] */
  double *weights, *turn_weights; /* (nullable): [n_projections], likewise */
  size_t first_row, n_kept;       /* the rows that are here */
  char *samples;                  /* [n_projections][n_kept][n_cols] */
  double *fields[N_FIELDS]; /* (nullable): [n_kept][n_cols]; %NULL: no flats */
};

guint64
tl_held_copy_count_bytes (const TlScanInfo *info)
{
  return tl_held_copy_count_row_bytes (info, info->n_rows);
}

guint64
tl_held_copy_count_row_bytes (const TlScanInfo *info, size_t n_rows)
{
  const guint64 n = (guint64)n_rows * info->n_cols;
  const guint64 n_fields = info->n_flats > 0 ? N_FIELDS : 0;
  return n * info->n_projections * tl_sample_size (info->type)
         + n * n_fields * sizeof (double)
         + info->n_projections * sizeof (double)
               * (1 + (info->weights != NULL) + (info->turn_weights != NULL));
}

TlHeldCopy *
tl_held_copy_ref (TlHeldCopy *copy)
{
  g_atomic_ref_count_inc (&copy->n_refs);
  return copy;
}

void
tl_held_copy_unref (TlHeldCopy *copy)
{
  if (copy == NULL || !g_atomic_ref_count_dec (&copy->n_refs))
    return;
  for (int k = 0; k < N_FIELDS; k++)
    g_free (copy->fields[k]);
  g_free (copy->samples);
  g_free (copy->angles_deg);
  g_free (copy->weights);
  g_free (copy->turn_weights);
  g_free (copy->angles_source);
  g_free (copy->name);
  tl_held_budget_give_back (copy->budget, copy->n_bytes);
  tl_held_budget_unref (copy->budget);
  g_free (copy);
}

/* @values: (nullable): [@n], of projections. @copied: (out): stays %NULL if
 * there are none */
static gboolean
copy_values (const double *values, size_t n, double **copied, GError **error)
{
  if (values == NULL)
    return TRUE;
  *copied = tl_try_alloc (n, 1, 1, sizeof (double), _ ("the angles"), error);
  if (*copied == NULL)
    return FALSE;
  memcpy (*copied, values, n * sizeof (double));
  return TRUE;
}

/* --- reading the scan --- */

static gboolean
allocate (TlHeldCopy *copy, GError **error)
{
  const TlScanInfo *info = &copy->info;
  const size_t n_rows = copy->n_kept;
  const guint64 n_bytes = tl_held_copy_count_row_bytes (info, n_rows);
  if (!tl_held_budget_take (copy->budget, n_bytes))
    return tl_fail (error, TL_ERROR_MEMORY,
                    _ ("%zu x %zu pixels of %zu projections need %.1f GB, more "
                       "than the program may still use for projections; open "
                       "the scan in larger bins"),
                    info->n_cols, n_rows, info->n_projections,
                    (double)n_bytes / 1e9);
  copy->n_bytes = n_bytes;
  copy->samples =
      tl_try_alloc (info->n_projections, n_rows, info->n_cols,
                    tl_sample_size (info->type), _ ("the projections"), error);
  if (copy->samples == NULL
      || !copy_values (info->angles_deg, info->n_projections, &copy->angles_deg,
                       error)
      || !copy_values (info->weights, info->n_projections, &copy->weights,
                       error)
      || !copy_values (info->turn_weights, info->n_projections,
                       &copy->turn_weights, error))
    return FALSE;
  for (int k = 0; info->n_flats > 0 && k < N_FIELDS; k++)
    {
      copy->fields[k] = tl_try_alloc (1, n_rows, info->n_cols, sizeof (double),
                                      _ ("the flat and dark fields"), error);
      if (copy->fields[k] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Returns: whether no two of the @n angles are the same */
static gboolean
are_distinct (const double *angles_deg, size_t n)
{
  g_autofree double *sorted = g_memdup2 (angles_deg, n * sizeof (double));
  gboolean good = TRUE;
  tl_sort_doubles (sorted, n);
  for (size_t k = 1; good && k < n; k++)
    good = sorted[k] > sorted[k - 1];
  return good;
}

/* Copies the first projections that are the same in @before (nullable). A bin
 * of several has another mean if its projections are others, because their
 * angles are in order; a bin of one is known by its angle.
 *
 * Returns: how many they are */
static size_t
copy_same (TlHeldCopy *copy, const TlHeldCopy *before, size_t frame_bytes)
{
  size_t n = 0;
  if (before == NULL || before->info.type != copy->info.type
      || before->info.n_cols != copy->info.n_cols
      || !are_distinct (copy->angles_deg, copy->info.n_projections))
    return 0;
  while (n < MIN (before->info.n_projections, copy->info.n_projections)
         && before->angles_deg[n] == copy->angles_deg[n])
    n++;
  memcpy (copy->samples, before->samples, n * frame_bytes);
  return n;
}

/* @before: (nullable): as of tl_held_copy_new_after() */
static gboolean
read_scan (TlHeldCopy *copy, const TlHeldCopy *before, TlReader *scan,
           TlProgress progress, gpointer progress_data,
           GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = &copy->info;
  const size_t n = info->n_projections;
  const size_t frame_bytes =
      copy->n_kept * info->n_cols * tl_sample_size (info->type);
  const size_t part = MAX ((n + N_PARTS - 1) / N_PARTS, LEAST_PART);
  if (info->n_flats > 0
      && !tl_reader_read_fields (scan, copy->first_row, copy->n_kept,
                                 copy->fields[DARK], copy->fields[FLAT_FIRST],
                                 copy->fields[FLAT_LAST], cancellable, error))
    return FALSE;
  for (size_t first = copy_same (copy, before, frame_bytes); first < n;
       first += part)
    {
      if (progress != NULL)
        progress ((double)first / (double)n, progress_data);
      if (!tl_reader_read_block (
              scan, first, MIN (part, n - first), copy->first_row, copy->n_kept,
              copy->samples + first * frame_bytes, cancellable, error))
        return FALSE;
    }
  return TRUE;
}

TlHeldCopy *
tl_held_copy_new (TlReader *scan, TlHeldBudget *budget, TlProgress progress,
                  gpointer progress_data, GCancellable *cancellable,
                  GError **error)
{
  g_return_val_if_fail (scan != NULL, NULL);
  return tl_held_copy_new_rows (scan, 0, tl_reader_get_info (scan)->n_rows,
                                budget, progress, progress_data, cancellable,
                                error);
}

/* @before: (nullable): as of tl_held_copy_new_after() */
static TlHeldCopy *
make_copy (const TlHeldCopy *before, TlReader *scan, size_t first_row,
           size_t n_rows, TlHeldBudget *budget, TlProgress progress,
           gpointer progress_data, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (scan);
  g_return_val_if_fail (n_rows > 0 && first_row < info->n_rows
                            && n_rows <= info->n_rows - first_row,
                        NULL);
  g_autoptr (TlHeldCopy) copy = g_new0 (TlHeldCopy, 1);
  g_atomic_ref_count_init (&copy->n_refs);
  copy->budget = tl_held_budget_ref (budget);
  copy->name = g_strdup (info->path);
  copy->angles_source = g_strdup (info->angles_source);
  copy->info = *info;
  copy->first_row = first_row;
  copy->n_kept = n_rows;
  return allocate (copy, error)
                 && read_scan (copy, before, scan, progress, progress_data,
                               cancellable, error)
             ? g_steal_pointer (&copy)
             : NULL;
}

TlHeldCopy *
tl_held_copy_new_rows (TlReader *scan, size_t first_row, size_t n_rows,
                       TlHeldBudget *budget, TlProgress progress,
                       gpointer progress_data, GCancellable *cancellable,
                       GError **error)
{
  g_return_val_if_fail (scan != NULL && budget != NULL, NULL);
  return make_copy (NULL, scan, first_row, n_rows, budget, progress,
                    progress_data, cancellable, error);
}

TlHeldCopy *
tl_held_copy_new_after (const TlHeldCopy *before, TlReader *scan,
                        TlHeldBudget *budget, TlProgress progress,
                        gpointer progress_data, GCancellable *cancellable,
                        GError **error)
{
  g_return_val_if_fail (before != NULL && scan != NULL && budget != NULL, NULL);
  return make_copy (before, scan, before->first_row, before->n_kept, budget,
                    progress, progress_data, cancellable, error);
}

/* --- the format --- */

static gboolean
is_parallel (gpointer source, TlFrameKind kind)
{
  return TRUE;
}

static gboolean
read_frames (gpointer source, TlFrameKind kind, size_t first_frame,
             size_t n_frames, const size_t *rows, size_t n_rows, void *dest,
             GError **error)
{
  const TlHeldCopy *copy = source;
  const TlScanInfo *info = &copy->info;
  const gboolean is_field = kind != TL_FRAMES_PROJECTIONS;
  const size_t row_bytes =
      info->n_cols * tl_sample_size (is_field ? TL_SAMPLE_F64 : info->type);
  char *to = dest;
  if (rows[0] < copy->first_row
      || rows[n_rows - 1] >= copy->first_row + copy->n_kept)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("rows %zu to %zu are not in memory, only rows %zu to "
                       "%zu"),
                    rows[0], rows[n_rows - 1], copy->first_row,
                    copy->first_row + copy->n_kept - 1);
  for (size_t f = first_frame; f < first_frame + n_frames; f++)
    {
      const char *frame =
          kind == TL_FRAMES_DARKS ? (const char *)copy->fields[DARK]
          : is_field              ? (const char *)copy->fields[FLAT_FIRST + f]
                     : copy->samples + f * copy->n_kept * row_bytes;
      for (size_t r = 0; r < n_rows; r++, to += row_bytes)
        memcpy (to, frame + (rows[r] - copy->first_row) * row_bytes, row_bytes);
    }
  return TRUE;
}

static void
close_copy (gpointer source)
{
  tl_held_copy_unref (source);
}

static const TlReaderFormat copy_format = {
  .is_parallel = is_parallel,
  .read = read_frames,
  .close = close_copy,
};

static gboolean
settle (const TlHeldCopy *copy, TlScanDraft *draft, GError **error)
{
  const size_t n = copy->info.n_projections;
  draft->n_angles = n;
  draft->used_numbers =
      tl_try_alloc (n, 1, 1, sizeof (size_t), _ ("the angles"), error);
  if (draft->used_numbers == NULL
      || !copy_values (copy->angles_deg, n, &draft->angles_deg, error)
      || !copy_values (copy->weights, n, &draft->weights, error)
      || !copy_values (copy->turn_weights, n, &draft->turn_weights, error))
    return FALSE;
  for (size_t k = 0; k < n; k++)
    draft->used_numbers[k] = k;
  draft->ends_deg[0] = copy->angles_deg[0];
  draft->ends_deg[1] = copy->angles_deg[n - 1];
  return TRUE;
}

TlReader *
tl_held_copy_open (TlHeldCopy *copy, GError **error)
{
  g_return_val_if_fail (copy != NULL, NULL);
  const TlScanInfo *info = &copy->info;
  const gboolean has_fields = info->n_flats > 0;
  /* "grows": large dark counts were subtracted when the scan was read */
  const TlReaderOptions options = { .grows = TRUE };
  g_auto (TlScanDraft) draft;
  tl_scan_draft_init (&draft);
  draft.format = info->format;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    draft.frames[kind] = (TlFrameSet){ .n_rows = info->n_rows,
                                       .n_cols = info->n_cols,
                                       .type = TL_SAMPLE_F64 };
  draft.frames[TL_FRAMES_PROJECTIONS].type = info->type;
  draft.frames[TL_FRAMES_PROJECTIONS].n_frames = info->n_projections;
  draft.frames[TL_FRAMES_FLATS].n_frames = has_fields ? 2 : 0;
  draft.frames[TL_FRAMES_DARKS].n_frames = has_fields && info->n_darks > 0;
  draft.n_flats_before = has_fields;
  draft.fields_are_means = TRUE;
  draft.are_counts = info->are_counts;
  draft.pixel_size_um = info->pixel_size_um;
  draft.angles_source = g_strdup (copy->angles_source);
  draft.is_noted = TRUE;
  return settle (copy, &draft, error)
             ? tl_reader_open_source (&copy_format, tl_held_copy_ref (copy),
                                      &draft, copy->name, &options, error)
             : NULL;
}
