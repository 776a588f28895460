#include "data/read/reader.h"

#include "data/array.h"
#include "data/error.h"
#include "data/geometry.h"
#include "data/read/field-sum-private.h"
#include "data/read/format/change.h"
#include "data/read/format/rows.h"
#include "data/read/reader-private.h"
#include "data/read/scan/angles.h"
#include "data/read/scan/left-out.h"
#include "data/write/volume/volume.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>

enum
{
  MAX_TYPICAL_ROWS = 32,
  /* The search tries twice as many next. It does not begin with one for each
   * processor: it measures before an export is under way, and would settle at
   * 64. */
  FIRST_THREADS = 16
};

/* If a larger part of the pixels has large dark counts, they are no hot ones.
 */
#define MAX_HOT_PIXELS 0.01

/* How often a file is opened that another program is writing, which may be in
 * the middle of a change, and how long it is waited for in between. */
#define MAX_TRIES 5
#define WRITER_US 30000

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

guint64
tl_reader_count_row_bytes (const TlScanInfo *info)
{
  return (guint64)info->n_projections * info->n_cols
         * tl_sample_size (info->type);
}

guint64
tl_reader_count_fields_bytes (const TlScanInfo *info)
{
  return info->n_flats == 0
             ? 0
             : (guint64)info->n_rows * info->n_cols
                   * (TL_N_MEAN_FIELDS * sizeof (double) + sizeof (TlFieldSum));
}

static TlDecoding
describe_decoding (TlReader *reader)
{
  TlDecoding decoding = { 0 };
  if (tl_reader_get_block_rows (reader) > 1)
    {
      decoding.fields_bytes = tl_reader_count_fields_bytes (&reader->info);
      decoding.row_bytes = tl_reader_count_row_bytes (&reader->info);
    }
  decoding.can_ascend =
      reader->format->can_ascend != NULL
      && reader->format->can_ascend (reader->source, &decoding.ascending_bytes);
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
  tl_reader_forget_unreadable (reader);
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

gboolean
tl_reader_reopen (TlReader *reader)
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
  if (!tl_reader_reopen (reader))
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

void
tl_reader_ascend (TlReader *reader)
{
  g_return_if_fail (reader != NULL && reader->info.decoding.can_ascend);
  tl_reader_set_budget (reader, tl_reader_count_fields_bytes (&reader->info));
  reader->ascends = TRUE;
  tell_format (reader);
}

gboolean
tl_reader_use_inflater (TlReader *reader, TlInflater *inflater)
{
  g_return_val_if_fail (reader != NULL, FALSE);
  const size_t n_frames = reader->draft.frames[TL_FRAMES_PROJECTIONS].n_frames;
  free_inflater (reader);
  reader->inflater = inflater;
  if (inflater != NULL)
    inflater->n_at_once = n_frames;
  tell_format (reader);
  /* elsewhere it depends on the rows which streams are read */
  if (reader->uses_inflater
      && tl_reader_get_block_rows (reader) >= reader->info.n_rows)
    inflater->prepare (inflater, n_frames);
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
