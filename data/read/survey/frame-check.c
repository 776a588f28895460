#include "data/read/survey/frame-check.h"

#include "data/array.h"
#include "data/error.h"
#include "data/parallel.h"
#include "data/read/scan/angles.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/reader-private.h"
#include "data/read/format/rows.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 4,           /* examined, from the first to the last */
  MIN_COLS = 8,         /* in fewer, equal samples can be a coincidence */
  MIN_ROW_BYTES = 4096, /* reading fewer bytes takes as long */
  MAX_FIELDS = 4,       /* of each kind */
  MAX_SORTED = 1024,    /* samples of a projection, for its brightness */
  MIN_NEIGHBOURS = 8,   /* on each side, read by the first pass */
  MAX_NEIGHBOURS = 100
};

/* What a step reads or decompresses, or more if each thread then has less than
 * one unit. */
#define STEP_BYTES ((size_t)4 << 20)

/* The brightness is that of the pixels beside the sample, so that it does not
 * depend on the sample's shape: so many samples are darker. */
#define BRIGHT_PART 0.9

/* In the same way, the sample's shadow. */
#define LOW_PART 0.1

/* Neighbours: this part of all projections, on both sides. */
#define NEIGHBOUR_PART (1.0 / 16)

/* A lost beam leaves less than this part of the usual brightness, a dip less
 * than this part of that of the neighbours. */
#define LOST_PART 0.1
#define DIM_PART 0.9

/* A beam goes or comes back at once: the logarithm of the brightness changes at
 * one end of the dark projections by this at least, by so many times the usual
 * change between neighbours, and by so many times the change outside. A thick
 * sample that turns into the beam darkens the projections little by little. */
#define MIN_EDGE 0.07
#define EDGE_RATIO 10
#define OUTSIDE_RATIO 3

/* Projections are compared with their neighbours only if the angle of the next
 * one is at most so many steps of all angles away. */
#define MAX_GAPS 2.5

/* Fields are all wrong only where they differ from the projections by more than
 * this part of themselves, which dark counts may drift by. */
#define DRIFT_PART 0.05

/* No projection is darker than the darks: noise and drift make it so by less
 * than this part of the beam. */
#define LIT_PART 0.25

/* Flats that have less than LOST_PART of the light of the projections have no
 * beam, and darks that have more than this part of it are flats. */
#define FLAT_PART 0.5

/* If more of the angles come again, the scan was planned so. */
#define MAX_REPEATED 0.25

/* Values below which LOW_PART and BRIGHT_PART of the samples are. */
typedef struct
{
  double low, bright;
} Levels;

/* One projection. */
typedef struct
{
  gboolean is_seen;
  gboolean is_unreadable;
  guint8 is_flat;    /* a bit for each row with one value only */
  guint8 is_same;    /* and if this is the value of the last row */
  float low, bright; /* as of Levels */
  TlOddKind odd;     /* TL_N_ODD_KINDS: not odd */
} Frame;

struct TlFrameCheck
{
  TlReader *reader;
  const TlScanInfo *info;
  size_t rows[N_ROWS], n_rows;
  size_t unit;   /* projections that are compressed together, or 1 */
  size_t stride; /* units: the first pass reads one of so many */
  size_t next;   /* projection */
  gboolean is_second_pass, is_done;
  char *samples;  /* [step_frames][n_rows][n_cols] */
  float *values;  /* [n_rows][n_cols] */
  double *sorted; /* [MAX (n_projections, MAX_SORTED)] */
  size_t step_frames;
  guint n_threads;     /* that decompress projections */
  size_t *numbers;     /* [step_frames]: the projections of a step */
  GError **failures;   /* [step_frames], nullable elements: why each could not
                          be read */
  Frame *frames;       /* [n_projections] */
  Levels flats, darks; /* NaN: unknown; without darks 0 */
  double dark;         /* brightness without a beam */
  gboolean flats_are_empty;
  TlFieldFault fault;
  size_t n_seen, n_unreadable;
  char *reason; /* (nullable): why the first one cannot be read */
  size_t reason_frame;
  TlOddFrames found[TL_N_ODD_KINDS];
  TlOddFrames fields[TL_N_FIELD_STATES];
};

static void
clear_found (TlOddFrames *found, size_t n)
{
  for (size_t k = 0; k < n; k++)
    {
      g_free (found[k].frames);
      g_free (found[k].files);
    }
}

static void
choose_rows (TlFrameCheck *check)
{
  const size_t n = check->info->n_rows;
  check->n_rows = MIN (n, N_ROWS);
  for (size_t k = 0; k < check->n_rows; k++)
    check->rows[k] = check->n_rows < 2 ? 0 : k * (n - 1) / (check->n_rows - 1);
}

TlFrameCheck *
tl_frame_check_new (TlReader *reader, guint64 bytes)
{
  g_return_val_if_fail (reader != NULL, NULL);
  TlFrameCheck *check = g_new0 (TlFrameCheck, 1);
  const TlScanInfo *info = tl_reader_get_info (reader);
  check->reader = reader;
  check->info = info;
  choose_rows (check);
  const size_t row_bytes = info->n_cols * tl_sample_size (info->type);
  const size_t n_touched =
      tl_reader_count_blocks (reader, check->rows, check->n_rows)
      * tl_reader_get_block_rows (reader);
  const size_t frame_bytes =
      MAX (n_touched * row_bytes, check->n_rows * MIN_ROW_BYTES);
  const size_t n_most = MAX (bytes / frame_bytes, 1);
  check->unit =
      MIN (MAX (tl_reader_get_block (reader), 1), info->n_projections);
  check->stride = (info->n_projections + n_most - 1) / n_most;
  if (n_touched > check->n_rows && tl_reader_is_parallel (reader))
    check->n_threads = g_get_num_processors ();
  else
    check->n_threads = 1;
  check->step_frames =
      MIN (MAX (STEP_BYTES / frame_bytes / check->unit, check->n_threads)
               * check->unit,
           info->n_projections);
  return check;
}

void
tl_frame_check_free (TlFrameCheck *check)
{
  if (check == NULL)
    return;
  g_free (check->numbers);
  g_free (check->failures);
  g_free (check->samples);
  g_free (check->values);
  g_free (check->sorted);
  g_free (check->frames);
  clear_found (check->found, TL_N_ODD_KINDS);
  clear_found (check->fields, TL_N_FIELD_STATES);
  g_free (check->reason);
  g_free (check);
}

/* --- one projection --- */

/* Returns: whether all of @n values are the same; no numbers are equal here */
static gboolean
is_flat (const float *values, size_t n)
{
  for (size_t i = 1; i < n; i++)
    if (values[i] != values[0] && !(isnan (values[i]) && isnan (values[0])))
      return FALSE;
  return n >= MIN_COLS;
}

/* Returns: the value below which @part of the samples are. At a few counts many
 * samples are equal, and a step to the next count is more than 10 %: where
 * among the equal samples that part ends gives fractions of a step.
 * @sorted: [@n], ascending
 * @step: between two values */
static double
find_level (const double *sorted, size_t n, double step, double part)
{
  const size_t at = (size_t)(part * (double)(n - 1));
  size_t first = at, end = at + 1;
  while (first > 0 && sorted[first - 1] == sorted[at])
    first--;
  while (end < n && sorted[end] == sorted[at])
    end++;
  const double within =
      ((double)(at - first) + 0.5) / (double)(end - first) - 0.5;
  return sorted[at] + step * within;
}

/* Returns: the smallest difference of two values; 0 if all are the same */
static double
find_value_step (const double *sorted, size_t n)
{
  double step = INFINITY;
  for (size_t k = 1; k < n; k++)
    if (sorted[k] > sorted[k - 1])
      step = fmin (step, sorted[k] - sorted[k - 1]);
  return isfinite (step) ? step : 0;
}

/* Returns: 0 if no sample is a number */
static Levels
find_levels (TlFrameCheck *check)
{
  const size_t n = check->n_rows * check->info->n_cols;
  const size_t step = (n + MAX_SORTED - 1) / MAX_SORTED;
  size_t n_sorted = 0;
  for (size_t i = 0; i < n; i += step)
    if (isfinite (check->values[i]))
      check->sorted[n_sorted++] = check->values[i];
  if (n_sorted == 0)
    return (Levels){ 0 };
  tl_sort_doubles (check->sorted, n_sorted);
  const double *sorted = check->sorted;
  const double gap = find_value_step (sorted, n_sorted);
  return (Levels){ .low = find_level (sorted, n_sorted, gap, LOW_PART),
                   .bright = find_level (sorted, n_sorted, gap, BRIGHT_PART) };
}

/* Examines the samples in check->values. */
static void
examine (TlFrameCheck *check, Frame *frame)
{
  const size_t n_cols = check->info->n_cols;
  const float last = check->values[(check->n_rows - 1) * n_cols];
  /* other rows of it may be damaged */
  *frame = (Frame){ .is_seen = !frame->is_unreadable,
                    .is_unreadable = frame->is_unreadable,
                    .odd = TL_N_ODD_KINDS };
  for (size_t k = 0; k < check->n_rows; k++)
    {
      const float *row = check->values + k * n_cols;
      const gboolean same = row[0] == last || (isnan (row[0]) && isnan (last));
      if (!is_flat (row, n_cols))
        continue;
      frame->is_flat |= (guint8)(1u << k);
      frame->is_same |= (guint8)((same ? 1u : 0u) << k);
    }
  const Levels levels = find_levels (check);
  frame->low = (float)levels.low;
  frame->bright = (float)levels.bright;
  check->n_seen++;
}

/* Returns: where the samples of frame @k of a step are */
static char *
get_samples (const TlFrameCheck *check, TlFrameKind kind, size_t k)
{
  return check->samples
         + k * check->n_rows * check->info->n_cols
               * tl_sample_size (tl_reader_get_type (check->reader, kind));
}

/* Reads @n frames from @first on as those of a step from @k on. */
static gboolean
read_frames (const TlFrameCheck *check, TlFrameKind kind, size_t first,
             size_t n, size_t k, GError **error)
{
  return tl_reader_read_frames_list (check->reader, kind, first, n, check->rows,
                                     check->n_rows,
                                     get_samples (check, kind, k), error);
}

/* Converts frame @k of a step. */
static void
convert (TlFrameCheck *check, TlFrameKind kind, size_t k)
{
  tl_samples_to_float (tl_reader_get_type (check->reader, kind),
                       get_samples (check, kind, k),
                       check->n_rows * check->info->n_cols, check->values);
}

/* Returns: (transfer full) (nullable): of char *, the names of the files of all
 * fields of @kind; %NULL if they are not one image each, of one group */
static GPtrArray *
list_files (const TlScanInfo *info, TlFrameKind kind, size_t n_fields)
{
  const GPtrArray *groups = info->groups;
  const TlImageGroup *found = NULL;
  for (guint k = 0; groups != NULL && k < groups->len && found == NULL; k++)
    if (((const TlImageGroup *)groups->pdata[k])->kind == kind)
      found = groups->pdata[k];
  if (found == NULL || found->n_images != n_fields
      || found->paths->len != n_fields)
    return NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < found->paths->len; k++)
    g_ptr_array_add (names,
                     g_filename_display_basename (found->paths->pdata[k]));
  return names;
}

/* @states: [@n_fields], of fields of @kind */
static void
list_fields (TlFrameCheck *check, TlFrameKind kind, const guint8 *states,
             size_t n_fields)
{
  g_autoptr (GPtrArray) files = list_files (check->info, kind, n_fields);
  for (int state = TL_FIELD_GOOD + 1; state < TL_N_FIELD_STATES; state++)
    {
      TlOddFrames *found = &check->fields[state];
      g_autoptr (GArray) ranges =
          g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
      size_t n = 0;
      for (size_t k = 0; k < n_fields; k++)
        if (states[k] == state)
          {
            tl_frame_ranges_add (ranges, k);
            n++;
          }
      if (n == 0)
        continue;
      found->n_frames = n;
      found->frames = tl_frame_ranges_format (ranges);
      if (files != NULL)
        found->files = tl_frame_ranges_describe (ranges, files);
    }
}

/* Lists the odd fields. @states: (out): of the flats and darks, as of
 * tl_reader_judge_fields() */
static gboolean
judge_fields (TlFrameCheck *check, const guint8 **states, GError **error)
{
  const TlScanInfo *info = check->info;
  const guint8 *flats =
      tl_reader_judge_fields (check->reader, TL_FRAMES_FLATS, error);
  if (flats == NULL)
    return FALSE;
  states[TL_FRAMES_FLATS] = flats;
  states[TL_FRAMES_DARKS] =
      tl_reader_judge_fields (check->reader, TL_FRAMES_DARKS, NULL);
  list_fields (check, TL_FRAMES_FLATS, flats, info->n_flats);
  list_fields (check, TL_FRAMES_DARKS, states[TL_FRAMES_DARKS], info->n_darks);
  return TRUE;
}

static gboolean
has_number (const TlFrameCheck *check)
{
  for (size_t i = 0; i < check->n_rows * check->info->n_cols; i++)
    if (isfinite (check->values[i]))
      return TRUE;
  return FALSE;
}

/* Finds the mean levels of the first good fields of @kind; NaN if there is none
 * @states: (nullable): [@n], of TlFieldState */
static gboolean
read_levels (TlFrameCheck *check, TlFrameKind kind, size_t n,
             const guint8 *states, Levels *mean, GError **error)
{
  size_t n_read = 0, n_empty = 0;
  Levels sum = { 0 };
  for (size_t k = 0; k < n && n_read < MAX_FIELDS; k++)
    {
      if (states != NULL && states[k] != TL_FIELD_GOOD)
        continue;
      if (!read_frames (check, kind, k, 1, 0, error))
        return FALSE;
      convert (check, kind, 0);
      const Levels levels = find_levels (check);
      sum.low += levels.low;
      sum.bright += levels.bright;
      n_read++;
      n_empty += !has_number (check);
    }
  if (kind == TL_FRAMES_FLATS)
    check->flats_are_empty = n_read > 0 && n_empty == n_read;
  mean->low = sum.low / (double)n_read;
  mean->bright = sum.bright / (double)n_read;
  return TRUE;
}

static gboolean
read_fields (TlFrameCheck *check, GError **error)
{
  const TlScanInfo *info = check->info;
  g_autoptr (GError) failure = NULL;
  const guint8 *states[TL_N_FRAME_KINDS] = { NULL };
  if (info->n_flats > 0 && !judge_fields (check, states, &failure)
      && !g_error_matches (failure, TL_ERROR, TL_ERROR_FILE))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  /* without levels of flats nothing is said of them */
  check->flats.bright = NAN;
  if (states[TL_FRAMES_FLATS] != NULL)
    read_levels (check, TL_FRAMES_FLATS, info->n_flats, states[TL_FRAMES_FLATS],
                 &check->flats, NULL);
  return info->n_darks == 0
         || read_levels (check, TL_FRAMES_DARKS, info->n_darks,
                         states[TL_FRAMES_DARKS], &check->darks, error);
}

static gboolean
begin (TlFrameCheck *check, GError **error)
{
  const TlScanInfo *info = check->info;
  const char *what = _ ("the survey of the scan");
  /* samples of a dark field may be the largest */
  check->numbers = tl_try_alloc (check->step_frames, 1, 1,
                                 sizeof *check->numbers, what, error);
  check->failures = tl_try_alloc (check->step_frames, 1, 1,
                                  sizeof *check->failures, what, error);
  check->samples = tl_try_alloc (check->step_frames, check->n_rows,
                                 info->n_cols, sizeof (double), what, error);
  check->values = tl_try_alloc (check->n_rows, info->n_cols, 1, sizeof (float),
                                what, error);
  check->sorted = tl_try_alloc (MAX (info->n_projections, MAX_SORTED), 1, 1,
                                sizeof (double), what, error);
  check->frames =
      tl_try_alloc (info->n_projections, 1, 1, sizeof (Frame), what, error);
  if (check->numbers == NULL || check->failures == NULL
      || check->samples == NULL || check->values == NULL
      || check->sorted == NULL || check->frames == NULL)
    return FALSE;
  memset (check->failures, 0, check->step_frames * sizeof *check->failures);
  memset (check->frames, 0, info->n_projections * sizeof (Frame));
  return read_fields (check, error);
}

/* --- all projections --- */

/* Returns: whether the first pass reads @frame */
static gboolean
is_regular (const TlFrameCheck *check, size_t frame)
{
  return frame / check->unit % check->stride == 0;
}

/* Rows that have one value only in most projections, such as those behind an
 * aperture, are not odd.
 *
 * Returns: a bit for each of the other rows */
static guint8
find_live_rows (TlFrameCheck *check)
{
  const guint8 all = (guint8)((1u << check->n_rows) - 1);
  guint8 live = 0;
  size_t n_written = 0, n_flat[N_ROWS] = { 0 };
  for (size_t p = 0; p < check->info->n_projections; p++)
    {
      const Frame *frame = &check->frames[p];
      if (!frame->is_seen || frame->is_same == all)
        continue;
      n_written++;
      for (size_t k = 0; k < check->n_rows; k++)
        n_flat[k] += (frame->is_flat >> k) & 1u;
    }
  for (size_t k = 0; k < check->n_rows; k++)
    if (2 * n_flat[k] < n_written)
      live |= (guint8)(1u << k);
  return live;
}

/* Finds projections that were written not at all or in part. */
static void
find_unwritten (TlFrameCheck *check)
{
  const guint8 all = (guint8)((1u << check->n_rows) - 1);
  const guint8 live = find_live_rows (check);
  guint8 last = (guint8)(1u << (check->n_rows - 1));
  for (size_t p = 0; p < check->info->n_projections && live != 0; p++)
    {
      Frame *frame = &check->frames[p];
      if (!frame->is_seen)
        continue;
      if (frame->is_same == all)
        frame->odd = TL_ODD_EMPTY;
      else if ((live & last) != 0 && (frame->is_same & last) != 0)
        frame->odd = TL_ODD_UNFINISHED;
    }
}

/* Returns: the median brightness of the projections from @first to @last that
 * the first pass has read and that are not odd; 0 if there is none */
static double
median_bright (TlFrameCheck *check, size_t first, size_t last)
{
  size_t n = 0;
  for (size_t p = first; p <= last; p++)
    if (check->frames[p].is_seen && check->frames[p].odd == TL_N_ODD_KINDS
        && is_regular (check, p))
      check->sorted[n++] = check->frames[p].bright - check->dark;
  return n > 0 ? tl_median (check->sorted, n) : 0;
}

/* Returns: whether the projection was read and has all its samples */
static gboolean
is_written (const TlFrameCheck *check, size_t p)
{
  return check->frames[p].is_seen && check->frames[p].odd != TL_ODD_EMPTY
         && check->frames[p].odd != TL_ODD_UNFINISHED;
}

/* Returns: the next projection in the direction @step that was read and
 * has all its samples; @p if there is none */
static size_t
find_written (const TlFrameCheck *check, size_t p, int step)
{
  for (size_t q = p + (size_t)step; q < check->info->n_projections;
       q += (size_t)step)
    if (is_written (check, q))
      return q;
  return p;
}

/* As find_written(), of the projections whose brightness is compared. The first
 * pass compares those far apart, to choose what the second one reads: then only
 * neighbours count, because between others a sample may have turned. */
static size_t
find_neighbour (const TlFrameCheck *check, size_t p, int step)
{
  const size_t found = find_written (check, p, step);
  for (size_t q = p; q != found; q += (size_t)step)
    if (check->is_second_pass && !check->frames[q].is_seen
        && !check->frames[q].is_unreadable)
      return p;
  return found;
}

/* Returns: the logarithm of the brightness; without a beam, a small one */
static double
log_bright (const TlFrameCheck *check, size_t p, double usual)
{
  return log (fmax (check->frames[p].bright - check->dark, 1e-3 * usual));
}

/* Returns: the change of the brightness that is an edge */
static double
find_edge (TlFrameCheck *check, double usual)
{
  size_t n = 0;
  for (size_t p = 0; p < check->info->n_projections; p++)
    {
      const size_t q = is_written (check, p) ? find_neighbour (check, p, 1) : p;
      if (q > p)
        check->sorted[n++] =
            fabs (log_bright (check, q, usual) - log_bright (check, p, usual));
    }
  return n > 0 ? fmax (MIN_EDGE, EDGE_RATIO * tl_median (check->sorted, n))
               : INFINITY;
}

/* Returns: whether the beam goes at once from projection @end on, seen from its
 * neighbour in the direction @step */
static gboolean
is_sudden (const TlFrameCheck *check, size_t end, int step, double usual,
           double edge)
{
  const size_t near = find_neighbour (check, end, step);
  const size_t far = find_written (check, near, step);
  const double bright = log_bright (check, near, usual);
  const double fall = bright - log_bright (check, end, usual);
  return fall >= edge
         && fall >= OUTSIDE_RATIO
                        * fabs (bright - log_bright (check, far, usual));
}

/* Takes projections from @first to @last, which are of @kind, for good ones
 * unless the beam went or came back at once. */
static void
confirm (TlFrameCheck *check, TlOddKind kind, size_t first, size_t last,
         double usual, double edge)
{
  if (is_sudden (check, first, -1, usual, edge)
      || is_sudden (check, last, 1, usual, edge))
    return;
  for (size_t p = first; p <= last; p++)
    if (check->frames[p].odd == kind)
      check->frames[p].odd = TL_N_ODD_KINDS;
}

/* Confirms each run of projections of @kind. */
static void
confirm_runs (TlFrameCheck *check, TlOddKind kind, double usual, double edge)
{
  const size_t n = check->info->n_projections;
  for (size_t p = 0, last; p < n; p = last + 1)
    {
      last = p;
      if (!check->frames[p].is_seen || check->frames[p].odd != kind)
        continue;
      for (size_t q = find_written (check, p, 1);
           q > last && check->frames[q].odd == kind;
           q = find_written (check, q, 1))
        last = q;
      confirm (check, kind, p, last, usual, edge);
    }
}

/* Returns: whether neighbours of a projection are neighbours in angle too, so
 * that the sample hardly turns between them; interlaced ones are not */
static gboolean
turns_slowly (TlFrameCheck *check)
{
  const size_t n = check->info->n_projections;
  const double *angles_deg = check->info->angles_deg;
  double *sorted = check->sorted;
  size_t n_gaps = 0;
  if (n < 2)
    return TRUE;
  for (size_t p = 1; p < n; p++)
    sorted[p - 1] = fabs (angles_deg[p] - angles_deg[p - 1]);
  const double step_deg = tl_median (sorted, n - 1);
  memcpy (sorted, angles_deg, n * sizeof (double));
  tl_sort_doubles (sorted, n);
  for (size_t k = 1; k < n; k++)
    if (sorted[k] > sorted[k - 1])
      sorted[n_gaps++] = sorted[k] - sorted[k - 1];
  return n_gaps == 0 || step_deg <= MAX_GAPS * tl_median (sorted, n_gaps);
}

/* Finds projections without a beam, or with less. */
static void
find_dark (TlFrameCheck *check)
{
  const size_t n = check->info->n_projections;
  const size_t reach = MAX (MIN ((size_t)(NEIGHBOUR_PART * (double)n),
                                 MAX_NEIGHBOURS * check->stride),
                            MIN_NEIGHBOURS * check->unit * check->stride);
  const double usual = median_bright (check, 0, n - 1);
  if (!(usual > 0))
    return;
  const double edge = find_edge (check, usual);
  for (size_t p = 0; p < n; p++)
    if (check->frames[p].is_seen && check->frames[p].odd == TL_N_ODD_KINDS
        && check->frames[p].bright - check->dark < LOST_PART * usual)
      check->frames[p].odd = TL_ODD_LOST;
  confirm_runs (check, TL_ODD_LOST, usual, edge);
  if (!turns_slowly (check))
    return;
  g_autofree gboolean *is_dim = g_new0 (gboolean, n);
  for (size_t p = 0; p < n; p++)
    is_dim[p] = check->frames[p].is_seen
                && check->frames[p].odd == TL_N_ODD_KINDS
                && check->frames[p].bright - check->dark
                       < DIM_PART
                             * median_bright (check, p - MIN (reach, p),
                                              MIN (p + reach, n - 1));
  for (size_t p = 0; p < n; p++)
    if (is_dim[p])
      check->frames[p].odd = TL_ODD_DIM;
  confirm_runs (check, TL_ODD_DIM, usual, edge);
}

/* Returns: whether the brightness of a projection is that of the beam */
static gboolean
has_beam (const TlScanInfo *info)
{
  return !info->is_attenuation || info->are_counts;
}

/* Returns: the median level of the projections that the first pass has read and
 * that are not odd; NaN if there is none */
static double
median_low (TlFrameCheck *check)
{
  size_t n = 0;
  for (size_t p = 0; p < check->info->n_projections; p++)
    if (check->frames[p].is_seen && check->frames[p].odd == TL_N_ODD_KINDS
        && is_regular (check, p))
      check->sorted[n++] = check->frames[p].low;
  return n > 0 ? tl_median (check->sorted, n) : NAN;
}

/* Compares the fields with the projections, and finds the brightness without a
 * beam. */
static void
find_fault (TlFrameCheck *check)
{
  const Levels flats = check->flats, darks = check->darks;
  const size_t n = check->info->n_projections;
  check->dark = 0;
  const Levels usual = { .low = median_low (check),
                         .bright = median_bright (check, 0, n - 1) };
  const double beam = usual.bright - flats.bright;
  const gboolean is_above = beam > DRIFT_PART * fabs (flats.bright);
  const double drift = DRIFT_PART * fabs (darks.low);
  check->fault = TL_FIELDS_FINE;
  check->dark = darks.bright;
  if (isnan (flats.bright))
    return;
  if (check->flats_are_empty)
    check->fault = TL_FIELDS_EMPTY_FLATS;
  else if (is_above && darks.bright - flats.bright > FLAT_PART * beam
           && usual.low > flats.low - DRIFT_PART * fabs (flats.low))
    {
      check->fault = TL_FIELDS_EXCHANGED;
      check->dark = flats.bright;
    }
  else if (check->info->n_darks > 0
           && darks.low - usual.low
                  > fmax (LIT_PART * (flats.bright - darks.bright), drift))
    {
      check->fault = TL_FIELDS_LIT_DARKS;
      check->dark = 0;
    }
  else if (is_above
           && flats.bright - darks.bright
                  < LOST_PART * (usual.bright - darks.bright))
    check->fault = TL_FIELDS_UNLIT_FLATS;
}

static void
find_odd (TlFrameCheck *check)
{
  for (size_t p = 0; p < check->info->n_projections; p++)
    check->frames[p].odd =
        check->frames[p].is_unreadable ? TL_ODD_UNREADABLE : TL_N_ODD_KINDS;
  find_unwritten (check);
  find_fault (check);
  if (has_beam (check->info))
    find_dark (check);
}

static int
compare_angles (const void *a, const void *b, gpointer angles_deg)
{
  const size_t p = *(const size_t *)a, q = *(const size_t *)b;
  const double first = ((const double *)angles_deg)[p];
  const double second = ((const double *)angles_deg)[q];
  return first != second ? (first > second) - (first < second)
                         : (p > q) - (p < q);
}

/* Finds projections at the angle of an earlier one. */
static void
find_repeated (TlFrameCheck *check)
{
  const double *angles_deg = check->info->angles_deg;
  const size_t n = check->info->n_projections;
  g_autofree size_t *order = g_new (size_t, n);
  g_autofree double *sorted_deg = g_new (double, n);
  for (size_t p = 0; p < n; p++)
    order[p] = p;
  g_qsort_with_data (order, (gint)n, sizeof *order, compare_angles,
                     (gpointer)angles_deg);
  for (size_t k = 0; k < n; k++)
    sorted_deg[k] = angles_deg[order[k]];
  const double still_deg = tl_angles_get_still (sorted_deg, n);
  size_t n_angles = 1, n_repeated = 0;
  gboolean is_known = FALSE; /* the angle is one of n_repeated */
  if (still_deg == 0)
    return;
  for (size_t k = 1; k < n; k++)
    {
      const gboolean is_same = sorted_deg[k] - sorted_deg[k - 1] <= still_deg;
      n_angles += !is_same;
      n_repeated += is_same && !is_known;
      is_known = is_same;
    }
  if ((double)n_repeated > MAX_REPEATED * (double)n_angles)
    return;
  for (size_t k = 1, first = order[0]; k < n; k++)
    {
      const gboolean is_repeated =
          sorted_deg[k] - sorted_deg[k - 1] <= still_deg;
      const size_t later = is_repeated ? MAX (first, order[k]) : first;
      first = is_repeated ? MIN (first, order[k]) : order[k];
      if (is_repeated && check->frames[later].odd == TL_N_ODD_KINDS)
        check->frames[later].odd = TL_ODD_REPEATED;
    }
}

/* Returns: whether a projection that the first pass has read is odd, the last
 * one before @frame or the first one behind it */
static gboolean
is_beside_odd (const TlFrameCheck *check, size_t frame)
{
  const size_t distance = check->unit * check->stride;
  const size_t before = frame / distance * distance + check->unit - 1;
  const size_t after = (frame / distance + 1) * distance;
  return check->frames[before].odd != TL_N_ODD_KINDS
         || (after < check->info->n_projections
             && check->frames[after].odd != TL_N_ODD_KINDS);
}

static void
conclude (TlFrameCheck *check)
{
  find_repeated (check);
  for (size_t kind = 0; kind < TL_N_ODD_KINDS; kind++)
    {
      TlOddFrames *found = &check->found[kind];
      g_autoptr (GArray) ranges =
          g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
      for (size_t p = 0; p < check->info->n_projections; p++)
        if (check->frames[p].odd == kind)
          {
            tl_frame_ranges_add (ranges, check->info->frames[p]);
            found->n_frames++;
          }
      if (found->n_frames == 0)
        continue;
      found->frames = tl_frame_ranges_format (ranges);
      if (check->info->files != NULL)
        found->files = tl_frame_ranges_describe (ranges, check->info->files);
    }
  check->found[TL_ODD_UNREADABLE].reason = check->reason;
}

/* --- steps --- */

/* Returns: whether @frame is to be read in this pass; the second one reads all
 * that may be odd, because none is called odd that was not read */
static gboolean
is_wanted (const TlFrameCheck *check, size_t frame)
{
  if (is_regular (check, frame) || !check->is_second_pass)
    return is_regular (check, frame) && !check->is_second_pass;
  return is_beside_odd (check, frame) && !check->frames[frame].is_seen
         && !check->frames[frame].is_unreadable;
}

/* Moves to the next projection to be read. Returns: %FALSE after the last */
static gboolean
find_next (TlFrameCheck *check)
{
  const size_t n = check->info->n_projections;
  for (;;)
    {
      while (check->next < n && !is_wanted (check, check->next))
        check->next++;
      if (check->next < n)
        return TRUE;
      find_odd (check);
      if (check->is_second_pass || check->stride == 1)
        return FALSE;
      check->is_second_pass = TRUE;
      check->next = 0;
    }
}

gboolean
tl_frame_check_go_without (TlFrameCheck *check, size_t frame, GError *failure,
                           GError **error)
{
  g_return_val_if_fail (check != NULL && frame < check->info->n_projections,
                        FALSE);
  if (check->frames == NULL && !begin (check, error))
    {
      g_error_free (failure);
      return FALSE;
    }
  if (!check->frames[frame].is_unreadable)
    check->n_unreadable++;
  if (!g_error_matches (failure, TL_ERROR, TL_ERROR_FILE)
      || 2 * check->n_unreadable > check->info->n_projections)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (check->reason == NULL || frame < check->reason_frame)
    {
      g_free (check->reason);
      check->reason = g_strdup (failure->message);
      check->reason_frame = frame;
    }
  check->frames[frame].is_unreadable = TRUE;
  g_error_free (failure);
  return TRUE;
}

typedef struct
{
  const TlFrameCheck *check;
  size_t n, share; /* projections of the step, and of one task */
} Step;

/* Reads @n projections of the step from @k on, which follow each other; each
 * alone if they cannot all be read. */
static void
read_run (const TlFrameCheck *check, size_t k, size_t n)
{
  const size_t first = check->numbers[k];
  GError **failure = n == 1 ? &check->failures[k] : NULL;
  if (read_frames (check, TL_FRAMES_PROJECTIONS, first, n, k, failure)
      || n == 1)
    return;
  for (size_t i = 0; i < n; i++)
    read_frames (check, TL_FRAMES_PROJECTIONS, first + i, 1, k + i,
                 &check->failures[k + i]);
}

/* Reads share @index. */
static gboolean
read_share (gpointer data, size_t index, GError **error)
{
  const Step *step = data;
  const TlFrameCheck *check = step->check;
  const size_t end = MIN ((index + 1) * step->share, step->n);
  for (size_t k = index * step->share, n; k < end; k += n)
    {
      n = tl_rows_count_run (check->numbers, end, k);
      read_run (check, k, n);
    }
  return TRUE;
}

/* Reads and examines @n projections of check->numbers. */
static gboolean
look_at (TlFrameCheck *check, size_t n, GError **error)
{
  Step step = { check, n, check->n_threads > 1 ? check->unit : n };
  size_t n_done;
  gboolean good = TRUE;
  tl_parallel_run ((n + step.share - 1) / step.share, check->n_threads,
                   read_share, &step, NULL, &n_done, NULL);
  for (size_t k = 0; k < n; k++)
    {
      GError *failure = g_steal_pointer (&check->failures[k]);
      const size_t p = check->numbers[k];
      if (failure == NULL)
        {
          convert (check, TL_FRAMES_PROJECTIONS, k);
          examine (check, &check->frames[p]);
        }
      else if (good)
        good = tl_frame_check_go_without (check, p, failure, error);
      else
        g_error_free (failure);
    }
  return good;
}

gboolean
tl_frame_check_step (TlFrameCheck *check, gboolean *is_done, GError **error)
{
  g_return_val_if_fail (check != NULL && !check->is_done, FALSE);
  if (check->frames == NULL && !begin (check, error))
    return FALSE;
  size_t n = 0; /* the next one is wanted */
  for (; n < check->step_frames && check->next < check->info->n_projections;
       check->next++)
    if (is_wanted (check, check->next))
      check->numbers[n++] = check->next;
  if (!look_at (check, n, error))
    return FALSE;
  *is_done = check->is_done = !find_next (check);
  if (*is_done)
    conclude (check);
  return TRUE;
}

const TlOddFrames *
tl_frame_check_get (TlFrameCheck *check)
{
  g_return_val_if_fail (check != NULL && check->is_done, NULL);
  return check->found;
}

size_t
tl_frame_check_count (TlFrameCheck *check)
{
  g_return_val_if_fail (check != NULL, 0);
  return check->n_seen;
}

const TlOddFrames *
tl_frame_check_get_fields (TlFrameCheck *check)
{
  g_return_val_if_fail (check != NULL && check->is_done, NULL);
  return check->fields;
}

TlFieldFault
tl_frame_check_get_fault (TlFrameCheck *check)
{
  g_return_val_if_fail (check != NULL && check->is_done, TL_FIELDS_FINE);
  return check->fault;
}

double
tl_frame_check_get_usual (TlFrameCheck *check)
{
  g_return_val_if_fail (check != NULL && check->is_done, 0);
  return median_bright (check, 0, check->info->n_projections - 1);
}
