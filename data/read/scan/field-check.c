#include "data/read/scan/field-check.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  /* Rows that are compared in all fields together. Reading them is cheap
   * compared with reading one row of every projection. */
  MAX_READ = 512,
  MIN_ROWS = 4, /* of each field, also where there are many */
  MAX_ROWS = 16,
  MAX_BLOCKS = 64,    /* of a row */
  MIN_WIDTH = 8,      /* of a block, columns */
  BLOCK_SAMPLES = 15, /* that stand for a block */
  MID_SAMPLES = 7 /* whose mean has no hot pixels and no gamma rays, and is not
                     rounded to whole counts as a median is */
};

/* Dark counts drift with the temperature by about this part. Less light than
 * that says nothing. */
#define LEAST_PART 0.02

/* On the scale from the darks to the median of the flats: a closed shutter
 * leaves nothing of the beam, which drifts and decays by less than this. */
#define LOST_PART 0.1
#define DIM_PART 0.5

/* A dark with more than this part of the beam has no better explanation than an
 * open shutter, unless the other darks vary by more than a quarter of that. */
#define LIGHT_PART 0.5

/* Flats are compared in parts of their own brightness, than which so many
 * blocks are darker: a weaker beam is no cover. Nothing is brighter than the
 * open beam, so that the brightest quarter of the flats says what is wanted. */
#define BRIGHT_PART 0.9
#define OPEN_PART 0.75

/* Blocks are compared where at least this part is wanted, and are covered if
 * they have less than this part of it. */
#define LIT_PART 0.5
#define COVERED_PART 0.4

/* Shot noise darkens blocks at random, about as many in every flat. NOISE_PART
 * of the flats have at most n dark blocks, which noise explains. A flat is
 * covered if it has at least MIN_COVERED + NOISE_RATIO * n of them. In a beam
 * of 5 counts that drifts and decays, noise alone makes more than 8 + 4 * n. */
#define NOISE_PART 0.2
#define NOISE_RATIO 8
#define MIN_COVERED 12

TlFieldCheck *
tl_field_check_new (const TlScanInfo *info, GError **error)
{
  const char *what = _ ("the flat and dark fields");
  g_autoptr (TlFieldCheck) check = g_new0 (TlFieldCheck, 1);
  check->n_frames[TL_FRAMES_FLATS] = info->n_flats;
  check->n_frames[TL_FRAMES_DARKS] = info->n_darks;
  check->n_flats_before = info->n_flats_before;
  check->n_cols = info->n_cols;
  check->n_blocks = CLAMP (info->n_cols / MIN_WIDTH, 1, MAX_BLOCKS);
  check->n_rows = MIN (
      CLAMP (MAX_READ / (info->n_flats + info->n_darks), MIN_ROWS, MAX_ROWS),
      info->n_rows);
  check->rows = g_new (size_t, check->n_rows);
  for (size_t r = 0; r < check->n_rows; r++)
    check->rows[r] = (2 * r + 1) * info->n_rows / (2 * check->n_rows);
  for (int kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    {
      const size_t n = MAX (check->n_frames[kind], 1);
      check->small[kind] = tl_try_alloc (n, check->n_rows, check->n_blocks,
                                         sizeof (float), what, error);
      check->states[kind] = tl_try_alloc (n, 1, 1, 1, what, error);
      if (check->small[kind] == NULL || check->states[kind] == NULL)
        return NULL;
      memset (check->states[kind], TL_FIELD_GOOD, n);
    }
  return g_steal_pointer (&check);
}

void
tl_field_check_free (TlFieldCheck *check)
{
  if (check == NULL)
    return;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      g_free (check->small[kind]);
      g_free (check->states[kind]);
    }
  g_free (check->rows);
  g_free (check);
}

static size_t
count_blocks (const TlFieldCheck *check)
{
  return check->n_rows * check->n_blocks;
}

/* Returns: [n_rows][n_blocks] */
static float *
get_small (const TlFieldCheck *check, TlFrameKind kind, size_t frame)
{
  return check->small[kind] + frame * count_blocks (check);
}

/* Returns: the mean of those in the middle; NaN if there is none. Sorts
 * @values, [n]. */
static float
find_middle (double *values, size_t n)
{
  const size_t n_mid = n > MID_SAMPLES ? MID_SAMPLES : n;
  double sum = 0;
  tl_sort_doubles (values, n);
  for (size_t k = 0; k < n_mid; k++)
    sum += values[(n - n_mid) / 2 + k];
  return (float)(sum / (double)n_mid);
}

void
tl_field_check_take (TlFieldCheck *check, TlFrameKind kind, size_t frame,
                     size_t r, const float *values)
{
  float *blocks = get_small (check, kind, frame) + r * check->n_blocks;
  for (size_t b = 0; b < check->n_blocks; b++)
    {
      const size_t first = b * check->n_cols / check->n_blocks;
      const size_t width = (b + 1) * check->n_cols / check->n_blocks - first;
      const size_t n_samples = MIN (width, BLOCK_SAMPLES);
      double samples[BLOCK_SAMPLES];
      size_t n = 0;
      for (size_t k = 0; k < n_samples; k++)
        {
          const float value = values[first + k * width / n_samples];
          if (isfinite (value))
            samples[n++] = value;
        }
      blocks[b] = find_middle (samples, n);
    }
}

/* Returns: the value that a part of @values lies below; NaN if none is finite.
 * Sorts @values, [n]. */
static double
find_quantile (double *values, size_t n, double part)
{
  size_t n_finite = 0;
  for (size_t k = 0; k < n; k++)
    if (isfinite (values[k]))
      values[n_finite++] = values[k];
  tl_sort_doubles (values, n_finite);
  return n_finite > 0 ? values[(size_t)lround (part * (double)(n_finite - 1))]
                      : NAN;
}

/* Returns: the mean brightness; NaN if no block has one */
static double
find_mean (const TlFieldCheck *check, TlFrameKind kind, size_t frame)
{
  const float *small = get_small (check, kind, frame);
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < count_blocks (check); i++)
    if (isfinite (small[i]))
      {
        sum += small[i];
        n++;
      }
  return n > 0 ? sum / (double)n : NAN;
}

/* Returns: the median brightness of the good fields; @none if there is none.
 * @sorted: at least [n_frames] */
static double
find_usual (const TlFieldCheck *check, TlFrameKind kind, const double *bright,
            double none, double *sorted)
{
  size_t n = 0;
  for (size_t k = 0; k < check->n_frames[kind]; k++)
    if (check->states[kind][k] == TL_FIELD_GOOD && isfinite (bright[k]))
      sorted[n++] = bright[k];
  return n > 0 ? tl_median (sorted, n) : none;
}

/* Finds fields without any value, unless none of their kind has one.
 * @bright: brightness of each */
static void
judge_empty (TlFieldCheck *check, TlFrameKind kind, const double *bright)
{
  const size_t n = check->n_frames[kind];
  size_t n_empty = 0;
  for (size_t k = 0; k < n; k++)
    n_empty += isnan (bright[k]);
  for (size_t k = 0; k < n && n_empty < n; k++)
    if (isnan (bright[k]))
      check->states[kind][k] =
          kind == TL_FRAMES_FLATS ? TL_FIELD_EMPTY_FLAT : TL_FIELD_EMPTY_DARK;
}

/* Finds fields that have a beam, or no beam, against their kind.
 * @flats, @darks: brightness of each
 *
 * Returns: whether most flats have a beam; if not, it is in doubt which ones
 *   are right, and none is left out */
static gboolean
judge_brightness (TlFieldCheck *check, const double *flats, const double *darks,
                  double *sorted)
{
  guint8 *flat_states = check->states[TL_FRAMES_FLATS];
  const size_t n_flats = check->n_frames[TL_FRAMES_FLATS];
  const size_t n_darks = check->n_frames[TL_FRAMES_DARKS];
  double least = n_darks > 0 ? INFINITY : 0, most = -INFINITY;
  for (size_t k = 0; k < n_darks; k++)
    least = fmin (least, darks[k]);
  for (size_t k = 0; k < n_flats; k++)
    most = fmax (most, flats[k]);
  const double usual = find_usual (check, TL_FRAMES_FLATS, flats, NAN, sorted);
  if (!(most - least > LEAST_PART * fabs (least)))
    return FALSE;
  if (usual - least < LOST_PART * (most - least))
    {
      for (size_t k = 0; k < n_flats; k++)
        if (flats[k] - least < LOST_PART * (most - least))
          flat_states[k] = TL_FIELD_DIM;
      return FALSE;
    }
  const double light = LIGHT_PART * (usual - least);
  double spread = 0;
  for (size_t k = 0; k < n_darks; k++)
    if (darks[k] - least <= light)
      spread = fmax (spread, darks[k] - least);
  for (size_t k = 0; k < n_darks && 4 * spread <= light; k++)
    if (darks[k] - least > light)
      check->states[TL_FRAMES_DARKS][k] = TL_FIELD_WITH_BEAM;
  const double dark = find_usual (check, TL_FRAMES_DARKS, darks, 0, sorted);
  if (!(usual > dark)) /* most darks have a beam, and none was left out */
    return FALSE;
  for (size_t k = 0; k < n_flats; k++)
    if (flats[k] - dark < LOST_PART * (usual - dark))
      flat_states[k] = TL_FIELD_WITHOUT_BEAM;
    else if (flats[k] - dark < DIM_PART * (usual - dark))
      flat_states[k] = TL_FIELD_DIM;
  return TRUE;
}

/* Turns the flats into parts of their own brightness above the darks.
 * @sorted: at least [n_darks] and count_blocks() */
static void
normalise_flats (TlFieldCheck *check, double *sorted)
{
  const size_t n = count_blocks (check);
  const size_t n_darks = check->n_frames[TL_FRAMES_DARKS];
  const size_t n_flats = check->n_frames[TL_FRAMES_FLATS];
  for (size_t i = 0; i < n; i++)
    {
      for (size_t k = 0; k < n_darks; k++)
        sorted[k] = check->states[TL_FRAMES_DARKS][k] == TL_FIELD_GOOD
                        ? get_small (check, TL_FRAMES_DARKS, k)[i]
                        : NAN;
      const double dark =
          n_darks > 0 ? find_quantile (sorted, n_darks, 0.5) : 0;
      for (size_t k = 0; k < n_flats; k++)
        get_small (check, TL_FRAMES_FLATS, k)[i] -= (float)dark;
    }
  for (size_t k = 0; k < n_flats; k++)
    {
      float *small = get_small (check, TL_FRAMES_FLATS, k);
      for (size_t i = 0; i < n; i++)
        sorted[i] = small[i];
      const double bright = find_quantile (sorted, n, BRIGHT_PART);
      for (size_t i = 0; i < n; i++)
        small[i] = bright > 0 ? small[i] / (float)bright : NAN;
    }
}

/* Counts the blocks of a row that are covered, between others that are not: at
 * the edge of the beam they may as well be dark because the beam has moved.
 * @small, @want: [n_blocks] */
static size_t
count_covered (const TlFieldCheck *check, const float *small, const float *want)
{
  size_t n = 0, n_since = 0;
  gboolean has_open = FALSE;
  for (size_t b = 0; b < check->n_blocks; b++)
    if (small[b] < COVERED_PART * want[b])
      n_since += has_open;
    else if (small[b] >= COVERED_PART * want[b])
      {
        n += n_since;
        n_since = 0;
        has_open = TRUE;
      }
  return n;
}

/* Returns: how many blocks of a flat are covered; 0 if they are all in one row.
 * @want: [n_rows][n_blocks], NaN outside the beam */
static size_t
count_all_covered (const TlFieldCheck *check, size_t frame, const float *want)
{
  const float *small = get_small (check, TL_FRAMES_FLATS, frame);
  size_t n = 0, n_rows = 0;
  for (size_t i = 0; i < count_blocks (check); i += check->n_blocks)
    {
      const size_t n_here = count_covered (check, small + i, want + i);
      n += n_here;
      n_rows += n_here > 0;
    }
  return n_rows > 1 ? n : 0;
}

/* Finds flats from @first to before @end, taken at one time, with something in
 * the beam.
 * @want: [n_rows][n_blocks], @sorted: at least [n_flats] */
static void
judge_covers (TlFieldCheck *check, size_t first, size_t end, float *want,
              double *sorted)
{
  guint8 *states = check->states[TL_FRAMES_FLATS];
  g_autofree size_t *n_covered = g_new0 (size_t, end - first + 1);
  for (size_t i = 0; i < count_blocks (check); i++)
    {
      for (size_t k = first; k < end; k++)
        sorted[k - first] = tl_field_is_used (states[k])
                                ? get_small (check, TL_FRAMES_FLATS, k)[i]
                                : NAN;
      want[i] = (float)find_quantile (sorted, end - first, OPEN_PART);
      if (!(want[i] > LIT_PART))
        want[i] = NAN;
    }
  for (size_t k = first; k < end; k++)
    {
      n_covered[k - first] = count_all_covered (check, k, want);
      sorted[k - first] =
          tl_field_is_used (states[k]) ? (double)n_covered[k - first] : NAN;
    }
  const double noise = find_quantile (sorted, end - first, NOISE_PART);
  for (size_t k = first; k < end; k++)
    if (tl_field_is_used (states[k])
        && (double)n_covered[k - first] >= MIN_COVERED + NOISE_RATIO * noise)
      states[k] = TL_FIELD_COVERED;
}

gboolean
tl_field_check_judge (TlFieldCheck *check, GError **error)
{
  const char *what = _ ("the flat and dark fields");
  const size_t n_flats = check->n_frames[TL_FRAMES_FLATS];
  const size_t n_darks = check->n_frames[TL_FRAMES_DARKS];
  const size_t n = count_blocks (check);
  g_autofree double *bright =
      tl_try_alloc (n_flats + n_darks, 1, 1, sizeof (double), what, error);
  g_autofree double *sorted = tl_try_alloc (MAX (n, n_flats + n_darks), 1, 1,
                                            sizeof (double), what, error);
  g_autofree float *want = tl_try_alloc (n, 1, 1, sizeof (float), what, error);
  if (bright == NULL || sorted == NULL || want == NULL)
    return FALSE;
  for (size_t k = 0; k < n_flats; k++)
    bright[k] = find_mean (check, TL_FRAMES_FLATS, k);
  for (size_t k = 0; k < n_darks; k++)
    bright[n_flats + k] = find_mean (check, TL_FRAMES_DARKS, k);
  judge_empty (check, TL_FRAMES_FLATS, bright);
  judge_empty (check, TL_FRAMES_DARKS, bright + n_flats);
  if (!judge_brightness (check, bright, bright + n_flats, sorted))
    return TRUE;
  normalise_flats (check, sorted);
  judge_covers (check, 0, check->n_flats_before, want, sorted);
  judge_covers (check, check->n_flats_before, n_flats, want, sorted);
  return TRUE;
}

gboolean
tl_field_is_used (guint8 state)
{
  return state == TL_FIELD_GOOD || state == TL_FIELD_DIM;
}
