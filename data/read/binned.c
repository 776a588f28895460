#include "data/read/binned-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct
{
  TlReader *scan;
  size_t bin;      /* rows and columns of a bin */
  size_t together; /* projections of a bin */
} Binned;

/* --- the projections that are put together --- */

/* Returns: whether the angles all rise, or all fall */
static gboolean
are_in_order (const TlScanInfo *info)
{
  const double *deg = info->angles_deg;
  gboolean rises = TRUE, falls = TRUE;
  for (size_t k = 1; k < info->n_projections; k++)
    {
      rises &= deg[k] > deg[k - 1];
      falls &= deg[k] < deg[k - 1];
    }
  return rises || falls;
}

/* Returns: how many frames of the scan frame @frame is made of */
static size_t
count_frames (const Binned *binned, TlFrameKind kind, size_t frame)
{
  const size_t n = tl_reader_get_info (binned->scan)->n_projections;
  return kind == TL_FRAMES_PROJECTIONS
             ? MIN (binned->together, n - frame * binned->together)
             : 1;
}

static double
get_angle (const Binned *binned, size_t frame)
{
  const double *deg = tl_reader_get_info (binned->scan)->angles_deg;
  const size_t n = count_frames (binned, TL_FRAMES_PROJECTIONS, frame);
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += deg[frame * binned->together + k];
  return sum / (double)n;
}

/* @weights: (nullable): [n_projections of the scan]; %NULL: there are none
 * @sums: (out): [@n], of bins */
static gboolean
add_weights (const Binned *binned, const double *weights, size_t n,
             double **sums, GError **error)
{
  if (weights == NULL)
    return TRUE;
  *sums = tl_try_alloc (n, 1, 1, sizeof (double), _ ("the angles"), error);
  for (size_t frame = 0; *sums != NULL && frame < n; frame++)
    {
      const size_t n_frames =
          count_frames (binned, TL_FRAMES_PROJECTIONS, frame);
      (*sums)[frame] = 0;
      for (size_t k = 0; k < n_frames; k++)
        (*sums)[frame] += weights[frame * binned->together + k];
    }
  return *sums != NULL;
}

/* --- the samples --- */

/* What a frame of the scan is read to, and added up in. */
typedef struct
{
  size_t *rows;  /* [n_rows * bin], of the scan */
  void *samples; /* [n_rows * bin][n_cols of the scan] */
  double *row;   /* [n_cols of the scan] */
  double *sums;  /* [n_rows][n_cols] */
} Room;

static void
clear_room (Room *room)
{
  g_free (room->rows);
  g_free (room->samples);
  g_free (room->row);
  g_free (room->sums);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Room, clear_room)

static gboolean
make_room (const Binned *binned, const size_t *rows, size_t n_rows,
           TlSampleType type, Room *room, GError **error)
{
  const size_t n_cols = tl_reader_get_info (binned->scan)->n_cols;
  const size_t bin = binned->bin;
  const char *what = _ ("the projections of a bin");
  room->rows = tl_try_alloc (n_rows, bin, 1, sizeof (size_t), what, error);
  room->samples =
      tl_try_alloc (n_rows, bin, n_cols, tl_sample_size (type), what, error);
  room->row = tl_try_alloc (n_cols, 1, 1, sizeof (double), what, error);
  room->sums =
      tl_try_alloc (n_rows, n_cols / bin, 1, sizeof (double), what, error);
  if (room->rows == NULL || room->samples == NULL || room->row == NULL
      || room->sums == NULL)
    return FALSE;
  for (size_t k = 0; k < n_rows * bin; k++)
    room->rows[k] = rows[k / bin] * bin + k % bin;
  return TRUE;
}

/* Adds the frame of the scan that was read to @room. */
static void
add_frame (const Binned *binned, Room *room, TlSampleType type, size_t n_rows)
{
  const size_t n_from = tl_reader_get_info (binned->scan)->n_cols;
  const size_t bin = binned->bin, n_cols = n_from / bin;
  for (size_t r = 0; r < n_rows * bin; r++)
    {
      double *sums = room->sums + r / bin * n_cols;
      tl_samples_to_double (type,
                            (const char *)room->samples
                                + r * n_from * tl_sample_size (type),
                            n_from, room->row);
      for (size_t k = 0; k < n_cols; k++)
        for (size_t i = 0; i < bin; i++)
          sums[k] += room->row[k * bin + i];
    }
}

/* Reads one frame of the binned scan. @dest: [n_rows][n_cols] */
static gboolean
read_frame (const Binned *binned, TlFrameKind kind, size_t frame, size_t n_rows,
            Room *room, float *dest, GError **error)
{
  const TlSampleType type = tl_reader_get_type (binned->scan, kind);
  const size_t step = kind == TL_FRAMES_PROJECTIONS ? binned->together : 1;
  const size_t n = count_frames (binned, kind, frame);
  const size_t n_pixels =
      n_rows * (tl_reader_get_info (binned->scan)->n_cols / binned->bin);
  memset (room->sums, 0, n_pixels * sizeof *room->sums);
  for (size_t i = 0; i < n; i++)
    {
      if (!tl_reader_read_frames_list (binned->scan, kind, frame * step + i, 1,
                                       room->rows, n_rows * binned->bin,
                                       room->samples, error))
        return FALSE;
      add_frame (binned, room, type, n_rows);
    }
  for (size_t k = 0; k < n_pixels; k++)
    dest[k] = (float)(room->sums[k] / (double)(n * binned->bin * binned->bin));
  return TRUE;
}

static gboolean
read_frames (gpointer source, TlFrameKind kind, size_t first_frame,
             size_t n_frames, const size_t *rows, size_t n_rows, void *dest,
             GError **error)
{
  const Binned *binned = source;
  const size_t n_cols = tl_reader_get_info (binned->scan)->n_cols / binned->bin;
  g_auto (Room) room = { 0 };
  gboolean good =
      make_room (binned, rows, n_rows, tl_reader_get_type (binned->scan, kind),
                 &room, error);
  for (size_t k = 0; good && k < n_frames; k++)
    good = read_frame (binned, kind, first_frame + k, n_rows, &room,
                       (float *)dest + k * n_rows * n_cols, error);
  return good;
}

/* --- the format --- */

static gboolean
is_parallel (gpointer source, TlFrameKind kind)
{
  return tl_reader_is_parallel (((const Binned *)source)->scan);
}

static gboolean
refresh (gpointer source)
{
  return tl_reader_refresh (((const Binned *)source)->scan);
}

static void
close_binned (gpointer source)
{
  Binned *binned = source;
  tl_reader_close (binned->scan);
  g_free (binned);
}

static const TlReaderFormat binned_format = {
  .is_parallel = is_parallel,
  .read = read_frames,
  .refresh = refresh,
  .close = close_binned,
};

/* @draft: gets the projections, their angles and weights */
static gboolean
settle (const Binned *binned, TlScanDraft *draft, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (binned->scan);
  const size_t n =
      (info->n_projections + binned->together - 1) / binned->together;
  draft->frames[TL_FRAMES_PROJECTIONS].n_frames = n;
  draft->n_angles = n;
  draft->angles_deg =
      tl_try_alloc (n, 1, 1, sizeof (double), _ ("the angles"), error);
  draft->used_numbers =
      tl_try_alloc (n, 1, 1, sizeof (size_t), _ ("the angles"), error);
  if (draft->angles_deg == NULL || draft->used_numbers == NULL)
    return FALSE;
  for (size_t k = 0; k < n; k++)
    {
      draft->angles_deg[k] = get_angle (binned, k);
      draft->used_numbers[k] = k;
    }
  draft->ends_deg[0] = draft->angles_deg[0];
  draft->ends_deg[1] = draft->angles_deg[n - 1];
  return add_weights (binned, info->weights, n, &draft->weights, error)
         && add_weights (binned, info->turn_weights, n, &draft->turn_weights,
                         error);
}

TlReader *
tl_binned_open (TlReader *scan, const TlReaderOptions *options, GError **error)
{
  g_autoptr (TlReader) own = scan;
  const TlScanInfo *info = tl_reader_get_info (scan);
  const size_t bin = options->bin;
  /* "grows": the scan has subtracted large dark counts already */
  const TlReaderOptions rest = { .replace_nan = options->replace_nan,
                                 .grows = TRUE };
  if (bin > MIN (info->n_rows, info->n_cols))
    {
      g_autofree char *name = tl_path_dup_name (info->path);
      return tl_fail_null (error, TL_ERROR_VALUE,
                           _ ("%s: bins of %zu x %zu pixels are larger than "
                              "the projections, which have %zu x %zu"),
                           name, bin, bin, info->n_rows, info->n_cols);
    }
  Binned *binned = g_new (Binned, 1);
  *binned = (Binned){ .scan = g_steal_pointer (&own),
                      .bin = bin,
                      .together = are_in_order (info) ? bin : 1 };
  g_auto (TlScanDraft) draft;
  tl_scan_draft_init (&draft);
  draft.format = info->format;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    draft.frames[kind] = (TlFrameSet){ .n_rows = info->n_rows / bin,
                                       .n_cols = info->n_cols / bin,
                                       .type = TL_SAMPLE_F32 };
  draft.frames[TL_FRAMES_FLATS].n_frames = info->n_flats;
  draft.frames[TL_FRAMES_DARKS].n_frames = info->n_darks;
  draft.n_averaged = bin * bin * binned->together;
  draft.are_counts = info->are_counts;
  draft.n_flats_before = info->n_flats_before;
  draft.fields_are_means = tl_reader_has_mean_fields (binned->scan);
  draft.pixel_size_um = (double)bin * info->pixel_size_um;
  draft.angles_source = g_strdup (info->angles_source);
  draft.angles_are_spread = info->angles_are_spread;
  draft.changed_us = info->changed_us;
  draft.writer = info->writer;
  tl_notes_copy (info->notes, draft.notes);
  draft.is_noted = TRUE;
  if (binned->together > 1)
    tl_scan_draft_note (&draft,
                        _ ("read as means of %zu x %zu pixels of %zu "
                           "projections each"),
                        bin, bin, binned->together);
  else
    tl_scan_draft_note (&draft,
                        _ ("read as means of %zu x %zu pixels; projections are "
                           "not averaged, because their angles do not all rise "
                           "or fall"),
                        bin, bin);
  if (!settle (binned, &draft, error))
    {
      close_binned (binned);
      return NULL;
    }
  return tl_reader_open_source (&binned_format, binned, &draft, info->path,
                                &rest, error);
}
