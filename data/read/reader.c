#include "data/read/reader.h"

#include "data/array.h"
#include "data/error.h"
#include "data/geometry.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>

/* In the order in which they are asked. */
static const TlReaderFormat *const formats[] = { &tl_exchange_format,
                                                 &tl_nexus_format,
                                                 &tl_tiff_folder_format,
                                                 &tl_tiff_file_format };

char *
tl_path_dup_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  return g_filename_display_name (base);
}

void
tl_scan_draft_init (TlScanDraft *draft)
{
  *draft = (TlScanDraft){ .notes = g_ptr_array_new_with_free_func (g_free) };
}

void
tl_scan_draft_clear (TlScanDraft *draft)
{
  g_clear_pointer (&draft->angles_deg, g_free);
  g_clear_pointer (&draft->angles_source, g_free);
  g_clear_pointer (&draft->notes, g_ptr_array_unref);
  g_clear_pointer (&draft->within, g_free);
}

void
tl_scan_draft_note (TlScanDraft *draft, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_ptr_array_add (draft->notes, g_strdup_vprintf (format, args));
  va_end (args);
}

/* Asks every format of the container; the first that finds a scan has it. FALSE
 * without an error where draft.within is that. */
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
  g_set_error (error, TL_ERROR, TL_ERROR_FORMAT,
               _ ("%s: no scan in it; looked for %s"), reader->name,
               looked_for->str);
  return FALSE;
}

static gboolean
check_shapes (TlReader *reader, GError **error)
{
  static const char *const names[] = { N_ ("projections"), N_ ("flats"),
                                       N_ ("darks") };
  const TlFrameSet *all = reader->draft.frames;
  if (all->n_frames == 0 || all->n_rows == 0 || all->n_cols == 0)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_SHAPE,
                   _ ("%s: no projections: %zu of %zu x %zu pixels"),
                   reader->name, all->n_frames, all->n_rows, all->n_cols);
      return FALSE;
    }
  for (int kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    if (all[kind].n_frames > 0
        && (all[kind].n_rows != all->n_rows || all[kind].n_cols != all->n_cols))
      {
        g_set_error (
            error, TL_ERROR, TL_ERROR_SHAPE,
            _ ("%s: %s are %zu x %zu pixels but projections %zu x %zu"),
            reader->name, _ (names[kind]), all[kind].n_rows, all[kind].n_cols,
            all->n_rows, all->n_cols);
        return FALSE;
      }
  return TRUE;
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
  g_ptr_array_add (draft->notes, NULL);
  reader->info = (TlScanInfo){
    .path = reader->path,
    .format = draft->format,
    .n_projections = all->n_frames,
    .n_rows = all->n_rows,
    .n_cols = all->n_cols,
    .type = all->type,
    .n_flats = all[TL_FRAMES_FLATS].n_frames,
    .n_darks = all[TL_FRAMES_DARKS].n_frames,
    .n_flats_before = draft->n_flats_before,
    .is_attenuation = all[TL_FRAMES_FLATS].n_frames == 0,
    .angles_deg = draft->angles_deg,
    .covers_turn = covers_turn,
    .angles_source = draft->angles_source,
    .pixel_size_um = draft->pixel_size_um,
    .notes = (const char *const *)draft->notes->pdata,
  };
  return TRUE;
}

/* @folder: (nullable): what was asked for, where @path is the scan in it */
static TlReader *
open_path (const char *path, const char *folder, const TlReaderOptions *options,
           GError **error)
{
  TlContainer container;
  if (!tl_container_sniff (path, &container, error))
    return NULL;
  GError *failure = NULL;
  g_autoptr (TlReader) reader = g_new0 (TlReader, 1);
  reader->path = g_strdup (path);
  reader->name = tl_path_dup_name (path);
  reader->replace_nan = options->replace_nan;
  const gboolean found = find_format (reader, container, options, &failure);
  if (!found && failure == NULL)
    return open_path (reader->draft.within, folder != NULL ? folder : path,
                      options, error);
  if (found && folder != NULL)
    tl_scan_draft_note_within (&reader->draft, folder, path);
  if (!found || !check_shapes (reader, &failure)
      || !tl_scan_draft_settle_angles (&reader->draft, reader->name, options,
                                       &failure))
    {
      if (g_error_matches (failure, TL_ERROR, TL_ERROR_MEMORY))
        g_prefix_error (&failure, "%s: ", reader->name);
      g_propagate_error (error, failure);
      return NULL;
    }
  tl_scan_draft_note_fields (&reader->draft);
  tl_scan_draft_note_patterns (&reader->draft, container, options);
  tl_scan_draft_note_angles (&reader->draft);
  if (!fill_info (reader, error))
    {
      g_prefix_error (error, "%s: ", reader->name);
      return NULL;
    }
  return g_steal_pointer (&reader);
}

TlReader *
tl_reader_open (const char *path, const TlReaderOptions *options,
                GError **error)
{
  static const TlReaderOptions nothing = { 0 };
  g_return_val_if_fail (path != NULL, NULL);
  return open_path (path, NULL, options != NULL ? options : &nothing, error);
}

void
tl_reader_close (TlReader *reader)
{
  if (reader == NULL)
    return;
  if (reader->source != NULL)
    reader->format->close (reader->source);
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

TlSampleType
tl_reader_get_type (TlReader *reader, TlFrameKind kind)
{
  return reader->draft.frames[kind].type;
}

gboolean
tl_reader_read_frames (TlReader *reader, TlFrameKind kind, size_t first_frame,
                       size_t n_frames, size_t first_row, size_t n_rows,
                       void *dest, GError **error)
{
  g_autofree size_t *rows = tl_reader_list_rows (first_row, n_rows, error);
  return rows != NULL
         && reader->format->read (reader->source, kind, first_frame, n_frames,
                                  rows, n_rows, dest, error);
}
