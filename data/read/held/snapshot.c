#include "data/read/held/snapshot-private.h"
#include "data/read/held/weights-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/geometry.h"
#include "data/read/scan/angles.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/scan/left-out.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

void
tl_snapshot_free (TlSnapshot *snapshot)
{
  if (snapshot == NULL)
    return;
  g_free (snapshot->rows);
  g_free (snapshot->numbers);
  g_free (snapshot->angles_deg);
  g_free (snapshot->given_deg);
  g_clear_pointer (&snapshot->blank, g_array_unref);
  g_clear_pointer (&snapshot->dark, g_bytes_unref);
  g_clear_pointer (&snapshot->flat_before, g_bytes_unref);
  g_clear_pointer (&snapshot->flat_after, g_bytes_unref);
  if (snapshot->owner != NULL)
    snapshot->release (snapshot->owner);
  g_free (snapshot);
}

/* --- the format --- */

static gboolean
is_parallel (gpointer source, TlFrameKind kind)
{
  return TRUE;
}

/* The rows that are kept are locked. */
static gboolean
check_kept (const TlSnapshot *snapshot, const size_t *rows, size_t n_rows,
            GError **error)
{
  const TlKeptRows *kept = snapshot->kept;
  const size_t last = kept->first + kept->n - 1;
  const gboolean is_above = rows[0] < kept->first;
  const TlHeldSlices *slices = &snapshot->layout.slices;
  for (size_t r = 0; r < n_rows; r++)
    if (!tl_held_slices_have (slices, rows[r]))
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("%s: row %zu cannot be shown, because only the rows "
                         "around the slices that are made are kept"),
                      snapshot->layout.name, rows[r]);
  if (!is_above && rows[n_rows - 1] <= last)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("%s: row %zu cannot be shown, because there was no room "
                     "for it when the frames passed; rows %zu to %zu are kept"),
                  snapshot->layout.name, is_above ? rows[0] : rows[n_rows - 1],
                  kept->first, last);
}

/* Returns: the place of projection @number, which is there */
static size_t
find_place (const TlSnapshot *snapshot, size_t number)
{
  size_t first = 0, end = snapshot->n_projections;
  while (end - first > 1)
    {
      const size_t middle = first + (end - first) / 2;
      *(snapshot->numbers[middle] <= number ? &first : &end) = middle;
    }
  return first;
}

/* Returns: row @row of a frame, a projection by its place. The mean of equal
 * frames is that frame, to the bit. */
static const void *
find_row (const TlSnapshot *snapshot, TlFrameKind kind, size_t frame,
          size_t row)
{
  const TlHeldLayout *layout = &snapshot->layout;
  const size_t r = row - layout->first_row;
  GBytes *mean = kind == TL_FRAMES_DARKS            ? snapshot->dark
                 : frame < snapshot->n_flats_before ? snapshot->flat_before
                                                    : snapshot->flat_after;
  if (kind != TL_FRAMES_PROJECTIONS)
    return (const double *)g_bytes_get_data (mean, NULL) + r * layout->n_cols;
  return snapshot->rows[frame][r]
         + snapshot->numbers[frame] % snapshot->n_in_chunk * layout->n_cols
               * tl_sample_size (layout->type);
}

/* Projections that follow each other by their numbers do so by their places. */
static gboolean
read_frames (gpointer source, TlFrameKind kind, size_t first_frame,
             size_t n_frames, const size_t *rows, size_t n_rows, void *dest,
             GError **error)
{
  const TlSnapshot *snapshot = source;
  const TlHeldLayout *layout = &snapshot->layout;
  const TlSampleType type =
      kind == TL_FRAMES_PROJECTIONS ? layout->type : TL_SAMPLE_F64;
  const size_t row_bytes = layout->n_cols * tl_sample_size (type);
  char *to = dest;
  if (kind == TL_FRAMES_PROJECTIONS)
    first_frame = find_place (snapshot, first_frame);
  g_rw_lock_reader_lock (&snapshot->kept->lock);
  const gboolean good = check_kept (snapshot, rows, n_rows, error);
  for (size_t f = first_frame; good && f < first_frame + n_frames; f++)
    for (size_t r = 0; r < n_rows; r++, to += row_bytes)
      memcpy (to, find_row (snapshot, kind, f, rows[r]), row_bytes);
  g_rw_lock_reader_unlock (&snapshot->kept->lock);
  return good;
}

static void
close_snapshot (gpointer source)
{
  tl_snapshot_free (source);
}

static const TlReaderFormat held_format = {
  .is_parallel = is_parallel,
  .read = read_frames,
  .close = close_snapshot,
};

/* --- the projections that are used, and their angles --- */

/* Replaces the angles by those that the user gives for all projections. A list
 * from which they come is there already. */
static gboolean
settle_angles (TlSnapshot *snapshot, TlScanDraft *draft,
               const TlReaderOptions *options, GError **error)
{
  TlHeldLayout *layout = &snapshot->layout;
  const size_t n = snapshot->n_projections;
  const gboolean has_list =
      options->angles_file != NULL
      && g_strcmp0 (options->angles_file, layout->angles_file) != 0;
  if (!options->has_angles && !has_list)
    {
      draft->angles_source = g_strdup (_ ("sent with the projections"));
      return TRUE;
    }
  if (layout->n_expected == 0 && !snapshot->is_complete)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("%s: the angles cannot be given yet, because the number "
                       "of projections is known only when all have come"),
                    layout->name);
  if (layout->n_expected == 0)
    layout->n_expected = snapshot->numbers[n - 1] + 1;
  draft->frames[TL_FRAMES_PROJECTIONS].n_frames = layout->n_expected;
  if (!tl_scan_draft_settle_angles (draft, layout->name, options, error))
    return FALSE;
  snapshot->given_deg = g_steal_pointer (&draft->angles_deg);
  layout->angles_deg = snapshot->given_deg;
  for (size_t k = 0; k < n; k++)
    snapshot->angles_deg[k] = snapshot->numbers[k] < layout->n_expected
                                  ? layout->angles_deg[snapshot->numbers[k]]
                                  : NAN;
  return TRUE;
}

/* @draft: gets the projections that are used */
static gboolean
settle (TlSnapshot *snapshot, TlScanDraft *draft,
        const TlReaderOptions *options, GError **error)
{
  const size_t n = snapshot->n_projections;
  const size_t n_expected = snapshot->layout.n_expected;
  if (!settle_angles (snapshot, draft, options, error))
    return FALSE;
  draft->frames[TL_FRAMES_PROJECTIONS].n_frames = n;
  draft->angles_deg = g_steal_pointer (&snapshot->angles_deg);
  draft->n_angles = n;
  draft->numbers = snapshot->numbers;
  draft->n_numbers = n_expected == 0 && !snapshot->is_complete
                         ? G_MAXSIZE
                         : MAX (n_expected, snapshot->numbers[n - 1] + 1);
  if (snapshot->blank->len > 0)
    draft->why_unreadable = g_strdup_printf (
        _ ("projection %zu has no sample that is a number"),
        g_array_index (snapshot->blank, TlFrameRange, 0).first);
  draft->unreadable = g_steal_pointer (&snapshot->blank);
  return tl_scan_draft_leave_out (draft, snapshot->layout.name, options, error);
}

/* --- the weights --- */

/* The projections among all that are known of, and used. */
typedef struct
{
  double *angles_rad; /* [n] */
  guint8 *is_there;   /* [n] */
  size_t *places;     /* [n_angles of the draft], of those that are there */
  size_t n;
  gboolean is_announced;
} Known;

static void
clear_known (Known *known)
{
  g_free (known->angles_rad);
  g_free (known->is_there);
  g_free (known->places);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Known, clear_known)

/* @k: (nullable): which of those that are there it is; %NULL: none */
static void
add_known (Known *known, double angle_deg, const size_t *k)
{
  known->angles_rad[known->n] = angle_deg * G_PI / 180;
  known->is_there[known->n] = k != NULL;
  if (k != NULL)
    known->places[*k] = known->n;
  known->n++;
}

/* A projection that has come and is not used will not come again.
 * @leave_out: (nullable): as of TlReaderOptions */
static void
add_announced (const TlSnapshot *snapshot, const TlScanDraft *draft,
               const char *leave_out, Known *known)
{
  g_autoptr (GArray) left_out =
      tl_frame_ranges_parse (leave_out != NULL ? leave_out : "");
  for (size_t number = 0, k = 0, come = 0; number < snapshot->layout.n_expected;
       number++)
    {
      const double angle_deg = snapshot->layout.angles_deg[number];
      const gboolean has_come =
          come < snapshot->n_projections && snapshot->numbers[come] == number;
      come += has_come;
      if (k < draft->n_angles && draft->used_numbers[k] == number)
        {
          add_known (known, draft->angles_deg[k], &k);
          k++;
        }
      else if (!has_come && isfinite (angle_deg)
               && !tl_frame_ranges_contain (left_out, number))
        add_known (known, angle_deg, NULL);
    }
}

static gboolean
list_known (const TlSnapshot *snapshot, const TlScanDraft *draft,
            const char *leave_out, Known *known, GError **error)
{
  const TlHeldLayout *layout = &snapshot->layout;
  const size_t n_there = draft->n_angles;
  known->is_announced =
      layout->angles_deg != NULL
      && draft->used_numbers[n_there - 1] < layout->n_expected;
  const size_t n_most = known->is_announced ? layout->n_expected : n_there;
  known->angles_rad =
      tl_try_alloc (n_most, 1, 1, sizeof (double), _ ("the angles"), error);
  known->is_there = tl_try_alloc (n_most, 1, 1, 1, _ ("the angles"), error);
  known->places =
      tl_try_alloc (n_there, 1, 1, sizeof (size_t), _ ("the angles"), error);
  if (known->angles_rad == NULL || known->is_there == NULL
      || known->places == NULL)
    return FALSE;
  if (known->is_announced)
    add_announced (snapshot, draft, leave_out, known);
  else
    for (size_t k = 0; k < n_there; k++)
      add_known (known, draft->angles_deg[k], &k);
  return TRUE;
}

/* @weights: (out): [@n], of the projections that are there */
static gboolean
weigh (size_t n, const Known *known, gboolean of_turn, TlScaledWeights *weights,
       GError **error)
{
  weights->values =
      tl_try_alloc (known->n, 1, 1, sizeof (double), _ ("the angles"), error);
  if (weights->values == NULL
      || !tl_angle_weights_growing (known->angles_rad, known->is_there,
                                    known->n, known->is_announced, of_turn,
                                    weights->values, &weights->scale, error))
    return FALSE;
  for (size_t k = 0; k < n; k++) /* its place is not before its own */
    weights->values[k] = weights->values[known->places[k]];
  return TRUE;
}

/* Returns: (transfer full) */
static TlHeldWeights *
find_weights (const TlSnapshot *snapshot, const TlScanDraft *draft,
              const char *leave_out, GError **error)
{
  g_auto (Known) known = { 0 };
  g_autoptr (TlHeldWeights) weights = tl_held_weights_new ();
  gboolean covers_turn;
  weights->n = draft->n_angles;
  weights->n_flats = snapshot->n_flats_come;
  weights->n_darks = snapshot->n_darks_come;
  weights->numbers = tl_try_alloc (weights->n, 1, 1, sizeof (size_t),
                                   _ ("the projections"), error);
  if (weights->numbers == NULL)
    return NULL;
  memcpy (weights->numbers, draft->used_numbers, weights->n * sizeof (size_t));
  return list_known (snapshot, draft, leave_out, &known, error)
                 && tl_angles_cover_turn (known.angles_rad, known.n,
                                          &covers_turn, error)
                 && weigh (weights->n, &known, FALSE, &weights->of_half, error)
                 && (!covers_turn
                     || weigh (weights->n, &known, TRUE, &weights->of_turn,
                               error))
             ? g_steal_pointer (&weights)
             : NULL;
}

/* Returns: (transfer full): [@n], of @weights multiplied by their scale */
static double *
scale_weights (const TlScaledWeights *weights, size_t n, GError **error)
{
  double *scaled =
      tl_try_alloc (n, 1, 1, sizeof (double), _ ("the angles"), error);
  for (size_t k = 0; scaled != NULL && k < n; k++)
    scaled[k] = weights->scale * weights->values[k];
  return scaled;
}

/* @weights: (out): stays %NULL if all of the scan has come */
static gboolean
fill_weights (const TlSnapshot *snapshot, TlScanDraft *draft,
              const char *leave_out, TlHeldWeights **weights, GError **error)
{
  const size_t n = draft->n_angles;
  if (snapshot->is_complete)
    return TRUE;
  *weights = find_weights (snapshot, draft, leave_out, error);
  if (*weights == NULL)
    return FALSE;
  draft->weights = scale_weights (&(*weights)->of_half, n, error);
  const TlScaledWeights *of_turn = &(*weights)->of_turn;
  if (of_turn->values != NULL)
    draft->turn_weights = scale_weights (of_turn, n, error);
  return draft->weights != NULL
         && (of_turn->values == NULL || draft->turn_weights != NULL);
}

static gboolean
fill_change (const TlHeldChange *change, TlScanDraft *draft, GError **error)
{
  const TlScaledWeights weights = { change->weights, 1 };
  draft->weights = scale_weights (&weights, change->n, error);
  if (change->of_turn)
    draft->turn_weights = scale_weights (&weights, change->n, error);
  return draft->weights != NULL
         && (!change->of_turn || draft->turn_weights != NULL);
}

TlReader *
tl_snapshot_open (TlSnapshot *snapshot, const TlReaderOptions *options,
                  TlHeldWeights **weights, GError **error)
{
  static const TlReaderOptions nothing = { 0 };
  g_autoptr (TlSnapshot) own = snapshot;
  g_autoptr (TlHeldWeights) found = NULL;
  const TlReaderOptions *said = options != NULL ? options : &nothing;
  const TlReaderOptions rest = { .replace_nan = said->replace_nan,
                                 .grows = TRUE };
  const TlHeldLayout *layout = &snapshot->layout;
  const TlFrameSet frames = { .n_rows = layout->n_rows,
                              .n_cols = layout->n_cols,
                              .type = layout->type };
  if (said->bin > 1)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: frames that are sent are not read in bins; "
                            "set bin to 1"),
                         layout->name);
  g_auto (TlScanDraft) draft;
  tl_scan_draft_init (&draft);
  draft.format = N_ ("stream");
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    draft.frames[kind] = frames;
  draft.frames[TL_FRAMES_PROJECTIONS].n_frames = snapshot->n_projections;
  draft.frames[TL_FRAMES_FLATS].n_frames =
      snapshot->n_flats_before + snapshot->n_flats_after;
  draft.frames[TL_FRAMES_DARKS].n_frames = snapshot->n_darks;
  draft.frames[TL_FRAMES_FLATS].type = TL_SAMPLE_F64;
  draft.frames[TL_FRAMES_DARKS].type = TL_SAMPLE_F64;
  draft.n_flats_before = snapshot->n_flats_before;
  draft.fields_are_means = TRUE;
  draft.pixel_size_um = layout->pixel_size_um;
  if (snapshot->n_projections > 0
      && !(settle (snapshot, &draft, said, error)
           && (snapshot->change != NULL
                   ? fill_change (snapshot->change, &draft, error)
                   : fill_weights (snapshot, &draft, said->leave_out, &found,
                                   error))))
    return NULL;
  const char *name = layout->name;
  TlReader *reader = tl_reader_open_source (
      &held_format, g_steal_pointer (&own), &draft, name, &rest, error);
  if (reader != NULL && weights != NULL)
    *weights = g_steal_pointer (&found);
  return reader;
}
