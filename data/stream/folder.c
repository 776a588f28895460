/* A folder that is being filled with images, one in each file. It is looked at
 * again and again, because a network file system does not tell of changes. An
 * image is taken when its file has rested and can be read as a whole. */
#include "data/stream/source-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/angles.h"
#include "data/read/image-format.h"
#include "data/read/images/listing.h"
#include "data/read/images/names.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* How often the folder is looked at. */
#define LOOK_US (G_USEC_PER_SEC / 20)

/* A file that has not changed for so long is complete, if it can be read. */
#define REST_US (G_USEC_PER_SEC / 10)

/* A file that has not changed for so long is as complete as it will be; it is
 * not waited for any more. */
#define PATIENCE_US (5 * G_USEC_PER_SEC)

/* A file, as it was seen last. */
typedef struct
{
  TlFrameKind kind;
  goffset n_bytes;
  gint64 changed_ns; /* by the clock of the file system */
  gint64 since_us;   /* when this was first seen, by ours */
  gboolean is_done;  /* taken, or given up */
} Seen;

typedef struct
{
  char *path;
  GHashTable *files; /* path → Seen */
  GQueue *ready;     /* of paths in files, which have rested */
  gint64 looked_us;

  guint scan; /* counts the scans in it */
  char *stem; /* (nullable): of the names of the projections */
  gboolean has_first;
  size_t first;       /* number of the first projection */
  char *angles_path;  /* (nullable) */
  double *angles_deg; /* (nullable): [n_angles] */
  size_t n_angles;
} Folder;

/* --- what is in the folder --- */

static gint64
get_changed_ns (const GStatBuf *status)
{
  return (gint64)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* Forgets all that was seen; the next frames are of another scan. */
static void
begin_again (Folder *folder)
{
  g_queue_clear (folder->ready);
  g_hash_table_remove_all (folder->files);
  folder->has_first = FALSE;
  g_clear_pointer (&folder->angles_deg, g_free);
  folder->n_angles = 0;
  folder->scan++;
}

/* Looks at one file. Returns: whether it is what it was when it was taken */
static gboolean
see_file (Folder *folder, const char *path, TlFrameKind kind, gint64 now_us)
{
  GStatBuf status;
  gpointer key, value;
  if (g_stat (path, &status) != 0)
    return TRUE;
  if (!g_hash_table_lookup_extended (folder->files, path, &key, &value))
    {
      Seen *seen = g_new (Seen, 1);
      *seen = (Seen){ .kind = kind, .n_bytes = -1 };
      key = g_strdup (path);
      value = seen;
      g_hash_table_insert (folder->files, key, seen);
    }
  Seen *seen = value;
  if (seen->n_bytes != status.st_size
      || seen->changed_ns != get_changed_ns (&status))
    {
      seen->n_bytes = status.st_size;
      seen->changed_ns = get_changed_ns (&status);
      seen->since_us = now_us;
      return !seen->is_done;
    }
  if (!seen->is_done && now_us - seen->since_us >= REST_US)
    g_queue_push_tail (folder->ready, key);
  return TRUE;
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

/* A folder whose files were replaced has another scan; so has one in which
 * other names are more frequent now. */
static gboolean
look (Folder *folder, gint64 now_us, GError **error)
{
  static const TlFrameKind order[TL_N_FRAME_KINDS] = { TL_FRAMES_DARKS,
                                                       TL_FRAMES_FLATS,
                                                       TL_FRAMES_PROJECTIONS };
  g_autoptr (TlListing) listing = tl_listing_new (folder->path, error);
  folder->looked_us = now_us;
  if (listing == NULL)
    return FALSE;
  g_autofree char *stem = find_stem (listing->files[TL_FRAMES_PROJECTIONS]);
  gboolean is_same = has_seen_one (folder, listing)
                     && (folder->stem == NULL || stem == NULL
                         || strcmp (stem, folder->stem) == 0);
  g_free (folder->angles_path);
  folder->angles_path = tl_listing_find_angles (listing);
  for (size_t k = 0; k < G_N_ELEMENTS (order); k++)
    {
      const GPtrArray *files = listing->files[order[k]];
      for (guint i = 0; i < files->len && is_same; i++)
        is_same = see_file (folder, files->pdata[i], order[k], now_us);
    }
  if (!is_same)
    begin_again (folder);
  if (stem != NULL)
    {
      g_free (folder->stem);
      folder->stem = g_steal_pointer (&stem);
    }
  return TRUE;
}

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

/* Returns: whether the angle is there, or there are none at all */
static gboolean
set_angle (Folder *folder, TlMessage *message)
{
  if (message->kind != TL_FRAMES_PROJECTIONS || !message->has_number
      || folder->angles_path == NULL)
    return TRUE;
  if (message->number >= folder->n_angles)
    {
      g_free (folder->angles_deg);
      folder->n_angles = 0;
      folder->angles_deg =
          tl_angles_load (folder->angles_path, TRUE, &folder->n_angles, NULL);
    }
  if (message->number >= folder->n_angles)
    return FALSE;
  message->angle_deg = folder->angles_deg[message->number];
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
  g_autofree guint8 *pixels = read_image (path, &message, &error);
  if (pixels == NULL)
    {
      seen->is_done = is_late;
      if (is_late)
        give_up (track, path, error->message);
      return;
    }
  if (!set_number (folder, path, &message))
    begin_again (folder);
  else if (set_angle (folder, &message) || is_late)
    {
      seen->is_done = TRUE;
      message.pixels = pixels;
      tl_track_take (track, &message, now_us);
    }
}

/* --- the source --- */

static gpointer
open_folder (const char *path, GError **error)
{
  g_autoptr (TlListing) listing = tl_listing_new (path, error);
  if (listing == NULL)
    return NULL;
  Folder *folder = g_new0 (Folder, 1);
  folder->path = g_strdup (path);
  folder->files =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  folder->ready = g_queue_new ();
  return folder;
}

static gboolean
poll_folder (gpointer source, TlTrack *track, guint timeout_ms, GError **error)
{
  Folder *folder = source;
  gint64 now_us = g_get_monotonic_time ();
  if (g_queue_is_empty (folder->ready))
    {
      const gint64 due_us = folder->looked_us + LOOK_US - now_us;
      if (due_us > 0)
        g_usleep ((gulong)MIN (due_us, (gint64)timeout_ms * 1000));
      now_us = g_get_monotonic_time ();
      if (due_us <= (gint64)timeout_ms * 1000 && !look (folder, now_us, error))
        return FALSE;
    }
  const char *path = g_queue_pop_head (folder->ready);
  if (path != NULL)
    take_image (folder, path, track, now_us);
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
      n_projections += seen->kind == TL_FRAMES_PROJECTIONS;
    }
  return n_projections < folder->n_angles ? TL_REST_OPEN : TL_REST_UNKNOWN;
}

static void
close_folder (gpointer source)
{
  Folder *folder = source;
  g_queue_free (folder->ready);
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
