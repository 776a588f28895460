/* A folder that is being filled with images, one in each file. The system tells
 * of new files, or, on a network file system, the names are listed again and
 * again. An image is taken when its file was closed or has rested, and can be
 * read as a whole. */
#include "data/stream/sources/notice-private.h"
#include "data/stream/source-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/scan/angles.h"
#include "data/read/format/image-format.h"
#include "data/read/images/listing.h"
#include "data/read/images/names.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <isa-l/crc.h>
#include <math.h>
#include <string.h>

/* How often files that are not yet complete are looked at, and the names are
 * listed where the system does not tell of new ones. */
#define GLANCE_US (G_USEC_PER_SEC / 20)

/* How often all files are looked at, because they may have been replaced; less
 * often where that takes more than one part in LOOK_PARTS of the time. */
#define LOOK_US G_USEC_PER_SEC
#define LOOK_PARTS 20

/* A file that has not changed for so long is complete, if it can be read. */
#define REST_US (G_USEC_PER_SEC / 10)

/* A file that has not changed for so long is as complete as it will be; it is
 * not waited for any more. */
#define PATIENCE_US (5 * G_USEC_PER_SEC)

/* A file, as it was seen last. */
typedef struct
{
  const char *path; /* of the key */
  TlFrameKind kind;
  size_t number; /* as of tl_name_get_number() */
  goffset n_bytes;
  gint64 changed_ns;  /* by the clock of the file system */
  gint64 since_us;    /* when this was first seen, by ours */
  gboolean is_closed; /* its writer has just closed it */
  gboolean is_done;   /* taken, or given up */
  gboolean is_taken;
  guint32 crc32;   /* of the pixels that were taken */
  gboolean is_old; /* and of an earlier scan: counts again when it changes */
} Seen;

/* Besides the kinds of frames: files that are none. */
#define OTHER TL_N_FRAME_KINDS

typedef struct
{
  char *path;
  TlNotice *notice;             /* (nullable) */
  GHashTable *files;            /* path → Seen */
  GPtrArray *open;              /* those in files that are not done */
  gboolean is_sorted;           /* open is */
  GQueue *ready;                /* of paths in files, which can be read */
  GHashTable *kinds;            /* name without its digits → kind, or OTHER */
  gint64 glanced_us, looked_us; /* when it was, last */
  gint64 look_soon_us, look_due_us; /* when it may, and when it will */

  guint scan;              /* counts the scans in it */
  gboolean has_old_fields; /* flats and darks that may be of this scan, too */
  char *stem;              /* (nullable): of the names of the projections */
  gboolean has_first;
  size_t first;       /* number of the first projection */
  char *angles_path;  /* (nullable) */
  double *angles_deg; /* (nullable): [n_angles] */
  size_t n_angles;
} Folder;

/* --- one image --- */

/* Finds the only image of a file. */
static gboolean
find_image (const TlImageReader *reader, gpointer file, TlImage *image,
            GError **error)
{
  TlImage other = { 0 };
  gboolean found, has_other = FALSE;
  if (!reader->next (file, image, &found, error)
      || (found && !reader->next (file, &other, &has_other, error)))
    return FALSE;
  if (!found || has_other)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("it does not have one image, as each file of a folder "
                       "that grows"));
  return tl_message_check_shape ((gint64)image->n_rows, (gint64)image->n_cols,
                                 error);
}

/* @message: (out): its shape and type. Returns: (transfer full) */
static void *
read_only_image (const TlImageReader *reader, gpointer file, TlMessage *message,
                 GError **error)
{
  TlImage image = { 0 };
  if (!find_image (reader, file, &image, error))
    return NULL;
  message->n_rows = image.n_rows;
  message->n_cols = image.n_cols;
  message->sample_type = image.type;
  g_autofree size_t *rows = g_new (size_t, image.n_rows);
  g_autofree void *pixels =
      tl_try_alloc (image.n_rows, image.n_cols, 1, tl_sample_size (image.type),
                    _ ("one projection"), error);
  for (size_t k = 0; k < image.n_rows; k++)
    rows[k] = k;
  if (pixels == NULL
      || !reader->read (file, &image, rows, image.n_rows, pixels, error))
    return NULL;
  return g_steal_pointer (&pixels);
}

static void *
read_image (const char *path, TlMessage *message, GError **error)
{
  const TlImageFormat *format = tl_image_format_of_file (path);
  if (format == NULL)
    return tl_fail_null (error, TL_ERROR_FORMAT,
                         _ ("its beginning is of no kind of image"));
  if (format->reader == NULL)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("this program was built without %s"),
                         format->library);
  gpointer file = format->reader->open (path, error);
  if (file == NULL)
    return NULL;
  void *pixels = read_only_image (format->reader, file, message, error);
  format->reader->close (file);
  return pixels;
}

static guint32
sum_pixels (const TlMessage *message, const void *pixels)
{
  return crc32_gzip_refl (0, pixels,
                          message->n_rows * message->n_cols
                              * tl_sample_size (message->sample_type));
}

/* Returns: whether the file that was taken still has the same image, although
 * it has changed: its writer may add the rest of a header, or set its time. */
static gboolean
has_same_image (const Seen *seen)
{
  TlMessage message = { 0 };
  g_autofree void *pixels = read_image (seen->path, &message, NULL);
  return pixels != NULL && sum_pixels (&message, pixels) == seen->crc32;
}

/* --- what is in the folder --- */

static gint64
get_changed_ns (const GStatBuf *status)
{
  return (gint64)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

static void
clean_open (Folder *folder)
{
  for (guint k = folder->open->len; k-- > 0;)
    if (((const Seen *)folder->open->pdata[k])->is_done)
      g_ptr_array_remove_index (folder->open, k);
}

/* The next frames are of another scan. */
static void
begin_scan (Folder *folder)
{
  g_queue_clear (folder->ready);
  folder->look_due_us = 0;
  folder->has_first = FALSE;
  g_clear_pointer (&folder->angles_deg, g_free);
  folder->n_angles = 0;
  folder->scan++;
}

/* Forgets all that was seen. */
static void
forget_files (Folder *folder)
{
  g_ptr_array_set_size (folder->open, 0);
  g_hash_table_remove_all (folder->files);
  begin_scan (folder);
}

/* @seen: is done, and not among the open ones */
static void
take_again (Folder *folder, Seen *seen)
{
  seen->is_done = seen->is_taken = seen->is_old = FALSE;
  g_ptr_array_add (folder->open, seen);
  folder->is_sorted = FALSE;
}

/* Takes the files of this scan again, as of another one. */
static void
take_all_again (Folder *folder)
{
  GHashTableIter iter;
  gpointer seen;
  clean_open (folder);
  g_hash_table_iter_init (&iter, folder->files);
  while (g_hash_table_iter_next (&iter, NULL, &seen))
    if (((const Seen *)seen)->is_done && !((const Seen *)seen)->is_old)
      take_again (folder, seen);
  begin_scan (folder);
}

/* Files are being replaced by those of another scan: what has not changed since
 * the folder was looked at before is of the earlier one. */
static void
replace_files (Folder *folder, gint64 before_us)
{
  GHashTableIter iter;
  gpointer value;
  clean_open (folder);
  g_hash_table_iter_init (&iter, folder->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Seen *seen = value;
      if (!seen->is_done)
        continue;
      if (seen->since_us <= before_us)
        seen->is_old = TRUE;
      else
        take_again (folder, seen);
    }
  folder->has_old_fields = TRUE;
  begin_scan (folder);
}

/* Flats and darks that are not replaced before the projections stay valid. */
static void
take_old_fields (Folder *folder)
{
  GHashTableIter iter;
  gpointer value;
  if (!folder->has_old_fields)
    return;
  folder->has_old_fields = FALSE;
  g_hash_table_iter_init (&iter, folder->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((const Seen *)value)->is_old
        && ((const Seen *)value)->kind != TL_FRAMES_PROJECTIONS)
      take_again (folder, value);
}

static Seen *
add_file (Folder *folder, const char *path, TlFrameKind kind)
{
  char *key = g_strdup (path);
  Seen *seen = g_new (Seen, 1);
  *seen = (Seen){ .path = key,
                  .kind = kind,
                  .number = tl_name_get_number (path),
                  .n_bytes = -1 };
  g_hash_table_insert (folder->files, key, seen);
  g_ptr_array_add (folder->open, seen);
  folder->is_sorted = FALSE;
  return seen;
}

/* Looks at one file. A file that was closed is ready, but does not overtake
 * those that are still resting. @in_order: (inout): whether all before it are
 * ready. Returns: whether it has not changed since it was taken */
static gboolean
see_file (Folder *folder, Seen *seen, gint64 now_us, gboolean *in_order)
{
  GStatBuf status;
  if (g_stat (seen->path, &status) != 0)
    return TRUE;
  const gboolean is_changed = seen->n_bytes != status.st_size
                              || seen->changed_ns != get_changed_ns (&status);
  if (is_changed)
    {
      seen->n_bytes = status.st_size;
      seen->changed_ns = get_changed_ns (&status);
      seen->since_us = now_us;
      if (seen->is_old)
        take_again (folder, seen);
    }
  if (seen->is_done && !seen->is_taken && is_changed)
    take_again (folder, seen); /* its writer goes on after a long pause */
  if (seen->is_done)
    return !is_changed;
  if (now_us - seen->since_us >= REST_US || (seen->is_closed && *in_order))
    g_queue_push_tail (folder->ready, (gpointer)seen->path);
  else
    *in_order = FALSE;
  return TRUE;
}

/* Darks, flats, projections, each in natural order. */
static int
compare_files (gconstpointer a, gconstpointer b)
{
  const Seen *first = *(Seen *const *)a, *second = *(Seen *const *)b;
  return first->kind != second->kind
             ? (int)second->kind - (int)first->kind
             : tl_name_compare (first->path, second->path);
}

/* Looks at the files that are not done. */
static void
see_open (Folder *folder, gint64 now_us)
{
  GPtrArray *open = folder->open;
  clean_open (folder);
  if (!folder->is_sorted)
    g_ptr_array_sort (open, compare_files);
  folder->is_sorted = TRUE;
  gboolean in_order = TRUE;
  for (guint k = 0; k < open->len; k++)
    see_file (folder, open->pdata[k], now_us, &in_order);
}

/* Returns: (transfer full): the name of the file up to its number */
static char *
dup_stem (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  const char *dot = strrchr (name, '.');
  size_t n = dot != NULL ? (size_t)(dot - name) : strlen (name);
  while (n > 0 && g_ascii_isdigit (name[n - 1]))
    n--;
  return g_strndup (name, n);
}

/* Returns: (transfer full) (nullable): the stem that most projections have; the
 * first of these in natural order */
static char *
find_stem (const GPtrArray *files)
{
  g_autoptr (GHashTable) counts =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *best = NULL;
  guint n_best = 0;
  for (guint k = 0; k < files->len; k++)
    {
      char *stem = dup_stem (files->pdata[k]);
      const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, stem)) + 1;
      g_hash_table_replace (counts, stem, GUINT_TO_POINTER (n));
      if (n > n_best)
        best = files->pdata[k];
      n_best = MAX (n, n_best);
    }
  return best != NULL ? dup_stem (best) : NULL;
}

/* Returns: whether a file that was seen is still there, or none was seen */
static gboolean
has_seen_one (const Folder *folder, const TlListing *listing)
{
  if (g_hash_table_size (folder->files) == 0)
    return TRUE;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    for (guint k = 0; k < listing->files[kind]->len; k++)
      if (g_hash_table_contains (folder->files, listing->files[kind]->pdata[k]))
        return TRUE;
  return FALSE;
}

/* Returns: (transfer full) */
static char *
dup_without_digits (const char *name)
{
  char *key = g_strdup (name);
  char *to = key;
  for (const char *from = name; *from != '\0'; from++)
    if (!g_ascii_isdigit (*from))
      *to++ = *from;
  *to = '\0';
  return key;
}

static void
learn_name (Folder *folder, const char *path, TlFrameKind kind)
{
  g_autofree char *name = g_path_get_basename (path);
  g_hash_table_replace (folder->kinds, dup_without_digits (name),
                        GINT_TO_POINTER (kind));
}

/* A folder whose files are replaced has another scan; so has one in which
 * other names are more frequent now. */
static gboolean
look (Folder *folder, gint64 now_us, GError **error)
{
  g_autoptr (TlListing) listing = tl_listing_new (folder->path, NULL, error);
  if (listing == NULL)
    return FALSE;
  g_autofree char *stem = find_stem (listing->files[TL_FRAMES_PROJECTIONS]);
  const gint64 before_us = folder->looked_us;
  gboolean in_order = TRUE, has_new[TL_N_FRAME_KINDS] = { FALSE };
  const gboolean is_same = has_seen_one (folder, listing)
                           && (folder->stem == NULL || stem == NULL
                               || strcmp (stem, folder->stem) == 0);
  g_free (folder->angles_path);
  folder->angles_path = tl_listing_find_angles (listing);
  for (size_t k = 0; k < TL_N_FRAME_KINDS; k++)
    {
      const GPtrArray *files = listing->files[tl_stream_order[k]];
      for (guint i = 0; i < files->len; i++)
        {
          Seen *seen = g_hash_table_lookup (folder->files, files->pdata[i]);
          if (seen == NULL)
            seen = add_file (folder, files->pdata[i], tl_stream_order[k]);
          if (!see_file (folder, seen, now_us, &in_order)
              && !has_new[tl_stream_order[k]])
            has_new[tl_stream_order[k]] = !has_same_image (seen);
          learn_name (folder, files->pdata[i], tl_stream_order[k]);
        }
    }
  const gint64 end_us = g_get_monotonic_time ();
  const gint64 rest_us = LOOK_PARTS * (end_us - now_us);
  folder->look_soon_us = end_us + MAX (GLANCE_US, rest_us);
  folder->look_due_us = end_us + MAX (LOOK_US, rest_us);
  folder->looked_us = now_us;
  if (!is_same)
    forget_files (folder);
  else if (has_new[TL_FRAMES_PROJECTIONS])
    replace_files (folder, before_us);
  else if (has_new[TL_FRAMES_FLATS] || has_new[TL_FRAMES_DARKS])
    take_all_again (folder);
  if (stem != NULL)
    {
      g_free (folder->stem);
      folder->stem = g_steal_pointer (&stem);
    }
  return TRUE;
}

static void
ask_for_look (Folder *folder)
{
  folder->look_due_us = MIN (folder->look_due_us, folder->look_soon_us);
}

/* Sees a name that is new, or whose file has changed. What it is, names that
 * differ in digits only have told; all files are looked at where it is new. */
static void
see_name (const char *name, TlNoticeType type, gpointer data)
{
  Folder *folder = data;
  gpointer kind;
  if (*name == '.')
    return;
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  Seen *seen = g_hash_table_lookup (folder->files, path);
  if (seen == NULL)
    {
      g_autofree char *key = dup_without_digits (name);
      if (!g_hash_table_lookup_extended (folder->kinds, key, NULL, &kind))
        {
          g_hash_table_insert (folder->kinds, g_steal_pointer (&key),
                               GINT_TO_POINTER (OTHER));
          ask_for_look (folder);
        }
      else if (GPOINTER_TO_INT (kind) != OTHER)
        seen = add_file (folder, path, (TlFrameKind)GPOINTER_TO_INT (kind));
    }
  if (seen == NULL || type != TL_NOTICE_CLOSED)
    return;
  seen->is_closed = TRUE;
  if (seen->is_old)
    take_again (folder, seen);
  else if (seen->is_done) /* it may have been replaced */
    ask_for_look (folder);
}

/* Sees the names that are new. */
static void
see_names (Folder *folder)
{
  if (folder->notice == NULL)
    {
      g_autoptr (GDir) dir = g_dir_open (folder->path, 0, NULL);
      for (const char *name;
           dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
        see_name (name, TL_NOTICE_MADE, folder);
    }
  else if (!tl_notice_take (folder->notice, see_name, folder))
    {
      /* There may be another folder under the name. */
      tl_notice_free (folder->notice);
      folder->notice = tl_notice_new (folder->path);
      ask_for_look (folder);
    }
}

/* Looks at what may have changed. */
static gboolean
glance (Folder *folder, gint64 now_us, GError **error)
{
  see_names (folder);
  if (now_us >= folder->look_due_us)
    return look (folder, now_us, error);
  see_open (folder, now_us);
  return TRUE;
}

/* --- its place in the scan --- */

/* Projections are counted from the smallest number. If a smaller one comes
 * later, all are taken again. Returns: %FALSE if they have to be */
static gboolean
set_number (Folder *folder, const char *path, TlMessage *message)
{
  const size_t number = tl_name_get_number (path);
  if (message->kind != TL_FRAMES_PROJECTIONS || number == G_MAXSIZE)
    return TRUE;
  if (!folder->has_first)
    folder->first = number;
  folder->has_first = TRUE;
  if (number < folder->first)
    return FALSE;
  message->has_number = TRUE;
  message->number = number - folder->first;
  return TRUE;
}

static gboolean
is_other_series (const Folder *folder, const char *path, TlFrameKind kind)
{
  if (kind != TL_FRAMES_PROJECTIONS)
    return FALSE;
  g_autofree char *stem = dup_stem (path);
  return strcmp (stem, folder->stem) != 0;
}

/* Counts the projections of this scan that are there.
 *
 * Returns: how many of them have smaller numbers than @number */
static size_t
count_before (Folder *folder, size_t number, size_t *n_there)
{
  GHashTableIter iter;
  gpointer value;
  size_t n_before = 0;
  *n_there = 0;
  g_hash_table_iter_init (&iter, folder->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Seen *seen = value;
      if (seen->kind != TL_FRAMES_PROJECTIONS || seen->is_old
          || seen->number == G_MAXSIZE)
        continue;
      (*n_there)++;
      n_before += seen->number < number;
    }
  return n_before;
}

static void
load_angles (Folder *folder)
{
  g_free (folder->angles_deg);
  folder->n_angles = 0;
  folder->angles_deg =
      tl_angles_load (folder->angles_path, TRUE, &folder->n_angles, NULL);
}

/* The list has an angle for each number or, if there are no more of them than
 * images, one for each image that is there. With one angle more than images it
 * may be either: its writer may be about to write the image. @is_late: it is
 * not.
 *
 * Returns: whether the angle is there, or there are none at all */
static gboolean
set_angle (Folder *folder, TlMessage *message, gboolean is_late)
{
  size_t k = message->number, n_there;
  if (message->kind != TL_FRAMES_PROJECTIONS || !message->has_number
      || folder->angles_path == NULL)
    return TRUE;
  const size_t n_before = count_before (folder, folder->first + k, &n_there);
  if (k >= folder->n_angles || n_before < k)
    load_angles (folder);
  if (n_before < k && folder->n_angles == n_there + 1 && !is_late)
    return FALSE;
  if (n_before < k && folder->n_angles <= n_there)
    k = n_before;
  if (k >= folder->n_angles)
    return FALSE;
  message->angle_deg = folder->angles_deg[k];
  return TRUE;
}

static void
give_up (TlTrack *track, const char *path, const char *why)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GError) error = NULL;
  if (g_str_has_prefix (why, name))
    tl_fail (&error, TL_ERROR_FORMAT, "%s", why);
  else
    tl_fail (&error, TL_ERROR_FORMAT, "%s: %s", name, why);
  tl_track_refuse (track, error);
}

/* Takes an image, or leaves it for later. */
static void
take_image (Folder *folder, const char *path, TlTrack *track, gint64 now_us)
{
  Seen *seen = g_hash_table_lookup (folder->files, path);
  const gboolean is_late = now_us - seen->since_us >= PATIENCE_US;
  TlMessage message = { .type = TL_MESSAGE_FRAME,
                        .has_kind = TRUE,
                        .kind = seen->kind,
                        .scan = folder->scan,
                        .angle_deg = NAN,
                        .is_big_endian = G_BYTE_ORDER == G_BIG_ENDIAN };
  g_autoptr (GError) error = NULL;
  if (is_other_series (folder, path, seen->kind))
    {
      seen->is_done = TRUE;
      give_up (track, path, _ ("its name is not that of the projections"));
      return;
    }
  seen->is_closed = FALSE; /* if it cannot be read yet, it has to rest */
  g_autofree guint8 *pixels = read_image (path, &message, &error);
  if (pixels == NULL)
    {
      seen->is_done = is_late;
      if (is_late)
        give_up (track, path, error->message);
      return;
    }
  if (!set_number (folder, path, &message))
    take_all_again (folder);
  else if (set_angle (folder, &message, is_late) || is_late)
    {
      seen->is_done = seen->is_taken = TRUE;
      seen->crc32 = sum_pixels (&message, pixels);
      message.pixels = pixels;
      tl_track_set_places (track, folder->scan, folder->n_angles,
                           folder->n_angles, NULL);
      if (seen->kind == TL_FRAMES_PROJECTIONS)
        take_old_fields (folder);
      tl_track_take (track, &message, now_us);
    }
}

/* --- the source --- */

static gpointer
open_folder (const char *path, GError **error)
{
  g_autoptr (TlListing) listing = tl_listing_new (path, NULL, error);
  if (listing == NULL)
    return NULL;
  Folder *folder = g_new0 (Folder, 1);
  folder->path = g_strdup (path);
  folder->notice = tl_notice_new (path);
  folder->files =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  folder->open = g_ptr_array_new ();
  folder->ready = g_queue_new ();
  folder->kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return folder;
}

/* Waits until the folder is to be looked at. Returns: whether it is */
static gboolean
wait_for_change (Folder *folder, gint64 timeout_us)
{
  const gboolean has_open = folder->notice == NULL || folder->open->len > 0;
  gint64 due_us = folder->look_due_us;
  if (has_open)
    due_us = MIN (due_us, folder->glanced_us + GLANCE_US);
  const gint64 wait_us = due_us - g_get_monotonic_time ();
  const gint64 slept_us = CLAMP (wait_us, 0, timeout_us);
  if (folder->notice != NULL)
    return tl_notice_wait (folder->notice, slept_us) || wait_us <= timeout_us;
  g_usleep ((gulong)slept_us);
  return wait_us <= timeout_us;
}

static gboolean
poll_folder (gpointer source, TlTrack *track, guint timeout_ms, GError **error)
{
  Folder *folder = source;
  if (g_queue_is_empty (folder->ready)
      && wait_for_change (folder, (gint64)timeout_ms * 1000))
    {
      folder->glanced_us = g_get_monotonic_time ();
      if (!glance (folder, folder->glanced_us, error))
        return FALSE;
    }
  const char *path = g_queue_pop_head (folder->ready);
  if (path != NULL)
    take_image (folder, path, track, g_get_monotonic_time ());
  return TRUE;
}

/* More is to come where an image is not yet taken, or an angle has none. */
static TlTrackRest
get_folder_rest (gpointer source)
{
  const Folder *folder = source;
  size_t n_projections = 0;
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, folder->files);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Seen *seen = value;
      if (!seen->is_done)
        return TL_REST_OPEN;
      n_projections += seen->kind == TL_FRAMES_PROJECTIONS && !seen->is_old;
    }
  return n_projections < folder->n_angles ? TL_REST_OPEN : TL_REST_UNKNOWN;
}

static void
close_folder (gpointer source)
{
  Folder *folder = source;
  tl_notice_free (folder->notice);
  g_queue_free (folder->ready);
  g_ptr_array_unref (folder->open);
  g_hash_table_unref (folder->kinds);
  g_hash_table_unref (folder->files);
  g_free (folder->angles_deg);
  g_free (folder->angles_path);
  g_free (folder->stem);
  g_free (folder->path);
  g_free (folder);
}

const TlStreamSource tl_folder_source = {
  .open = open_folder,
  .poll = poll_folder,
  .get_rest = get_folder_rest,
  .close = close_folder,
};
