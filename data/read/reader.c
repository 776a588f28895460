#include "data/read/reader.h"

#include "data/array.h"
#include "data/error.h"
#include "data/geometry.h"
#include "data/parallel.h"
#include "data/read/scan/angles.h"
#include "data/read/format/change.h"
#include "data/read/scan/field-check.h"
#include "data/read/format/format.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/scan/left-out.h"
#include "data/read/reader-private.h"
#include "data/read/format/rows.h"
#include "data/thread-search.h"
#include "data/write/volume/volume.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

enum
{
  /* One call of a format reads about this much: little enough for a cancelled
   * read to end soon, and enough for the overhead of a call not to matter. */
  CALL_BYTES = 32 << 20,
  /* The same where several threads read: they should end at about the same
   * time. Starting a thread takes as long as reading 100 kB. */
  TASK_BYTES = 256 << 10,
  ADDED_PIXELS = 4096, /* of each frame, by a task, whose cache holds them */
  MIN_FRAME_BYTES = 4 << 10, /* any read of a frame takes as long as of these */
  /* What each thread reads between two looks at the rate: it decodes at least
   * some blocks, so that threads seldom wait for the last one. */
  THREAD_BYTES = 8 << 20,
  MIN_THREAD_TASKS = 4,
  N_FIELDS = 3,
  MAX_TYPICAL_ROWS = 32,
  /* Waiting for a file system in the network pays with more threads than
   * processors. */
  MIN_MAX_THREADS = 16,
  /* The search tries twice as many next. It does not begin with one for each
   * processor: it measures before an export is under way, and would settle at
   * 64. */
  FIRST_THREADS = 16
};

/* If a larger part of the pixels has large dark counts, they are no hot ones.
 */
#define MAX_HOT_PIXELS 0.01

/* One projection that fails after so long has lost its storage, and the next
 * one may take as long: damage fails at once. */
#define HANGS_US (5 * G_USEC_PER_SEC)

/* How often a file is opened that another program is writing, which may be in
 * the middle of a change, and how long it is waited for in between. */
#define MAX_TRIES 5
#define WRITER_US 30000

/* What later reads are expected to want: rows of all projections as they are in
 * the file, and the fields of all rows. */
typedef struct
{
  guint64 budget_bytes;
  char *samples;            /* (nullable): [n_projections][n_rows][n_cols] */
  size_t first_row, n_rows; /* of the samples */
  guint8 *is_read;          /* [n_projections]: whether the samples are there */
  size_t n_read;            /* how many they are */
  double read_s;            /* that reading them has taken */
  double *fields; /* (nullable): [3][n_rows of the scan][n_cols]: dark, first
                    and last flat */
} Kept;

/* Projections that the last read could not read. Their threads share it. */
typedef struct
{
  GMutex mutex;
  guint8 *is_bad; /* (nullable): [n_projections]; %NULL: none */
  size_t n_bad;
  size_t first;
  char *why;    /* the first one */
  TlError code; /* of the worst one: TL_ERROR_VALUE, TL_ERROR_FILE, or
                   TL_ERROR_DAMAGE, as earlier rows may be wrong */
} Unreadable;

struct TlReader
{
  const TlReaderFormat *format;
  gpointer source;
  char *path;
  char *name;
  gboolean replace_nan;
  gboolean ascends, browses;
  TlInflater *inflater; /* (nullable) */
  gboolean uses_inflater;
  size_t n_mended; /* replaced by the last read */
  TlThreadSearch search;
  guint n_fixed;   /* 0: as many threads as the search says */
  guint n_threads; /* of the last read */
  Kept kept;
  Unreadable unreadable;
  TlFieldCheck *fields; /* (nullable): judged; %NULL before the first read of
                           fields */
  double
      *offsets; /* (nullable): [n_rows][n_cols], subtracted from all samples */
  TlSampleType stored[TL_N_FRAME_KINDS]; /* if so, the types before that */
  TlScanDraft draft;
  TlScanInfo info;
};

/* The first format that finds a scan gets it. */
static const TlReaderFormat *const formats[] = {
  &tl_hdf5_format,
#ifdef TL_HAVE_JSON
  &tl_zarr_format,
#endif
  &tl_image_folder_format,
  &tl_image_file_format,
};

/* Asks each format of @container to open the scan.
 *
 * Returns: %FALSE without an error if the scan is at draft.within instead */
static gboolean
find_format (TlReader *reader, TlContainer container,
             const TlReaderOptions *options, GError **error)
{
  g_autoptr (GString) looked_for = g_string_new (NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      if (formats[i]->container != container)
        continue;
      GError *failure = NULL;
      tl_scan_draft_clear (&reader->draft);
      tl_scan_draft_init (&reader->draft);
      reader->source =
          formats[i]->open (reader->path, options, &reader->draft, &failure);
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      if (reader->source != NULL)
        {
          reader->format = formats[i];
          return TRUE;
        }
      if (reader->draft.within != NULL)
        return FALSE;
      g_string_append_printf (looked_for, "%s%s", looked_for->len ? ", " : "",
                              _ (formats[i]->looks_for));
    }
  return tl_fail (error, TL_ERROR_FORMAT,
                  _ ("%s: no scan in it; looked for %s"), reader->name,
                  looked_for->str);
}

/* Returns: whether frames have paths in a file; else they have file names */
static gboolean
has_paths (TlContainer container)
{
  return container == TL_CONTAINER_HDF5 || container == TL_CONTAINER_ZARR;
}

/* Returns: whether the bytes of all samples, and of their doubles, can be
 * counted */
static gboolean
is_countable (const TlFrameSet *set)
{
  size_t n = sizeof (double);
  return g_size_checked_mul (&n, n, set->n_frames)
         && g_size_checked_mul (&n, n, set->n_rows)
         && g_size_checked_mul (&n, n, set->n_cols) && n <= G_MAXSSIZE;
}

static gboolean
check_shapes (TlReader *reader, GError **error)
{
  static const char *const options[TL_N_FRAME_KINDS][2] = {
    [TL_FRAMES_FLATS] = { "--flats", "--flats-path" },
    [TL_FRAMES_DARKS] = { "--darks", "--darks-path" },
  };
  const TlFrameSet *all = reader->draft.frames;
  if (all->n_frames == 0 || all->n_rows == 0 || all->n_cols == 0)
    return tl_fail (error, TL_ERROR_SHAPE,
                    _ ("%s: no projections: %zu of %zu x %zu pixels"),
                    reader->name, all->n_frames, all->n_rows, all->n_cols);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (all[kind].n_frames > TL_MAX_FRAMES)
      return tl_fail (error, TL_ERROR_SHAPE,
                      _ ("%s: it declares %zu images, more than the %zu that "
                         "can be read; the file may be damaged"),
                      reader->name, all[kind].n_frames, TL_MAX_FRAMES);
  if (!is_countable (all))
    return tl_fail (error, TL_ERROR_SHAPE,
                    _ ("%s: it declares %zu projections of %zu x %zu pixels, "
                       "more than any machine has; the file may be damaged"),
                    reader->name, all->n_frames, all->n_rows, all->n_cols);
  for (int kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    if (all[kind].n_frames > 0
        && (all[kind].n_rows != all->n_rows || all[kind].n_cols != all->n_cols))
      {
        const gboolean in_file = has_paths (reader->format->container);
        g_autofree char *hint = g_strdup_printf (
            in_file ? _ ("name others of the same size with %s")
                    : _ ("name others of the same size with %1$s, or leave "
                         "them out with %1$s none"),
            options[kind][in_file]);
        return tl_fail_with_hint (
            error, TL_ERROR_SHAPE, hint,
            _ ("%s: %s are %zu x %zu pixels but projections %zu x %zu"),
            reader->name, tl_frame_kind_get_name (kind), all[kind].n_rows,
            all[kind].n_cols, all->n_rows, all->n_cols);
      }
  return TRUE;
}

static guint64
count_row_bytes (const TlScanInfo *info)
{
  return (guint64)info->n_projections * info->n_cols
         * tl_sample_size (info->type);
}

static guint64
count_fields_bytes (const TlScanInfo *info)
{
  return info->n_flats == 0 ? 0
                            : (guint64)N_FIELDS * info->n_rows * info->n_cols
                                  * sizeof (double);
}

static TlDecoding
describe_decoding (TlReader *reader)
{
  const guint64 fields_bytes = count_fields_bytes (&reader->info);
  TlDecoding decoding = { 0 };
  if (tl_reader_get_block_rows (reader) > 1)
    {
      decoding.fields_bytes = fields_bytes;
      decoding.row_bytes = count_row_bytes (&reader->info);
    }
  decoding.can_ascend =
      reader->format->can_ascend != NULL
      && reader->format->can_ascend (reader->source, &decoding.ascending_bytes);
  if (decoding.can_ascend)
    decoding.ascending_bytes += fields_bytes;
  return decoding;
}

static gboolean
fill_info (TlReader *reader, GError **error)
{
  TlScanDraft *draft = &reader->draft;
  const TlFrameSet *all = draft->frames;
  gboolean covers_turn;
  g_autofree double *angles_rad = tl_try_alloc (
      draft->n_angles, 1, 1, sizeof (double), _ ("the angles"), error);
  if (angles_rad == NULL)
    return FALSE;
  for (size_t i = 0; i < draft->n_angles; i++)
    angles_rad[i] = draft->angles_deg[i] * G_PI / 180;
  if (!tl_angles_cover_turn (angles_rad, draft->n_angles, &covers_turn, error))
    return FALSE;
  if (draft->weights != NULL)
    covers_turn = draft->turn_weights != NULL;
  reader->info = (TlScanInfo){
    .path = reader->path,
    .format = draft->format,
    .n_projections = draft->n_angles,
    .n_rows = all->n_rows,
    .n_cols = all->n_cols,
    .type = all->type,
    .are_counts = draft->are_counts,
    .n_flats = all[TL_FRAMES_FLATS].n_frames,
    .n_darks = all[TL_FRAMES_DARKS].n_frames,
    .n_flats_before = draft->n_flats_before,
    .n_scans = draft->n_scans,
    .is_of_series = draft->is_of_series,
    .is_attenuation = all[TL_FRAMES_FLATS].n_frames == 0,
    .angles_deg = draft->angles_deg,
    .ends_deg = { draft->ends_deg[0], draft->ends_deg[1] },
    .frames = draft->used_numbers,
    .files = draft->files,
    .covers_turn = covers_turn,
    .angles_source = draft->angles_source,
    .angles_are_spread = draft->angles_are_spread,
    .lost_ids = draft->lost_ids,
    .n_likely = draft->n_likely,
    .writer = draft->writer,
    .pixel_size_um = draft->pixel_size_um,
    .notes = draft->notes,
    .changed_us = draft->changed_us,
    .groups = draft->groups,
    .has_paths = has_paths (reader->format->container),
    .weights = draft->weights,
    .turn_weights = draft->turn_weights,
  };
  reader->info.decoding = describe_decoding (reader);
  return TRUE;
}

/* File names are only looked at in folders, and for the flats and darks of a
 * file of images. */
static void
note_unused_patterns (TlScanDraft *draft, TlContainer container,
                      const TlReaderOptions *options)
{
  const gboolean by_paths = has_paths (container);
  if (by_paths
      && (options->projections != NULL || options->flats != NULL
          || options->darks != NULL))
    tl_scan_draft_note (draft,
                        _ ("patterns for projections, flats and darks are not "
                           "used: an HDF5 or Zarr file marks them itself"));
  if (!by_paths
      && (options->data_path != NULL || options->keys_path != NULL
          || options->angles_path != NULL || options->flats_path != NULL
          || options->darks_path != NULL))
    tl_scan_draft_note (draft, _ ("paths of datasets are not used: they are "
                                  "for HDF5 and Zarr files"));
  if (container == TL_CONTAINER_IMAGES && options->projections != NULL)
    tl_scan_draft_note (draft,
                        _ ("the pattern for projections is not used: they "
                           "are in the file that was named"));
}

/* Adds notes about missing flat and dark fields. */
static void
note_fields (TlScanDraft *draft)
{
  const TlFrameSet *all = draft->frames;
  if (all[TL_FRAMES_FLATS].n_frames == 0)
    tl_scan_draft_note (
        draft,
        !draft->are_counts
            ? _ ("no flat fields: the values count as attenuation, unless "
                 "-log is switched on")
            : _ ("no flat fields: the counts cannot be normalised "
                 "and are taken as they are; -log is off unless it "
                 "is switched on"));
  else if (all[TL_FRAMES_FLATS].n_frames == 1)
    tl_scan_draft_note (draft, _ ("one flat field only: its noise is in every "
                                  "projection"));
  if (all[TL_FRAMES_FLATS].n_frames > 0 && all[TL_FRAMES_DARKS].n_frames == 0)
    tl_scan_draft_note (draft, _ ("no dark fields: taken as zero"));
}

/* Notes what the conversion of samples may change. */
static void
note_samples (TlScanDraft *draft)
{
  gboolean is_wide = FALSE;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    is_wide |= draft->frames[kind].is_wide;
  if (is_wide)
    tl_scan_draft_note (draft,
                        _ ("integers of 64 bits are read as 64-bit floats: "
                           "counts above 2^53 (9e15) lose their last "
                           "digits"));
}

/* Slices look like projections, and are reconstructed without an error. */
static void
note_volume (TlScanDraft *draft, const char *path)
{
  if (tl_volume_is_exported (path))
    tl_scan_draft_ask (draft, NULL, NULL,
                       _ ("this is a reconstructed volume, not a scan: its "
                          "slices are taken for projections; open the scan "
                          "that it was made from"));
}

/* Notes that @folder was opened and @within is the only scan in it. */
static void
note_within (TlScanDraft *draft, const char *folder, const char *within)
{
  const char *below = within + strlen (folder);
  g_autofree char *shown =
      g_filename_display_name (below + strspn (below, G_DIR_SEPARATOR_S));
  g_autofree char *name = tl_path_dup_name (folder);
  tl_scan_draft_note (draft, _ ("opened %s, the only scan in %s"), shown, name);
}

/* Random bytes may look like the beginning of a known format: what the user
 * says counts. */
static gboolean
sniff (const char *path, const TlReaderOptions *options, TlContainer *container,
       GError **error)
{
  *container = TL_CONTAINER_IMAGES;
  return (options->raw != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR))
         || tl_container_sniff (path, container, error);
}

/* Checks what the format has found, and decides on angles and projections. */
static gboolean
settle (TlReader *reader, const TlReaderOptions *options, GError **error)
{
  const TlFrameSet *all = reader->draft.frames;
  GError *failure = NULL;
  reader->draft.are_counts |= !tl_sample_is_float (all->type) || all->is_wide;
  if (check_shapes (reader, &failure)
      && (reader->draft.used_numbers != NULL
          || (tl_scan_draft_settle_angles (&reader->draft, reader->name,
                                           options, &failure)
              && tl_scan_draft_leave_out (&reader->draft, reader->name, options,
                                          &failure))))
    {
      if (!reader->draft.is_noted)
        {
          note_fields (&reader->draft);
          note_samples (&reader->draft);
        }
      return TRUE;
    }
  if (g_error_matches (failure, TL_ERROR, TL_ERROR_MEMORY))
    g_prefix_error (&failure, "%s: ", reader->name);
  g_propagate_error (error, failure);
  return FALSE;
}

/* --- large counts --- */

/* The slices are computed in float32, which has 24 binary digits. The
 * correction (p - d) / (f - d) loses some of them where d is larger than f - d.
 * It stays the same if a number is subtracted from p, f and d of a pixel: its
 * count in the first dark field. */

static gboolean
is_wide (const TlFrameSet *set)
{
  return set->type == TL_SAMPLE_U32 || set->type == TL_SAMPLE_I32
         || set->type == TL_SAMPLE_F64;
}

/* Returns: (transfer full): [@n_rows][n_cols], of the first field of @kind;
 * %NULL if it cannot be read, which the first slice reports */
static double *
read_first_field (TlReader *reader, TlFrameKind kind, const size_t *rows,
                  size_t n_rows)
{
  const TlSampleType type = tl_reader_get_type (reader, kind);
  const size_t n_cols = reader->info.n_cols;
  g_autofree void *samples = tl_try_alloc (
      n_rows, n_cols, 1, tl_sample_size (type), _ ("the fields"), NULL);
  g_autofree double *values =
      tl_try_alloc (n_rows, n_cols, 1, sizeof (double), _ ("the fields"), NULL);
  if (samples == NULL || values == NULL
      || !tl_reader_read_frames_list (reader, kind, 0, 1, rows, n_rows, samples,
                                      NULL))
    return NULL;
  tl_samples_to_double (type, samples, n_rows * n_cols, values);
  return g_steal_pointer (&values);
}

/* Returns: whether dark counts in rows spread over the height are so large.
 * Single hot pixels do not count. */
static gboolean
has_large_darks (TlReader *reader)
{
  static const double max_exact = 1 << 24; /* of the integers in float32 */
  const TlScanInfo *info = &reader->info;
  const size_t n_rows = MIN (info->n_rows, MAX_TYPICAL_ROWS);
  const size_t n = n_rows * info->n_cols;
  size_t rows[MAX_TYPICAL_ROWS], n_large = 0;
  for (size_t k = 0; k < n_rows; k++)
    rows[k] = k * info->n_rows / n_rows;
  g_autofree double *dark =
      read_first_field (reader, TL_FRAMES_DARKS, rows, n_rows);
  g_autofree double *flat =
      read_first_field (reader, TL_FRAMES_FLATS, rows, n_rows);
  for (size_t i = 0; dark != NULL && flat != NULL && i < n; i++)
    n_large += fabs (dark[i]) >= max_exact
               && fabs (dark[i]) >= fabs (flat[i] - dark[i]);
  return (double)n_large > MAX_HOT_PIXELS * (double)n;
}

/* Returns: (transfer full) (nullable): [n_rows][n_cols], what to subtract from
 * all samples; %NULL: nothing */
static double *
find_offsets (TlReader *reader)
{
  const TlFrameSet *all = reader->draft.frames;
  const size_t n = all->n_rows * all->n_cols;
  if (all[TL_FRAMES_FLATS].n_frames == 0 || all[TL_FRAMES_DARKS].n_frames == 0
      || !is_wide (all) || !has_large_darks (reader))
    return NULL;
  if (!is_wide (&all[TL_FRAMES_FLATS]) || !is_wide (&all[TL_FRAMES_DARKS]))
    {
      tl_scan_draft_ask (
          &reader->draft, NULL, NULL,
          _ ("the counts of the dark fields, which are more than "
             "those that the beam adds, are rounded, because flats "
             "or darks are 32-bit floats: save both as integers or "
             "64-bit floats"));
      return NULL;
    }
  g_autofree size_t *rows = tl_rows_list (0, all->n_rows, NULL);
  double *offsets = rows == NULL ? NULL
                                 : read_first_field (reader, TL_FRAMES_DARKS,
                                                     rows, all->n_rows);
  for (size_t i = 0; offsets != NULL && i < n; i++)
    offsets[i] = isfinite (offsets[i]) ? rint (offsets[i]) : 0;
  return offsets;
}

static void
settle_offsets (TlReader *reader)
{
  TlScanDraft *draft = &reader->draft;
  double *offsets = find_offsets (reader);
  if (offsets == NULL)
    return;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      TlSampleType *type = &draft->frames[kind].type;
      reader->stored[kind] = *type;
      if (*type != TL_SAMPLE_F64)
        *type = TL_SAMPLE_F32;
    }
  reader->info.type = draft->frames->type;
  reader->offsets = offsets;
  tl_scan_draft_note (draft,
                      _ ("the first dark field is subtracted from all counts "
                         "while they are read, because 32-bit floats do not "
                         "hold counts of this size exactly; the slices stay "
                         "the same"));
}

static gboolean
describe (TlReader *reader, const TlReaderOptions *options, GError **error)
{
  if (!reader->draft.is_noted)
    tl_scan_draft_note_angles (&reader->draft);
  if (!fill_info (reader, error))
    {
      g_prefix_error (error, "%s: ", reader->name);
      return FALSE;
    }
  /* A scan that grows is opened again and again, and its samples have to stay
   * the same: it may have no dark fields yet. */
  if (!options->grows)
    settle_offsets (reader);
  return TRUE;
}

static TlReader *
new_reader (const char *path, char *name, const TlReaderOptions *options)
{
  TlReader *reader = g_new0 (TlReader, 1);
  reader->path = g_strdup (path);
  reader->name = name;
  reader->replace_nan = options->replace_nan;
  g_mutex_init (&reader->unreadable.mutex);
  reader->unreadable.code = TL_ERROR_VALUE;
  tl_thread_search_begin (&reader->search,
                          MIN (g_get_num_processors (), FIRST_THREADS));
  return reader;
}

TlReader *
tl_reader_open_source (const TlReaderFormat *format, gpointer source,
                       TlScanDraft *draft, const char *name,
                       const TlReaderOptions *options, GError **error)
{
  g_autoptr (TlReader) reader = new_reader (name, g_strdup (name), options);
  reader->format = format;
  reader->source = source;
  reader->draft = *draft;
  *draft = (TlScanDraft){ 0 };
  if (!settle (reader, options, error) || !describe (reader, options, error))
    return NULL;
  return g_steal_pointer (&reader);
}

/* @folder: (nullable): the folder that the user opened, if @path is the only
 * scan in it */
static TlReader *
open_path (const char *path, const char *folder, const TlReaderOptions *options,
           GError **error)
{
  TlContainer container;
  GError *failure = NULL;
  if (g_cancellable_set_error_if_cancelled (options->cancellable, error)
      || !sniff (path, options, &container, error))
    return NULL;
  g_autoptr (TlReader) reader =
      new_reader (path, tl_path_dup_name (path), options);
  const gboolean found = find_format (reader, container, options, &failure);
  if (g_cancellable_is_cancelled (options->cancellable))
    {
      g_clear_error (&failure); /* of a half that was looked at */
      g_cancellable_set_error_if_cancelled (options->cancellable, error);
      return NULL;
    }
  if (!found && failure == NULL)
    return open_path (reader->draft.within, folder != NULL ? folder : path,
                      options, error);
  if (!found)
    {
      if (g_error_matches (failure, TL_ERROR, TL_ERROR_MEMORY))
        g_prefix_error (&failure, "%s: ", reader->name);
      g_propagate_error (error, failure);
      return NULL;
    }
  if (folder != NULL)
    note_within (&reader->draft, folder, path);
  if (!settle (reader, options, error))
    return NULL;
  note_unused_patterns (&reader->draft, container, options);
  if (!options->grows)
    note_volume (&reader->draft, path);
  if (!describe (reader, options, error))
    return NULL;
  return g_steal_pointer (&reader);
}

/* Waits a little. Returns: whether @path is being written, so that it may be
 * possible to open it now */
static gboolean
is_written (const char *path, const GStatBuf *before)
{
  GStatBuf now;
  g_usleep (WRITER_US);
  return g_stat (path, &now) == 0
         && (now.st_size != before->st_size
             || tl_change_get_us (&now) != tl_change_get_us (before));
}

TlReader *
tl_reader_open_path (const char *path, const TlReaderOptions *options,
                     GError **error)
{
  for (int n_tries = 1;; n_tries++)
    {
      GStatBuf before;
      GError *failure = NULL;
      const gboolean is_there = g_stat (path, &before) == 0;
      TlReader *reader = open_path (path, NULL, options, &failure);
      if (reader != NULL)
        return reader;
      if (n_tries == MAX_TRIES || !is_there
          || !g_error_matches (failure, TL_ERROR, TL_ERROR_FILE)
          || !is_written (path, &before))
        {
          g_propagate_error (error, failure);
          return NULL;
        }
      g_error_free (failure);
    }
}

void
tl_reader_set_budget (TlReader *reader, guint64 bytes)
{
  g_return_if_fail (reader != NULL);
  g_free (reader->kept.samples);
  g_free (reader->kept.is_read);
  g_free (reader->kept.fields);
  reader->kept = (Kept){ .budget_bytes = bytes };
}

static void
forget_unreadable (TlReader *reader)
{
  Unreadable *unreadable = &reader->unreadable;
  g_clear_pointer (&unreadable->is_bad, g_free);
  g_clear_pointer (&unreadable->why, g_free);
  unreadable->n_bad = 0;
  unreadable->code = TL_ERROR_VALUE;
}

static void
free_inflater (TlReader *reader)
{
  if (reader->inflater != NULL)
    reader->inflater->free (reader->inflater);
}

void
tl_reader_close (TlReader *reader)
{
  if (reader == NULL)
    return;
  tl_reader_set_budget (reader, 0);
  forget_unreadable (reader);
  tl_field_check_free (reader->fields);
  g_free (reader->offsets);
  g_mutex_clear (&reader->unreadable.mutex);
  if (reader->source != NULL)
    reader->format->close (reader->source);
  free_inflater (reader);
  tl_scan_draft_clear (&reader->draft);
  g_free (reader->name);
  g_free (reader->path);
  g_free (reader);
}

const TlScanInfo *
tl_reader_get_info (TlReader *reader)
{
  g_return_val_if_fail (reader != NULL, NULL);
  return &reader->info;
}

size_t
tl_reader_get_block_rows (TlReader *reader)
{
  g_return_val_if_fail (reader != NULL, 1);
  return MAX (reader->draft.block_rows, 1);
}

size_t
tl_reader_get_block (TlReader *reader)
{
  return reader->draft.block_frames;
}

gboolean
tl_reader_has_mean_fields (TlReader *reader)
{
  return reader->draft.fields_are_means;
}

gboolean
tl_reader_is_parallel (TlReader *reader)
{
  return reader->format->is_parallel (reader->source, TL_FRAMES_PROJECTIONS);
}

TlSampleType
tl_reader_get_type (TlReader *reader, TlFrameKind kind)
{
  g_return_val_if_fail (reader != NULL && kind < TL_N_FRAME_KINDS,
                        TL_SAMPLE_U8);
  return reader->draft.frames[kind].type;
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

/* Returns: how many bytes have to be decoded for each frame */
static size_t
bytes_per_frame (TlReader *reader, const size_t *rows, size_t n_rows,
                 size_t sample_bytes)
{
  const size_t n_decoded = reader->draft.block_frames == 1 && !reader->ascends
                               ? count_touched (reader, rows, n_rows)
                               : n_rows;
  return n_decoded * reader->info.n_cols * sample_bytes
         * MAX (reader->draft.n_averaged, 1);
}

/* Returns: @n, at least 1; a multiple of the block where frames are compressed
 * together */
static size_t
whole_blocks (TlReader *reader, size_t n)
{
  const size_t block = MAX (reader->draft.block_frames, 1);
  return MAX (n / block, 1) * block;
}

/* The samples of one read that are NaN or infinite. */
typedef struct
{
  size_t n_bad;
  size_t projection, row, col; /* of the first one; projection: of the file */
} Damage;

static void
add_damage (Damage *damage, const Damage *later)
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
  Unreadable *unreadable = &reader->unreadable;
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
               const size_t *rows, size_t n_rows, void *samples, Damage *damage)
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
refuse_damage (TlReader *reader, const Damage *damage, GError **error)
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

/* Frames that are read together. */
typedef struct
{
  TlReader *reader;
  TlFrameKind kind;
  const size_t *frames; /* (nullable): [end], ascending; %NULL: each number
                           below end is its own */
  size_t first, end;    /* of the frames */
  const size_t *rows;
  size_t n_rows;
  size_t sample_bytes;
  char *dest;         /* of the first frame; if it keeps: of frame 0 */
  gboolean keeps;     /* dest is what is kept for later reads */
  gboolean from_kept; /* the rows are kept in memory */
} Request;

/* Frames of a request that are read by one run of tasks. */
typedef struct
{
  const Request *request;
  size_t first, end, step; /* of the request's frames; step: of a task */
  size_t n_tasks;
  guint n_threads;
  Damage *damages; /* (nullable): [n_tasks]; %NULL: samples are not checked */
} Batch;

/* Copies rows of @n projections that are kept in memory. */
static void
copy_kept (const Request *request, size_t first, size_t n, char *dest)
{
  const Kept *kept = &request->reader->kept;
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
read_each (const Request *request, size_t frame, size_t n, char *dest,
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
      forget_unreadable (reader);
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
read_run (const Request *request, size_t first, size_t n, Damage *damage,
          GError **error)
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
  const Request *request = batch->request;
  const size_t first = batch->first + index * batch->step;
  const size_t end = MIN (first + batch->step, batch->end);
  Damage *damage = batch->damages != NULL ? &batch->damages[index] : NULL;
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
is_for_device (const Request *request)
{
  return request->reader->uses_inflater && !request->from_kept
         && request->kind == TL_FRAMES_PROJECTIONS;
}

/* Divides the frames of @request, from @first on, into tasks.
 * @bytes: of a frame, to be decoded */
static Batch
plan_batch (const Request *request, size_t first, size_t bytes)
{
  TlReader *reader = request->reader;
  const size_t n_left = request->end - first;
  const size_t piece = MAX (bytes, MIN_FRAME_BYTES);
  Batch batch = { .request = request, .first = first };
  if (is_for_device (request))
    {
      batch.step = reader->inflater->n_streams;
      batch.n_tasks = (n_left + batch.step - 1) / batch.step;
      batch.n_threads = (guint)MIN (batch.n_tasks, count_most_threads ());
      batch.end = request->end;
      return batch;
    }
  batch.step = whole_blocks (reader, TASK_BYTES / piece);
  if (n_left < 2 * batch.step
      || !(request->from_kept
           || reader->format->is_parallel (reader->source, request->kind)))
    {
      batch.step = whole_blocks (reader, CALL_BYTES / bytes);
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

/* Also after the file was opened again, because the format has forgotten it.
 */
static void
tell_format (TlReader *reader)
{
  if (reader->ascends && reader->format->ascend != NULL)
    reader->format->ascend (reader->source);
  if (reader->browses && reader->format->skip_rest != NULL)
    reader->format->skip_rest (reader->source);
  if (reader->inflater != NULL)
    {
      reader->inflater->forget (reader->inflater);
      reader->inflater->has_failed = FALSE;
    }
  reader->uses_inflater =
      reader->format->use_inflater != NULL
      && reader->format->use_inflater (reader->source, reader->inflater);
}

/* Opens the file again. Returns: whether it could */
static gboolean
reopen (TlReader *reader)
{
  if (reader->format->refresh == NULL
      || !reader->format->refresh (reader->source))
    return FALSE;
  tell_format (reader);
  return TRUE;
}

gboolean
tl_reader_refresh (TlReader *reader)
{
  g_return_val_if_fail (reader != NULL, FALSE);
  if (!reopen (reader))
    return FALSE;
  tl_reader_set_budget (reader, reader->kept.budget_bytes);
  g_clear_pointer (&reader->fields, tl_field_check_free);
  return TRUE;
}

void
tl_reader_look_for_change (TlReader *reader)
{
  g_return_if_fail (reader != NULL);
  if (reader->format->find_change_us != NULL)
    reader->info.changed_us = reader->format->find_change_us (reader->source);
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
  if (!is_file || !reopen (reader))
    return FALSE;
  forget_unreadable (reader);
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
read_all (const Request *request, size_t *next, Damage *damage,
          GCancellable *cancellable, GError **error)
{
  TlReader *reader = request->reader;
  const size_t bytes =
      request->from_kept
          ? request->n_rows * reader->info.n_cols * request->sample_bytes
          : bytes_per_frame (reader, request->rows, request->n_rows,
                             request->sample_bytes);
  g_autoptr (GError) before = NULL; /* (nullable): why the file was opened
                                       again */
  gboolean has_refreshed = FALSE;
  for (size_t first = request->first, end; first < request->end; first = end)
    {
      GError *failure = NULL;
      Batch batch = plan_batch (request, first, bytes);
      g_autofree Damage *damages =
          damage != NULL ? g_new0 (Damage, batch.n_tasks) : NULL;
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

/* As read_all(); an error names all projections that cannot be read. */
static gboolean
read_request (const Request *request, size_t *next, Damage *damage,
              GCancellable *cancellable, GError **error)
{
  forget_unreadable (request->reader);
  give_up_failed_inflater (request->reader);
  if (read_all (request, next, damage, cancellable, error))
    return refuse_unreadable (request->reader, error);
  forget_unreadable (request->reader);
  return FALSE;
}

/* --- what is kept for later reads --- */

/* Returns: %FALSE if the read was cancelled. After another failure nothing is
 * kept any more; if the caller's own rows cannot be read either, the error of
 * that read is reported. */
static gboolean
give_up_keeping (TlReader *reader, GError *failure, GError **error)
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
has_kept (const Kept *kept, size_t first_row, size_t end_row)
{
  return kept->samples != NULL && first_row >= kept->first_row
         && end_row <= kept->first_row + kept->n_rows;
}

void
tl_reader_ascend (TlReader *reader)
{
  g_return_if_fail (reader != NULL && reader->info.decoding.can_ascend);
  tl_reader_set_budget (reader, count_fields_bytes (&reader->info));
  reader->ascends = TRUE;
  tell_format (reader);
}

gboolean
tl_reader_use_inflater (TlReader *reader, TlInflater *inflater)
{
  g_return_val_if_fail (reader != NULL, FALSE);
  free_inflater (reader);
  reader->inflater = inflater;
  tell_format (reader);
  /* elsewhere it depends on the rows which streams are read */
  if (reader->uses_inflater
      && tl_reader_get_block_rows (reader) >= reader->info.n_rows)
    inflater->prepare (inflater,
                       reader->draft.frames[TL_FRAMES_PROJECTIONS].n_frames);
  return reader->uses_inflater;
}

void
tl_reader_browse (TlReader *reader, guint64 bytes)
{
  g_return_if_fail (reader != NULL);
  tl_reader_set_budget (reader, bytes);
  reader->browses = TRUE;
  tell_format (reader);
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
  Kept *kept = &reader->kept;
  const TlScanInfo *info = &reader->info;
  const size_t block = reader->draft.block_rows;
  const guint64 fields_bytes = count_fields_bytes (info);
  const guint64 n_most =
      (kept->budget_bytes - MIN (kept->budget_bytes, fields_bytes))
      / count_row_bytes (info);
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
  Kept *kept = &reader->kept;
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
  Kept *kept = &reader->kept;
  const size_t n_all = reader->info.n_projections;
  GError *failure = NULL;
  if (kept->budget_bytes == 0 || reader->draft.block_rows < 2)
    return TRUE;
  if (!has_kept (kept, first_row, end_row)
      && !choose_kept (reader, first_row, end_row, &failure))
    return give_up_keeping (reader, failure, error);
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
    return give_up_keeping (reader, failure, error);
  const Request request = {
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
      read_request (&request, &n_done, NULL, cancellable, &failure);
  kept->read_s += (double)(g_get_monotonic_time () - start_us) / 1e6;
  count_kept (reader);
  return good || give_up_keeping (reader, failure, error);
}

/* Returns: seconds that the projections which are not kept yet will take, at
 * the rate of the others */
static double
estimate_rest_s (const TlReader *reader)
{
  const Kept *kept = &reader->kept;
  return kept->read_s / (double)MAX (kept->n_read, 1)
         * (double)(reader->info.n_projections - kept->n_read);
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
  const Request request = {
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
  Damage damage = { 0 };
  if (!read_request (&request, next, &damage, cancellable, error)
      || !refuse_damage (reader, &damage, error))
    return FALSE;
  *next = end;
  reader->n_mended = damage.n_bad;
  return TRUE;
}

guint
tl_reader_get_n_threads (TlReader *reader)
{
  return reader->n_threads;
}

void
tl_reader_fix_n_threads (TlReader *reader, guint n_threads)
{
  reader->n_fixed = n_threads;
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

/* Frames that are added to sums. */
typedef struct
{
  TlSampleType type;
  const char *samples; /* [n_frames][n] */
  size_t n_frames, n;
  const guint8 *states; /* (nullable): [n_frames], of TlFieldState: which ones
                           are added; %NULL: all */
  double *sums;         /* (inout): [n] */
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
      for (size_t k = 0; k < n_here; k++)
        addition->sums[first + k] += values[k];
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
  const size_t bytes =
      bytes_per_frame (reader, rows, n_rows, tl_sample_size (set->type));
  const size_t step = MIN (whole_blocks (reader, CALL_BYTES / bytes), n_frames);
  g_autofree char *samples =
      tl_try_alloc (step, n_rows, n_cols, tl_sample_size (set->type),
                    _ ("the fields"), error);
  if (samples == NULL)
    return FALSE;
  memset (dest, 0, n * sizeof (double));
  for (size_t i = 0; i < n_frames; i += step)
    {
      size_t n_now = MIN (step, n_frames - i);
      size_t next = first_frame + i;
      const Request request = { .reader = reader,
                                .kind = kind,
                                .first = next,
                                .end = next + n_now,
                                .rows = rows,
                                .n_rows = n_rows,
                                .sample_bytes = tl_sample_size (set->type),
                                .dest = samples };
      Addition addition = {
        set->type, samples, n_now, n, get_states (reader, kind, next), dest
      };
      if (!read_request (&request, &next, NULL, cancellable, error)
          || !add_frames (&addition, cancellable, error))
        return FALSE;
      if (check != NULL)
        take_fields (check, kind, first_frame + i, &addition, rows);
    }
  for (size_t k = 0; k < n; k++)
    dest[k] /= (double)n_used;
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
  return !has_unused (reader)
         || read_each_mean (reader, rows, n_rows, NULL, fields, cancellable,
                            error);
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
      tl_try_alloc (N_FIELDS, n_rows, check->n_cols, sizeof (double),
                    _ ("the flat and dark fields"), error);
  double *const fields[N_FIELDS] = { unused, unused + n, unused + 2 * n };
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
  Kept *kept = &reader->kept;
  const TlScanInfo *info = &reader->info;
  const size_t n = info->n_rows * info->n_cols;
  GError *failure = NULL;
  if (kept->fields != NULL || reader->draft.block_rows < 2
      || kept->budget_bytes < count_fields_bytes (info))
    return TRUE;
  g_autofree size_t *rows = tl_rows_list (0, info->n_rows, &failure);
  g_autofree double *all =
      rows == NULL
          ? NULL
          : tl_try_alloc (N_FIELDS, info->n_rows, info->n_cols, sizeof (double),
                          _ ("the flat and dark fields"), &failure);
  double *const fields[N_FIELDS] = { all, all + n, all + 2 * n };
  if (all == NULL
      || !read_means (reader, rows, info->n_rows, fields, cancellable,
                      &failure))
    return give_up_keeping (reader, failure, error);
  kept->fields = g_steal_pointer (&all);
  return TRUE;
}

gboolean
tl_reader_read_fields_list (TlReader *reader, const size_t *rows, size_t n_rows,
                            double *dark, double *flat_first, double *flat_last,
                            GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (reader != NULL && reader->info.n_flats > 0, FALSE);
  g_return_val_if_fail (is_list (reader, rows, n_rows), FALSE);
  const TlScanInfo *info = &reader->info;
  const Kept *kept = &reader->kept;
  double *const fields[N_FIELDS] = { dark, flat_first, flat_last };
  if (!keep_fields (reader, cancellable, error)
      || (kept->fields == NULL
          && !read_means (reader, rows, n_rows, fields, cancellable, error)))
    return FALSE;
  for (size_t f = 0; f < N_FIELDS && kept->fields != NULL; f++)
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
