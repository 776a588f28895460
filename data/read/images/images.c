/* Scans of image files: a folder of projections, a file of many images, or
 * sinograms. */
#include "data/array.h"
#include "data/error.h"
#include "data/read/scan/angles.h"
#include "data/read/format/format.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/format/image-format.h"
#include "data/read/format/raw.h"
#include "data/read/format/rows.h"
#include "data/read/images/groups-private.h"
#include "data/read/images/layout-private.h"
#include "data/read/images/listing.h"
#include "data/read/images/names.h"
#include "data/read/images/numbers.h"

#include <glib/gi18n.h>
#include <string.h>

/* One frame: an image of a file. */
typedef struct
{
  guint file;
  TlImage image;
  gboolean is_unreadable; /* it keeps its number, but is left out */
} Frame;

typedef struct
{
  char *path;
  const TlImageFormat *format;
  TlRawLayout raw; /* of tl_raw_format */
} File;

static void
file_free (gpointer data)
{
  File *file = data;
  g_free (file->path);
  g_free (file);
}

/* An open file, used by one thread at a time. */
typedef struct
{
  guint file;
  const TlImageReader *reader;
  gpointer open; /* of the reader */
} Handle;

static void
handle_free (gpointer data)
{
  Handle *handle = data;
  handle->reader->close (handle->open);
  g_free (handle);
}

typedef struct
{
  GPtrArray *files; /* of File */
  GArray *frames[TL_N_FRAME_KINDS];
  GPtrArray *odd;        /* of char *, belongs to the files: of projections that
                            have another size or type, and are left out */
  TlRawLayout raw;       /* what the user says; n_rows is 0 without */
  gboolean has_angles;   /* the file itself says them */
  gboolean is_stack;     /* all projections are in one file */
  gboolean is_sinograms; /* an image is one sinogram, [projection][col] */
  gint64 changed_us;     /* of the newest file */
  char *why_unreadable;  /* (nullable): the first projection that is */

  GMutex mutex;    /* for idle */
  GPtrArray *idle; /* of Handle, the files that were read last */
} Scan;

static void
scan_free (gpointer source)
{
  Scan *scan = source;
  g_ptr_array_unref (scan->idle);
  g_mutex_clear (&scan->mutex);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_array_unref (scan->frames[kind]);
  g_ptr_array_unref (scan->odd);
  g_ptr_array_unref (scan->files);
  g_free (scan->why_unreadable);
  g_free (scan);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scan, scan_free)

static Scan *
scan_new (const TlReaderOptions *options, GError **error)
{
  TlRawLayout raw = { 0 };
  if (options->raw != NULL && !tl_raw_layout_parse (options->raw, &raw, error))
    return NULL;
  Scan *scan = g_new0 (Scan, 1);
  scan->raw = raw;
  scan->files = g_ptr_array_new_with_free_func (file_free);
  scan->odd = g_ptr_array_new ();
  scan->idle = g_ptr_array_new_with_free_func (handle_free);
  g_mutex_init (&scan->mutex);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    scan->frames[kind] = g_array_new (FALSE, FALSE, sizeof (Frame));
  return scan;
}

static Frame *
get_frame (Scan *scan, TlFrameKind kind, size_t index)
{
  return &g_array_index (scan->frames[kind], Frame, index);
}

static File *
get_file (Scan *scan, guint index)
{
  return scan->files->pdata[index];
}

static gboolean
has_size (const Frame *frame, const TlImage *image)
{
  return frame->image.n_rows == image->n_rows
         && frame->image.n_cols == image->n_cols;
}

static gboolean
has_type (const Frame *frame, const TlImage *image)
{
  return !frame->is_unreadable && frame->image.type == image->type;
}

/* All frames of one kind must have the same size. */
static gboolean
check_like_first (Scan *scan, const Frame *frame, GError **error)
{
  const TlImage *image = &frame->image;
  const Frame *first = get_frame (scan, image->kind, 0);
  if (has_size (first, image))
    return TRUE;
  g_autofree char *name = tl_path_dup_name (get_file (scan, frame->file)->path);
  g_autofree char *first_name =
      tl_path_dup_name (get_file (scan, first->file)->path);
  return tl_fail (error, TL_ERROR_SHAPE,
                  _ ("%s: %zu x %zu pixels but %s has %zu x %zu"), name,
                  image->n_rows, image->n_cols, first_name, first->image.n_rows,
                  first->image.n_cols);
}

static gboolean
check_frames (Scan *scan, GError **error)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    for (guint i = 1; i < scan->frames[kind]->len; i++)
      if (!check_like_first (scan, get_frame (scan, kind, i), error))
        return FALSE;
  return TRUE;
}

typedef gboolean (*IsLike) (const Frame *frame, const TlImage *image);

/* Returns: (nullable): the first of the images of the most frequent size or
 * type */
static const Frame *
find_common (GArray *frames, IsLike is_like)
{
  const Frame *best = NULL;
  size_t n_best = 0;
  for (guint i = 0; i < frames->len; i++)
    {
      const Frame *frame = &g_array_index (frames, Frame, i);
      size_t n = 0;
      if (frame->is_unreadable
          || (best != NULL && is_like (best, &frame->image)))
        continue;
      for (guint k = i; k < frames->len; k++)
        n += is_like (&g_array_index (frames, Frame, k), &frame->image);
      if (n > n_best)
        {
          best = frame;
          n_best = n;
        }
    }
  return best;
}

/* Whether the frame may stay beside those that are like @image. */
static gboolean
may_stay (const Frame *frame, const TlImage *image, IsLike is_like)
{
  return frame->is_unreadable || is_like (frame, image);
}

/* Removes the frames of @kind that are not like @image, unless none is.
 * @other: (out): the first of them. Returns: how many */
static guint
remove_others (Scan *scan, TlFrameKind kind, const TlImage *image,
               IsLike is_like, Frame *other)
{
  GArray *frames = scan->frames[kind];
  const Frame *all = (const Frame *)frames->data;
  const guint n = frames->len;
  guint n_kept = 0;
  for (guint i = n; i-- > 0;)
    if (may_stay (&all[i], image, is_like))
      n_kept++;
    else
      *other = all[i];
  for (guint i = n; n_kept > 0 && i-- > 0;)
    if (!may_stay (&all[i], image, is_like))
      {
        if (kind == TL_FRAMES_PROJECTIONS)
          g_ptr_array_add (scan->odd, get_file (scan, all[i].file)->path);
        g_array_remove_index (frames, i);
      }
  return n - frames->len;
}

/* Leaves out the frames of @kind that do not have the size of @image, unless
 * none has it. */
static void
keep_size (Scan *scan, TlFrameKind kind, const TlImage *image,
           TlScanDraft *draft)
{
  Frame other = { 0 };
  const guint n_others = remove_others (scan, kind, image, has_size, &other);
  if (n_others == 0)
    return;
  g_autofree char *name = tl_path_dup_name (get_file (scan, other.file)->path);
  tl_scan_draft_ask (
      draft, NULL, NULL,
      g_dngettext (NULL,
                   "%u image is left out, because it has another size than "
                   "%zu x %zu pixels: %s with %zu x %zu",
                   "%u images are left out, because they have another size "
                   "than %zu x %zu pixels; the first is %s with %zu x %zu",
                   n_others),
      n_others, image->n_rows, image->n_cols, name, other.image.n_rows,
      other.image.n_cols);
}

/* Leaves out the frames of @kind that do not have the most frequent type. */
static void
keep_common_type (Scan *scan, TlFrameKind kind, TlScanDraft *draft)
{
  Frame other = { 0 };
  const Frame *common = find_common (scan->frames[kind], has_type);
  if (common == NULL)
    return;
  const TlImage image = common->image;
  const guint n_others = remove_others (scan, kind, &image, has_type, &other);
  if (n_others == 0)
    return;
  g_autofree char *name = tl_path_dup_name (get_file (scan, other.file)->path);
  tl_scan_draft_ask (
      draft, NULL, NULL,
      g_dngettext (NULL,
                   "%u image is left out, because its samples are %s and "
                   "those of the other %s are %s: %s",
                   "%u images are left out, because their samples are %s and "
                   "those of the other %s are %s; the first is %s",
                   n_others),
      n_others, tl_stored_get_name (other.image.stored),
      tl_frame_kind_get_name (kind), tl_stored_get_name (image.stored), name);
}

/* A folder may hold images of other sizes, made for alignment, or of other
 * types. */
static void
keep_like (Scan *scan, TlScanDraft *draft)
{
  GArray *projections = scan->frames[TL_FRAMES_PROJECTIONS];
  const Frame *common = find_common (projections, has_size);
  if (common == NULL)
    return;
  const TlImage image = common->image;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      keep_size (scan, kind, &image, draft);
      keep_common_type (scan, kind, draft);
    }
  const TlImage kept = find_common (projections, has_size)->image;
  for (guint i = 0; i < projections->len; i++)
    {
      Frame *frame = get_frame (scan, TL_FRAMES_PROJECTIONS, i);
      if (frame->is_unreadable)
        frame->image = kept;
    }
}

static Handle *
open_handle (Scan *scan, guint index, GError **error)
{
  const File *file = get_file (scan, index);
  const TlImageReader *reader = file->format->reader;
  g_autofree char *name = tl_path_dup_name (file->path);
  if (reader == NULL)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: is a %s file, but this program was built "
                            "without %s; install it and build again"),
                         name, file->format->name, file->format->library);
  gpointer open = file->format == &tl_raw_format
                      ? tl_raw_open (file->path, name, &file->raw, error)
                      : reader->open (file->path, error);
  if (open == NULL)
    return NULL;
  Handle *handle = g_new (Handle, 1);
  *handle = (Handle){ index, reader, open };
  return handle;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Handle, handle_free)

static gboolean
refuse_empty (const char *path, GError **error)
{
  g_autofree char *name = tl_path_dup_name (path);
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: contains no image; remove the file or replace it"),
                  name);
}

/* A stack that was cut off has the images at its beginning. A scan that says
 * its own angles is refused.
 *
 * @n: images that were found before @failure: (transfer full)
 *
 * Returns: %FALSE with @failure if the rest matters */
static gboolean
go_without_rest (Scan *scan, size_t n, GError *failure, TlScanDraft *draft,
                 GError **error)
{
  if (n == 0 || draft == NULL || !scan->is_stack
      || get_file (scan, 0)->format->reader->is_scan
      || !g_error_matches (failure, TL_ERROR, TL_ERROR_FILE))
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  tl_scan_draft_ask (
      draft, NULL, NULL,
      g_dngettext (NULL,
                   "%s; only the first %zu image is whole, and only this one "
                   "is used: give its angle",
                   "%s; only the first %zu images are whole, and only these "
                   "are used: give their angles",
                   n),
      failure->message, n);
  g_error_free (failure);
  return TRUE;
}

/* Adds the images of a file as frames of @kind, or of the kind that the file
 * says.
 * @format: (nullable): %NULL: raw if the user says a layout, else by the first
 *   bytes of the file
 * @draft: (nullable): receives what else the file says */
static gboolean
add_file (Scan *scan, TlFrameKind kind, const char *path,
          const TlImageFormat *format, TlScanDraft *draft, GError **error)
{
  const guint index = scan->files->len;
  File *file = g_new (File, 1);
  if (format == NULL)
    format =
        scan->raw.n_rows > 0 ? &tl_raw_format : tl_image_format_of_file (path);
  /* The first reader says why a file of no known format cannot be read. */
  *file = (File){ g_strdup (path), format != NULL ? format : tl_image_formats,
                  scan->raw };
  /* The number of images that the user says is that of the projections. */
  if (kind != TL_FRAMES_PROJECTIONS)
    file->raw.n_images = 0;
  g_ptr_array_add (scan->files, file);
  g_autoptr (GError) why = NULL;
  g_autoptr (Handle) handle = open_handle (scan, index, &why);
  if (handle == NULL)
    {
      if (!tl_container_is_other (path, error))
        g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  /* The reader refuses the scan if there are more. */
  for (size_t n = 0; n <= TL_MAX_FRAMES; n++)
    {
      Frame frame = { .file = index };
      gboolean found = FALSE;
      GError *failure = NULL;
      if (!handle->reader->next (handle->open, &frame.image, &found, &failure))
        {
          if (!go_without_rest (scan, n, failure, draft, error))
            return FALSE;
          found = FALSE;
        }
      if (!found && n == 0)
        return refuse_empty (path, error);
      if (!found)
        break;
      if (frame.image.kind == TL_FRAMES_PROJECTIONS)
        frame.image.kind = kind;
      scan->changed_us = MAX (scan->changed_us, frame.image.changed_us);
      g_array_append_val (scan->frames[frame.image.kind], frame);
    }
  if (draft == NULL || handle->reader->describe == NULL)
    return TRUE;
  const gboolean good = handle->reader->describe (handle->open, draft, error);
  scan->has_angles = draft->angles_deg != NULL;
  return good;
}

static gboolean
name_says_sinogram (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  return strstr (lower, "sino") != NULL;
}

/* Forgets the frames of the file that was added last, which cannot be read to
 * its end. A projection keeps its place. */
static void
skip_file (Scan *scan, TlFrameKind kind)
{
  const guint index = scan->files->len - 1;
  const Frame unreadable = { .file = index, .is_unreadable = TRUE };
  for (int k = 0; k < TL_N_FRAME_KINDS; k++)
    while (scan->frames[k]->len > 0
           && get_frame (scan, k, scan->frames[k]->len - 1)->file == index)
      g_array_set_size (scan->frames[k], scan->frames[k]->len - 1);
  if (kind == TL_FRAMES_PROJECTIONS)
    g_array_append_val (scan->frames[kind], unreadable);
}

/* Decides whether the scan goes without @n_bad files of @paths. The number of
 * images of a projection that cannot be read has to be known: the numbers and
 * angles of those after it depend on it.
 * @failure: of the first of these files */
static gboolean
go_without (Scan *scan, TlFrameKind kind, GPtrArray *paths, guint n_bad,
            const GError *failure, TlScanDraft *draft, GError **error)
{
  const gboolean is_countable = kind != TL_FRAMES_PROJECTIONS
                                || (scan->frames[kind]->len == paths->len
                                    && !name_says_sinogram (paths->pdata[0]));
  if (n_bad == paths->len || !is_countable)
    {
      g_propagate_error (error, g_error_copy (failure));
      return FALSE;
    }
  if (2 * n_bad > paths->len)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%u of %u files of %s cannot be read, more than half; "
                       "replace these files, or name others; the first: %s"),
                    n_bad, paths->len, tl_frame_kind_get_name (kind),
                    failure->message);
  if (kind == TL_FRAMES_PROJECTIONS)
    scan->why_unreadable = g_strdup (failure->message);
  else
    tl_scan_draft_ask (
        draft, NULL, NULL,
        g_dngettext (
            NULL,
            "%u image of %u flat or dark fields is left out, because "
            "it cannot be read: %s",
            "%u images of %u flat or dark fields are left out, because "
            "they cannot be read; the first: %s",
            n_bad),
        n_bad, paths->len, failure->message);
  return TRUE;
}

/* Adds what can be read of @paths. @draft: receives notes, and what the first
 * file of projections says */
static gboolean
add_files (Scan *scan, TlFrameKind kind, GPtrArray *paths,
           GCancellable *cancellable, TlScanDraft *draft, GError **error)
{
  const gboolean is_main = kind == TL_FRAMES_PROJECTIONS;
  g_autoptr (GError) first_failure = NULL;
  guint n_bad = 0;
  for (guint i = 0; i < paths->len; i++)
    {
      GError *failure = NULL;
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (add_file (scan, kind, paths->pdata[i],
                    tl_image_format_by_name (paths->pdata[i]),
                    is_main && n_bad == i ? draft : NULL, &failure))
        continue;
      n_bad++;
      skip_file (scan, kind);
      if (first_failure == NULL)
        first_failure = failure;
      else
        g_error_free (failure);
    }
  if (n_bad > 0
      && !go_without (scan, kind, paths, n_bad, first_failure, draft, error))
    return FALSE;
  const guint n_images = scan->frames[kind]->len;
  if (!is_main || paths->len == 1 || n_images == paths->len
      || !get_file (scan, 0)->format->reader->is_scan)
    return TRUE;
  g_autofree char *folder = g_path_get_dirname (paths->pdata[0]);
  g_autofree char *name = tl_path_dup_name (folder);
  g_autofree char *first = tl_path_dup_name (paths->pdata[0]);
  g_autofree char *second = tl_path_dup_name (paths->pdata[1]);
  return tl_fail (error, TL_ERROR_LAYOUT,
                  _ ("%s: holds several scans: %s, %s%s; open one of them"),
                  name, first, second, paths->len > 2 ? ", …" : "");
}

static void
set_format (Scan *scan, const char *what, TlScanDraft *draft)
{
  g_autofree char *format =
      g_strdup_printf ("%s %s", get_file (scan, 0)->format->name, what);
  draft->format = g_intern_string (format);
}

/* Fills @draft. Images are sinograms if the name says so, or if there is
 * only one, because one projection is no scan; but not where the file
 * says angles. */
static void
describe (Scan *scan, TlScanDraft *draft)
{
  size_t n = scan->frames[TL_FRAMES_PROJECTIONS]->len;
  size_t n_flats = scan->frames[TL_FRAMES_FLATS]->len;
  draft->changed_us = scan->changed_us;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (scan->frames[kind]->len > 0)
      {
        const TlImage *image = &get_frame (scan, kind, 0)->image;
        draft->frames[kind] =
            (TlFrameSet){ scan->frames[kind]->len, image->n_rows, image->n_cols,
                          image->type, tl_stored_is_wide (image->stored) };
      }
  if (n == 0 || n_flats > 0
      || ((n > 1 || scan->has_angles)
          && !name_says_sinogram (get_file (scan, 0)->path)))
    {
      /* any read of a projection has to find its image first */
      draft->block_frames = 1;
      draft->block_rows = draft->frames->n_rows;
      return;
    }
  TlFrameSet *set = draft->frames;
  scan->is_sinograms = TRUE;
  set_format (scan, n == 1 ? "sinogram" : "sinograms", draft);
  *set = (TlFrameSet){ set->n_rows, n, set->n_cols, set->type, set->is_wide };
  if (n == 1)
    tl_scan_draft_note (draft,
                        _ ("one image: taken as a sinogram, its rows are "
                           "the projections of one detector row"));
  else
    tl_scan_draft_note (draft,
                        _ ("the name says sinograms: each image is one "
                           "detector row, its rows are the projections"));
  if (draft->frames[TL_FRAMES_DARKS].n_frames > 0)
    {
      tl_scan_draft_note (
          draft,
          _ ("the dark fields are left out, because there are no flat fields"));
      draft->frames[TL_FRAMES_DARKS] = (TlFrameSet){ 0 };
    }
}

/* Returns: (transfer container): the paths of the projections */
static GPtrArray *
list_paths (Scan *scan)
{
  const guint n = scan->frames[TL_FRAMES_PROJECTIONS]->len;
  GPtrArray *paths = g_ptr_array_sized_new (n);
  for (guint i = 0; i < n; i++)
    {
      const Frame *frame = get_frame (scan, TL_FRAMES_PROJECTIONS, i);
      g_ptr_array_add (paths, get_file (scan, frame->file)->path);
    }
  return paths;
}

/* @missing: (nullable): numbers of projections, as of numbers.h; @more: the end
 * of the sentence */
static void
note_missing (TlScanDraft *draft, GArray *missing, const char *more)
{
  size_t n = 0;
  for (guint i = 0; missing != NULL && i < missing->len; i++)
    {
      const TlFrameRange *range = &g_array_index (missing, TlFrameRange, i);
      n += range->last - range->first + 1;
    }
  if (n == 0)
    return;
  g_autofree char *numbers = tl_frame_ranges_format (missing);
  tl_scan_draft_ask (
      draft, NULL, NULL,
      g_dngettext (NULL,
                   "%zu projection is missing, according to the numbers in "
                   "the file names: %s; projections are counted from 0 "
                   "without it%s",
                   "%zu projections are missing, according to the numbers in "
                   "the file names: %s; projections are counted from 0 "
                   "without them%s",
                   n),
      n, numbers, more);
}

/* Moves the first projections to the end, if the counter in their names began
 * again there. Several patterns of the user say the order themselves. */
static void
unwrap (Scan *scan, const TlReaderOptions *options, TlScanDraft *draft)
{
  GArray *frames = scan->frames[TL_FRAMES_PROJECTIONS];
  if (options->projections != NULL
      && strchr (options->projections, ';') != NULL)
    return;
  g_autoptr (GPtrArray) paths = list_paths (scan);
  const guint n = tl_numbers_find_wrap (paths, draft);
  g_autofree Frame *moved = g_memdup2 (frames->data, n * sizeof (Frame));
  g_array_append_vals (frames, moved, n);
  g_array_remove_range (frames, 0, n);
}

/* Reserves the angles of missing projections, and notes which they are. */
static void
find_missing (Scan *scan, TlScanDraft *draft)
{
  g_autoptr (GPtrArray) paths = list_paths (scan);
  g_autoptr (GArray) missing =
      tl_numbers_find_missing (paths, scan->odd, draft);
  note_missing (draft, missing,
                _ ("; whether images are missing at the ends cannot be known"));
}

/* Removes projections for which the first file states no angle, and says which
 * of its angles the others have. @is_given: the user gives other angles, so
 * that those of the file only tell which images are projections */
static void
match_angles (Scan *scan, gboolean is_given, TlScanDraft *draft)
{
  GArray *frames = scan->frames[TL_FRAMES_PROJECTIONS];
  const size_t n = frames->len, n_angles = draft->n_angles;
  if (n == 0 || n == n_angles || name_says_sinogram (get_file (scan, 0)->path))
    return;
  size_t n_kept = MIN (n, n_angles);
  g_autoptr (GPtrArray) paths = list_paths (scan);
  g_autoptr (GArray) missing =
      tl_numbers_take_planned (paths, n_angles, &n_kept, draft);
  if (n_kept < n)
    tl_scan_draft_note (draft,
                        g_dngettext (NULL,
                                     "the last %zu image is not used, because "
                                     "it has no angle (%s)",
                                     "the last %zu images are not used, "
                                     "because they have no angles (%s)",
                                     n - n_kept),
                        n - n_kept, draft->angles_source);
  g_array_set_size (frames, (guint)n_kept);
  if (is_given) /* planned images that were not taken have none of them */
    {
      g_clear_pointer (&draft->steps, g_free);
      if (draft->groups != NULL)
        find_missing (scan, draft);
      return;
    }
  note_missing (draft, missing, "");
  if (missing != NULL)
    return;
  if (n_kept < n_angles)
    tl_scan_draft_note (draft, _ ("%zu of %zu projections are there"), n_kept,
                        n_angles);
  draft->n_angles = n_kept;
}

/* Returns: whether the user's list of angles has one for each image */
static gboolean
has_list_for_all (const Scan *scan, const TlReaderOptions *options)
{
  size_t n = 0;
  g_autofree double *angles =
      options->has_angles || options->angles_file == NULL
          ? NULL
          : tl_angles_load (options->angles_file, FALSE, &n, NULL);
  return angles != NULL && n == scan->frames[TL_FRAMES_PROJECTIONS]->len;
}

/* Loads the angles of the folder, unless the user gives others. */
static gboolean
load_angles (Scan *scan, const TlImageLayout *layout,
             const TlReaderOptions *options, TlScanDraft *draft, GError **error)
{
  const gboolean is_given = options->has_angles || options->angles_file != NULL;
  if (scan->has_angles && !has_list_for_all (scan, options))
    match_angles (scan, is_given, draft);
  if (is_given || scan->has_angles || layout->angles_file == NULL)
    return TRUE;
  return tl_scan_draft_load_angles (draft, layout->angles_file, error);
}

static void
note_sum (Scan *scan, TlScanDraft *draft)
{
  const GArray *darks = scan->frames[TL_FRAMES_DARKS];
  const Frame *first =
      darks->len > 0 ? get_frame (scan, TL_FRAMES_DARKS, 0) : NULL;
  if (first == NULL || first->image.n_summed < 2)
    return;
  g_autofree char *name = tl_path_dup_name (get_file (scan, first->file)->path);
  tl_scan_draft_note (draft,
                      _ ("%s is the sum of %u dark fields (DARK_N): it is "
                         "divided by this number"),
                      name, first->image.n_summed);
}

/* Adds the flats, darks and angles of @layout; @scan already has the
 * projections. */
static gboolean
add_fields (Scan *scan, const TlImageLayout *layout,
            const TlReaderOptions *options, TlScanDraft *draft, GError **error)
{
  guint first_after = scan->files->len + (guint)layout->n_flats_before;
  if (!add_files (scan, TL_FRAMES_FLATS, layout->files[TL_FRAMES_FLATS],
                  options->cancellable, draft, error)
      || !add_files (scan, TL_FRAMES_DARKS, layout->files[TL_FRAMES_DARKS],
                     options->cancellable, draft, error))
    return FALSE;
  keep_like (scan, draft);
  note_sum (scan, draft);
  if (!scan->has_angles && draft->groups != NULL)
    {
      unwrap (scan, options, draft);
      find_missing (scan, draft);
    }
  if (!check_frames (scan, error)
      || !load_angles (scan, layout, options, draft, error))
    return FALSE;
  /* layout->n_flats_before counts files, which may have several images */
  for (guint i = 0; i < scan->frames[TL_FRAMES_FLATS]->len; i++)
    if (get_frame (scan, TL_FRAMES_FLATS, i)->file < first_after)
      draft->n_flats_before++;
  return TRUE;
}

/* Says which projections are to be left out because of their files. */
static void
list_unreadable (Scan *scan, TlScanDraft *draft)
{
  if (scan->why_unreadable == NULL)
    return;
  draft->why_unreadable = g_strdup (scan->why_unreadable);
  draft->unreadable = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  for (guint i = 0; i < scan->frames[TL_FRAMES_PROJECTIONS]->len; i++)
    if (get_frame (scan, TL_FRAMES_PROJECTIONS, i)->is_unreadable)
      tl_frame_ranges_add (draft->unreadable, i);
}

/* Names the files of the projections where the numbers in the names are not
 * those that the projections have here. */
static void
name_files (Scan *scan, TlScanDraft *draft)
{
  g_autoptr (GPtrArray) paths = list_paths (scan);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  gboolean differ = FALSE;
  for (guint i = 0; i < paths->len; i++)
    {
      if (i > 0 && paths->pdata[i] == paths->pdata[i - 1])
        return; /* a stack: its images have no names */
      differ |= tl_name_get_number (paths->pdata[i]) != i;
      g_ptr_array_add (files, tl_path_dup_name (paths->pdata[i]));
    }
  if (differ && !scan->is_sinograms)
    draft->files = g_steal_pointer (&files);
}

/* Returns: whether @name is that of an image with a further ".gz" */
static gboolean
is_gzipped_image (const char *name)
{
  static const char *const gzipped[] = { ".gz", NULL };
  if (!tl_name_has_extension (name, gzipped))
    return FALSE;
  g_autofree char *inside = g_strndup (name, strlen (name) - strlen (".gz"));
  return tl_image_format_by_name (inside) != NULL;
}

/* Says what to do with images whose names alone are known. Does nothing if
 * there are none. */
static void
refuse_others (const char *path, const TlReaderOptions *options, GError **error)
{
  static const char *const packed[] = { ".fz", NULL };
  static const char *const raw[] = { ".raw", ".bin", ".img", NULL };
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *folder = tl_path_dup_name (path);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      const gboolean is_packed = tl_name_has_extension (name, packed);
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_autofree char *shown = g_filename_display_name (name);
      if (options->raw != NULL && options->projections == NULL
          && g_file_test (file, G_FILE_TEST_IS_REGULAR))
        {
          const char *dot = strrchr (shown, '.');
          tl_fail (error, TL_ERROR_FORMAT,
                   _ ("%s: which of its files are raw samples is not said: "
                      "set projections=*%s, if they are such as %s"),
                   folder, dot != NULL ? dot : "", shown);
          return;
        }
      if (is_packed)
        tl_fail (error, TL_ERROR_FORMAT,
                 _ ("%s: compressed FITS files such as %s are not read: unpack "
                    "them with funpack"),
                 folder, shown);
      else if (is_gzipped_image (name))
        tl_fail (error, TL_ERROR_FORMAT,
                 _ ("%s: no images of a known format; compressed files such as "
                    "%s are not read: decompress them with gunzip"),
                 folder, shown);
      else if (tl_name_has_extension (name, raw))
        tl_fail_with_hint (
            error, TL_ERROR_FORMAT,
            _ ("raw samples are opened with their shape and type, as --raw "
               "2048x2048:uint16le --projections \"*.raw\""),
            _ ("%s: no images of a known format, but files such as %s may be "
               "raw samples"),
            folder, shown);
      else
        continue;
      return;
    }
}

/* Notes that the projections are in several stacks, which may be the parts of
 * one, or scans of their own. */
static void
note_parts (GPtrArray *projections, TlScanDraft *draft)
{
  g_autoptr (GHashTable) map = tl_image_groups_map (draft->groups);
  TlImageGroup *group = tl_image_groups_look_up (map, projections->pdata[0]);
  if (projections->len < 2 || !tl_image_group_is_stack (group))
    return;
  g_autofree char *pattern = g_filename_display_name (group->pattern);
  tl_scan_draft_ask (draft, NULL, NULL,
                     _ ("%u stacks are read as parts of one scan, %s: open one "
                        "of them if each is a scan"),
                     projections->len, pattern);
}

static gpointer
open_folder (const char *path, const TlReaderOptions *options,
             TlScanDraft *draft, GError **error)
{
  g_auto (TlImageLayout) layout = { 0 };
  if (!tl_image_layout_find (path, options, &layout, draft, error))
    return NULL;
  GPtrArray *projections = layout.files[TL_FRAMES_PROJECTIONS];
  if (projections->len == 0)
    {
      if (layout.within == NULL)
        refuse_others (path, options, error);
      draft->within = g_steal_pointer (&layout.within);
      return NULL;
    }
  g_autoptr (Scan) scan = scan_new (options, error);
  if (scan == NULL
      || !add_files (scan, TL_FRAMES_PROJECTIONS, projections,
                     options->cancellable, draft, error)
      || !add_fields (scan, &layout, options, draft, error))
    return NULL;
  for (guint k = 0; k < draft->groups->len; k++)
    tl_image_group_look (draft->groups->pdata[k], options->cancellable);
  if (options->projections == NULL)
    note_parts (projections, draft);
  if (options->flats == NULL)
    tl_image_groups_hint_flats (draft->groups, draft);
  list_unreadable (scan, draft);
  set_format (scan, "folder", draft);
  describe (scan, draft);
  name_files (scan, draft);
  return g_steal_pointer (&scan);
}

/* Looks for flats, darks and angles in the folder of @path.
 *
 * Returns: whether @path has all projections of the folder, or of one of
 *   several scans there, so that its flats, darks and angles belong to @path */
static gboolean
find_beside (const char *path, GCancellable *cancellable, TlImageLayout *layout)
{
  const TlReaderOptions by_names = { .cancellable = cancellable };
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (canonical);
  g_auto (TlScanDraft) unused;
  tl_scan_draft_init (&unused);
  const gboolean is_clear =
      tl_image_layout_find (folder, &by_names, layout, &unused, NULL);
  GPtrArray *projections = layout->files[TL_FRAMES_PROJECTIONS];
  if (is_clear ? projections->len != 1 : unused.groups == NULL)
    return FALSE;
  g_autoptr (GHashTable) map = tl_image_groups_map (unused.groups);
  const TlImageGroup *group = tl_image_groups_look_up (map, canonical);
  return group != NULL && group->paths->len == 1
         && g_ptr_array_find_with_equal_func (projections, canonical,
                                              g_str_equal, NULL);
}

/* Notes that an image that was opened by itself has others beside it: they may
 * be the projections of a scan. */
static void
note_series (const char *path, GCancellable *cancellable, TlScanDraft *draft)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *canonical = g_canonicalize_filename (folder, NULL);
  g_autofree char *name = tl_path_dup_name (canonical);
  g_autoptr (TlListing) listing = tl_listing_new (folder, cancellable, NULL);
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (g_free);
  if (listing != NULL)
    tl_listing_append_images (listing, images);
  g_autoptr (GPtrArray) groups = tl_image_groups_new (folder, images);
  g_autoptr (GHashTable) map = tl_image_groups_map (groups);
  const TlImageGroup *group = tl_image_groups_look_up (map, path);
  if (group == NULL || group->paths->len < 2)
    return;
  g_autofree char *pattern = g_filename_display_name (group->pattern);
  draft->is_of_series = TRUE;
  tl_scan_draft_ask (draft, NULL, NULL,
                     _ ("it is one of %u images %s in the folder %s: open "
                        "the folder, if they are the projections"),
                     group->paths->len, pattern, name);
}

/* Finds the flats and darks that the user has named. */
static gboolean
find_fields (const char *path, const TlReaderOptions *options,
             TlImageLayout *layout, GError **error)
{
  const char *patterns[TL_N_FRAME_KINDS] = { NULL, options->flats,
                                             options->darks };
  g_autofree char *folder = g_path_get_dirname (path);
  for (TlFrameKind kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      layout->files[kind] = patterns[kind] != NULL
                                ? tl_listing_match (folder, patterns[kind],
                                                    options->cancellable, error)
                                : g_ptr_array_new_with_free_func (g_free);
      if (layout->files[kind] == NULL)
        return FALSE;
    }
  layout->n_flats_before = layout->files[TL_FRAMES_FLATS]->len;
  return TRUE;
}

static gpointer
open_file (const char *path, const TlReaderOptions *options, TlScanDraft *draft,
           GError **error)
{
  g_auto (TlImageLayout) beside = { 0 }, named = { 0 };
  g_autoptr (Scan) scan = scan_new (options, error);
  if (scan == NULL)
    return NULL;
  scan->is_stack = TRUE;
  if (!add_file (scan, TL_FRAMES_PROJECTIONS, path, NULL, draft, error))
    return NULL;
  gboolean by_names = options->flats == NULL && options->darks == NULL
                      && find_beside (path, options->cancellable, &beside);
  /* The flats and darks of a folder are images, not rows of a sinogram. */
  if (by_names && scan->frames[TL_FRAMES_PROJECTIONS]->len == 1)
    for (TlFrameKind kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
      g_ptr_array_set_size (beside.files[kind], 0);
  if (!by_names && !find_fields (path, options, &named, error))
    return NULL;
  if (!add_fields (scan, by_names ? &beside : &named, options, draft, error))
    return NULL;
  if (by_names && scan->files->len > 1)
    tl_scan_draft_note (draft, _ ("flats and darks are taken from its folder"));
  set_format (scan, "stack", draft);
  describe (scan, draft);
  if (scan->is_sinograms && scan->frames[TL_FRAMES_PROJECTIONS]->len == 1)
    note_series (path, options->cancellable, draft);
  return g_steal_pointer (&scan);
}

/* Returns: (transfer full) (nullable): an idle handle, if possible one that has
 * @file open */
static Handle *
take_idle (Scan *scan, guint file)
{
  Handle *handle = NULL;
  g_mutex_lock (&scan->mutex);
  guint k = 0;
  while (k + 1 < scan->idle->len
         && ((Handle *)scan->idle->pdata[k])->file != file)
    k++;
  if (k < scan->idle->len)
    handle = g_ptr_array_steal_index_fast (scan->idle, k);
  g_mutex_unlock (&scan->mutex);
  return handle;
}

/* Reads rows of an image. No other thread uses the file's handle meanwhile. */
static gboolean
read_image (Scan *scan, const Frame *frame, const size_t *rows, size_t n_rows,
            void *dest, GError **error)
{
  Handle *handle = take_idle (scan, frame->file);
  if (handle != NULL && handle->file != frame->file)
    g_clear_pointer (&handle, handle_free);
  if (handle == NULL)
    handle = open_handle (scan, frame->file, error);
  if (handle == NULL)
    return FALSE;
  const gboolean is_read = handle->reader->read (handle->open, &frame->image,
                                                 rows, n_rows, dest, error);
  g_mutex_lock (&scan->mutex);
  g_ptr_array_add (scan->idle, handle);
  g_mutex_unlock (&scan->mutex);
  return is_read;
}

/* Reads sinograms: row p of image r is row r of projection p. */
static gboolean
read_sinograms (Scan *scan, size_t first_frame, size_t n_frames,
                const size_t *rows, size_t n_rows, char *dest, GError **error)
{
  const TlImage *first = &get_frame (scan, TL_FRAMES_PROJECTIONS, 0)->image;
  size_t row_bytes = first->n_cols * tl_sample_size (first->type);
  g_autofree size_t *frames = tl_rows_list (first_frame, n_frames, error);
  g_autofree char *samples =
      tl_try_alloc (n_frames, row_bytes, 1, 1, _ ("a sinogram"), error);
  if (frames == NULL || samples == NULL)
    return FALSE;
  for (size_t r = 0; r < n_rows; r++)
    {
      const Frame *frame = get_frame (scan, TL_FRAMES_PROJECTIONS, rows[r]);
      if (!read_image (scan, frame, frames, n_frames, samples, error))
        return FALSE;
      for (size_t p = 0; p < n_frames; p++)
        memcpy (dest + (p * n_rows + r) * row_bytes, samples + p * row_bytes,
                row_bytes);
    }
  return TRUE;
}

/* A part of the projections is a part of each sinogram, and sinograms that are
 * compressed would be decoded by each thread. */
static gboolean
is_parallel (gpointer source, TlFrameKind kind)
{
  return !((Scan *)source)->is_sinograms;
}

static gboolean
read_frames (gpointer source, TlFrameKind kind, size_t first_frame,
             size_t n_frames, const size_t *rows, size_t n_rows, void *dest,
             GError **error)
{
  Scan *scan = source;
  if (scan->is_sinograms)
    return read_sinograms (scan, first_frame, n_frames, rows, n_rows, dest,
                           error);
  for (size_t i = 0; i < n_frames; i++)
    {
      const Frame *frame = get_frame (scan, kind, first_frame + i);
      size_t bytes =
          n_rows * frame->image.n_cols * tl_sample_size (frame->image.type);
      if (!read_image (scan, frame, rows, n_rows, (char *)dest + i * bytes,
                       error))
        return FALSE;
    }
  return TRUE;
}

static char *
dup_frame_name (gpointer source, TlFrameKind kind, size_t index)
{
  Scan *scan = source;
  if (scan->is_sinograms)
    return NULL;
  return tl_path_dup_name (
      get_file (scan, get_frame (scan, kind, index)->file)->path);
}

/* Nothing is remembered between two reads, because the rows are found without
 * decoding. */
static gboolean
can_ascend (gpointer source, guint64 *bytes)
{
  Scan *scan = source;
  const GArray *frames = scan->frames[TL_FRAMES_PROJECTIONS];
  *bytes = 0;
  for (guint k = 0; k < frames->len; k++)
    if (!g_array_index (frames, Frame, k).image.has_rows)
      return FALSE;
  return !scan->is_sinograms;
}

const TlReaderFormat tl_image_folder_format = {
  .container = TL_CONTAINER_FOLDER,
  .looks_for = N_ ("images (*.tif, *.fits, *.edf, *.nhdr, *.txrm) in it and in "
                   "its sub-folders"),
  .open = open_folder,
  .is_parallel = is_parallel,
  .read = read_frames,
  .can_ascend = can_ascend,
  .dup_frame_name = dup_frame_name,
  .close = scan_free,
  .list_groups = tl_image_layout_list_groups,
};

const TlReaderFormat tl_image_file_format = {
  .container = TL_CONTAINER_IMAGES,
  .looks_for = N_ ("images"),
  .open = open_file,
  .is_parallel = is_parallel,
  .read = read_frames,
  .can_ascend = can_ascend,
  .dup_frame_name = dup_frame_name,
  .close = scan_free,
};
